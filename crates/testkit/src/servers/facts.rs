//! What tests know of a product, as data. In the SQL texts, `NAME`, `FROM` and `USER` stand for the objects.

/// What tests know of a product.
#[derive(Debug)]
pub struct ProductFacts {
    /// The engine's name.
    pub engine: &'static str,
    /// The administrator.
    pub superuser: &'static str,
    /// A database that every server has.
    pub home: &'static str,
    /// Whether every database can be seen from every other.
    pub sees_all: bool,
    /// Further arguments for the program that makes the data folder.
    pub making: &'static [&'static str],
    /// Settings of every scratch server.
    pub settings: &'static [(&'static str, &'static str)],
    /// Copies a database, where the product can.
    pub copy_database: Option<&'static str>,
    /// Drops a database even if it is in use, and its part elsewhere.
    pub drop_database: &'static str,
    /// Makes a user who may only connect, without a password.
    pub create_user: &'static str,
    /// Drops a user, if it exists.
    pub drop_user: &'static str,
    /// Grants a user all rights for dbdyno's work.
    pub let_work: &'static str,
    /// Grants a user the rights of whoever monitors a server, and no other.
    pub let_monitor: &'static str,
    /// A query that takes `SECONDS`, and what it says that it waits for.
    pub sleep: (&'static str, &'static str),
    /// Makes a table `s` and has statements finish that have `SECRET` as a literal.
    pub secrets: &'static str,
    /// Begins a transaction and leaves it open.
    pub transaction: &'static str,
    /// The SQL name of a table of dbdyno's in its database.
    pub table: &'static str,
    /// Makes, in dbdyno's schema, the procedures that tests call. `echo` takes an integer, a date, an amount and a
    /// text, and returns the next value of each, null for null; it fails at -1. `take_row` locks a row of `small_heap`
    /// and returns its `quantity`. `add_and_commit` adds to the quantity of a row, commits, and returns the new value.
    /// `mute` takes two values and returns none.
    pub procedures: &'static str,
    /// A place for tables that do not concern dbdyno, and the SQL that makes it for a database.
    pub elsewhere: (&'static str, &'static str),
    /// Everything in a database that the server did not make itself; the values of a row form one name.
    pub objects: &'static str,
}

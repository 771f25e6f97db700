//! What tests know of a product: data alone. In SQL stand `NAME`, `FROM` and `USER` for what it is about.

use super::Running;
use std::collections::BTreeSet;

/// What tests know of a product.
#[derive(Debug)]
pub struct Facts {
    /// The engine's name.
    pub engine: &'static str,
    /// The administrator.
    pub superuser: &'static str,
    /// A database that every server has.
    pub home: &'static str,
    /// Whether every database is seen from every other.
    pub sees_all: bool,
    /// Further arguments for what makes the data folder.
    pub making: &'static [&'static str],
    /// Settings of every scratch server.
    pub settings: &'static [(&'static str, &'static str)],
    /// Copies a database, where the product can.
    pub copy_database: Option<&'static str>,
    /// Drops a database, whoever uses it, and what lay elsewhere for it.
    pub drop_database: &'static str,
    /// Makes a user who may connect and nothing else, without a password.
    pub create_user: &'static str,
    /// Drops a user if there is one.
    pub drop_user: &'static str,
    /// Lets a user do all of dbdyno's work there.
    pub let_work: &'static str,
    /// A table of dbdyno's, as SQL in its database names it.
    pub table: &'static str,
    /// Makes, in dbdyno's schema, the procedures that tests call: `echo` takes a whole number, a day, an amount and a
    /// text and gives back the next of each, nothing for nothing, but fails at -1; `take_row` takes the lock of a row
    /// of `small_heap` and gives its `quantity`; `add_and_commit` adds to that of a row, commits, and gives what it is
    /// then; `mute` takes two values and gives none back.
    pub procedures: &'static str,
    /// Where tables lie that are none of dbdyno's business, and what makes that for a database.
    pub elsewhere: (&'static str, &'static str),
    /// Everything in a database that is not the server's own, as values of a row that are one name.
    pub objects: &'static str,
}

impl Running {
    /// Makes a database that is a copy of another one, which nobody uses meanwhile.
    pub fn copy_database(&self, from: &str, to: &str) {
        let copy = self.facts.copy_database.unwrap_or_else(|| panic!("{} copies no database", self.facts.engine));
        self.at_home(&copy.replace("FROM", from), to);
    }

    /// Drops a database, whoever uses it.
    pub fn drop_database(&self, name: &str) {
        self.at_home(self.facts.drop_database, name);
    }

    /// Makes a user who may connect and nothing else, without a password.
    pub fn create_user(&self, name: &str) {
        self.at_home(self.facts.create_user, name);
    }

    /// Drops a user if there is one, who owns nothing any more.
    pub fn drop_user(&self, name: &str) {
        self.at_home(self.facts.drop_user, name);
    }

    /// Lets a user do all of dbdyno's work in a database that holds none of its data.
    pub fn let_work(&self, user: &str, database: &str) {
        self.about(database, &self.facts.let_work.replace("USER", user));
    }

    /// Where tables lie that are none of dbdyno's business, as the first part of their names. `drop_database` takes it
    /// away with the database.
    pub fn elsewhere(&self, database: &str) -> String {
        let (name, make) = self.facts.elsewhere;
        self.at_home(make, database);
        name.replace("NAME", database)
    }

    /// Everything in a database that is not the server's own, whoever made it.
    pub fn objects(&self, database: &str) -> BTreeSet<String> {
        let objects = self.about(database, self.facts.objects);
        objects.lines().map(|row| row.replace('|', " ")).collect()
    }

    fn about(&self, database: &str, sql: &str) -> String {
        let place = if self.facts.sees_all { self.facts.home } else { database };
        self.sql(place, &sql.replace("NAME", database))
    }

    fn at_home(&self, sql: &str, name: &str) {
        self.sql(self.facts.home, &sql.replace("NAME", name));
    }
}

//! What a server holds: nothing, something of somebody else's, or our data and how far its load has come. Looking
//! changes nothing. The statements are those of the dialect's `load` and `tables`, the words those of `words.toml`.

use super::{Connection, ProductTables};
use crate::bookkeeping::{Contents, Meta};
use crate::{Dialect, EngineError, form};
use dbdyno_model::ErrorClass;

/// The table of the book-keeping.
pub const META: &str = "meta";
/// The version of the tables; another one is not ours to read.
const FORMAT: &str = "1";
const KEEPING: &str = "keeping the load's progress";

/// Something in the place where dbdyno's things lie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object {
    /// What it is: `table`, `procedure`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The same in the server's words: `view mine`.
    pub description: String,
    /// Parts of a table that hold rows or other parts; arguments of a procedure.
    pub parts: u64,
    /// The statement that drops it; none where it goes with another one.
    pub drop: Option<String>,
}

impl Object {
    /// Whether it is a table of this name.
    pub fn is_table(&self, name: &str) -> bool {
        self.kind == "table" && self.name == name
    }
}

/// Everything that is there and no part of something else, in the order in which it can be dropped.
///
/// # Errors
/// The server's.
pub fn objects<P: ProductTables>(connection: &mut P::Connection) -> Result<Vec<Object>, EngineError> {
    let rows = connection.texts("reading the list of tables", &P::dialect().get("load/objects")?.text)?;
    let object = |row: Vec<Option<String>>| {
        let mut values = row.into_iter();
        let mut next = || values.next().flatten();
        Object {
            kind: next().unwrap_or_default().to_lowercase(),
            name: next().unwrap_or_default(),
            description: next().unwrap_or_default(),
            parts: next().and_then(|parts| parts.parse().ok()).unwrap_or(0),
            drop: next(),
        }
    };
    Ok(rows.into_iter().map(object).collect())
}

/// The first few of some objects, for a message.
pub(super) fn listed<'o>(objects: impl Iterator<Item = &'o Object>) -> String {
    let mut words: Vec<&str> = objects.map(|object| object.description.as_str()).collect();
    let more = words.len().saturating_sub(3);
    words.truncate(3);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", words.join(", "))
}

/// Looks what is there.
///
/// # Errors
/// It cannot be read.
pub fn look<P: ProductTables>(product: &P, connection: &mut P::Connection) -> Result<Contents, EngineError> {
    let (dialect, place) = (P::dialect(), product.place());
    let objects = objects::<P>(connection)?;
    if objects.is_empty() {
        return Ok(Contents::Nothing);
    }
    if !objects.iter().any(|object| object.is_table(META)) {
        let holds = listed(objects.iter());
        return Ok(Contents::Foreign(dialect.words("foreign", &[("place", &place), ("holds", &holds)])));
    }
    let meta = match connection.texts("reading the load's progress", &dialect.get("load/get_meta")?.text) {
        Ok(rows) => rows.into_iter().filter_map(entry).collect(),
        // A table of that name with other columns.
        Err(error) if error.class == ErrorClass::UnknownObject => {
            return Ok(Contents::Foreign(dialect.words("foreign_books", &[("place", &place)])));
        }
        Err(error) if error.class == ErrorClass::Permission => {
            let help = product.how_to_read(connection)?;
            return Ok(Contents::Foreign(dialect.words("not_readable", &[("place", &place), ("help", &help)])));
        }
        Err(error) => return Err(error),
    };
    Ok(judged(dialect, &place, meta, FORMAT, P::EMPTY_BOOKS_ARE_OURS && objects.len() == 1))
}

/// Whose the book-keeping is; that in this format is ours. What a load leaves that is killed as it begins may have no
/// entries.
pub fn judged(dialect: &Dialect, place: &str, meta: Meta, format: &str, may_be_empty: bool) -> Contents {
    if meta.format() == format {
        return Contents::Ours(meta);
    }
    match meta.format() {
        "" if may_be_empty && meta.entries().next().is_none() => Contents::Nothing,
        "" => Contents::Foreign(dialect.words("foreign_books", &[("place", place)])),
        other => {
            let words = [("place", place), ("format", other), ("read", format)];
            Contents::Foreign(dialect.words("other_format", &words))
        }
    }
}

/// An entry. Some servers keep an empty text as none.
fn entry(row: Vec<Option<String>>) -> Option<(String, String)> {
    match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(name), value]) => Some((name, value.unwrap_or_default())),
        _ => None,
    }
}

/// Runs some work as one transaction, as far as the server can: a statement that makes or drops something may be one by
/// itself.
///
/// # Errors
/// What the work answers, in which case the transaction is left open for whoever closes the connection; the server's.
pub fn transaction<P: ProductTables, T>(
    connection: &mut P::Connection,
    doing: &str,
    work: impl FnOnce(&mut P::Connection) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    // A server without such a statement begins by itself.
    if let Ok(begin) = P::dialect().get("load/begin") {
        connection.batch(doing, &begin.text)?;
    }
    let done = work(connection)?;
    connection.batch(doing, &P::dialect().get("load/commit")?.text)?;
    Ok(done)
}

/// Sets entries of the book-keeping, in one transaction.
///
/// # Errors
/// The server's.
pub fn set<'e, P: ProductTables>(
    connection: &mut P::Connection,
    entries: impl IntoIterator<Item = (&'e str, &'e str)>,
) -> Result<(), EngineError> {
    transaction::<P, ()>(connection, KEEPING, |connection| set_within::<P>(connection, entries))
}

/// The same within a transaction.
fn set_within<'e, P: ProductTables>(
    connection: &mut P::Connection,
    entries: impl IntoIterator<Item = (&'e str, &'e str)>,
) -> Result<(), EngineError> {
    let sql = &P::dialect().get("load/set_meta")?.text;
    entries.into_iter().try_for_each(|(name, value)| connection.execute_with(KEEPING, sql, &[name, value]))
}

/// The book-keeping, which is made where there is none, and the place with it.
///
/// # Errors
/// What is there is not ours; the server's.
pub fn books<P: ProductTables>(product: &P, connection: &mut P::Connection) -> Result<Meta, EngineError> {
    if let Some(meta) = look(product, connection)?.ours()? {
        return Ok(meta);
    }
    let doing = "creating the book-keeping";
    transaction::<P, Meta>(connection, doing, |connection| {
        let created = product.create_place(connection)?;
        let meta = Meta::without_tables(FORMAT, (P::CREATED, created));
        let create = P::dialect().get("tables/create_meta")?;
        // A table without entries would be nobody's, so they come with it where making it is a transaction by itself.
        if let Some(entry) = create.notes.get("entry") {
            let all: Vec<&str> = meta.entries().map(|_| entry.as_str()).collect();
            let texts: Vec<&str> = meta.entries().flat_map(<[&str; 2]>::from).collect();
            connection.execute_with(doing, &format!("{}\n{}", create.text, all.join("\nUNION ALL ")), &texts)?;
        } else {
            if !objects::<P>(connection)?.iter().any(|object| object.is_table(META)) {
                connection.batch(doing, &create.text)?;
            }
            set_within::<P>(connection, meta.entries())?;
        }
        Ok(meta)
    })
}

/// Refuses to drop a table that dbdyno did not make so; `place` is where, in words.
///
/// # Errors
/// There is one, or the server does not tell.
pub fn refuse_others<'t, P: ProductTables>(
    place: &str,
    connection: &mut P::Connection,
    tables: impl IntoIterator<Item = &'t str>,
    kept: &Meta,
) -> Result<(), EngineError> {
    let columns = connection.texts("looking at what is to be dropped", &P::dialect().get("inspect/columns")?.text)?;
    form::refuse_others(tables, &form::read(columns), kept, place)
}

/// Refuses to drop what lies elsewhere and needs something of ours.
///
/// # Errors
/// There is such a thing, or the server does not tell.
pub(super) fn refuse_needed<P: ProductTables>(place: &str, connection: &mut P::Connection) -> Result<(), EngineError> {
    let sql = &P::dialect().get("inspect/dependents")?.text;
    form::refuse_needed(connection.texts("looking for what needs the tables", sql)?, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_a_place_is_shows_in_its_book_keeping() {
        use include_dir::{Dir, DirEntry, File};
        static WORDS: &[DirEntry<'_>] = &[DirEntry::File(File::new(
            "words.toml",
            b"foreign_books = 'the table of {place} is not ours'\nother_format = '{place}: {format}, not {read}'\n",
        ))];
        static FILES: Dir<'_> = Dir::new("", WORDS);
        let dialect = Dialect::read("x", &FILES);
        let of = |pairs: &[(&str, &str)], may_be_empty| {
            let meta = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            judged(&dialect, "the schema x", meta, FORMAT, may_be_empty)
        };
        let foreign = |why: &str| Contents::Foreign(why.to_owned());
        assert_eq!(of(&[], true), Contents::Nothing);
        assert_eq!(of(&[], false), foreign("the table of the schema x is not ours"));
        assert_eq!(of(&[("a", "b")], true), foreign("the table of the schema x is not ours"));
        assert_eq!(of(&[("format", "9")], true), foreign("the schema x: 9, not 1"));
        assert!(matches!(of(&[("format", "1")], false), Contents::Ours(_)));
    }

    #[test]
    fn an_empty_value_comes_back_as_one() {
        let texts = |all: [Option<&str>; 2]| entry(all.iter().map(|text| text.map(str::to_owned)).collect());
        assert_eq!(texts([Some("a"), Some("b")]), Some(("a".to_owned(), "b".to_owned())));
        assert_eq!(texts([Some("a"), None]), Some(("a".to_owned(), String::new())));
        assert_eq!(texts([None, None]), None);
    }

    #[test]
    fn a_message_names_the_first_few() {
        let many: Vec<Object> =
            (0..5).map(|n| Object { description: format!("view V{n}"), ..Object::default() }).collect();
        assert_eq!(listed(many.iter()), "view V0, view V1, view V2 and 2 more");
    }
}

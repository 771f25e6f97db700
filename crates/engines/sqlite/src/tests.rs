//! The statements and mappings themselves.

use super::*;
use crate::DIALECT;
use dbdyno_engine::{Engine as _, Target};
use dbdyno_model::{CommitMode, TestCode};
use dbdyno_testkit::conformance::catalogue::size_t as size;

/// The text between the marks of a mix, without its casts, upper case folded.
fn mix(name: &str) -> String {
    let text = &DIALECT.get(&format!("procedures/{name}")).unwrap().text;
    let (_, rest) = text.split_once("/*mix*/").unwrap();
    let (mix, _) = rest.split_once("/*end*/").unwrap();
    mix.replace(" AS INTEGER)", "").replace("CAST(", "")
}

fn calls(text: &str, function: &str) -> usize {
    text.match_indices(&format!("{function}(")).filter(|(at, _)| !text[..*at].ends_with(char::is_alphabetic)).count()
}

#[test]
fn the_arithmetic_mixes_have_their_38_operations() {
    for name in ["cpu_integer_mix", "cpu_double_mix"] {
        let mix = mix(name);
        let operator = |o: &str| mix.matches(&format!(" {o} ")).count();
        let counts = [operator("+"), operator("-"), operator("*"), operator("/")];
        // Additions and the multiplication that join lines stand behind a line break and a space.
        assert_eq!(counts, [8, 7, 4, 3], "{name}: add, subtract, multiply, divide in {mix}");
        let functions = ["abs", "sqrt", "power", "ln"].map(|f| calls(&mix, f));
        assert_eq!(functions, [6, 3, 3, 3], "{name}");
        let random = 1;
        assert_eq!(counts.iter().sum::<usize>() + functions.iter().sum::<usize>() + random, 38);
        assert!(DIALECT.get(&format!("procedures/{name}")).unwrap().text.contains("state * 48271 % 2147483647"));
    }
}

#[test]
fn the_string_mix_has_its_29_operations() {
    let mix = mix("cpu_string_mix");
    let functions = ["instr", "length", "substr", "char", "upper"].map(|f| calls(&mix, f));
    assert_eq!(functions, [6, 3, 3, 1, 5]);
    let (concat, modulo, random) = (mix.matches("||").count(), mix.matches('%').count(), 1);
    assert_eq!((concat, modulo), (9, 1));
    assert_eq!(functions.iter().sum::<usize>() + concat + modulo + random, 29);
    // A constant's letter would be found once, when the statement is planned.
    let (_, letter) = mix.split_once("char(").unwrap();
    let depends = letter.split_once("15").is_some_and(|(before, _)| before.contains("i"));
    assert!(depends, "the same in each pass: {letter}");
}

#[test]
fn every_code_of_the_catalogue_is_mapped() {
    let mut codes: Vec<String> = Vec::new();
    for (class, numbers) in [
        (1, "11 21 22 31 32 33 34 41 51 52 53 54"),
        (2, "11"),
        (3, "11 12 13 21 22 31 32"),
        (4, "21 22 23 24 25 26 27 28"),
        (5, "11 12 13 14 15"),
        (6, "11 12 13 14 15 16 21 22 23 24 25 26"),
        (7, "11 12 13 14 15 16 21"),
        (8, "11 16"),
    ] {
        codes.extend(numbers.split(' ').map(|n| format!("T{class}{n}")));
    }
    codes.extend(["DBL-11", "DBL-21", "DBL-31", "DBL-32", "DBL-33", "DBL-34"].map(str::to_owned));
    codes.extend(["DBS-12", "DBS-13", "DBS-14", "DBA-11", "DBA-12"].map(str::to_owned));
    codes.extend(["DBX-12", "DBX-13", "DBX-14", "DBX-22", "DBX-23", "DBX-24"].map(str::to_owned));
    let mappings = DIALECT.mappings().unwrap();
    for code in &codes {
        let mapping = mappings.get(&TestCode::new(code).unwrap());
        assert!(!mapping.note().is_some_and(|note| note.contains("not mapped")), "{code}");
    }
    assert_eq!(mappings.codes().count(), codes.len(), "a mapped code that the catalogue does not have");
}

#[test]
fn every_statement_says_what_it_is() {
    for file in ["tables", "procedures", "statistics"].map(|name| DIALECT.file(name).unwrap()) {
        for name in file.names() {
            let statement = file.get(name).unwrap();
            let said = statement.notes.contains_key("proves") || statement.notes.contains_key("what");
            assert!(said && statement.text.ends_with(';'), "{name}");
            assert!(!statement.text.starts_with("--"), "{name}: a note that is none: {}", statement.text);
        }
    }
}

#[test]
fn the_schema_can_be_run_by_hand() {
    let script = script::of_schema(&size()).unwrap();
    let without_rows = script.split(';').filter(|s| !s.contains("INSERT")).collect::<Vec<_>>().join(";");
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch(&without_rows).unwrap();
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema WHERE type = 'table'", [], |r| r.get(0)).unwrap();
    assert_eq!(tables, 4);
}

#[test]
fn unsafe_settings_are_named() {
    for (text, lost) in [
        ("sqlite:x", None),
        ("sqlite:x?synchronous=normal", Some("lost in a power failure")),
        ("sqlite:x?synchronous=normal&journal=delete", Some("damage")),
        ("sqlite:x?synchronous=off", Some("damage")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        // A file that is there, in the other journal mode than the one asked for.
        let before = if text.contains("delete") { "wal" } else { "delete" };
        let sql = format!("PRAGMA journal_mode = {before}; CREATE TABLE t (x)");
        rusqlite::Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
        let text = text.replace("sqlite:x", &format!("sqlite:{}", path.display()));
        let target = Target::parse(&text).unwrap();
        let options = Options::parse(&target).unwrap();
        let settings = [("synchronous", options.synchronous.name()), ("journal_mode", options.journal.name())];
        let durability =
            SqliteEngine::new(options, &size()).durability(CommitMode::Durable, dbdyno_model::Drive::Server).unwrap();
        assert_eq!(durability.settings, settings.map(|(n, v)| (n.to_owned(), v.to_owned())).into());
        assert_eq!(durability.unsafe_settings.len(), usize::from(lost.is_some()), "{text}");
        assert!(durability.unsafe_settings.iter().all(|s| s.contains(lost.unwrap_or_default())), "{text}");
    }
}

#[test]
fn space_is_reckoned_with_what_tests_need_besides() {
    let size = size();
    let rows = size.large_rows + 2 * size.small_rows;
    let needed = describe::space_needed_bytes(&size);
    assert!(needed > rows * 337 && needed < rows * 1_000, "{needed}");
}

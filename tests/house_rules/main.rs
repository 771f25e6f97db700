//! The promises of the design, kept by tests: which room may use which, that files do not import each other in a
//! circle, where engines may be named, that every test is mapped for every engine, that every workload is small and has
//! SQL for every engine, that every report has a golden file and every flag its row, how wide prose is and how long the
//! page on the architecture, and which licences come in with dependencies.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod circles;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Drive, Flag, Mapping};
use dbdyno_workload::{Dialect, User};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Floors of the rooms. A room may use the floors below its own, never one beside or above.
const FLOORS: &[(&str, u32)] = &[
    ("dbdyno-stats", 0),
    ("dbdyno-files", 0),
    ("dbdyno-model", 1),
    ("dbdyno-catalogue", 2),
    ("dbdyno-engine", 2),
    ("dbdyno-storage", 2),
    ("dbdyno-probe", 2),
    ("dbdyno-results", 2),
    ("dbdyno-testkit", 3),
    ("dbdyno-null", 3),
    ("dbdyno-sqlite", 3),
    ("dbdyno-postgres", 3),
    ("dbdyno-mariadb", 3),
    ("dbdyno-oracle", 3),
    ("dbdyno-workload", 3),
    ("dbdyno-run", 4),
    ("dbdyno-report", 4),
    ("dbdyno-live", 5),
    ("dbdyno-fleet", 5),
    ("dbdyno", 6),
];

fn metadata() -> serde_json::Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    // Only packages of this platform; those of others may be missing in the cache.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let output = std::process::Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", &platform])
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension().and_then(|e| e.to_str()) {
            _ if path.is_dir() => files.extend(sources(&path)),
            Some("rs") => files.push(path),
            _ => {}
        }
    }
    files
}

/// Prose fits in the columns of a terminal. Rows of tables cannot be wrapped, and quoted text stays as it is.
#[test]
fn lines_of_prose_have_120_columns_at_most() {
    let root = Path::new(ROOT);
    let rooms = ["src", "crates", "tests"].into_iter().flat_map(|room| sources(&root.join(room)));
    let pages =
        ["", "docs", "docs/decisions"].into_iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let pages = pages.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "md"));
    let files: Vec<(PathBuf, &[&str])> =
        rooms.map(|file| (file, &["//!", "///", "//"][..])).chain(pages.map(|page| (page, &[""][..]))).collect();
    assert!(files.len() > 300, "{}", files.len());
    let mut wide = Vec::new();
    for (file, marks) in files {
        let (text, mut quoted) = (std::fs::read_to_string(&file).unwrap(), false);
        for (number, line) in (1..).zip(text.lines()) {
            let prose = marks.iter().find_map(|mark| line.trim_start().strip_prefix(mark));
            let Some(prose) = prose.map(str::trim_start) else { continue };
            quoted ^= prose.starts_with("```");
            if line.chars().count() > 120 && !quoted && !prose.starts_with('|') {
                wide.push(format!("{}:{number}", file.display()));
            }
        }
    }
    assert!(wide.is_empty(), "{wide:#?}");
}

/// The table of flags has each of them, by the letter that reports show.
#[test]
fn every_flag_is_explained() {
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/flags.md")).unwrap();
    for (letter, flag) in ('a'..).zip(Flag::ALL) {
        let name = flag.name();
        assert!(page.contains(&format!("\n| {letter} | `{name}` | ")), "docs/flags.md has no row {letter} of {name}");
    }
}

/// A page that explains the design must be readable at one sitting.
#[test]
fn the_page_on_the_architecture_has_2500_words_at_most() {
    let page = std::fs::read_to_string(Path::new(ROOT).join("ARCHITECTURE.md")).unwrap();
    let words = page.split_whitespace().count();
    assert!(words <= 2_500, "{words} words; decisions belong into docs/decisions");
}

#[test]
fn files_do_not_import_each_other_in_a_circle() {
    let root = Path::new(ROOT);
    let folders = ["crates", "crates/engines"].map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let rooms = folders.into_iter().flatten().map(|room| room.unwrap().path().join("src/lib.rs"));
    let mut roots: Vec<PathBuf> = rooms.filter(|file| file.exists()).collect();
    roots.push(root.join("src/main.rs"));
    assert!(roots.len() >= 18, "{roots:?}");
    let found: Vec<_> = roots.iter().flat_map(|root| circles::circles(root)).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn rooms_use_only_the_floors_below() {
    let floors: BTreeMap<&str, u32> = FLOORS.iter().copied().collect();
    let metadata = metadata();
    let mut rooms = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        if !name.starts_with("dbdyno") || !package["source"].is_null() {
            continue;
        }
        rooms += 1;
        let floor = floors.get(name).unwrap_or_else(|| panic!("{name} has no floor in the design"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            // Dependencies of tests alone do not count.
            if dependency["kind"] == "dev" || !used.starts_with("dbdyno-") {
                continue;
            }
            assert!(floors[used] < *floor, "{name} (floor {floor}) must not use {used} (floor {})", floors[used]);
        }
    }
    assert!(rooms >= 17, "only {rooms} rooms found");
}

/// A run reports the system's allocator, or one that was loaded in its place, so no allocator may be built in.
#[test]
fn no_allocator_is_built_in() {
    let root = Path::new(ROOT);
    let attribute = ["global", "allocator"].join("_");
    for file in sources(&root.join("src")).into_iter().chain(sources(&root.join("crates"))) {
        assert!(!std::fs::read_to_string(&file).unwrap().contains(&attribute), "{}", file.display());
    }
}

#[test]
fn engines_are_named_only_in_their_rooms_the_registry_features_and_help() {
    // Each engine's room, and its names.
    let families: [(&str, &[&str]); 4] = [
        ("sqlite", &["sqlite"]),
        ("postgres", &["postgres"]),
        ("mariadb", &["mariadb", "mysql"]),
        ("oracle", &["oracle"]),
    ];
    let root = Path::new(ROOT);
    let rooms = std::fs::read_dir(root.join("crates")).unwrap().map(|room| room.unwrap().path());
    // The testkit is not part of the product, and the results file is an SQLite file.
    let apart = ["testkit", "results"];
    let rooms = rooms.filter(|room| !apart.iter().any(|name| room.ends_with(name)) && room.join("src").is_dir());
    let mut files: Vec<PathBuf> = rooms.flat_map(|room| sources(&room.join("src"))).collect();
    files.extend(sources(&root.join("src")));
    files.extend(sources(&root.join("crates/engines")));
    let mut found = Vec::new();
    for file in files {
        let path = file.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let tests = path.ends_with("tests.rs") || path.contains("/tests/");
        // A device's data may be recognised by its database.
        let signatures = path == "crates/storage/src/signatures.rs";
        if tests || signatures || path == "src/lib.rs" || path == "src/cli.rs" || path.starts_with("src/cli/") {
            continue;
        }
        let others = families.iter().filter(|(room, _)| !path.starts_with(&format!("crates/engines/{room}/src/")));
        let names: Vec<&str> = others.flat_map(|(_, names)| names.iter().copied()).collect();
        let text = std::fs::read_to_string(&file).unwrap();
        // Unit tests may contain examples, and comments may explain.
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for (n, line) in code.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default().to_lowercase();
            // The results file's format and a key of published data do not count.
            let line = line.replace("rusqlite", "").replace("oracle_core_factor", "");
            if let Some(name) = names.iter().find(|name| line.contains(**name)) {
                found.push(format!("{path}:{}: {name}", n + 1));
            }
        }
    }
    assert!(found.is_empty(), "engines named where they must not be:\n{}", found.join("\n"));
}

#[test]
fn every_test_is_mapped_for_every_engine() {
    let catalogue = Catalogue::embedded().unwrap();
    for engine in dbdyno::ENGINES.all() {
        for test in catalogue.tests() {
            let mapping = (engine.mapping)(test);
            let forgotten = mapping.note().is_some_and(|note| note.contains("not mapped for this engine yet"));
            assert!(!forgotten, "{} has no mapping for {}", engine.name, test.code);
            if let Mapping::Equivalent { how: text, .. } | Mapping::None { why: text } = &mapping {
                assert!(text.len() >= 15, "{} {}: '{text}' tells a reader too little", engine.name, test.code);
            }
            if !matches!(mapping, Mapping::None { .. }) {
                let size = catalogue.size("D").unwrap();
                let script =
                    (engine.script)(test, size).unwrap_or_else(|e| panic!("{} {}: {e}", engine.name, test.code));
                assert!(!script.trim().is_empty(), "{} {} has no script", engine.name, test.code);
            }
        }
    }
}

/// A workload is a little Rust and an SQL file for each engine. The file has the statements of each form, or says why
/// the form is missing.
#[test]
fn every_workload_is_small_and_has_sql_for_every_engine() {
    let root = Path::new(ROOT);
    for workload in dbdyno_workload::WORKLOADS {
        let name = workload.name();
        let (types, commits) = (workload.types().len(), workload.about().commits.len());
        let module = root.join("crates/workload/src").join(name.replace('-', "_"));
        let parts = sources(&module);
        let files = parts.into_iter().filter(|file| !file.ends_with("tests.rs")).chain([module.with_extension("rs")]);
        let lines: usize = files.map(|file| std::fs::read_to_string(file).unwrap().lines().count()).sum();
        let enough = 60 + 100 * types;
        assert!(lines <= enough, "{name} is {lines} lines of Rust, and {enough} are enough for {types} transactions");
        assert_eq!(types, commits, "{name} must say of each type how often it commits");
        for engine in dbdyno::ENGINES.all() {
            if !root.join(format!("crates/engines/{}/dialect/sql", engine.name)).is_dir() {
                continue;
            }
            let dialect = Dialect::of(workload, engine).unwrap_or_else(|why| panic!("{why}"));
            let mut forms = 0;
            for form in [Drive::Client, Drive::Server] {
                match dialect.lacks(form) {
                    Some(why) => assert!(why.len() >= 15, "{name} {}: '{why}' tells a reader too little", engine.name),
                    None => {
                        let (data, parameters) = (workload.data_by_default(), Default::default());
                        let user = User { number: 0, of: 1, seed: 42, data, parameters, form };
                        let statements =
                            dialect.statements(&user).unwrap_or_else(|e| panic!("{name} {}: {e}", engine.name));
                        forms += usize::from(!statements.is_empty());
                        let calls = dialect.by_kind(form, &vec![1; statements.len()]).call;
                        assert!(form == Drive::Server || calls == 0, "{name} {}: of what kind is it?", engine.name);
                    }
                }
            }
            assert!(forms > 0, "{name} {}: no form", engine.name);
            assert!(dialect.text("indexes").is_ok(), "{name} {}: its indexes are not counted", engine.name);
            assert!(dialect.script().contains("\n-- made: "), "{name} {}: how many are made?", engine.name);
        }
    }
}

#[test]
fn every_report_has_a_golden_file() {
    let golden = Path::new(ROOT).join("crates/report/tests/golden");
    for report in dbdyno_report::REPORTS {
        let file = golden.join(format!("{}.txt", report.name));
        assert!(file.is_file(), "the report '{}' has no golden file", report.name);
    }
}

#[test]
fn dependencies_have_licences_that_fit() {
    let fits = [
        "MIT",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSL-1.0",
        "ISC",
        "Unicode-3.0",
        "Unlicense",
        "Zlib",
        "CC0-1.0",
        "MIT-0",
        // For data; the only condition is to include its text: the list of public authorities.
        "CDLA-Permissive-2.0",
    ];
    // Licences that are only in a file of the package, as read there.
    let read = [("webpki", "0.22.4", "ISC AND BSD-3-Clause")];
    for package in metadata()["packages"].as_array().unwrap() {
        let (name, version) = (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        let read = read.iter().find(|known| (known.0, known.1) == (name, version)).map(|known| known.2);
        let licence = package["license"].as_str().or(read).unwrap_or_default().replace('/', " OR ");
        let one_fits = licence.split(" OR ").any(|choice| {
            choice.trim_matches(['(', ')', ' ']).split(" AND ").all(|l| fits.contains(&l.trim_matches(['(', ')', ' '])))
        });
        assert!(one_fits, "{name} {version} is licensed under '{licence}'");
    }
}

/// Exceptions are temporary, and for packages in use: tests/packages fails when the date has passed.
#[test]
fn exceptions_for_packages_have_a_reason_a_day_and_a_use() {
    let read = |file: &str| std::fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
    let (rules, lock) = (read("deny.toml"), read("Cargo.lock"));
    let quoted = |line: &str, key: &str| {
        let (_, value) = line.split_once(&format!("{key} = \""))?;
        value.split_once('"').map(|(value, _)| value.to_owned())
    };
    for exception in rules.lines().map(str::trim).filter(|line| line.starts_with('{')) {
        let reason = quoted(exception, "reason").unwrap_or_else(|| panic!("no reason: {exception}"));
        let (why, day) = reason.rsplit_once("; until ").unwrap_or_else(|| panic!("no day: {exception}"));
        assert!(why.len() >= 15 && day.parse::<jiff::civil::Date>().is_ok(), "{exception}");
        let used = quoted(exception, "crate").is_none_or(|name| lock.contains(&format!("name = \"{name}\"")));
        assert!(used, "nothing brings it in any more: {exception}");
    }
}

/// The common tests of server engines run on each of them, from the same source.
#[test]
fn every_engine_of_a_server_runs_the_common_tests() {
    let root = Path::new(ROOT);
    let read = |path: String| std::fs::read_to_string(root.join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let stories = read("tests/stories/on_servers/mod.rs".to_owned());
    for engine in dbdyno::ENGINES.all().iter().filter(|engine| engine.private.is_some()) {
        let name = engine.name;
        let tests = read(format!("crates/engines/{name}/tests/{name}.rs"));
        for suite in ["points", "clients", "loads"] {
            let suite = format!("dbdyno_testkit::{suite}!(");
            assert!(tests.contains(&suite), "crates/engines/{name}/tests/{name}.rs does not run `{suite}…)`");
        }
        let server = format!("crate::scratch::{name}::Server");
        assert!(stories.contains(&server), "the stories of all servers are not run on {server}");
    }
}

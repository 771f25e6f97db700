//! What SQLite says of itself: for the run's record, for `check`, and for the reader of a figure.

use super::connection::{Access, SqliteConnection, folder_of, no_place};
use super::options::{Journal, Options, Synchronous};
use super::{DIALECT, Shared, TABLE_NAMES, meta};
use dbdyno_engine::FindingLevel::{Blocker, Ok as Fine, Warning};
use dbdyno_engine::{Durability, EngineError, Finding, Loaded, finding};
use dbdyno_model::{CommitMode, Database, Drive, Size};
use std::collections::BTreeMap;
use std::path::Path;

/// Settings that decide figures and that sessions leave as the library has them.
const PRAGMAS: [&str; 4] = ["page_size", "wal_autocheckpoint", "auto_vacuum", "encoding"];

/// Version, settings, facts. Changes nothing.
///
/// # Errors
/// The file cannot be read.
pub(super) fn database(shared: &Shared) -> Result<Database, EngineError> {
    let options = &shared.options;
    let library = library()?;
    let sql = &DIALECT.get("statistics/version")?.text;
    let (version, source) = library.row("asking for the version", sql, |row| <(String, String)>::try_from(row))?;
    let by_name = |(name, value): (&str, String)| (name.to_owned(), value);
    // What sessions set. They checkpoint by themselves as often as the library would.
    let set = [
        ("journal_mode", options.journal.name().to_owned()),
        ("synchronous", options.synchronous.name().to_owned()),
        ("cache_size", format!("-{}", shared.cache_bytes >> 10)),
        ("cache_size.not_cached", format!("-{}", (shared.cache_bytes / 16) >> 10)),
        ("temp_store", "file".to_owned()),
        ("mmap_size", "0".to_owned()),
    ];
    let mut parameters: BTreeMap<String, String> = set.into_iter().map(by_name).collect();
    for pragma in PRAGMAS {
        parameters.insert(pragma.to_owned(), library.pragma(pragma)?);
    }
    let sql = &DIALECT.get("statistics/compile_options")?.text;
    let compiled: Vec<String> = library.rows("asking for compile options", sql, |row| row.get(0))?;
    for option in ["MAX_WORKER_THREADS", "THREADSAFE", "DEFAULT_PCACHE_INITSZ", "DEFAULT_MEMSTATUS"] {
        if let Some(value) = compiled.iter().find_map(|o| o.strip_prefix(option)?.strip_prefix('=')) {
            parameters.insert(format!("compiled.{}", option.to_lowercase()), value.to_owned());
        }
    }
    let math = compiled.iter().any(|o| o == "ENABLE_MATH_FUNCTIONS");
    let facts = [
        ("file", options.path.display().to_string()),
        ("source", source),
        ("compiler", compiled.iter().find_map(|o| o.strip_prefix("COMPILER=")).unwrap_or("unknown").to_owned()),
        ("math_functions", if math { "yes" } else { "no" }.to_owned()),
        ("checkpoints", "passive, after every 1,000 pages of log, by the job that commits".to_owned()),
        ("reads", "the selects of one call share one read transaction, as in a stored procedure".to_owned()),
        ("temporary_files", temporary_folder()),
        ("licence", "public domain; no licence to count".to_owned()),
    ];
    let facts = facts.into_iter().map(by_name).collect();
    Ok(Database { engine: DIALECT.engine.to_owned(), version, parameters, facts, notice: None })
}

/// How durable commits are on a connection that works as sessions do: what SQLite says, not what it was asked for.
///
/// # Errors
/// SQLite's, or it says what no session asks for.
pub(super) fn durability(connection: &SqliteConnection) -> Result<Durability, EngineError> {
    let (synchronous, journal) = (connection.pragma("synchronous")?, connection.pragma("journal_mode")?);
    match (Synchronous::of_pragma(&synchronous), journal.parse()) {
        (Some(synchronous), Ok(journal)) => Ok(durability_with(synchronous, journal)),
        _ => Err(EngineError::other(format!(
            "SQLite works with synchronous={synchronous}, journal_mode={journal}, which nobody set"
        ))),
    }
}

/// How durable commits are with these settings.
fn durability_with(synchronous: Synchronous, journal: Journal) -> Durability {
    let settings = [("synchronous", synchronous.name()), ("journal_mode", journal.name())];
    let settings = settings.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    DIALECT.settings.durability(settings, CommitMode::EngineDefault, Drive::Client)
}

/// What stands in the way, and what does not.
pub(super) fn findings(options: &Options, size: &Size) -> Vec<Finding> {
    let mut findings = vec![place(&options.path)];
    if findings[0].level != Blocker {
        findings.push(contents(options, size));
    }
    let journal = options.journal.name();
    let (level, text) = match durability_with(options.synchronous, options.journal).unsafe_settings.pop() {
        Some(how) => (Warning, how),
        None => (Fine, format!("synchronous=full, journal={journal}: each commit waits for the device")),
    };
    findings.push(finding(level, "durability", text));
    if options.journal == Journal::Delete {
        let text = "with a rollback journal readers and the writer lock each other out; journal=wal does not";
        findings.push(finding(Warning, "journal", text.to_owned()));
    }
    findings.push(build());
    findings
}

/// Bytes for data, indexes, and what tests need besides. Measured at size D: a heap row takes 316 bytes of its pages,
/// its two index entries 21; an index build sorts 24 bytes a row in a temporary file and writes 17 to the log and to
/// the file. Insert and bulk-load tests write copies of the small table to the log and from there to the file; T211
/// writes its files. Two jobs are reckoned with, and the largest of these.
pub(super) fn space_needed_bytes(size: &Size) -> u64 {
    const ROW_BYTES: u64 = 316 + 21;
    const INDEX_BUILD_BYTES: u64 = 24 + 2 * 17;
    const JOBS: u64 = 2;
    let data = (2 * size.small_rows + size.large_rows) * ROW_BYTES;
    let index_build = size.large_rows * INDEX_BUILD_BYTES;
    let copies = JOBS * size.bulk_partitions_per_job.max(1) * size.small_rows * ROW_BYTES * 2;
    let files = JOBS * size.file_bytes;
    data + index_build.max(copies).max(files) + (16 << 20)
}

/// Whether the file can be written, or made.
fn place(path: &Path) -> Finding {
    let (file, folder) = (path.display(), folder_of(path));
    let why = if let Some(why) = no_place(path) {
        why
    } else if !writable(folder) {
        format!("the folder {} is not writable; SQLite keeps its log beside the file", folder.display())
    } else if path.exists() && !writable(path) {
        format!("{file} is read-only; make it writable")
    } else {
        return finding(Fine, "file", format!("{file} can be written"));
    };
    finding(Blocker, "file", why)
}

fn writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

fn contents(options: &Options, size: &Size) -> Finding {
    let (level, text) = match meta::look(&options.path).map(|contents| contents.loaded(&TABLE_NAMES)) {
        Err(error) => (Blocker, error.to_string()),
        Ok(Loaded::Foreign(why)) => (Blocker, why),
        Ok(Loaded::Nothing) => (Fine, format!("nothing yet; data of size {} will be loaded", size.id)),
        Ok(Loaded::Partly { .. }) => (Warning, "an unfinished load, which the next one completes".to_owned()),
        Ok(Loaded::Complete { size, seed, verified: true, .. }) => {
            (Fine, format!("data of size {size}, seed {seed}, verified"))
        }
        Ok(Loaded::Complete { size, seed, .. }) => {
            (Warning, format!("data of size {size}, seed {seed}, whose checksums were not verified; load again"))
        }
    };
    finding(level, "contents", text)
}

fn build() -> Finding {
    let sql = "SELECT sqrt(power(abs(-3), 2) + ln(1))";
    let (level, text) = match library().and_then(|library| library.row("computing", sql, |row| row.get::<_, f64>(0))) {
        Ok(3.0) => (Fine, format!("SQLite {} with math functions, inside this binary", rusqlite::version())),
        Ok(root) => (Blocker, format!("SQLite says that the root of 9 is {root}")),
        Err(error) => {
            (Blocker, format!("this build of SQLite lacks math functions ({error}); build as .cargo/config.toml says"))
        }
    };
    finding(level, "build", text)
}

/// A connection to the library alone.
fn library() -> Result<SqliteConnection, EngineError> {
    SqliteConnection::open(Path::new(":memory:"), Access::Create)
}

/// Where SQLite puts what it sorts: the first of its list that is a folder it may write to.
fn temporary_folder() -> String {
    let named = ["SQLITE_TMPDIR", "TMPDIR"].iter().filter_map(|name| std::env::var(name).ok());
    let fixed = ["/var/tmp", "/usr/tmp", "/tmp", "."].iter().map(|folder| (*folder).to_owned());
    let usable = |folder: &String| Path::new(folder).is_dir() && writable(Path::new(folder));
    named.chain(fixed).find(usable).unwrap_or_else(|| "none".to_owned())
}

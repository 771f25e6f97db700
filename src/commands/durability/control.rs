//! Settings that make commits unsafe on purpose: a test that sees no loss with them sees none without them.

use super::loses::Loses;
use crate::cli::CutBy;
use crate::error::Error;
use dbdyno_workload::Dialect;

/// A setting that makes commits unsafe on purpose.
#[derive(Debug, Clone)]
pub(super) struct Control {
    pub(super) name: String,
    pub(super) means: String,
    /// Whether the way of cutting can show its losses.
    pub(super) can_be_seen: bool,
    /// Whether its losses are those of the log that standbys read.
    pub(super) of_replication_log: bool,
    /// Further options of the target that make it.
    pub(super) target_options: Option<String>,
    /// Further options of the file system that make it.
    pub(super) mount_options: Option<&'static str>,
}

impl Control {
    /// The control of a name, or the first one whose losses can be seen.
    pub(super) fn find(dialect: &Dialect, name: &str, by: CutBy, has_replication_log: bool) -> Result<Self, Error> {
        let statements = dialect.named("control");
        let of_engine = statements.iter().filter_map(|statement| Self::of(dialect, statement, by));
        let of_device = (by == CutBy::Device).then(Self::without_barriers);
        let all: Vec<Self> = of_device.into_iter().chain(of_engine).collect();
        let seen = |of_log| all.iter().find(|control| control.can_be_seen && control.of_replication_log == of_log);
        let found = match name {
            // Whether the device forgets is asked first.
            "" if has_replication_log && by != CutBy::Device => seen(true).or_else(|| seen(false)),
            "" => seen(false),
            name => all.iter().find(|control| control.name == name),
        };
        let found = found.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|control| control.name.as_str()).collect();
            Error::Usage(format!("--control={name}: there is no such control; there are {}", names.join(", ")))
        })?;
        if found.of_replication_log && !has_replication_log {
            return Err(Error::Usage(format!(
                "--control={}: only the log that standbys read shows it; add --replication-log",
                found.name
            )));
        }
        Ok(found.clone())
    }

    /// Whoever asks the file system to flush is told that it is done, and the device was not told to.
    fn without_barriers() -> Self {
        Self {
            name: "nobarrier".to_owned(),
            means: "a file system that is mounted with nobarrier".to_owned(),
            can_be_seen: true,
            of_replication_log: false,
            target_options: None,
            mount_options: Some("nobarrier"),
        }
    }

    /// The first statement of a control has its notes.
    fn of(dialect: &Dialect, statement: &str, by: CutBy) -> Option<Self> {
        let note = |key| dialect.note(statement, key);
        let way = Loses::by(by).name;
        Some(Self {
            name: statement.split(' ').nth(1)?.to_owned(),
            means: note("means")?.to_owned(),
            can_be_seen: note("seen_by")?.split(' ').any(|seen_by| seen_by == way),
            of_replication_log: note("needs") == Some("replication log"),
            target_options: note("target").map(str::to_owned),
            mount_options: None,
        })
    }
}

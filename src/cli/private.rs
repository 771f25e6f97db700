//! `up` and `down` as typed: private servers.

use super::common::Shown;
use super::values::bytes;
use clap::Args;

/// `dbdyno up`.
#[derive(Debug, Args)]
#[command(after_help = "\
The server lives in $DBDYNO_HOME (root: /var/lib/dbdyno, others: ~/.local/state/dbdyno), one per engine, and is reached \
by no network. It goes on when dbdyno ends; one that was stopped or has crashed is started again with its data. Its \
programs are found in PATH and where distributions put them; DBDYNO_POSTGRES_BIN or DBDYNO_MARIADB_BIN names another folder.

Examples:
  dbdyno up postgres --size D
  dbdyno up mariadb --size D
  dbdyno up postgres --size N --memory-limit 8GiB --keep")]
pub(crate) struct UpArgs {
    /// The engine: postgres or mariadb
    pub(crate) engine: String,
    /// Size class whose settings and cache the server gets
    #[arg(long, value_name = "SIZE", default_value = "D")]
    pub(crate) size: String,
    /// The most memory that the server may use, page cache included, so that large tables are read from the device:
    /// 512MiB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
    /// Mark the data to be kept: a plain `dbdyno down` then stops the server only (--keep=false takes the mark away)
    #[arg(
        long, value_name = "YES", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true
    )]
    pub(crate) keep: Option<bool>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `dbdyno down`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno down postgres                stop it; remove its data, unless `up` had --keep
  dbdyno down postgres --keep         stop it; the next `dbdyno up` goes on with its data
  dbdyno down postgres --keep=false   stop it; remove its data in any case")]
pub(crate) struct DownArgs {
    /// The engine: postgres or mariadb
    pub(crate) engine: String,
    /// Keep the data for the next `dbdyno up`; --keep=false removes it, however it was started
    #[arg(
        long, value_name = "YES", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true
    )]
    pub(crate) keep: Option<bool>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

//! `up` and `down` as typed: private servers.

use super::common::Shown;
use super::values::bytes;
use clap::Args;
use dbdyno_engine::servers::StandbyKind;

/// `dbdyno up`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno up                 what can be started here, and what runs
  dbdyno up postgres --size D
  dbdyno up postgres --name other --size D
  dbdyno up postgres --standby sync
  dbdyno up postgres --size N --memory-limit 8GiB --cpus 4 --keep")]
pub(crate) struct UpArgs {
    /// The engine, postgres or mariadb; without one: what there is
    pub(crate) engine: Option<String>,
    /// Its name, for one beside others: letters, digits, - and _
    ///
    /// Its target is private:ENGINE/NAME then. It is stopped by its name alone, and touches no other.
    #[arg(long, value_name = "NAME", requires = "engine")]
    pub(crate) name: Option<String>,
    /// Size class whose settings and cache the server gets
    #[arg(long, value_name = "SIZE", default_value = "D", requires = "engine")]
    pub(crate) size: String,
    /// The most memory that the server may use: 512MiB
    ///
    /// The page cache is included, so that large tables are read from the device.
    #[arg(long, value_name = "SIZE", value_parser = bytes, requires = "engine")]
    pub(crate) memory_limit: Option<u64>,
    /// Hold the server to this many processors
    ///
    /// They are those with the lowest numbers that dbdyno itself may use, of as many cores and as few sockets as
    /// possible. A cpuset control group holds it, or its affinity where no such group can be made.
    #[arg(long, value_name = "N", requires = "engine")]
    pub(crate) cpus: Option<u32>,
    /// Start a second server that replicates from it: sync, semisync, async
    ///
    /// PostgreSQL: a commit waits until the standby has flushed it (sync), or not (async). MariaDB: until the standby
    /// has received it (semisync), or not (async). The standby is a copy that each start makes anew; `up` returns when
    /// both servers show that it replicates like this. Its target is private:ENGINE?standby=KIND.
    #[arg(long, value_name = "KIND", requires = "engine", value_parser = StandbyKind::named)]
    pub(crate) standby: Option<StandbyKind>,
    /// Mark the data to be kept: a plain `down` then only stops
    ///
    /// --keep=false takes the mark away.
    #[arg(
        long, value_name = "YES", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true, requires = "engine"
    )]
    pub(crate) keep: Option<bool>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// `dbdyno down`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno down                         what runs, and what data is kept
  dbdyno down postgres                stop it; remove its data, but for --keep
  dbdyno down postgres --keep         stop it; the next `up` has its data
  dbdyno down postgres --keep=false   stop it; remove its data in any case
  dbdyno down postgres --name other   stop the one of this name")]
pub(crate) struct DownArgs {
    /// The engine, postgres or mariadb; without one: what there is
    pub(crate) engine: Option<String>,
    /// The name that it was started with
    #[arg(long, value_name = "NAME", requires = "engine")]
    pub(crate) name: Option<String>,
    /// Keep the data for the next `dbdyno up`
    ///
    /// --keep=false removes it, however it was started.
    #[arg(
        long, value_name = "YES", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true, requires = "engine"
    )]
    pub(crate) keep: Option<bool>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

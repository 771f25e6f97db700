//! `agent`, `fleet`, and the options of commands that several hosts share.

use super::values::{fleet_name, limit_s};
use crate::output::option_again;
use clap::{ArgGroup, Args, Subcommand};
use dbdyno_fleet::without_login;
use std::path::PathBuf;

/// How a fleet is reached.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Fleet")]
pub(crate) struct NatsArgs {
    /// NATS servers [default: nats://127.0.0.1:4222]
    ///
    /// nats://host:port, or tls://host:port; several with commas. The variable DBDYNO_NATS names them for all commands.
    #[arg(
        long,
        value_name = "URL",
        env = "DBDYNO_NATS",
        hide_env = true,
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub(crate) nats: Vec<String>,
    /// File with the credentials of an account of the NATS server
    #[arg(long, value_name = "FILE", env = "DBDYNO_NATS_CREDS", hide_env = true, hide_short_help = true)]
    pub(crate) creds: Option<PathBuf>,
    /// File with the certificates that sign the NATS server's own
    #[arg(long, value_name = "FILE", env = "DBDYNO_NATS_CA", hide_env = true, hide_short_help = true)]
    pub(crate) nats_ca: Option<PathBuf>,
    /// File with the fleet's key, which all its hosts share
    ///
    /// `dbdyno fleet key` makes one. It never crosses the network. The variable DBDYNO_FLEET_KEY has the key itself.
    #[arg(long, value_name = "FILE", env = "DBDYNO_FLEET_KEY_FILE", hide_env = true, hide_short_help = true)]
    pub(crate) fleet_key: Option<PathBuf>,
}

impl NatsArgs {
    /// The server where none is named.
    pub(crate) const DEFAULT: &'static str = "nats://127.0.0.1:4222";
}

/// Options of a command that hosts of a fleet share.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SharedArgs {
    /// Have the agents of this fleet do the work: NAME, or NAME=N
    ///
    /// Jobs, users and rates are divided over them. N waits for so many; without it those that answer take part.
    #[arg(long, value_name = "NAME[=N]", value_parser = shared, help_heading = "Fleet", hide_short_help = true)]
    pub(crate) fleet: Option<Shared>,
    /// How long to wait for agents that are not there yet [default: 20s]
    #[arg(
        long, value_name = "DURATION", value_parser = limit_s, requires = "fleet", help_heading = "Fleet",
        hide_short_help = true
    )]
    pub(crate) fleet_wait: Option<f64>,
    /// Give agents that have no target this one, and its password, through NATS
    ///
    /// Over TLS alone (--nats tls://…), and encrypted with the fleet's key. The password is that of the target, or of
    /// DBDYNO_PASSWORD.
    #[arg(long, requires = "fleet", help_heading = "Fleet", hide_short_help = true)]
    pub(crate) send_credentials: bool,
    #[command(flatten)]
    pub(crate) nats: NatsArgs,
}

impl SharedArgs {
    /// The options with which a further command finds the same fleet, with a blank before each. Logins are left out.
    pub(crate) fn again(&self) -> String {
        let Self { fleet: Some(fleet), fleet_wait, send_credentials, nats } = self else { return String::new() };
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let said = std::env::var("DBDYNO_NATS").is_ok_and(|said| said == nats.nats.join(","));
        let urls: Vec<String> = nats.nats.iter().filter(|_| !said).map(|url| without_login(url)).collect();
        let options = [
            ("--nats", "DBDYNO_NATS", Some(urls.join(",")).filter(|urls| !urls.is_empty())),
            ("--creds", "DBDYNO_NATS_CREDS", file(&nats.creds)),
            ("--nats-ca", "DBDYNO_NATS_CA", file(&nats.nats_ca)),
            ("--fleet-key", "DBDYNO_FLEET_KEY_FILE", file(&nats.fleet_key)),
        ];
        let options = options.iter().map(|(name, variable, value)| option_again(name, variable, value.as_deref()));
        let wait = fleet_wait.map(|seconds| format!(" --fleet-wait {seconds}s"));
        let credentials = send_credentials.then(|| " --send-credentials".to_owned());
        std::iter::once(format!(" --fleet {fleet}")).chain(wait).chain(credentials).chain(options).collect()
    }
}

/// A fleet, and how many of its agents are waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shared {
    pub(crate) fleet: String,
    pub(crate) agents: Option<usize>,
}

impl std::fmt::Display for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.fleet)?;
        self.agents.map_or(Ok(()), |agents| write!(f, "={agents}"))
    }
}

/// A fleet, as options name it.
pub(super) fn shared(text: &str) -> Result<Shared, String> {
    let (fleet, agents) = text.split_once('=').map_or((text, None), |(fleet, agents)| (fleet, Some(agents)));
    let unfit = || format!("'{}' is no number of agents", agents.unwrap_or_default());
    let number = |agents: &str| agents.parse().ok().filter(|n| *n > 0).ok_or_else(unfit);
    Ok(Shared { fleet: fleet_name(fleet)?, agents: agents.map(number).transpose()? })
}

/// `dbdyno agent`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  dbdyno agent --target postgres://bench@db1/bench --nats nats://hub:4222
  dbdyno agent --target postgres://bench@db1/bench --name left --weight 2
  dbdyno agent --file /dev/mapper/array1 --file /dev/mapper/array2")]
pub(crate) struct AgentArgs {
    /// The database, as this host reaches it
    ///
    /// Without it the agent takes part in runs that give it one (`--send-credentials`).
    #[arg(long, value_name = "URL", env = "DBDYNO_TARGET", hide_env = true)]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
    /// Its name in the fleet [default: the host's name]
    #[arg(long, value_name = "NAME", value_parser = fleet_name)]
    pub(crate) name: Option<String>,
    /// The fleet
    #[arg(long, value_name = "NAME", value_parser = fleet_name, default_value = "fleet")]
    pub(crate) fleet: String,
    /// How much of the load it takes, beside the others
    #[arg(long, value_name = "N", default_value = "1", value_parser = weight)]
    pub(crate) weight: f64,
    /// Have its sessions work on this node of the target alone, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) agent_node: Option<u32>,
    /// Folder for what it has measured, until the coordinator has it
    ///
    /// [default: agents/NAME in dbdyno's own folder]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) parts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) nats: NatsArgs,
}

/// What agents work on in storage runs.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilesArgs {
    /// A device or file of storage runs, as this host names it; in the order of the run
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Vec<PathBuf>,
    /// This device or file may be overwritten from here
    #[arg(long, value_name = "PATH", requires = "file", hide_short_help = true)]
    pub(crate) destroy_data: Vec<PathBuf>,
    /// Also what is mounted, in use, or has a file system on it
    #[arg(long, requires = "file", hide_short_help = true)]
    pub(crate) really: bool,
}

fn weight(text: &str) -> Result<f64, String> {
    let weight = text.parse::<f64>().ok().filter(|weight| (0.001..=1_000.0).contains(weight));
    weight.ok_or_else(|| "a number from 0.001 to 1000".to_owned())
}

/// `dbdyno fleet`.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  dbdyno fleet up 2 --target private:postgres
  dbdyno fleet key > fleet.key
  dbdyno fleet down"
)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    pub(crate) command: FleetCommand,
}

/// What is done with a fleet.
#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Start a NATS server and agents on this machine, for trying
    Up(FleetUpArgs),
    /// Stop what `fleet up` has started
    #[command(after_help = "Examples:\n  dbdyno fleet down")]
    Down,
    /// Print a new key for a fleet
    #[command(after_help = "Examples:\n  dbdyno fleet key > fleet.key")]
    Key,
}

/// `dbdyno fleet up`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("works on").args(["target", "file"]).required(true).multiple(true)))]
#[command(after_help = "\
Examples:
  dbdyno fleet up 2 --target private:postgres
  dbdyno run T611 --target private:postgres --fleet fleet=2
  dbdyno fleet down
  dbdyno fleet up 2 --file /srv/orion.dat")]
pub(crate) struct FleetUpArgs {
    /// How many agents
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) agents: u32,
    /// The database
    #[arg(long, value_name = "URL")]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) files: FilesArgs,
}

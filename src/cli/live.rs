//! Watching: the views of what is measured, `monitor`, `replay` and `headroom`.

use super::common::Shown;
use super::values::{label, limit_s, speed};
use clap::Args;
use dbdyno_run::StopCondition;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A page for browsers.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ServeArgs {
    /// Serve a live page to browsers [default address: 127.0.0.1, a free port]
    ///
    /// The page loads nothing from elsewhere, and nothing can be changed through it. /metrics has the same figures for
    /// a time series database. Any address but loopback needs a token and TLS.
    #[arg(
        long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:0", hide_short_help = true,
        help_heading = "Watching"
    )]
    pub(crate) serve: Option<SocketAddr>,
    /// File with the token that the page asks for
    ///
    /// At least 16 characters. Without one a token is made and printed where the address is not loopback.
    #[arg(long, value_name = "FILE", requires = "serve", hide_short_help = true, help_heading = "Watching")]
    pub(crate) token_file: Option<PathBuf>,
    /// Certificate of the page, PEM; with --tls-key
    #[arg(
        long, value_name = "FILE", requires_all = ["serve", "tls_key"], hide_short_help = true, help_heading = "Watching"
    )]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// Private key of the certificate, PEM
    #[arg(
        long, value_name = "FILE", requires_all = ["serve", "tls_certificate"], hide_short_help = true,
        help_heading = "Watching"
    )]
    pub(crate) tls_key: Option<PathBuf>,
    /// Serve the page without TLS to other machines: anybody in between reads the token
    #[arg(long, requires = "serve", conflicts_with = "tls_key", hide_short_help = true, help_heading = "Watching")]
    pub(crate) insecure: bool,
}

/// The views of a run, and what ends it.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WatchArgs {
    /// Show it while it happens; without a terminal, as lines
    #[arg(long)]
    pub(crate) live: bool,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
    /// Draw what this file requires into the charts of --live and --serve
    ///
    /// As `verdict` takes it; of what this run measures, and where readings have the figure.
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "Watching")]
    pub(crate) requirements: Option<PathBuf>,
    /// Take no readings of the machine and the database while it is measured
    #[arg(long, conflicts_with_all = ["live", "serve", "stop_if"], hide_short_help = true, help_heading = "Watching")]
    pub(crate) no_readings: bool,
    /// End the run once a figure was above a limit for three seconds
    ///
    /// For a server that has other work. Figures: foreign_commits_per_s (at least so many commits of others),
    /// foreign_sessions (at work), others_cpu_pct, replication_lag_s, p50 and p99 (as in 'p99>20ms'). What was measured
    /// is kept, and `resume` goes on.
    #[arg(long, value_name = "'F>X'", hide_short_help = true, help_heading = "Watching")]
    pub(crate) stop_if: Vec<StopCondition>,
}

/// `dbdyno monitor`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("serve", |serve| serve.hide_short_help(false)), after_help = "\
Examples:
  dbdyno monitor --target postgres://monitor@db1/orders
  dbdyno monitor --target private:postgres --serve
  dbdyno monitor --target mariadb://monitor@db1/orders --record monday --for 8h
  dbdyno monitor --target private:postgres --for 10s --json")]
pub(crate) struct MonitorArgs {
    /// What is watched, as a URL
    #[arg(long, value_name = "URL")]
    pub(crate) target: String,
    /// Keep what is seen as a profile of this name
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) record: Option<String>,
    /// End after this time: 90s, 10m, 8h
    #[arg(long = "for", value_name = "TIME", value_parser = limit_s)]
    pub(crate) duration: Option<f64>,
    /// Print lines, also on a terminal
    #[arg(long, conflicts_with = "json")]
    pub(crate) lines: bool,
    /// Print each reading as a JSON document in a line of its own
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

/// `dbdyno replay`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("serve", |serve| serve.hide_short_help(false)), after_help = "\
Examples:
  dbdyno replay last
  dbdyno replay last --speed 10 --serve
  dbdyno replay monday --json")]
pub(crate) struct ReplayArgs {
    /// A run, or a profile: an id, its beginning, a label or last
    #[arg(value_name = "RUN", default_value = "last")]
    pub(crate) run: String,
    /// How many times as fast as it was
    #[arg(long, value_name = "N", default_value = "1", value_parser = speed)]
    pub(crate) speed: f64,
    /// Print lines, also on a terminal
    #[arg(long, conflicts_with = "json")]
    pub(crate) lines: bool,
    /// Print each reading as a JSON document in a line of its own, at once
    #[arg(long, conflicts_with = "serve")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

/// `dbdyno headroom`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  dbdyno headroom monday baseline-of-db1
  dbdyno headroom monday new-box --own baseline-of-db1")]
pub(crate) struct HeadroomArgs {
    /// The profile of production: `dbdyno monitor --record`
    #[arg(value_name = "PROFILE")]
    pub(crate) profile: String,
    /// What the platform can do: a measured run of it, or of another platform
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// A run of production's own platform, where RUN is of another one
    ///
    /// By its tests of the processors the two platforms are compared.
    #[arg(long, value_name = "RUN")]
    pub(crate) own: Option<String>,
    /// The test or workload of RUN whose curve the processors are judged by
    #[arg(long, value_name = "NAME")]
    pub(crate) curve: Option<String>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

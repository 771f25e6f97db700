//! The options of `run` for a private server on rising numbers of processors.

use super::values::bytes;
use clap::Args;
use dbdyno_model::Ramp;

/// How a private server grows.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Workload slob")]
pub(crate) struct CoresArgs {
    /// Numbers of processors that a private server is held to, one after the other: 1,2,4
    ///
    /// It is started again for each of them, with its data.
    #[arg(long, value_name = "1,2,4", hide_short_help = true, conflicts_with_all = ["live", "serve"])]
    pub(crate) cores: Option<Ramp>,
    /// With --cores: schemas for each processor [default: 1]
    #[arg(long, value_name = "N", hide_short_help = true, requires = "cores")]
    pub(crate) schemas_per_core: Option<f64>,
    /// With --cores: the server's cache for each processor, as in 64MiB [default: that of its size]
    #[arg(long, value_name = "SIZE", value_parser = bytes, hide_short_help = true, requires = "cores")]
    pub(crate) cache_per_core: Option<u64>,
}

//! The options of `run` for searches.

use clap::Args;
use dbdyno_model::Limit;

/// What a run searches for, in place of points that are said before.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Searches")]
pub(crate) struct SearchArgs {
    /// Raise users (of tests, jobs) until throughput stops to grow
    ///
    /// Until it gains less than 3 % twice; then the fewest users with 97 % of the maximum are found, with at most 12
    /// points. --max-jobs bounds it.
    #[arg(long)]
    pub(crate) until_saturated: bool,
    /// Find the highest rate that holds limits: 'p99<5ms,errors<0.1%'
    ///
    /// The highest rate of an open loop that holds all of them, by halving. Limits are on response times (p50, p90,
    /// p95, p99, p99.9, p99.99) and on the share of transactions that fail. Several stand with commas, or each in an
    /// option of its own. --users (of tests, --jobs) says how many are at work.
    #[arg(long, value_name = "LIMITS", value_delimiter = ',')]
    pub(crate) until: Vec<Limit>,
}

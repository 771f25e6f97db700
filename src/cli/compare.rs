//! `dbdyno compare`, as typed.

use super::common::Shown;
use super::values::percent;
use clap::Args;

/// `dbdyno compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Runs that share a label are a sample: name the label, and from three runs a side on differences are told from chance.

Examples:
  dbdyno compare before after
  dbdyno compare last hp_dl980_violin_2012 --test 'T6*'
  dbdyno compare before after --max-regression 5%      fails only where a loss beyond 5 % is shown
  dbdyno compare ibm_p8_e870_2016 hpe_dl380_bm_2016 hpe_dl380_vm_2016 --baseline hpe_dl380_bm_2016")]
pub(crate) struct CompareArgs {
    /// 2 to 20 of: an id, the beginning of one, a label (all its runs), last, or a reference platform
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// The one that ratios are of [default: the first]
    #[arg(long, value_name = "RUN")]
    pub(crate) baseline: Option<String>,
    /// Only these tests: T611, 'T6*', T611,T711
    #[arg(long, value_name = "TESTS")]
    pub(crate) test: Option<String>,
    /// Exit with 1 where a row is shown to be worse than the baseline by more than this
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) max_regression: Option<f64>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

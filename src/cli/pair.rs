//! `pair` as typed.

use super::common::{Shown, TargetArgs};
use super::cores::CoresArgs;
use super::fleet::SharedArgs;
use super::live::WatchArgs;
use super::measuring::{RunArgs, WorkArgs};
use super::search::SearchArgs;
use super::values::{label, limit_s};
use clap::Args;
use dbdyno_model::PairSide;
use dbdyno_stats::Pairs;

/// `dbdyno pair`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "\
Examples:
  dbdyno pair T611 --a sqlite:one.sqlite --b sqlite:other.sqlite
  dbdyno pair T711 --jobs 8 --a private:postgres --b private:mariadb",
    after_long_help = "\
Examples:
  dbdyno pair T611 --a sqlite:one.sqlite --b sqlite:other.sqlite
  dbdyno pair T711 --jobs 8 --a private:postgres --b private:mariadb
  dbdyno pair tpcb --users 8 --a URL --b URL --before-a ./off --before-b ./on
      two settings of one server, which the commands change

Each test is measured 8 times on each side first; how much these pairs differ
fixes how many there will be, and how the result looks does not."
)]
pub(crate) struct PairArgs {
    /// The side that ratios are of
    #[arg(long, value_name = "URL")]
    pub(crate) a: String,
    /// The other side; its figures are divided by those of A
    #[arg(long, value_name = "URL")]
    pub(crate) b: String,
    /// Shell command that is called before each point of A
    #[arg(long, value_name = "CMD")]
    pub(crate) before_a: Option<String>,
    /// Shell command that is called before each point of B
    #[arg(long, value_name = "CMD")]
    pub(crate) before_b: Option<String>,
    /// The most pairs of each test and degree of parallelism
    #[arg(
        long, value_name = "N", default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(Pairs::PILOT as i64..=1_000)
    )]
    pub(crate) pairs: u32,
    /// Name of the run of A [default: one of its own]
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) label_a: Option<String>,
    /// Name of the run of B
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) label_b: Option<String>,
    /// Size class of the data [default: that of the data that is there, else D]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub(crate) size: Option<String>,
    /// Seed of the data, where none is loaded yet
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) seed: Option<u64>,
    /// End after this time: 90s, 10m, 2h
    ///
    /// As Ctrl-C does: what is at work is cancelled, and what was measured is kept.
    #[arg(long, value_name = "TIME", value_parser = limit_s, hide_short_help = true)]
    pub(crate) max_duration: Option<f64>,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

impl PairArgs {
    /// What is called before each point of a side.
    pub(crate) fn before(&self, side: PairSide) -> Option<&str> {
        match side {
            PairSide::A => self.before_a.as_deref(),
            PairSide::B => self.before_b.as_deref(),
        }
    }

    /// A side's run as `run` would be asked for it.
    pub(crate) fn of_side(&self, side: PairSide) -> RunArgs {
        let (target, label) = match side {
            PairSide::A => (&self.a, &self.label_a),
            PairSide::B => (&self.b, &self.label_b),
        };
        RunArgs {
            target: TargetArgs {
                target: Some(target.clone()),
                size: self.size.clone(),
                seed: self.seed,
                without: None,
                diagnostics_pack: false,
            },
            work: self.work.clone(),
            repeat: Some(1),
            label: label.clone(),
            max_duration: self.max_duration,
            awr_report: None,
            dry_run: false,
            shown: self.shown.clone(),
            search: SearchArgs::default(),
            cores: CoresArgs::default(),
            shared: SharedArgs::default(),
            watch: WatchArgs::default(),
            allow_scripts: false,
        }
    }
}

//! `dbdyno pair`: two sides in alternation, each a run of its own. What they show is a comparison of the two runs, pair
//! by pair, and nothing else is stored.

mod side;
mod sides;

use super::context::Context;
use super::measuring::{Ready, TABLES, new_run};
use super::named_runs;
use super::tool::tool;
use crate::cli::PairArgs;
use crate::error::Error;
use crate::output::{self, shell_word};
use crate::progress::{Verbosity, about, pair_line};
use crate::signals;
use dbdyno_engine::MonotonicClock;
use dbdyno_model::{Database, PairSide, Pairing, Plan, Platform, Rates, Run, RunId, RunStatus};
use dbdyno_report::compare::{self, CompareOptions, RatioVerdict, Side};
use dbdyno_results::{FileAccess, Repository};
use dbdyno_run::{MeasuredPair, PairRunner, PairSides, PairedRun, StopSwitch, estimate_s, pair_plans};
use dbdyno_stats::Pairs;
use side::{AskedSide, ended_early};
use sides::{KeptOpen, OpenedAnew};

pub(super) fn pair(args: &PairArgs, context: &Context) -> Result<(), Error> {
    if let (Some(a), Some(b)) = (&args.label_a, &args.label_b)
        && a == b
    {
        return Err(Error::Usage(format!("--label-a and --label-b are both '{a}': each side needs a name of its own")));
    }
    if args.work.client.rate.as_ref().is_some_and(Rates::are_shares) {
        return Err(Error::Usage(
            "--rate: a share is one of each side's own maximum, and a pair compares equal loads; say --rate 500/s"
                .to_owned(),
        ));
    }
    let mut sides = [AskedSide::of(args, PairSide::A, context)?, AskedSide::of(args, PairSide::B, context)?];
    let stop = signals::stop(None, args.max_duration)?;
    let mut opened = [sides[0].open(&stop, context)?, sides[1].open(&stop, context)?];
    for side in 0..2 {
        // A side without data takes as much as the other has.
        if sides[side].takes_size(&opened[side], &opened[1 - side].plan.size) {
            opened[side] = sides[side].open(&stop, context)?;
        }
    }
    for (side, opened) in sides.iter().zip(&opened) {
        opened.refuse_unloaded(&side.args)?;
    }
    let [held_a, held_b] = opened.each_ref().map(|opened| opened.plan.size.as_str());
    if held_a != held_b {
        return Err(Error::Usage(format!(
            "the sides hold other amounts of data: A {held_a}, B {held_b}; a pair compares equal work, so load one of them anew"
        )));
    }
    let plans = pair_plans(opened.each_ref().map(|opened| opened.plan.clone()));
    let plans = plans.map_err(|why| Error::Usage(format!("{}: {why}", args.work.what.join(" "))))?;
    let mut repository = Repository::open(&context.results, FileAccess::ReadWrite)?;
    say_how_long(&plans[0], args, context);
    let asked = Asked { args, sides: &sides, stop: &stop, context };
    if sides.iter().any(|side| side.before.is_some()) {
        drop(opened);
        let heads = [asked.head_anew(0, &plans[0])?, asked.head_anew(1, &plans[1])?];
        return asked.measure(heads, plans, &mut repository, OpenedAnew { sides: &sides, stop: &stop, context });
    }
    let workloads = opened.each_mut().map(|opened| opened.workload.take());
    let is_one = opened[0].place.target.to_string() == opened[1].place.target.to_string();
    let mut readies: Vec<Ready<'_>> = Vec::new();
    for ((side, opened), workload) in sides.iter().zip(&opened).zip(workloads).take(if is_one { 1 } else { 2 }) {
        readies.push(side.ready(opened, workload, &stop, context)?);
    }
    let ready_of = |side: usize| if is_one { 0 } else { side };
    let heads = [asked.head(&readies[0], &plans[0])?, asked.head(&readies[ready_of(1)], &plans[1])?];
    let engines = opened.each_ref().map(|opened| opened.place.engine.as_ref());
    let clock = MonotonicClock::default();
    let measurers = KeptOpen::measurers(&mut readies, engines, (&clock, plans.each_ref().map(|plan| plan.seed)), &stop);
    asked.measure(heads, plans, &mut repository, KeptOpen { measurers, stop: &stop, context })
}

/// Says how long it takes. How many pairs there are beyond the first is not known before.
fn say_how_long(plan: &Plan, args: &PairArgs, context: &Context) {
    if context.verbosity != Verbosity::Normal {
        return;
    }
    let first_s = 2.0 * estimate_s(&plan.points, &context.catalogue);
    let most_s = first_s * f64::from(args.pairs) / Pairs::PILOT as f64;
    let cells = plan.points.len() / Pairs::PILOT;
    output::note(&format!(
        "{} pairs of each of {cells} point{} take about {}; {} of each, at most, {}",
        Pairs::PILOT,
        if cells == 1 { "" } else { "s" },
        about(first_s),
        args.pairs,
        about(most_s)
    ));
}

/// What a run begins with.
struct Head {
    run: Run,
    platform: Platform,
    database: Database,
}

/// What was asked for.
struct Asked<'a> {
    args: &'a PairArgs,
    sides: &'a [AskedSide; 2],
    stop: &'a StopSwitch,
    context: &'a Context,
}

impl Asked<'_> {
    fn head(&self, ready: &Ready<'_>, plan: &Plan) -> Result<Head, Error> {
        let place = ready.place();
        let places: Vec<usize> = (0..plan.points.len()).collect();
        let tables = ready.inspect_tables(plan, &places)?;
        let mut database = place.engine.describe().map_err(place.failed("describing"))?;
        database.facts.insert(TABLES.to_owned(), tables);
        let run = new_run(None, plan, place.target.to_string())?;
        Ok(Head { run, platform: place.platform(), database })
    }

    /// The same of a side that is opened for it.
    fn head_anew(&self, side: usize, plan: &Plan) -> Result<Head, Error> {
        let asked = &self.sides[side];
        let mut opened = asked.open(self.stop, self.context)?;
        let workload = opened.workload.take();
        let ready = asked.ready(&opened, workload, self.stop, self.context)?;
        self.head(&ready, plan)
    }

    /// Measures both runs, and shows what they show.
    fn measure<S: PairSides<Error = Error>>(
        &self,
        [a, b]: [Head; 2],
        [plan_a, plan_b]: [Plan; 2],
        repository: &mut Repository,
        sides: S,
    ) -> Result<(), Error> {
        let (id_a, id_b) = (a.run.id.clone(), b.run.id.clone());
        let paired = |side: PairSide, plan: Plan| {
            let with = if side == PairSide::A { id_b.clone() } else { id_a.clone() };
            let before = self.args.before(side).map(str::to_owned);
            Plan { pairing: Some(Pairing { with, side, most_pairs: self.args.pairs, before }), ..plan }
        };
        let plans = [paired(PairSide::A, plan_a), paired(PairSide::B, plan_b)];
        let names = [self.label(PairSide::A, &a.run), self.label(PairSide::B, &a.run)];
        for ((head, plan), label) in [&a, &b].into_iter().zip(&plans).zip(&names) {
            let run = Run { label: Some(label.clone()), ..head.run.clone() };
            repository.begin_run(&run, plan, &head.platform, &head.database, Some(&tool()))?;
        }
        let [plan_a, plan_b] = plans;
        let mut runs = [PairedRun { id: id_a, plan: plan_a }, PairedRun { id: id_b, plan: plan_b }];
        let (catalogue, most, stop) = (&self.context.catalogue, self.args.pairs, self.stop);
        let hears = |pair: &MeasuredPair<'_>| {
            if self.context.verbosity == Verbosity::Normal {
                output::note(&pair_line(pair));
            }
        };
        let mut runner = PairRunner { sides, repository, catalogue, runs: &mut runs, most, stop, hears: &hears };
        let measured = runner.measure();
        let status = match &measured {
            Ok(()) => RunStatus::Done,
            Err(Error::Run { source, .. }) => source.status(),
            Err(_) => RunStatus::Interrupted,
        };
        let ended = runner.end(status);
        measured?;
        ended.map_err(ended_early)?;
        let ids = runs.map(|run| run.id);
        self.show(&ids, names)
    }

    /// The label of a side's run; where the user gave none, one that no other run has.
    fn label(&self, side: PairSide, a: &Run) -> String {
        let (label, letter) = match side {
            PairSide::A => (&self.args.label_a, 'a'),
            PairSide::B => (&self.args.label_b, 'b'),
        };
        label.clone().unwrap_or_else(|| format!("pair-{}-{letter}", a.id))
    }

    fn show(&self, ids: &[RunId; 2], names: [String; 2]) -> Result<(), Error> {
        let context = self.context;
        let side =
            |(id, name): (&RunId, &String)| Ok(Side { name: name.clone(), ..named_runs::side(id.as_str(), context)? });
        let sides = ids.iter().zip(&names).map(side).collect::<Result<Vec<_>, Error>>()?;
        let comparison = compare::compare(&sides, &CompareOptions::default(), &context.catalogue)?;
        let page = || comparison.document_of_pairs().text(output::width());
        self.args.shown.format().show(&comparison, page)?;
        let names = names.map(|name| shell_word(&name)).join(" ");
        context.suggest_next(&format!("dbdyno compare {names}"), "has all that differs; `report` makes a page of it");
        let without = comparison.pairs.iter().filter(|row| row.ratio.verdict == RatioVerdict::NoRatio).count();
        match without {
            0 => Ok(()),
            without => Err(Error::Pairs { without, of: comparison.pairs.len() }),
        }
    }
}

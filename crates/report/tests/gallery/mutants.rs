//! Runs and results that nobody measured: every kind of difference that keeps figures from being compared, in any
//! mixture.

use crate::{fixture, with_id};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{
    CommitMode, Drive, Flag, MetricValue, PairSide, Pairing, Point, PrintedBound, PumpKind, PumpUse, RunId, RunJson,
    Status, Subject, Suspect, SuspectCode, TestCode, Tool, WorkloadName,
};
use dbdyno_stats::SplitMix64;

/// Numbers that look random and are the same each time.
pub(crate) struct Dice(SplitMix64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.0.below(n as u64)).unwrap()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// A run like that of the fixture, in which many things are otherwise.
pub(crate) fn run(seed: u64, catalogue: &Catalogue) -> RunJson {
    let mut dice = Dice::new(seed);
    let mut whole = with_id(fixture::run(), &format!("mutant{seed}"));
    whole.run.label = Some(format!("mutant {seed}"));
    whole.run.size = (*dice.of(&["D", "D", "N", ""])).to_owned();
    whole.database.engine = (*dice.of(&["sqlite", "sqlite", "other"])).to_owned();
    whole.database.parameters.insert("extra".to_owned(), (*dice.of(&["on", "off", ""])).to_owned());
    if dice.one_in(3) {
        whole.database.parameters.remove("cache_size");
    }
    for of in ["microcode", "nvme0n1"] {
        let version = (*dice.of(&["1.0", "1.1"])).to_owned();
        whole.platform.firmware.extend((!dice.one_in(3)).then(|| (of.to_owned(), version)));
    }
    let mut points = Vec::new();
    let mut all = whole.points.clone();
    all.extend(fixture::workload().points);
    all.extend(fixture::slob().points);
    for point in all {
        if dice.one_in(4) {
            continue;
        }
        points.push(altered(point.clone(), &mut dice, catalogue));
        if point.rows_per_tx > 0 && dice.one_in(2) {
            points.push(Point { rows_per_tx: *dice.of(&[1, 16, 320]), ..altered(point, &mut dice, catalogue) });
        }
    }
    let tool = whole.tool.clone().filter(|_| !dice.one_in(4));
    let tool = tool.map(|tool| match dice.below(3) {
        0 => Tool { profile: Some("dev".to_owned()), ..tool },
        1 => Tool { embedded: [("sqlite".to_owned(), vec!["THREADSAFE=0".to_owned()])].into(), ..tool },
        _ => tool,
    });
    RunJson { tool, ..RunJson::new(whole.run, whole.platform, whole.database, points) }
}

/// A run of an amount of data of which the aggregations have nothing but a time, which depends on it.
pub(crate) fn of_size(id: &str, size: &str) -> RunJson {
    let mut run = with_id(fixture::run(), id);
    size.clone_into(&mut run.run.size);
    for point in run.points.iter_mut().filter(|point| point.elapsed_s.is_some()) {
        (point.rows_per_s, point.io.read_mib_per_s) = (None, None);
    }
    run
}

fn altered(mut point: Point, dice: &mut Dice, catalogue: &Catalogue) -> Point {
    if let Subject::Test(code) = &point.subject
        && dice.one_in(3)
    {
        let same: Vec<&TestCode> = catalogue.same_work(code.as_str()).map(|test| &test.code).collect();
        if !same.is_empty() {
            point.subject = (*dice.of(&same)).clone().into();
        }
    }
    let factor = [1.0, 0.5, 1.25, 3.0, 1.0 / 3.0, 17.0 / 16.0][dice.below(6)];
    for rate in [&mut point.ops_per_s, &mut point.rows_per_s, &mut point.tx_per_s] {
        *rate = rate.map(|rate| rate * factor).filter(|_| !dice.one_in(7));
    }
    if dice.one_in(40) {
        point.ops_per_s = Some(0.0);
    }
    if dice.one_in(9) {
        point.status = *dice.of(&[Status::Failed, Status::Invalid, Status::Unsupported]);
    }
    if dice.one_in(8) {
        point.flag(*dice.of(&Flag::ALL), "a note".to_owned());
    }
    if dice.one_in(6) {
        (point.mapping, point.mapping_note) = ("equivalent".into(), Some("by other means".into()));
    }
    if point.commit.is_some() {
        point.commit = Some(*dice.of(&[CommitMode::Durable, CommitMode::Durable, CommitMode::EngineDefault]));
    }
    if dice.one_in(8) {
        point.drive = *dice.of(&[Drive::Client, Drive::Server]);
    }
    if point.drive == Drive::Client && dice.one_in(3) {
        let sessions_follow = dice.one_in(2);
        point.pump = Some(PumpUse { kind: PumpKind::IoUring, threads: 2, sessions_follow });
        point.load.connections = [None, Some(2), Some(3)][dice.below(3)];
    }
    if let Subject::Workload(_) = point.subject {
        point.mix = [None, Some("BP=1"), Some("OP=1")][dice.below(3)].map(|mix| mix.parse().unwrap());
        if dice.one_in(3) {
            point.subject = Subject::Workload(WorkloadName::new("further").unwrap());
        }
    }
    if dice.one_in(9) {
        point.definition = (*dice.of(&["feed", "beef"])).to_owned();
    }
    point.again |= dice.one_in(12);
    point
}

/// A published result with doubts, bounds and gaps that its source does not have.
pub(crate) fn published(seed: u64, of: &RunJson) -> RunJson {
    let mut dice = Dice::new(seed);
    let mut run = with_id(of.clone(), &format!("published{seed}"));
    run.run.label = Some(format!("published {seed}"));
    if dice.one_in(3) {
        run.run.size = (*dice.of(&["", "L", "D"])).to_owned();
    }
    let doubt = |dice: &mut Dice| {
        let codes = vec![*dice.of(&SuspectCode::ALL)];
        Suspect { codes, why: "as the dice fell".to_owned(), converted: dice.one_in(3) }
    };
    let mut published = run.published.take().unwrap();
    published.figures.retain(|_| !dice.one_in(5));
    for figure in &mut published.figures {
        if dice.one_in(5) {
            figure.suspect = Some(doubt(&mut dice));
        }
        if dice.one_in(9) {
            figure.bound = Some(*dice.of(&[PrintedBound::Under, PrintedBound::AtLeast, PrintedBound::About]));
        }
        if dice.one_in(9) {
            figure.commit = *dice.of(&[None, Some(CommitMode::Durable), Some(CommitMode::EngineDefault)]);
        }
        if dice.one_in(9) {
            figure.printed.unit = "other".to_owned();
        }
    }
    let mut points = std::mem::take(&mut run.points);
    points.retain(|_| !dice.one_in(5));
    published.numbers.clear();
    for point in &mut points {
        if let Some(metric) = point.metric.clone().filter(|_| dice.one_in(6)) {
            point.suspects.insert(metric.id, doubt(&mut dice));
        }
    }
    RunJson { published: Some(published), ..RunJson::new(run.run, run.platform, run.database, points) }
}

/// Two runs that were measured in turn, of which the second is a little faster.
pub(crate) fn in_turn() -> [RunJson; 2] {
    let one = |name: &str, with: &str, side: PairSide, factor: f64| {
        let point = |repeat: u32| {
            let mut point = fixture::bare("T611", (1, 1, 1));
            let is_second = (side == PairSide::A) == repeat.is_multiple_of(2);
            point.started_at = format!("2026-01-01T00:{repeat:02}:{:02}Z", 5 * u32::from(is_second)).parse().unwrap();
            point.repeat = repeat;
            let tx_per_s = 1_000.0 / (1.0 + f64::from(repeat)) * factor * (1.0 + 0.003 * f64::from(repeat % 3));
            point.tx_per_s = Some(tx_per_s);
            point.metric = Some(MetricValue { id: "tx_per_s".into(), value: tx_per_s, unit: "1/s".to_owned() });
            point
        };
        let whole = fixture::run();
        let mut run = RunJson::new(whole.run, whole.platform, whole.database, (1..=9).map(point).collect());
        run.pairing = Some(Pairing { with: RunId::new(with).unwrap(), side, most_pairs: 60, before: None });
        with_id(run, name)
    };
    [one("turn_a", "turn_b", PairSide::A, 1.0), one("turn_b", "turn_a", PairSide::B, 1.04)]
}

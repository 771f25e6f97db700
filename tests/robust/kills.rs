//! Kills of dbdyno itself.

use crate::dice::{Dice, complete, kept};
use crate::support::{Ending, Room, Running, number, points, text};
use crate::test_target::{Product, TestTarget};
use crate::{HANG, KillCounts, Where, seed};
use rustix::process::Signal;
use serde_json::Value;
use std::time::{Duration, Instant};

/// The commands, in turn.
pub(crate) struct Runs {
    lines: &'static [&'static str],
    /// One in this many runs begins with a load.
    load_of: u64,
}

/// For `make test`.
pub(crate) const SHORT: Runs = Runs { lines: &["run T711 T331 --jobs 2 --threads 1 --duration 100ms"], load_of: 1 };

/// For `make robust`.
pub(crate) const LONG: Runs = Runs {
    lines: &[
        "run T711 T331 T512 T211 T621 --jobs 2 --threads 1 --duration 100ms",
        "run T611 T311 T711 T811 --drive client --jobs 4 --duration 1s",
        "run T311 T421 T111 T611 --ramp 1,2 --duration 100ms",
    ],
    load_of: 3,
};

/// The most kills of one run.
const MOST: u64 = 4;
/// About how long it takes to load and verify size T.
const LOAD: Duration = Duration::from_secs(6);

/// One run, from its start to its end.
pub(crate) struct DisturbedRun<'g> {
    pub(crate) target: &'g TestTarget,
    pub(crate) line: String,
    /// The least time of its plan, according to `--dry-run`.
    plan: Duration,
    /// Whether nothing was loaded when it began.
    loads: bool,
    kept: KeptPoints,
}

/// The points of a run at the last check.
#[derive(Default)]
pub(crate) struct KeptPoints(Vec<Value>);

impl<'g> DisturbedRun<'g> {
    pub(crate) fn begin(target: &'g TestTarget, runs: &Runs, may_load: bool, dice: &mut Dice) -> Self {
        let url = target.product.target;
        let which = usize::try_from(dice.throw(runs.lines.len() as u64)).unwrap();
        let line = format!("{} --target {url} --size T", runs.lines[which]);
        target.forget();
        let loads = dice.throw(runs.load_of) == 0 && may_load;
        if loads {
            target.run("drop", 0);
        } else {
            target.run("load --size T", 0);
        }
        let dry = target.room().run(&format!("{line} --dry-run --json")).expect(0).json();
        let plan = Duration::from_secs_f64(number(&dry, "/at_least_s"));
        Self { target, line, plan, loads, kept: KeptPoints::default() }
    }

    /// The command that begins or continues it.
    pub(crate) fn next(&self, counts: &mut KillCounts) -> String {
        if self.has_begun() {
            counts.resumes += 1;
            return "resume last".to_owned();
        }
        self.line.clone()
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.target.room().run("show last --json").code == Some(0)
    }

    /// About how long it would continue undisturbed.
    pub(crate) fn span(&self) -> Duration {
        let load = if self.loads && !self.has_begun() { LOAD } else { Duration::ZERO };
        load + self.plan + Duration::from_secs(1)
    }

    /// Continues to the end, which must come in time, and asserts that everything is there and nothing else.
    pub(crate) fn end(mut self, counts: &mut KillCounts) {
        let line = self.next(counts);
        let begun = Instant::now();
        let ending = self.target.room().run(&line).expect(0);
        let took = begun.elapsed();
        // The machine may be busy with other work that made 200 s of 9 s; a hang takes for ever.
        let bound = HANG + 60 * (self.plan + LOAD);
        assert!(took < bound, "`dbdyno {line}` took {took:?}: {}", ending.stderr);
        counts.slowest_whole = counts.slowest_whole.max(took);
        self.look(&ending, counts);
        let planned = number(&self.target.room().runs()[0], "/points_planned");
        complete(self.target.room(), planned as usize);
        self.target.is_clean();
    }

    /// As for [`KeptPoints::look`].
    pub(crate) fn look(&mut self, ending: &Ending, counts: &mut KillCounts) {
        let why = |reason: &str| reason == "interrupted" || reason.starts_with("connection lost: ");
        self.kept.look(self.target.room(), ending, why, counts);
    }
}

impl KeptPoints {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Asserts that what is left is complete: everything that dbdyno reported, and everything that was there before,
    /// unchanged. Points that failed did so for one of these reasons.
    pub(crate) fn look(
        &mut self,
        room: &Room,
        ending: &Ending,
        may_fail: impl Fn(&str) -> bool,
        counts: &mut KillCounts,
    ) {
        counts.checks += 1;
        let said: Vec<&str> = ending.stderr.lines().filter(|line| line.starts_with('[')).collect();
        let Some(document) = kept(room) else {
            assert!(self.0.is_empty() && said.is_empty(), "what was recorded is gone: {}", ending.stderr);
            return;
        };
        let now: Vec<Value> = points(&document).iter().filter(|point| point["status"] == "ok").map(as_stored).collect();
        for point in &self.0 {
            assert!(now.contains(point), "a point that was kept has changed or gone: {point:#}");
        }
        let fresh = said.iter().filter(|line| line.contains("  ok")).count();
        assert!(now.len() >= self.0.len() + fresh, "{} points, and it had said {said:#?}", now.len());
        for point in points(&document).iter().filter(|point| point["status"] != "ok") {
            assert_eq!(text(point, "/status"), "failed", "{point:#}");
            let reason = text(point, "/reason");
            assert!(may_fail(reason), "{reason}");
        }
        counts.points_kept += now.len() - self.0.len();
        self.0 = now;
    }
}

/// A point without what is computed when the run is put together (the uneven machine).
fn as_stored(point: &Value) -> Value {
    let mut point = point.clone();
    let fields = point.as_object_mut().unwrap();
    fields["flags"].as_array_mut().unwrap().retain(|flag| flag != "uneven_machine");
    fields["flag_notes"].as_object_mut().unwrap().remove("uneven_machine");
    point
}

/// Waits for a moment, or the end.
pub(crate) fn until(run: &mut Running, moment: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < moment && !run.ended() {
        std::thread::sleep(Duration::from_millis(3).min(moment - begun.elapsed().min(moment)));
    }
}

/// Asserts that a command that was told to end did so in time and properly. Returns whether the signal reached it.
fn obeyed(ending: &Ending, signal: Signal, took: Duration) -> bool {
    assert!(took < HANG, "it hung for {took:?} after {signal:?}: {}", ending.stderr);
    assert!(!ending.stderr.contains("panicked"), "{}", ending.stderr);
    let listening = ending.stderr.contains("measuring;");
    match ending.code {
        // It had just ended.
        Some(0) => false,
        None => {
            // Before it listens, and with KILL always, the signal has its default effect.
            assert!(signal == Signal::KILL || !listening, "it listens, and died of {signal:?}: {}", ending.stderr);
            true
        }
        Some(code) => {
            assert!(code == 3 && signal != Signal::KILL, "{code} after {signal:?}: {}", ending.stderr);
            assert!(ending.stderr.contains("stopping: current work is cancelled"), "{}", ending.stderr);
            assert!(ending.stderr.contains("goes on"), "how to go on is said: {}", ending.stderr);
            true
        }
    }
}

/// Kills this many dbdynos.
pub(crate) fn suffer(product: &'static Product, kills: u32, runs: &Runs) {
    let (seed, target, mut counts) = (seed(), TestTarget::new(product), KillCounts::default());
    let mut dice = Dice(seed);
    let mut place = Where { name: product.name, seed, moment: "before the first kill".to_owned() };
    let done = |counts: &KillCounts| counts.kills.iter().sum::<u32>();
    while done(&counts) < kills {
        let mut life = DisturbedRun::begin(&target, runs, true, &mut dice);
        for _ in 0..=dice.throw(MOST) {
            if done(&counts) == kills {
                break;
            }
            let line = life.next(&mut counts);
            let span = u64::try_from(life.span().as_micros()).unwrap();
            let moment = Duration::from_micros(dice.throw(span));
            let signals = [Signal::INT, Signal::TERM, Signal::HUP];
            let signal = signals.get(dice.throw(8) as usize).copied().unwrap_or(Signal::KILL);
            place.moment =
                format!("kill {}: {signal:?} {moment:?} after the start of `dbdyno {line}`", done(&counts) + 1);
            let mut run = target.start(&line);
            until(&mut run, moment);
            if !run.ended() {
                run.signal(signal);
            }
            let told = Instant::now();
            let ending = run.end();
            let took = told.elapsed();
            let met = obeyed(&ending, signal, took);
            life.look(&ending, &mut counts);
            if !met {
                break;
            }
            counts.slowest = counts.slowest.max(took);
            counts.kills[usize::from(!life.kept.is_empty())] += 1;
        }
        place.moment += "; then the end of that run";
        life.end(&mut counts);
        eprintln!("{} of {kills}: {counts}", product.name);
    }
    println!("robust {}: {counts}", product.name);
}

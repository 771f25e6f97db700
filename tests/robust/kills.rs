//! Kills of dbdyno itself.

use crate::ground::{Ground, Product};
use crate::ordeal::{Dice, complete, kept};
use crate::support::{Ending, Running, number, points, text};
use crate::{HANG, Tally, Where, seed};
use rustix::process::Signal;
use serde_json::Value;
use std::time::{Duration, Instant};

/// What is run, in turn.
pub(crate) struct Runs {
    lines: &'static [&'static str],
    /// One of so many lives begins with a load.
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

/// How many kills one run has to bear at most.
const MOST: u64 = 4;
/// Loading size T, and proving it, takes about so long.
const LOAD: Duration = Duration::from_secs(6);

/// One run, from its start to its end.
pub(crate) struct Life<'g> {
    pub(crate) ground: &'g Ground,
    pub(crate) line: String,
    /// What its plan takes at least, as `--dry-run` says it.
    plan: Duration,
    /// Whether nothing was loaded when it began.
    loads: bool,
    /// What was kept when it was looked at last.
    before: Vec<Value>,
}

impl<'g> Life<'g> {
    pub(crate) fn begin(ground: &'g Ground, runs: &Runs, may_load: bool, dice: &mut Dice) -> Self {
        let target = ground.product.target;
        let which = usize::try_from(dice.throw(runs.lines.len() as u64)).unwrap();
        let line = format!("{} --target {target} --size T", runs.lines[which]);
        ground.forget();
        let loads = dice.throw(runs.load_of) == 0 && may_load;
        if loads {
            ground.run("drop", 0);
        } else {
            ground.run("load --size T", 0);
        }
        let dry = ground.room().run(&format!("{line} --dry-run --json")).expect(0).json();
        let plan = Duration::from_secs_f64(number(&dry, "/at_least_s"));
        Self { ground, line, plan, loads, before: Vec::new() }
    }

    /// What begins it, or goes on with it.
    pub(crate) fn next(&self, tally: &mut Tally) -> String {
        if self.has_begun() {
            tally.resumes += 1;
            return "resume last".to_owned();
        }
        self.line.clone()
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.ground.room().run("show last --json").code == Some(0)
    }

    /// About how long it would go on undisturbed.
    pub(crate) fn span(&self) -> Duration {
        let load = if self.loads && !self.has_begun() { LOAD } else { Duration::ZERO };
        load + self.plan + Duration::from_secs(1)
    }

    /// Goes on to the end, which must come in time, and insists that all is there and nothing else.
    pub(crate) fn end(mut self, tally: &mut Tally) {
        let line = self.next(tally);
        let begun = Instant::now();
        let ending = self.ground.room().run(&line).expect(0);
        let took = begun.elapsed();
        // The machine may be busy with others, who made 60 s of 9 s; what hangs takes for ever.
        let bound = HANG + 15 * (self.plan + LOAD);
        assert!(took < bound, "`dbdyno {line}` took {took:?}: {}", ending.stderr);
        tally.slowest_whole = tally.slowest_whole.max(took);
        self.look(&ending, tally);
        let planned = number(&self.ground.room().runs()[0], "/points_planned");
        complete(self.ground.room(), planned as usize);
        self.ground.is_clean();
    }

    /// Insists that what is left is whole: all that dbdyno has said to be there, and all that was there before,
    /// unchanged.
    pub(crate) fn look(&mut self, ending: &Ending, tally: &mut Tally) {
        tally.checks += 1;
        let said: Vec<&str> = ending.stderr.lines().filter(|line| line.starts_with('[')).collect();
        let Some(document) = kept(self.ground.room()) else {
            assert!(self.before.is_empty() && said.is_empty(), "what was recorded is gone: {}", ending.stderr);
            return;
        };
        let now: Vec<Value> = points(&document).iter().filter(|point| point["status"] == "ok").map(as_stored).collect();
        for point in &self.before {
            assert!(now.contains(point), "a point that was kept has changed or gone: {point:#}");
        }
        let fresh = said.iter().filter(|line| line.contains("  ok")).count();
        assert!(now.len() >= self.before.len() + fresh, "{} points, and it had said {said:#?}", now.len());
        for point in points(&document).iter().filter(|point| point["status"] != "ok") {
            assert_eq!(text(point, "/status"), "failed", "{point:#}");
            let reason = text(point, "/reason");
            assert!(reason == "interrupted" || reason.starts_with("connection lost: "), "{reason}");
        }
        tally.points_kept += now.len() - self.before.len();
        self.before = now;
    }
}

/// A point without what is found when the run is put together: whether the machine was slower than at its best.
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

/// Insists that a command which was told to end has done so, in time and as it should. Says whether the signal met it.
fn obeyed(ending: &Ending, signal: Signal, took: Duration) -> bool {
    assert!(took < HANG, "it hung for {took:?} after {signal:?}: {}", ending.stderr);
    assert!(!ending.stderr.contains("panicked"), "{}", ending.stderr);
    let listening = ending.stderr.contains("measuring;");
    match ending.code {
        // It was done just before.
        Some(0) => false,
        None => {
            // Before it listens, and with KILL always, the signal does what it does to every program.
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

/// Kills as many dbdynos.
pub(crate) fn suffer(product: &'static Product, kills: u32, runs: &Runs) {
    let (seed, ground, mut tally) = (seed(), Ground::new(product), Tally::default());
    let mut dice = Dice(seed);
    let mut place = Where { product, seed, moment: "before the first kill".to_owned() };
    let done = |tally: &Tally| tally.kills.iter().sum::<u32>();
    while done(&tally) < kills {
        let mut life = Life::begin(&ground, runs, true, &mut dice);
        for _ in 0..=dice.throw(MOST) {
            if done(&tally) == kills {
                break;
            }
            let line = life.next(&mut tally);
            let span = u64::try_from(life.span().as_micros()).unwrap();
            let moment = Duration::from_micros(dice.throw(span));
            let signals = [Signal::INT, Signal::TERM, Signal::HUP];
            let signal = signals.get(dice.throw(8) as usize).copied().unwrap_or(Signal::KILL);
            place.moment =
                format!("kill {}: {signal:?} {moment:?} after the start of `dbdyno {line}`", done(&tally) + 1);
            let mut run = ground.start(&line);
            until(&mut run, moment);
            if !run.ended() {
                run.signal(signal);
            }
            let told = Instant::now();
            let ending = run.end();
            let took = told.elapsed();
            let met = obeyed(&ending, signal, took);
            life.look(&ending, &mut tally);
            if !met {
                break;
            }
            tally.slowest = tally.slowest.max(took);
            tally.kills[usize::from(!life.before.is_empty())] += 1;
        }
        place.moment += "; then the end of that run";
        life.end(&mut tally);
        eprintln!("{} of {kills}: {tally}", product.name);
    }
    println!("robust {}: {tally}", product.name);
}

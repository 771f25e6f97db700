//! Takes readings, one a second, in a thread of its own. It waits for nobody: a look that is late makes its reading's
//! interval longer, and the seconds that it missed are not made up.

use super::compose::{self, Between, TopSeen};
use super::foreign::ForeignCommits;
use super::live_work::{LiveWork, Look};
use super::stop_if::{Heard, StopCondition};
use dbdyno_engine::{Depth, Engine, EngineError, Observation, Observer};
use dbdyno_model::{PointStage, Reading};
use dbdyno_probe::{Sampler, Snapshot, process_cpu_ns, thread_cpu_ns};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Statements and sessions one by one are looked at in one reading of so many.
const STATEMENTS_EVERY: u64 = 10;
/// Between two readings.
const EVERY: Duration = Duration::from_secs(1);
/// A last reading is taken where it covers at least so much.
const LAST: Duration = Duration::from_millis(250);
/// A window that is covered this far by its reading tells of others' commits.
const COVERED: f64 = 0.9;

/// Where the database's part of a reading comes from.
pub enum Looks<'a> {
    /// From the connections that watch the sessions of the point that is measured; between points from nowhere.
    Point(&'a dyn Engine),
    /// From connections of its own.
    Server(Box<dyn Observer>),
    /// From nowhere, for a reason.
    Nowhere(String),
}

/// With what readings are taken.
pub struct TakerOptions<'a> {
    /// Reads the machine.
    pub sampler: Sampler,
    /// Whether the database is on this machine.
    pub local: bool,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Looks at the database.
    pub looks: Looks<'a>,
    /// What the point that is measured does.
    pub live: &'a LiveWork,
    /// Conditions that end the run.
    pub stop_if: Vec<StopCondition>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Taken<'r> {
    /// A reading, and what taking them has cost so far.
    Reading(&'r Reading, TakingCost),
    /// A condition was met: the run is to end; why, in words.
    Met(String),
    /// Something that the user is to know, in words.
    Told(String),
}

/// Takes readings.
pub struct Taker<'a> {
    options: TakerOptions<'a>,
    before: Snapshot,
    /// The last look of each node, and when it was.
    nodes: Vec<Option<(Instant, Observation)>>,
    top: TopSeen,
    foreign: ForeignCommits,
    /// The point that was measured at the last reading.
    point: u64,
    /// Whether a condition was met: it is told once.
    met: bool,
    number: u64,
}

/// Processor time that taking readings has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TakingCost {
    /// Of dbdyno, in seconds: of the thread that takes them, and where a server is looked at of the whole process.
    pub thread_s: f64,
    /// Of the server's processes that answer it, in seconds, where they are seen.
    pub server_s: Option<f64>,
    /// How long readings were taken, in seconds.
    pub seconds: f64,
}

impl<'a> Taker<'a> {
    /// Begins now.
    #[must_use]
    pub fn new(options: TakerOptions<'a>) -> Self {
        let before = options.sampler.snapshot();
        let (nodes, top, foreign) = (Vec::new(), TopSeen::default(), ForeignCommits::default());
        Self { options, before, nodes, top, foreign, point: 0, met: false, number: 0 }
    }

    /// Takes readings until `over` is set, and tells of each. Whoever sets it unparks this thread.
    pub fn take_until(mut self, over: &AtomicBool, mut tell: impl FnMut(Taken<'_>)) -> TakingCost {
        let (begun, cpu_before_ns) = (Instant::now(), self.cpu_ns());
        let mut next = begun + EVERY;
        // What the first look's counts are compared with; whatever is wrong is said by the first reading.
        drop(self.look(Depth::Counters));
        while !over.load(Ordering::Acquire) {
            let now = Instant::now();
            if now < next {
                std::thread::park_timeout(next - now);
                continue;
            }
            let reading = self.read();
            tell(Taken::Reading(&reading, self.cost(begun, cpu_before_ns)));
            for condition in &mut self.options.stop_if {
                match condition.hear(&reading) {
                    Heard::Nothing => {}
                    Heard::Met(_) if self.met => {}
                    Heard::Met(why) => {
                        self.met = true;
                        tell(Taken::Met(why));
                    }
                    Heard::Deaf(why) => tell(Taken::Told(why)),
                }
            }
            next += EVERY;
            // What was missed is not made up.
            while next <= Instant::now() {
                next += EVERY;
            }
        }
        // The last part of a second is not lost.
        if self.before.taken_at().elapsed() >= LAST {
            let reading = self.read();
            tell(Taken::Reading(&reading, self.cost(begun, cpu_before_ns)));
        }
        self.cost(begun, cpu_before_ns)
    }

    /// Processor time so far: where a server is looked at, that of the whole process, whose other threads ask the nodes
    /// and draw.
    fn cpu_ns(&self) -> u64 {
        match self.options.looks {
            Looks::Server(_) => process_cpu_ns(),
            Looks::Point(_) | Looks::Nowhere(_) => thread_cpu_ns(),
        }
    }

    fn cost(&self, begun: Instant, cpu_before_ns: u64) -> TakingCost {
        let server_s = match &self.options.looks {
            Looks::Server(observer) => observer.cost_ns().map(|ns| ns as f64 / 1e9),
            Looks::Point(_) | Looks::Nowhere(_) => None,
        };
        let thread_s = self.cpu_ns().saturating_sub(cpu_before_ns) as f64 / 1e9;
        TakingCost { thread_s, server_s, seconds: begun.elapsed().as_secs_f64() }
    }

    /// One reading: what happened since the last one.
    fn read(&mut self) -> Reading {
        let snapshot = self.options.sampler.snapshot();
        let telemetry = self.options.sampler.difference(&self.before, &snapshot);
        self.before = snapshot;
        let Look { doing, load, inside_s, own_commits, point } = self.options.live.look();
        if point != self.point {
            // What watches the sessions of this point has counted nothing of the last one's.
            self.point = point;
            self.nodes.clear();
        }
        let mut reading =
            Reading { at: jiff::Timestamp::now(), seconds: telemetry.seconds, doing, load, ..Reading::default() };
        compose::machine(&mut reading, &telemetry, self.options.local);
        let depth = if self.number.is_multiple_of(STATEMENTS_EVERY) { Depth::Statements } else { Depth::Counters };
        self.number += 1;
        self.database(&mut reading, depth);
        self.foreign_commits(&mut reading, inside_s, own_commits);
        say_why_no_load(&mut reading);
        reading
    }

    /// Fills in what the nodes told.
    fn database(&mut self, reading: &mut Reading, depth: Depth) {
        let names = match &self.options.looks {
            Looks::Server(observer) => observer.nodes(),
            Looks::Point(_) | Looks::Nowhere(_) => Vec::new(),
        };
        let looked = match self.look(depth) {
            Ok(looked) => looked,
            Err(error) => return reading.lacks("database", error.message),
        };
        let name = |node: usize| names.get(node).cloned().unwrap_or_else(|| format!("node {}", node + 1));
        let (expected, several) = (looked.len(), looked.len() > 1);
        let path = |node: usize| if several { format!("nodes.{}", name(node)) } else { "database".to_owned() };
        let mut answered: Vec<(String, Between)> = Vec::new();
        let mut lost = None;
        for (node, looked) in looked.into_iter().enumerate() {
            match looked {
                Ok(Some(between)) => answered.push((name(node), between)),
                Ok(None) => {
                    reading.lacks(&path(node), "it is looked at for the first time, and figures are differences");
                }
                Err(error) => {
                    reading.lacks(&path(node), error.message.clone());
                    lost = lost.or(Some(error));
                }
            }
        }
        reading.lost = lost.filter(|error| answered.is_empty() && error.target_lost()).map(|error| error.message);
        if answered.len() < expected {
            // A sum without one of its parts would be a wrong figure.
            let why = "not every node has answered, and a sum without one would be a wrong figure";
            reading.missing.entry("database".to_owned()).or_insert_with(|| why.to_owned());
        } else {
            let betweens: Vec<Between> = answered.iter().map(|(_, between)| between.clone()).collect();
            let (database, missing) = compose::database(&compose::sum(&betweens), self.options.block_bytes);
            reading.missing.extend(missing);
            reading.database = Some(database);
        }
        if several {
            let of = |(name, between): &(String, Between)| {
                (name.clone(), compose::database(between, self.options.block_bytes).0)
            };
            reading.nodes = answered.iter().map(of).collect();
        }
        if depth == Depth::Statements && !answered.is_empty() {
            let observed: Vec<(String, &Observation)> =
                answered.iter().map(|(name, between)| (name.clone(), &between.now)).collect();
            reading.top = Some(self.top.take(&observed, several));
            for (_, between) in &answered {
                let of_top = between.now.missing.iter().filter(|(path, _)| path.starts_with("top."));
                reading.missing.extend(of_top.map(|(path, why)| (path.clone(), why.clone())));
            }
        }
    }

    /// Looks at each node; what it counted since the last look. The first look at a node has nothing to compare with.
    fn look(&mut self, depth: Depth) -> Result<Vec<Result<Option<Between>, EngineError>>, EngineError> {
        let looked = match &mut self.options.looks {
            Looks::Point(engine) => match engine.observe_point(depth) {
                Ok(looked) => looked,
                Err(error) => {
                    // The next point's counts have nothing to do with this one's.
                    self.nodes.clear();
                    return Err(error);
                }
            },
            Looks::Server(observer) => observer.look(depth),
            Looks::Nowhere(why) => return Err(EngineError::other(why.clone())),
        };
        self.nodes.resize_with(looked.len(), || None);
        let looked = looked.into_iter().zip(&mut self.nodes).map(|(observed, last)| {
            let observed = observed.inspect_err(|_| *last = None)?;
            let now = observed.at.unwrap_or_else(Instant::now);
            let between = last.take().map(|(at, before)| Between {
                counters: compose::of_others(&observed, &before),
                seconds: now.saturating_duration_since(at).as_secs_f64(),
                now: observed.clone(),
            });
            *last = Some((now, observed));
            Ok(between)
        });
        Ok(looked.collect())
    }

    /// Commits of others. Where dbdyno has no load, all commits are those of others.
    fn foreign_commits(&mut self, reading: &mut Reading, inside_s: f64, own: Option<f64>) {
        let measuring = reading.doing.as_ref().is_some_and(|doing| doing.stage == PointStage::Measuring);
        let Some(database) = &mut reading.database else { return self.foreign.clear() };
        let covered = measuring && inside_s >= COVERED * reading.seconds;
        let why = match (reading.doing.is_some(), database.commits_per_s, own) {
            (false, all, _) => {
                database.foreign_commits_per_s = all;
                "the server does not tell its commits"
            }
            (true, Some(all), Some(own)) if covered => {
                database.foreign_commits_per_s = self.foreign.add(reading.seconds, all * reading.seconds, own);
                "the first seconds of a window tell nothing of others' commits: those before it are told late"
            }
            (true, Some(_), None) if covered => {
                "how many commits the server counts for dbdyno's own work is not known; foreign_sessions are seen"
            }
            _ => {
                self.foreign.clear();
                "dbdyno's own commits are told apart only inside a window"
            }
        };
        if database.foreign_commits_per_s.is_none() {
            reading.lacks("database.foreign_commits_per_s", why);
        }
    }
}

/// Why there is no load, or no rate or no time of it.
fn say_why_no_load(reading: &mut Reading) {
    let measuring = reading.doing.as_ref().map(|doing| doing.stage == PointStage::Measuring);
    let Some(load) = &reading.load else {
        let why = match measuring {
            None => "dbdyno has no load of its own",
            Some(false) => "it is outside of the window of a point",
            Some(true) => "too little of the window has passed, or what is measured tells of itself only when it ends",
        };
        return reading.lacks("load", why);
    };
    let (no_rate, no_times) = (load.ops_per_s.is_none(), load.service_time_s.is_none());
    let no_errors = load.errors_per_s.is_none();
    if no_rate {
        reading.lacks("load.ops_per_s", "no piece of work has ended, or too little of the window is in this reading");
    }
    if no_errors {
        let why = if no_times {
            "an error ends a point in the server drive"
        } else {
            "too little of the window is in this reading"
        };
        ["load.errors_per_s", "load.retries_per_s"].iter().for_each(|path| reading.lacks(path, why));
    }
    if no_times {
        reading.lacks("load.service_time_s", "the server drive times chunks, so it knows no percentiles");
    }
}

//! A fleet larger than there are machines: many agents in one process. Each speaks to the coordinator over a connection
//! of its own, as `dbdyno agent` does. The first drives load, on the null engine; the others hand in copies of its
//! part. Run by `benches/fleet_of_many`.
//!
//! Usage: many_agents DBDYNO AGENTS, with the fleet's server and key in `DBDYNO_NATS` and `DBDYNO_FLEET_KEY`. Says when
//! all wait for runs, when the first is told to begin, and when it has measured its part (milliseconds since 1970). Ends
//! with its standard input.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a bench that cannot go on has failed"
)]

use dbdyno::ENGINES;
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{AloneAnyway, Engine, EngineError, MonotonicClock, Sampling, Target};
use dbdyno_fleet::{
    Agent, AgentInfo, AgentWork, DataRun, FleetKey, NatsAccess, PartFolder, RunOn, RunOrder, SentTarget,
};
use dbdyno_run::{LiveWork, Part, PartOrder, Ready, RunContext, SessionsOrder, Starts, StopSwitch, measure_part};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// How often whoever waits for the first looks whether the point is over.
const LOOK: Duration = Duration::from_millis(100);

/// The part of the agent that drives load, and when its point began by its clock.
#[derive(Default)]
struct Original {
    part: Mutex<Option<(SessionsOrder, Part, u64)>>,
    there: Condvar,
}

/// An agent. The first drives load.
struct Work<'c> {
    is_first: bool,
    original: Arc<Original>,
    joined: Option<(Box<dyn Engine>, DataRun)>,
    catalogue: &'c Catalogue,
}

impl AgentWork for Work<'_> {
    fn join(&mut self, run: &RunOrder, _: Option<SentTarget>) -> Result<(), String> {
        let RunOn::Data(run) = &run.on else { panic!("a run on a database") };
        if self.is_first {
            let size = self.catalogue.size(&run.size).expect("a size");
            let engine = ENGINES.open(&Target::parse("null:").expect("a target"), size).expect("an engine");
            self.joined = Some((engine, run.clone()));
        }
        Ok(())
    }

    fn measure(
        &mut self,
        order: &PartOrder,
        clock: &MonotonicClock,
        starts: &mut dyn Starts,
        stop: &StopSwitch,
    ) -> Result<(), EngineError> {
        let PartOrder::Sessions(order) = order else { panic!("an order of sessions") };
        let Some((engine, run)) = &self.joined else { return self.copy(order, starts, stop) };
        *self.original.part.lock().unwrap() = None;
        let live = LiveWork::default();
        let context = RunContext {
            engine: engine.as_ref(),
            hold: &AloneAnyway,
            catalogue: self.catalogue,
            size: self.catalogue.size(&run.size).expect("a size"),
            seed: run.seed,
            data_verified: true,
            clock,
            stop,
            sampling: Sampling::Off,
            pacer: Err("the coordinator takes the machine's pace".to_owned()),
            workloads: Vec::new(),
            live: &live,
            server_settings: BTreeMap::new(),
            fleet: None,
        };
        let mut starts = Copied { original: &self.original, order, starts, begins_ns: 0 };
        measure_part(&context, order, &mut starts)
    }

    fn leave(&mut self) {
        self.joined = None;
    }
}

impl Work<'_> {
    /// Hands in a copy of the first one's part, once that is there.
    fn copy(&self, order: &SessionsOrder, starts: &mut dyn Starts, stop: &StopSwitch) -> Result<(), EngineError> {
        let Some(begins_ns) = starts.ready(Ready::default()) else { return Ok(()) };
        loop {
            let original = self.original.part.lock().unwrap();
            let (original, _) = self.original.there.wait_timeout(original, LOOK).unwrap();
            match original.as_ref().filter(|(of, ..)| of.planned == order.planned).cloned() {
                Some((_, part, first_begins_ns)) => {
                    drop(original);
                    return starts.ended(part.shifted(begins_ns.cast_signed() - first_begins_ns.cast_signed()));
                }
                // The first may be lost, and the point over.
                None if stop.requested() => return Ok(()),
                None => {}
            }
        }
    }
}

/// Keeps the part for the others.
struct Copied<'a> {
    original: &'a Original,
    order: &'a SessionsOrder,
    starts: &'a mut dyn Starts,
    begins_ns: u64,
}

impl Starts for Copied<'_> {
    fn ready(&mut self, ready: Ready) -> Option<u64> {
        let begins_ns = self.starts.ready(ready)?;
        println!("begins");
        self.begins_ns = begins_ns;
        Some(begins_ns)
    }

    fn ended(&mut self, part: Part) -> Result<(), EngineError> {
        println!("measured {}", jiff::Timestamp::now().as_millisecond());
        *self.original.part.lock().unwrap() = Some((self.order.clone(), part.clone(), self.begins_ns));
        self.original.there.notify_all();
        self.starts.ended(part)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dbdyno, agents] = arguments.as_slice() else { panic!("many_agents DBDYNO AGENTS") };
    let agents: usize = agents.parse().expect("a number of agents");
    let access = NatsAccess { urls: vec![std::env::var("DBDYNO_NATS").expect("DBDYNO_NATS")], ..NatsAccess::default() };
    let key = FleetKey::new(&std::env::var("DBDYNO_FLEET_KEY").expect("DBDYNO_FLEET_KEY")).expect("a key");
    let program = std::fs::read(dbdyno).expect("dbdyno");
    // The coordinator takes agents of its own build alone.
    let info = AgentInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: format!("build {:016x}", xxhash_rust::xxh3::xxh3_64(&program)),
        weight: 1.0,
        ..AgentInfo::default()
    };
    let folder = std::env::temp_dir().join(format!("dbdyno-agents.{}", std::process::id()));
    let catalogue = &Catalogue::embedded().expect("a catalogue");
    let (stop, original) = (StopSwitch::default(), Arc::new(Original::default()));
    std::thread::scope(|scope| {
        for n in 0..agents {
            let name = format!("agent-{n:04}");
            let parts = PartFolder::open(&folder.join(&name), ("fleet", &name)).expect("a folder");
            let agent = Agent::connect(
                &access,
                ("fleet", &name),
                key.clone(),
                info.clone(),
                (parts, Arc::default(), stop.clone()),
            )
            .expect("a connection");
            let original = Arc::clone(&original);
            scope.spawn(move || {
                agent.serve(&mut Work { is_first: n == 0, original, joined: None, catalogue }, &|_| ());
            });
        }
        println!("{agents} agents wait for runs");
        std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("standard input");
        stop.request();
        std::thread::sleep(Duration::from_millis(500));
    });
    std::fs::remove_dir_all(&folder).expect("its folder is removed");
}

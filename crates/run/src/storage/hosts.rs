//! A storage point that several hosts share: each puts its share of the load on the same devices and files, in one
//! window, and what they measured is merged.

use super::figures;
use crate::client::is_unmet;
use crate::fleet::{
    AgentPart, AgentReady, Fleet, LEAD_NS, Member, MergedWork, PARTS_LIMIT_NS, PartOrder, PlannedWindow, StorageOrder,
    agent_use, check, gather_parts,
};
use crate::{Span, StopSwitch};
use dbdyno_engine::{Clock, EngineError};
use dbdyno_model::{AgentUse, ClientLoad, Flag, Point, Status};
use dbdyno_probe::{Sampler, Snapshot};
use dbdyno_storage::{BackendKind, IoLoad, StorageMeasurement};

/// How long a host may wait for the last answers of its devices.
const ANSWERS_NS: u64 = 10_000_000_000;

/// The hosts that share the points of a storage run.
#[derive(Clone, Copy)]
pub struct StorageHosts<'a> {
    /// The hosts.
    pub fleet: &'a dyn Fleet,
    /// The clock that theirs are compared with.
    pub clock: &'a dyn Clock,
}

/// Which hosts did the work, in words.
fn shared_by(point: &Point, members: &[Member]) -> String {
    let host = |(n, AgentUse { name, jobs, .. }): (usize, &AgentUse)| match n {
        0 => format!("{name} ({jobs} outstanding)"),
        _ => format!("{name} ({jobs})"),
    };
    let hosts: Vec<String> = point.agents.iter().enumerate().map(host).collect();
    let number = if hosts.len() == 1 { "1 host".to_owned() } else { format!("{} hosts", hosts.len()) };
    let works = |member: &Member| point.agents.iter().any(|agent| agent.name == member.name);
    let idle: Vec<&str> = members.iter().filter(|member| !works(member)).map(|member| member.name.as_str()).collect();
    let idle = if idle.is_empty() { String::new() } else { format!("; too few I/Os for {}", idle.join(", ")) };
    format!("by {number}: {}{idle}", hosts.join(", "))
}

/// The point is over for the hosts when this is dropped.
struct Over<'a>(&'a dyn Fleet);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl StorageHosts<'_> {
    /// Has the hosts do their shares of a load, and merges what they measured. What is known of each stands in the
    /// point.
    ///
    /// # Errors
    /// A host was lost or could not do it, or the user stopped the point.
    pub(super) fn measure(
        &self,
        (load, backend): (&IoLoad, BackendKind),
        sampler: &Sampler,
        stop: &StopSwitch,
        point: &mut Point,
    ) -> Result<StorageMeasurement, EngineError> {
        let Self { fleet, clock, .. } = *self;
        let members = fleet.members();
        let weights: Vec<f64> = members.iter().map(|member| member.weight).collect();
        let loads = load.divided(&weights);
        let order = |load: &Option<IoLoad>| Some(PartOrder::Storage(StorageOrder { load: load.clone()?, backend }));
        let orders: Vec<Option<PartOrder>> = loads.iter().map(order).collect();
        let _over = Over(fleet);
        let ready = fleet.prepare(&orders, stop)?;
        let outstanding = |ready: &AgentReady| loads[ready.member].as_ref().map_or(0, |load| load.small + load.large);
        point.agents = ready.iter().map(|ready| agent_use(&members[ready.member], outstanding(ready), ready)).collect();
        let starts_ns = clock.now_ns() + LEAD_NS;
        let start_ns = starts_ns + (load.warm_up_s * 1e9) as u64;
        let window = Span { start_ns, end_ns: start_ns + (load.duration_s * 1e9) as u64 };
        fleet.start(starts_ns, Some(window.end_ns));
        let is_here = members.iter().all(|member| member.pid_here.is_some());
        let (mut before, mut after, mut lacking) = (None, None, Vec::new());
        let mut look = |now_ns: u64| {
            if before.is_none() && now_ns >= window.start_ns {
                before = Some(sampler.snapshot());
            }
            if after.is_none() && now_ns >= window.end_ns {
                after = Some(sampler.snapshot());
            }
        };
        // What one host alone has not done is not seen in the sum of all.
        let mut see = |member: &Member, of: &AgentPart| {
            if let (Some(measured), Some(load)) = (of.part.storage(), &loads[of.member]) {
                lacking.extend(judged(measured, load, point.load).map(|what| format!("{}: {what}", member.name)));
            }
        };
        let latest_ns = window.end_ns + ANSWERS_NS + PARTS_LIMIT_NS;
        let is_over = || stop.requested();
        let parts = gather_parts((fleet, &ready), (clock, latest_ns), &is_over, &mut look, &mut see)?;
        let (work, facts) = parts.finish()?;
        let planned = PlannedWindow {
            starts_ns: Some(starts_ns),
            window: Some(window),
            is_pieces: false,
            hint: "it was stopped, or its I/O could not go on",
        };
        check(&planned, is_here, &facts, point);
        let late = facts.iter().zip(&point.agents).filter(|(of, _)| of.began_ns > window.start_ns);
        lacking.extend(late.map(|(_, agent)| format!("{}: its window had begun before its I/O", agent.name)));
        if !lacking.is_empty() {
            lacking.sort_unstable();
            lacking.splice(0..0, point.reason.take());
            (point.status, point.reason) = (Status::Invalid, Some(lacking.join("; ")));
        }
        self.machine(is_here, before.zip(after), sampler, point);
        for AgentReady { member, ready, .. } in &ready {
            for doubt in &ready.doubts {
                point.flag(Flag::NotProved, format!("{}: {doubt}", members[*member].name));
            }
        }
        match work {
            MergedWork::Storage(mut measured) => {
                measured.notes.insert(0, shared_by(point, &members));
                Ok(*measured)
            }
            MergedWork::Server(_) | MergedWork::Client { .. } => {
                Err(EngineError::other("hosts ran sessions instead of doing I/O"))
            }
        }
    }

    /// What the operating system counted, where all hosts are this machine. It would be a part of the I/O elsewhere.
    fn machine(&self, is_here: bool, edges: Option<(Snapshot, Snapshot)>, sampler: &Sampler, point: &mut Point) {
        if let Some((before, after)) = edges.filter(|_| is_here) {
            let telemetry = sampler.difference(&before, &after);
            return figures::machine(point, &telemetry, before.clock_jump_s(&after));
        }
        let why = match is_here {
            true => "the point ended before its window did",
            false => "not all hosts of the fleet are this machine; each tells of its processors",
        };
        for path in ["cpu", "io", "memory", "network", "pressure"] {
            point.lacks(path, why);
        }
    }
}

/// What a host has not done of its own share, in words.
fn judged(measured: &StorageMeasurement, load: &IoLoad, asked: ClientLoad) -> impl Iterator<Item = String> {
    let due = load.rate.map(|rate| rate.iops * measured.window_s);
    let done = measured.ios();
    let unmet = due.filter(|due| is_unmet(asked, *due, done as f64, load.small + load.large));
    let unmet = unmet.map(|due| format!("of {due:.0} I/Os that were due there, {done} were done"));
    measured.lacking(load).into_iter().chain(unmet)
}

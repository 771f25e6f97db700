//! A storage point that several hosts share: each puts its share of the load on the same devices and files, in one
//! window, and what they measured is merged.

use super::figures;
use crate::fleet::{
    AgentReady, Fleet, LEAD_NS, Member, MergedParts, MergedWork, PARTS_LIMIT_NS, PartOrder, PlannedWindow,
    StorageOrder, TICK, agent_use, check, merge_part,
};
use crate::{Span, StopSwitch};
use dbdyno_engine::{Clock, EngineError};
use dbdyno_model::{AgentUse, ErrorClass, Flag, Point, Status};
use dbdyno_probe::{Sampler, Snapshot};
use dbdyno_storage::{BackendKind, IoLoad, LunPrint, StorageMeasurement};

/// The hosts that share the points of a storage run.
#[derive(Clone, Copy)]
pub struct StorageHosts<'a> {
    /// The hosts.
    pub fleet: &'a dyn Fleet,
    /// The clock that theirs are compared with.
    pub clock: &'a dyn Clock,
    /// What tells the devices and files from others, in their order.
    pub prints: &'a [LunPrint],
}

/// Which hosts did the work, in words.
fn shared_by(point: &Point) -> String {
    let host = |(n, AgentUse { name, jobs, .. }): (usize, &AgentUse)| match n {
        0 => format!("{name} ({jobs} outstanding)"),
        _ => format!("{name} ({jobs})"),
    };
    let hosts: Vec<String> = point.agents.iter().enumerate().map(host).collect();
    format!("by {} hosts: {}", hosts.len(), hosts.join(", "))
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
        fleet.start(starts_ns);
        let start_ns = starts_ns + (load.warm_up_s * 1e9) as u64;
        let window = Span { start_ns, end_ns: start_ns + (load.duration_s * 1e9) as u64 };
        let (parts, edges) = self.wait_for_parts((&members, &ready), window, sampler, stop)?;
        let (work, facts) = parts.finish()?;
        let planned = PlannedWindow { starts_ns: Some(starts_ns), window: Some(window), is_open: true };
        let is_here = members.iter().all(|member| member.pid_here.is_some());
        check(&planned, is_here, &facts, point);
        let late = facts.iter().zip(&point.agents).filter(|(of, _)| of.window.start_ns != window.start_ns);
        let late: Vec<String> = late.map(|(_, agent)| format!("{} did not begin when it was to", agent.name)).collect();
        if !late.is_empty() {
            (point.status, point.reason) = (Status::Invalid, Some(late.join("; ")));
        }
        self.machine(edges.filter(|_| is_here), sampler, point);
        for LunPrint { path, .. } in self.prints.iter().filter(|print| !print.is_telling) {
            let note = format!("{path} holds the same everywhere, so nobody can tell whether all hosts have that one");
            point.flag(Flag::NotProved, note);
        }
        match work {
            MergedWork::Storage(mut measured) => {
                measured.notes.insert(0, shared_by(point));
                Ok(*measured)
            }
            MergedWork::Server(_) | MergedWork::Client { .. } => {
                Err(EngineError::other("hosts ran sessions instead of doing I/O"))
            }
        }
    }

    /// Waits for the parts of all hosts. Looks at this machine meanwhile, when the window begins and ends.
    fn wait_for_parts(
        &self,
        (members, ready): (&[Member], &[AgentReady]),
        window: Span,
        sampler: &Sampler,
        stop: &StopSwitch,
    ) -> Result<(MergedParts, Option<(Snapshot, Snapshot)>), EngineError> {
        let (mut before, mut after) = (None, None);
        let mut merged = MergedParts::default();
        loop {
            let now_ns = self.clock.now_ns();
            if before.is_none() && now_ns >= window.start_ns {
                before = Some(sampler.snapshot());
            }
            if after.is_none() && now_ns >= window.end_ns {
                after = Some(sampler.snapshot());
            }
            for part in self.fleet.parts(TICK)? {
                merge_part(&mut merged, part, (members, ready))?;
            }
            if merged.len() == ready.len() {
                return Ok((merged, before.zip(after)));
            }
            if stop.requested() {
                return Err(EngineError::new(ErrorClass::Cancelled, "interrupted"));
            }
            if now_ns > window.end_ns + PARTS_LIMIT_NS {
                let message =
                    format!("parts of hosts were missing {} s after the window", PARTS_LIMIT_NS / 1_000_000_000);
                return Err(EngineError::new(ErrorClass::Timeout, message));
            }
        }
    }

    /// What the operating system counted, where all hosts are this machine. It would be a part of the I/O elsewhere.
    fn machine(&self, edges: Option<(Snapshot, Snapshot)>, sampler: &Sampler, point: &mut Point) {
        match edges {
            Some((before, after)) => {
                let telemetry = sampler.difference(&before, &after);
                figures::machine(point, &telemetry, before.clock_jump_s(&after));
            }
            None => {
                for path in ["cpu", "io", "memory", "network", "pressure"] {
                    point.lacks(path, "the hosts of the fleet are other machines; each tells of its processors");
                }
            }
        }
    }
}

//! The coordinator of a point that several hosts share.

use super::check::{PlannedWindow, check};
use super::contract::{AgentReady, Fleet, Member, PartOrder, SessionsOrder};
use super::part::{AgentPart, MergedParts, MergedWork, PartFacts, pumps};
use super::share::Share;
use crate::RunContext;
use crate::client::GRACE;
use crate::jobs::{FailedMeasurement, RawMeasurement, client_measurement, server_measurement};
use crate::point_context::PointContext;
use crate::watch::{Edges, watch};
use dbdyno_engine::{Clock, Engine, EngineError, SessionAccount, StartGate};
use dbdyno_model::{AgentUse, ErrorClass, PlannedPoint, Point, PumpUse, Status};
use std::time::Duration;

/// Time between the order to begin and the beginning: every host has the order by then.
pub(crate) const LEAD_NS: u64 = 400_000_000;
/// How often the coordinator looks for parts.
const TICK: Duration = Duration::from_millis(20);
/// How often it shows what hosts have told of their work.
const SHOW_NS: u64 = 200_000_000;
/// How long parts may take to come after the last job may have ended.
pub(crate) const PARTS_LIMIT_NS: u64 = 60_000_000_000;

/// A point that the members of a fleet have prepared. It is over for them when this is dropped.
pub(crate) struct SharedPoint<'e> {
    fleet: &'e dyn Fleet,
    engine: &'e dyn Engine,
    ready: Vec<AgentReady>,
}

impl Drop for SharedPoint<'_> {
    fn drop(&mut self) {
        self.fleet.end();
        for AgentReady { member, ready, .. } in &self.ready {
            if self.fleet.is_lost(*member) {
                self.engine.end_sessions(&ready.sessions);
            }
            self.engine.exclude(&ready.sessions);
        }
    }
}

impl<'e> SharedPoint<'e> {
    /// Has the members prepare their shares of a point. What they found is in the point: where it is a problem, the
    /// point is invalid.
    ///
    /// # Errors
    /// As for [`Fleet::prepare`].
    pub(crate) fn prepare(
        fleet: &'e dyn Fleet,
        context: &RunContext<'e>,
        planned: &PlannedPoint,
        point: &mut Point,
    ) -> Result<Self, EngineError> {
        let mut shared = Self { fleet, engine: context.engine, ready: Vec::new() };
        let members = fleet.members();
        let weights: Vec<f64> = members.iter().map(|member| member.weight).collect();
        let shares = Share::divide(planned, &weights);
        let order = |(share, member): (&Option<Share>, &Member)| {
            let asked_per_s = point.asked_per_s;
            let order = |share| SessionsOrder { planned: planned.clone(), share, asked_per_s, node: member.node };
            share.map(|share| PartOrder::Sessions(Box::new(order(share))))
        };
        let hosts = shares.iter().flatten().count();
        if let Some(connections) = planned.load.connections.filter(|n| (*n as usize) < hosts) {
            let message = format!("{connections} connections are too few for {hosts} hosts: each needs one at least");
            return Err(EngineError::other(message));
        }
        let orders: Vec<Option<PartOrder>> = shares.iter().zip(&members).map(order).collect();
        shared.ready = fleet.prepare(&orders, context.stop)?;
        shared.ready.iter().for_each(|ready| shared.engine.include(&ready.ready.sessions));
        let found = |ready: &AgentReady| {
            let name = &members[ready.member].name;
            ready.ready.problems.iter().map(|problem| format!("{name}: {problem}")).collect::<Vec<_>>()
        };
        let problems: Vec<String> = shared.ready.iter().flat_map(found).collect();
        if !problems.is_empty() {
            point.status = Status::Invalid;
            point.reason = Some(problems.join("; "));
        }
        point.plan = shared.ready.iter().find_map(|ready| ready.ready.plan.clone());
        let jobs = |ready: &AgentReady| shares[ready.member].map_or(0, |share| share.jobs);
        let agent = |ready: &AgentReady| agent_use(&members[ready.member], jobs(ready), ready);
        point.agents = shared.ready.iter().map(agent).collect();
        Ok(shared)
    }

    /// Lets the hosts work, and merges their parts.
    ///
    /// # Errors
    /// A host was lost, or its sessions failed.
    pub(crate) fn measure(
        &self,
        context: &PointContext<'_>,
        point: &mut Point,
    ) -> Result<RawMeasurement, FailedMeasurement> {
        let before = self.engine.point_statistics(None)?;
        let (parts, edges) = work(context, self.fleet, &self.ready)?;
        let (work, facts) = parts.finish().map_err(EngineError::from)?;
        check(&PlannedWindow::of(context.window), self.engine.features().local, &facts, point);
        facts.iter().for_each(|of| self.engine.include(&done(&of.accounts)));
        let mut measured = merged(context, (work, &facts), edges, point)?;
        if context.window.span().is_none() {
            return Err(FailedMeasurement { error: stopped(), types: measured.types });
        }
        measured.counters = match self.engine.evidence(&before) {
            Ok(counters) => counters,
            Err(error) => return Err(FailedMeasurement { error, types: measured.types }),
        };
        Ok(measured)
    }
}

/// A host that takes part, with so many jobs, or I/Os outstanding.
pub(crate) fn agent_use(member: &Member, jobs: u32, ready: &AgentReady) -> AgentUse {
    AgentUse {
        name: member.name.clone(),
        jobs,
        node: member.node,
        is_with_coordinator: member.pid_here.is_some(),
        clock_offset_s: ready.offset_ns as f64 / 1e9,
        clock_bound_s: ready.bound_ns as f64 / 1e9,
        ..AgentUse::default()
    }
}

/// What sessions have done, without the sessions, which may have ended.
fn done(accounts: &[SessionAccount]) -> Vec<SessionAccount> {
    accounts.iter().map(|account| SessionAccount { done: account.done.clone(), ..SessionAccount::default() }).collect()
}

/// Has the hosts begin, watches the machine meanwhile, and waits for their parts.
fn work(
    context: &PointContext<'_>,
    fleet: &dyn Fleet,
    ready: &[AgentReady],
) -> Result<(MergedParts, Edges), EngineError> {
    let PointContext { run, window, .. } = *context;
    let starts_ns = run.clock.now_ns() + LEAD_NS;
    fleet.start(starts_ns, window.pace().ends_ns(starts_ns));
    let gate = StartGate::new(2);
    std::thread::scope(|scope| {
        let gate = &gate;
        let watcher = std::thread::Builder::new().name("watch".to_owned());
        let watcher = watcher
            .spawn_scoped(scope, move || watch(context, gate, None))
            .map_err(|error| EngineError::other(format!("cannot start a thread: {error}")))?;
        run.clock.sleep_ns(starts_ns.saturating_sub(run.clock.now_ns()));
        // The fleet is one job of the coordinator's window, which begins and ends as planned.
        let started = gate.wait();
        window.arrive(starts_ns);
        window.warmed(starts_ns);
        let parts = if started { wait_for_parts(context, fleet, (ready, starts_ns)) } else { Err(stopped()) };
        if let Ok(parts) = &parts {
            let last_ns = parts.last_ns();
            // A window that does not consist of pieces ends as planned.
            window.pass(last_ns.filter(|_| window.pace().is_pieces()).unwrap_or(starts_ns));
        }
        window.close();
        let edges = watcher.join().unwrap_or_default();
        run.live.work_ends();
        Ok((parts?, edges))
    })
}

fn stopped() -> EngineError {
    EngineError::new(ErrorClass::Cancelled, "the point was stopped")
}

fn wait_for_parts(
    context: &PointContext<'_>,
    fleet: &dyn Fleet,
    (ready, starts_ns): (&[AgentReady], u64),
) -> Result<MergedParts, EngineError> {
    let PointContext { run, window, .. } = *context;
    let limit_ns = GRACE.as_nanos() as u64 + PARTS_LIMIT_NS;
    let latest_ns = window.pace().ends_ns(starts_ns).map_or(u64::MAX, |ends_ns| ends_ns + limit_ns);
    let mut shown_ns = 0;
    let mut look = |now_ns: u64| {
        if now_ns - shown_ns >= SHOW_NS {
            run.live.follow_hosts(ready.len(), fleet.progress());
            shown_ns = now_ns;
        }
    };
    let is_over = || run.stop.requested() || window.over();
    gather_parts((fleet, ready), (run.clock, latest_ns), &is_over, &mut look, &mut |_, _| ())
}

/// Merges the parts of hosts as they come, until all are there. Looks at the clock some fifty times a second, and shows
/// each part before it is merged.
///
/// # Errors
/// A host is lost, the point is over, or parts are missing at the latest moment.
pub(crate) fn gather_parts(
    (fleet, ready): (&dyn Fleet, &[AgentReady]),
    (clock, latest_ns): (&dyn Clock, u64),
    is_over: &dyn Fn() -> bool,
    look: &mut dyn FnMut(u64),
    see: &mut dyn FnMut(&Member, &AgentPart),
) -> Result<MergedParts, EngineError> {
    let (members, mut merged) = (fleet.members(), MergedParts::default());
    loop {
        look(clock.now_ns());
        for of in fleet.parts(TICK)? {
            let member = &members[of.member];
            see(member, &of);
            let offset_ns = ready.iter().find(|ready| ready.member == of.member).map_or(0, |ready| ready.offset_ns);
            merged.add(&member.name, AgentPart { part: of.part.shifted(-offset_ns), ..of })?;
        }
        if merged.len() == ready.len() {
            return Ok(merged);
        }
        if is_over() {
            return Err(stopped());
        }
        if clock.now_ns() > latest_ns {
            let missing = ready.iter().filter(|ready| !merged.has(ready.member));
            let missing: Vec<&str> = missing.map(|ready| members[ready.member].name.as_str()).collect();
            let message = format!(
                "the parts of {} were still missing {} s after the window",
                missing.join(", "),
                PARTS_LIMIT_NS / 1_000_000_000
            );
            return Err(EngineError::new(ErrorClass::Timeout, message));
        }
    }
}

/// The parts as one measurement.
fn merged(
    context: &PointContext<'_>,
    (work, facts): (MergedWork, &[PartFacts]),
    edges: Edges,
    point: &mut Point,
) -> Result<RawMeasurement, FailedMeasurement> {
    match work {
        MergedWork::Server(part) => Ok(server_measurement(part, edges, point)?),
        MergedWork::Client { recording, gathered } => {
            let pump: PumpUse = pumps(facts.iter().map(|of| of.pump));
            let began_ns = facts.iter().map(|of| of.began_ns).min();
            let result = gathered.result(&recording, began_ns, context.window.span());
            client_measurement(context.work, result, Ok((pump, edges)), point)
        }
        MergedWork::Storage(_) => Err(EngineError::other("hosts did I/O instead of running sessions").into()),
    }
}

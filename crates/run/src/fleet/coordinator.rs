//! The coordinator of a point that several hosts share.

use super::contract::{AgentPart, AgentReady, Fleet, Member, PartOrder};
use super::part::{MergedWork, ServerPart, merge, pumps};
use super::share::Share;
use crate::client::GRACE;
use crate::jobs::{Edges, FailedMeasurement, PointContext, RawMeasurement, client_measurement, watch};
use crate::{RunContext, WindowMode};
use dbdyno_engine::{Engine, EngineError, SessionAccount, StartGate};
use dbdyno_model::{AgentUse, ErrorClass, Flag, PlannedPoint, Point, PumpUse, Status};
use std::time::Duration;

/// Time between the order to begin and the beginning: every host has the order by then.
const LEAD_NS: u64 = 400_000_000;
/// How often the coordinator looks for parts.
const TICK: Duration = Duration::from_millis(20);
/// How long parts may take to come after the last job may have ended.
const PARTS_LIMIT_NS: u64 = 60_000_000_000;
/// A clock that is known less well than this share of the window makes rates doubtful.
const CLOCK_SHARE: f64 = 0.01;
/// A host as busy as this may have held its sessions back.
const BUSY_PCT: f64 = 90.0;

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
            share.map(|share| PartOrder { planned: planned.clone(), share, asked_per_s, node: member.node })
        };
        let hosts = shares.iter().flatten().count();
        if let Some(connections) = planned.load.connections.filter(|n| (*n as usize) < hosts) {
            let message = format!("{connections} connections are too few for {hosts} hosts: each needs one at least");
            return Err(EngineError::other(message));
        }
        let orders: Vec<Option<PartOrder>> = shares.iter().zip(&members).map(order).collect();
        shared.ready = fleet.prepare(&orders, context.stop)?;
        shared.engine_knows();
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
        let agent = |ready: &AgentReady| agent_use(&members[ready.member], shares[ready.member], ready);
        point.agents = shared.ready.iter().map(agent).collect();
        Ok(shared)
    }

    fn engine_knows(&self) {
        self.ready.iter().for_each(|ready| self.engine.include(&ready.ready.sessions));
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
        check(context, &parts, point);
        parts.iter().for_each(|AgentPart { part, .. }| self.engine.include(&done(&part.accounts)));
        let mut measured = merged(context, parts, edges, point)?;
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

fn agent_use(member: &Member, share: Option<Share>, ready: &AgentReady) -> AgentUse {
    AgentUse {
        name: member.name.clone(),
        jobs: share.map_or(0, |share| share.jobs),
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

fn by_own_clock(parts: Vec<AgentPart>, ready: &[AgentReady]) -> Vec<AgentPart> {
    let offset_ns = |member| ready.iter().find(|ready| ready.member == member).map_or(0, |ready| ready.offset_ns);
    let shifted = |of: AgentPart| AgentPart { part: of.part.shifted(-offset_ns(of.member)), ..of };
    parts.into_iter().map(shifted).collect()
}

/// Has the hosts begin, watches the machine meanwhile, and waits for their parts.
fn work(
    context: &PointContext<'_>,
    fleet: &dyn Fleet,
    ready: &[AgentReady],
) -> Result<(Vec<AgentPart>, Edges), EngineError> {
    let PointContext { run, window, .. } = *context;
    let starts_ns = run.clock.now_ns() + LEAD_NS;
    fleet.start(starts_ns);
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
        let parts = if started { wait_for_parts(context, fleet, starts_ns) } else { Err(stopped()) };
        let parts = parts.map(|parts| by_own_clock(parts, ready));
        if let Ok(parts) = &parts {
            let last_ns = parts.iter().map(|AgentPart { part, .. }| part.window.end_ns).max();
            // A window that does not consist of pieces ends as planned.
            window.pass(last_ns.filter(|_| window.pace().is_pieces()).unwrap_or(starts_ns));
        }
        window.close();
        let edges = watcher.join().unwrap_or_default();
        Ok((parts?, edges))
    })
}

fn stopped() -> EngineError {
    EngineError::new(ErrorClass::Cancelled, "the point was stopped")
}

fn wait_for_parts(
    context: &PointContext<'_>,
    fleet: &dyn Fleet,
    starts_ns: u64,
) -> Result<Vec<AgentPart>, EngineError> {
    let PointContext { run, window, .. } = *context;
    let latest_ns = match window.pace() {
        WindowMode::Steady { duration_ns, .. } => {
            window.pace().begins_ns(starts_ns) + duration_ns + GRACE.as_nanos() as u64 + PARTS_LIMIT_NS
        }
        // Pieces take as long as they need.
        WindowMode::Pieces { .. } => u64::MAX,
    };
    loop {
        if let Some(parts) = fleet.parts(TICK)? {
            return Ok(parts);
        }
        if run.stop.requested() || window.over() {
            return Err(stopped());
        }
        if run.clock.now_ns() > latest_ns {
            let message =
                format!("parts of hosts were still missing {} s after the window", PARTS_LIMIT_NS / 1_000_000_000);
            return Err(EngineError::new(ErrorClass::Timeout, message));
        }
    }
}

/// Looks whether all hosts measured the same window, how well their clocks are known, and how busy they were.
fn check(context: &PointContext<'_>, parts: &[AgentPart], point: &mut Point) {
    let planned = context.window.start_ns();
    let steady = !context.window.pace().is_pieces();
    let duration_ns = match context.window.pace() {
        WindowMode::Steady { duration_ns, .. } | WindowMode::Pieces { duration_ns } => duration_ns,
    };
    let (mut problems, mut not_compared) = (Vec::new(), Vec::new());
    // Agents are in the order of their members, as are parts.
    for (agent, AgentPart { part, offset_after, .. }) in point.agents.iter_mut().zip(parts) {
        // What a clock gained or lost meanwhile is not known at any moment of the window.
        match offset_after {
            Some((offset_ns, bound_ns)) => {
                let drift_s = (*offset_ns as f64 / 1e9 - agent.clock_offset_s).abs();
                agent.clock_bound_s = drift_s + agent.clock_bound_s.max(*bound_ns as f64 / 1e9);
            }
            None => not_compared.push(agent.name.clone()),
        }
        agent.started_after_s = planned.map(|planned_ns| {
            let warm_up_ns = context.window.pace().begins_ns(0);
            (part.began_ns.cast_signed() - (planned_ns - warm_up_ns).cast_signed()) as f64 / 1e9
        });
        agent.ops_total = Some(part.total_ops());
        agent.host = part.host.clone();
        let is_planned = |start_ns| part.window.start_ns == start_ns && part.window.length_ns() == duration_ns;
        if steady && !planned.is_some_and(is_planned) {
            let late_s = part.window.length_ns().abs_diff(duration_ns) as f64 / 1e9;
            problems.push(format!(
                "{}: a job was not warm when the window began, or had not done its least chunks when it ended (it needed \
                 {late_s:.1} s more); use a longer --duration",
                agent.name
            ));
        }
    }
    let unknown = |name: String| (Flag::NotProved, format!("the clock of {name} was not compared after the window"));
    let mut flags: Vec<(Flag, String)> = not_compared.into_iter().map(unknown).collect();
    for agent in &point.agents {
        if agent.clock_bound_s > CLOCK_SHARE * duration_ns as f64 / 1e9 {
            let note = format!("the clock of {} is known to {:.1} ms only", agent.name, agent.clock_bound_s * 1e3);
            flags.push((Flag::NotProved, note));
        }
        if let Some(busy_pct) = agent.host.busy_pct.filter(|busy_pct| *busy_pct > BUSY_PCT)
            && !agent.is_with_coordinator
        {
            flags.push((Flag::HarnessHeavy, format!("the host of {} was {busy_pct:.0} % busy", agent.name)));
        }
        if let Some(steal_pct) = agent.host.steal_pct.filter(|steal_pct| *steal_pct > 2.0)
            && !agent.is_with_coordinator
        {
            flags.push((Flag::CpuSteal, format!("{steal_pct:.1} % of the time of the host of {}", agent.name)));
        }
    }
    flags.into_iter().for_each(|(flag, note)| point.flag(flag, note));
    if !problems.is_empty() {
        point.status = Status::Invalid;
        point.reason = Some(problems.join("; "));
    }
}

/// The parts as one measurement.
fn merged(
    context: &PointContext<'_>,
    parts: Vec<AgentPart>,
    edges: Edges,
    point: &mut Point,
) -> Result<RawMeasurement, FailedMeasurement> {
    let pump: PumpUse = pumps(parts.iter().map(|AgentPart { part, .. }| part.pump));
    let began_ns = parts.iter().map(|AgentPart { part, .. }| part.began_ns).min();
    let names: Vec<String> = point.agents.iter().map(|agent| agent.name.clone()).collect();
    let named = names.into_iter().zip(parts.into_iter().map(|AgentPart { part, .. }| part.work));
    let unlike = |error| EngineError::other(format!("the parts of the hosts: {error}"));
    let work = merge(named).map_err(unlike)?;
    match work {
        MergedWork::Server(ServerPart { error: Some(error), .. }) => Err(error.into()),
        MergedWork::Server(ServerPart { log, outcomes, discarding_ns, .. }) => {
            point.outcomes = outcomes;
            Ok(RawMeasurement { log, discarding_ns, edges, ..RawMeasurement::default() })
        }
        MergedWork::Client { recording, gathered } => {
            let result = gathered.result(&recording, began_ns, context.window.span());
            client_measurement(context.work, result, Ok((pump, edges)), point)
        }
    }
}

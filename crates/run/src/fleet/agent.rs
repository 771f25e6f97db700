//! One host's share of a point.

use super::contract::{Ready, SessionsOrder, Starts};
use super::part::Part;
use crate::jobs;
use crate::point::{empty_point, open_sessions};
use crate::point_context::PointContext;
use crate::work::PlannedWork;
use crate::{RunContext, Window, figures};
use dbdyno_engine::{EngineError, SessionAccount};
use dbdyno_model::{ErrorClass, HostUse};
use dbdyno_probe::{HarnessShare, Sampler, Telemetry};

/// Runs the sessions of a host's share. The coordinator has prepared the point.
///
/// # Errors
/// The sessions could not be opened or prepared, or the work did not come to its end.
pub fn measure_part(
    context: &RunContext<'_>,
    order: &SessionsOrder,
    starts: &mut dyn Starts,
) -> Result<(), EngineError> {
    let mut planned = order.planned.clone();
    planned.load.connections = order.share.connections;
    let unknown = |why| EngineError::new(ErrorClass::UnknownObject, why);
    let planned_work = PlannedWork::of_share(context, &planned, order.share).map_err(unknown)?;
    let work = planned_work.work();
    let mut point = empty_point(&planned);
    point.asked_per_s = order.asked_per_s;
    let opened = open_sessions(context, &planned, (work, order.node), &mut point);
    let result = opened.and_then(|opened| {
        let (mut sessions, forms) = opened;
        let before = context.engine.accounts();
        let problems = point.reason.take().into_iter().collect();
        let told = before.iter().map(|account| SessionAccount { done: Default::default(), ..account.clone() });
        let doubts = Vec::new();
        let ready = Ready { plan: point.plan.take(), problems, doubts, sessions: told.collect() };
        let not_begun = || EngineError::new(ErrorClass::Cancelled, "the coordinator did not let the point begin");
        let starts_ns = starts.ready(ready).ok_or_else(not_begun)?;
        let mode = figures::window_mode(work, planned.duration_s);
        let window = Window::new(mode, sessions.len()).beginning_at(mode.begins_ns(starts_ns));
        let harness = match context.engine.features().in_process {
            true => HarnessShare::NotSeparable,
            false => HarnessShare::OwnProcess,
        };
        let sampler = Sampler::new(&[], harness).beside(context.engine.server_pid());
        let point_context = PointContext {
            run: context,
            work,
            window: &window,
            sampler: &sampler,
            evictor: None,
            may_follow_from_jobs: planned.may_follow_from_jobs,
            forms: &forms,
            starts_ns: Some(starts_ns),
        };
        let (part, pump, edges) = jobs::part(&point_context, planned.load, &mut sessions, order.asked_per_s)?;
        sessions.iter_mut().try_for_each(|session| session.flush())?;
        let accounts = context.engine.accounts();
        let accounts = accounts.iter().zip(&before).map(|(now, before)| now.since(before)).collect();
        let (Some(began_ns), Some(span)) = (window.barrier_ns(), window.span()) else {
            return Err(EngineError::new(ErrorClass::Cancelled, "the point was stopped"));
        };
        let edges = edges.before.zip(edges.after);
        let host = edges.map(|(before, after)| host_use(&sampler.difference(&before, &after))).unwrap_or_default();
        starts.ended(Part { work: part, began_ns, window: span, pump, accounts, host })
    });
    context.stop.at_work(Vec::new());
    result
}

/// How busy a host was.
pub(super) fn host_use(telemetry: &Telemetry) -> HostUse {
    HostUse {
        busy_pct: telemetry.cpu.busy_pct,
        harness_pct: telemetry.cpu.harness_pct.or(telemetry.process_cpu_pct),
        steal_pct: telemetry.cpu.steal_pct,
        runnable: telemetry.runnable,
        throttled_s: telemetry.throttled.map(|held| held.seconds),
        // The clock thread is the agent's.
        stood_still_s: None,
    }
}

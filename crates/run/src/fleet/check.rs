//! What limits the trust in a point that several hosts shared.

use super::part::PartFacts;
use crate::judge::STEAL_PCT;
use crate::{Span, Window};
use dbdyno_model::{AgentUse, Flag, Point, Status};

/// A clock that is known less well than this share of the window makes rates doubtful.
const CLOCK_SHARE: f64 = 0.01;
/// A host as busy as this may have held its sessions back.
const BUSY_PCT: f64 = 90.0;
/// A host that stands still for a larger share of the window did not do what it was to.
const STILL_SHARE: f64 = 0.05;
/// A host tells twice a second that it is there: of one that is silent for longer nobody knows what it did.
const SILENCE_NS: u64 = 1_000_000_000;

/// What was planned for all hosts, by the coordinator's clock.
pub(crate) struct PlannedWindow {
    /// When the first jobs were to begin.
    pub(crate) starts_ns: Option<u64>,
    /// The window; none where it was not begun.
    pub(crate) window: Option<Span>,
    /// Whether parts have windows of their own: work in whole pieces.
    pub(crate) is_pieces: bool,
    /// What may have made a host's window another one, and what to do.
    pub(crate) hint: &'static str,
}

impl PlannedWindow {
    /// What a coordinator's window planned.
    pub(super) fn of(window: &Window) -> Self {
        let (pace, start_ns) = (window.pace(), window.start_ns());
        let planned = start_ns.map(|start_ns| Span { start_ns, end_ns: start_ns + pace.duration_ns() });
        Self {
            starts_ns: start_ns.map(|start_ns| start_ns - pace.begins_ns(0)),
            window: planned,
            is_pieces: pace.is_pieces(),
            hint: "a job was not warm when the window began, or had not done its least chunks when it ended; use a \
                   longer --duration",
        }
    }
}

/// Looks whether all hosts measured the same window, how well their clocks are known, and how busy they were. Parts
/// are by the coordinator's clock, in the order of the point's agents; `is_seen` is whether the coordinator sees the
/// machine that the work is done on.
pub(crate) fn check(planned: &PlannedWindow, is_seen: bool, parts: &[PartFacts], point: &mut Point) {
    let mut problems = Vec::new();
    let mut flags = Vec::new();
    for (agent, part) in point.agents.iter_mut().zip(parts) {
        fill(agent, part, planned);
        problems.extend(window_problem(agent, part, planned));
        flags.extend(clock_flag(agent, part, planned));
        flags.extend(silence_flag(agent, part.silence_ns));
        flags.extend(held_flags(agent, part.window));
        // The machine of a local server is watched as a whole.
        if !(is_seen && agent.is_with_coordinator) {
            flags.extend(machine_flags(agent));
        }
    }
    flags.into_iter().for_each(|(flag, note)| point.flag(flag, note));
    if !problems.is_empty() {
        point.status = Status::Invalid;
        point.reason = Some(problems.join("; "));
    }
}

/// Notes what a host did, and how well its clock was known.
fn fill(agent: &mut AgentUse, part: &PartFacts, planned: &PlannedWindow) {
    // What a clock gained or lost meanwhile is not known at any moment of the window.
    if let Some((offset_ns, bound_ns)) = part.offset_after {
        let drift_s = (offset_ns as f64 / 1e9 - agent.clock_offset_s).abs();
        agent.clock_bound_s = drift_s + agent.clock_bound_s.max(bound_ns as f64 / 1e9);
    }
    let after_s = |planned_ns: u64| (part.began_ns.cast_signed() - planned_ns.cast_signed()) as f64 / 1e9;
    agent.started_after_s = planned.starts_ns.map(after_s);
    agent.ops_total = Some(part.total_ops);
    agent.host = part.host.clone();
}

/// Why a host's window is another one than was planned.
fn window_problem(agent: &AgentUse, part: &PartFacts, planned: &PlannedWindow) -> Option<String> {
    let PlannedWindow { is_pieces, hint, .. } = *planned;
    let planned = planned.window.filter(|window| *window != part.window && !is_pieces)?;
    let off_s = |planned_ns: u64, ns: u64| (ns.cast_signed() - planned_ns.cast_signed()) as f64 / 1e9;
    Some(format!(
        "{}: its window began {:+.3} s and ended {:+.3} s off the planned one: {hint}",
        agent.name,
        off_s(planned.start_ns, part.window.start_ns),
        off_s(planned.end_ns, part.window.end_ns)
    ))
}

fn clock_flag(agent: &AgentUse, part: &PartFacts, planned: &PlannedWindow) -> Option<(Flag, String)> {
    let AgentUse { name, clock_bound_s, .. } = agent;
    if part.offset_after.is_none() {
        return Some((Flag::NotProved, format!("the clock of {name} was not compared after the window")));
    }
    let is_vague = planned.window.is_some_and(|window| *clock_bound_s > CLOCK_SHARE * window.seconds());
    is_vague.then(|| (Flag::NotProved, format!("the clock of {name} is known to {:.1} ms only", clock_bound_s * 1e3)))
}

/// A host that stands still takes its own pauses for times of the database.
fn silence_flag(AgentUse { name, .. }: &AgentUse, silence_ns: u64) -> Option<(Flag, String)> {
    let silence_s = silence_ns as f64 / 1e9;
    (silence_ns >= SILENCE_NS).then(|| {
        let note = format!(
            "nothing was heard of {name} for {silence_s:.1} s: it may have stood still, and its longest times be its own"
        );
        (Flag::HarnessHeavy, note)
    })
}

/// What kept a host from its work, wherever it is.
fn held_flags(AgentUse { name, host, .. }: &AgentUse, window: Span) -> impl Iterator<Item = (Flag, String)> {
    let throttled_s = host.throttled_s.filter(|throttled_s| *throttled_s > 0.0);
    let throttled = throttled_s.map(|throttled_s| {
        let note = format!("a processor quota kept the processors of {name} waiting for {throttled_s:.2} s in all");
        (Flag::Throttled, note)
    });
    let still_s = host.stood_still_s.filter(|still_s| *still_s > STILL_SHARE * window.seconds());
    let still = still_s.map(|still_s| {
        let note = format!("{name} stood still for {still_s:.1} s in all: it was stopped, or had no processor");
        (Flag::HarnessHeavy, note)
    });
    throttled.into_iter().chain(still)
}

fn machine_flags(AgentUse { name, host, .. }: &AgentUse) -> impl Iterator<Item = (Flag, String)> {
    let busy = host.busy_pct.filter(|busy_pct| *busy_pct > BUSY_PCT);
    let busy = busy.map(|busy_pct| (Flag::HarnessHeavy, format!("the host of {name} was {busy_pct:.0} % busy")));
    let steal = host.steal_pct.filter(|steal_pct| *steal_pct > STEAL_PCT);
    let steal = steal.map(|pct| (Flag::CpuSteal, format!("{pct:.1} % of the time of the host of {name}")));
    busy.into_iter().chain(steal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WindowMode;
    use dbdyno_model::{HostUse, PumpKind, PumpUse};

    const SECOND: u64 = 1_000_000_000;

    fn part(window: Span, offset_after: Option<(i64, u64)>) -> PartFacts {
        PartFacts {
            member: 0,
            began_ns: 9 * SECOND + 2_000,
            window,
            pump: PumpUse { kind: PumpKind::Threads, threads: 1, sessions_follow: false },
            accounts: Vec::new(),
            host: HostUse::default(),
            total_ops: 0,
            offset_after,
            silence_ns: 0,
        }
    }

    /// A window of two seconds from the tenth on, after a second of warm-up.
    fn window() -> Window {
        let window = Window::new(WindowMode::steady(2.0), 1).beginning_at(10 * SECOND);
        window.arrive(9 * SECOND);
        window.warmed(9 * SECOND);
        window
    }

    const PLANNED: Span = Span { start_ns: 10 * SECOND, end_ns: 12 * SECOND };

    #[test]
    fn what_a_clock_gains_meanwhile_is_not_known() {
        let planned = PlannedWindow::of(&window());
        let of = |offset_after| {
            let mut agent = AgentUse { clock_offset_s: 5.0, clock_bound_s: 0.000_2, ..AgentUse::default() };
            let part = part(PLANNED, offset_after);
            fill(&mut agent, &part, &planned);
            let flag = clock_flag(&agent, &part, &planned).map(|(flag, _)| flag);
            (agent, flag)
        };
        let (steady, flag) = of(Some((5_000_050_000, 300_000)));
        assert!((steady.clock_bound_s - 0.000_35).abs() < 1e-9 && flag.is_none(), "{steady:?}");
        assert!((steady.started_after_s.unwrap() - 0.000_002).abs() < 1e-9);
        let (fast, flag) = of(Some((5_600_000_000, 300_000)));
        assert!((fast.clock_bound_s - 0.600_3).abs() < 1e-9);
        assert_eq!(flag, Some(Flag::NotProved), "a fifth more in three seconds");
        assert_eq!(of(None).1, Some(Flag::NotProved), "nobody knows");
    }

    #[test]
    fn a_window_of_its_own_is_a_problem() {
        let (agent, planned) = (AgentUse::default(), PlannedWindow::of(&window()));
        let problem = |span| window_problem(&agent, &part(span, None), &planned);
        assert_eq!(problem(PLANNED), None);
        for other in
            [Span { end_ns: PLANNED.end_ns + 1, ..PLANNED }, Span { start_ns: PLANNED.start_ns + 1, ..PLANNED }]
        {
            assert!(problem(other).unwrap().contains("use a longer --duration"));
        }
    }

    #[test]
    fn a_host_that_was_silent_is_flagged_before_it_is_lost() {
        let flag = |silence_ns| silence_flag(&AgentUse::default(), silence_ns).map(|(flag, _)| flag);
        assert_eq!((flag(SECOND / 2), flag(SECOND)), (None, Some(Flag::HarnessHeavy)));
    }

    #[test]
    fn hosts_that_were_held_back_are_flagged() {
        let flags = |throttled_s, stood_still_s| {
            let host = HostUse { throttled_s, stood_still_s, ..HostUse::default() };
            let agent = AgentUse { host, ..AgentUse::default() };
            held_flags(&agent, PLANNED).map(|(flag, _)| flag).collect::<Vec<_>>()
        };
        assert_eq!(flags(None, Some(0.05)), []);
        assert_eq!(flags(Some(0.0), None), []);
        assert_eq!(flags(Some(0.3), Some(0.4)), [Flag::Throttled, Flag::HarnessHeavy]);
    }

    #[test]
    fn hosts_that_may_have_held_sessions_back_are_flagged() {
        let host = |busy_pct, steal_pct| AgentUse {
            host: HostUse { busy_pct: Some(busy_pct), steal_pct: Some(steal_pct), ..HostUse::default() },
            ..AgentUse::default()
        };
        let flags = |busy, steal| machine_flags(&host(busy, steal)).map(|(flag, _)| flag).collect::<Vec<_>>();
        assert_eq!(flags(80.0, 1.0), []);
        assert_eq!(flags(95.0, 3.0), [Flag::HarnessHeavy, Flag::CpuSteal]);
    }
}

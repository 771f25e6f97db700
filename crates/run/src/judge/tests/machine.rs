//! What others did on the machine, and the clocks.

use super::*;

#[test]
fn noise_of_the_machine_is_flagged() {
    let mut case = Case::new("T111", 10);
    case.telemetry.cpu.busy_pct = Some(100.0);
    case.telemetry.process_cpu_pct = Some(97.0);
    case.telemetry.cpu.steal_pct = Some(1.9);
    assert_eq!(case.flags(), []);
    case.telemetry.cpu.steal_pct = Some(2.1);
    assert_eq!(case.flags(), [Flag::CpuSteal]);
    case.telemetry.cpu.steal_pct = Some(0.0);
    case.telemetry.process_cpu_pct = Some(80.0);
    assert_eq!(case.flags(), [Flag::ForeignLoad]);
    let busy_neighbour = Case::new("T611", 10).count(Counter::ForeignCommits, 3);
    assert_eq!(busy_neighbour.flags(), [Flag::ForeignLoad]);
    let sampled = |ns| Case::new("T611", 10).count(Counter::ForeignBusyNs, ns).flags();
    assert_eq!(sampled(SECOND / 2), [], "5 % of the counters' 10 s");
    assert_eq!(sampled(SECOND), [Flag::ForeignLoad]);
}

#[test]
fn a_servers_own_time_is_no_foreign_load() {
    let mut case = Case::new("T611", 10);
    case.features.in_process = false;
    case.telemetry.cpu.busy_pct = Some(100.0);
    case.telemetry.process_cpu_pct = Some(1.0);
    case.telemetry.server_cpu_pct = Some(95.0);
    assert_eq!(case.flags(), []);
    case.telemetry.server_cpu_pct = Some(70.0);
    assert_eq!(case.flags(), [Flag::ForeignLoad]);
    case.telemetry.server_cpu_pct = None;
    assert_eq!(case.flags(), []);
}

#[test]
fn the_harness_is_weighed_where_it_can_be() {
    let mut case = Case::new("T111", 10);
    case.features.in_process = false;
    case.telemetry.cpu.harness_pct = Some(9.9);
    assert_eq!(case.flags(), []);
    case.telemetry.cpu.harness_pct = Some(10.1);
    assert_eq!(case.flags(), [Flag::HarnessHeavy]);
}

#[test]
fn unsafe_settings_and_clock_jumps_are_flagged() {
    let mut case = Case::new("T711", 10);
    case.durability = Some(Durability { unsafe_settings: vec!["off".to_owned()], ..Durability::default() });
    assert_eq!(case.flags(), [Flag::UnsafeDurability]);
    case.durability = None;
    for (jump_s, flags) in [(0.09, vec![]), (-0.2, vec![Flag::ClockJump]), (3_600.0, vec![Flag::ClockJump])] {
        case.clock_jump_s = jump_s;
        assert_eq!(case.flags(), flags, "{jump_s}");
    }
}

#[test]
fn a_quota_that_was_used_up_is_flagged_and_one_that_was_not_is_none() {
    let mut case = Case::new("T611", 10);
    let held = |throttled| dbdyno_probe::Throttled { periods: 100, throttled, seconds: 1.25 };
    for (throttled, flags) in [(None, vec![]), (Some(held(0)), vec![]), (Some(held(1)), vec![Flag::Throttled])] {
        case.telemetry.throttled = throttled;
        assert_eq!(case.flags(), flags);
    }
    let note = &case.judged().flag_notes["throttled"];
    assert_eq!(note, "in 1 of 100 periods of a processor quota; processors were kept waiting for 1.25 s in all");
    case.telemetry.throttled = None;
    case.telemetry.missing.insert("throttled".to_owned(), "may not be read".to_owned());
    assert_eq!(case.judged().missing["proof.throttled"], "may not be read");
}

#[test]
fn a_remote_server_does_not_hide_that_dbdyno_was_held_back() {
    let mut case = Case::new("T611", 10);
    (case.features.in_process, case.features.local) = (false, false);
    case.telemetry.throttled = Some(dbdyno_probe::Throttled { periods: 10, throttled: 9, seconds: 0.5 });
    assert_eq!(case.flags(), [Flag::Throttled]);
}

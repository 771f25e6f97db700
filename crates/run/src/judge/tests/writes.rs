//! What was written, and whether it reached a device.

use super::*;

#[test]
fn what_a_storage_test_writes_must_reach_a_device() {
    let written = |bytes: u64| {
        let mut case = Case::new("T211", 10);
        case.log.chunks.iter_mut().for_each(|c| c.bytes = 1 << 20);
        case.telemetry.process_write_bytes = Some(bytes);
        case.telemetry.device_write_bytes = Some(u64::MAX);
        case.flags()
    };
    assert_eq!(written(8 << 20), []);
    assert_eq!(written(6 << 20), [Flag::ServedFromOsCache]);
}

#[test]
fn a_file_that_storage_cells_made_or_kept_is_not_proved() {
    let written = |code, counter, n| {
        let mut case = Case::new(code, 10).count(counter, n);
        case.features = Features { in_process: false, local: false, ..EMBEDDED };
        case.judged().flag_notes.get("not_proved").cloned()
    };
    let made = written("T211", Counter::CellMadeBytes, 64 << 20).unwrap();
    assert_eq!(made, "the storage cells made 64 MiB by themselves: the devices below were not measured");
    assert!(written("T211", Counter::CellFlashWrites, 7).unwrap().contains("kept 7 writes in their flash"));
    assert_eq!(written("T211", Counter::CellFlashWrites, 0), None);
    assert_eq!(written("T711", Counter::CellFlashWrites, 7), None, "a commit is as durable in flash");
}

#[test]
fn deferred_writes_are_those_above_a_tenth() {
    let wrote = |dirtied| {
        let mut case =
            Case::new("T721", 10).count(Counter::BlocksDirtied, dirtied).count(Counter::PhysicalWrites, 1_000);
        case.telemetry.process_write_bytes = Some(1);
        case.flags()
    };
    assert_eq!(wrote(1_100), []);
    assert_eq!(wrote(1_101), [Flag::WritesDeferred]);
}

#[test]
fn a_sync_serves_at_most_one_commit_of_each_session() {
    let judged = |jobs, syncs: Option<u64>, features| {
        let mut case = Case::new("T711", 1_000);
        (case.spec.jobs, case.features, case.durability) = (jobs, features, Some(Durability::default()));
        if let Some(syncs) = syncs {
            case = case.count(Counter::RedoSyncs, syncs);
        }
        case.judged().has(Flag::UnsafeDurability)
    };
    let server = Features { in_process: false, ..EMBEDDED };
    assert!(!judged(1, Some(1_000), server) && !judged(1, Some(999), server), "the last may still be on its way");
    assert!(judged(1, Some(998), server));
    assert!(!judged(8, Some(124), server) && judged(8, Some(123), server), "8 sessions share");
    assert!(!judged(1, None, server), "nothing was counted");
    assert!(!judged(1, Some(1), EMBEDDED), "an engine in this process counts its commits, not syncs");
}

#[test]
fn who_shares_connections_has_so_many_commits_at_once() {
    let judged = |connections, syncs| {
        let mut case = Case::new("T711", 1_000).count(Counter::RedoSyncs, syncs);
        let server = Features { in_process: false, ..EMBEDDED };
        (case.spec.jobs, case.features, case.durability) = (8, server, Some(Durability::default()));
        case.connections = connections;
        case.judged().has(Flag::UnsafeDurability)
    };
    assert!(!judged(None, 124) && judged(Some(2), 124));
    assert!(!judged(Some(2), 499) && judged(Some(2), 498));
}

#[test]
fn what_an_engine_does_by_default_is_flagged_and_told_apart() {
    let mut case = Case::new("T711", 1_000);
    case.durability = Some(Durability { by_default: vec!["later".to_owned()], ..Durability::default() });
    let point = case.judged();
    assert_eq!(point.flag_notes["unsafe_durability"], "later");
}

//! What was written, and how far.

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

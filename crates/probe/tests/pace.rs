//! The memory that a reading of the pace needs. A program of its own, because nothing else in the process may allocate.

#![cfg(target_os = "linux")]

use dbdyno_probe::{HarnessShare, Pacer, Sampler, peak_rss_bytes};

#[test]
fn a_reading_gives_its_memory_back() {
    const SLACK_BYTES: u64 = 8 << 20;
    let sampler = Sampler::new(&[], HarnessShare::OwnProcess);
    let resident_bytes = || {
        let now = sampler.snapshot();
        sampler.difference(&now, &now).memory.harness_rss_bytes.unwrap()
    };
    let pacer = Pacer::new(None).unwrap();
    let before_bytes = resident_bytes();
    for _ in 0..3 {
        assert!(pacer.take().is_some());
        let held_bytes = resident_bytes();
        assert!(held_bytes < before_bytes + SLACK_BYTES, "{held_bytes} after a reading, {before_bytes} before it");
    }
    let (peak_bytes, table_bytes) = (peak_rss_bytes().unwrap(), pacer.point().memory_bytes);
    assert!(peak_bytes > table_bytes, "the table was there: {peak_bytes}");
    assert!(peak_bytes < before_bytes + table_bytes + SLACK_BYTES, "nothing but the table: {peak_bytes}");
}

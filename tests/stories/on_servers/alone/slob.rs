//! SLOB reads its blocks from the device: a server's own count, the device's, and the blocks that operations visit
//! agree. With nothing beside it, as the device's count has whatever is read meanwhile.

use super::super::private::Private;
use super::stories;
use crate::home::Home;
use crate::support::{number, points, text};
use serde_json::Value;

stories!(blocks_come_from_the_device_and_are_said_to_come_from_memory_where_they_do,);

fn blocks_come_from_the_device_and_are_said_to_come_from_memory_where_they_do<S: Private>() {
    let home = Home::new(S::ENGINE);
    home.up("--size T");
    // A cache of 8 MB, and 80 MB of data.
    let run = "run slob --target private:ENGINE --schemas 1 --update-pct 0 --json";
    let measured = |options: &str| points(&home.run(&format!("{run} {options}")).expect(0).json())[0].clone();
    let flags = |point: &Value| point["flags"].to_string();
    let point = measured("--duration 3s");
    assert!(!flags(&point).contains("served_from_os_cache"), "{:#}", point["flag_notes"]);
    let visits_per_s = number(&point, "/rows_per_s");
    let by_engine = number(&point, "/database/physical_reads_per_s");
    assert!(by_engine / visits_per_s > 0.85, "{by_engine} of {visits_per_s}");
    if let Some(mib_per_s) = point["io"]["read_mib_per_s"].as_f64() {
        let block_bytes = if S::ENGINE == "postgres" { 8_192.0 } else { 16_384.0 };
        let by_device = mib_per_s * 1_048_576.0 / block_bytes;
        assert!((by_device / by_engine - 1.0).abs() < 0.05, "{by_device} of {by_engine}");
    }
    let harness_pct = number(&point, "/cpu/harness_pct");
    assert!(number(&point, "/cpu/harness_pct") < 10.0, "{harness_pct}");
    // Three MiB, which the cache holds.
    let spot = "--set DO_HOTSPOT=TRUE --set HOTSPOT_FREQUENCY=1 --set HOTSPOT_MB=3";
    let point = measured(&format!("--duration 1s {spot}"));
    assert!(flags(&point).contains("served_from_os_cache"), "{}", flags(&point));
    let note = text(&point, "/flag_notes/served_from_os_cache").to_owned();
    assert!(note.contains("device reads per block visit, 0.7 are asked for"), "{note}");
}

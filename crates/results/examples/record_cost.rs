//! What it costs to record a point with two histograms of 5,000 times: `cargo run --release -p dbdyno-results --example
//! record_cost -- FILE`, with a FILE on the disk in question. The promise is less than 5 ms.

use dbdyno_model::{Database, Plan, Platform, Point, Run};
use dbdyno_results::{Access, HistogramKind, Repository};
use dbdyno_stats::Histogram;
use serde_json::{from_value, json};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

const POINTS: usize = 500;

#[expect(clippy::print_stdout, reason = "an example is there to print")]
fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("name the file to record into")?;
    let mut repository = Repository::open(Path::new(&file), Access::ReadWrite)?;
    let run: Run = from_value(json!({
        "id": format!("cost{}", std::process::id()), "label": "record_cost", "suite": "record_cost", "size": "T", "seed": 1,
        "started_at": "2026-01-01T00:00:00Z", "tool_version": "0", "target": "null:", "status": "running",
    }))?;
    let mut point: Point = from_value(json!({
        "test": "T611", "definition": "", "mapping": "native", "drive": "client", "nodes": 1, "jobs": 1, "threads": 1,
        "rows_per_tx": 1, "repeat": 1, "started_at": "2026-01-01T00:00:00Z", "status": "ok",
    }))?;
    point.plan = Some("SEARCH small_heap USING INDEX small_heap_customer (customer_id=?)\n".repeat(50));
    let planned = json!({
        "test": "T611", "drive": "client", "dop": {"nodes": 1, "jobs": 1, "threads": 1}, "rows_per_tx": 1, "repeat": 1,
        "duration_s": 2.0, "commit": "durable", "mapping": {"kind": "native"}, "definition": "0123456789abcdef",
    });
    let plan: Plan = from_value(json!({
        "suite": "record_cost", "size": "T", "seed": 1, "definitions": "", "points": vec![planned; POINTS],
    }))?;
    repository.begin_run(&run, &plan, &Platform::default(), &Database::default())?;

    let mut histogram = Histogram::new();
    (0..5_000u64).for_each(|i| histogram.record_ns(1_000 + (i * i * 7_919) % 50_000_000));
    let histograms = [(HistogramKind::Service, &histogram), (HistogramKind::Response, &histogram)];
    let mut times_us: Vec<u128> = Vec::with_capacity(POINTS);
    for index in 0..POINTS {
        let begun = Instant::now();
        repository.record_point(&run.id, index, &point, &histograms)?;
        times_us.push(begun.elapsed().as_micros());
    }
    times_us.sort_unstable();
    let at = |pct: usize| times_us[(POINTS - 1) * pct / 100];
    println!("{POINTS} points, histograms of {} bytes", histogram.encode()?.len());
    println!("us a point: median {}, p90 {}, p99 {}, max {}", at(50), at(90), at(99), at(100));
    Ok(())
}

//! Takes the machine's pace repeatedly, with a number of milliseconds between readings, to show how even it is.
//! `benches/pace` uses it.
#![allow(clippy::print_stdout, clippy::expect_used)]

use dbdyno_probe::Pacer;
use std::time::{Duration, Instant};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<u64>().expect("a number"));
    let (times, pause_ms) = (numbers.next().unwrap_or(60), numbers.next().unwrap_or(500));
    let pacer = Pacer::new(None).expect("processors");
    println!("at_s,took_ms,alu_ns,l2_ns,llc_ns,memory_ns");
    let began = Instant::now();
    for _ in 0..times {
        let at = Instant::now();
        let pace = pacer.take().expect("a processor");
        let ns = [pace.alu_ns, pace.l2_ns, pace.llc_ns, pace.memory_ns].map(|ns| format!("{:.3}", ns.unwrap_or(0.0)));
        let took_ms = at.elapsed().as_secs_f64() * 1e3;
        println!("{:.2},{took_ms:.0},{}", began.elapsed().as_secs_f64(), ns.join(","));
        std::thread::sleep(Duration::from_millis(pause_ms));
    }
}

//! Has cargo build an engine anew where a workload's SQL came or went: the macro that embeds the folder tells it of known files alone.

fn main() {
    println!("cargo::rerun-if-changed=src/sql/workloads");
}

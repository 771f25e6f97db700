//! Has cargo build the catalogue anew where a file of it came or went: the macro that embeds the folder tells it of
//! known files alone.

fn main() {
    println!("cargo::rerun-if-changed=../../catalogue");
}

//! Tells the program which profile it is built with. Cargo itself says only whether that is like `release` or like
//! `dev`; the folder that it builds in bears the profile's name.
#![allow(clippy::print_stdout, reason = "it is how cargo is told")]

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // .../<folder of the profile>/build/<package>/out
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let folder = Path::new(&out).ancestors().nth(3).and_then(Path::file_name).and_then(|name| name.to_str());
    let profile = match folder {
        Some("debug") => "dev",
        Some(profile) => profile,
        None => "",
    };
    println!("cargo:rustc-env=DBDYNO_PROFILE={profile}");
}

//! Tables and texts that are part of the program, as TOML files beside the code that uses them.

use serde::Deserialize;

/// What a file of the program holds.
#[expect(clippy::expect_used, reason = "the files are part of the program, and tests read each of them")]
pub(crate) fn embedded<T: Deserialize<'static>>(file: &'static str) -> T {
    toml::from_str(file).expect("a file of the program has what is asked of it")
}

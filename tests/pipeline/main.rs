//! The action, the template and their scripts, run as they are: what the pipelines of GitHub and GitLab do with them is
//! done here with the same files, and with releases that lie on this machine. Nothing here needs a network.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod example;
mod exit_codes;
mod github;
mod gitlab;
mod install;
mod place;
mod yaml;

use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Scripts that users run.
const SCRIPTS: [&str; 3] =
    ["pipeline/install", "pipeline/compare_revisions", "examples/pipeline/private/apply_settings"];

#[test]
fn scripts_are_sound() {
    let checked = Command::new("shellcheck").args(SCRIPTS).current_dir(ROOT).output();
    let checked = checked.unwrap_or_else(|e| panic!("shellcheck: {e}; `bash tests/servers` installs it"));
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

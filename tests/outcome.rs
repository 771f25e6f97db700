//! `tests/outcome` decides what `make test` ends with: no failure may be lost there.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// What comes of tests that are run again: what this writes to `$into`, and how it ends.
const PASSES: &str = "echo 'test result: ok. 1 passed; 0 failed' > $into";
const FAILS: &str = "exit 1";
const RUNS_NONE: &str = "echo 'test result: ok. 0 passed; 0 failed' > $into";

/// What a check said, and what its tests do when they are run again: the exit code, and the output.
fn outcome(said: &str, again: &str) -> (Option<i32>, String) {
    outcome_beside(said, again, "# Nothing is left out.\n")
}

/// The same, with a list of tests that are left out.
fn outcome_beside(said: &str, again: &str, long: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| fs::write(place(name), text).unwrap();
    let program = place("robust-1").display().to_string();
    write("robust", &said.replace("PROGRAM", &program));
    write("robust.failed", "");
    write("long", long);
    write("seconds", "robust 3\nunits 5\n");
    write("programs", &format!("  Executable tests/robust/main.rs ({program})\n"));
    fs::create_dir(place("again")).unwrap();
    let into = place("again/robust");
    write("make", &format!("#!/bin/sh\ninto={}\necho \"make $*\"\n{again}\n", into.display()));
    write("robust-1", "#!/bin/sh\necho 'a::good: test'\n");
    for name in ["make", "robust-1"] {
        fs::set_permissions(place(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outcome");
    let output = Command::new("bash")
        .args([script.as_path(), folder.path(), &place("long")])
        .env("MAKE", place("make"))
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// The last line of a program of which so many tests failed.
fn failed(n: usize) -> String {
    format!("test result: FAILED. 1 passed; {n} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.08s\n")
}

const RUNNING: &str = "     Running tests/robust/main.rs (PROGRAM)\n";

#[test]
fn a_test_that_failed_is_run_once_more_by_itself() {
    let said = format!("{RUNNING}test a::good ... ok\ntest a::bad ... FAILED\n{}", failed(1));
    let (code, text) = outcome(&said, PASSES);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("passed at the second try: robust: a::bad") && text.contains("units 5, robust 3"), "{text}");
    assert!(text.contains("check-robust") && text.contains("--exact a::bad") && !text.contains("a::good"), "{text}");
    for again in [FAILS, RUNS_NONE] {
        let (code, text) = outcome(&said, again);
        assert_eq!(code, Some(1), "{again}: {text}");
        assert!(text.contains("failed: robust, twice: a::bad"), "{again}: {text}");
    }
}

#[test]
fn what_failed_in_another_way_stays_failed() {
    let crashed = format!(
        "{RUNNING}test a::bad ... FAILED\nCaused by:\n  process didn't exit successfully: `robust-1` (signal: 6)\n"
    );
    let many: String = (0..13).map(|n| format!("test a{n} ... FAILED\n")).collect();
    let of_docs = "test src/lib.rs - a (line 3) ... FAILED\n";
    let bad = "test a::bad ... FAILED\n";
    // What a test prints, and the word that it takes long, may stand between its name and its end.
    let torn =
        format!("{bad}test a::slow ... test a::slow has been running for over 60 seconds\nFAILED\n{}", failed(2));
    let said = [
        many + &failed(13),
        format!("{of_docs}{}", failed(1)),
        format!("{bad}{of_docs}{}", failed(2)),
        format!("{bad}{}{}", failed(1), failed(1)),
        torn,
        String::new(),
    ];
    for said in said.into_iter().map(|said| format!("{RUNNING}{said}")).chain([crashed]) {
        let (code, text) = outcome(&said, PASSES);
        assert_eq!(code, Some(1), "{said}{text}");
        assert!(!text.contains("make "), "it was tried again: {text}");
    }
}

#[test]
fn a_program_that_no_check_runs_is_noticed() {
    let (code, text) = outcome(&format!("test a::bad ... FAILED\n{}", failed(1)), PASSES);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("no check runs /") && text.contains("robust-1"), "{text}");
}

/// As when a filter that leaves out one test fits another one, too.
#[test]
fn a_test_that_was_neither_run_nor_left_out_is_noticed() {
    let said = format!(
        "{RUNNING}test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.01s\n"
    );
    let (code, text) = outcome(&said, PASSES);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("failed: robust: 1 of its tests were not run, and are not in tests/long"), "{text}");
    let elsewhere = said.replace("PROGRAM", "target/debug/deps/other-1").replace("0 passed", "1 passed");
    for beside in [&elsewhere, "   Doc-tests other\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured\n"] {
        let (_, text) = outcome(&format!("{said}{beside}"), PASSES);
        assert!(text.contains("1 of its tests were not run"), "tests of others are none of its: {text}");
    }
    let ran = said.replace("0 passed", "1 passed");
    assert!(!outcome(&ran, PASSES).1.contains("were not run"));
    assert!(!outcome_beside(&said, PASSES, "robust a::good\n").1.contains("were not run"));
}

#[test]
fn a_test_that_is_left_out_must_be_one() {
    let said = format!("{RUNNING}test a::good ... ok\n");
    let (code, text) = outcome_beside(&said, PASSES, "# They take long.\n\nrobust a::good\n");
    assert_eq!(code, Some(1), "its check failed without a test: {text}");
    assert!(!text.contains("no test of this name"), "{text}");
    assert!(!text.contains("were not run"), "{text}");
    for gone in ["robust a::goo", "robust good", "robot a::good"] {
        let (code, text) = outcome_beside(&said, PASSES, &format!("robust a::good\n{gone}\n"));
        assert_eq!(code, Some(1), "{text}");
        let told = text.lines().filter(|line| line.contains("no test of this name")).collect::<Vec<_>>();
        assert!(told.len() == 1 && told[0].ends_with(gone), "{text}");
    }
}

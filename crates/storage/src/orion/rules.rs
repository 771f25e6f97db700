//! Which flags can be combined, and which numbers make sense.

use super::error::OrionError;
use super::typed::{Choice, MatrixKind, RunKind, TypedFlags};
use crate::{BackendKind, IoRate};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Small and large I/Os that one point may keep outstanding.
const MOST_OUTSTANDING: u64 = 65_535;
/// The longest window.
const LONGEST_S: f64 = 86_400.0;
const SHORTEST_S: f64 = 0.1;
const HIGHEST_IOPS: f64 = 1e8;

const ADVANCED: &str = "it is one of those that only `-run advanced` takes";
/// The flags of an advanced run that each fixed kind of run accepts, and the hint for the others.
const TAKES: &[(Option<RunKind>, &[&str], &str)] = &[
    (Some(RunKind::Simple), &["-num_disks", "-cache_size", "-duration", "--verify"], ADVANCED),
    (Some(RunKind::Normal), &["-num_disks", "-cache_size", "-duration", "--verify"], ADVANCED),
    (
        Some(RunKind::Oltp),
        &["-num_disks", "-cache_size", "-duration", "--verify", "-size_small", "-write", "-simulate", "-stripe"],
        "it has small I/Os alone; what you ask for is `-run advanced -matrix row -num_large 0`, with this flag",
    ),
    (
        Some(RunKind::Dss),
        &["-num_disks", "-cache_size", "-duration", "--verify", "-size_large", "-write", "-simulate", "-stripe"],
        "it has large random I/Os alone; what you ask for is `-run advanced -matrix col -num_small 0`, with this flag",
    ),
    (
        None,
        &["-duration", "-simulate", "-stripe"],
        "it is the same everywhere, so that platforms can be compared; use -run for loads of your own",
    ),
];

/// Refuses flags that cannot be combined, and returns the kind of run; `None` is the reference.
pub(super) fn check(typed: &TypedFlags) -> Result<Option<RunKind>, OrionError> {
    let refuse = |why: &str| Err(OrionError(why.to_owned()));
    let run = match (typed.run, typed.reference) {
        (Some(_), true) => return refuse("--reference is a run of its own: leave -run out, or --reference"),
        (None, false) => {
            return refuse(
                "-run is missing: choose simple, normal, advanced, oltp or dss, as in `dbdyno orion -run simple`; --reference is the \
                 one-minute version",
            );
        }
        (run, _) => run,
    };
    if let Some((_, takes, hint)) = TAKES.iter().find(|(of, _, _)| *of == run)
        && let Some(flag) = typed.particular().into_iter().find(|flag| !takes.contains(flag))
    {
        let run = run.map_or("--reference".to_owned(), |run| format!("-run {}", run.word()));
        return Err(OrionError(format!("{flag} is not for {run}: {hint}")));
    }
    if typed.file_size_bytes.is_some() && typed.files.is_empty() {
        return no_part("--file-size", "devices that are there", "add --file PATH, or leave it out");
    }
    if typed.arrivals.is_some() && typed.rate_iops.is_none() {
        return no_part("--arrivals", "a closed loop", "add --rate IOPS, or leave it out");
    }
    if typed.verify && typed.backend == Some(BackendKind::Null) {
        return no_part("--verify", "--backend null", "nothing is read or written there, so leave one of them out");
    }
    if typed.percentiles && typed.reference {
        let hint = "it writes none of ORION's files; `dbdyno show RUN --json` has its percentiles";
        return no_part("--percentiles", "--reference", hint);
    }
    if typed.testname.is_some() && typed.reference && !typed.files.is_empty() {
        return no_part(
            "-testname",
            "--reference with --file",
            "it writes none of ORION's files; leave one of them out",
        );
    }
    if typed.really && typed.destroy_data.is_empty() {
        return no_part("--really", "a run that may destroy nothing", "add --destroy-data PATH, or leave it out");
    }
    Ok(run)
}

/// A flag that cannot be combined with another.
fn no_part<T>(flag: &str, what: &str, hint: &str) -> Result<T, OrionError> {
    Err(OrionError(format!("{flag} has no part in {what}: {hint}")))
}

/// A number in its range, and the values that would do.
fn ranged<N: PartialOrd + Display>(flag: &str, n: N, range: RangeInclusive<N>, rule: &str) -> Result<N, OrionError> {
    if range.contains(&n) { Ok(n) } else { Err(OrionError(format!("{flag} {n} is out of range: {rule}"))) }
}

/// A number in its range.
pub(super) fn within(flag: &str, value: u64, range: RangeInclusive<u64>, of: &str) -> Result<u64, OrionError> {
    let rule = format!("it takes {} to {} {of}", range.start(), range.end());
    ranged(flag, value, range, &rule)
}

/// `-num_small` or `-num_large`, which a matrix needs or does not use.
pub(super) fn number(kind: MatrixKind, flag: &str, taken: bool, value: Option<u64>) -> Result<u32, OrionError> {
    const FIXED: &str = "the number that is kept outstanding at every point";
    const MOST: &str = "the most that is kept outstanding";
    match (taken, value) {
        (true, Some(n)) => within(flag, n, 0..=MOST_OUTSTANDING, "outstanding I/Os").map(|n| n as u32),
        (true, None) => {
            let why = if kind == MatrixKind::Max { MOST } else { FIXED };
            Err(OrionError(format!("-matrix {} needs {flag}: {why}", kind.word())))
        }
        (false, None) => Ok(0),
        (false, Some(_)) => {
            let (what, hint) = match kind {
                MatrixKind::Row => ("-matrix row", "it varies the small I/Os itself; -num_disks says how far"),
                MatrixKind::Col => ("-matrix col", "it varies the large I/Os itself; -num_disks says how far"),
                MatrixKind::Detailed => ("-matrix detailed", "-num_disks says how far it goes; -matrix max takes it"),
                _ => ("-matrix basic", "-num_disks says how far it goes; -matrix point, row, col or max take it"),
            };
            no_part(flag, what, hint)
        }
    }
}

/// The window of a point.
pub(super) fn duration_s(seconds: f64) -> Result<f64, OrionError> {
    let rule = format!("a point lasts {SHORTEST_S} to {LONGEST_S} seconds");
    ranged("-duration", seconds, SHORTEST_S..=LONGEST_S, &rule)
}

/// The rate of an open loop, if one was given.
pub(super) fn rate(typed: &TypedFlags) -> Result<Option<IoRate>, OrionError> {
    let Some(iops) = typed.rate_iops else { return Ok(None) };
    let outstanding = [typed.num_small, typed.num_large].map(|n| n.unwrap_or(0));
    if typed.matrix != Some(MatrixKind::Point) || outstanding.iter().filter(|n| **n > 0).count() != 1 {
        return Err(OrionError(
            "--rate drives I/Os of one size at one point: add -run advanced -matrix point -num_small N -num_large 0 (or the other \
             way round), where N is the most that may be under way"
                .to_owned(),
        ));
    }
    let iops = ranged("--rate", iops, 1.0..=HIGHEST_IOPS, &format!("a rate is 1 to {HIGHEST_IOPS} I/Os a second"))?;
    Ok(Some(IoRate { iops, arrivals: typed.arrivals.unwrap_or_default() }))
}

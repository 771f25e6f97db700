//! Options that have no use with what is measured.

use crate::cli::RunArgs;
use crate::error::Error;
use dbdyno_workload::Workload;

/// Refuses options of tests for a workload, and options of workloads for tests.
///
/// # Errors
/// Such an option was given.
pub(crate) fn refuse_misplaced(args: &RunArgs, workload: Option<&'static dyn Workload>) -> Result<(), Error> {
    let of_tests = [
        ("--ramp", args.work.ramp.is_some()),
        ("--jobs", args.work.jobs.is_some()),
        ("--threads", args.work.threads.is_some()),
    ];
    let of_workloads = [
        ("--users", args.work.users.is_some(), "tests take --ramp 1,2,4 or --jobs N"),
        ("--scale", args.work.scale.is_some(), "tests take --size"),
        ("--mix", args.work.client.mix.is_some(), "a test has one type of transaction"),
        ("--pause", args.work.client.pause.is_some(), "tests take --think, which pauses between transactions"),
        ("--logon", args.work.client.logon.is_some(), "the sessions of tests are kept"),
    ];
    let not_of_units = [
        (
            "--users",
            args.work.users.is_some(),
            "how many sessions are at work is said by --schemas and THREADS_PER_SCHEMA",
        ),
        (
            "--scale",
            args.work.scale.is_some(),
            "--schemas says how many there are, and --set SCALE=80M how large each is",
        ),
        ("--mix", args.work.client.mix.is_some(), "UPDATE_PCT and SCAN_PCT are its mix"),
        (
            "--pause",
            args.work.client.pause.is_some(),
            "an operation is one statement; THINK_TM_FREQUENCY pauses between two",
        ),
        ("--logon", args.work.client.logon.is_some(), "its sessions are kept"),
        ("--connections", args.work.client.connections.is_some(), "each of its sessions has its schema"),
        ("--until-saturated", args.search.until_saturated, "name the steps, as in --schemas 1,2,4,8"),
        ("--until", !args.search.until.is_empty(), "name the steps, as in --schemas 1,2,4,8"),
    ];
    let problem = match workload {
        Some(of) if of.about().unit.is_some() => {
            let first = not_of_units.iter().find(|(_, given, _)| *given);
            let first = first.map(|(option, _, instead)| (*option, *instead));
            let of_tests = of_tests.iter().find(|(_, given)| *given).map(|(option, _)| (*option, "name --schemas 1,2,4"));
            first.or(of_tests).map(|(option, instead)| {
                format!("{option} has no use with the workload {}: {instead}", of.name())
            })
        }
        Some(of) if args.work.schemas.is_some() => {
            Some(format!("--schemas is for the workload slob; how many are at work on {} is said by --users", of.name()))
        }
        None if args.work.schemas.is_some() => Some("--schemas is for the workload slob; tests take --ramp 1,2,4".to_owned()),
        Some(of) => of_tests.iter().find(|(_, given)| *given).map(|(option, _)| {
            format!(
                "{option} is for tests; how many are at work on the workload {} at once is said by --users, as in --users 1,2,4",
                of.name()
            )
        }),
        None => of_workloads.iter().find(|(_, given, _)| *given).map(|(option, _, instead)| {
            format!("{option} is for workloads; {instead}")
        }),
    };
    problem.map_or(Ok(()), |problem| Err(Error::Usage(problem)))
}

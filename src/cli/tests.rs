//! Tests of parsing the command line.

use super::*;
use dbdyno_model::{CommitMode, Ramp};

fn parsed(line: &str) -> Result<Cli, clap::Error> {
    read(line.split(' ').map(OsString::from).collect())
}

#[test]
fn what_is_said_of_a_target_is_part_of_it() {
    let url = |line: &str| match parsed(&format!("dbdyno check {line}")).unwrap().command {
        Command::Check(args) => args.target.url(),
        _ => unreachable!(),
    };
    assert_eq!(url("--target oracle://h/s"), "oracle://h/s");
    assert_eq!(
        url("--target oracle://h/s --without hcc,partitioning --diagnostics-pack"),
        "oracle://h/s?without=hcc,partitioning&diagnostics_pack=yes"
    );
    assert_eq!(url("--target oracle://h/s?wallet=/w --without a&b%"), "oracle://h/s?wallet=/w&without=a%26b%25");
}

#[test]
fn the_definition_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn every_help_has_an_example() {
    let mut root = Cli::command();
    root.build();
    for command in std::iter::once(&root).chain(root.get_subcommands().filter(|c| c.get_name() != "help")) {
        let help = command.clone().render_long_help().to_string();
        let (_, examples) = help.split_once("Example").unwrap_or_else(|| panic!("{}: {help}", command.get_name()));
        let own = if command.get_name() == "dbdyno" {
            "dbdyno run".to_owned()
        } else {
            format!("dbdyno {}", command.get_name())
        };
        assert!(examples.contains(&own), "{help}");
    }
}

#[test]
fn the_examples_are_understood() {
    let mut root = Cli::command();
    root.build();
    for command in root.get_subcommands().filter(|c| c.get_name() != "help") {
        let help = command.clone().render_long_help().to_string();
        let examples = help.lines().filter_map(|l| l.strip_prefix("  dbdyno "));
        for example in examples {
            let typed = example.split("   ").next().unwrap_or_default().split(" > ").next().unwrap_or_default();
            let line = format!("dbdyno {}", typed.replace('\'', ""));
            assert!(parsed(&line).is_ok(), "{line}");
        }
    }
}

#[test]
fn a_run_is_taken_apart() {
    let cli =
        parsed("dbdyno run T611 T7* --target null: --ramp 1,2 --duration 500ms --repeat 3 --commit engine_default -q");
    let Ok(Cli { common, command: Command::Run(run) }) = cli else { panic!("{cli:?}") };
    assert!(common.quiet);
    assert_eq!(run.what, ["T611", "T7*"]);
    assert_eq!((run.ramp, run.duration, run.repeat), (Some(Ramp::List(vec![1, 2])), Some(0.5), Some(3)));
    assert_eq!(run.commit, CommitMode::EngineDefault);
}

#[test]
fn bad_values_are_refused_with_a_reason() {
    for (arguments, reason) in [
        ("--ramp 0", "'0' in '0' is no degree of parallelism"),
        ("--ramp 4,x", "'x' in '4,x' is no degree of parallelism"),
        ("--duration 0", "a window without length has no rate"),
        ("--duration 10", "has no unit"),
        ("--repeat 0", "0 is not in 1..=1000"),
        ("--jobs 0", "from 1 to 65535"),
        ("--jobs 1,2", "or several as --ramp 1,2"),
        ("--label last", "always means the newest run"),
        ("--commit never", "durable, engine_default"),
        ("--drive both", "server, client"),
        ("--rate 0/s", "cannot be driven"),
        ("--rate 10%,500/s", "mixes rates and shares"),
        ("--think 5", "no unit"),
        ("--arrivals uniform", "constant, poisson"),
        ("--connections 0", "from 1 to 65535"),
    ] {
        let error = parsed(&format!("dbdyno run T611 --target null: {arguments}")).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
    let error = parsed("dbdyno up postgres --memory-limit 512").unwrap_err();
    assert!(error.to_string().contains("has no unit"), "{error}");
}

#[test]
fn keeping_can_be_said_denied_and_left_open() {
    for (typed, keep) in [("", None), (" --keep", Some(true)), (" --keep=false", Some(false))] {
        let Ok(Cli { command: Command::Up(up), .. }) = parsed(&format!("dbdyno up postgres{typed}")) else {
            panic!("{typed}")
        };
        let Ok(Cli { command: Command::Down(down), .. }) = parsed(&format!("dbdyno down{typed} postgres")) else {
            panic!("{typed}")
        };
        assert_eq!((up.keep, down.keep), (keep, keep));
    }
}

//! Tests of parsing the command line.

use super::*;
use dbdyno_model::{CommitMode, Ramp};

fn parsed(line: &str) -> Result<Cli, clap::Error> {
    read(line.split(' ').map(OsString::from).collect())
}

#[test]
fn what_is_said_of_a_target_is_part_of_it() {
    let url = |line: &str| match parsed(&format!("dbdyno check {line}")).unwrap().command {
        Command::Check(args) => args.target.with_options(args.target.target.as_deref().unwrap()),
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
fn a_further_command_finds_the_same_fleet() {
    let again = |options: &str| match parsed(&format!("dbdyno run quick{options}")).unwrap().command {
        Command::Run(args) => args.shared.again(),
        _ => unreachable!(),
    };
    assert_eq!(again(""), "");
    assert_eq!(again(" --fleet f=3"), " --fleet f=3");
    let options = " --fleet f --fleet-wait 90s --send-credentials --nats tls://hub:4222,tls://hub2 --creds '/$b'";
    assert_eq!(again(&options.replace('\'', "")), options);
    // A token is a login without a password.
    assert_eq!(
        again(" --fleet f --nats tls://me:secret@hub,tls://token@hub2"),
        " --fleet f --nats tls://hub,tls://hub2"
    );
}

/// What is typed counts before the environment.
#[test]
fn options_are_named_again_unless_the_environment_says_the_same() {
    let path = std::env::var("PATH").unwrap();
    let again = |value| crate::output::option_again("--results", "PATH", value);
    assert_eq!([again(None), again(Some(&path)), again(Some("a b"))], ["", "", " --results 'a b'"]);
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

/// Help is read in a terminal: every line fits the narrowest, and the short help is one screen.
#[test]
fn help_fits_a_terminal() {
    let mut root = Cli::command();
    root.build();
    let commands = root.get_subcommands().map(|c| vec!["dbdyno".to_owned(), c.get_name().to_owned()]);
    for words in std::iter::once(vec!["dbdyno".to_owned()]).chain(commands) {
        for (option, most_lines) in [("-h", SCREEN_LINES), ("--help", usize::MAX)] {
            if words.last().is_some_and(|word| word == "help") {
                continue;
            }
            let line = [&words[..], &[option.to_owned()]].concat();
            let help = read(line.iter().map(OsString::from).collect()).unwrap_err().render().to_string();
            let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > HELP_COLUMNS).collect();
            assert!(wide.is_empty(), "{line:?}: {wide:#?}");
            assert!(help.lines().count() <= most_lines, "{line:?} has {} lines:\n{help}", help.lines().count());
            assert!(help.contains("Example"), "{line:?} has no example:\n{help}");
        }
    }
}

/// A command that is in no group is in no help.
#[test]
fn every_command_is_in_one_group() {
    let mut root = Cli::command();
    root.build();
    let mut named: Vec<&str> = groups::GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let mut commands: Vec<&str> = root.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| c.get_name()).collect();
    named.sort_unstable();
    commands.sort_unstable();
    assert_eq!(named, commands);
}

/// Examples are not wrapped: what a reader copies is one line.
#[test]
fn examples_fit_a_terminal_as_they_stand() {
    let root = Cli::command();
    for command in std::iter::once(&root).chain(root.get_subcommands()) {
        let texts = [command.get_after_help(), command.get_after_long_help()].into_iter().flatten();
        let lines = texts.flat_map(|text| text.to_string().lines().map(str::to_owned).collect::<Vec<_>>());
        let wide: Vec<String> = lines.filter(|line| line.chars().count() > HELP_COLUMNS).collect();
        assert!(wide.is_empty(), "{}: {wide:#?}", command.get_name());
    }
}

/// One screen: of a window as tall as wide. 24 lines hold no command with its options and examples.
const SCREEN_LINES: usize = 40;

#[test]
fn the_examples_are_understood() {
    let mut root = Cli::command();
    root.build();
    for command in root.get_subcommands().filter(|c| c.get_name() != "help") {
        let help = [command.clone().render_long_help(), command.clone().render_help()].map(|h| h.to_string()).concat();
        let examples = help.lines().filter_map(|l| l.strip_prefix("  dbdyno "));
        for example in examples {
            let typed = example.split("   ").next().unwrap_or_default().split(" > ").next().unwrap_or_default();
            let typed = typed.split(" | ").next().unwrap_or_default();
            assert!(read(words(&format!("dbdyno {typed}"))).is_ok(), "{typed}");
        }
    }
}

/// The words of a line, as a shell passes them.
fn words(line: &str) -> Vec<OsString> {
    let parts = line.split('\'').enumerate();
    let of = |(n, part): (usize, &str)| match n % 2 {
        0 => part.split_whitespace().map(OsString::from).collect::<Vec<_>>(),
        _ => vec![part.into()],
    };
    parts.flat_map(of).collect()
}

#[test]
fn a_run_is_taken_apart() {
    let cli =
        parsed("dbdyno run T611 T7* --target null: --ramp 1,2 --duration 500ms --repeat 3 --commit engine_default -q");
    let Ok(Cli { common, command: Command::Run(run) }) = cli else { panic!("{cli:?}") };
    assert!(common.quiet);
    assert_eq!(run.work.what, ["T611", "T7*"]);
    assert_eq!((run.work.ramp, run.work.duration, run.repeat), (Some(Ramp::List(vec![1, 2])), Some(0.5), Some(3)));
    assert_eq!(run.work.commit, CommitMode::EngineDefault);
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
fn a_run_alone_is_the_quick_suite() {
    let Ok(Cli { command: Command::Run(run), .. }) = parsed("dbdyno run") else { panic!() };
    assert_eq!((run.work.what, run.target.target), (vec!["quick".to_owned()], None));
    assert_eq!(parsed("dbdyno").unwrap_err().kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
    assert!(parsed("dbdyno up --size T").unwrap_err().to_string().contains("ENGINE"));
    assert!(parsed("dbdyno drop").unwrap_err().to_string().contains("--target"));
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

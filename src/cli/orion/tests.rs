//! Tests of reading ORION's options, and of its help.

use super::super::Cli;
use super::*;
use clap::CommandFactory;
use dbdyno_storage::orion::OrionSettings;
use proptest::prelude::*;

fn read(line: &str) -> Result<TypedFlags, String> {
    let words = line.split(' ').map(OsString::from).collect();
    match super::super::read(words).map_err(|e| e.to_string())?.command {
        super::super::Command::Orion(args) => Ok(args.typed()),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn a_published_command_line_is_read_as_it_is() {
    let typed = read(
        "dbdyno orion -run advanced -testname oltp-read -num_disks 20 -cache_size 8192 -size_small 8 -size_large 16 \
         -type rand -simulate raid0 -write 20 -duration 30 -matrix basic",
    );
    let expected = TypedFlags {
        run: Some(RunKind::Advanced),
        testname: Some("oltp-read".to_owned()),
        num_disks: Some(20),
        cache_size_mb: Some(8_192),
        size_small_kb: Some(8),
        size_large_kb: Some(16),
        large_type: Some(LargeType::Rand),
        simulate: Some(Simulate::Raid0),
        write_pct: Some(20),
        duration_s: Some(30.0),
        matrix: Some(MatrixKind::Basic),
        ..TypedFlags::default()
    };
    assert_eq!(typed, Ok(expected));
}

#[test]
fn names_are_read_in_every_spelling() {
    let expected =
        TypedFlags { run: Some(RunKind::Oltp), num_disks: Some(4), num_stream_io: Some(2), ..TypedFlags::default() };
    for line in [
        "dbdyno orion -run oltp -num_disks 4 -num_streamIO 2",
        "dbdyno orion --run oltp --num_disks 4 --num_streamIO 2",
        "dbdyno orion --run=oltp --num-disks=4 --num-streamio=2",
        "dbdyno orion -RUN OLTP -Num_Disks 4 -num_streamio 2",
        "dbdyno orion \u{2013}run oltp \u{2013}num_disks 4 \u{2014}num_streamIO 2",
        "dbdyno -q --results r.db orion -run oltp -num_disks 4 -num_streamIO 2 -q",
    ] {
        assert_eq!(read(line).as_ref(), Ok(&expected), "{line}");
    }
    let own = read("dbdyno orion -run simple -file a --file b -file-size 4G --duration 500ms -rate 100/s").unwrap();
    assert_eq!(own.files, [PathBuf::from("a"), PathBuf::from("b")]);
    assert_eq!((own.file_size_bytes, own.duration_s, own.rate_iops), (Some(4 << 30), Some(0.5), Some(100.0)));
}

#[test]
fn sizes_are_read_with_their_units() {
    for (flags, expected) in [
        ("-size_small 16 -size_large 2048 -stripe 64 -cache_size 100", (16, 2_048, 64, 100)),
        ("-size_small 16k -size_large 2m -stripe 64K -cache_size 100M", (16, 2_048, 64, 100)),
        ("-size_small 1M -size_large 1024K -stripe 1m -cache_size 2g", (1_024, 1_024, 1_024, 2_048)),
        ("-size_small 4 -size_large 64 -stripe 8 -cache_size 4096k", (4, 64, 8, 4)),
        ("-size_small 4 -size_large 64 -stripe 8 -cache_size 67108864", (4, 64, 8, 67_108_864)),
    ] {
        let typed = read(&format!("dbdyno orion -run advanced {flags}")).unwrap();
        let sizes = (typed.size_small_kb, typed.size_large_kb, typed.stripe_kb, typed.cache_size_mb);
        let (small, large, stripe, cache) = expected;
        assert_eq!(sizes, (Some(small), Some(large), Some(stripe), Some(cache)), "{flags}");
    }
    let typed = read("dbdyno orion -run simple -storax skgfr -seed 7").unwrap();
    assert_eq!((typed.storax, typed.seed), (Some(Storax::Skgfr), Some(7)));
}

#[test]
fn what_is_wrong_is_said_with_what_would_do() {
    for (flags, expected) in [
        ("-nmu_disks 4", "did you mean -num_disks?"),
        ("-matirx basic", "did you mean -matrix?"),
        ("-storax asm", "it is no layer for I/O here: choose one of skgfr"),
        ("-size_small 8q", "no whole number"),
        ("-cache_size 1500k", "no whole number of megabytes"),
        ("--nmu_disks 4", "--num_disks"),
        ("-type other", "choose one of rand, seq"),
        ("-run fast", "choose one of simple, normal, advanced, oltp, dss"),
        ("-num_disks x", "no whole number"),
        ("-num_disks 99999999999999999999", "larger than any number"),
        ("-write -5", "no whole number"),
        ("-duration abc", "no time"),
        ("-rate fast", "no rate"),
        ("-run simple -run oltp", "cannot be used multiple times"),
        ("-num_disks", "value is required"),
        ("extra", "unexpected argument"),
    ] {
        let refusal = read(&format!("dbdyno orion {flags}")).unwrap_err();
        assert!(refusal.contains(expected), "{flags}: {refusal}");
    }
}

#[test]
fn other_commands_are_left_alone() {
    let words: Vec<OsString> = ["dbdyno", "run", "orion", "-num_disks"].map(OsString::from).into();
    assert_eq!(translated(words.clone(), &Cli::command()).unwrap(), words);
}

/// The help is written by hand in the style of ORION; this test checks that it lists exactly the existing flags.
#[test]
fn the_help_tells_of_every_flag_and_of_no_other() {
    let help = LONG_HELP;
    let root = Cli::command();
    let flags = root.find_subcommand(NAME).unwrap();
    let names: Vec<&str> = flags.get_arguments().chain(root.get_arguments()).filter_map(clap::Arg::get_long).collect();
    let told = flags_in(help);
    for name in &names {
        assert!(told.contains(name), "the help does not tell of {name}");
    }
    for name in told {
        assert!(names.contains(&name) || name == "help", "there is no {name}");
    }
    for (run, _) in RunKind::WORDS {
        assert!(help.contains(&format!("dbdyno orion -run {run}")), "no example of -run {run}");
    }
    for name in flags_in(SHORT_HELP) {
        assert!(names.contains(&name) || name == "help", "there is no {name}");
    }
}

fn flags_in(help: &str) -> Vec<&str> {
    let rows = help.lines().filter_map(|line| line.strip_prefix("  ").filter(|l| l.starts_with('-')));
    let words = rows.filter_map(|line| line.split_whitespace().next());
    words.map(|word| word.trim_start_matches('-').trim_end_matches(',')).collect()
}

/// The examples of the help must work, because users type them first.
#[test]
fn every_example_is_a_run_with_points() {
    let (help, page) = ([LONG_HELP, SHORT_HELP].concat(), include_str!("../../../docs/orion.md"));
    let of_help = help.lines().map(str::trim);
    let of_page = page.lines().flat_map(|line| line.split('`'));
    let examples: Vec<&str> = of_help
        .chain(of_page)
        .filter(|line| line.starts_with("dbdyno orion -") && !line.contains("-help") && !line.contains('['))
        .collect();
    assert!(examples.len() >= 16, "{examples:?}");
    for line in examples {
        let typed =
            read(&line.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_else(|e| panic!("{line}: {e}"));
        let luns =
            if typed.files.is_empty() { vec!["/dev/sda".into(), "/dev/sdb".into()] } else { typed.files.clone() };
        let settings = OrionSettings::resolve(&typed, &luns).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(settings.notes, Vec::<String>::new(), "{line}");
        let consent = typed.destroy_data.iter().all(|path| luns.contains(path));
        assert!(consent && (typed.destroy_data.is_empty() || settings.writes()), "{line}");
        let plan = dbdyno_run::storage_plan(&settings, 1);
        assert!(!plan.points.is_empty() && plan.points.len() == settings.points.len(), "{line}");
    }
}

proptest! {
    #[test]
    fn any_word_is_translated_or_refused(words in proptest::collection::vec("[-a-z_=0-9\u{2013}]{0,12}", 0..5)) {
        let words: Vec<OsString> = ["dbdyno".to_owned(), NAME.to_owned()].into_iter().chain(words).map(OsString::from).collect();
        if let Ok(translated) = translated(words.clone(), &Cli::command()) {
            prop_assert_eq!(translated.len(), words.len());
        }
    }
}

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;
use proptest::prelude::*;

/// A file with the shipped values, as users know such files.
const SHIPPED: &str = r#"# What each session does
UPDATE_PCT=10           # of 100 operations
SCAN_PCT=0
RUN_TIME=300
WORK_LOOP=0
SCALE=80M               # for each schema
SCAN_TABLE_SZ=1M
WORK_UNIT=64
REDO_STRESS=LITE
LOAD_PARALLEL_DEGREE=2

THREADS_PER_SCHEMA=1

DATABASE_STATISTICS_TYPE=statspack   # or awr

## The hot spot
DO_HOTSPOT=FALSE
HOTSPOT_MB=8
HOTSPOT_OFFSET_MB=16
HOTSPOT_FREQUENCY=3

	#HOT_SCHEMA_FREQUENCY=5
HOT_SCHEMA_FREQUENCY=0

THINK_TM_FREQUENCY=0
THINK_TM_MIN=.1
THINK_TM_MAX=.5

EXTERNAL_SCRIPT=''
ADMIN_SQLNET_SERVICE=""
SQLNET_SERVICE_BASE=""
SQLNET_SERVICE_MAX=
DBA_PRIV_USER=""
SYSDBA_PASSWD=""
OBFUSCATE_COLUMNS=FALSE

export UPDATE_PCT SCAN_PCT RUN_TIME
export WORK_LOOP SCALE
"#;

const CHANGED: &str = r#"export UPDATE_PCT='25' SCAN_PCT="15"; RUN_TIME=3600
WORK_LOOP=18446744073709551615
SCALE=2g; SCAN_TABLE_SZ=100
WORK_UNIT=3	REDO_STRESS=H'EA'"VY"
LOAD_PARALLEL_DEGREE=1000;THREADS_PER_SCHEMA=1\0
DATABASE_STATISTICS_TYPE=AWR
export DO_HOTSPOT=true HOTSPOT_MB
HOTSPOT_MB=100
HOTSPOT_OFFSET_MB=1900
HOTSPOT_FREQUENCY=1
HOT_SCHEMA_FREQUENCY=7
THINK_TM_FREQUENCY=4; THINK_TM_MIN=0.000000001; THINK_TM_MAX=3600
EXTERNAL_SCRIPT="/opt/my scripts/a\$b \"c\" \d"/x\ *#?'$y'
ADMIN_SQLNET_SERVICE=; SQLNET_SERVICE_BASE='' SQLNET_SERVICE_MAX= DBA_PRIV_USER=; SYSDBA_PASSWD=''""
OBFUSCATE_COLUMNS=True"#;

fn resolved(text: &str) -> Result<Conf, ConfError> {
    Conf::resolve(&read("slob.conf", text)?)
}

fn of(parameters: &[(&'static str, String)]) -> Result<Conf, ConfError> {
    Conf::of(parameters.iter().map(|(name, value)| (*name, value.as_str())))
}

fn changed() -> Conf {
    Conf {
        update_pct: 25,
        scan_pct: 15,
        run_time_s: Some(3_600),
        work_loop: u64::MAX,
        scale_blocks: 262_144,
        scan_blocks: 100,
        work_unit: 3,
        redo_stress: RedoStress::Heavy,
        load_parallel_degree: Some(1_000),
        threads_per_schema: 10,
        statistics: Statistics::Awr,
        hotspot: Some(Hotspot { first_block: 243_200, blocks: 12_800, every: 1 }),
        hot_schema_every: 7,
        think: Some(ThinkRule { every: 4, least_ns: 1, most_ns: 3_600_000_000_000 }),
        external_script: Some(r#"/opt/my scripts/a$b "c" \d/x *#?$y"#.to_owned()),
        obfuscate_columns: true,
    }
}

#[test]
fn files_are_read_as_users_write_them() {
    let shipped = Conf { run_time_s: Some(300), load_parallel_degree: Some(2), ..Conf::default() };
    for text in [SHIPPED.to_owned(), SHIPPED.replace('\n', "\r\n"), format!("\u{feff}{SHIPPED}"), SHIPPED.repeat(2)] {
        assert_eq!(resolved(&text), Ok(shipped.clone()));
    }
    let both = resolved(&format!("{CHANGED}\n{SHIPPED}"));
    assert_eq!(both, Ok(shipped));
    assert_eq!(resolved(CHANGED), Ok(changed()));
    for nothing in ["", "\n \t\r\n", "# SCALE=1", "export SCALE", "#\r"] {
        assert_eq!(resolved(nothing), Ok(Conf::default()), "{nothing:?}");
    }
}

#[test]
fn every_parameter_is_read_and_the_shipped_values_are_the_defaults() {
    let (shipped, changed) = (read("slob.conf", SHIPPED).unwrap(), read("slob.conf", CHANGED).unwrap());
    for parameter in &PARAMETERS {
        let of = |all: &[Assignment]| all.iter().filter(|one| one.name == parameter.name).count();
        assert_eq!((of(&shipped), of(&changed)), (1, 1), "{}", parameter.name);
    }
    let draft = Draft::default();
    assert!(RULES.iter().all(|(_, broken)| broken(&draft).is_none()));
    let on = resolved("DO_HOTSPOT=TRUE\nTHINK_TM_FREQUENCY=9").unwrap();
    assert_eq!(on.hotspot, Some(Hotspot { first_block: 2_048, blocks: 1_024, every: 3 }));
    assert_eq!(on.think, Some(ThinkRule { every: 9, least_ns: 100_000_000, most_ns: 500_000_000 }));
}

#[test]
fn places_and_values_are_those_of_the_file() {
    let all = read("my.conf", "\n # x\nSCALE=80M;WORK_UNIT=6'4' # y\n\nexport RUN_TIME=\"3\"00").unwrap();
    let seen = all.iter().map(|one| format!("{} {}={}", one.place, one.name, one.value)).collect::<Vec<_>>();
    assert_eq!(seen, ["my.conf, line 3 SCALE=80M", "my.conf, line 3 WORK_UNIT=64", "my.conf, line 5 RUN_TIME=300"]);
}

#[test]
fn values_are_unquoted_as_a_shell_does_it() {
    for (written, value) in [
        (r"a#b", "a#b"),
        (r"a=b=", "a=b="),
        (r"'a # b; c'", "a # b; c"),
        (r#""it's""#, "it's"),
        (r#"'a"b'"c'd""#, r#"a"bc'd"#),
        (r#""\a\$\`\"\\\'""#, r#"\a$`"\\'"#),
        (r"\a\$\`\\\#\ \;", r"a$`\# ;"),
        (r"'\a$b`c\'", r"\a$b`c\"),
        (r#"a$"#, "a$"),
        (r#""$""#, "$"),
        (r#""a$'b""#, "a$'b"),
        ("*.[ab]?", "*.[ab]?"),
        (r"'{a,b}'\{c", "{a,b}{c"),
        (r"\~/x~", "~/x~"),
        ("''\"\"", ""),
        ("ä\\ö", "äö"),
    ] {
        for line in [format!("EXTERNAL_SCRIPT={written}"), format!("export EXTERNAL_SCRIPT={written} # b")] {
            let conf = resolved(&line).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert_eq!(conf.external_script.unwrap_or_default(), value, "{line}");
        }
    }
}

#[test]
fn sizes_and_seconds_have_their_forms() {
    for (scale, blocks) in [
        ("10000", 10_000),
        ("80M", 10_240),
        ("80000k", 10_000),
        ("1g", 131_072),
        ("2T", 268_435_456),
        ("010001", 10_001),
    ] {
        assert_eq!(resolved(&format!("SCALE={scale}")).map(|conf| conf.scale_blocks), Ok(blocks), "{scale}");
    }
    assert_eq!(resolved("SCAN_TABLE_SZ=8K").map(|conf| conf.scan_blocks), Ok(1));
    for (text, ns, said) in [
        ("0", 0, "0"),
        (".5", 500_000_000, "0.5"),
        ("00.250", 250_000_000, "0.25"),
        ("10", 10_000_000_000, "10"),
        ("3600.0", 3_600_000_000_000, "3600"),
        (".000000001", 1, "0.000000001"),
    ] {
        let conf = resolved(&format!("THINK_TM_FREQUENCY=1\nTHINK_TM_MIN=0;THINK_TM_MAX={text}")).unwrap();
        assert_eq!(conf.think.map(|think| think.most_ns), Some(ns), "{text}");
        assert!(conf.work().contains(&("THINK_TM_MAX", said.to_owned())), "{:?}", conf.work());
    }
}

#[test]
fn what_decides_work_and_data_is_said_in_canonical_words() {
    let pairs = |of: Vec<(&str, String)>| of.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    let shipped = resolved(SHIPPED).unwrap();
    let work =
        ["UPDATE_PCT=10", "SCAN_PCT=0", "WORK_LOOP=0", "WORK_UNIT=64", "REDO_STRESS=LITE", "THREADS_PER_SCHEMA=1"];
    assert_eq!(pairs(shipped.work()), work);
    assert_eq!(pairs(shipped.data()), ["SCALE=10240", "SCAN_TABLE_SZ=128"]);
    let all = [
        "UPDATE_PCT=25",
        "SCAN_PCT=15",
        "WORK_LOOP=18446744073709551615",
        "WORK_UNIT=3",
        "REDO_STRESS=HEAVY",
        "THREADS_PER_SCHEMA=10",
        "DO_HOTSPOT=TRUE",
        "HOTSPOT_MB=100",
        "HOTSPOT_OFFSET_MB=1900",
        "HOTSPOT_FREQUENCY=1",
        "HOT_SCHEMA_FREQUENCY=7",
        "THINK_TM_FREQUENCY=4",
        "THINK_TM_MIN=0.000000001",
        "THINK_TM_MAX=3600",
    ];
    assert_eq!(pairs(changed().work()), all);
    assert_eq!(pairs(changed().data()), ["SCALE=262144", "SCAN_TABLE_SZ=100", "OBFUSCATE_COLUMNS=TRUE"]);
    let why = of(&[("SCALE", "12".to_owned())]).unwrap_err().to_string();
    assert!(why.starts_with("the parameter SCALE: SCALE=12: that is too small; write a number of blocks"), "{why}");
}

#[test]
fn options_come_after_the_file_and_are_checked_with_it() {
    let with = |file: &str, options: &[Result<Assignment, ConfError>]| {
        let mut all = read("slob.conf", file).unwrap();
        for option in options {
            all.push(option.clone()?);
        }
        Conf::resolve(&all)
    };
    let pct = |value: &str| Ok(option_of("--update-pct", "UPDATE_PCT", value.to_owned()));
    assert_eq!(
        with("UPDATE_PCT=20", &[pct("30"), option("SCALE=1G")]).map(|c| (c.update_pct, c.scale_blocks)),
        Ok((30, 131_072))
    );
    assert_eq!(with("", &[option("EXTERNAL_SCRIPT='a=b'")]).unwrap().external_script.as_deref(), Some("'a=b'"));
    for (file, option, reason) in [
        ("", pct("60"), "--update-pct: UPDATE_PCT=60: from 51 to 99"),
        ("UPDATE_PCT=60", pct("30"), "slob.conf, line 1: UPDATE_PCT=60: from 51 to 99"),
        ("\nSCAN_PCT=80", pct("30"), "--update-pct: UPDATE_PCT=30: UPDATE_PCT 30 and SCAN_PCT 80 are shares"),
        ("", option("SCALE"), "--set: 'SCALE': it has no '='; write NAME=VALUE"),
        ("", option(""), "--set: '': it has no '='"),
        ("", option("=5"), "--set: '': what stands before the '=' is no name"),
        ("", option("SCALE =5"), "--set: 'SCALE...': what stands before the '=' is no name"),
        ("", option("SCALE= 5"), "--set SCALE: SCALE= 5: that is neither a number of blocks nor a size"),
        ("", option("SKALE=5"), "--set SKALE: SKALE: there is no parameter of this name; did you mean SCALE?"),
        ("", option("9=5"), "is no name"),
        ("", option("SYSDBA_PASSWD"), "--set: (not shown, as it may be a password): it has no '='"),
    ] {
        let why = with(file, &[option]).unwrap_err().to_string();
        assert!(why.contains(reason), "{reason}: {why}");
    }
    let why = with("UPDATE_PCT=60", &[]).unwrap_err();
    assert_eq!(*why.place(), Place::Line { file: "slob.conf".to_owned(), line: 1 });
}

/// Files that are refused: the line, and a part of the message after it.
const BAD: &[(&str, usize, &str)] = &[
    // What only a shell could do.
    ("SCALE=$SIZE", 1, "SCALE=$: '$' is for a shell, and this file is only read; write the value itself"),
    ("SCALE=80M\nRUN_TIME=${T:-300}", 2, "RUN_TIME=$: '$' is for a shell"),
    ("RUN_TIME=$(date +%s)", 1, "'$' is for a shell"),
    ("RUN_TIME=\"a $(date)\"", 1, "'$' is for a shell"),
    ("RUN_TIME=$((5*60))", 1, "'$' is for a shell"),
    ("RUN_TIME=$[5*60]", 1, "'$' is for a shell"),
    ("RUN_TIME=\"$1\"", 1, "'$' is for a shell"),
    ("EXTERNAL_SCRIPT=$'a'", 1, "'$' is for a shell"),
    ("RUN_TIME=`date`", 1, "'`' is for a command, and none is run here"),
    ("RUN_TIME=\"`date`\"", 1, "'`' is for a command"),
    ("export SCALE={1,2}", 1, "SCALE={: '{' after export is for a shell"),
    ("EXTERNAL_SCRIPT=~/x", 1, "'~' is a folder only for a shell; write the whole path"),
    ("EXTERNAL_SCRIPT=/x:~", 1, "'~' is a folder"),
    ("SCALE=(1 2)", 1, "SCALE=(: that is an array; write one value"),
    ("SCALE[0]=1", 1, "SCALE...: that is an array"),
    ("SCALE+=1", 1, "SCALE...: '+=' adds to a value"),
    ("SCALE=80M & ", 1, "that would be a command"),
    ("SCALE=80M&", 1, "'&' is for a shell"),
    ("SCALE=80M>x", 1, "'>' is for a shell"),
    ("SCALE=80M)", 1, "')' is for a shell"),
    ("\n\nSCALE=8\\\n0M", 3, "SCALE=8\\: it goes on in the next line; write the value in one line"),
    ("SCALE=80M \\\r\nRUN_TIME=30", 1, "\\: the line goes on in the next one"),
    ("SCALE=\"80M\\", 1, "it goes on in the next line"),
    ("SCALE='80M", 1, "SCALE='80M: a single quote is not closed in this line; close it"),
    ("SCALE=\"80M\\\"", 1, "a double quote is not closed"),
    ("EXTERNAL_SCRIPT='a\nb'", 1, "a single quote is not closed"),
    // What is no assignment.
    ("# x\nSCALE = 80M", 2, "SCALE: a blank stands beside the '='; write NAME=value without blanks"),
    ("SCALE =80M", 1, "a blank stands beside the '='"),
    ("SCALE= 80M", 1, "80M: a blank stands beside the '='"),
    ("export SCALE= 80M", 1, "a blank stands beside the '='"),
    ("SCALE=80 M", 1, "M: that would be a command, and none is run here; put quotes around"),
    ("./runit.sh 4", 1, "./runit.sh: that is a command, and none is run here; write NAME=value, or '#'"),
    ("SCALE", 1, "SCALE: that is a command"),
    ("source other.conf", 1, "source: that is a command"),
    ("SCALE:80M", 1, "SCALE...: that is a command"),
    ("if [ -z \"$A\" ]; then SCALE=80M; fi", 1, "if: that is a command"),
    ("UPDATE-PCT=10", 1, "UPDATE...: that is no name of a parameter"),
    ("'SCALE'=80M", 1, "that is no name of a parameter"),
    ("1SCALE=80M", 1, "that is no name of a parameter"),
    ("declare -x SCALE=80M", 1, "declare: that declares variables of a shell; write NAME=value, or export"),
    ("readonly SCALE=80M", 1, "readonly: that declares variables of a shell"),
    ("export", 1, "export: it names nothing"),
    ("export # x", 1, "export: it names nothing"),
    ("export; SCALE=80M", 1, "export: it names nothing"),
    ("export -p", 1, "-p: export has no options here"),
    ("SCALE=80M export WORK_UNIT", 1, "export: it stands amid a command"),
    ("export SCALE WORK_UNITS", 1, "WORK_UNITS: there is no parameter of this name; did you mean WORK_UNIT?"),
    (";SCALE=80M", 1, ";: nothing stands before it"),
    ("SCALE=80M;;", 1, ";: nothing stands before it"),
    ("SCALE=80M\rWORK_UNIT=64", 1, "the line: a control character stands in it"),
    ("SCALE=80M\0", 1, "a control character"),
    // Names.
    ("SCALE=80M\nscale=80M", 2, "scale: there is no parameter of this name; did you mean SCALE?"),
    ("FOO=1", 1, "FOO: there is no parameter of this name; the parameters are UPDATE_PCT, SCAN_PCT, RUN_TIME"),
    // Values.
    (
        "UPDATE_PCT=51",
        1,
        "UPDATE_PCT=51: from 51 to 99 too few reads would be left between the updates, and the original",
    ),
    ("UPDATE_PCT=99", 1, "write 0 to 50, or 100 for updates alone"),
    ("UPDATE_PCT=101", 1, "that is too large; write a whole number from 0 to 50, or 100"),
    ("UPDATE_PCT=ten", 1, "that is no whole number"),
    ("UPDATE_PCT=", 1, "UPDATE_PCT=: it has no value; write a whole number from 0 to 50, or 100"),
    ("UPDATE_PCT=60\nUPDATE_PCT=50", 1, "from 51 to 99"),
    ("SCAN_PCT=91", 1, "SCAN_PCT=91: UPDATE_PCT 10 and SCAN_PCT 91 are shares of all operations, and more than 100"),
    ("SCAN_PCT=1\nSCALE=80M\nUPDATE_PCT=100\nRUN_TIME=30", 3, "UPDATE_PCT=100: UPDATE_PCT 100 and SCAN_PCT 1 are"),
    ("SCAN_PCT=101", 1, "too large"),
    ("RUN_TIME=29", 1, "that is too small; write a whole number from 30 to 4294967295"),
    ("RUN_TIME=4294967296", 1, "too large"),
    ("RUN_TIME=+30", 1, "no whole number"),
    ("RUN_TIME=30s", 1, "no whole number"),
    ("RUN_TIME='30 '", 1, "RUN_TIME=30 : that is no whole number"),
    ("RUN_TIME=3_0", 1, "no whole number"),
    ("RUN_TIME=٣٠", 1, "no whole number"),
    ("WORK_LOOP=18446744073709551616", 1, "too large"),
    ("WORK_LOOP=-1", 1, "no whole number"),
    ("SCALE=9999", 1, "too small; write a number of blocks of 8 KiB, 10000 at least"),
    ("SCALE=78M", 1, "too small"),
    ("SCALE=80001K", 1, "that is no whole number of blocks of 8 KiB"),
    ("SCALE=80MB", 1, "that is neither a number of blocks nor a size"),
    ("SCALE=M", 1, "neither a number of blocks nor a size"),
    ("SCALE=80.5M", 1, "neither a number of blocks nor a size"),
    ("SCALE=", 1, "it has no value; write a number of blocks"),
    ("SCALE=1125899906842624", 1, "too large"),
    ("SCALE=99999999999T", 1, "too large"),
    ("SCALE=99999999999999999999", 1, "too large"),
    ("SCALE=80\u{212a}", 1, "neither a number of blocks nor a size"),
    ("SCAN_TABLE_SZ=0", 1, "too small; write a number of blocks of 8 KiB, 1 at least"),
    ("SCAN_TABLE_SZ=4K", 1, "no whole number of blocks"),
    ("WORK_UNIT=2", 1, "too small; write a whole number from 3 to 1024"),
    ("WORK_UNIT=1025", 1, "too large"),
    ("REDO_STRESS=MEDIUM", 1, "REDO_STRESS=MEDIUM: that is neither LITE nor HEAVY; write LITE or HEAVY"),
    ("LOAD_PARALLEL_DEGREE=0", 1, "too small"),
    ("LOAD_PARALLEL_DEGREE=1001", 1, "too large"),
    ("THREADS_PER_SCHEMA=0", 1, "too small"),
    ("THREADS_PER_SCHEMA=10001", 1, "too large"),
    ("DATABASE_STATISTICS_TYPE=none", 1, "neither statspack nor awr"),
    ("DO_HOTSPOT=yes", 1, "neither TRUE nor FALSE"),
    ("OBFUSCATE_COLUMNS=", 1, "it has no value; write TRUE or FALSE"),
    ("HOTSPOT_FREQUENCY=0", 1, "too small"),
    ("HOTSPOT_MB=8M", 1, "no whole number"),
    ("HOTSPOT_OFFSET_MB=99999999999999999999", 1, "too large"),
    (
        "DO_HOTSPOT=TRUE\nHOTSPOT_MB=65",
        2,
        "HOTSPOT_MB=65: the hot spot, HOTSPOT_MB after HOTSPOT_OFFSET_MB, ends at block 10368",
    ),
    ("HOTSPOT_OFFSET_MB=72\nHOTSPOT_MB=9\nDO_HOTSPOT=TRUE", 3, "DO_HOTSPOT=TRUE: the hot spot"),
    ("DO_HOTSPOT=TRUE\nHOTSPOT_OFFSET_MB=72\nSCALE=10000", 3, "SCALE=10000: the hot spot"),
    ("DO_HOTSPOT=TRUE\nHOTSPOT_MB=1", 2, "the hot spot has 128 blocks and must have more than two WORK_UNIT, 128"),
    ("DO_HOTSPOT=TRUE\nWORK_UNIT=512", 2, "WORK_UNIT=512: the hot spot has 1024 blocks"),
    ("HOT_SCHEMA_FREQUENCY=-1", 1, "no whole number"),
    ("THINK_TM_FREQUENCY=.5", 1, "no whole number"),
    ("THINK_TM_MAX=.05", 1, "THINK_TM_MAX=.05: THINK_TM_MIN is more than THINK_TM_MAX; assign both"),
    ("THINK_TM_MAX=1\nTHINK_TM_MIN=1.000000001", 2, "THINK_TM_MIN is more than"),
    ("THINK_TM_MAX=3600.1", 1, "that is too large; write seconds from 0 to 3600"),
    ("THINK_TM_MAX=99999999999999999999", 1, "too large"),
    ("THINK_TM_MIN=.0000000001", 1, "finer than a nanosecond"),
    ("THINK_TM_MIN=1.", 1, "that is no decimal number"),
    ("THINK_TM_MIN=.", 1, "no decimal number"),
    ("THINK_TM_MIN=0,1", 1, "no decimal number"),
    ("THINK_TM_MIN=1e-3", 1, "no decimal number"),
    ("THINK_TM_MIN=", 1, "it has no value; write seconds"),
    // What is said elsewhere.
    ("ADMIN_SQLNET_SERVICE=slob", 1, "ADMIN_SQLNET_SERVICE: the database is said by --target; leave it empty"),
    ("SQLNET_SERVICE_BASE=slob", 1, "SQLNET_SERVICE_BASE: the database is said by --target"),
    ("SQLNET_SERVICE_MAX=2", 1, "SQLNET_SERVICE_MAX: dbdyno connects to one service"),
    ("DBA_PRIV_USER=me", 1, "DBA_PRIV_USER: the user is said by --target"),
    (
        "SYSDBA_PASSWD=hunter2",
        1,
        "SYSDBA_PASSWD: a password in a file like this, or on a command line, would be read by",
    ),
];

#[test]
fn what_is_wrong_is_refused_with_its_line() {
    for (text, line, reason) in BAD {
        let why = resolved(text).map(|conf| panic!("{text:?}: {conf:?}")).unwrap_err().to_string();
        assert!(why.starts_with(&format!("slob.conf, line {line}: ")) && why.contains(reason), "{text:?}: {why}");
        assert!(why.len() < 600 && !why.contains(char::is_control), "{why}");
        // After a file of other values, too, but for what depends on them.
        if ![" are shares of all", "the hot spot", "THINK_TM_MIN is more"].iter().any(|rule| reason.contains(rule)) {
            let after = resolved(&format!("{CHANGED}\n{text}")).unwrap_err().to_string();
            let line = line + CHANGED.lines().count();
            assert!(after.starts_with(&format!("slob.conf, line {line}: ")), "{text:?}: {after}");
        }
    }
}

#[test]
fn messages_are_short_whatever_stands_there() {
    for text in
        ["A".repeat(100_000), format!("{}=1", "A".repeat(100_000)), format!("SCALE={}", "\u{202e}9".repeat(9_000))]
    {
        let why = resolved(&text).unwrap_err().to_string();
        assert!(why.len() < 1_000 && !why.contains('\u{202e}'), "{why}");
    }
}

#[test]
fn no_message_has_the_password() {
    for text in [
        "SYSDBA_PASSWD=hunter2",
        "export SYSDBA_PASSWD='hunter2'",
        "SYSDBA_PASSWD='hunter2",
        "SYSDBA_PASSWD=\"hunter2",
        "SYSDBA_PASSWD=hunter2$x",
        "SYSDBA_PASSWD=$hunter2",
        "SYSDBA_PASSWD=hunter2\\",
        "SYSDBA_PASSWD=(hunter2)",
        "SYSDBA_PASSWD+=hunter2",
        "SYSDBA_PASSWD = hunter2",
        "SYSDBA_PASSWD= hunter2",
        "SYSDBA_PASSWD= hunter2=",
        "SYSDBA_PASSWD hunter2",
        "SYSDBA_PASSWD:hunter2",
        "SYSDBA_PASSWD=a hunter2",
        "SYSDBA_PASSWD=a;hunter2",
        "export SYSDBA_PASSWD hunter2",
        "declare -x SYSDBA_PASSWD=hunter2",
        "'SYSDBA_PASSWD=hunter2'",
        "'SYSDBA_PASSWD:hunter2'",
        "SYSDBA_PASSWD=hunter2\u{7}",
        "RUN_TIME=$x;SYSDBA_PASSWD=hunter2",
        "SYSDBA_PASSWORD=hunter2",
        "SYSDBA_PASWD=hunter2",
        "SYSDBA_PASWD = hunter2",
        "SYSDBA_PASWD='hunter2",
        "SYSDBA_PASWD:hunter2",
        "sysdba_passwd=hunter2",
        "DBA_PRIV_USER=sys/hunter2",
        "ADMIN_SQLNET_SERVICE='sys/hunter2@x",
    ] {
        if let Ok(all) = read("slob.conf", text) {
            assert!(!format!("{all:?}").contains("hunter2"), "{all:?}");
        }
        let why = resolved(text).unwrap_err();
        assert!(!format!("{why} {why:?}").contains("hunter2"), "{text}: {why:?}");
        let made = option(text).map_err(|why| (why.to_string(), why));
        assert!(!format!("{made:?}").contains("hunter2"), "{made:?}");
    }
    let why = resolved("RUN_TIME='3 SYSDBA_PASWD=hunter2").unwrap_err().to_string();
    assert!(!why.contains("hunter2"), "{why}");
    let open = option("SCALE=80M").unwrap();
    assert!(format!("{open:?}").contains("80M"), "{open:?}");
}

/// Values of every parameter that go together.
fn values() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let shares = prop_oneof![(0..=50_u32, 0..=50_u32), Just((100, 0))];
    let scale =
        prop_oneof![(10_000..1_000_000_u64).prop_map(|n| n.to_string()), (1..9_u64).prop_map(|n| format!("{n}G"))];
    let stress = prop::sample::select(vec!["LITE", "heavy", "Heavy"]);
    let switch = || prop::sample::select(vec!["TRUE", "false", "True", "FALSE"]);
    let work = (0..=u64::MAX, 3..=256_u64, stress, 1..=10_000_u32, 30..=u32::MAX, 1..=1_000_u32);
    let spot = (switch(), 5..=30_u64, 0..=40_u64, 1..=u32::MAX, 0..=3_u32);
    let think = (0..=3_u32, 0..=1_800_000_000_000_u64, 0..=1_800_000_000_000_u64);
    let script = prop_oneof![Just(String::new()), r#"[a-z /.'"\\$`#;&=~*(){}!|<>ü-]{1,12}"#];
    (shares, scale, 1..9_999_u64, work, spot, think, script, switch()).prop_map(
        |((updates, scans), scale, scan, work, spot, (every, least, more), script, obfuscates)| {
            vec![
                ("UPDATE_PCT", updates.to_string()),
                ("SCAN_PCT", scans.to_string()),
                ("RUN_TIME", work.4.to_string()),
                ("WORK_LOOP", work.0.to_string()),
                ("SCALE", scale),
                ("SCAN_TABLE_SZ", format!("{scan}m")),
                ("WORK_UNIT", work.1.to_string()),
                ("REDO_STRESS", work.2.to_owned()),
                ("LOAD_PARALLEL_DEGREE", work.5.to_string()),
                ("THREADS_PER_SCHEMA", work.3.to_string()),
                ("DATABASE_STATISTICS_TYPE", "Awr".to_owned()),
                ("DO_HOTSPOT", spot.0.to_owned()),
                ("HOTSPOT_MB", spot.1.to_string()),
                ("HOTSPOT_OFFSET_MB", spot.2.to_string()),
                ("HOTSPOT_FREQUENCY", spot.3.to_string()),
                ("HOT_SCHEMA_FREQUENCY", spot.4.to_string()),
                ("THINK_TM_FREQUENCY", every.to_string()),
                ("THINK_TM_MIN", super::values::ns_as_seconds(least)),
                ("THINK_TM_MAX", super::values::ns_as_seconds(least + more)),
                ("EXTERNAL_SCRIPT", script),
                ("SYSDBA_PASSWD", String::new()),
                ("OBFUSCATE_COLUMNS", obfuscates.to_owned()),
            ]
        },
    )
}

/// A value as a shell reads it: each character in one of three ways, by these numbers, or all in one quote.
fn quoted(value: &str, ways: &[u8]) -> String {
    let way = |(char, way): (char, &u8)| match way {
        0 if char != '\'' => format!("'{char}'"),
        1 if "$`\"\\".contains(char) => format!("\"\\{char}\""),
        1 => format!("\"{char}\""),
        _ if char.is_ascii_alphanumeric() => char.to_string(),
        _ => format!("\\{char}"),
    };
    match ways {
        [0] if !value.contains('\'') => format!("'{value}'"),
        _ => value.chars().zip(ways.iter().cycle()).map(way).collect(),
    }
}

proptest! {
    #[test]
    fn order_quotes_and_comments_change_nothing(
        values in values(),
        order in Just((0..22_usize).collect::<Vec<_>>()).prop_shuffle(),
        ways in prop::collection::vec(0..3_u8, 1..9),
        ends in prop::collection::vec(prop::sample::select(vec![
            "\n", "\r\n", " ", ";", "\t; ", " # 'x\n", ";#\"\n", "\nexport SCALE\n", "\nexport ", "; export ",
            "\n\n \t#\n",
        ]), 1..9),
    ) {
        let expected = of(&values).unwrap();
        let mut text = String::new();
        for (n, at) in order.iter().enumerate() {
            let (name, value) = &values[*at];
            let end = ends[n % ends.len()];
            let end = if n + 1 == order.len() { end.trim_end_matches("export ") } else { end };
            text.push_str(&format!("{name}={}{end}", quoted(value, &ways)));
        }
        let read = resolved(&text);
        prop_assert_eq!(read.as_ref(), Ok(&expected), "{}", text);
    }

    #[test]
    fn work_and_data_are_read_again(values in values()) {
        let conf = of(&values).unwrap();
        let stored = [conf.work(), conf.data()].concat();
        let again = of(&stored).unwrap();
        prop_assert_eq!((again.work(), again.data()), (conf.work(), conf.data()));
        let decided = Conf {
            run_time_s: None,
            load_parallel_degree: None,
            statistics: Statistics::Statspack,
            external_script: None,
            ..conf
        };
        prop_assert_eq!(again, decided);
    }

    #[test]
    fn the_last_assignment_counts(first in values(), last in values()) {
        let both: Vec<_> = first.into_iter().chain(last.clone()).collect();
        prop_assert_eq!(of(&both).unwrap(), of(&last).unwrap());
    }

    #[test]
    fn nothing_that_stands_in_a_file_is_too_much(
        parts in prop::collection::vec(prop_oneof![
            prop::sample::select(vec![
                "SCALE", "=", "80M", " ", "\n", "\r\n", "'", "\"", "\\", "$", "`", "export ", ";", "#", "(",
                "~", "é", "+=",
            ]).prop_map(str::to_owned),
            "\\PC{0,3}",
        ], 0..30),
    ) {
        let text = parts.concat();
        if let Err(why) = resolved(&text) {
            prop_assert!(why.to_string().starts_with("slob.conf, line "), "{}", why);
        }
        let _ = option(&text);
    }

    #[test]
    fn no_part_of_a_line_with_a_password_is_shown(
        exports in any::<bool>(),
        name in prop::sample::select(vec!["SYSDBA_PASSWD", "SYSDBA_PASWD", "DBA_PRIV_USER", "SYSDBA_PASSWORD"]),
        next in prop::sample::select(vec![
            "=", " ", " =", "= ", "+=", ":", "[0]=", ";", "='", "=\"", "=$(", "=`", "=\\",
        ]),
        parts in prop::collection::vec(prop::sample::select(vec![
            "hunter2", "=", " ", "'", "\"", "\\", "$", "`", "export ", ";", "#", "(", ")", "+=", "~", ":",
            "-", "[", "\t",
        ]), 0..12),
    ) {
        let text = format!("{}{name}{next}{}", if exports { "export " } else { "" }, parts.concat());
        let read = read("slob.conf", &text);
        let all = format!("{read:?} {:?} {:?}", resolved(&text).map_err(|why| (why.to_string(), why)), option(&text));
        prop_assert!(!all.contains("hunter2"), "{}: {}", text, all);
    }
}

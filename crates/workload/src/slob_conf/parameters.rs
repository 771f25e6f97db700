//! The parameters: their names, how each is read, how it is written again, and what it decides.

use super::error::Refusal;
use super::settings::{Conf, Draft, RedoStress, Statistics};
use super::values::{
    blocks, blocks_as_mib, empty, mib_as_blocks, ns_as_seconds, seconds_as_ns, update_pct, whole, word, word_for,
};

const LEAST_SCALE_BLOCKS: u64 = 10_000;
/// A name that differs more from every known one is no slip of the finger.
const NEAR: usize = 3;
/// Longer names are like no known one.
const LONGEST_NAME: usize = 64;
const STRESSES: [(&str, RedoStress); 2] = [("LITE", RedoStress::Lite), ("HEAVY", RedoStress::Heavy)];
const STATISTICS: [(&str, Statistics); 2] = [("statspack", Statistics::Statspack), ("awr", Statistics::Awr)];
const SWITCH: [(&str, bool); 2] = [("TRUE", true), ("FALSE", false)];

type Reads = fn(&mut Draft, &str) -> Result<(), Refusal>;
type Says = fn(&Conf) -> Option<String>;

/// What a parameter decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decides {
    /// What sessions do.
    Work,
    /// What a load makes.
    Data,
    /// Neither.
    Neither,
}

/// A parameter.
#[derive(Debug)]
pub(super) struct Parameter {
    /// Its name.
    pub(super) name: &'static str,
    /// Whether messages may have its value.
    pub(super) is_open: bool,
    /// What it decides.
    pub(super) decides: Decides,
    /// Reads a value.
    pub(super) reads: Reads,
    /// Its value as it is read again; none where it is not in use.
    pub(super) says: Says,
}

/// The parameters in the order in which users know them.
pub(super) static PARAMETERS: [Parameter; 26] = [
    work("UPDATE_PCT", |to, text| put(&mut to.conf.update_pct, update_pct(text)), |of| say(of.update_pct)),
    work("SCAN_PCT", |to, text| put(&mut to.conf.scan_pct, whole(text, 0..=100)), |of| say(of.scan_pct)),
    other("RUN_TIME", |to, text| put(&mut to.conf.run_time_s, whole(text, 30..=u32::MAX).map(Some))),
    work("WORK_LOOP", |to, text| put(&mut to.conf.work_loop, whole(text, 0..=u64::MAX)), |of| say(of.work_loop)),
    data(
        "SCALE",
        |to, text| put(&mut to.conf.scale_blocks, blocks(text, LEAST_SCALE_BLOCKS)),
        |of| say(of.scale_blocks),
    ),
    data("SCAN_TABLE_SZ", |to, text| put(&mut to.conf.scan_blocks, blocks(text, 1)), |of| say(of.scan_blocks)),
    work("WORK_UNIT", |to, text| put(&mut to.conf.work_unit, whole(text, 3..=1_024)), |of| say(of.work_unit)),
    work(
        "REDO_STRESS",
        |to, text| put(&mut to.conf.redo_stress, word(text, STRESSES)),
        |of| Some(word_for(of.redo_stress, STRESSES)),
    ),
    other("LOAD_PARALLEL_DEGREE", |to, text| put(&mut to.conf.load_parallel_degree, whole(text, 1..=1_000).map(Some))),
    work(
        "THREADS_PER_SCHEMA",
        |to, text| put(&mut to.conf.threads_per_schema, whole(text, 1..=10_000)),
        |of| say(of.threads_per_schema),
    ),
    other("DATABASE_STATISTICS_TYPE", |to, text| put(&mut to.conf.statistics, word(text, STATISTICS))),
    work(
        "DO_HOTSPOT",
        |to, text| put(&mut to.has_hotspot, word(text, SWITCH)),
        |of| of.hotspot.map(|_| word_for(true, SWITCH)),
    ),
    work(
        "HOTSPOT_MB",
        |to, text| put(&mut to.hotspot.blocks, mib_as_blocks(text)),
        |of| of.hotspot.map(|spot| blocks_as_mib(spot.blocks)),
    ),
    work(
        "HOTSPOT_OFFSET_MB",
        |to, text| put(&mut to.hotspot.first_block, mib_as_blocks(text)),
        |of| of.hotspot.map(|spot| blocks_as_mib(spot.first_block)),
    ),
    work(
        "HOTSPOT_FREQUENCY",
        |to, text| put(&mut to.hotspot.every, whole(text, 1..=u32::MAX)),
        |of| of.hotspot.and_then(|spot| say(spot.every)),
    ),
    work(
        "HOT_SCHEMA_FREQUENCY",
        |to, text| put(&mut to.conf.hot_schema_every, whole(text, 0..=u32::MAX)),
        |of| say(of.hot_schema_every).filter(|_| of.hot_schema_every > 0),
    ),
    work(
        "THINK_TM_FREQUENCY",
        |to, text| put(&mut to.think.every, whole(text, 0..=u32::MAX)),
        |of| of.think.and_then(|think| say(think.every)),
    ),
    work(
        "THINK_TM_MIN",
        |to, text| put(&mut to.think.least_ns, seconds_as_ns(text)),
        |of| of.think.map(|think| ns_as_seconds(think.least_ns)),
    ),
    work(
        "THINK_TM_MAX",
        |to, text| put(&mut to.think.most_ns, seconds_as_ns(text)),
        |of| of.think.map(|think| ns_as_seconds(think.most_ns)),
    ),
    other("EXTERNAL_SCRIPT", |to, text| {
        to.conf.external_script = Some(text.to_owned()).filter(|path| !path.is_empty());
        Ok(())
    }),
    elsewhere("ADMIN_SQLNET_SERVICE", |_, text| {
        empty(text, "the database is said by --target", "leave it empty, and name the database with --target")
    }),
    elsewhere("SQLNET_SERVICE_BASE", |_, text| {
        empty(text, "the database is said by --target", "leave it empty, and name the database with --target")
    }),
    elsewhere("SQLNET_SERVICE_MAX", |_, text| {
        empty(text, "dbdyno connects to one service", "leave it empty, and name the service with --target")
    }),
    elsewhere("DBA_PRIV_USER", |_, text| {
        empty(text, "the user is said by --target", "leave it empty, and name the user with --target")
    }),
    elsewhere("SYSDBA_PASSWD", |_, text| {
        let wrong = "a password in a file like this, or on a command line, would be read by others";
        let todo = "leave it empty, and give the password in the environment or in the engine's password file";
        empty(text, wrong, todo)
    }),
    data(
        "OBFUSCATE_COLUMNS",
        |to, text| put(&mut to.conf.obfuscate_columns, word(text, SWITCH)),
        |of| of.obfuscate_columns.then(|| word_for(true, SWITCH)),
    ),
];

const fn work(name: &'static str, reads: Reads, says: Says) -> Parameter {
    Parameter { name, is_open: true, decides: Decides::Work, reads, says }
}

const fn data(name: &'static str, reads: Reads, says: Says) -> Parameter {
    Parameter { name, is_open: true, decides: Decides::Data, reads, says }
}

const fn other(name: &'static str, reads: Reads) -> Parameter {
    Parameter { name, is_open: true, decides: Decides::Neither, reads, says: |_| None }
}

/// A parameter whose value is not shown: there may be a password in each of these.
const fn elsewhere(name: &'static str, reads: Reads) -> Parameter {
    Parameter { name, is_open: false, decides: Decides::Neither, reads, says: |_| None }
}

fn put<T>(to: &mut T, read: Result<T, Refusal>) -> Result<(), Refusal> {
    *to = read?;
    Ok(())
}

fn say(number: impl ToString) -> Option<String> {
    Some(number.to_string())
}

/// The parameter of this name.
pub(super) fn parameter(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name == name)
}

/// Whether messages may have the value of this name: a name that nobody knows may be that of a password, misspelt.
pub(super) fn is_open(name: &str) -> bool {
    parameter(name).is_some_and(|parameter| parameter.is_open)
}

/// Whether a line or an option names something that messages must not have.
pub(super) fn may_hold_password(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let hidden = PARAMETERS.iter().filter(|parameter| !parameter.is_open).map(|parameter| parameter.name);
    hidden.chain(["PASS"]).any(|name| text.contains(name))
}

/// Why a name is refused that no parameter has.
pub(super) fn unknown(name: &str) -> Refusal {
    let upper = name.to_ascii_uppercase();
    let distance = |known: &str| strsim::damerau_levenshtein(known, &upper);
    let near = PARAMETERS
        .iter()
        .filter(|_| name.len() <= LONGEST_NAME)
        .map(|known| (distance(known.name), known.name))
        .filter(|(distance, known)| *distance <= NEAR.min(known.len() / 2))
        .min();
    let todo = match near {
        Some((_, near)) => format!("did you mean {near}?"),
        None => format!("the parameters are {}", PARAMETERS.each_ref().map(|known| known.name).join(", ")),
    };
    Refusal::new("there is no parameter of this name", todo)
}

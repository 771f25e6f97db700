//! `dbdyno orion`: the flags of ORION, with one dash or two, and dbdyno's own beside them.

use super::client::ARRIVALS;
use super::common::Shown;
use super::fleet::{NatsArgs, Shared, SharedArgs, shared};
use super::values::{bytes, duration_s, label, limit_s, words};
use clap::error::ErrorKind;
use clap::{Args, Command};
use dbdyno_model::Arrivals;
use dbdyno_storage::BackendKind;
use dbdyno_storage::orion::{Choice, LargeType, MatrixKind, RunKind, Simulate, Storax, TypedFlags};
use std::ffi::{OsStr, OsString};
use std::num::{IntErrorKind, ParseIntError};
use std::path::PathBuf;

/// The word that the flags follow on the command line.
const NAME: &str = "orion";
/// Options before the command that take a value as the next word.
const WITH_VALUE: [&str; 2] = ["--results", "--catalogue"];
/// A name with a larger edit distance is not suggested.
const FARTHEST: usize = 3;

/// What `-help` says, in the style of ORION.
pub(crate) const LONG_HELP: &str = include_str!("orion_help.txt");
/// What `-h` says.
const SHORT_HELP: &str = include_str!("orion_help_short.txt");

/// `dbdyno orion`.
#[derive(Debug, Args)]
#[command(override_help = LONG_HELP)]
pub(crate) struct OrionArgs {
    #[arg(long, value_name = "TYPE", value_parser = RunKind::of_word)]
    run: Option<RunKind>,
    #[arg(long)]
    testname: Option<String>,
    #[arg(long = "num_disks", value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    num_disks: Option<u64>,
    #[arg(long = "size_small", value_name = "N", value_parser = kilobytes, allow_negative_numbers = true)]
    size_small: Option<u64>,
    #[arg(long = "size_large", value_name = "N", value_parser = kilobytes, allow_negative_numbers = true)]
    size_large: Option<u64>,
    #[arg(long = "type", value_name = "WHAT", value_parser = LargeType::of_word)]
    large_type: Option<LargeType>,
    #[arg(long = "num_streamIO", value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    num_stream_io: Option<u64>,
    #[arg(long, value_name = "HOW", value_parser = Simulate::of_word)]
    simulate: Option<Simulate>,
    #[arg(long, value_name = "N", value_parser = kilobytes, allow_negative_numbers = true)]
    stripe: Option<u64>,
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    write: Option<u64>,
    #[arg(long = "cache_size", value_name = "N", value_parser = megabytes, allow_negative_numbers = true)]
    cache_size: Option<u64>,
    #[arg(long, value_parser = seconds, allow_negative_numbers = true)]
    duration: Option<f64>,
    #[arg(long, value_name = "WHICH", value_parser = MatrixKind::of_word)]
    matrix: Option<MatrixKind>,
    #[arg(long = "num_small", value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    num_small: Option<u64>,
    #[arg(long = "num_large", value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    num_large: Option<u64>,
    #[arg(long = "hugenotneeded")]
    huge_not_needed: bool,
    #[arg(long, value_name = "LAYER", value_parser = Storax::of_word)]
    storax: Option<Storax>,
    #[arg(long)]
    verbose: bool,

    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    file_size: Option<u64>,
    #[arg(long)]
    reference: bool,
    #[arg(long)]
    percentiles: bool,
    #[arg(long, value_name = "IOPS", value_parser = iops, allow_negative_numbers = true)]
    rate: Option<f64>,
    #[arg(long, value_name = "HOW", value_parser = words(ARRIVALS))]
    arrivals: Option<Arrivals>,
    #[arg(long)]
    verify: bool,
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[arg(long, value_name = "PATH")]
    destroy_data: Vec<PathBuf>,
    #[arg(long)]
    really: bool,
    #[arg(long, value_name = "HOW", value_parser = BackendKind::of_word)]
    backend: Option<BackendKind>,
    #[arg(long, value_name = "NAME[=N]", value_parser = shared)]
    pub(crate) fleet: Option<Shared>,
    #[arg(long, value_name = "DURATION", value_parser = limit_s, requires = "fleet")]
    fleet_wait: Option<f64>,
    #[command(flatten)]
    nats: NatsArgs,
    /// Name of the run
    #[arg(long, value_parser = label)]
    pub(crate) label: Option<String>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

impl OrionArgs {
    /// The hosts that do the work, where it is not this one.
    pub(crate) fn shared(&self) -> SharedArgs {
        let Self { fleet, fleet_wait, nats, .. } = self;
        SharedArgs { fleet: fleet.clone(), fleet_wait: *fleet_wait, send_credentials: false, nats: nats.clone() }
    }

    /// The flags, without those of every command.
    pub(crate) fn typed(&self) -> TypedFlags {
        TypedFlags {
            run: self.run,
            testname: self.testname.clone(),
            num_disks: self.num_disks,
            size_small_kb: self.size_small,
            size_large_kb: self.size_large,
            large_type: self.large_type,
            num_stream_io: self.num_stream_io,
            simulate: self.simulate,
            stripe_kb: self.stripe,
            write_pct: self.write,
            cache_size_mb: self.cache_size,
            duration_s: self.duration,
            matrix: self.matrix,
            num_small: self.num_small,
            num_large: self.num_large,
            huge_not_needed: self.huge_not_needed,
            storax: self.storax,
            verbose: self.verbose,
            seed: self.seed,
            files: self.file.clone(),
            file_size_bytes: self.file_size,
            percentiles: self.percentiles,
            rate_iops: self.rate,
            arrivals: self.arrivals,
            verify: self.verify,
            destroy_data: self.destroy_data.clone(),
            really: self.really,
            reference: self.reference,
            backend: self.backend,
        }
    }
}

fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => {
            format!("it is larger than any number that makes sense; the largest read is {}", u64::MAX)
        }
        _ => "it is no whole number from 0 on".to_owned(),
    })
}

/// ORION's kilobytes, or a size with its unit.
fn kilobytes(text: &str) -> Result<u64, String> {
    in_units(text, 1)
}

/// ORION's megabytes, or a size with its unit.
fn megabytes(text: &str) -> Result<u64, String> {
    in_units(text, 1 << 10)
}

/// A size in units of so many KB each; `k`, `m` and `g` behind it say what it is in.
fn in_units(text: &str, unit_kb: u64) -> Result<u64, String> {
    let kb_each = match text.as_bytes().last().map(u8::to_ascii_lowercase) {
        Some(b'k') => 1,
        Some(b'm') => 1 << 10,
        Some(b'g') => 1 << 20,
        _ => return whole(text),
    };
    let n = whole(&text[..text.len() - 1])?;
    let kb = n.checked_mul(kb_each).ok_or_else(|| "it is larger than any size that makes sense".to_owned())?;
    if kb.is_multiple_of(unit_kb) { Ok(kb / unit_kb) } else { Err("it is no whole number of megabytes".to_owned()) }
}

/// ORION's seconds, or a time with its unit.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && !text.starts_with('+') => Ok(seconds),
        _ => duration_s(text),
    }
}

fn iops(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix("/s").unwrap_or(text).parse::<f64>().ok().filter(|n| n.is_finite());
    number.ok_or_else(|| "it is no rate: write how many I/Os are due a second, as in 5000".to_owned())
}

/// The command line with ORION's names in clap's form: after `orion`, `-num_disks` becomes `--num_disks`. Hyphens and
/// underscores are equivalent in names, case does not count, and the dashes of word processors are accepted.
///
/// # Errors
/// An unknown name with one dash; the error has the nearest names.
pub(super) fn translated(words: Vec<OsString>, root: &Command) -> Result<Vec<OsString>, clap::Error> {
    let Some(flags) = root.find_subcommand(NAME) else { return Ok(words) };
    let names: Vec<&str> =
        flags.get_arguments().chain(root.get_arguments()).filter_map(clap::Arg::get_long).chain(["help"]).collect();
    let Some(at) = place(&words) else { return Ok(words) };
    let (before, behind) = words.split_at(at + 1);
    let behind = behind.iter().map(|word| translate(word, &names));
    before.iter().cloned().map(Ok).chain(behind).collect()
}

/// The same, of a command line that is still being typed: what is no name yet stays as it is.
pub(super) fn translated_so_far(words: Vec<OsString>, root: &Command) -> Vec<OsString> {
    translated(words.clone(), root).unwrap_or(words)
}

/// Whether a command line is about this command.
pub(super) fn is_named(words: &[OsString]) -> bool {
    place(words).is_some()
}

/// The definition with the short help, if that is asked for.
pub(super) fn with_help(root: Command, words: &[OsString]) -> Command {
    let is_short = place(words).is_some_and(|at| words[at + 1..].iter().any(|word| word == "-h"));
    if is_short { root.mut_subcommand(NAME, |command| command.override_help(SHORT_HELP)) } else { root }
}

/// The index of the command, if it is this one.
fn place(words: &[OsString]) -> Option<usize> {
    let mut words = words.iter().enumerate().skip(1);
    while let Some((at, word)) = words.next() {
        match word.to_str() {
            Some(option) if WITH_VALUE.contains(&option) => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            other => return (other == Some(NAME)).then_some(at),
        }
    }
    None
}

fn translate(word: &OsStr, names: &[&str]) -> Result<OsString, clap::Error> {
    let same = || Ok(word.to_owned());
    let Some(text) = word.to_str() else { return same() };
    let (dashes, name) = match text.strip_prefix("--") {
        Some(name) => (2, name),
        None => match text.strip_prefix(['-', '\u{2013}', '\u{2014}']) {
            Some(name) => (1, name),
            None => return same(),
        },
    };
    // `-q` and `-5` stay as they are.
    if name.len() < 2 || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return same();
    }
    let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
    let key = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    if let Some(known) = names.iter().find(|known| key(known) == key(name)) {
        return Ok(value.map_or_else(|| format!("--{known}"), |value| format!("--{known}={value}")).into());
    }
    // clap reports errors in names with two dashes.
    if dashes == 2 { same() } else { Err(unknown(name, names)) }
}

fn unknown(name: &str, names: &[&str]) -> clap::Error {
    let key = name.to_ascii_lowercase();
    let near = names.iter().map(|known| (strsim::damerau_levenshtein(&key, &known.to_ascii_lowercase()), *known)).min();
    let hint = near
        .filter(|(distance, _)| *distance <= FARTHEST)
        .map_or_else(String::new, |(_, n)| format!(" did you mean -{n}?"));
    clap::Error::raw(
        ErrorKind::UnknownArgument,
        format!("-{name} is no option of ORION's;{hint} `dbdyno orion -help` lists them all\n"),
    )
}

/// The arguments behind `orion` on this process's command line, quoted for a shell.
pub(crate) fn command_line() -> String {
    let words: Vec<OsString> = std::env::args_os().collect();
    let behind = place(&words).map_or(&[][..], |at| &words[at + 1..]);
    let shell_words: Vec<String> =
        behind.iter().map(|word| crate::output::shell_word(&word.to_string_lossy())).collect();
    shell_words.join(" ")
}

#[cfg(test)]
mod tests;

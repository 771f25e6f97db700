//! Values as users write them: numbers, sizes, seconds and words.

use super::error::Refusal;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Bytes of a block.
const BLOCK_BYTES: u64 = 8_192;
/// Blocks of a MiB.
const BLOCKS_PER_MIB: u64 = 128;
/// The bytes of so many blocks, and their numbers, are still numbers that every database has.
const MOST_BLOCKS: u64 = 1 << 31;
const NS_PER_S: u64 = 1_000_000_000;
const MOST_S: u64 = 3_600;
/// Letters of sizes, and the power of two that each is.
const UNITS: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
const NO_VALUE: &str = "it has no value";

/// Whether a text is decimal digits and nothing else.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A whole number in plain digits. Zeros may come first: they change nothing.
pub(super) fn whole<N: FromStr + PartialOrd + Display>(text: &str, range: RangeInclusive<N>) -> Result<N, Refusal> {
    let (least, most) = range.into_inner();
    let refused = |wrong: &str| {
        Refusal::new(wrong, format!("write a whole number from {least} to {most}, in digits and nothing else"))
    };
    match text.parse::<N>() {
        _ if text.is_empty() => Err(refused(NO_VALUE)),
        _ if !is_digits(text) => Err(refused("that is no whole number")),
        Ok(number) if number < least => Err(refused("that is too small")),
        Ok(number) if number <= most => Ok(number),
        _ => Err(refused("that is too large")),
    }
}

/// The share of updates, in percent.
pub(super) fn update_pct(text: &str) -> Result<u32, Refusal> {
    let todo = "write a whole number from 0 to 50, or 100, in digits and nothing else";
    match whole(text, 0..=100) {
        Ok(51..=99) => {
            let wrong =
                "from 51 to 99 too few reads would be left between the updates, and the original refuses it too";
            Err(Refusal::new(wrong, "write 0 to 50, or 100 for updates alone"))
        }
        Ok(share_pct) => Ok(share_pct),
        Err(why) => Err(why.with_todo(todo)),
    }
}

/// Blocks: their number, or a size that is a whole number of them.
pub(super) fn blocks(text: &str, least: u64) -> Result<u64, Refusal> {
    let refused = |wrong: &str| {
        let todo = format!(
            "write a number of blocks of 8 KiB, {least} at least, in digits and nothing else, or a size with K, M, G \
             or T that is a whole number of blocks, as in 80M"
        );
        Refusal::new(wrong, todo)
    };
    let last = text.chars().last().map(|last| last.to_ascii_uppercase());
    let power = UNITS.into_iter().find_map(|(letter, power)| (Some(letter) == last).then_some(power));
    let number = if power.is_some() { &text[..text.len() - 1] } else { text };
    if text.is_empty() {
        return Err(refused(NO_VALUE));
    }
    if !is_digits(number) {
        return Err(refused("that is neither a number of blocks nor a size"));
    }
    let number: Option<u64> = number.parse().ok();
    let blocks = match power {
        None => number,
        Some(power) => match number.and_then(|number| number.checked_mul(1 << power)) {
            Some(bytes) if !bytes.is_multiple_of(BLOCK_BYTES) => {
                return Err(refused("that is no whole number of blocks of 8 KiB"));
            }
            bytes => bytes.map(|bytes| bytes / BLOCK_BYTES),
        },
    };
    match blocks {
        Some(blocks) if blocks < least => Err(refused("that is too small")),
        Some(blocks) if blocks <= MOST_BLOCKS => Ok(blocks),
        _ => Err(refused("that is too large")),
    }
}

/// The blocks of whole MiB.
pub(super) fn mib_as_blocks(text: &str) -> Result<u64, Refusal> {
    whole(text, 0..=MOST_BLOCKS / BLOCKS_PER_MIB).map(|mib| mib * BLOCKS_PER_MIB)
}

/// Whole MiB of blocks, as [`mib_as_blocks`] reads them.
pub(super) fn blocks_as_mib(blocks: u64) -> String {
    (blocks / BLOCKS_PER_MIB).to_string()
}

/// Nanoseconds of decimal seconds: `2`, `0.5` or `.1`.
pub(super) fn seconds_as_ns(text: &str) -> Result<u64, Refusal> {
    let refused = |wrong: &str| {
        Refusal::new(wrong, format!("write seconds from 0 to {MOST_S}, as in .1 or 0.5, with nine decimals at most"))
    };
    let (whole_s, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let whole_s = if text.starts_with('.') { "0" } else { whole_s };
    if text.is_empty() {
        return Err(refused(NO_VALUE));
    }
    if !is_digits(whole_s) || !is_digits(decimals) {
        return Err(refused("that is no decimal number"));
    }
    if decimals.len() > 9 {
        return Err(refused("that is finer than a nanosecond"));
    }
    let part_ns = format!("{decimals:0<9}").parse::<u64>().ok();
    let whole_ns = whole_s.parse::<u64>().ok().and_then(|whole_s| whole_s.checked_mul(NS_PER_S));
    let ns = whole_ns.zip(part_ns).and_then(|(whole, part)| whole.checked_add(part));
    ns.filter(|ns| *ns <= MOST_S * NS_PER_S).ok_or_else(|| refused("that is too large"))
}

/// Decimal seconds, as [`seconds_as_ns`] reads them.
pub(super) fn ns_as_seconds(ns: u64) -> String {
    let seconds = format!("{}.{:09}", ns / NS_PER_S, ns % NS_PER_S);
    seconds.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What one of some words stands for, in whatever case it is written.
pub(super) fn word<T: Copy>(text: &str, words: [(&str, T); 2]) -> Result<T, Refusal> {
    let found = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let [one, other] = words.map(|(word, _)| word);
        let wrong = if text.is_empty() { NO_VALUE.to_owned() } else { format!("that is neither {one} nor {other}") };
        Refusal::new(wrong, format!("write {one} or {other}"))
    })
}

/// The word for something, as [`word`] reads it.
pub(super) fn word_for<T: PartialEq>(value: T, [one, other]: [(&'static str, T); 2]) -> String {
    if value == one.1 { one.0 } else { other.0 }.to_owned()
}

/// Nothing: what a parameter says is said elsewhere.
pub(super) fn empty(text: &str, wrong: &str, todo: &str) -> Result<(), Refusal> {
    if text.is_empty() { Ok(()) } else { Err(Refusal::new(wrong, todo)) }
}

//! Values of options that have a format. Each refusal says what was typed, what is wrong and what would do.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dbdyno_model::{BadScale, RunNote, Scale};

/// The longest window.
const LONGEST_S: f64 = 86_400.0;
/// Below this a window holds no whole chunks at all.
const SHORTEST_S: f64 = 0.001;

/// A time with its unit, `500ms`, `10s`, `1.5m`, in seconds.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn duration_s(text: &str) -> Result<f64, String> {
    const RULE: &str = "write a number and its unit, as in 500ms, 10s or 1m";
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| format!("it is no time; {RULE}"))?;
    if number == 0.0 {
        return Err(
            "a window without length has no rate; use 2s for a first look, 10s or more for decisions".to_owned()
        );
    }
    let seconds = match unit {
        "ms" => number / 1e3,
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3_600.0,
        "" => return Err(format!("it has no unit; write {text}s for seconds")),
        _ => return Err(format!("'{unit}' is no unit of time; {RULE}")),
    };
    if (SHORTEST_S..=LONGEST_S).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("a window is from 1ms to 24h long".to_owned())
    }
}

/// The longest time that something may take, in seconds.
///
/// # Errors
/// It is no such time.
pub(crate) fn limit_s(text: &str) -> Result<f64, String> {
    duration_s(text).map_err(|_| "write a number and its unit, up to 24h, as in 90s, 10m or 2h".to_owned())
}

/// How many times as fast something is played.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| (0.01..=10_000.0).contains(speed));
    speed.ok_or_else(|| "write a number from 0.01 to 10000".to_owned())
}

/// An amount of memory with its unit, `512MiB`, `8GiB`, `1.5GB`, in bytes.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    const RULE: &str = "write a number and its unit, as in 512MiB or 8GiB";
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| format!("it is no amount of memory; {RULE}"))?;
    let bytes = match unit.to_ascii_lowercase().as_str() {
        "mib" | "m" => number * f64::from(1 << 20),
        "gib" | "g" => number * f64::from(1 << 30),
        "tib" | "t" => number * f64::from(1 << 30) * 1024.0,
        "mb" => number * 1e6,
        "gb" => number * 1e9,
        "tb" => number * 1e12,
        "" => return Err(format!("it has no unit; write {text}MiB for mebibytes")),
        _ => return Err(format!("'{unit}' is no unit of memory; {RULE}")),
    };
    // Far below the size where a float would lose whole bytes.
    if (1e6..1e15).contains(&bytes) { Ok(bytes.round() as u64) } else { Err(format!("it is out of range; {RULE}")) }
}

/// A share in percent, `5%` or `2.5%`.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    let pct = number.parse::<f64>().map_err(|_| "it is no percentage; write 5%".to_owned())?;
    // A loss of 100 % would leave nothing.
    if (0.0..100.0).contains(&pct) { Ok(pct) } else { Err("it must be from 0% to less than 100%".to_owned()) }
}

/// A fixed number of nodes, jobs or threads.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn dop(text: &str) -> Result<u32, String> {
    count(text, "degree of parallelism")
}

/// The one degree of parallelism at which a run measures; several are a ramp.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn only_dop(text: &str) -> Result<u32, String> {
    dop(text).map_err(|error| match text.contains(',') {
        true => format!("{error}, or several as --ramp {text}"),
        false => error,
    })
}

/// A number of connections.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn connections(text: &str) -> Result<u32, String> {
    count(text, "number of connections")
}

fn count(text: &str, what: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|n| (1..=65_535).contains(n));
    number.ok_or_else(|| format!("it is no {what}; write a whole number from 1 to 65535"))
}

/// The label of a run.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn label(text: &str) -> Result<String, String> {
    const LONGEST: usize = 64;
    match text {
        "last" => Err("`last` always means the newest run; choose another name".to_owned()),
        _ => one_line("a label", LONGEST, text),
    }
}

/// The name of a fleet or an agent.
///
/// # Errors
/// It is no token of a subject.
pub(super) fn fleet_name(text: &str) -> Result<String, String> {
    let unfit = || "a name has letters, digits, - and _, at most 64".to_owned();
    dbdyno_fleet::is_name(text).then(|| text.to_owned()).ok_or_else(unfit)
}

/// A note of a run: one line of plain text.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn note(text: &str) -> Result<String, String> {
    one_line("a note", RunNote::LONGEST, text)
}

/// A line of plain text that is called `what`.
fn one_line(what: &str, longest: usize, text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err(format!("{what} needs at least one character that can be seen"));
    }
    if text.chars().count() > longest {
        return Err(format!("{what} has at most {longest} characters"));
    }
    match text.chars().find(|c| dbdyno_report::steers(*c)) {
        Some(hidden) => Err(format!("{what} is one line of characters that can be seen; {hidden:?} is none")),
        None => Ok(text.to_owned()),
    }
}

/// A word that users type, its value and its help.
pub(super) type Word<T> = (&'static str, T, &'static str);

/// Parses one of some words.
pub(super) fn words<T: Copy + Send + Sync + 'static>(all: &'static [Word<T>]) -> impl TypedValueParser<Value = T> {
    let known = all.iter().map(|(word, _, help)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(known).try_map(move |typed| {
        let found = all.iter().find(|(word, ..)| *word == typed);
        found.map(|(_, value, _)| *value).ok_or("it is none of the words")
    })
}

/// The scale of a workload.
pub(super) fn scale(text: &str) -> Result<Scale, String> {
    text.parse().map_err(|bad: BadScale| bad.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_plain_text_of_one_line() {
        assert_eq!(label("after the upgrade, 2nd"), Ok("after the upgrade, 2nd".to_owned()));
        for bad in ["a\nb", "a\u{1b}[2J", "a\u{202e}b", "a\u{200b}b"] {
            assert!(label(bad).unwrap_err().contains("characters that can be seen"), "{bad:?}");
        }
    }

    #[test]
    fn times_have_a_unit() {
        for (text, seconds) in
            [("500ms", 0.5), ("2s", 2.0), ("1m", 60.0), ("1.5m", 90.0), ("24h", 86_400.0), ("1ms", 0.001)]
        {
            assert_eq!(duration_s(text), Ok(seconds), "{text}");
        }
        for (text, reason) in [
            ("0", "no rate"),
            ("0.0s", "no rate"),
            ("10", "write 10s"),
            ("2 s", "' s' is no unit"),
            ("2min", "'min' is no unit"),
            ("", "no time"),
            ("s", "no time"),
            ("1.2.3s", "no time"),
            ("-1s", "no time"),
            ("0.5ms", "1ms to 24h"),
            ("25h", "1ms to 24h"),
            ("999999999999999999999999h", "1ms to 24h"),
        ] {
            let refusal = duration_s(text).unwrap_err();
            assert!(refusal.contains(reason), "{text}: {refusal}");
        }
    }

    #[test]
    fn memory_has_a_unit() {
        for (text, expected) in
            [("512MiB", 512 << 20), ("8GiB", 8 << 30), ("1.5g", 3 << 29), ("2GB", 2_000_000_000), ("1TiB", 1 << 40)]
        {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for (text, reason) in [
            ("512", "write 512MiB"),
            ("", "no amount"),
            ("MiB", "no amount"),
            ("-1GiB", "no amount"),
            ("1 GiB", "' GiB' is no unit"),
            ("64KiB", "'KiB' is no unit"),
            ("0MiB", "out of range"),
            ("9999999TiB", "out of range"),
        ] {
            let refusal = bytes(text).unwrap_err();
            assert!(refusal.contains(reason), "{text}: {refusal}");
        }
    }

    #[test]
    fn percentages_may_have_their_sign() {
        assert_eq!((percent("5%"), percent("2.5"), percent("0 %")), (Ok(5.0), Ok(2.5), Ok(0.0)));
        for text in ["", "%", "five", "-1%", "100%", "NaN", "5%%"] {
            assert!(percent(text).is_err(), "{text}");
        }
    }

    #[test]
    fn degrees_of_parallelism_are_counts() {
        assert_eq!(dop("64"), Ok(64));
        for text in ["0", "-1", "65536", "x", "1.5", ""] {
            assert!(dop(text).is_err(), "{text}");
        }
    }

    #[test]
    fn labels_can_be_asked_for_again() {
        assert_eq!(label("before patch"), Ok("before patch".to_owned()));
        for text in ["last", "", "  ", "a\nb", &"x".repeat(65)] {
            assert!(label(text).is_err(), "{text}");
        }
    }
}

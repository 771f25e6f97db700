//! Limits that a rate must hold: `p99<5ms`, `errors<0.1%`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A percentile of response times that can be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
pub enum LimitedPercentile {
    /// The median.
    #[strum(serialize = "p50")]
    P50,
    /// The 90th.
    #[strum(serialize = "p90")]
    P90,
    /// The 95th.
    #[strum(serialize = "p95")]
    P95,
    /// The 99th.
    #[strum(serialize = "p99")]
    P99,
    /// The 99.9th.
    #[strum(serialize = "p99.9")]
    P99_9,
    /// The 99.99th.
    #[strum(serialize = "p99.99")]
    P99_99,
}

impl LimitedPercentile {
    /// Its name, as users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Of how many transactions one lies beyond it.
    fn one_in(self) -> u64 {
        match self {
            Self::P50 => 2,
            Self::P90 => 10,
            Self::P95 => 20,
            Self::P99 => 100,
            Self::P99_9 => 1_000,
            Self::P99_99 => 10_000,
        }
    }
}

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limited {
    /// A percentile of response times, to less than this many seconds.
    Percentile(LimitedPercentile, f64),
    /// The share of transactions that fail, to less than this share of 1.
    Errors(f64),
}

/// A limit, with the text in which a user wrote it, without blanks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Limit {
    /// What is limited.
    pub limited: Limited,
    text: String,
}

impl Limit {
    /// Transactions that must lie beyond a percentile, so that it can be judged.
    const BEYOND: u64 = 20;
    /// Transactions without any failure, times the share, that show that the share is lower, in 95 of 100 cases.
    const RULE_OF_THREE: f64 = 3.0;

    /// Transactions without which the limit cannot be judged.
    #[must_use]
    pub fn least_transactions(&self) -> u64 {
        match self.limited {
            Limited::Percentile(percentile, _) => Self::BEYOND * percentile.one_in(),
            Limited::Errors(share) => (Self::RULE_OF_THREE / share).ceil() as u64,
        }
    }
}

const RULE: &str = "a limit is p99<5ms (p50, p90, p95, p99, p99.9, p99.99; us, ms, s) or errors<0.1%";

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (what, value) = plain.split_once('<').ok_or_else(|| format!("'{text}' is no limit; {RULE}"))?;
        if value.starts_with('=') {
            return Err(format!("'{text}' has <=; write < alone: {RULE}"));
        }
        let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
        let (number, unit) = value.split_at(digits);
        let number: f64 =
            number.parse().map_err(|_| format!("'{value}' in '{text}' is no number with a unit; {RULE}"))?;
        let limited = if what.eq_ignore_ascii_case("errors") {
            match (unit, number) {
                ("%", pct) if pct > 0.0 && pct < 100.0 => Limited::Errors(pct / 100.0),
                ("%", _) => {
                    return Err(format!(
                        "'{text}' can never be shown, or is no limit: a share is above 0% and below 100%"
                    ));
                }
                ("", _) => return Err(format!("'{text}' has no unit; write errors<{number}%")),
                _ => {
                    return Err(format!(
                        "'{text}' has the unit '{unit}'; write a share of the transactions, as in errors<0.1%"
                    ));
                }
            }
        } else {
            let known = <LimitedPercentile as strum::VariantArray>::VARIANTS.iter();
            let percentile = known.copied().find(|percentile| what.eq_ignore_ascii_case(percentile.name()));
            let percentile = percentile.ok_or_else(|| format!("'{what}' in '{text}' cannot be limited; {RULE}"))?;
            let seconds = match unit {
                "us" => number / 1e6,
                "ms" => number / 1e3,
                "s" => number,
                "" => return Err(format!("'{text}' has no unit; write {what}<{value}ms for milliseconds")),
                _ => return Err(format!("'{unit}' in '{text}' is no unit of time; {RULE}")),
            };
            if seconds <= 0.0 {
                return Err(format!("'{text}' holds at no rate, because every transaction takes some time; {RULE}"));
            }
            if seconds > 3_600.0 {
                return Err(format!("'{text}' is longer than an hour; {RULE}"));
            }
            Limited::Percentile(percentile, seconds)
        };
        Ok(Self { limited, text: plain.to_ascii_lowercase() })
    }
}

impl TryFrom<String> for Limit {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Limit> for String {
    fn from(limit: Limit) -> Self {
        limit.text
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_written() {
        for (text, limited, least) in [
            ("p99<5ms", Limited::Percentile(LimitedPercentile::P99, 0.005), 2_000),
            ("P99.9 < 1.5 s", Limited::Percentile(LimitedPercentile::P99_9, 1.5), 20_000),
            ("p50<250us", Limited::Percentile(LimitedPercentile::P50, 0.000_25), 40),
            ("p99.99<2s", Limited::Percentile(LimitedPercentile::P99_99, 2.0), 200_000),
            ("errors<0.1%", Limited::Errors(0.001), 3_000),
            ("errors < 2%", Limited::Errors(0.02), 150),
        ] {
            let limit: Limit = text.parse().unwrap();
            assert_eq!((limit.limited, limit.least_transactions()), (limited, least), "{text}");
            let json = serde_json::to_string(&limit).unwrap();
            assert_eq!(serde_json::from_str::<Limit>(&json).unwrap(), limit, "{json}");
        }
        assert_eq!("P99 < 5 ms".parse::<Limit>().unwrap().to_string(), "p99<5ms");
    }

    #[test]
    fn what_is_no_limit_is_refused_with_what_to_write() {
        for (text, said) in [
            ("p99", "is no limit"),
            ("", "is no limit"),
            ("p99>5ms", "is no limit"),
            ("p99<=5ms", "write < alone"),
            ("p98<5ms", "'p98' in 'p98<5ms' cannot be limited"),
            ("mean<5ms", "cannot be limited"),
            ("p99<0ms", "holds at no rate"),
            ("p99<0", "no unit"),
            ("p99<5", "write p99<5ms"),
            ("p99<5min", "'min' in 'p99<5min' is no unit of time"),
            ("p99<-5ms", "is no number"),
            ("p99<ms", "is no number"),
            ("p99<2000000s", "longer than an hour"),
            ("errors<0%", "can never be shown"),
            ("errors<100%", "is no limit"),
            ("errors<0.1", "write errors<0.1%"),
            ("errors<1ms", "share of the transactions"),
        ] {
            let refusal = text.parse::<Limit>().unwrap_err();
            assert!(refusal.contains(said), "{text}: {refusal}");
        }
    }
}

//! Rates at which a client begins transactions: absolute rates, or shares of what a closed loop reached.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The rate that a point asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Rate {
    /// Transactions per second, all jobs together: `1500/s`.
    PerS {
        /// In thousandths, so that rates can be compared exactly and half a transaction a second can be asked for.
        thousandths: u64,
    },
    /// A share of the rate that a closed loop reached at the same degree of parallelism: `80%`.
    Share {
        /// The share in percent.
        pct: u32,
    },
}

impl Rate {
    /// More than any platform could be driven at.
    const HIGHEST_PER_S: f64 = 1e8;
    /// Twice the maximum shows how a platform behaves under overload; more would tell nothing new.
    const HIGHEST_PCT: u32 = 200;

    /// Transactions per second; a share is taken of `maximum_per_s`.
    #[must_use]
    pub fn per_s(self, maximum_per_s: f64) -> f64 {
        match self {
            Self::PerS { thousandths } => thousandths as f64 / 1e3,
            Self::Share { pct } => maximum_per_s * f64::from(pct) / 100.0,
        }
    }

    /// Whether the maximum must be known first.
    #[must_use]
    pub fn is_share(self) -> bool {
        matches!(self, Self::Share { .. })
    }
}

const RULE: &str = "a rate is 1500/s, or a share such as 80% of what a closed loop reaches";

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse::<f64>().ok().filter(|n| n.is_finite() && !digits.starts_with('+'));
        if let Some(digits) = text.strip_suffix("/s") {
            let per_s = number(digits).ok_or_else(|| format!("'{text}' is no rate; {RULE}"))?;
            let thousandths = (per_s * 1e3).round();
            return if thousandths >= 1.0 && per_s <= Self::HIGHEST_PER_S {
                Ok(Self::PerS { thousandths: thousandths as u64 })
            } else {
                Err(format!("'{text}' cannot be driven: a rate is from 0.001/s to {}/s", Self::HIGHEST_PER_S))
            };
        }
        if let Some(digits) = text.strip_suffix('%') {
            let pct = digits.parse().ok().filter(|pct| (1..=Self::HIGHEST_PCT).contains(pct));
            return pct.map(|pct| Self::Share { pct }).ok_or_else(|| {
                format!("'{text}' is no share; a share is a whole number from 1% to {}%", Self::HIGHEST_PCT)
            });
        }
        Err(match number(text) {
            Some(_) => format!("'{text}' has no unit; write {text}/s for a rate, {text}% for a share of the maximum"),
            None => format!("'{text}' is no rate; {RULE}"),
        })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerS { thousandths } => write!(f, "{}/s", *thousandths as f64 / 1e3),
            Self::Share { pct } => write!(f, "{pct}%"),
        }
    }
}

/// A list of rates: `500/s,1000/s`, `50%,80%`, or `10%..100%` in steps of ten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rates(Vec<Rate>);

impl Rates {
    const STEP_PCT: usize = 10;

    /// The rates in the order in which they were written.
    #[must_use]
    pub fn list(&self) -> &[Rate] {
        &self.0
    }

    /// Whether they are shares of a maximum.
    #[must_use]
    pub fn are_shares(&self) -> bool {
        self.0.iter().any(|rate| rate.is_share())
    }
}

impl FromStr for Rates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut rates: Vec<Rate> = Vec::new();
        for item in text.split(',').map(str::trim) {
            let span = match item.split_once("..") {
                None => vec![item.parse()?],
                Some((from, to)) => match (from.parse()?, to.parse()?) {
                    (Rate::Share { pct: from }, Rate::Share { pct: to }) if from < to => {
                        (from..=to).step_by(Self::STEP_PCT).map(|pct| Rate::Share { pct }).collect()
                    }
                    (Rate::Share { .. }, Rate::Share { .. }) => {
                        return Err(format!("'{item}' goes nowhere; write the smaller share first, as in 10%..100%"));
                    }
                    _ => return Err(format!("'{item}' has no steps; list such rates, as in 500/s,1000/s")),
                },
            };
            for rate in span {
                if rates.contains(&rate) {
                    return Err(format!("{rate} stands twice in '{text}'"));
                }
                rates.push(rate);
            }
        }
        if rates.iter().any(|rate| rate.is_share()) && !rates.iter().all(|rate| rate.is_share()) {
            return Err(format!("'{text}' mixes rates and shares; write either 500/s,1000/s or 50%,100%"));
        }
        Ok(Self(rates))
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.0.iter().map(Rate::to_string).collect();
        f.write_str(&list.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_numbers_or_shares() {
        let rates = |text: &str| text.parse::<Rates>().map(|rates| rates.to_string());
        for (text, read) in [
            ("1500/s", "1500/s"),
            ("0.5/s, 2/s", "0.5/s,2/s"),
            ("80%", "80%"),
            ("10%..100%", "10%,20%,30%,40%,50%,60%,70%,80%,90%,100%"),
            ("10%,20%..40%", "10%,20%,30%,40%"),
            ("95%..120%", "95%,105%,115%"),
        ] {
            assert_eq!(rates(text).as_deref(), Ok(read), "{text}");
        }
        for (text, reason) in [
            ("", "is no rate"),
            ("0/s", "cannot be driven"),
            ("0%", "from 1% to 200%"),
            ("201%", "from 1% to 200%"),
            ("-1/s", "cannot be driven"),
            ("inf/s", "is no rate"),
            ("1e9/s", "cannot be driven"),
            ("100", "write 100/s"),
            ("x%", "no share"),
            ("10%,500/s", "mixes rates and shares"),
            ("10%,10%", "stands twice"),
            ("100%..10%", "goes nowhere"),
            ("10/s..100/s", "has no steps"),
        ] {
            let refusal = rates(text).unwrap_err();
            assert!(refusal.contains(reason), "{text}: {refusal}");
        }
    }

    #[test]
    fn shares_are_of_the_maximum() {
        assert_eq!("25%".parse::<Rate>().unwrap().per_s(1_000.0), 250.0);
        assert_eq!("25/s".parse::<Rate>().unwrap().per_s(1_000.0), 25.0);
    }
}

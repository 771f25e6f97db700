//! The mix of a workload's transactions: how often each type comes beside the others.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The largest weight: a share of one in a million can be asked for.
const HEAVIEST: u32 = 1_000_000;
/// What stands for the workload's own weights.
const OWN: &str = "default";
const RULE: &str = "a mix is a list of codes and weights, as in NCR=15,BP=50; `default` first keeps the other weights";

/// A mix as a user types it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MixRequest {
    /// Whether types that are not named keep the workload's own weights. Otherwise they do not come at all.
    pub keeps_others: bool,
    /// Weights by the codes of types, in the order in which they were typed.
    pub weights: Vec<(String, u32)>,
}

impl MixRequest {
    /// The mix of a workload whose types have these codes and weights.
    ///
    /// # Errors
    /// A code is none of its types, or no type would come.
    pub fn resolve(&self, own: &[(&str, u32)]) -> Result<Mix, String> {
        let codes = || own.iter().map(|(code, _)| *code).collect::<Vec<_>>().join(", ");
        if let Some((unknown, _)) = self.weights.iter().find(|(code, _)| !own.iter().any(|(known, _)| known == code)) {
            return Err(format!("it has no transaction '{unknown}': its transactions are {}", codes()));
        }
        let weight = |(code, own): &(&str, u32)| {
            let asked = self.weights.iter().find(|(named, _)| named == code).map(|(_, weight)| *weight);
            let weight = asked.unwrap_or(if self.keeps_others { *own } else { 0 });
            (weight > 0).then(|| ((*code).to_owned(), weight))
        };
        let weights: Vec<(String, u32)> = own.iter().filter_map(weight).collect();
        if weights.is_empty() {
            Err("no transaction would come: every weight is 0".to_owned())
        } else {
            Ok(Mix(weights))
        }
    }
}

impl FromStr for MixRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let items = text.split(',').map(str::trim).collect::<Vec<_>>();
        let (keeps_others, items) = match items.as_slice() {
            [OWN, rest @ ..] => (true, rest),
            all => (false, all),
        };
        Ok(Self { keeps_others, weights: weights(items)? })
    }
}

impl fmt::Display for MixRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.keeps_others.then(|| OWN.to_owned());
        let items: Vec<String> = own.into_iter().chain(self.weights.iter().map(item)).collect();
        f.write_str(&items.join(","))
    }
}

/// The weights of the types that come, by their codes, in the workload's order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Mix(Vec<(String, u32)>);

impl Mix {
    /// The weight of the type with this code; 0 where it does not come.
    #[must_use]
    pub fn weight(&self, code: &str) -> u32 {
        self.0.iter().find(|(of, _)| of == code).map_or(0, |(_, weight)| *weight)
    }
}

impl FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        weights(&text.split(',').collect::<Vec<_>>()).map(Self)
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(item).collect::<Vec<_>>().join(","))
    }
}

fn item((code, weight): &(String, u32)) -> String {
    format!("{code}={weight}")
}

fn weights(items: &[&str]) -> Result<Vec<(String, u32)>, String> {
    let mut weights: Vec<(String, u32)> = Vec::new();
    for text in items {
        let (code, weight) = text.split_once('=').ok_or_else(|| format!("'{text}' has no weight; {RULE}"))?;
        let is_code = !code.is_empty() && code.len() <= 8 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        if !is_code {
            return Err(format!("'{code}' is no code of a transaction; {RULE}"));
        }
        if weights.iter().any(|(known, _)| known == code) {
            return Err(format!("{code} stands twice in the mix"));
        }
        let weight = Some(weight).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let weight = weight.and_then(|digits| digits.parse().ok()).filter(|weight| *weight <= HEAVIEST);
        let weight =
            weight.ok_or_else(|| format!("'{text}' is no weight: it is a whole number from 0 to {HEAVIEST}"))?;
        weights.push((code.to_owned(), weight));
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN_WEIGHTS: [(&str, u32); 3] = [("NCR", 15), ("BP", 50), ("SRQ", 0)];

    fn resolved(text: &str) -> Result<String, String> {
        text.parse::<MixRequest>()?.resolve(&OWN_WEIGHTS).map(|mix| mix.to_string())
    }

    #[test]
    fn a_mix_is_what_is_listed_unless_it_begins_with_the_own_one() {
        for (typed, mix) in [
            ("BP=50,NCR=15", "NCR=15,BP=50"),
            ("SRQ=1", "SRQ=1"),
            ("default", "NCR=15,BP=50"),
            ("default, SRQ=2", "NCR=15,BP=50,SRQ=2"),
            ("default,BP=0,SRQ=1000000", "NCR=15,SRQ=1000000"),
        ] {
            assert_eq!(resolved(typed).as_deref(), Ok(mix), "{typed}");
            let read: Mix = mix.parse().unwrap();
            assert_eq!(read.to_string(), mix);
        }
        let typed: MixRequest = "default,BP=0".parse().unwrap();
        assert_eq!(typed.to_string(), "default,BP=0");
        let mix: Mix = "NCR=15,BP=50".parse().unwrap();
        assert_eq!([mix.weight("BP"), mix.weight("SRQ")], [50, 0]);
    }

    #[test]
    fn what_is_no_mix_is_refused() {
        for (typed, reason) in [
            ("", "has no weight"),
            ("BP", "has no weight"),
            ("bp=1", "no code"),
            ("BP=-1", "whole number"),
            ("BP=+1", "whole number"),
            ("BP=1.5", "whole number"),
            ("BP=1000001", "whole number"),
            ("BP=1,BP=2", "stands twice"),
            ("BP=1,default", "has no weight"),
            ("XX=1", "no transaction 'XX': its transactions are NCR, BP, SRQ"),
            ("BP=0", "no transaction would come"),
            ("default,NCR=0,BP=0", "no transaction would come"),
        ] {
            let refusal = resolved(typed).unwrap_err();
            assert!(refusal.contains(reason), "{typed}: {refusal}");
        }
    }
}

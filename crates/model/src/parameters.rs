//! Parameters of a workload, as far as they decide what its users do or what its data is: names and values as its users
//! write them, as in `WORK_UNIT=64`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Parameters by name; none for a workload that has no parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A parameter's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All of them, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(parameters: I) -> Self {
        Self(parameters.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl fmt::Display for Parameters {
    /// `NAME=value` in the order of the names, with blanks between.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&all.join(" "))
    }
}

impl FromStr for Parameters {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let one = |word: &str| {
            let (name, value) = word.split_once('=').ok_or_else(|| format!("'{word}' is no parameter: NAME=value"))?;
            Ok((name.to_owned(), value.to_owned()))
        };
        text.split_whitespace().map(one).collect::<Result<Vec<_>, String>>().map(Self::from_iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_in_one_order_and_read_back() {
        let parameters = Parameters::from_iter([("WORK_UNIT", "64"), ("REDO_STRESS", "LITE")]);
        assert_eq!(parameters.to_string(), "REDO_STRESS=LITE WORK_UNIT=64");
        assert_eq!(parameters.to_string().parse(), Ok(parameters.clone()));
        assert_eq!((parameters.get("WORK_UNIT"), parameters.get("SCALE")), (Some("64"), None));
        assert!("".parse::<Parameters>().unwrap().is_empty());
        assert!("WORK_UNIT".parse::<Parameters>().unwrap_err().contains("no parameter"));
        let json = serde_json::to_string(&parameters).unwrap();
        assert_eq!(json, r#"{"REDO_STRESS":"LITE","WORK_UNIT":"64"}"#);
        assert_eq!(serde_json::from_str::<Parameters>(&json).unwrap(), parameters);
    }
}

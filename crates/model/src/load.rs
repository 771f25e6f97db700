//! The load that the client drive puts on: when transactions begin, and over how many connections.
//!
//! In a closed loop a job begins the next transaction when the last one has ended (and a think time has passed). In an
//! open loop transactions are due at a rate, whether earlier ones have ended or not. A transaction that waits for a
//! busy job begins late, and its response time includes the delay.

use crate::Rate;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use strum::IntoStaticStr;

/// When the transactions of a point begin. The default is a closed loop without think time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientLoad {
    /// The rate of an open loop; absent in a closed one.
    pub rate: Option<Rate>,
    /// How an open loop spreads its transactions.
    pub arrivals: Option<Arrivals>,
    /// Think time of a job between two transactions of a closed loop.
    pub think: Option<Think>,
    /// Who serves the transactions that are due in an open loop. Absent in a closed loop, and in older documents, where
    /// each session had a queue of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<Queue>,
    /// Connections that the jobs of a point share. Absent where each job has its own, and in older documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
    /// Pause of a user before each statement of a transaction but the first. Absent where there is none, and in older
    /// documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<Think>,
    /// When a user opens a session. Absent where each is kept, and in older documents.
    #[serde(skip_serializing_if = "Logon::is_kept")]
    pub logon: Logon,
    /// How many transactions each user does. Absent where users work as long as the window lasts, and in older
    /// documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions_each: Option<u64>,
}

impl ClientLoad {
    /// Whether each session of an open loop serves a timetable of its own.
    #[must_use]
    pub fn queues_apart(&self) -> bool {
        self.rate.is_some() && self.queue == Some(Queue::Session)
    }

    /// Connections that this number of jobs uses.
    #[must_use]
    pub fn sessions(&self, jobs: u32) -> u32 {
        self.connections.map_or(jobs, |connections| connections.min(jobs))
    }

    /// The load of a whole ramp, from the load of one step: the first steps may have as many connections as jobs.
    #[must_use]
    pub fn of_ramp(self) -> Self {
        Self { connections: None, ..self }
    }
}

/// When a user opens a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Logon {
    /// Before the first transaction, and keeps it.
    #[default]
    Kept,
    /// For each transaction, and ends it with that.
    Transaction,
}

impl Logon {
    /// Its name, as users type it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether sessions are kept.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        *self == Self::Kept
    }
}

/// Who serves the transactions that are due in an open loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Queue {
    /// All sessions serve one timetable. Whichever session is free takes the next transaction, as in a connection pool.
    #[default]
    Shared,
    /// Each session serves a timetable of its own: a transaction waits for its session though others may be free.
    Session,
}

/// How the transactions of an open loop are spread over time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// At equal distances.
    Constant,
    /// Independent of each other, like the requests of many users: the distances are exponentially distributed.
    #[default]
    Poisson,
}

/// A pause of a user between two transactions or within one: constant, or drawn evenly from a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Think {
    /// The shortest.
    pub least_ns: u64,
    /// The longest.
    pub most_ns: u64,
}

const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
const LONGEST_NS: u64 = 3_600 * 1_000_000_000;

fn time_ns(text: &str) -> Result<u64, String> {
    const RULE: &str = "write a number and its unit, as in 5ms, or a span, as in 5ms..10ms";
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| format!("'{text}' is no time; {RULE}"))?;
    let unit_ns = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, ns)| *ns);
    let unit_ns = unit_ns.ok_or_else(|| format!("'{text}' has no unit of time that is known here; {RULE}"))?;
    let ns = number * unit_ns as f64;
    if ns <= LONGEST_NS as f64 { Ok(ns.round() as u64) } else { Err(format!("'{text}' is longer than an hour")) }
}

fn time_text(ns: u64) -> String {
    let (name, unit_ns) =
        UNITS.iter().find(|(_, unit_ns)| ns >= *unit_ns && ns.is_multiple_of(*unit_ns)).unwrap_or(&("ns", 1));
    format!("{}{name}", ns / unit_ns)
}

impl FromStr for Think {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (least_ns, most_ns) = match text.split_once("..") {
            Some((least, most)) => (time_ns(least.trim())?, time_ns(most.trim())?),
            None => (time_ns(text)?, time_ns(text)?),
        };
        match (least_ns, most_ns) {
            (_, 0) => Err("a pause of nothing is none; leave the option away".to_owned()),
            (least, most) if least > most => {
                Err(format!("'{text}' ends before it begins; write the shorter time first"))
            }
            _ => Ok(Self { least_ns, most_ns }),
        }
    }
}

impl fmt::Display for Think {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&time_text(self.least_ns))?;
        if self.most_ns > self.least_ns { write!(f, "..{}", time_text(self.most_ns)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_times_or_spans() {
        for text in ["5ms", "5ms..10ms", "250us", "1s..1500ms", "1ns"] {
            assert_eq!(text.parse::<Think>().unwrap().to_string(), text);
        }
        assert_eq!("0ms..1.5ms".parse::<Think>().unwrap().to_string(), "0ns..1500us");
        for (text, reason) in [
            ("", "no time"),
            ("5", "no unit"),
            ("5min", "no unit"),
            ("0ms", "leave the option away"),
            ("10ms..5ms", "ends before it begins"),
            ("5ms..", "no time"),
            ("2000000s", "longer than an hour"),
            ("-5ms", "no time"),
        ] {
            let refusal = text.parse::<Think>().unwrap_err();
            assert!(refusal.contains(reason), "{text}: {refusal}");
        }
    }

    #[test]
    fn an_older_document_is_a_closed_loop() {
        assert_eq!(serde_json::from_str::<ClientLoad>("{}").unwrap(), ClientLoad::default());
        let load = ClientLoad {
            rate: Some("80%".parse().unwrap()),
            arrivals: Some(Arrivals::Poisson),
            ..ClientLoad::default()
        };
        let text = serde_json::to_string(&load).unwrap();
        assert_eq!(text, r#"{"rate":"80%","arrivals":"poisson","think":null}"#);
        assert_eq!(serde_json::from_str::<ClientLoad>(&text).unwrap(), load);
        let apart = ClientLoad { queue: Some(Queue::Session), ..load };
        let text = serde_json::to_string(&apart).unwrap();
        assert!(text.ends_with(r#""queue":"session"}"#) && apart.queues_apart() && !load.queues_apart(), "{text}");
        assert_eq!(serde_json::from_str::<ClientLoad>(&text).unwrap(), apart);
    }
}

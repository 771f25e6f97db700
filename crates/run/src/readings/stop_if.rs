//! Conditions that end a run: other work on the server that comes first, a standby that falls behind, times that are
//! too long.

use dbdyno_model::{PointStage, Reading, ReadingTimes};
use std::fmt;
use std::str::FromStr;

/// A condition must hold in so many readings one after the other: a single second says little.
const IN_A_ROW: u32 = 3;
/// A figure that is absent in so many readings, while a point is measured, is not to be had.
const ABSENT: u32 = 10;

/// What a condition is about, with its name and its path in a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    ForeignCommits,
    ForeignSessions,
    OthersCpu,
    ReplicationLag,
    P50,
    P99,
}

/// Names of figures, and what they are.
const FIGURES: [(&str, Figure, &str); 6] = [
    ("foreign_commits_per_s", Figure::ForeignCommits, "database.foreign_commits_per_s"),
    ("foreign_sessions", Figure::ForeignSessions, "database.foreign_sessions"),
    ("others_cpu_pct", Figure::OthersCpu, "cpu.others_pct"),
    ("replication_lag_s", Figure::ReplicationLag, "database.replication_lag_s"),
    ("p50", Figure::P50, "load.service_time_s.p50"),
    ("p99", Figure::P99, "load.service_time_s.p99"),
];

/// Ends a run once a figure has been above a limit in three readings one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct StopCondition {
    figure: Figure,
    above: f64,
    /// As it was typed.
    text: String,
    met: u32,
    absent: u32,
}

/// Why a condition cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StopConditionError {
    /// It does not have the form.
    #[error("'{0}' is no condition: write FIGURE>LIMIT, as in 'foreign_commits_per_s>50'")]
    Form(String),
    /// There is no such figure.
    #[error("'{0}' is not among the figures that can end a run: {figures}", figures = names())]
    Figure(String),
    /// The limit is no number of the figure's unit.
    #[error("'{0}' is no limit: write a number that is not negative, and times as in 20ms or 1.5s")]
    Limit(String),
}

fn names() -> String {
    FIGURES.map(|(name, ..)| name).join(", ")
}

/// What a reading says of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// Go on.
    Nothing,
    /// It has been met; in words.
    Met(String),
    /// It cannot be met, because its figure is not to be had; in words. It is said once.
    Deaf(String),
}

impl StopCondition {
    /// Takes in a reading.
    pub(super) fn hear(&mut self, reading: &Reading) -> Heard {
        let measuring = reading.doing.as_ref().is_some_and(|doing| doing.stage == PointStage::Measuring);
        let Some(value) = self.figure.of(reading) else {
            // Where nothing has ended, times may be as long as they like.
            let stalls = matches!(self.figure, Figure::P50 | Figure::P99)
                && reading.load.as_ref().is_some_and(|load| load.ops_per_s == Some(0.0));
            if stalls {
                return Heard::Nothing;
            }
            self.met = 0;
            self.absent += u32::from(measuring);
            if self.absent != ABSENT {
                return Heard::Nothing;
            }
            let path = FIGURES.iter().find(|(_, figure, _)| *figure == self.figure).map_or("", |(.., path)| path);
            let why = reading.why_absent(path).unwrap_or("it is not told here");
            return Heard::Deaf(format!("--stop-if '{}' cannot be met: {why}", self.text));
        };
        self.absent = 0;
        self.met = if value > self.above { self.met + 1 } else { 0 };
        if self.met < IN_A_ROW {
            return Heard::Nothing;
        }
        let (value, unit) = match self.figure {
            Figure::P50 | Figure::P99 => (value * 1e3, " ms"),
            Figure::ReplicationLag => (value, " s"),
            Figure::OthersCpu => (value, " %"),
            _ => (value, ""),
        };
        Heard::Met(format!(
            "--stop-if '{}' was met: {value:.1}{unit} and more in {IN_A_ROW} readings one after the other",
            self.text
        ))
    }
}

impl Figure {
    fn of(self, reading: &Reading) -> Option<f64> {
        let database = reading.database.as_ref();
        let times = |of: fn(ReadingTimes) -> Option<f64>| {
            let load = reading.load.as_ref()?;
            // Where a rate is set, what counts is the time since a transaction was due.
            of(load.response_time_s.or(load.service_time_s)?)
        };
        match self {
            Self::ForeignCommits => database?.foreign_commits_per_s,
            Self::ForeignSessions => database?.foreign_sessions,
            Self::OthersCpu => reading.machine.cpu.others_pct,
            Self::ReplicationLag => database?.replication_lag_s,
            Self::P50 => times(|times| times.p50),
            Self::P99 => times(|times| times.p99),
        }
    }
}

impl fmt::Display for StopCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for StopCondition {
    type Err = StopConditionError;

    fn from_str(text: &str) -> Result<Self, StopConditionError> {
        let form = || StopConditionError::Form(text.to_owned());
        let (name, limit) = text.split_once('>').ok_or_else(form)?;
        let (name, limit) = (name.trim(), limit.trim());
        let found = FIGURES.iter().find(|(known, ..)| *known == name);
        let (_, figure, _) = found.ok_or_else(|| StopConditionError::Figure(name.to_owned()))?;
        let bad = || StopConditionError::Limit(limit.to_owned());
        let is_time = matches!(figure, Figure::P50 | Figure::P99 | Figure::ReplicationLag);
        let (digits, factor) = match limit {
            _ if !is_time => (limit, 1.0),
            _ if limit.ends_with("us") => (&limit[..limit.len() - 2], 1e-6),
            _ if limit.ends_with("ms") => (&limit[..limit.len() - 2], 1e-3),
            _ if limit.ends_with('s') => (&limit[..limit.len() - 1], 1.0),
            // The lag has its unit in its name.
            _ if *figure == Figure::ReplicationLag => (limit, 1.0),
            _ => return Err(bad()),
        };
        let above: f64 = digits.trim().parse().map_err(|_| bad())?;
        if !above.is_finite() || above < 0.0 {
            return Err(bad());
        }
        Ok(Self { figure: *figure, above: above * factor, text: text.to_owned(), met: 0, absent: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{DatabaseReading, Doing, LoadReading};

    fn reading(foreign: Option<f64>, p99: Option<f64>) -> Reading {
        let database = DatabaseReading { foreign_commits_per_s: foreign, ..DatabaseReading::default() };
        let times = ReadingTimes { p50: None, p99 };
        let load = LoadReading { service_time_s: Some(times), ..LoadReading::default() };
        let doing = Some(Doing { stage: PointStage::Measuring, ..Doing::default() });
        Reading { doing, database: Some(database), load: Some(load), ..Reading::default() }
    }

    #[test]
    fn conditions_are_figures_above_limits() {
        let good = |text: &str| text.parse::<StopCondition>().unwrap();
        assert_eq!(good("foreign_commits_per_s>50").above, 50.0);
        assert_eq!(good(" p99 > 20ms ").above, 0.02);
        assert_eq!((good("replication_lag_s>5").above, good("replication_lag_s>500ms").above), (5.0, 0.5));
        for bad in ["", "p99", "p99>20", "p99>-1ms", "p99>NaNms", "x>1", "others_cpu_pct>5ms", "p99<5ms", "p99>é"] {
            assert!(bad.parse::<StopCondition>().is_err(), "{bad}");
        }
        assert!("tps>1".parse::<StopCondition>().unwrap_err().to_string().contains("replication_lag_s"));
    }

    #[test]
    fn one_second_ends_nothing_and_three_do() {
        let mut condition: StopCondition = "foreign_commits_per_s>50".parse().unwrap();
        for foreign in [60.0, 70.0, 40.0, 51.0, 52.0] {
            assert_eq!(condition.hear(&reading(Some(foreign), None)), Heard::Nothing);
        }
        assert!(matches!(condition.hear(&reading(Some(55.0), None)), Heard::Met(why) if why.contains("55.0 and more")));
        let mut condition: StopCondition = "p99>20ms".parse().unwrap();
        let mut hear = |p99| condition.hear(&reading(None, p99));
        assert_eq!([hear(Some(0.03)), hear(None), hear(Some(0.03))], [Heard::Nothing, Heard::Nothing, Heard::Nothing]);
    }

    #[test]
    fn a_figure_that_is_never_told_is_said_once() {
        let mut condition: StopCondition = "foreign_commits_per_s>50".parse().unwrap();
        let mut absent = reading(None, None);
        absent.database = None;
        absent.lacks("database", "its sessions are not watched (--no-sampling)");
        let heard: Vec<Heard> = (0..30).map(|_| condition.hear(&absent)).filter(|h| *h != Heard::Nothing).collect();
        let [Heard::Deaf(why)] = &heard[..] else { panic!("{heard:?}") };
        assert!(why.ends_with("cannot be met: its sessions are not watched (--no-sampling)"), "{why}");
    }
}

//! Profiles: what a database under its own load did while it was watched. A profile is made reading by reading; its
//! memory grows by a number for each figure and minute.

use crate::{Database, Platform, Reading};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The version of a profile's document.
pub const PROFILE_VERSION: u32 = 1;

/// The figures that a profile keeps, by their paths in a reading.
pub const PROFILE_FIGURES: [&str; 28] = [
    "database.commits_per_s",
    "database.rollbacks_per_s",
    "database.executions_per_s",
    "database.rows_changed_per_s",
    "database.logical_reads_per_s",
    "database.physical_reads_per_s",
    "database.physical_writes_per_s",
    "database.redo.mib_per_s",
    "database.redo.writes_per_s",
    "database.redo.sync_writes_per_s",
    "database.redo.sync_service_time_s",
    "database.replication_lag_s",
    "sessions.active",
    "sessions.idle_in_transaction",
    "sessions.all",
    "cpu.busy_pct",
    "cpu.server_pct",
    "cpu.others_pct",
    "io.read_iops",
    "io.write_iops",
    "io.read_mib_per_s",
    "io.write_mib_per_s",
    "io.read_service_time_s",
    "io.write_service_time_s",
    "server_io.read_mib_per_s",
    "server_io.write_mib_per_s",
    "network.receive_mib_per_s",
    "network.send_mib_per_s",
];

/// Figures that are mean times of operations, and how many operations there were: by these they are weighted.
const TIMES: [(&str, &str); 3] = [
    ("database.redo.sync_service_time_s", "database.redo.sync_writes_per_s"),
    ("io.read_service_time_s", "io.read_iops"),
    ("io.write_service_time_s", "io.write_iops"),
];

/// A profile as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileJson {
    /// [`PROFILE_VERSION`].
    pub schema_version: u32,
    /// The name that it was recorded under.
    pub name: String,
    /// What was watched, without any password.
    pub target: String,
    /// When it began, UTC.
    pub started_at: jiff::Timestamp,
    /// When its last reading ended, UTC.
    pub ended_at: jiff::Timestamp,
    /// The version of dbdyno.
    pub tool_version: String,
    /// The machine of the database; absent where that is another one than dbdyno's.
    pub platform: Option<Platform>,
    /// The database's version and settings.
    pub database: Database,
    /// What watching has cost.
    pub cost: ProfileCost,
    /// What was seen.
    #[serde(flatten)]
    pub seen: ProfileFigures,
}

/// What watching has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileCost {
    /// Processor time of dbdyno, in seconds.
    pub harness_cpu_s: f64,
    /// Processor time of the server's processes that answered, in seconds, where it is seen.
    pub server_cpu_s: Option<f64>,
    /// How long was watched, in seconds.
    pub seconds: f64,
}

impl ProfileCost {
    /// Share of one processor, in percent; of dbdyno alone where the server's is not seen.
    #[must_use]
    pub fn core_pct(&self) -> Option<f64> {
        let used_s = self.harness_cpu_s + self.server_cpu_s.unwrap_or(0.0);
        (self.seconds > 0.0).then(|| used_s / self.seconds * 100.0)
    }
}

/// Figures of a profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProfileFigures {
    /// Readings that it is made of.
    pub readings: u64,
    /// Seconds that these cover.
    pub covered_s: f64,
    /// Seconds in which the database was not seen: it, or one of its nodes, did not answer.
    pub lost_s: f64,
    /// Path -> figure: those of [`PROFILE_FIGURES`] that were told.
    pub figures: BTreeMap<String, ProfileFigure>,
    /// Path -> why it was not told, the last reason.
    pub missing: BTreeMap<String, String>,
}

/// One figure over the whole time, weighted by the readings' lengths, and times of operations by the number of these.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProfileFigure {
    /// Mean.
    pub mean: f64,
    /// The highest reading.
    pub peak: f64,
    /// When that was.
    pub peak_at: jiff::Timestamp,
    /// The highest mean of sixty seconds: what a platform must carry. Absent where no minute was covered for the
    /// greater part.
    pub peak_minute: Option<f64>,
    /// When that minute began.
    pub peak_minute_at: Option<jiff::Timestamp>,
    /// The mean that 95 % of the minutes do not exceed.
    pub p95_minute: Option<f64>,
    /// Each hour, UTC, the first one first.
    pub hours: Vec<ProfileHour>,
}

/// One figure in one hour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileHour {
    /// When the hour began.
    pub from: jiff::Timestamp,
    /// Mean of the readings in it.
    pub mean: f64,
    /// The highest reading in it.
    pub peak: f64,
}

/// Gathers readings into figures.
#[derive(Debug, Clone, Default)]
pub struct ProfileMaker {
    seen: ProfileFigures,
    sums: BTreeMap<&'static str, Sums>,
}

#[derive(Debug, Clone, Default)]
struct Sums {
    weighted: f64,
    weight: f64,
    readings: u64,
    peak: f64,
    peak_at: jiff::Timestamp,
    /// The readings of the last minute: when each ended in milliseconds since 1970, its seconds, weight and value.
    last: VecDeque<(i64, f64, f64, f64)>,
    /// The highest mean of any minute, and when that began.
    peak_minute: Option<(f64, jiff::Timestamp)>,
    /// Minute since 1970 -> weighted sum, weight and seconds.
    minutes: BTreeMap<i64, (f64, f64, f64)>,
    /// Hour since 1970 -> weighted sum, weight and the highest.
    hours: BTreeMap<i64, (f64, f64, f64)>,
}

/// A minute counts if it is covered by so many seconds of readings.
const MINUTE_COVERED_S: f64 = 45.0;

impl ProfileMaker {
    /// Takes in a reading.
    pub fn add(&mut self, reading: &Reading) {
        let seconds = reading.seconds;
        // A reading that covers no time, or a clock that stood, has nothing to add.
        if !seconds.is_finite() || seconds <= 0.0 {
            return;
        }
        self.seen.readings += 1;
        self.seen.covered_s += seconds;
        // The first reading has nothing to be compared with.
        if reading.database.is_none() && self.seen.readings > 1 {
            self.seen.lost_s += seconds;
        }
        let figures = reading.figures();
        for path in PROFILE_FIGURES {
            match figures.get(path) {
                Some(value) => {
                    // A mean time of many operations weighs more than one of a few.
                    let per_s = TIMES.iter().find(|(time, _)| *time == path).map(|(_, rate)| figures.get(rate));
                    let weight = per_s.map_or(seconds, |per_s| per_s.unwrap_or(0.0) * seconds);
                    self.sums.entry(path).or_default().add(reading.at, (seconds, weight), value);
                    self.seen.missing.remove(path);
                }
                None if !self.sums.contains_key(path) => {
                    let why = reading.why_absent(path).unwrap_or("it was not told");
                    self.seen.missing.insert(path.to_owned(), why.to_owned());
                }
                None => {}
            }
        }
    }

    /// The figures so far.
    #[must_use]
    pub fn figures(&self) -> ProfileFigures {
        let figures = self.sums.iter().map(|(path, sums)| ((*path).to_owned(), sums.figure())).collect();
        ProfileFigures { figures, ..self.seen.clone() }
    }
}

impl Sums {
    fn add(&mut self, at: jiff::Timestamp, (seconds, weight): (f64, f64), value: f64) {
        if self.readings == 0 || value > self.peak {
            (self.peak, self.peak_at) = (value, at);
        }
        self.readings += 1;
        self.weighted += value * weight;
        self.weight += weight;
        self.add_to_minute(at, (seconds, weight), value);
        // A reading belongs to the minute in which most of it lies.
        let middle = at.as_millisecond() - (seconds * 500.0) as i64;
        let minute = self.minutes.entry(middle.div_euclid(60_000)).or_default();
        *minute = (minute.0 + value * weight, minute.1 + weight, minute.2 + seconds);
        let hour = self.hours.entry(middle.div_euclid(3_600_000)).or_insert((0.0, 0.0, value));
        *hour = (hour.0 + value * weight, hour.1 + weight, hour.2.max(value));
    }

    /// The mean of the minute that ends with this reading, wherever on the clock it begins.
    fn add_to_minute(&mut self, at: jiff::Timestamp, (seconds, weight): (f64, f64), value: f64) {
        let ended_ms = at.as_millisecond();
        self.last.push_back((ended_ms, seconds, weight, value));
        // Half a second more or less is how late a reading may be.
        while self.last.front().is_some_and(|(ended, ..)| *ended <= ended_ms - 60_500 + (seconds * 500.0) as i64) {
            self.last.pop_front();
        }
        let (mut sum, mut all, mut covered) = (0.0, 0.0, 0.0);
        for (_, seconds, weight, value) in &self.last {
            (sum, all, covered) = (sum + value * weight, all + weight, covered + seconds);
        }
        if covered < MINUTE_COVERED_S || all <= 0.0 {
            return;
        }
        let mean = sum / all;
        if self.peak_minute.is_none_or(|(peak, _)| mean > peak) {
            let began = jiff::Timestamp::from_millisecond(ended_ms - 60_000).unwrap_or_default();
            self.peak_minute = Some((mean, began));
        }
    }

    fn figure(&self) -> ProfileFigure {
        let covered =
            self.minutes.values().filter(|(_, weight, seconds)| *seconds >= MINUTE_COVERED_S && *weight > 0.0);
        let mut means: Vec<f64> = covered.map(|(sum, weight, _)| sum / weight).collect();
        means.sort_by(f64::total_cmp);
        let rank = (means.len() * 95).div_ceil(100);
        let at = |since_1970, length_s: i64| jiff::Timestamp::from_second(since_1970 * length_s).unwrap_or_default();
        let hour = |(hour, (sum, weight, peak)): (&i64, &(f64, f64, f64))| ProfileHour {
            from: at(*hour, 3_600),
            mean: if *weight > 0.0 { sum / weight } else { *peak },
            peak: *peak,
        };
        ProfileFigure {
            mean: if self.weight > 0.0 { self.weighted / self.weight } else { self.peak },
            peak: self.peak,
            peak_at: self.peak_at,
            peak_minute: self.peak_minute.map(|(mean, _)| mean),
            peak_minute_at: self.peak_minute.map(|(_, began)| began),
            p95_minute: rank.checked_sub(1).and_then(|n| means.get(n)).copied(),
            hours: self.hours.iter().map(hour).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DatabaseReading;

    fn reading(second: i64, commits: Option<f64>) -> Reading {
        let at = jiff::Timestamp::from_second(1_700_000_000 - 1_700_000_000 % 3_600 + second + 1).unwrap();
        let database = DatabaseReading { commits_per_s: commits, ..DatabaseReading::default() };
        Reading { at, seconds: 1.0, database: Some(database), ..Reading::default() }
    }

    #[test]
    fn every_figure_is_one_of_a_reading() {
        let mut full = reading(0, Some(1.0));
        let mut json = serde_json::to_value(&full).unwrap();
        let known = |path: &str| {
            let leaf = path.split('.').try_fold(&json, |value, key| value.get(key));
            leaf.is_some() || path.starts_with("sessions.") || path == "database.replication_lag_s"
        };
        assert!(PROFILE_FIGURES.into_iter().all(known), "{json}");
        full.database.as_mut().unwrap().redo.mib_per_s = Some(7.0);
        assert_eq!(full.figure("database.redo.mib_per_s"), Some(7.0));
        json = serde_json::to_value(&full).unwrap();
        assert_eq!(json["database"]["redo"]["mib_per_s"], 7.0);
    }

    #[test]
    fn a_minute_is_what_a_platform_must_carry_and_half_a_minute_is_none() {
        let mut maker = ProfileMaker::default();
        (0..60).for_each(|second| maker.add(&reading(second, Some(100.0))));
        (60..120).for_each(|second| maker.add(&reading(second, Some(if second < 90 { 300.0 } else { 100.0 }))));
        (120..150).for_each(|second| maker.add(&reading(second, Some(900.0))));
        let seen = maker.figures();
        let commits = &seen.figures["database.commits_per_s"];
        // The highest minute is the last one, from the 90th second on; those of the clock are two.
        assert_eq!((commits.peak, commits.peak_minute, commits.p95_minute), (900.0, Some(500.0), Some(200.0)));
        let from = commits.peak_minute_at.unwrap().as_second() % 3_600;
        assert_eq!(from, 90);
        assert_eq!(commits.mean, (60.0 * 100.0 + 30.0 * 300.0 + 30.0 * 100.0 + 30.0 * 900.0) / 150.0);
        assert_eq!((commits.hours.len(), commits.hours[0].peak), (1, 900.0));
        assert_eq!((seen.readings, seen.covered_s), (150, 150.0));
    }

    #[test]
    fn a_time_of_many_operations_weighs_more_than_that_of_one() {
        let mut maker = ProfileMaker::default();
        for (iops, time_s) in [(1.0, 0.001), (999.0, 0.011)] {
            let mut reading = reading(0, None);
            reading.machine.io.read_iops = Some(iops);
            reading.machine.io.read_service_time_s = Some(time_s);
            maker.add(&reading);
        }
        let mean = maker.figures().figures["io.read_service_time_s"].mean;
        assert!((mean - 0.010_99).abs() < 1e-9, "{mean}");
    }

    #[test]
    fn what_is_never_told_has_its_reason_and_what_is_told_once_has_none() {
        let mut maker = ProfileMaker::default();
        let mut silent = reading(0, None);
        silent.lacks("database.commits_per_s", "no right to see it");
        silent.lacks("cpu", "the machine is another one");
        maker.add(&silent);
        assert_eq!(maker.figures().missing["database.commits_per_s"], "no right to see it");
        assert_eq!(maker.figures().missing["cpu.busy_pct"], "the machine is another one");
        maker.add(&reading(1, Some(5.0)));
        assert!(!maker.figures().missing.contains_key("database.commits_per_s"));
        maker.add(&Reading { lost: Some("gone".to_owned()), database: None, ..reading(2, None) });
        let seen = maker.figures();
        assert_eq!((seen.lost_s, seen.figures["database.commits_per_s"].mean), (1.0, 5.0));
        let text = serde_json::to_string(&seen).unwrap();
        assert_eq!(serde_json::from_str::<ProfileFigures>(&text).unwrap(), seen);
    }
}

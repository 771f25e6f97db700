//! Checks that the tables of a run are still as they were loaded, before anything is measured on them. Also the proof
//! of all rows for `dbdyno check --deep`.

use crate::load::LoadProgress;
use crate::{Events, StopSwitch, shell_word};
use dbdyno_engine::data::{Columns, Generator, Sample};
use dbdyno_engine::{Difference, Engine, EngineError};
use dbdyno_model::{ErrorClass, Size, TableName, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

/// Rows of each table that are checked before a run.
pub const SAMPLE_ROWS: u64 = 1_000;

/// The most differences that an error shows.
const TOLD: usize = 3;

/// Why nothing can be measured on the tables.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// They are not as they were loaded.
    #[error("{target} does not hold what dbdyno loaded: {}; nothing was measured", mended(differences, target, size))]
    Altered {
        /// The target.
        target: String,
        /// The size of the data.
        size: String,
        /// What differs.
        differences: Vec<Difference>,
    },
    /// The engine's error.
    #[error("looking at the tables of {target} failed: {error}")]
    Engine {
        /// The target.
        target: String,
        /// Its error.
        error: EngineError,
    },
}

/// The result of a check without differences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspected {
    /// Rows read of each table.
    pub sampled: BTreeMap<TableName, u64>,
    /// What could not be checked, each with the reason.
    pub unseen: Vec<String>,
}

impl Inspected {
    /// What was checked and what was not, for the run's record.
    #[must_use]
    pub fn in_words(&self, size: &Size) -> String {
        let tables = self.sampled.len();
        let unseen: String = self.unseen.iter().map(|why| format!("; {why}")).collect();
        if tables == 0 {
            return format!("none was looked at{unseen}");
        }
        let read = self.sampled.values().max().copied().unwrap_or(0);
        let most = self.sampled.keys().map(|table| table.rows(size)).max().unwrap_or(0);
        let partly = if read < most {
            let missed_pct = 100.0 * (1.0 - read as f64 / most as f64);
            format!(
                "; one altered row among {most} is missed so in {missed_pct:.0} % of runs, one in a hundred hardly ever; full \
                 scans add up every row, and `dbdyno check --deep` proves all"
            )
        } else {
            String::new()
        };
        format!(
            "{tables} looked at before the first point: definitions as loaded, {read} rows of each as generated{partly}{unseen}"
        )
    }
}

/// Checks the tables of these tests. A difference refuses the run before anything is measured.
///
/// # Errors
/// A table is not as it was loaded, or the engine cannot check it.
pub fn inspect<'t>(
    engine: &dyn Engine,
    tests: impl IntoIterator<Item = &'t Test>,
    target: &str,
    (size, seed): (&Size, u64),
    stop: &StopSwitch,
) -> Result<Inspected, InspectError> {
    stop.at_work(engine.canceller().into_iter().collect());
    let looked = look(engine, tests, target, (size, seed));
    stop.at_work(Vec::new());
    looked
}

fn look<'t>(
    engine: &dyn Engine,
    tests: impl IntoIterator<Item = &'t Test>,
    target: &str,
    (size, seed): (&Size, u64),
) -> Result<Inspected, InspectError> {
    let wanted: BTreeSet<TableName> = tests.into_iter().flat_map(Test::reads).collect();
    let failed = |error: EngineError| InspectError::Engine { target: target.to_owned(), error };
    let (mut inspected, mut differences) = (Inspected::default(), Vec::new());
    for table in engine.tables().into_iter().filter(|table| wanted.contains(table)) {
        let mut sample = Sample::new(size, table, seed, SAMPLE_ROWS, draw());
        let inspection = match engine.inspect(table, &mut sample) {
            Ok(inspection) => inspection,
            Err(error) if error.target_lost() || error.class == ErrorClass::Cancelled => return Err(failed(error)),
            // An obstacle to the check will also be an obstacle to the points, which then report it themselves.
            Err(error) => {
                inspected.unseen.push(format!("{table} could not be looked at: {error}"));
                continue;
            }
        };
        differences.extend(inspection.differences);
        inspected.unseen.extend(inspection.unseen);
        inspected.sampled.insert(table, sample.rows_read());
    }
    inspected.unseen.sort_unstable();
    inspected.unseen.dedup();
    if differences.is_empty() {
        return Ok(inspected);
    }
    Err(InspectError::Altered { target: target.to_owned(), size: size.id.clone(), differences })
}

/// Different rows each time, so that one run may find what another missed.
fn draw() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_nanos() as u64)
}

/// Reads a whole table back and compares the columns that no test changes with the generator's values. `Some` says what
/// differs.
///
/// # Errors
/// The table cannot be read, or the user stopped the check.
pub fn prove_table(
    engine: &dyn Engine,
    table: TableName,
    (size, seed): (&Size, u64),
    events: &dyn Events,
    stop: &StopSwitch,
) -> Result<Option<String>, EngineError> {
    let found = match engine.checksum(table, Columns::Unchanging, &LoadProgress { events, stop }) {
        Ok(found) => found,
        Err(error) if error.class == ErrorClass::Corruption => return Ok(Some(error.message)),
        Err(error) => return Err(error),
    };
    let made = Generator::new(size, table.shape(), seed).checksum_of(Columns::Unchanging);
    Ok((found != made).then(|| {
        if found.rows == made.rows {
            format!("{table} reads back as {found}, and the generator made {made}: rows were altered after loading")
        } else {
            format!(
                "{table} has {} rows, and the generator made {}: rows were added or taken away",
                found.rows, made.rows
            )
        }
    }))
}

/// The differences, each with its remedy, and the remedy for all of them.
fn mended(differences: &[Difference], target: &str, size: &str) -> String {
    let one = |difference: &Difference| match &difference.remedy {
        Some(remedy) => format!("{} (`{remedy}`)", difference.what),
        None => difference.what.clone(),
    };
    let mut told: Vec<String> = differences.iter().take(TOLD).map(one).collect();
    let more = differences.len().saturating_sub(TOLD);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    format!("{}; {}", told.join("; "), anew(target, size))
}

/// The command that loads the tables again.
#[must_use]
pub fn anew(target: &str, size: &str) -> String {
    let target = shell_word(target);
    format!("or load anew: `dbdyno drop --target {target}`, then `dbdyno load --target {target} --size {size}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_catalogue::Catalogue;

    #[test]
    fn a_test_has_the_tables_that_its_statements_read() {
        let catalogue = Catalogue::embedded().unwrap();
        let of = |code: &str| catalogue.test(code).unwrap().reads();
        assert!(of("T121").is_empty() && of("T211").is_empty());
        assert_eq!(of("T311"), [TableName::SmallHeap]);
        assert_eq!(of("T426"), [TableName::LargeHeapRangeList]);
        assert!(of("T816").contains(&TableName::SmallHeap) && of("T816").contains(&TableName::LargeHeapRangeList));
    }

    #[test]
    fn a_refusal_says_what_what_to_drop_and_how_to_load_anew() {
        let difference =
            |what: &str, remedy: Option<&str>| Difference { what: what.to_owned(), remedy: remedy.map(str::to_owned) };
        let mut differences = vec![difference("t has the trigger spy", Some("DROP TRIGGER spy ON t"))];
        differences.extend((0..4).map(|n| difference(&format!("row {n}"), None)));
        let error = InspectError::Altered { target: "sqlite:x y".to_owned(), size: "T".to_owned(), differences };
        assert_eq!(
            error.to_string(),
            "sqlite:x y does not hold what dbdyno loaded: t has the trigger spy (`DROP TRIGGER spy ON t`); row 0; row 1; 2 more; \
             or load anew: `dbdyno drop --target 'sqlite:x y'`, then `dbdyno load --target 'sqlite:x y' --size T`; nothing was measured"
        );
    }

    #[test]
    fn what_a_sample_can_miss_is_said() {
        let catalogue = Catalogue::embedded().unwrap();
        let size = catalogue.size("T").unwrap();
        let words = |rows| {
            let sampled = [(TableName::SmallHeap, rows)].into();
            Inspected { sampled, unseen: vec!["no triggers".to_owned()] }.in_words(size)
        };
        assert!(words(1_000).contains("one altered row among 3200 is missed so in 69 % of runs"), "{}", words(1_000));
        assert!(words(1_000).ends_with("; no triggers"));
        assert!(!words(3_200).contains("missed"));
        assert_eq!(Inspected::default().in_words(size), "none was looked at");
    }
}

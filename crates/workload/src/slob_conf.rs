//! The file `slob.conf`, and what else sets its parameters. The file is a list of assignments in the words of a shell;
//! here it is read and never run. What is assigned later counts, and each assignment is checked.

mod assignment;
mod error;
mod parameters;
mod read;
mod settings;
mod values;

pub use assignment::{Assignment, option, option_of};
pub use error::{ConfError, Place};
pub use read::read;
pub use settings::{Conf, Hotspot, RedoStress, Statistics, ThinkRule};

use crate::{DataSpec, Settings};
use dbdyno_model::Parameters;
use error::Refusal;
use parameters::{Decides, PARAMETERS, parameter, unknown};
use settings::Draft;

/// What holds of several parameters together: their names, and what is wrong with a draft, if anything is. The shipped
/// values keep each rule.
type Rule = (&'static [&'static str], fn(&Draft) -> Option<Refusal>);

static RULES: [Rule; 4] = [
    (&["UPDATE_PCT", "SCAN_PCT"], more_than_all),
    (&["DO_HOTSPOT", "HOTSPOT_MB", "HOTSPOT_OFFSET_MB", "SCALE"], hotspot_outside),
    (&["DO_HOTSPOT", "HOTSPOT_MB", "WORK_UNIT"], hotspot_too_small),
    (&["THINK_TM_MIN", "THINK_TM_MAX"], think_times_swapped),
];

/// The parameter that says how much data a schema has.
const SCALE: &str = "SCALE";
/// More blocks than anybody has.
const MOST_BLOCKS: &str = "2147483648";

/// What the parameters of data and of what users do say together.
///
/// # Errors
/// As for [`Conf::of`].
pub(crate) fn together(data: &DataSpec, parameters: &Parameters) -> Result<Conf, ConfError> {
    Conf::of(data.parameters.iter().chain(parameters.iter()))
}

/// What a user has set, as a workload says it.
///
/// # Errors
/// As for [`Conf::resolve`].
pub(crate) fn settings(assignments: &[Assignment]) -> Result<Settings, ConfError> {
    let is_said = assignments.iter().any(|assignment| assignment.name == SCALE);
    // Where nobody says how much data there is, the data says it, and what does not fit into that is refused then.
    let ample = (!is_said).then(|| option_of(SCALE, SCALE, MOST_BLOCKS.to_owned()));
    let mut conf = Conf::resolve(&ample.into_iter().chain(assignments.iter().cloned()).collect::<Vec<_>>())?;
    if !is_said {
        conf.scale_blocks = Conf::default().scale_blocks;
    }
    let named = assignments.iter().map(|assignment| &assignment.name);
    Ok(Settings {
        work: Parameters::from_iter(conf.work()),
        data: Parameters::from_iter(conf.data()),
        data_named: named.filter(|name| decides_data(name)).cloned().collect(),
        duration_s: conf.run_time_s.map(f64::from),
        load_jobs: conf.load_parallel_degree,
        users_per_unit: conf.threads_per_schema,
        transactions_each: Some(conf.work_loop).filter(|operations| *operations > 0),
        script: conf.external_script,
        repository_reports: (conf.statistics == Statistics::Awr).then(|| "DATABASE_STATISTICS_TYPE=awr".to_owned()),
    })
}

/// How much data there is, in words: what is not as shipped is said.
pub(crate) fn data_words(data: &DataSpec) -> String {
    let (conf, shipped) = (together(data, &Parameters::default()).unwrap_or_default(), Conf::default());
    let schemas = match data.scale.whole_units() {
        1 => "1 schema".to_owned(),
        many => format!("{many} schemas"),
    };
    let scan = (conf.scan_blocks != shipped.scan_blocks).then(|| format!(" with {} to scan", conf.scan_blocks));
    let texts = conf.obfuscate_columns.then_some(", obfuscated");
    format!("{schemas} of {} blocks{}{}", conf.scale_blocks, scan.unwrap_or_default(), texts.unwrap_or_default())
}

/// How many of 100 operations read, change and scan.
pub(crate) fn shares(parameters: &Parameters) -> [u32; 3] {
    let shipped = Conf::default();
    let pct = |name, shipped| parameters.get(name).and_then(|pct| pct.parse().ok()).unwrap_or(shipped);
    let [updates, scans] = [pct("UPDATE_PCT", shipped.update_pct), pct("SCAN_PCT", shipped.scan_pct)];
    [100_u32.saturating_sub(updates + scans), updates, scans]
}

/// Whether the parameter of this name decides the data.
#[must_use]
pub fn decides_data(name: &str) -> bool {
    parameter(name).is_some_and(|parameter| matches!(parameter.decides, Decides::Data))
}

fn more_than_all(draft: &Draft) -> Option<Refusal> {
    let (updates, scans) = (draft.conf.update_pct, draft.conf.scan_pct);
    (updates + scans > 100).then(|| {
        let wrong = format!(
            "UPDATE_PCT {updates} and SCAN_PCT {scans} are shares of all operations, and more than 100 together"
        );
        Refusal::new(wrong, "make one of them smaller")
    })
}

fn hotspot_outside(draft: &Draft) -> Option<Refusal> {
    let (spot, scale_blocks) = (draft.hotspot, draft.conf.scale_blocks);
    let end = spot.first_block.saturating_add(spot.blocks);
    (draft.has_hotspot && end > scale_blocks).then(|| {
        let wrong = format!(
            "the hot spot, HOTSPOT_MB after HOTSPOT_OFFSET_MB, ends at block {end}, and SCALE is {scale_blocks} blocks"
        );
        Refusal::new(wrong, "make HOTSPOT_MB or HOTSPOT_OFFSET_MB smaller, or SCALE larger; 1 MB is 128 blocks")
    })
}

fn hotspot_too_small(draft: &Draft) -> Option<Refusal> {
    let (blocks, unit) = (draft.hotspot.blocks, draft.conf.work_unit);
    (draft.has_hotspot && blocks <= 2 * unit).then(|| {
        let wrong = format!("the hot spot has {blocks} blocks and must have more than two WORK_UNIT, {}", 2 * unit);
        Refusal::new(wrong, "make HOTSPOT_MB larger or WORK_UNIT smaller; 1 MB is 128 blocks")
    })
}

fn think_times_swapped(draft: &Draft) -> Option<Refusal> {
    (draft.think.least_ns > draft.think.most_ns).then(|| {
        let wrong = "THINK_TM_MIN is more than THINK_TM_MAX";
        Refusal::new(wrong, "assign both, the smaller to THINK_TM_MIN; as shipped they are .1 and .5")
    })
}

impl Conf {
    /// The parameters after these assignments: the last of a name counts, and what nobody assigns is as shipped.
    ///
    /// # Errors
    /// The first assignment that is wrong, even where a later one of the same name would be right; or, where values do
    /// not go together, the last assignment of any of them.
    pub fn resolve(assignments: &[Assignment]) -> Result<Self, ConfError> {
        let mut draft = Draft::default();
        for assignment in assignments {
            let known = parameter(&assignment.name).ok_or_else(|| assignment.refused(unknown(&assignment.name)))?;
            (known.reads)(&mut draft, &assignment.value).map_err(|why| assignment.refused(why))?;
        }
        for (names, broken) in &RULES {
            let last = assignments.iter().rfind(|assignment| names.contains(&assignment.name.as_str()));
            if let (Some(last), Some(why)) = (last, broken(&draft)) {
                return Err(last.refused(why));
            }
        }
        Ok(draft.conf())
    }

    /// What decides what sessions do, as names and values that [`Conf::of`] reads, in the order of the parameters. The
    /// hot spot's, the hot schema's and think time's are there only where they are in use.
    #[must_use]
    pub fn work(&self) -> Vec<(&'static str, String)> {
        self.that_decides(Decides::Work)
    }

    /// What decides the data, likewise: SCALE and SCAN_TABLE_SZ in blocks, and OBFUSCATE_COLUMNS only where it is TRUE.
    #[must_use]
    pub fn data(&self) -> Vec<(&'static str, String)> {
        self.that_decides(Decides::Data)
    }

    /// The same data, with updates of two rows in a few blocks alone: the pages that they change stay in any cache.
    #[must_use]
    pub fn committing(&self) -> Self {
        let hotspot = Some(Hotspot { first_block: 0, blocks: 128, every: 1 });
        let Self { scale_blocks, scan_blocks, obfuscate_columns, .. } = *self;
        let data = Self { scale_blocks, scan_blocks, obfuscate_columns, ..Self::default() };
        Self { update_pct: 100, work_unit: 3, hotspot, ..data }
    }

    /// The parameters of these names and values: of those of [`Conf::work`] and [`Conf::data`] together, the ones that
    /// work and data were decided by. All others are as shipped.
    ///
    /// # Errors
    /// As [`Conf::resolve`]; the place is the name of the parameter.
    pub fn of<'p>(parameters: impl Iterator<Item = (&'p str, &'p str)>) -> Result<Self, ConfError> {
        let stored = |(name, value): (&str, &str)| option_of(&format!("the parameter {name}"), name, value.to_owned());
        Self::resolve(&parameters.map(stored).collect::<Vec<_>>())
    }

    fn that_decides(&self, decides: Decides) -> Vec<(&'static str, String)> {
        let of = PARAMETERS.iter().filter(|parameter| parameter.decides == decides);
        of.filter_map(|parameter| Some((parameter.name, (parameter.says)(self)?))).collect()
    }
}

#[cfg(test)]
mod tests;

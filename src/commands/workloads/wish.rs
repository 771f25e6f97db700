//! The data that a user asks for, and data that is there and other than that.

use super::super::opened_target::OpenedTarget;
use crate::error::Error;
use crate::output::shell_word;
use dbdyno_model::Scale;
use dbdyno_run::LoadRequest;
use dbdyno_workload::{DataSpec, Settings, Workload};

/// The data that a user asks for; what is not said may be anything.
#[derive(Debug, Clone, Default)]
pub(crate) struct DataWish {
    /// How much.
    pub(crate) scale: Option<Scale>,
    /// At least so many units of the scale, of which each is used by itself.
    pub(crate) units_at_least: Option<u32>,
    /// Its seed.
    pub(crate) seed: Option<u64>,
    /// Its parameters.
    pub(crate) settings: Settings,
}

impl DataWish {
    /// Whether data that is there is what was asked for.
    pub(super) fn is_met_by(&self, held: &DataSpec) -> bool {
        let Self { scale, units_at_least, seed, settings } = self;
        let parameter = |name: &String| settings.data.get(name) == held.parameters.get(name);
        scale.is_none_or(|scale| scale == held.scale)
            && units_at_least.is_none_or(|units| units <= held.scale.whole_units())
            && seed.is_none_or(|seed| seed == held.seed)
            && settings.data_named.iter().all(parameter)
    }

    /// The data that is asked for, where something else does not say more.
    pub(super) fn spec(&self, workload: &dyn Workload) -> DataSpec {
        let at_least = self.units_at_least.map(Scale::units);
        let scale = self.scale.or(at_least).unwrap_or(workload.about().scale_by_default);
        let seed = self.seed.unwrap_or(LoadRequest::DEFAULT_SEED);
        DataSpec { parameters: self.settings.data.clone(), ..DataSpec::new(scale, seed) }
    }
}

/// The options of `load` that ask for data, but for its seed.
pub(crate) fn amount(workload: &dyn Workload, data: &DataSpec) -> String {
    match workload.about().unit {
        None => format!("--scale {}", data.scale),
        Some(unit) => {
            let by_default = workload.data_by_default().parameters;
            let set = data.parameters.iter().filter(|(name, value)| by_default.get(name) != Some(value));
            let set: String = set.map(|(name, value)| format!(" --set {name}={value}")).collect();
            format!("--{unit}s {}{set}", data.scale.whole_units())
        }
    }
}

/// The error for a target with other data than was asked for.
pub(super) fn other_data(place: &OpenedTarget, workload: &dyn Workload, held: &DataSpec, wish: &DataWish) -> Error {
    let wished = wish.spec(workload);
    let says_scale = wish.scale.or(wish.units_at_least.map(Scale::units)).is_some();
    let scale = if says_scale { wished.scale } else { held.scale };
    let named = &wish.settings.data_named;
    let kept = held.parameters.iter().filter(|(name, _)| !named.iter().any(|named| named == name));
    let set = named.iter().filter_map(|name| Some((name.as_str(), wished.parameters.get(name)?)));
    let parameters = kept.chain(set).collect();
    let asked = DataSpec { scale, seed: wish.seed.unwrap_or(held.seed), parameters };
    let words = |of: &DataSpec| match held.seed == asked.seed {
        true => workload.data_words(of),
        false => format!("{}, seed {}", workload.data_words(of), of.seed),
    };
    // What would ask for the data that is there.
    let mut options = Vec::new();
    if wish.scale.is_some_and(|scale| scale != held.scale)
        || wish.units_at_least.is_some_and(|units| units > held.scale.whole_units())
    {
        options.push(amount(workload, &DataSpec { parameters: workload.data_by_default().parameters, ..held.clone() }));
    }
    let differs = |name: &&String| asked.parameters.get(name) != held.parameters.get(name);
    let set = named.iter().filter(differs);
    options.extend(set.map(|name| format!("--set {name}={}", held.parameters.get(name).unwrap_or("FALSE"))));
    options.extend((held.seed != asked.seed).then(|| format!("--seed {}", held.seed)));
    options.dedup();
    Error::Usage(format!(
        "{} holds {} at {}, and {} was asked for; say {}, or run `dbdyno drop --target {}` first",
        place.target,
        workload.name(),
        words(held),
        words(&asked),
        options.join(" "),
        shell_word(&place.target.to_string())
    ))
}

//! Reading and checking a project's file.

use super::words::split_words;
use super::{
    Bound, PairedSubject, Project, ProjectRequirement, ProjectStep, ProjectVariant, RatioLimit, Role, StepCommand,
};
use crate::document::{Document, Entry, SourcePlace};
use crate::files::Source;
use crate::requirements::{Raw, requirement};
use crate::{Catalogue, CatalogueError, RequiredFigure, check, wording};
use dbdyno_model::WorkloadName;
use serde::Deserialize;
use std::borrow::Cow;

/// Three names and a mark make a label.
const LONGEST_NAME: usize = 16;
/// Columns of the page beside each other.
const MOST_VARIANTS: usize = 6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    name: String,
    title: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawVariant {
    name: String,
    title: Option<String>,
    #[serde(default)]
    role: Role,
    target: Option<String>,
    up: Option<String>,
    down: Option<String>,
    before: Option<String>,
    after: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    name: String,
    title: Option<String>,
    run: Option<String>,
    orion: Option<String>,
    durability: Option<String>,
    pair: Option<String>,
    variants: Option<Vec<String>>,
}

impl Project {
    /// Reads a file's text; `shown` is how messages call the file.
    ///
    /// # Errors
    /// It is not TOML, has an unknown key or lacks one, or names something that there is not.
    pub fn parse(shown: &str, text: &str, catalogue: &Catalogue) -> Result<Self, CatalogueError> {
        let source = Source { shown: shown.to_owned(), text: Cow::Owned(text.to_owned()) };
        let mut document = Document::parse(&source)?;
        let variants: Vec<Entry<RawVariant>> = document.entries("variant", "name")?;
        let steps: Vec<Entry<RawStep>> = document.entries("step", "name")?;
        let requirements: Vec<Entry<Raw>> = document.entries("requirement", "title")?;
        let Entry { value: Head { name, title }, place } = document.head::<Head>()?;
        place.check(check::title(&title))?;
        place.check(check_name(&name))?;
        place.ensure(!variants.is_empty(), || "there is no [[variant]]")?;
        place.ensure(!steps.is_empty(), || "there is no [[step]]")?;
        place.ensure(!requirements.is_empty(), || "there is no [[requirement]]")?;
        place.ensure(variants.len() <= MOST_VARIANTS, || format!("there are more than {MOST_VARIANTS} variants"))?;
        let mut project =
            Self { name, title, folder: String::new(), variants: vec![], steps: vec![], requirements: vec![] };
        for Entry { value, place } in variants {
            let names = project.variants.iter().map(|variant| variant.name.as_str());
            place.check(check_new(&value.name, names))?;
            project.variants.push(variant(value, &place)?);
        }
        for Entry { value, place } in steps {
            place.check(check_new(&value.name, project.steps.iter().map(|step| step.name.as_str())))?;
            let step = step(value, &place, &project.variants)?;
            project.steps.push(step);
        }
        for Entry { value, place } in requirements {
            let requirement = of_project(value, &place, &project, catalogue)?;
            project.requirements.push(requirement);
        }
        Ok(project)
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let begins = name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    match is_plain && begins && name.len() <= LONGEST_NAME {
        true => Ok(()),
        false => Err(format!(
            "key 'name': '{name}' is no name; it has 1 to {LONGEST_NAME} small letters, digits and dashes, and begins with a \
             letter (a title may be anything)"
        )),
    }
}

fn check_new<'n>(name: &str, mut others: impl Iterator<Item = &'n str>) -> Result<(), String> {
    check_name(name)?;
    if others.any(|other| other == name) { Err(format!("the name '{name}' stands twice")) } else { Ok(()) }
}

/// The place of something that is named.
fn find<'n>(key: &str, name: &str, all: impl Iterator<Item = &'n str>) -> Result<usize, String> {
    let all: Vec<&str> = all.collect();
    let place = all.iter().position(|other| *other == name);
    place.ok_or_else(|| format!("key '{key}': {}", wording::unknown("name", name, &all)))
}

fn variant(raw: RawVariant, place: &SourcePlace) -> Result<ProjectVariant, CatalogueError> {
    let RawVariant { name, title, role, target, up, down, before, after } = raw;
    let texts = [("target", &target), ("up", &up), ("down", &down), ("before", &before), ("after", &after)];
    for (key, text) in texts {
        let is_empty = text.as_ref().is_some_and(|text| text.trim().is_empty());
        place.ensure(!is_empty, || format!("key '{key}' is empty; leave it away"))?;
    }
    let words = |key: &str, text: Option<String>| place.check_key(key, text.as_deref().map(split_words).transpose());
    let (up, down) = (words("up", up)?, words("down", down)?);
    let title = title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| name.clone());
    Ok(ProjectVariant { name, title, role, target, up, down, before, after })
}

fn step(raw: RawStep, place: &SourcePlace, variants: &[ProjectVariant]) -> Result<ProjectStep, CatalogueError> {
    let RawStep { name, title, run, orion, durability, pair, variants: named } = raw;
    let given = [run, orion, durability, pair].into_iter().zip(StepCommand::ALL);
    let mut given = given.filter_map(|(words, command)| Some((words?, command)));
    let (Some((words, command)), None) = (given.next(), given.next()) else {
        return Err(
            place.invalid("one of the keys 'run', 'orion', 'durability' and 'pair' must stand here, and not several")
        );
    };
    let words = place.check_key(command.name(), split_words(&words))?;
    let of_name = |name: &String| find("variants", name, variants.iter().map(|variant| variant.name.as_str()));
    let found: Option<Result<Vec<usize>, String>> = named.map(|names| names.iter().map(of_name).collect());
    let named = place.check(found.transpose())?;
    let of_role = |role| variants.iter().enumerate().filter(move |(_, of)| of.role == role).map(|(n, _)| n);
    let variants_of_step = match (named, command) {
        (Some(named), _) => named,
        (None, StepCommand::Pair) => of_role(Role::Baseline).chain(of_role(Role::Candidate)).collect(),
        (None, _) => (0..variants.len()).collect(),
    };
    let is_sound = match command {
        StepCommand::Pair => matches!(variants_of_step[..], [a, b] if a != b),
        _ => {
            let mut once = variants_of_step.clone();
            once.sort_unstable();
            once.dedup();
            !once.is_empty() && once.len() == variants_of_step.len()
        }
    };
    place.ensure(is_sound, || match command {
        StepCommand::Pair => "a pair is of two variants: name A and B, as in variants = [\"before\", \"after\"]",
        _ => "key 'variants' must name at least one variant, and each once",
    })?;
    if matches!(command, StepCommand::Run | StepCommand::Pair) {
        let without = variants_of_step.iter().map(|n| &variants[*n]).find(|variant| variant.target.is_none());
        if let Some(variant) = without {
            let problem = format!("it is done on '{}', and this variant has no key 'target'", variant.name);
            return Err(place.invalid(problem));
        }
    }
    let title = title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| name.clone());
    Ok(ProjectStep { name, title, command, words, variants: variants_of_step })
}

fn of_project(
    mut raw: Raw,
    place: &SourcePlace,
    project: &Project,
    catalogue: &Catalogue,
) -> Result<ProjectRequirement, CatalogueError> {
    let steps = || project.steps.iter().map(|step| step.name.as_str());
    let step = raw.step.take().map(|name| find("step", &name, steps())).transpose();
    let step = place.check(step)?;
    let variants = || project.variants.iter().map(|variant| variant.name.as_str());
    let variant = raw.variant.take().map(|name| find("variant", &name, variants())).transpose();
    let variant = place.check(variant)?;
    let title = raw.title.clone();
    place.check(check::title(&title))?;
    let (lost, ratio) = (raw.lost.is_some(), raw.ratio_at_least.is_some() || raw.ratio_at_most.is_some());
    let of = match (lost, ratio) {
        (true, true) => {
            return Err(place.invalid("'lost' is of a crash, and a ratio of a pair; each has its own entry"));
        }
        (true, false) => place.check(lost_bound(&raw))?,
        (false, true) => place.check(ratio_bound(&raw, catalogue))?,
        (false, false) => {
            place.ensure(raw.at_most_lossy_pct.is_none(), || "key 'at_most_lossy_pct' may only stand beside 'lost'")?;
            let requirement = requirement(raw, place, catalogue)?;
            let is_measured = matches!(requirement.of, RequiredFigure::Measured(_));
            place.ensure(is_measured, || "'result' is of published platforms; a project judges what it measures")?;
            Bound::Figure(requirement)
        }
    };
    let fits = |command: StepCommand| match of {
        Bound::Figure(_) => command.is_run(),
        Bound::Lost { .. } => command == StepCommand::Durability,
        Bound::Ratio { .. } => command == StepCommand::Pair,
    };
    let what = match of {
        Bound::Figure(_) => "a figure needs a step that is a run or orion",
        Bound::Lost { .. } => "'lost' needs a step that is a durability",
        Bound::Ratio { .. } => "a ratio needs a step that is a pair",
    };
    let is_there = match step {
        Some(step) => fits(project.steps[step].command),
        None => project.steps.iter().any(|step| fits(step.command)),
    };
    place.ensure(is_there, || what)?;
    if let (Some(step), Some(variant)) = (step.map(|n| &project.steps[n]), variant) {
        place.ensure(step.variants.contains(&variant), || {
            format!("step '{}' is not done on variant '{}'", step.name, project.variants[variant].name)
        })?;
    }
    Ok(ProjectRequirement { title, step, variant, of })
}

fn lost_bound(raw: &Raw) -> Result<Bound, String> {
    raw.refuse_beside("lost", &["at_most_lossy_pct"])?;
    if raw.lost != Some(0) {
        return Err("key 'lost' can only be 0: one cut loses many commits or none, so no other number means \
                    anything; 'at_most_lossy_pct' bounds the share of cuts that lose"
            .to_owned());
    }
    let at_most_lossy_pct = raw.at_most_lossy_pct;
    match at_most_lossy_pct {
        Some(pct) if !(pct > 0.0 && pct <= 100.0) => {
            Err("key 'at_most_lossy_pct' must be above 0 and at most 100".to_owned())
        }
        at_most_lossy_pct => Ok(Bound::Lost { at_most_lossy_pct }),
    }
}

fn ratio_bound(raw: &Raw, catalogue: &Catalogue) -> Result<Bound, String> {
    raw.refuse_beside("a ratio", &["ratio_at_least", "ratio_at_most", "test", "workload"])?;
    let limit = match (raw.ratio_at_least, raw.ratio_at_most) {
        (Some(least), None) => RatioLimit::AtLeast(least),
        (None, Some(most)) => RatioLimit::AtMost(most),
        _ => return Err("only one of 'ratio_at_least' and 'ratio_at_most' may stand here".to_owned()),
    };
    let (RatioLimit::AtLeast(value) | RatioLimit::AtMost(value)) = limit;
    if !(value.is_finite() && value > 0.0) {
        return Err("a ratio is above zero, as 0.8 for a loss of 20 % at most".to_owned());
    }
    let test = match (&raw.test, &raw.workload) {
        (Some(_), Some(_)) => return Err("only one of 'test' and 'workload' may stand here".to_owned()),
        (Some(code), None) => {
            let test = catalogue.test(code).map_err(|e| format!("key 'test': {e}"))?;
            Some(PairedSubject::Test(test.code.clone()))
        }
        (None, Some(name)) => {
            WorkloadName::new(name).map_err(|e| format!("key 'workload': {e}"))?;
            Some(PairedSubject::Workload(name.clone()))
        }
        (None, None) => None,
    };
    Ok(Bound::Ratio { test, limit })
}

//! `dbdyno resume`: measures what is missing or failed in a run, if everything that influences its figures is
//! unchanged.

use super::awr_report::{self, Asked};
use super::context::Context;
use super::fleet::{self, FLEET};
use super::measuring::{Ready, TABLES};
use super::opened_target::OpenedTarget;
use super::tool::tool;
use super::watch::Watch;
use super::workloads;
use super::workloads::DataWish;
use crate::cli::ResumeArgs;
use crate::error::Error;
use crate::signals;
use dbdyno_model::{Database, Plan, Platform, RunJson, SubjectKind, SubjectName, Tool};
use dbdyno_results::{FileAccess, Repository};
use dbdyno_run::{LoadRequest, RunRequest, points_to_measure};
use dbdyno_workload::WorkloadData;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn resume(args: &ResumeArgs, context: &Context) -> Result<(), Error> {
    // Read-only first: a mistyped name must not create a results file.
    let id = Repository::open(&context.results, FileAccess::ReadOnly)?.find(&args.run)?;
    let mut repository = Repository::open(&context.results, FileAccess::ReadWrite)?;
    let (before, mut plan) = (repository.load(&id)?, repository.plan(&id)?);

    if before.is_of_storage() {
        return Err(Error::Usage(format!(
            "run {id} measured storage itself, which is not resumed: what may be written to is asked for each time; start it again with \
             `dbdyno orion`, `dbdyno show {id}{}` shows what was measured",
            context.same_files
        )));
    }
    if plan.points.iter().any(|planned| planned.cores.is_some()) {
        return Err(Error::Usage(format!(
            "run {id} went through numbers of cores, for each of which a server was started: it is not gone on with; start it again \
             (`dbdyno run slob --cores ...`), `dbdyno show {id}{}` shows what was measured",
            context.same_files
        )));
    }
    if let Some(pairing) = &plan.pairing {
        return Err(Error::Usage(format!(
            "run {id} was measured in turn with {}: it is not gone on with alone; start it again (`dbdyno pair ...`), `dbdyno \
             compare {id} {}{}` shows what was measured",
            pairing.with, pairing.with, context.same_files
        )));
    }
    let of_fleet = before.database.facts.get(FLEET);
    if let (Some(of_fleet), None) = (of_fleet, &args.shared.fleet) {
        return Err(Error::Usage(format!(
            "run {id} was measured by a fleet ({of_fleet}): go on with it, as in --fleet NAME=N, or start a new run"
        )));
    }
    if of_fleet.is_none() && args.shared.fleet.is_some() {
        return Err(Error::Usage(format!(
            "run {id} was measured without a fleet: leave --fleet away, or start a new run"
        )));
    }
    let is_imported = repository.is_imported(&id)?;
    // The target in a run that others may have written is used only if the user names it.
    let why_untrusted = match is_imported {
        true => Some("was imported"),
        // A file that cannot be examined is not trusted.
        false => dbdyno_files::others_may_write(&context.results)
            .unwrap_or(true)
            .then_some("stands in a file that other users own or may write to"),
    };
    if let Some(why) = why_untrusted.filter(|_| args.target.is_none()) {
        return Err(Error::Usage(format!(
            "run {id} {why}, so the target in it, {}, is not trusted: name the target to measure on with --target",
            before.run.target
        )));
    }
    let url = args.target.as_deref().unwrap_or(&before.run.target);
    let reports = awr_report::folder(args.awr_report.as_deref().map(Asked::by_option), url, context)?;
    let workload = workloads::of_plan(&plan);
    let size = workload.is_none().then_some(plan.size.as_str());
    let opened = OpenedTarget::open(url, size, Some(plan.seed), &context.catalogue)?;
    let workload = workload
        .map(|workload| workloads::WorkloadTarget::look(&opened, workload, &DataWish::default()))
        .transpose()?;
    let platform = opened.platform();
    refuse_changes(&before, changes_of_the_platform(&before.platform, &platform, why_untrusted.is_some()), context)?;
    refuse_changes(&before, changes_of_the_plan(&before, &plan, &opened, workload.as_ref(), context)?, context)?;
    repository.claim(&id)?;

    let load = LoadRequest {
        target: &opened.target.to_string(),
        size,
        seed: Some(plan.seed),
        jobs: dbdyno_probe::hardware_threads(),
        verify: true,
    };
    let stop = signals::stop(Some(&opened.engine), args.max_duration)?;
    let coordinator = fleet::coordinator(&args.shared, Some(opened.engine.as_ref()), &stop, context)?;
    let mut ready = Ready::make(&opened, workload, load, (stop, None), context)?;
    (ready.reports, ready.fleet, ready.fleet_options) = (reports, coordinator, args.shared.again());
    let database = opened.engine.describe().map_err(opened.failed("describing"))?;
    refuse_changes(&before, changes_of_the_database(&before.database, &database), context)?;

    if let Some(coordinator) = &ready.fleet {
        let hosts = fleet::in_words(&args.shared, coordinator);
        let changed = differs("the fleet", of_fleet.map(String::as_str), Some(&hosts));
        refuse_changes(&before, changed.into_iter().collect(), context)?;
        fleet::join(coordinator, &opened, &args.shared, (&id, &plan), true, (&ready.stop(), context))?;
    }

    let indexes = points_to_measure(&plan, &before.points, &repository.unmeasured(&id)?);
    // A search goes on with the tests that it began with.
    let looked_at: Vec<usize> = match plan.searches.is_empty() {
        true => indexes.clone(),
        false => (0..plan.points.len()).collect(),
    };
    if !looked_at.is_empty() {
        let found = ready.inspect_tables(&plan, &looked_at)?;
        repository.set_database(&id, &with_tables(before.database, found))?;
    }
    ready.watch = Watch::of_run(&args.watch, (&before.run, &plan), &database, ready.stop(), context)?;
    ready.measure(&mut repository, &id, &mut plan, &indexes, None, args.shown.format())
}

/// Refuses to resume a run if there are changes.
fn refuse_changes(run: &RunJson, changes: Vec<String>, context: &Context) -> Result<(), Error> {
    let same_files = context.same_files.clone();
    if changes.is_empty() { Ok(()) } else { Err(Error::Changed { run: run.run.id.clone(), same_files, changes }) }
}

/// The database's record with the new result of checking the tables; earlier results stay.
fn with_tables(mut database: Database, found: String) -> Database {
    match database.facts.get_mut(TABLES) {
        Some(known) if known.contains(&found) => {}
        Some(known) => *known += &format!("; when the run was resumed: {found}"),
        None => _ = database.facts.insert(TABLES.to_owned(), found),
    }
    database
}

/// Differences in the machine. The host name may differ, as in a container that was made again. An untrusted run must
/// be of this very machine.
fn changes_of_the_platform(before: &Platform, now: &Platform, is_untrusted: bool) -> Vec<String> {
    let cores = |platform: &Platform| platform.cpu.cores.map(|n| n.to_string());
    let changes = [
        differs("the host", before.host.as_deref(), now.host.as_deref()).filter(|_| is_untrusted),
        differs("the processor", before.cpu.model.as_deref(), now.cpu.model.as_deref()),
        differs("the number of cores", cores(before).as_deref(), cores(now).as_deref()),
    ];
    changes.into_iter().flatten().collect()
}

/// Differences in dbdyno, in the data and in the definitions of the planned tests.
fn changes_of_the_plan(
    run: &RunJson,
    plan: &Plan,
    opened: &OpenedTarget,
    workload: Option<&workloads::WorkloadTarget>,
    context: &Context,
) -> Result<Vec<String>, Error> {
    let mut changes = Vec::new();
    changes.extend(differs("dbdyno", Some(&run.run.tool_version), Some(env!("CARGO_PKG_VERSION"))));
    changes.extend(changes_of_the_build(run.tool.as_ref(), &tool()));
    changes.extend(differs("the engine", Some(&run.database.engine), Some(opened.info.name)));
    if let Some(workload) = workload {
        let first = plan.points.first();
        let mix = first.and_then(|planned| planned.mix.as_ref());
        let parameters = first.map(|planned| planned.parameters.clone()).unwrap_or_default();
        let (amount, seed) = (workload.workload.data_words(&workload.spec), workload.spec.seed);
        if workload.data == WorkloadData::Nothing && (&plan.size, plan.seed) != (&amount, seed) {
            return Ok(vec![format!("the target holds no data of {} any more", workload.workload.name())]);
        }
        changes.extend(differs("the workload's scale", Some(&plan.size), Some(&amount)));
        let seeds = [plan.seed, seed].map(|seed| seed.to_string());
        changes.extend(differs("the seed of the workload's data", Some(&seeds[0]), Some(&seeds[1])));
        let now = workload.dialect.as_ref().map(|dialect| dialect.definition(&workload.spec, mix, &parameters));
        let now = now.unwrap_or_default();
        if plan.definitions != now && changes.is_empty() {
            changes.push(format!("the definition of {} has changed (program or SQL)", workload.workload.name()));
        }
        return Ok(changes);
    }
    changes.extend(differs("the target's size", Some(&plan.size), Some(&opened.size.id)));
    changes.extend(differs("the target's seed", Some(&plan.seed.to_string()), Some(&opened.seed.to_string())));
    // Definitions depend on what was compared until here, so they are compared only if that is unchanged.
    if !changes.is_empty() {
        return Ok(changes);
    }
    let planned: BTreeMap<SubjectName<'_>, &str> =
        plan.points.iter().map(|p| (p.subject.name(), p.definition.as_str())).collect();
    let is_known =
        |subject: &SubjectName<'_>| subject.kind == SubjectKind::Test && context.catalogue.test(subject.name).is_ok();
    let (known, gone): (Vec<SubjectName<'_>>, Vec<SubjectName<'_>>) = planned.keys().copied().partition(is_known);
    let why_gone = |subject: &SubjectName<'_>| match subject.kind {
        SubjectKind::Test => format!("the catalogue has no test {subject} any more"),
        SubjectKind::Workload | SubjectKind::Storage => {
            format!("this dbdyno measures no {} {subject} on a database", subject.kind.name())
        }
    };
    changes.extend(gone.iter().map(why_gone));
    let what: Vec<String> = known.iter().map(|subject| subject.name.to_owned()).collect();
    if what.is_empty() {
        return Ok(changes);
    }
    let now = opened.plan(&RunRequest { what, ..RunRequest::default() }, &context.catalogue)?;
    let changed: BTreeSet<&str> = now
        .points
        .iter()
        .filter(|p| planned.get(&p.subject.name()).is_some_and(|before| *before != p.definition))
        .map(|p| p.subject.as_str())
        .collect();
    if !changed.is_empty() {
        let codes: Vec<&str> = changed.into_iter().collect();
        changes.push(format!("the definition of {} has changed (catalogue entry or SQL)", codes.join(", ")));
    }
    Ok(changes)
}

/// Differences in how dbdyno was built. What the run does not say is not compared.
fn changes_of_the_build(before: Option<&Tool>, now: &Tool) -> Vec<String> {
    let now = now.facts();
    let known = before.map(Tool::facts).unwrap_or_default().into_iter();
    let changes = known.filter_map(|(name, value)| {
        let (_, now) = now.iter().find(|(other, _)| *other == name)?;
        differs(&format!("dbdyno's {name}"), Some(&value), Some(now))
    });
    changes.collect()
}

/// Differences in the database: its version, or a setting that influences figures.
fn changes_of_the_database(before: &Database, now: &Database) -> Vec<String> {
    let version = differs("the version", Some(&before.version), Some(&now.version));
    let names: BTreeSet<&String> = before.parameters.keys().chain(now.parameters.keys()).collect();
    let settings = names.into_iter().filter_map(|name| {
        let value = |database: &Database| database.parameters.get(name).cloned();
        differs(&format!("the setting {name}"), value(before).as_deref(), value(now).as_deref())
    });
    version.into_iter().chain(settings).collect()
}

/// The difference in words, if there is one.
fn differs(what: &str, before: Option<&str>, now: Option<&str>) -> Option<String> {
    let (was, is) = (before.unwrap_or("not set"), now.unwrap_or("not set"));
    (before != now).then(|| format!("{what} was {was} and is {is} now"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::Cpu;

    fn database(version: &str, parameters: &[(&str, &str)]) -> Database {
        let parameters = parameters.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Database { version: version.to_owned(), parameters, ..Database::default() }
    }

    #[test]
    fn each_new_result_of_checking_the_tables_is_kept() {
        let of = |database: Database, found: &str| with_tables(database, found.to_owned());
        let first = of(Database::default(), "2 looked at");
        assert_eq!(first.facts[TABLES], "2 looked at");
        assert_eq!(of(first.clone(), "2 looked at"), first);
        let again = of(first, "1 looked at; no triggers");
        assert_eq!(again.facts[TABLES], "2 looked at; when the run was resumed: 1 looked at; no triggers");
        assert_eq!(of(again.clone(), "1 looked at; no triggers"), again);
    }

    #[test]
    fn points_of_unlike_machines_are_not_put_together() {
        let machine = |host: &str, model: &str, cores| Platform {
            host: Some(host.to_owned()),
            cpu: Cpu { model: Some(model.to_owned()), cores: Some(cores), ..Cpu::default() },
            ..Platform::default()
        };
        let before = machine("a", "fast", 4);
        assert!(changes_of_the_platform(&before, &before, true).is_empty());
        assert!(changes_of_the_platform(&before, &machine("b", "fast", 4), false).is_empty());
        assert_eq!(
            changes_of_the_platform(&before, &machine("b", "slow", 2), true),
            [
                "the host was a and is b now",
                "the processor was fast and is slow now",
                "the number of cores was 4 and is 2 now"
            ]
        );
        // If the server is on another machine, nothing is known of that machine.
        assert!(changes_of_the_platform(&Platform::default(), &Platform::default(), true).is_empty());
    }

    #[test]
    fn points_of_unlike_builds_are_not_put_together() {
        let built = |profile: &str| Tool { profile: Some(profile.to_owned()), ..Tool::default() };
        assert_eq!(
            changes_of_the_build(Some(&built("dist")), &built("dev")),
            ["dbdyno's profile was dist and is dev now"]
        );
        assert!(changes_of_the_build(Some(&built("dist")), &built("dist")).is_empty());
        assert!(changes_of_the_build(None, &built("dev")).is_empty(), "an older run does not say it");
    }

    #[test]
    fn changes_of_version_and_settings_are_found() {
        let before = database("1", &[("cache", "8"), ("log", "on")]);
        assert!(changes_of_the_database(&before, &before.clone()).is_empty());
        assert_eq!(
            changes_of_the_database(&before, &database("2", &[("cache", "16"), ("sync", "full")])),
            [
                "the version was 1 and is 2 now",
                "the setting cache was 8 and is 16 now",
                "the setting log was on and is not set now",
                "the setting sync was not set and is full now"
            ]
        );
    }
}

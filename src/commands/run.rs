//! `dbdyno run`. Everything that can be refused is refused before anything is done: the target, the size, the tests and
//! the results file are checked first, then data is loaded, then the plan is stored, then the first point is measured.

use super::awr_report::{self, Asked};
use super::context::Context;
use super::cores;
use super::default_target;
use super::fleet::{self, FLEET};
use super::measuring::{Ready, TABLES, new_run};
use super::resolved_run::{self, ResolvedRun};
use super::script::Script;
use super::tool::tool;
use super::watch::Watch;
use super::{dry_run, searches, settings, verdict, workloads};
use crate::cli::{ENGINE_DEFAULT, RunArgs};
use crate::error::Error;
use crate::output::{self, shell_word};
use crate::progress::Verbosity;
use crate::signals;
use dbdyno_engine::Sampling;
use dbdyno_model::{CommitMode, Drive};
use dbdyno_results::{FileAccess, Repository};
use dbdyno_run::LoadRequest;
use dbdyno_workload::{DataSpec, Workload};

pub(super) fn run(args: &RunArgs, context: &Context) -> Result<(), Error> {
    let asked = args.work.what.join(" ");
    let args = &workloads::with_suite(args, &context.catalogue)?;
    let wished = &args.target;
    if let Some(file) = &args.watch.requirements {
        // A bad file is refused before anything is loaded.
        verdict::requirements(file, context)?;
    }
    let workload = resolved_run::workload(args, context)?;
    let settings = settings::of_run(args, workload)?;
    let (doing, then) = match args.dry_run {
        true => (format!("{asked} would be measured on"), format!("dbdyno run {asked}")),
        false => (format!("measuring {asked} on"), "dbdyno report last".to_owned()),
    };
    let url = default_target::url(wished, &doing, &then, context)?;
    let held = cores::asked(args, &url)?;
    let reports = args.awr_report.as_deref().map(Asked::by_option).or_else(|| Asked::by_settings(&settings));
    let reports = awr_report::folder(reports, &url, context)?;
    let mut resolved = ResolvedRun::of((args, workload), (&url, held.as_ref()), settings, context)?;
    if workload.is_some() {
        // The workload may have been named by a suite.
        resolved.plan.suite = asked;
    }
    if let Some(held) = &held {
        held.spread(&mut resolved.plan, resolved.settings.users_per_unit);
    }
    // Before the results file is made: a refused command leaves nothing behind.
    resolved.refuse_unloaded(args)?;
    if args.dry_run {
        let load = resolved.load(args);
        return dry_run::show(&resolved.place, &resolved.plan, load, args.shown.format(), context);
    }
    // What stands in the way of a fleet is refused before anything is loaded. A server that is started again does not
    // answer meanwhile.
    let stop = signals::stop(held.is_none().then_some(&resolved.place.engine), args.max_duration)?;
    let coordinator = fleet::coordinator(&args.shared, Some(resolved.place.engine.as_ref()), &stop, context)?;
    let script = resolved.settings.script.as_deref().map(Script::at).transpose()?;
    let mut repository = Repository::open(&context.results, FileAccess::ReadWrite)?;
    let again = again(args, resolved.workload.as_ref().map(|of| (of.workload, &of.spec)));

    let workload = resolved.workload.take();
    let mut plan = resolved.plan.clone();
    let (place, load) = (&resolved.place, resolved.load(args));
    let mut ready = Ready::make(place, workload, load, (stop, args.work.max_jobs), context)?;
    (ready.reports, ready.script, ready.fleet) = (reports, script, coordinator);
    ready.fleet_options = args.shared.again();
    ready.sampling = if args.work.no_sampling { Sampling::Off } else { Sampling::On };
    let places: Vec<usize> = (0..plan.points.len()).collect();
    let tables = ready.inspect_tables(&plan, &places)?;

    let run = new_run(args.label.as_ref(), &plan, place.target.to_string())?;
    let mut database = place.engine.describe().map_err(place.failed("describing"))?;
    database.facts.insert(TABLES.to_owned(), tables);
    if let Some(words) = searches::in_words(&plan).filter(|_| context.verbosity == Verbosity::Normal) {
        output::note(words);
    }
    ready.watch = Watch::of_run(&args.watch, (&run, &plan), &database, ready.stop(), context)?;
    if let Some(coordinator) = &ready.fleet {
        database.facts.insert(FLEET.to_owned(), fleet::in_words(&args.shared, coordinator));
        database.facts.extend(fleet::hosts_in_words(coordinator));
        let is_sampled = !args.work.no_sampling;
        fleet::join(coordinator, place, &args.shared, (&run.id, &plan), is_sampled, (&ready.stop(), context))?;
    }
    ready.call_before()?;
    repository.begin_run(&run, &plan, &place.platform(), &database, Some(&tool()))?;
    match held {
        None => ready.measure(&mut repository, &run.id, &mut plan, &places, Some(&again), args.shown.format()),
        Some(held) => held.measure((ready, place), (&mut repository, &run.id, &mut plan), &again, args, context),
    }
}

/// The arguments that decide what is measured, so that they can be repeated.
fn again(args: &RunArgs, data: Option<(&dyn Workload, &DataSpec)>) -> String {
    let mut words: Vec<String> = args.work.what.iter().map(|w| shell_word(w)).collect();
    let mut option = |name: &str, value: Option<String>| words.extend(value.map(|v| format!("{name} {v}")));
    option("--ramp", args.work.ramp.as_ref().map(ToString::to_string));
    option("--users", args.work.users.as_ref().map(ToString::to_string));
    option("--cores", args.cores.cores.as_ref().map(ToString::to_string));
    option("--schemas-per-core", args.cores.schemas_per_core.map(|n| n.to_string()));
    option("--cache-per-core", args.cores.cache_per_core.map(|bytes| format!("{}MiB", bytes as f64 / 1_048_576.0)));
    option("--schemas", args.work.schemas.as_ref().map(ToString::to_string));
    let scale = data.filter(|(of, _)| of.about().unit.is_none()).map(|(_, data)| data.scale);
    option("--scale", scale.map(|scale| scale.to_string()));
    option("--conf", args.work.settings.conf.as_ref().map(|path| shell_word(&path.display().to_string())));
    let set: Vec<String> = args.work.settings.set.iter().map(|set| shell_word(set)).collect();
    option("--set", (!set.is_empty()).then(|| set.join(" --set ")));
    option("--update-pct", args.work.settings.update_pct.clone());
    let seed = data.map(|(_, data)| data.seed).filter(|seed| *seed != LoadRequest::DEFAULT_SEED);
    option("--seed", seed.map(|seed| seed.to_string()));
    option("--nodes", args.work.nodes.map(|n| n.to_string()));
    option("--jobs", args.work.jobs.map(|n| n.to_string()));
    option("--threads", args.work.threads.map(|n| n.to_string()));
    option("--max-jobs", args.work.max_jobs.map(|n| n.to_string()));
    option("--duration", args.work.duration.map(|s| format!("{s}s")));
    option("--commit", (args.work.commit == CommitMode::EngineDefault).then(|| ENGINE_DEFAULT.to_owned()));
    let client = &args.work.client;
    let drive = client.drive.filter(|drive| *drive != Drive::Server || data.is_some());
    option("--drive", drive.map(|drive| drive.name().to_owned()));
    option("--rate", client.rate.as_ref().map(ToString::to_string));
    option("--arrivals", client.arrivals.map(|arrivals| arrivals.name().to_owned()));
    option("--think", client.think.as_ref().map(ToString::to_string));
    option("--mix", client.mix.as_ref().map(ToString::to_string));
    option("--pause", client.pause.as_ref().map(ToString::to_string));
    option("--logon", client.logon.filter(|logon| !logon.is_kept()).map(|logon| logon.name().to_owned()));
    option("--queue", client.queue.map(|queue| queue.name().to_owned()));
    option("--connections", client.connections.map(|n| n.to_string()));
    option("--follow", client.follow.map(|follow| if follow { "yes" } else { "no" }.to_owned()));
    words.extend(args.search.until_saturated.then(|| "--until-saturated".to_owned()));
    let limits: Vec<String> = args.search.until.iter().map(ToString::to_string).collect();
    words.extend((!limits.is_empty()).then(|| format!("--until {}", shell_word(&limits.join(",")))));
    words.extend(args.allow_scripts.then(|| "--allow-scripts".to_owned()));
    words.extend(args.work.no_sampling.then(|| "--no-sampling".to_owned()));
    words.join(" ") + &args.shared.again()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;
    use dbdyno_model::Scale;

    #[test]
    fn what_was_typed_can_be_typed_again() {
        let line = "dbdyno run T611 T7* --target null: --ramp 1,2 --duration 500ms --jobs 2 --commit engine_default";
        let Command::Run(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else { panic!("{line}") };
        assert_eq!(again(&args, None), "T611 'T7*' --ramp 1,2 --jobs 2 --duration 0.5s --commit engine_default");
        let line = "dbdyno run T7* --target null: --drive client --rate 10%..30% --arrivals constant --queue session --follow no";
        let Command::Run(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else { panic!("{line}") };
        assert_eq!(
            again(&args, None),
            "'T7*' --drive client --rate 10%,20%,30% --arrivals constant --queue session --follow no"
        );
        let line = "dbdyno run T611 --target null: --drive client --think 5ms..10ms";
        let Command::Run(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else { panic!("{line}") };
        assert_eq!(again(&args, None), "T611 --drive client --think 5ms..10ms");
        let tpcb = dbdyno_workload::workload("tpcb").unwrap();
        let line = "dbdyno run tpcb --target null: --users 1,2 --drive server";
        let Command::Run(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else { panic!("{line}") };
        assert_eq!(
            again(&args, Some((tpcb, &DataSpec::new(Scale::units(3), 7)))),
            "tpcb --users 1,2 --scale 3 --seed 7 --drive server"
        );
        let line = "dbdyno run tpcb --target null: --users 4 --until p99<5ms,errors<0.1%";
        let Command::Run(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else { panic!("{line}") };
        assert_eq!(
            again(&args, Some((tpcb, &DataSpec::new(Scale::units(3), 42)))),
            "tpcb --users 4 --scale 3 --until 'p99<5ms,errors<0.1%'"
        );
        let line = "dbdyno run order-entry --target null: --users 4 --mix default,SRQ=2 --pause 5ms";
        let Command::Run(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else { panic!("{line}") };
        assert_eq!(
            again(&args, Some((tpcb, &DataSpec::new(Scale::ONE, 7)))),
            "order-entry --users 4 --scale 1 --seed 7 --mix default,SRQ=2 --pause 5ms"
        );
        let line = "dbdyno run slob --target null: --cores 1,2 --cache-per-core 48MiB --conf a.conf --set WORK_UNIT=8 --allow-scripts";
        let Command::Run(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else { panic!("{line}") };
        let slob = dbdyno_workload::workload("slob").unwrap();
        assert_eq!(
            again(&args, Some((slob, &slob.data_by_default()))),
            "slob --cores 1,2 --cache-per-core 48MiB --conf a.conf --set WORK_UNIT=8 --allow-scripts"
        );
        let line = "dbdyno run quick --target null:";
        let Command::Run(args) = Cli::try_parse_from(line.split(' ')).unwrap().command else { panic!("{line}") };
        assert_eq!(again(&args, None), "quick");
    }
}

//! `dbdyno orion`: measures the storage below a database. Everything that can be refused is refused before anything is
//! written: flags, devices and consent are checked first, then test files are created, then the plan is stored, then
//! I/O begins.

mod reference;

use super::context::Context;
use super::fleet;
use super::measuring::{new_run, show_ended, status_line};
use super::named_runs;
use super::readings::{self, Beside};
use super::tool::tool;
use crate::cli::{OrionArgs, orion_command_line};
use crate::error::Error;
use crate::output;
use crate::progress::{Progress, Verbosity};
use crate::signals;
use dbdyno_fleet::{Coordinator, StorageRun};
use dbdyno_model::{Database, RunJson};
use dbdyno_report::{Reported, texts};
use dbdyno_results::{FileAccess, Repository};
use dbdyno_run::{
    Event, Events, Fleet as _, RunReadings, Runner, StopSwitch, StorageContext, StorageHosts, StorageMeasurer,
    storage_plan,
};
use dbdyno_storage::create::{self, Created, TestFiles};
use dbdyno_storage::orion::files::OrionFiles;
use dbdyno_storage::orion::{OrionSettings, lun_paths};
use dbdyno_storage::safety::{Consent, may_write_all};
use dbdyno_storage::{LunAccess, Luns, provable};
use reference::Reference;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Checks flags, as far as that is possible without looking at files.
///
/// # Errors
/// They contradict each other.
pub(super) fn check(args: &OrionArgs) -> Result<(), Error> {
    let typed = args.typed();
    // The reference finds its own flags.
    if !typed.reference && !typed.files.is_empty() {
        OrionSettings::resolve(&typed, &lun_paths(&typed)?)?;
    }
    Ok(())
}

pub(super) fn orion(args: &OrionArgs, context: &Context) -> Result<(), Error> {
    let mut typed = args.typed();
    let mut reference = Reference::prepare(&mut typed, context)?;
    let mut settings = OrionSettings::resolve(&typed, &lun_paths(&typed)?)?;
    refuse_too_small(&settings)?;
    if settings.matrix.is_some() {
        OrionFiles::have_folder(&settings.testname)?;
    }
    let there: Vec<PathBuf> = settings.luns.iter().filter(|path| path.exists()).cloned().collect();
    // Reads alone prove nothing on LUNs without known stamps.
    if settings.verify && !settings.writes() {
        provable(there.iter().map(PathBuf::as_path), settings.file_size_bytes.is_some())?;
    }
    // Held until the end of the run, so that nobody can mount a device meanwhile.
    let _held = reference.allow(&mut settings, &there)?;
    // Before anything is written: if the results cannot be written, no test files are needed.
    Repository::can_write(&context.results)?;

    let (stop, progress) = (signals::stop(None, None)?, Progress::new(context.verbosity));
    refuse_unshareable(args, &settings)?;
    let fleet = fleet::coordinator(&args.shared(), None, &stop, context)?;
    let files = create_files(&mut settings, &stop, &progress)?;
    reference.created(&files);
    let access = if settings.writes() { LunAccess::ReadWrite } else { LunAccess::Read };
    let unmarked: Vec<PathBuf> =
        files.iter().filter(|(_, c)| *c == Created::NewUnmarked).map(|(p, _)| p.to_owned()).collect();
    let luns = Luns::open(&settings.luns, access)?.just_stamped(&unmarked);
    settings.notes.extend(unproved(&settings, &luns));
    settings.check_sizes(luns.iter().map(|lun| (lun.path.as_path(), lun.size_bytes)))?;
    // The last check; if it fails, the test files that were just created are removed.
    settings.points.iter().try_for_each(|point| match fleet.is_some() {
        // Each host looks at its own memory.
        true => settings.load(point, 0).fits_on(&luns),
        false => settings.load(point, 0).fits(&luns),
    })?;
    let mut repository = Repository::open(&context.results, FileAccess::ReadWrite)?;
    settings.notes.extend(settings.luns.iter().filter_map(|path| create::holes(path)));
    if context.verbosity == Verbosity::Normal {
        settings.notes.iter().for_each(|note| output::note(&format!("note: {note}")));
    }

    // Other places each time: a copy that was altered since is found out by one of the runs.
    let places = run_seed();
    let mut plan = storage_plan(&settings, settings.seed);
    let paths: Vec<String> = settings.luns.iter().map(|path| path.display().to_string()).collect();
    let run = new_run(args.label.as_ref(), &plan, paths.join(", "))?;
    let platform = dbdyno_probe::inventory(&settings.luns);
    if let Some(fleet) = &fleet {
        let on =
            StorageRun { prints: luns.prints(places)?, seed: places, writes: settings.writes(), sharers: Vec::new() };
        fleet::join_storage(fleet, &run.id, on, (&stop, context))?;
    }
    files.keep();
    repository.begin_run(&run, &plan, &platform, &Database::default(), Some(&tool()))?;
    let stamp = run.started_at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y%m%d_%H%M").to_string();
    let reports = settings.matrix.is_some().then(|| OrionFiles::new(&settings.testname, &stamp));
    let command_line = orion_command_line();
    let clock = fleet.as_ref().map(Coordinator::clock);
    let mut measurer = StorageMeasurer::new(StorageContext {
        settings: &settings,
        luns: &luns,
        catalogue: &context.catalogue,
        files: reports.as_ref(),
        command_line: &command_line,
        stop: &stop,
        hosts: fleet.as_ref().zip(clock.as_ref()).map(|(fleet, clock)| StorageHosts { fleet, clock }),
    });
    let indexes: Vec<usize> = (0..plan.points.len()).collect();
    let readings = RunReadings::default();
    let mut runner = Runner {
        measurer: &mut measurer,
        catalogue: &context.catalogue,
        repository: &mut repository,
        run: &run.id,
        plan: &mut plan,
        stop: &stop,
        events: &progress,
        readings: &readings,
    };
    let beside = Beside { readings: &readings, events: &progress, stop: &stop, stop_if: &[] };
    let is_here = fleet.as_ref().is_none_or(|fleet| fleet.members().iter().all(|member| member.pid_here.is_some()));
    let measured = readings::beside_storage(&beside, &settings.luns, is_here, || runner.measure_all(&indexes));
    progress.finish();
    if let Err(error) = repository.store_readings(&run.id, &readings.keeper) {
        output::complain(&format!("the last readings of the run are not kept: {error}"));
    }
    let run = named_runs::load(&repository, &run.id, context)?;
    let mut line = status_line(&run, &plan, context);
    if let Some(files) = &reports {
        _ = write!(line, ", and in {}_*", files.prefix());
    }
    let page = || {
        // ORION's own reports have its key metrics.
        let names: &[&str] = if reports.is_none() { &["storage", "summary"] } else { &["storage"] };
        let page = texts(names, &Reported::of(run.clone()), &context.catalogue, output::width());
        // Lines for scripts that read ORION's output are at the end, as in ORION.
        let bests: String = measurer.bests().iter().map(|line| format!("\n{line}")).collect();
        format!("{page}\n{line}\n\n{}{bests}{}", next(&run, context), if bests.is_empty() { "" } else { "\n" })
    };
    show_ended((&run, &plan), measured, (&line, ""), page, args.shown.format(), context)
}

/// Next steps for the reader.
fn next(run: &RunJson, context: &Context) -> String {
    let (id, place) = (&run.run.id, &context.same_files);
    format!(
        "What next:\n  dbdyno show {id}{place}\n      this again; --json has small and large, reads and writes apart\n  \
         dbdyno report {id}{place}\n      the same as a page with curves\n"
    )
}

/// What `--verify` cannot check.
fn unproved(settings: &OrionSettings, luns: &Luns) -> Vec<String> {
    let unstamped = luns.iter().filter(|lun| settings.verify && !lun.is_stamped());
    let path = unstamped.map(|lun| lun.path.display());
    path.map(|path| {
        format!("{path} was never stamped throughout: of it --verify proves only what a run itself has written")
    })
    .collect()
}

/// Something else each time.
fn run_seed() -> u64 {
    jiff::Timestamp::now().as_nanosecond() as u64
}

/// What is told of each must fit into a message to an agent.
const MOST_SHARED: usize = 500;

/// What several hosts cannot do together.
fn refuse_unshareable(args: &OrionArgs, settings: &OrionSettings) -> Result<(), Error> {
    let why = match settings.run {
        _ if args.fleet.is_none() => return Ok(()),
        None => "a reference is what one host gets of its storage: --reference takes a run without --fleet",
        Some(_) if settings.verify && settings.writes() => {
            "one host cannot tell what another has written: --verify beside -write takes a run without --fleet"
        }
        Some(_) if settings.luns.len() > MOST_SHARED => "hosts share 500 devices and files at most: name fewer",
        Some(_) => return Ok(()),
    };
    Err(Error::Usage(why.to_owned()))
}

/// Files that will be created must have room for an I/O, too.
fn refuse_too_small(settings: &OrionSettings) -> Result<(), Error> {
    let Some(size_bytes) = settings.file_size_bytes else { return Ok(()) };
    let new = settings.luns.iter().filter(|path| !path.exists());
    Ok(settings.check_sizes(new.map(|path| (path.as_path(), size_bytes)))?)
}

/// Creates the requested test files. A file that was just created may be written to, even if its file system supports
/// no marks.
fn create_files(settings: &mut OrionSettings, stop: &StopSwitch, progress: &Progress) -> Result<TestFiles, Error> {
    const MIB: u64 = 1 << 20;
    let Some(size_bytes) = settings.file_size_bytes else { return Ok(TestFiles::default()) };
    let mut written = |path: &Path, bytes: u64| {
        let what = format!("creating {}, MiB", path.display());
        progress.on(&Event::Loading { what: &what, rows: bytes / MIB, of: (size_bytes / MIB).max(1) });
    };
    let files = create::create(&settings.luns, size_bytes, stop.switch(), &mut written)?;
    progress.finish();
    let unmarked = files.iter().filter(|(_, created)| *created == Created::NewUnmarked);
    settings.destroy_data.extend(unmarked.map(|(path, _)| path.to_owned()));
    if settings.writes() {
        let consent = Consent { destroy: &settings.destroy_data, really: settings.really, sharers: &[] };
        may_write_all(&settings.luns, consent)?;
    }
    Ok(files)
}

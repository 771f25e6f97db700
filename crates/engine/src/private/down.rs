//! Stopping an instance, and removing its data unless it is to be kept.

use super::home::{InstanceFolder, remove_folder};
use super::lock::Lock;
use super::{Home, Instance, Stage, cgroup, ours, socket};
use crate::servers::{
    Account, DataFolder, Kin, Process, Product, Server, ServerError, Watch, end_at_once, end_in_order, has_stopped,
    wait_until, working_in,
};
use dbdyno_model::ErrorClass;
use std::path::Path;
use std::time::Duration;

/// How long a server may take to write its cache to its files.
const ORDERLY: Duration = Duration::from_secs(600);
/// How long it may take when its files are removed anyway.
const BEFORE_REMOVAL: Duration = Duration::from_secs(10);
/// How long it may take to end at once.
const AT_ONCE: Duration = Duration::from_secs(10);

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Down {
    /// What there was; `None` where nothing was recorded.
    pub instance: Option<Instance>,
    /// Whether its server ran.
    pub stopped: bool,
    /// Whether there is data for the next start.
    pub kept: bool,
    /// Whether data was removed.
    pub removed: bool,
    /// Whether there was a standby, which is never kept.
    pub standby: bool,
}

/// Stops an engine's instance and removes its data, unless it is kept: because `keep` says so, or else because the
/// instance was marked when it was started.
///
/// # Errors
/// It does not stop, or something cannot be removed.
pub fn down(home: &Home, product: &dyn Product, keep: Option<bool>, watch: &dyn Watch) -> Result<Down, ServerError> {
    let instance_folder = home.instance_folder(product.about().engine)?;
    if !instance_folder.path.exists() && !instance_folder.standby().path.exists() {
        return Ok(Down::default());
    }
    let lock = Lock::take_at_home(&instance_folder, product, watch)?;
    let done = remove_standby(&instance_folder, product, watch).and_then(|standby| {
        let done = stop_and_remove(&instance_folder, product, keep, watch)?;
        Ok(Down { standby, ..done })
    });
    instance_folder.tidy();
    drop(lock);
    done
}

/// Stops and removes the standby of an instance, whose lock is held; says whether there was one.
pub(super) fn remove_standby(
    instance_folder: &InstanceFolder,
    product: &dyn Product,
    watch: &dyn Watch,
) -> Result<bool, ServerError> {
    let folder = instance_folder.standby();
    if !folder.path.exists() {
        return Ok(false);
    }
    let lock = Lock::take_at_home(&folder, product, watch)?;
    let done = stop_and_remove(&folder, product, Some(false), watch);
    folder.tidy();
    drop(lock);
    Ok(done?.removed)
}

/// Kills the server of an instance: its main process, and then all others. Its data and its record stay as they are,
/// and need not be readable. Nothing is done where it does not run.
///
/// # Errors
/// The process that was recorded does not work for this instance, or does not end.
pub fn kill(instance: &Instance, product: &dyn Product) -> Result<(), ServerError> {
    let Some(process) = proved(instance, product)? else { return Ok(()) };
    let (place, log, account) = (instance.place(), instance.log.clone(), Account::choose(&[&instance.user])?);
    Server { product, place, account, log, environment: Vec::new() }.kill(process);
    match process.lives() {
        true => {
            Err(ServerError::failed(ErrorClass::Timeout, format!("process {} does not end when killed", process.pid)))
        }
        false => Ok(()),
    }
}

/// The main process of an instance that runs.
///
/// # Errors
/// The process that was recorded does not work for this instance.
fn proved<'i>(instance: &'i Instance, product: &dyn Product) -> Result<Option<&'i Process>, ServerError> {
    // One that is ending does not show what it is for a moment.
    const PASSES: Duration = Duration::from_secs(10);
    let Some(process) = instance.process.as_ref().filter(|process| process.lives()) else { return Ok(None) };
    let kin = kin(instance, product);
    let started = || kin.as_ref().is_some_and(|kin| kin.started(process, &instance.data));
    if !wait_until(PASSES, &|| !process.lives(), started) && process.lives() {
        let (pid, data) = (process.pid, instance.data.display());
        return Err(ServerError::Refused(format!("process {pid} does not work for {data}, so it is left alone")));
    }
    Ok(Some(process))
}

/// Stops every process of an instance's server where it is (SIGSTOP): from then on it acknowledges nothing.
///
/// # Errors
/// It does not run, the process that was recorded does not work for this instance, or one of them goes on.
pub fn hold(instance: &Instance, product: &dyn Product) -> Result<(), ServerError> {
    let failed = |why| ServerError::failed(ErrorClass::Other, why);
    let process = proved(instance, product)?.ok_or_else(|| failed("it does not run any more"))?;
    let held = kin(instance, product).is_some_and(|kin| kin.hold_in(&instance.data));
    // That the main one was found among them is not taken for granted.
    match held && process.lives() && has_stopped(process.pid) {
        true => Ok(()),
        false => Err(failed("its processes do not stop")),
    }
}

pub(super) fn stop_and_remove(
    instance_folder: &InstanceFolder,
    product: &dyn Product,
    keep: Option<bool>,
    watch: &dyn Watch,
) -> Result<Down, ServerError> {
    let recorded = Instance::read(instance_folder)?;
    let data = instance_folder.data();
    ours::refuse_foreign(instance_folder, product, recorded.as_ref())?;
    refuse_strangers(instance_folder, product, recorded.as_ref())?;
    let keep = keep.unwrap_or(recorded.as_ref().is_some_and(|i| i.keep)) && data.is_dir();
    let mut stopped = false;
    if let Some(instance) = &recorded {
        stopped = instance.lives() && instance.stage != Stage::Making;
        if stopped {
            watch.note(&format!("stopping the private {} (process {})", instance.which(), instance.pid()));
        }
        stop(instance, instance_folder, product, if keep { ORDERLY } else { BEFORE_REMOVAL }, keep, watch)?;
    }
    if let Some(kin) = recorded.as_ref().and_then(|instance| kin(instance, product)) {
        kin.end_in(&data);
    }
    clear_traces(instance_folder, recorded.as_ref())?;
    remove_folder(&instance_folder.making())?;
    let had_data = data.is_dir();
    if keep {
        if let Some(instance) = &recorded {
            Instance { stage: Stage::Stopped, process: None, cgroups: Vec::new(), standby: None, ..instance.clone() }
                .write(instance_folder)?;
        }
    } else {
        remove_data(instance_folder)?;
    }
    Ok(Down { instance: recorded, stopped, kept: keep, removed: had_data && !keep, standby: false })
}

/// Refuses a data folder in which a server works that dbdyno did not start.
pub(super) fn refuse_strangers(
    instance_folder: &InstanceFolder,
    product: &dyn Product,
    recorded: Option<&Instance>,
) -> Result<(), ServerError> {
    let data = instance_folder.data();
    let noted = DataFolder::open(&data).ok().and_then(|folder| product.noted_pid(&folder));
    let stranger = working_in(&data).into_iter().find(|process| {
        noted == Some(process.pid) && recorded.is_none_or(|instance| instance.process.as_ref() != Some(process))
    });
    match stranger {
        Some(Process { pid, .. }) => Err(ServerError::Refused(format!(
            "process {pid} works on {}, but was not started by `dbdyno up`; stop it first: kill {pid}",
            data.display()
        ))),
        None => Ok(()),
    }
}

/// Stops what an instance runs: its server in good order within `patience`, what makes its data at once.
pub(super) fn stop(
    instance: &Instance,
    instance_folder: &InstanceFolder,
    product: &dyn Product,
    patience: Duration,
    keep: bool,
    watch: &dyn Watch,
) -> Result<(), ServerError> {
    let Some(process) = instance.process.as_ref().filter(|p| p.lives()) else { return Ok(()) };
    refuse_unproved(instance, process, instance_folder, product)?;
    if !process.lives() {
        return Ok(());
    }
    if instance.stage == Stage::Making {
        process.kill_group();
        process.ended_within(AT_ONCE, &|| false);
        return Ok(());
    }
    if end_in_order(product, process, patience, watch) {
        return Ok(());
    }
    if keep {
        let (which, pid) = (instance.which(), process.pid);
        let why = if watch.cancelled() { "interrupted" } else { "it takes very long" };
        return Err(ServerError::failed(
            if watch.cancelled() { ErrorClass::Cancelled } else { ErrorClass::Timeout },
            format!(
                "{why}; the private {which} (process {pid}) still writes its cache to its files, then ends; the same command waits again"
            ),
        ));
    }
    if end_at_once(product, process) {
        return Ok(());
    }
    let which = instance.which();
    let text = format!(
        "process {} of the private {which} does not end, even when killed; it may wait for a device: run `dbdyno down {}` again later",
        process.pid,
        which.arguments()
    );
    Err(ServerError::failed(ErrorClass::Timeout, text))
}

/// What an instance's server may have left behind.
pub(super) fn kin(instance: &Instance, product: &dyn Product) -> Option<Kin> {
    let account = Account::choose(&[&instance.user]).ok()?;
    Some(Kin::of(product, &instance.place(), account.uid()))
}

/// Refuses to signal a process that a record names and that is not at work for its data: the record is damaged, or
/// forged.
fn refuse_unproved(
    instance: &Instance,
    process: &Process,
    instance_folder: &InstanceFolder,
    product: &dyn Product,
) -> Result<(), ServerError> {
    // A process that is about to become another program, or to end, does not show what it is for a moment.
    const PASSES: Duration = Duration::from_secs(2);
    let folder = if instance.stage == Stage::Making { instance_folder.making() } else { instance_folder.data() };
    let kin = kin(instance, product);
    let started = || kin.as_ref().is_some_and(|kin| kin.started(process, &folder));
    if wait_until(PASSES, &|| !process.lives(), started) || !process.lives() {
        return Ok(());
    }
    let (pid, record) = (process.pid, instance_folder.record());
    Err(ServerError::Refused(format!(
        "process {pid}, which {0} names, does not work for {1}, so it is left alone, and nothing was done; if no server of this instance \
         runs any more, remove {0}",
        record.display(),
        folder.display()
    )))
}

/// Removes what an instance had besides its data: its control groups and its socket.
pub(super) fn clear_traces(instance_folder: &InstanceFolder, instance: Option<&Instance>) -> Result<(), ServerError> {
    instance.into_iter().flat_map(|instance| &instance.cgroups).for_each(|group| cgroup::remove(group));
    remove_folder(&instance_folder.run())?;
    let Some(instance) = instance else { return Ok(()) };
    let owner = Account::choose(&[&instance.user]).ok().map(|account| account.uid());
    socket::remove_short_folder(&instance.socket_folder, owner)
}

/// Removes the data and all that is known of it. The data loses its name first, so that what is half removed is never
/// taken for whole.
pub(super) fn remove_data(instance_folder: &InstanceFolder) -> Result<(), ServerError> {
    let (data, removing) = (instance_folder.data(), instance_folder.removing());
    remove_folder(&removing)?;
    if data.is_dir() {
        std::fs::rename(&data, &removing).map_err(|e| ServerError::io("rename", &data, &e))?;
    }
    Instance::remove(instance_folder)?;
    remove_folder(&removing)?;
    remove_file(&instance_folder.log())?;
    remove_file(&instance_folder.record().with_extension("json.new"))
}

fn remove_file(path: &Path) -> Result<(), ServerError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(ServerError::io("remove", path, &error)),
        _ => Ok(()),
    }
}

//! Stopping an instance, and removing its data unless it is to be kept.

use super::account::Account;
use super::data_folder::DataFolder;
use super::home::{Site, remove_folder};
use super::lock::Lock;
use super::process::{Kin, Process, working_in};
use super::product::Product;
use super::watch::Watch;
use super::{Home, Instance, PrivateError, Stage, cgroup, socket};
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Down {
    /// What there was; `None` where nothing was recorded.
    pub instance: Option<Instance>,
    /// Whether its server ran.
    pub stopped: bool,
    /// Whether there is data for the next start.
    pub kept: bool,
    /// Whether data was removed.
    pub removed: bool,
}

/// Stops an engine's instance and removes its data, unless it is kept: because `keep` says so, or else because the
/// instance was marked when it was started.
///
/// # Errors
/// It does not stop, or something cannot be removed.
pub fn down(home: &Home, product: &dyn Product, keep: Option<bool>, watch: &dyn Watch) -> Result<Down, PrivateError> {
    let site = home.site(product.engine());
    let nothing = Down { instance: None, stopped: false, kept: false, removed: false };
    if !site.folder.exists() {
        return Ok(nothing);
    }
    refuse_open(product.users(), &site)?;
    let lock = Lock::take(&site, watch)?;
    let done = stop_and_remove(&site, product, keep, watch);
    site.tidy();
    drop(lock);
    done
}

fn stop_and_remove(
    site: &Site,
    product: &dyn Product,
    keep: Option<bool>,
    watch: &dyn Watch,
) -> Result<Down, PrivateError> {
    let recorded = Instance::read(site)?;
    let data = site.data();
    if let Some(instance) = &recorded {
        refuse_open(&[&instance.user], site)?;
    }
    refuse_strangers(site, product, recorded.as_ref())?;
    let keep = keep.unwrap_or(recorded.as_ref().is_some_and(|i| i.keep)) && data.is_dir();
    let mut stopped = false;
    if let Some(instance) = &recorded {
        stopped = instance.lives() && instance.stage != Stage::Making;
        if stopped {
            watch.note(&format!("stopping the private {} (process {})", instance.engine, instance.pid()));
        }
        stop(instance, product, if keep { ORDERLY } else { BEFORE_REMOVAL }, keep, watch)?;
    }
    if let Some(kin) = recorded.as_ref().and_then(|i| Kin::of(i, product)) {
        kin.end_in(&data);
    }
    clear_traces(site, recorded.as_ref())?;
    remove_folder(&site.making())?;
    let had_data = data.is_dir();
    if keep {
        if let Some(instance) = &recorded {
            Instance { stage: Stage::Stopped, process: None, cgroup: None, ..instance.clone() }.write(site)?;
        }
    } else {
        remove_data(site)?;
    }
    Ok(Down { instance: recorded, stopped, kept: keep, removed: had_data && !keep })
}

/// Refuses a place that the server's user could change under root's hands; one that has no such user any more is removed.
fn refuse_open(users: &[&str], site: &Site) -> Result<(), PrivateError> {
    Account::choose(users).map_or(Ok(()), |account| account.refuse_open(&site.folder))
}

/// Refuses a data folder in which a server works that dbdyno did not start.
pub(super) fn refuse_strangers(
    site: &Site,
    product: &dyn Product,
    recorded: Option<&Instance>,
) -> Result<(), PrivateError> {
    let data = site.data();
    let noted = DataFolder::open(&data).ok().and_then(|folder| product.noted_pid(&folder));
    let stranger = working_in(&data).into_iter().find(|process| {
        noted == Some(process.pid) && recorded.is_none_or(|instance| instance.process.as_ref() != Some(process))
    });
    match stranger {
        Some(Process { pid, .. }) => Err(PrivateError::Refused(format!(
            "process {pid} works on {}, but was not started by `dbdyno up`; stop it first: kill {pid}",
            data.display()
        ))),
        None => Ok(()),
    }
}

/// Stops what an instance runs: its server in good order within `patience`, what makes its data at once.
pub(super) fn stop(
    instance: &Instance,
    product: &dyn Product,
    patience: Duration,
    keep: bool,
    watch: &dyn Watch,
) -> Result<(), PrivateError> {
    let Some(process) = instance.process.as_ref().filter(|p| p.lives()) else { return Ok(()) };
    let interrupted = || watch.cancelled();
    if instance.stage == Stage::Making {
        process.kill_group();
        process.ended_within(AT_ONCE, &|| false);
        return Ok(());
    }
    process.signal(product.stop_signal());
    if process.stands_still() {
        watch.note(&format!(
            "process {} stands still, as after kill -STOP: it is let go on, so that it can end",
            process.pid
        ));
        process.let_go_on();
    }
    if process.ended_within(patience, &interrupted) {
        return Ok(());
    }
    if keep {
        let (engine, pid) = (&instance.engine, process.pid);
        let why = if watch.cancelled() { "interrupted" } else { "it takes very long" };
        return Err(PrivateError::failed(
            if watch.cancelled() { ErrorClass::Cancelled } else { ErrorClass::Timeout },
            format!(
                "{why}; the private {engine} (process {pid}) still writes its cache to its files, then ends; the same command waits again"
            ),
        ));
    }
    process.signal(product.abort_signal());
    if !process.ended_within(AT_ONCE, &|| false) {
        process.signal(rustix::process::Signal::KILL);
    }
    if process.ended_within(AT_ONCE, &|| false) {
        return Ok(());
    }
    let text = format!("process {} of the private {} does not end, even when killed", process.pid, instance.engine);
    Err(PrivateError::failed(ErrorClass::Timeout, text))
}

/// Removes what an instance had besides its data: its control group and its socket.
pub(super) fn clear_traces(site: &Site, instance: Option<&Instance>) -> Result<(), PrivateError> {
    if let Some(group) = instance.and_then(|i| i.cgroup.as_deref()) {
        cgroup::remove(group);
    }
    remove_folder(&site.run())?;
    match instance.map(|i| i.socket_folder.as_path()) {
        Some(folder) if socket::is_short_folder(folder) => remove_folder(folder),
        _ => Ok(()),
    }
}

/// Removes the data and all that is known of it. The data loses its name first, so that what is half removed is never
/// taken for whole.
fn remove_data(site: &Site) -> Result<(), PrivateError> {
    let (data, removing) = (site.data(), site.removing());
    remove_folder(&removing)?;
    if data.is_dir() {
        std::fs::rename(&data, &removing).map_err(|e| PrivateError::io("rename", &data, &e))?;
    }
    Instance::forget(site)?;
    remove_folder(&removing)?;
    remove_file(&site.log())?;
    remove_file(&site.record().with_extension("json.new"))
}

fn remove_file(path: &Path) -> Result<(), PrivateError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(PrivateError::io("remove", path, &error)),
        _ => Ok(()),
    }
}

//! Promoting a standby in the place of its primary, which has been killed. The primary is fenced first: its data is
//! removed, so that nothing can start it again. The standby goes on where it is, until it is stopped and its data takes
//! the primary's place.

use super::down::{clear_traces, remove_data, stop};
use super::home::InstanceFolder;
use super::lock::Lock;
use super::pair::replication;
use super::{Home, Instance, PrivateServer, Stage};
use crate::servers::{Product, ServerError, Watch};
use std::time::Duration;

/// How long a promoted server may take to write its cache to its files.
const ORDERLY: Duration = Duration::from_secs(600);

/// Fences the primary, whose server has ended, and promotes its standby.
///
/// # Errors
/// The primary still runs, there is no standby, or it is not promoted.
pub fn promote(home: &Home, product: &dyn Product, watch: &dyn Watch) -> Result<PrivateServer, ServerError> {
    let (folder, standby) = folders(home, product)?;
    let _locks = (Lock::take(&folder, watch)?, Lock::take(&standby, watch)?);
    let primary = read(&folder)?;
    let Some(kind) = primary.standby else { return Err(missing(&folder)) };
    if primary.lives() {
        let which = primary.which();
        return Err(ServerError::Refused(format!("the private {which} still runs, and is not to run beside another")));
    }
    let instance = read(&standby)?;
    remove_data(&folder)?;
    clear_traces(&folder, Some(&primary))?;
    replication(product, kind)?.promote(&instance.place()).map_err(ServerError::Failed)?;
    PrivateServer::of(instance, product, None)
}

/// The standby of an instance, as a server of its own.
///
/// # Errors
/// There is none.
pub fn standby(home: &Home, product: &dyn Product) -> Result<PrivateServer, ServerError> {
    PrivateServer::of(read(&folders(home, product)?.1)?, product, None)
}

/// Stops a promoted standby and gives its data the primary's place, for the next start.
///
/// # Errors
/// It does not stop, or its data cannot be renamed.
pub fn take_place(home: &Home, product: &dyn Product, watch: &dyn Watch) -> Result<(), ServerError> {
    let (folder, standby) = folders(home, product)?;
    let _locks = (Lock::take(&folder, watch)?, Lock::take(&standby, watch)?);
    let instance = read(&standby)?;
    stop(&instance, &standby, product, ORDERLY, true, watch)?;
    clear_traces(&standby, Some(&instance))?;
    let (from, to) = (standby.data(), folder.data());
    std::fs::rename(&from, &to).map_err(|e| ServerError::io("rename", &from, &e))?;
    let (stage, cgroups) = (Stage::Stopped, Vec::new());
    Instance { stage, process: None, cgroups, data: to, log: folder.log(), ..instance }.write(&folder)?;
    Instance::remove(&standby)
}

fn folders(home: &Home, product: &dyn Product) -> Result<(InstanceFolder, InstanceFolder), ServerError> {
    let folder = home.instance_folder(product.about().engine)?;
    let standby = folder.standby();
    Ok((folder, standby))
}

fn read(folder: &InstanceFolder) -> Result<Instance, ServerError> {
    Instance::read(folder)?.ok_or_else(|| missing(folder))
}

fn missing(folder: &InstanceFolder) -> ServerError {
    ServerError::Refused(format!("there is no standby of the private {}", folder.which))
}

//! Starting a standby beside an instance: a second server of the same product, in a home of its own within the
//! instance's, that replicates from it. It begins as a copy of the data, which is made while no server runs on it; so
//! each start of the instance makes it anew, and nothing of it is ever kept. It counts as there when both servers show
//! that it replicates as it was asked for.

use super::down::{stop, stop_and_remove};
use super::hold::Hold;
use super::home::InstanceFolder;
use super::lock::Lock;
use super::pair::{Pair, StandbyRequest, Through, replication};
use super::up::{CALLED_OFF, UpRequest, Upping};
use super::{Instance, Stage};
use crate::servers::{Account, Found, Link, Replication, ServerError, Setting, Silent, wait_until};
use dbdyno_model::ErrorClass;
use std::cell::RefCell;
use std::time::Duration;

/// How long a standby may take until it replicates as asked.
const REPLICATES: Duration = Duration::from_secs(60);

/// A standby whose data is there, and which is to be started when its primary runs.
pub(super) struct Standby<'a> {
    request: StandbyRequest<'a>,
    replication: &'static dyn Replication,
    folder: InstanceFolder,
    instance: RefCell<Instance>,
    hold: Hold,
    account: Account,
    /// Where the primary is reached.
    link: Link,
    _lock: Lock,
}

impl Upping<'_> {
    /// Copies the data of an instance, which is there and on which no server runs.
    pub(super) fn copied<'s>(
        &self,
        request: StandbyRequest<'s>,
        primary: &Instance,
        (account, programs): (&Account, &Found),
    ) -> Result<Standby<'s>, ServerError> {
        let replication = replication(self.product, request.kind)?;
        let folder = self.instance_folder.standby();
        let lock = Lock::take_at_home(&folder, self.product, self.watch)?;
        let link = replication.link(&primary.place());
        let link = link.map_err(|e| ServerError::io("find a way to", &primary.data, &e))?;
        let of_its_own = UpRequest { standby: None, keep: Some(false), ..*self.request };
        let upping = Upping { instance_folder: &folder, request: &of_its_own, is_standby: true, ..*self };
        let hold = upping.hold()?;
        let mut instance = upping.instance(account, programs, &hold, false);
        if let Err(error) = upping.make_data(&mut instance, account, Some(&primary.data)) {
            hold.groups.remove();
            folder.tidy();
            return Err(error);
        }
        let (instance, account) = (RefCell::new(instance), account.clone());
        Ok(Standby { request, replication, folder, instance, hold, account, link, _lock: lock })
    }

    /// What a server is set to besides: what a standby needs of its primary, or the log that one would read.
    pub(super) fn further(&self, standby: Option<&Standby<'_>>) -> Vec<Setting> {
        if let Some(standby) = standby {
            return standby.replication.of_primary(standby.request.kind, &standby.link);
        }
        let log = self.product.replication().filter(|_| self.request.replication_log).and_then(|r| r.log());
        log.map(|log| log.settings()).unwrap_or_default()
    }

    /// Starts a standby beside its primary, which runs, and waits until it replicates. Where it does not, neither runs
    /// any more, and the data of the primary is there.
    pub(super) fn start_standby(&self, standby: Standby<'_>, primary: &mut Instance) -> Result<(), ServerError> {
        let done = self.replicate(&standby, primary);
        let Err(error) = done else { return Ok(()) };
        self.forget_standby(standby);
        stop(primary, self.instance_folder, self.product, CALLED_OFF, false, &Silent)?;
        *primary = Instance { stage: Stage::Stopped, process: None, standby: None, ..primary.clone() };
        primary.write(self.instance_folder)?;
        let (class, command) = (class(&error), primary.which().arguments());
        Err(ServerError::failed(
            class,
            format!(
                "the standby: {error}; both servers were stopped again; the data is there: dbdyno up {command} starts it, dbdyno down \
                 {command} removes it"
            ),
        ))
    }

    /// Removes a standby that is not to be.
    pub(super) fn forget_standby(&self, standby: Standby<'_>) {
        // Why it is not to be matters more than what is left of it, which the next start removes.
        _ = stop_and_remove(&standby.folder, self.product, Some(false), &Silent);
        standby.hold.groups.remove();
        standby.folder.tidy();
    }

    fn replicate(&self, standby: &Standby<'_>, primary: &Instance) -> Result<(), ServerError> {
        let Standby { request, replication, folder, instance, hold, account, link, .. } = standby;
        let put_between = |through: &dyn Through| through.through(link, account);
        let between = request.through.map_or_else(|| Ok(link.clone()), put_between);
        let link = between.map_err(|e| ServerError::io("put something between it and", &primary.data, &e))?;
        let of_its_own = UpRequest { standby: None, keep: Some(false), ..*self.request };
        let upping = Upping { instance_folder: folder, request: &of_its_own, is_standby: true, ..*self };
        let mut instance = instance.borrow_mut();
        upping.start(&mut instance, account, &hold.groups, &replication.of_standby(request.kind, &link))?;
        let (primary, standby, standby_pid) = (primary.place(), instance.place(), instance.pid());
        replication.follow(&primary, &standby, &link).map_err(ServerError::Failed)?;
        let pair = Pair { replication: *replication, primary, standby, kind: request.kind, standby_pid };
        let as_asked = || pair.observe().kind == Some(request.kind);
        if wait_until(REPLICATES, &|| self.watch.cancelled(), as_asked) {
            return Ok(());
        }
        let class = if self.watch.cancelled() { ErrorClass::Cancelled } else { ErrorClass::Timeout };
        Err(ServerError::failed(class, pair.in_words()))
    }
}

fn class(error: &ServerError) -> ErrorClass {
    match error {
        ServerError::Refused(_) => ErrorClass::Other,
        ServerError::Failed(error) => error.class,
    }
}

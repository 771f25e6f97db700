//! A standby beside an instance: a second server of the same product, in a home of its own within the instance's, that
//! replicates from it. It begins as a copy of the data, which is made while no server runs on it; so each start of the
//! instance makes it anew, and nothing of it is ever kept. It counts as there when both servers show that it
//! replicates as it was asked for.

use super::down::{stop, stop_and_remove};
use super::hold::Hold;
use super::home::InstanceFolder;
use super::lock::Lock;
use super::up::{CALLED_OFF, UpRequest, Upping};
use super::{Instance, Stage};
use crate::servers::{
    Account, Found, Link, Observed, Place, Product, Replication, ServerError, Setting, Silent, StandbyKind, wait_until,
};
use dbdyno_model::ErrorClass;
use std::cell::RefCell;
use std::fmt;
use std::io;
use std::time::Duration;

/// How long a standby may take until it replicates as asked.
const REPLICATES: Duration = Duration::from_secs(60);

/// What a standby is asked to be.
#[derive(Debug, Clone, Copy)]
pub struct StandbyRequest<'a> {
    /// What commits are to wait for.
    pub kind: StandbyKind,
    /// What is put in between.
    pub through: Option<&'a dyn Through>,
}

/// Something between a standby and its primary.
pub trait Through: fmt::Debug {
    /// Is told where the primary will be reached, and which user both servers are; answers where the standby is to go
    /// instead.
    ///
    /// # Errors
    /// It cannot be put in between.
    fn through(&self, link: &Link, account: &Account) -> io::Result<Link>;
}

/// Two servers that replicate.
#[derive(Clone)]
pub struct Pair {
    replication: &'static dyn Replication,
    primary: Place,
    standby: Place,
    /// What was asked for.
    pub kind: StandbyKind,
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("kind", &self.kind).field("standby", &self.standby).finish_non_exhaustive()
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        (&self.primary, &self.standby, self.kind) == (&other.primary, &other.standby, other.kind)
    }
}

impl Eq for Pair {}

impl Pair {
    /// That of an instance which was started with a standby.
    ///
    /// # Errors
    /// The standby's record cannot be read, or is not there.
    pub(super) fn of(
        instance: &Instance,
        folder: &InstanceFolder,
        product: &dyn Product,
    ) -> Result<Option<Self>, ServerError> {
        let (Some(kind), Some(replication)) = (instance.standby, product.replication()) else { return Ok(None) };
        let Some(standby) = Instance::read(&folder.standby())? else {
            return Err(gone(instance, "nothing is known of it"));
        };
        Ok(Some(Self { replication, primary: instance.place(), standby: standby.place(), kind }))
    }

    /// What both servers show now.
    #[must_use]
    pub fn observe(&self) -> Observed {
        let observed = self.replication.observe(&self.primary, &self.standby);
        observed.unwrap_or_else(|error| Observed { kind: None, text: error.message })
    }

    /// What both servers show now, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Observed { kind, text } = self.observe();
        match kind {
            Some(kind) if kind == self.kind => format!("{kind}: {text}"),
            _ => format!("was to be {}, but is not: {text}", self.kind),
        }
    }

    /// Refuses one that does not replicate as it was asked to.
    pub(super) fn refuse_other(&self, instance: &Instance) -> Result<(), ServerError> {
        match self.observe() {
            Observed { kind: Some(kind), .. } if kind == self.kind => Ok(()),
            Observed { text, .. } => Err(gone(instance, &text)),
        }
    }
}

fn gone(instance: &Instance, why: &str) -> ServerError {
    let (which, kind) = (instance.which(), instance.standby.map(|kind| kind.to_string()).unwrap_or_default());
    let command = which.arguments();
    ServerError::Refused(format!(
        "the standby of the private {which} does not replicate as it should ({kind}): {why}; start both again, the data can stay: dbdyno \
         down {command} --keep && dbdyno up {command} --size {} --standby {kind}",
        instance.size
    ))
}

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

/// The product's own part.
///
/// # Errors
/// It has no standbys, or none of this kind.
pub(super) fn replication(product: &dyn Product, kind: StandbyKind) -> Result<&'static dyn Replication, ServerError> {
    let engine = product.about().engine;
    let refused = |text: String| Err(ServerError::Refused(text));
    let Some(replication) = product.replication() else {
        return refused(format!("dbdyno starts no standby of {engine}; leave --standby away"));
    };
    if replication.kinds().contains(&kind) {
        return Ok(replication);
    }
    let kinds: Vec<String> = replication.kinds().iter().map(ToString::to_string).collect();
    refused(format!("{engine} has no standby that is {kind}; say --standby {}", kinds.join(" or --standby ")))
}

impl Upping<'_> {
    /// Removes the standby of an earlier start, if there is one.
    pub(super) fn remove_standby(&self) -> Result<(), ServerError> {
        remove_standby(self.instance_folder, self.product, self.watch).map(drop)
    }

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

    /// What the primary is set to besides, for a standby.
    pub(super) fn further(standby: Option<&Standby<'_>>) -> Vec<Setting> {
        standby.map(|standby| standby.replication.of_primary(standby.request.kind, &standby.link)).unwrap_or_default()
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
        let (primary, standby) = (primary.place(), instance.place());
        replication.follow(&primary, &standby, &link).map_err(ServerError::Failed)?;
        let pair = Pair { replication: *replication, primary, standby, kind: request.kind };
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

/// Stops and removes the standby of an instance, whose lock is held; says whether there was one.
pub(super) fn remove_standby(
    instance_folder: &InstanceFolder,
    product: &dyn Product,
    watch: &dyn crate::servers::Watch,
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

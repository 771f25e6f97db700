//! Starting an instance: making its data if there is none, then its server.

use super::cgroup::{Groups, Limit};
use super::down::{clear_traces, kin, refuse_strangers, remove_standby, stop};
use super::held::HeldThread;
use super::hold::Hold;
use super::home::{InstanceFolder, remove_folder};
use super::lock::Lock;
use super::pair::{Pair, StandbyRequest, replication};
use super::{HeldBy, Home, Instance, Stage, ours, socket};
use crate::servers::{
    Account, DataFolder, Found, Place, Process, Product, Search, Server, ServerError, ServerLog, Setting, Sizing, Watch,
};
use dbdyno_model::{ErrorClass, Size};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// How long a server that was called off may take to end in good order.
pub(super) const CALLED_OFF: Duration = Duration::from_secs(10);

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct UpRequest<'a> {
    /// The size class whose settings the server gets.
    pub size: &'a Size,
    /// The most memory that it may use.
    pub memory_limit_bytes: Option<u64>,
    /// The processors that it is held to, in ascending order, as [`super::choose_cpus`] chooses them; none leaves it
    /// all.
    pub cpus: &'a [u32],
    /// Whether `down` keeps the data; `None` leaves it as it is, or at no.
    pub keep: Option<bool>,
    /// The folder of the server's programs; `None` looks for them.
    pub programs: Option<&'a Path>,
    /// Hardware threads that the server can keep busy where it is not held to some.
    pub hardware_threads: u32,
    /// Whether it writes the log that standbys read, where that is one of its own.
    pub replication_log: bool,
    /// A second server that replicates from it.
    pub standby: Option<StandbyRequest<'a>>,
}

/// How an instance came to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Its data was made, and its server started.
    Made,
    /// Its server was started again with the data that was there.
    Restarted,
    /// It ran already.
    Already,
}

/// An instance that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Up {
    /// What is known of it.
    pub instance: Instance,
    /// How it came to run.
    pub how: How,
}

/// Makes sure that an engine's instance runs.
///
/// # Errors
/// It runs otherwise than asked for, it cannot be started as asked for, or it does not start.
pub fn up(home: &Home, product: &dyn Product, request: &UpRequest<'_>, watch: &dyn Watch) -> Result<Up, ServerError> {
    let instance_folder = home.instance_folder(product.about().engine)?;
    if !instance_folder.path.exists() {
        // A home that will not do is refused before it comes into being.
        instance_folder.refuse_closed(&Account::choose(product.about().users)?)?;
    }
    let lock = Lock::take_at_home(&instance_folder, product, watch)?;
    let done = Upping { instance_folder: &instance_folder, product, request, watch, is_standby: false }.up();
    // What was refused leaves nothing behind.
    instance_folder.tidy();
    drop(lock);
    done
}

#[derive(Clone, Copy)]
pub(super) struct Upping<'a> {
    pub(super) instance_folder: &'a InstanceFolder,
    pub(super) product: &'a dyn Product,
    pub(super) request: &'a UpRequest<'a>,
    pub(super) watch: &'a dyn Watch,
    /// Whether it is the standby of another one.
    pub(super) is_standby: bool,
}

impl Upping<'_> {
    fn up(&self) -> Result<Up, ServerError> {
        if let Some(standby) = self.request.standby {
            replication(self.product, standby.kind)?;
        }
        let recorded = Instance::read(self.instance_folder)?;
        ours::refuse_foreign(self.instance_folder, self.product, recorded.as_ref())?;
        if let Some(instance) = recorded.as_ref().filter(|i| i.lives() && i.stage != Stage::Making) {
            match self.runs_already(instance) {
                // It has ended while it was looked at.
                Err(_) if instance.stage == Stage::Running && !instance.lives() => {
                    self.watch.note(&format!("the server (process {}) has just ended by itself", instance.pid()));
                }
                done => return done,
            }
        }
        let data = self.instance_folder.data();
        let held = recorded.as_ref().filter(|_| data.is_dir());
        match held {
            Some(instance) => self.refuse_other_size(instance)?,
            None if data.exists() => {
                return Err(ServerError::Refused(format!(
                    "{} holds data, but nothing tells what it was made for; remove it: dbdyno down {} --keep=false",
                    data.display(),
                    self.instance_folder.which.arguments()
                )));
            }
            None => {}
        }
        refuse_strangers(self.instance_folder, self.product, recorded.as_ref())?;
        let account = match held {
            // The data belongs to this one.
            Some(instance) => Account::choose(&[&instance.user])?,
            None => Account::choose(self.product.about().users)?,
        };
        self.instance_folder.refuse_closed(&account)?;
        let programs = self.programs(&account, held)?;
        let hold = self.hold()?;
        let begun = self.begin(&account, &programs, recorded.as_ref(), held.is_some(), &hold);
        if begun.is_err() {
            hold.groups.remove();
        }
        begun
    }

    /// From here on something is done.
    fn begin(
        &self,
        account: &Account,
        programs: &Found,
        recorded: Option<&Instance>,
        restart: bool,
        hold: &Hold,
    ) -> Result<Up, ServerError> {
        if let Some(instance) = recorded.filter(|i| i.stage == Stage::Making) {
            stop(instance, self.instance_folder, self.product, CALLED_OFF, false, self.watch)?;
        }
        if let Some(kin) = recorded.and_then(|instance| kin(instance, self.product)) {
            kin.end_in(&self.instance_folder.making());
            kin.end_in(&self.instance_folder.data());
        }
        // Earlier groups are removed unless they are those that were made just now.
        let mut earlier = recorded.cloned();
        earlier.iter_mut().for_each(|earlier| earlier.cgroups.retain(|group| !hold.groups.folders().contains(group)));
        clear_traces(self.instance_folder, earlier.as_ref())?;
        remove_folder(&self.instance_folder.making())?;
        remove_folder(&self.instance_folder.removing())?;
        remove_standby(self.instance_folder, self.product, self.watch)?;
        let keep = self.request.keep.unwrap_or(recorded.is_some_and(|i| i.keep && restart));
        let mut instance = self.instance(account, programs, hold, keep);
        if !restart {
            self.make_data(&mut instance, account, None)?;
        }
        let standby = self.request.standby.map(|request| self.copied(request, &instance, (account, programs)));
        let standby = standby.transpose()?;
        instance.standby = self.request.standby.map(|request| request.kind);
        if let Err(error) = self.start(&mut instance, account, &hold.groups, &self.further(standby.as_ref())) {
            standby.into_iter().for_each(|standby| self.forget_standby(standby));
            return Err(error);
        }
        if let Some(standby) = standby {
            self.start_standby(standby, &mut instance)?;
        }
        Ok(Up { instance, how: if restart { How::Restarted } else { How::Made } })
    }

    /// What is recorded of one that is going to be started.
    pub(super) fn instance(&self, account: &Account, programs: &Found, hold: &Hold, keep: bool) -> Instance {
        Instance {
            engine: self.product.about().engine.to_owned(),
            name: self.instance_folder.which.name.clone(),
            version: programs.version.clone(),
            size: self.request.size.id.clone(),
            cache_bytes: self.request.size.engine_cache_bytes,
            stage: Stage::Stopped,
            process: None,
            data: self.instance_folder.data(),
            socket_folder: socket::folder(self.instance_folder, self.product),
            port: self.product.about().port,
            user: account.name.clone(),
            programs: programs.folder.clone(),
            log: self.instance_folder.log(),
            memory_limit_bytes: self.request.memory_limit_bytes,
            cpus: self.request.cpus.to_owned(),
            held_by: hold.by,
            cgroups: hold.groups.folders(),
            keep,
            standby: None,
        }
    }

    fn runs_already(&self, recorded: &Instance) -> Result<Up, ServerError> {
        self.refuse_other_size(recorded)?;
        self.refuse_silent(recorded)?;
        if let Some((now, asked)) = self.other_limits(recorded) {
            let which = recorded.which();
            return Err(ServerError::Refused(format!(
                "the private {which} runs with {now}, not {asked}; stop it first, its data can stay: dbdyno down {} --keep",
                which.arguments()
            )));
        }
        let mut instance = recorded.clone();
        if let Some(process) = instance.process.as_ref().filter(|_| instance.stage == Stage::Starting) {
            self.watch.note(&format!("it is being started already (process {})", process.pid));
            self.wait(&instance, process, &ServerLog::open(&self.instance_folder.log())?.whole())?;
        }
        self.refuse_not_held(&instance)?;
        if self.request.standby.is_some()
            && let Some(pair) = Pair::of(&instance, self.instance_folder, self.product)?
        {
            pair.refuse_other(&instance)?;
        }
        instance.stage = Stage::Running;
        instance.keep = self.request.keep.unwrap_or(instance.keep);
        if instance != *recorded {
            instance.write(self.instance_folder)?;
        }
        Ok(Up { instance, how: How::Already })
    }

    fn refuse_other_size(&self, instance: &Instance) -> Result<(), ServerError> {
        let (which, is, asked) = (instance.which(), &instance.size, &self.request.size.id);
        if is == asked {
            return Ok(());
        }
        let state = if instance.lives() { "runs" } else { "was stopped, and its data was kept," };
        let command = which.arguments();
        Err(ServerError::Refused(format!(
            "the private {which} {state} for size {is}, not {asked}; go on with it: dbdyno up {command} --size {is}; or remove it with its data first: dbdyno down {command} --keep=false"
        )))
    }

    /// Makes what the server is to be held by.
    pub(super) fn hold(&self) -> Result<Hold, ServerError> {
        let UpRequest { memory_limit_bytes, cpus, .. } = *self.request;
        let memory = memory_limit_bytes.map(|bytes| Limit::memory(bytes, self.request.size.engine_cache_bytes));
        let place = xxh3_64(self.instance_folder.path.as_os_str().as_encoded_bytes());
        let name = format!("dbdyno-{}-{place:016x}", self.product.about().engine);
        Hold::make(&name, memory.transpose()?.as_ref(), cpus)
    }

    /// Those that it ran with before are tried first.
    fn programs(&self, account: &Account, held: Option<&Instance>) -> Result<Found, ServerError> {
        let series = held.and_then(|instance| self.product.data_series(&DataFolder::open(&instance.data).ok()?));
        let instead = format!("remove the data: dbdyno down {} --keep=false", self.instance_folder.which.arguments());
        let search = Search {
            named: self.request.programs,
            before: held.map(|instance| instance.programs.as_path()),
            made_by: series.as_deref().map(|series| (series, instead.as_str())),
        };
        Found::find(self.product, account, &search)
    }

    fn server(&self, place: Place, account: &Account) -> Server<'_> {
        let environment = Vec::new();
        Server { product: self.product, place, account: account.clone(), log: self.instance_folder.log(), environment }
    }

    /// Makes the data beside its place, as new or as a copy, and gives it its name when it is whole.
    pub(super) fn make_data(
        &self,
        instance: &mut Instance,
        account: &Account,
        from: Option<&Path>,
    ) -> Result<(), ServerError> {
        let (making, data) = (self.instance_folder.making(), self.instance_folder.data());
        _ = std::fs::remove_file(self.instance_folder.log());
        let server = self.server(Place { data: making.clone(), ..instance.place() }, account);
        let made = self.folder(&making, account).and_then(|()| self.log()).and_then(|_| {
            let record = &mut |process: &Process| {
                instance.stage = Stage::Making;
                instance.process = Some(process.clone());
                instance.write(self.instance_folder)
            };
            match from {
                None => server.make(&[], self.watch, record)?,
                Some(from) => server.copy(from, self.watch, record)?,
            }
            std::fs::rename(&making, &data).map_err(|e| ServerError::io("rename", &making, &e))
        });
        if let Err(error) = made {
            // Half of it is of no use to anybody; that it is gone matters less than why.
            _ = remove_folder(&making);
            _ = Instance::remove(self.instance_folder);
            _ = std::fs::remove_file(self.instance_folder.log());
            return Err(match error {
                ServerError::Failed(error) if error.class == ErrorClass::Cancelled => {
                    ServerError::failed(ErrorClass::Cancelled, "nothing runs, and nothing was left behind")
                }
                error => error,
            });
        }
        instance.stage = Stage::Stopped;
        instance.process = None;
        instance.write(self.instance_folder)
    }

    /// Starts the server and waits until it can be worked with.
    /// It is set to these further settings.
    pub(super) fn start(
        &self,
        instance: &mut Instance,
        account: &Account,
        groups: &Groups,
        further: &[Setting],
    ) -> Result<(), ServerError> {
        self.folder(&instance.socket_folder, account)?;
        let sizing = Sizing {
            size: self.request.size,
            version: &instance.version,
            socket_folder: &instance.socket_folder,
            hardware_threads: match u32::try_from(instance.cpus.len()) {
                Ok(0) | Err(_) => self.request.hardware_threads,
                Ok(held) => held,
            },
            memory_limit_bytes: instance.memory_limit_bytes,
        };
        let mut settings = self.product.settings(&sizing);
        if !further.is_empty() {
            settings.push_str(&self.product.settings_of(further));
        }
        let server = self.server(instance.place(), account);
        server.data()?;
        // Those of earlier versions have no mark yet.
        ours::mark_folder(&instance.data).map_err(|e| ServerError::io("mark", &instance.data, &e))?;
        server.set(&settings)?;
        self.mark_standby(&server)?;
        self.log()?;
        let by_affinity = instance.held_by == Some(HeldBy::Affinity);
        let held = by_affinity.then(|| HeldThread::to(&instance.cpus)).transpose()?;
        let started = server.start(self.watch, &mut |process: &Process| {
            groups.take(process.pid)?;
            instance.stage = Stage::Starting;
            instance.process = Some(process.clone());
            instance.write(self.instance_folder)
        });
        drop(held);
        let started = started?;
        let started = self.wait(instance, &started.process, &started.log).and_then(|()| self.stop_not_held(instance));
        instance.stage = if instance.lives() { Stage::Starting } else { Stage::Stopped };
        if started.is_ok() {
            instance.stage = Stage::Running;
        } else if instance.stage == Stage::Stopped {
            instance.process = None;
        }
        instance.write(self.instance_folder)?;
        started
    }

    /// Whether the data is a standby's stands in it, where the product wants that.
    fn mark_standby(&self, server: &Server<'_>) -> Result<(), ServerError> {
        let Some(name) = self.product.replication().and_then(|replication| replication.standby_file()) else {
            return Ok(());
        };
        let data = server.data()?;
        let done = if self.is_standby { data.write(name, "") } else { data.remove(name) };
        done.map_err(|e| ServerError::io("write", &server.place.data.join(name), &e))
    }

    /// The log is there, and is dbdyno's.
    fn log(&self) -> Result<ServerLog, ServerError> {
        let log = ServerLog::open(&self.instance_folder.log())?;
        ours::mark(&log.file).map_err(|e| ServerError::io("write", &self.instance_folder.log(), &e))?;
        Ok(log)
    }

    /// A folder of the server's own that nobody else may look into.
    fn folder(&self, path: &Path, account: &Account) -> Result<(), ServerError> {
        let made = DirBuilder::new().mode(0o700).create(path);
        let made = made.and_then(|()| ours::mark_folder(path)).and_then(|()| account.give(path));
        made.map_err(|e| ServerError::io("create the folder", path, &e))
    }
}

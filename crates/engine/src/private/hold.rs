//! What an instance's server is held to, and by what.

use super::cgroup::{Groups, Limit, no_memory_limit, words};
use super::down::stop;
use super::held::{HeldThread, otherwise};
use super::up::{CALLED_OFF, UpRequest, Upping};
use super::{HeldBy, Instance, cpus_in_words};
use crate::servers::{ServerError, Silent};
use dbdyno_model::ErrorClass;
use xxhash_rust::xxh3::xxh3_64;

/// What a server is held by.
pub(super) struct Hold {
    pub(super) groups: Groups,
    /// What holds it to processors, where it is held to some.
    pub(super) by: Option<HeldBy>,
}

impl Upping<'_> {
    /// How an instance runs that was asked for otherwise, and what was asked for.
    pub(super) fn otherwise(&self, recorded: &Instance) -> Option<(String, String)> {
        let UpRequest { memory_limit_bytes: asked, cpus, .. } = *self.request;
        if let Some(asked) = asked.filter(|asked| Some(*asked) != recorded.memory_limit_bytes) {
            let now = recorded.memory_limit_bytes;
            let now = now.map_or("no memory limit".to_owned(), |bytes| format!("a memory limit of {}", words(bytes)));
            return Some((now, words(asked)));
        }
        let now = match recorded.cpus.as_slice() {
            [] => "all processors".to_owned(),
            held => format!("the processors {}", cpus_in_words(held)),
        };
        (!cpus.is_empty() && cpus != recorded.cpus).then(|| (now, cpus_in_words(cpus)))
    }

    /// Makes what the server is to be held by. Only the affinity is left where no group can be made for processors.
    pub(super) fn hold(&self) -> Result<Hold, ServerError> {
        let UpRequest { memory_limit_bytes, cpus, .. } = *self.request;
        let memory = memory_limit_bytes.map(|bytes| Limit::memory(bytes, self.request.size.engine_cache_bytes));
        let (memory, cpus) = (memory.transpose()?, (!cpus.is_empty()).then(|| Limit::processors(cpus)));
        let place = xxh3_64(self.instance_folder.path.as_os_str().as_encoded_bytes());
        // A group that is left from an earlier start has the limits that its name says, and no other.
        let limits = [memory.as_ref().map_or("", |_| "-memory"), cpus.as_ref().map_or("", |_| "-cpus")].concat();
        let mut groups = Groups::named(format!("dbdyno-{}-{place:016x}{limits}", self.product.about().engine));
        if let Some(limit) = &memory {
            groups.add(limit).map_err(|tried| no_memory_limit(&tried))?;
        }
        let by = cpus.map(|limit| groups.add(&limit).map_or(HeldBy::Affinity, |()| HeldBy::Cpuset));
        if by == Some(HeldBy::Affinity)
            && let Err(error) = HeldThread::to(self.request.cpus)
        {
            groups.remove();
            return Err(error);
        }
        Ok(Hold { groups, by })
    }

    /// Refuses a server that runs and may use other processors than it was started for.
    pub(super) fn refuse_not_held(&self, instance: &Instance) -> Result<(), ServerError> {
        let engine = &instance.engine;
        not_held(instance).map_or(Ok(()), |why| {
            Err(ServerError::Refused(format!("{why}; stop it first, its data can stay: dbdyno down {engine} --keep")))
        })
    }

    /// Stops a server that was just started and may use other processors.
    pub(super) fn stop_not_held(&self, instance: &Instance) -> Result<(), ServerError> {
        let Some(why) = not_held(instance) else { return Ok(()) };
        stop(instance, self.instance_folder, self.product, CALLED_OFF, false, &Silent)?;
        let engine = &instance.engine;
        let text = format!(
            "{why}; the server was stopped again; its data is there: without --cpus dbdyno up {engine} starts it, dbdyno down {engine} removes it"
        );
        Err(ServerError::failed(ErrorClass::Other, text))
    }
}

/// That a server may use processors besides those that it was started for, if it does.
fn not_held(instance: &Instance) -> Option<String> {
    instance.held_by?;
    let why = otherwise(instance.pid(), &instance.cpus).filter(|_| instance.lives())?;
    let (engine, cpus) = (&instance.engine, cpus_in_words(&instance.cpus));
    Some(format!("the private {engine} was to be held to the processors {cpus}, but {why}"))
}

//! What an instance's server is held to, and by what.

use super::HeldBy;
use super::cgroup::{Groups, Limit, no_memory_limit};
use super::held::HeldThread;
use crate::servers::ServerError;

/// What a server is held by.
pub(super) struct Hold {
    pub(super) groups: Groups,
    /// What holds it to processors, where it is held to some.
    pub(super) by: Option<HeldBy>,
}

impl Hold {
    /// Makes what holds a server to memory and to processors, of which none are all. Only the affinity is left where no
    /// group can be made for processors.
    pub(super) fn make(name: &str, memory: Option<&Limit>, cpus: &[u32]) -> Result<Self, ServerError> {
        let processors = (!cpus.is_empty()).then(|| Limit::processors(cpus));
        // A group that is left from an earlier start has the limits that its name says, and no other.
        let limits = [memory.map_or("", |_| "-memory"), processors.as_ref().map_or("", |_| "-cpus")].concat();
        let mut groups = Groups::named(format!("{name}{limits}"));
        if let Some(limit) = memory {
            groups.add(limit).map_err(|tried| no_memory_limit(&tried))?;
        }
        let by = processors.map(|limit| groups.add(&limit).map_or(HeldBy::Affinity, |()| HeldBy::Cpuset));
        if by == Some(HeldBy::Affinity)
            && let Err(error) = HeldThread::to(cpus)
        {
            groups.remove();
            return Err(error);
        }
        Ok(Self { groups, by })
    }
}

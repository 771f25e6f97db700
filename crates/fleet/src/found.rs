//! Which agents have answered a coordinator, which of them take part, and how long to wait for more.

use crate::coordinator_link::{Agent, CoordinatorLink};
use crate::fleet_error::FleetError;
use crate::message::AgentInfo;
use std::time::Duration;

/// How long agents may take to answer where no number of them is asked for.
const ANSWER_LIMIT: Duration = Duration::from_millis(1_500);
/// How long agents that measure another run may take to end it: one that was just stopped may be about to.
const BUSY_LIMIT: Duration = Duration::from_secs(4);

/// An agent that takes part.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Who it is.
    pub info: AgentInfo,
}

/// Who has answered, and is not lost.
pub(crate) struct There {
    pub(crate) free: Vec<Found>,
    /// Names of those that measure other runs.
    busy: Vec<String>,
    /// A name under which two answer.
    twice: Option<String>,
}

impl There {
    /// How many have answered, and are free.
    pub(crate) fn free_at(link: &CoordinatorLink, now_ns: u64) -> usize {
        let is_free = |agent: &&Agent| !agent.is_lost(now_ns) && !agent.is_busy && agent.info.is_some();
        link.agents().values().filter(is_free).count()
    }

    pub(crate) fn at(link: &CoordinatorLink, now_ns: u64) -> Self {
        let mut there = Self { free: Vec::new(), busy: Vec::new(), twice: link.twice().next().cloned() };
        for (name, agent) in link.agents().iter().filter(|(_, agent)| !agent.is_lost(now_ns)) {
            match &agent.info {
                Some(info) if !agent.is_busy => there.free.push(Found { name: name.clone(), info: info.clone() }),
                _ => there.busy.push(name.clone()),
            }
        }
        there
    }

    /// How long to wait for so many, or for whoever answers, while these are there.
    pub(crate) fn limit(&self, wanted: Option<usize>, limit: Duration) -> Duration {
        let (free, busy) = (self.free.len(), self.busy.len());
        match wanted {
            Some(wanted) if free >= wanted => Duration::ZERO,
            Some(wanted) if free + busy < wanted => limit,
            None if busy == 0 => ANSWER_LIMIT,
            Some(_) | None => BUSY_LIMIT,
        }
    }

    /// Those that take part.
    pub(crate) fn chosen(
        mut self,
        wanted: Option<usize>,
        fleet: &str,
        like: &AgentInfo,
    ) -> Result<Vec<Found>, FleetError> {
        if let Some(name) = self.twice {
            return Err(FleetError::Twice(name));
        }
        let wants_busy = |wanted: usize| self.free.len() < wanted && wanted <= self.free.len() + self.busy.len();
        if let Some(name) = self.busy.first().filter(|_| wanted.is_none_or(wants_busy)).cloned() {
            return Err(FleetError::Busy(name));
        }
        if let Some(wanted) = wanted {
            if self.free.len() < wanted {
                let busy = self.busy.into_iter().map(|name| format!("{name} (busy with another run)"));
                let found = self.free.into_iter().map(|found| found.name).chain(busy).collect();
                return Err(FleetError::TooFew { fleet: fleet.to_owned(), wanted, found });
            }
            self.free.truncate(wanted);
        }
        if self.free.is_empty() {
            return Err(FleetError::Nobody(fleet.to_owned()));
        }
        let words = |info: &AgentInfo| format!("{} ({})", info.version, info.build);
        match self.free.iter().find(|found| words(&found.info) != words(like)) {
            Some(Found { name, info }) => {
                Err(FleetError::Unlike { agent: name.clone(), theirs: words(info), ours: words(like) })
            }
            None => Ok(self.free),
        }
    }
}

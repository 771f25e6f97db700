//! The coordinator of a fleet: it finds the agents, and has them join a run. How it shares points with them is in
//! `point`.

mod point;

use crate::coordinator_link::{Agent, CoordinatorLink};
use crate::fleet_error::FleetError;
use crate::found::{Found, There};
use crate::message::{AgentInfo, PointKey, RunOrder, State, Wanted};
use crate::network::{NatsAccess, Network, NetworkError};
use crate::seal::FleetKey;
use crate::sent_target::{SealedTarget, SentTarget};
use dbdyno_engine::MonotonicClock;
use dbdyno_run::{Member, StopSwitch};
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often whoever waits looks whether the user has stopped it.
const LOOK: Duration = Duration::from_millis(100);
/// How long agents may take to open their targets, or to prepare their sessions.
const PREPARE_LIMIT: Duration = Duration::from_secs(600);
/// Who is waited for is told after so long.
const TOLD_AFTER: Duration = Duration::from_secs(3);

/// The coordinator, connected.
pub struct Coordinator {
    network: Network<CoordinatorLink>,
    fleet: String,
    members: Vec<Member>,
    found: Vec<Found>,
    current: Mutex<Current>,
}

/// The point that is under way.
#[derive(Default)]
struct Current {
    attempt: u64,
    key: Option<PointKey>,
    /// Places of the members that take part in it.
    with: Vec<usize>,
    /// When its window is over, where that is planned.
    ends_ns: Option<u64>,
    /// Places of those whose parts have come.
    taken: BTreeSet<usize>,
    /// When NATS itself was found silent last.
    silent_ns: Option<u64>,
    /// Since when one that is done is away.
    away_since: Option<Instant>,
    /// Which are lost, in words.
    lost: Option<String>,
}

impl Coordinator {
    /// Connects to a fleet, and begins to look for its agents.
    ///
    /// # Errors
    /// NATS cannot be reached.
    pub fn connect(access: &NatsAccess, fleet: &str, key: FleetKey) -> Result<Self, FleetError> {
        let link = CoordinatorLink::new(fleet, key)?;
        let subjects = vec![link.listens_to()];
        let clock = MonotonicClock::default();
        let network = Network::start(access, "dbdyno coordinator", clock, (link, subjects), |_| {})?;
        Ok(Self { network, fleet: fleet.to_owned(), members: Vec::new(), found: Vec::new(), current: Mutex::default() })
    }

    /// What no other coordinator has: noted beside the data, it tells agents that their target is this one's.
    #[must_use]
    pub fn token(&self) -> String {
        self.network.with(|link, _| link.session().to_owned())
    }

    /// A target as it is given to agents.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn seal(&self, target: &SentTarget) -> Result<SealedTarget, FleetError> {
        Ok(self.network.with(|link, _| target.sealed(link.key()))?)
    }

    /// The clock that the agents' clocks are compared with.
    #[must_use]
    pub fn clock(&self) -> MonotonicClock {
        self.network.clock()
    }

    /// Waits for agents: for so many, so long, or for those that answer. They must be of the version and build of
    /// `like`.
    ///
    /// # Errors
    /// Nobody or too few answer; two have one name; one is of another version, or busy.
    pub fn gather(
        &mut self,
        (wanted, limit): (Option<usize>, Duration),
        like: &AgentInfo,
        stop: &StopSwitch,
    ) -> Result<(), FleetError> {
        let began = Instant::now();
        let there = loop {
            self.network.wait(LOOK, |link, now_ns| wanted.filter(|wanted| There::free_at(link, now_ns) >= *wanted));
            if stop.requested() {
                return Err(FleetError::Stopped);
            }
            let there = self.network.with(|link, now_ns| There::at(link, now_ns));
            if began.elapsed() >= there.limit(wanted, limit) {
                break there;
            }
        };
        if let Some(complaint) = self.network.take_complaint() {
            return Err(NetworkError::Forbidden(complaint).into());
        }
        let found = there.chosen(wanted, &self.fleet, like)?;
        let member = |Found { name, info }: &Found| Member {
            name: name.clone(),
            weight: info.weight,
            node: info.node,
            pid_here: (info.machine == like.machine).then_some(info.pid),
        };
        self.members = found.iter().map(member).collect();
        self.found = found;
        Ok(())
    }

    /// The agents that take part, with what they have told of their hosts.
    #[must_use]
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// Has all join a run, and waits until each has opened what it works on. `tell` says who is waited for, where that
    /// takes long.
    ///
    /// # Errors
    /// One cannot, or is lost.
    pub fn join(&self, run: &RunOrder, stop: &StopSwitch, tell: &dyn Fn(&str)) -> Result<(), FleetError> {
        self.want_all(|_| Some(Wanted::Joined(run.clone())));
        let (began, mut is_told) = (Instant::now(), false);
        loop {
            let joined = self.network.wait(LOOK, |link, now_ns| {
                let mut all = true;
                for Member { name, .. } in &self.members {
                    let agent = link.agents().get(name)?;
                    match &agent.state {
                        Some(State::Refused(why)) => {
                            return Some(Err(FleetError::Refused { agent: name.clone(), why: why.clone() }));
                        }
                        _ if agent.is_lost(now_ns) => return Some(Err(FleetError::Lost(name.clone()))),
                        Some(State::Joined) => {}
                        // Another run has taken it since it was found.
                        _ if agent.is_busy => return Some(Err(FleetError::Busy(name.clone()))),
                        _ => all = false,
                    }
                }
                all.then(|| {
                    link.stop_seeking();
                    Ok(())
                })
            });
            match joined {
                Some(joined) => return joined,
                None if stop.requested() => return Err(FleetError::Stopped),
                None if !is_told && began.elapsed() > TOLD_AFTER => {
                    is_told = true;
                    tell(&format!("waiting for {}: what the run works on is being opened there", self.not_joined()));
                }
                None if began.elapsed() > PREPARE_LIMIT => {
                    return Err(FleetError::Slow { agents: self.not_joined(), limit_s: PREPARE_LIMIT.as_secs() });
                }
                None => {}
            }
        }
    }

    /// Names of those that have not joined.
    fn not_joined(&self) -> String {
        self.network.with(|link, _| {
            let has_joined =
                |name: &str| matches!(link.agents().get(name), Some(Agent { state: Some(State::Joined), .. }));
            let names = self.members.iter().map(|member| member.name.as_str()).filter(|name| !has_joined(name));
            names.collect::<Vec<_>>().join(", ")
        })
    }

    fn want_all(&self, wanted: impl Fn(usize) -> Option<Wanted>) {
        self.network.with(|link, now_ns| {
            for (place, member) in self.members.iter().enumerate() {
                if let Some(wanted) = wanted(place) {
                    link.want(now_ns, &member.name, wanted);
                }
            }
        });
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        // Without a word agents would wait until they miss the coordinator.
        self.want_all(|_| Some(Wanted::Left));
    }
}

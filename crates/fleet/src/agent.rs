//! An agent: it waits for runs, and measures its part of each point.

use crate::agent_link::AgentLink;
use crate::fleet_error::FleetError;
use crate::message::{AgentInfo, PointKey, RunOrder, State, Wanted};
use crate::network::{NatsAccess, Network};
use crate::parts::{PartFolder, pieces, text};
use crate::seal::FleetKey;
use crate::sent_target::SentTarget;
use crate::{LOST_NS, Link as _, TICK_NS};
use dbdyno_engine::{Clock as _, EngineError, MonotonicClock};
use dbdyno_run::{HostProgress, LiveWork, Part, PartOrder, Ready, Starts, StopSwitch};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the comparison of clocks after a part may take.
const COMPARE_LIMIT: Duration = Duration::from_secs(2);
/// How often an agent looks whether it shall end, at work and where it waits for a run.
const LOOK: Duration = Duration::from_millis(100);
const IDLE_LOOK: Duration = Duration::from_millis(500);

/// What is said where it has no part, and is asked for one.
const NO_PART: &str = "it has no part of the point: it was started again, or had lost the coordinator meanwhile";

/// Where the network thread wakes later than it was to by this much, the host stood still.
const LATE_NS: u64 = 200_000_000;

/// What an agent does for a run.
pub trait AgentWork {
    /// Opens what a run works on; `given` is the target that the coordinator gives, if it does.
    ///
    /// # Errors
    /// Why it cannot take part, in words.
    fn join(&mut self, run: &RunOrder, given: Option<SentTarget>) -> Result<(), String>;

    /// Measures its part of a point of the run that it has joined. The switch stops it.
    ///
    /// # Errors
    /// It could not be prepared, or did not come to its end.
    fn measure(
        &mut self,
        order: &PartOrder,
        clock: &MonotonicClock,
        starts: &mut dyn Starts,
        stop: &StopSwitch,
    ) -> Result<(), EngineError>;

    /// The run is over for it: closes what it has opened.
    fn leave(&mut self);
}

/// How long a host stood still, in nanoseconds: times in which its network thread did not run though it should have.
#[derive(Default)]
struct StoodStill {
    ran_ns: u64,
    due_ns: u64,
    in_all_ns: u64,
    longest_ns: u64,
}

impl StoodStill {
    /// Notes the pause that ends now, if there was one. The thread runs again after `rests_ns` at the latest.
    fn note(&mut self, now_ns: u64, rests_ns: u64) {
        if now_ns >= self.due_ns + LATE_NS {
            let pause_ns = now_ns.saturating_sub(self.ran_ns);
            self.in_all_ns += pause_ns;
            self.longest_ns = self.longest_ns.max(pause_ns);
        }
        (self.ran_ns, self.due_ns) = (now_ns, now_ns + rests_ns);
    }

    fn clear(&mut self) {
        (self.in_all_ns, self.longest_ns) = (0, 0);
    }
}

/// An agent, connected.
pub struct Agent {
    network: Arc<Network<AgentLink>>,
    /// Ends it, and what it does.
    stop: StopSwitch,
    stop_of_point: Arc<Mutex<StopSwitch>>,
    stood_still: Arc<Mutex<StoodStill>>,
    parts: PartFolder,
    clock: MonotonicClock,
}

impl Agent {
    /// Connects an agent of a fleet. What its sessions do is in `live`; the switch ends it, also at work.
    ///
    /// # Errors
    /// NATS cannot be reached.
    pub fn connect(
        access: &NatsAccess,
        (fleet, name): (&str, &str),
        key: FleetKey,
        info: AgentInfo,
        (parts, live, stop): (PartFolder, Arc<LiveWork>, StopSwitch),
    ) -> Result<Self, FleetError> {
        let clock = MonotonicClock::default();
        let link = AgentLink::new(fleet, name, key, info)?;
        let subjects = link.listens_to().to_vec();
        let stop_of_point = Arc::new(Mutex::new(StopSwitch::default()));
        let now_ns = clock.now_ns();
        let stood_still = StoodStill { ran_ns: now_ns, due_ns: now_ns, ..StoodStill::default() };
        let stood_still = Arc::new(Mutex::new(stood_still));
        let each = {
            let (of_point, stop, still) = (Arc::clone(&stop_of_point), stop.clone(), Arc::clone(&stood_still));
            move |link: &mut AgentLink| {
                let now_ns = clock.now_ns();
                locked(&still).note(now_ns, link.rests_ns(now_ns));
                link.set_done(HostProgress { ops: live.done(), at_ns: now_ns });
                if link.take_must_stop() || stop.requested() {
                    locked(&of_point).request();
                }
            }
        };
        let network = Network::start(access, &format!("dbdyno agent {name}"), clock, (link, subjects), each)?;
        Ok(Self { network: Arc::new(network), stop, stop_of_point, stood_still, parts, clock })
    }

    /// Works for runs until it is stopped. `tell` says what happens, for people.
    pub fn serve(&self, work: &mut dyn AgentWork, tell: &dyn Fn(&str)) {
        let mut session: Option<String> = None;
        while !self.stop.requested() {
            let next = self.network.wait(IDLE_LOOK, |link, _| {
                let run = link.run().map(|(session, run)| (session.to_owned(), run.clone()));
                let changed = run.as_ref().map(|(session, _)| session) != session.as_ref();
                let wanted = link.take_wanted();
                (changed || wanted.is_some()).then_some((run, wanted))
            });
            if let Some(complaint) = self.network.take_complaint() {
                tell(&format!("NATS refuses what an agent of this name does: {complaint}"));
            }
            let Some((run, wanted)) = next else { continue };
            if run.as_ref().map(|(session, _)| session) != session.as_ref() {
                if session.take().is_some() {
                    work.leave();
                    tell("the run is over, or its coordinator is lost");
                }
                if let Some((new, order)) = run {
                    self.parts.forget_others(&new);
                    session = Some(new);
                    self.join(work, &order, tell);
                }
            }
            match wanted {
                Some(Wanted::Prepared { key, order }) => self.measure(work, &key, &order, tell),
                Some(Wanted::Over { key, is_recorded: true }) => {
                    self.parts.forget(&key);
                    self.network.with(|link, now_ns| link.set_state(now_ns, State::Joined));
                }
                // A beginning is waited for by whoever is prepared. Nobody is: this is another life of the agent.
                Some(Wanted::Started { key, .. }) => self.come_back(&key),
                Some(Wanted::Over { .. } | Wanted::Joined(_) | Wanted::Sent { .. } | Wanted::Left) | None => {}
            }
        }
        self.network.with(|link, now_ns| link.set_state(now_ns, State::Leaving));
        work.leave();
    }

    fn join(&self, work: &mut dyn AgentWork, order: &RunOrder, tell: &dyn Fn(&str)) {
        let given = self.network.with(|link, _| link.given_target());
        let state = match work.join(order, given) {
            Ok(()) => {
                tell(&format!("joined run {}", order.run));
                State::Joined
            }
            Err(why) => {
                tell(&format!("cannot join run {}: {why}", order.run));
                State::Refused(why)
            }
        };
        self.network.with(|link, now_ns| link.set_state(now_ns, state));
    }

    /// Sends the part that an earlier life of this agent has kept.
    fn come_back(&self, key: &PointKey) {
        let kept = self.parts.kept(key);
        self.network.with(|link, now_ns| match kept {
            Some(text) => link.done(now_ns, key.clone(), pieces(&text)),
            None => {
                link.set_state(now_ns, State::NoPart { key: key.clone(), why: NO_PART.to_owned() });
            }
        });
    }

    fn unstored(&self, error: &std::io::Error) -> EngineError {
        let folder = self.parts.folder().display();
        let advice = "make room, or name another with --parts";
        EngineError::other(format!("the part cannot be stored in {folder}: {error}; {advice}"))
    }

    fn measure(&self, work: &mut dyn AgentWork, key: &PointKey, order: &PartOrder, tell: &dyn Fn(&str)) {
        let of_point = StopSwitch::default();
        *locked(&self.stop_of_point) = of_point.clone();
        self.network.with(|link, now_ns| link.set_state(now_ns, State::Preparing(key.clone())));
        let mut starts = AgentStarts { agent: self, key, of_point: &of_point };
        let measured = self.parts.reserve(key).map_err(|error| self.unstored(&error));
        let measured = measured.and_then(|()| work.measure(order, &self.clock, &mut starts, &of_point));
        self.parts.release(key);
        // One that ends says so, whatever became of its work.
        if let Err(error) = measured
            && !self.stop.requested()
        {
            if !of_point.requested() {
                tell(&error.to_string());
            }
            let state = State::Failed { key: key.clone(), error };
            // Whoever has said already why there is no part has no more to say.
            self.network.with(|link, now_ns| {
                if !link.has_ended(key) {
                    link.set_state(now_ns, state)
                }
            });
        }
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares clocks when sessions are prepared, and waits for the coordinator's word.
struct AgentStarts<'a> {
    agent: &'a Agent,
    key: &'a PointKey,
    of_point: &'a StopSwitch,
}

impl Starts for AgentStarts<'_> {
    fn ready(&mut self, ready: Ready) -> Option<u64> {
        let network = &self.agent.network;
        network.with(|link, now_ns| link.prepared(now_ns, self.key.clone(), ready));
        loop {
            let is_ours = network.with(|link, now_ns| link.is_of(self.key, now_ns));
            if self.agent.stop.requested() || self.of_point.requested() || !is_ours {
                return None;
            }
            let started = network.wait(LOOK, |link, now_ns| {
                let offset = link.offset()?;
                let wanted = link.take_wanted()?;
                let Wanted::Started { key, starts_ns } = wanted else { return None };
                if key != *self.key {
                    return None;
                }
                link.set_state(now_ns, State::Working(key));
                locked(&self.agent.stood_still).clear();
                Some(starts_ns.saturating_add_signed(offset.offset_ns))
            });
            if started.is_some() {
                return started;
            }
        }
    }

    fn ended(&mut self, mut part: Part) -> Result<(), EngineError> {
        let Agent { network, parts, stood_still, .. } = self.agent;
        let still = {
            let mut still = locked(stood_still);
            // The network thread may not have run yet.
            still.note(self.agent.clock.now_ns(), TICK_NS);
            (still.in_all_ns, still.longest_ns)
        };
        let (in_all_s, longest_s) = (still.0 as f64 / 1e9, still.1 as f64 / 1e9);
        // Whoever stands still for so long is lost, whether or not the coordinator could notice.
        if still.1 >= LOST_NS {
            let why = format!("its host stood still for {longest_s:.1} s");
            let state = State::NoPart { key: self.key.clone(), why: why.clone() };
            network.with(|link, now_ns| link.set_state(now_ns, state));
            return Err(EngineError::other(why));
        }
        part.host.stood_still_s = Some(in_all_s);
        let unstored = |error| self.agent.unstored(&error);
        let text = text(&part).map_err(unstored)?;
        parts.keep(self.key, &text).map_err(unstored)?;
        network.with(|link, now_ns| link.worked(now_ns, self.key.clone()));
        // A coordinator that does not answer any more gets the part without it.
        network.wait(COMPARE_LIMIT, |link, _| link.compared());
        network.with(|link, now_ns| link.done(now_ns, self.key.clone(), pieces(&text)));
        while !self.agent.stop.requested() {
            let is_over = network
                .wait(LOOK, |link, now_ns| (link.is_over(self.key) || !link.is_of(self.key, now_ns)).then_some(()));
            if is_over.is_some() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_wakes_late_tells_that_its_host_stood_still() {
        const MS: u64 = 1_000_000;
        let mut still = StoodStill { ran_ns: 0, due_ns: 100 * MS, ..StoodStill::default() };
        still.note(299 * MS, 100 * MS);
        assert_eq!((still.in_all_ns, still.longest_ns), (0, 0), "late by less than counts");
        still.note(599 * MS, 100 * MS);
        assert_eq!((still.in_all_ns, still.longest_ns), (300 * MS, 300 * MS));
        still.note(599 * MS, 100 * MS);
        still.note(1_199 * MS, 400 * MS);
        assert_eq!((still.in_all_ns, still.longest_ns), (900 * MS, 600 * MS), "a pause counts once");
        still.note(1_798 * MS, 100 * MS);
        assert_eq!(still.in_all_ns, 900 * MS, "it rested");
        still.clear();
        assert_eq!((still.in_all_ns, still.longest_ns), (0, 0));
    }
}

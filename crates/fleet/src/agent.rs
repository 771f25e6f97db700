//! An agent: it waits for runs, and measures its part of each point.

use crate::agent_link::AgentLink;
use crate::fleet_error::FleetError;
use crate::message::{AgentInfo, PointKey, RunOrder, State, Wanted};
use crate::network::{NatsAccess, Network};
use crate::parts::{PartFolder, pieces, text};
use crate::seal::FleetKey;
use crate::sent_target::SentTarget;
use crate::{LOST_NS, Link as _};
use dbdyno_engine::{Clock as _, EngineError, MonotonicClock};
use dbdyno_model::ErrorClass;
use dbdyno_run::{HostProgress, LiveWork, Part, PartOrder, Ready, Starts, StopSwitch};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the comparison of clocks after a part may take.
const COMPARE_LIMIT: Duration = Duration::from_secs(2);
/// How often an agent looks whether it shall end, at work and where it waits for a run.
const LOOK: Duration = Duration::from_millis(100);
const IDLE_LOOK: Duration = Duration::from_millis(500);

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

/// For how long a host stood still, in nanoseconds.
#[derive(Default)]
struct StoodStill {
    in_all_ns: AtomicU64,
    longest_ns: AtomicU64,
}

impl StoodStill {
    fn add(&self, ns: u64) {
        self.in_all_ns.fetch_add(ns, Relaxed);
        self.longest_ns.fetch_max(ns, Relaxed);
    }

    fn clear(&self) {
        self.in_all_ns.store(0, Relaxed);
        self.longest_ns.store(0, Relaxed);
    }
}

/// An agent, connected.
pub struct Agent {
    network: Arc<Network<AgentLink>>,
    /// Ends it, and what it does.
    stop: StopSwitch,
    stop_of_point: Arc<Mutex<StopSwitch>>,
    /// When its network thread did not run though it should have.
    stood_still: Arc<StoodStill>,
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
        let stood_still = Arc::new(StoodStill::default());
        let each = {
            let (of_point, stop, still) = (Arc::clone(&stop_of_point), stop.clone(), Arc::clone(&stood_still));
            let mut was_ns = clock.now_ns();
            let mut due_ns = was_ns;
            move |link: &mut AgentLink| {
                let now_ns = clock.now_ns();
                if now_ns >= due_ns + LATE_NS {
                    still.add(now_ns - was_ns);
                }
                (was_ns, due_ns) = (now_ns, now_ns + link.rests_ns(now_ns));
                link.set_done(HostProgress { ops: live.done(), at_ns: now_ns });
                if link.take_must_stop() || stop.requested() {
                    of_point.lock().unwrap_or_else(PoisonError::into_inner).request();
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
                link.set_state(now_ns, State::Restarted(key.clone()));
            }
        });
    }

    fn measure(&self, work: &mut dyn AgentWork, key: &PointKey, order: &PartOrder, tell: &dyn Fn(&str)) {
        let of_point = StopSwitch::default();
        *self.stop_of_point.lock().unwrap_or_else(PoisonError::into_inner) = of_point.clone();
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
            self.network.with(|link, now_ns| link.set_state(now_ns, state));
        }
    }
}

impl Agent {
    fn unstored(&self, error: &std::io::Error) -> EngineError {
        let folder = self.parts.folder().display();
        let advice = "make room, or name another with --parts";
        EngineError::other(format!("the part cannot be stored in {folder}: {error}; {advice}"))
    }
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
                self.agent.stood_still.clear();
                Some(starts_ns.saturating_add_signed(offset.offset_ns))
            });
            if started.is_some() {
                return started;
            }
        }
    }

    fn ended(&mut self, mut part: Part) -> Result<(), EngineError> {
        let Agent { network, parts, stood_still, .. } = self.agent;
        let seconds = |ns: &AtomicU64| ns.load(Relaxed) as f64 / 1e9;
        // Whoever stands still for so long is lost, whether or not the coordinator could notice.
        if stood_still.longest_ns.load(Relaxed) >= LOST_NS {
            let message = format!("the host stood still for {:.1} s", seconds(&stood_still.longest_ns));
            return Err(EngineError::new(ErrorClass::ConnectionLost, message));
        }
        part.host.stood_still_s = Some(seconds(&stood_still.in_all_ns));
        let unstored = |error: std::io::Error| self.agent.unstored(&error);
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

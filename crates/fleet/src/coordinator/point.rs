//! The points of a run: what the agents make of each, and what of it is lost.

use super::{Coordinator, Current, PREPARE_LIMIT};
use crate::coordinator_link::{Agent, SentPart};
use crate::message::{PointKey, State, Wanted};
use crate::{AWAY_NS, BEAT_NS, LOST_NS, parts};
use dbdyno_engine::EngineError;
use dbdyno_model::ErrorClass;
use dbdyno_run::{AgentPart, AgentReady, Fleet, HostProgress, Member, PartOrder, StopSwitch};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a part that is measured may stay away, with its agent or with NATS.
const AWAY_LIMIT: Duration = Duration::from_nanos(AWAY_NS);
/// Parts that are read at once.
const PARTS_AT_ONCE: usize = 16;
/// Where NATS falls silent near the end of a window, parts may be kept: how long it may be away after the window, and
/// how long agents may take to be heard again when it is back.
const SILENT_LIMIT_NS: u64 = 5_000_000_000;
const BACK_LIMIT_NS: u64 = 2_000_000_000;

/// What an agent of the point that is under way has come to.
enum Progress {
    Waiting,
    Ready(AgentReady),
    Done,
    /// Its part is stored there, and it is not heard.
    Away,
    /// It is not heard.
    Silent,
    /// It will hand in no part, for this reason.
    Gone(String),
}

fn progress(agent: &Agent, member: usize, point: &PointKey, now_ns: u64) -> Result<Progress, EngineError> {
    match &agent.state {
        Some(State::Failed { key, error }) if key == point => Err(error.clone()),
        Some(State::NoPart { key, why }) if key == point => Ok(Progress::Gone(why.clone())),
        Some(State::Done { key, .. }) if key == point => {
            Ok(if agent.is_lost(now_ns) { Progress::Away } else { Progress::Done })
        }
        _ if agent.is_lost(now_ns) => Ok(Progress::Silent),
        Some(State::Leaving) => Ok(Progress::Gone("it was ended".to_owned())),
        Some(State::Ready { key, ready, offset }) if key == point => Ok(Progress::Ready(AgentReady {
            member,
            ready: (**ready).clone(),
            offset_ns: offset.offset_ns,
            bound_ns: offset.bound_ns,
        })),
        _ => Ok(Progress::Waiting),
    }
}

impl Coordinator {
    fn lost_error(&self, names: &[&str], now_ns: u64) -> EngineError {
        let heard_ms = LOST_NS / 1_000_000;
        self.lost_because(match (self.network.is_silent(now_ns), names) {
            (true, _) => "the connection to NATS is lost, and with it the agents".to_owned(),
            (false, [name]) => format!("agent {name} is lost: nothing was heard for {heard_ms} ms"),
            (false, names) => format!("agents {} are lost: nothing was heard for {heard_ms} ms", names.join(", ")),
        })
    }

    fn lost_because(&self, message: String) -> EngineError {
        self.current().lost = Some(message.clone());
        EngineError::new(ErrorClass::ConnectionLost, message)
    }

    /// What each agent of the point has come to whose part has not.
    ///
    /// # Errors
    /// One has failed, or some are lost.
    fn states(&self) -> Result<Vec<Progress>, EngineError> {
        let (key, ends_ns, with) = {
            let current = self.current();
            // Whatever becomes of one whose part has come, nothing of the point is lost.
            let with = current.with.iter().filter(|place| !current.taken.contains(place)).copied();
            (current.key.clone(), current.ends_ns, with.collect::<Vec<_>>())
        };
        let Some(key) = key else { return Ok(Vec::new()) };
        let (all, now_ns) = self.network.with(|link, now_ns| {
            let of = |place: &usize| match link.agents().get(&self.members[*place].name) {
                Some(agent) => progress(agent, *place, &key, now_ns),
                None => Ok(Progress::Silent),
            };
            (with.iter().map(of).collect::<Vec<_>>(), now_ns)
        });
        let may_be_kept = self.may_be_kept(ends_ns, now_ns);
        let (mut lost, mut progress) = (Vec::new(), Vec::new());
        for (place, one) in with.iter().zip(all) {
            let name = self.members[*place].name.as_str();
            match one.map_err(|error| error.while_doing(name))? {
                Progress::Gone(why) => return Err(self.lost_because(format!("agent {name} is lost: {why}"))),
                Progress::Silent if !may_be_kept => lost.push(name),
                one => progress.push(one),
            }
        }
        if lost.is_empty() { Ok(progress) } else { Err(self.lost_error(&lost, now_ns)) }
    }

    /// Whether agents that are not heard may have stored their parts: NATS is silent, or was within the last 2 s, and
    /// their windows are about to end or have ended.
    fn may_be_kept(&self, ends_ns: Option<u64>, now_ns: u64) -> bool {
        let mut current = self.current();
        if self.network.is_silent(now_ns) {
            current.silent_ns = Some(now_ns);
        }
        let was_silent = current.silent_ns.is_some_and(|silent_ns| now_ns < silent_ns + BACK_LIMIT_NS);
        // Agents speak at different moments: the first is lost up to a beat before one that still ends its work.
        let ends = |ends_ns: u64| (ends_ns.saturating_sub(BEAT_NS)..ends_ns + SILENT_LIMIT_NS).contains(&now_ns);
        was_silent && ends_ns.is_some_and(ends)
    }

    /// Takes some of the parts that have come. The others stay texts, which take a tenth of the memory.
    ///
    /// # Errors
    /// One cannot be read.
    fn take_parts(&self) -> Result<Vec<AgentPart>, EngineError> {
        let (key, missing) = {
            let current = self.current();
            let missing = current.with.iter().filter(|place| !current.taken.contains(place)).copied();
            (current.key.clone(), missing.collect::<Vec<_>>())
        };
        let Some(key) = key else { return Ok(Vec::new()) };
        let whole = self.network.with(|link, _| {
            let taken = |place: usize| Some((place, link.take_part(&self.members[place].name, &key)?));
            missing.into_iter().filter_map(taken).take(PARTS_AT_ONCE).collect::<Vec<_>>()
        });
        self.current().taken.extend(whole.iter().map(|(place, _)| *place));
        let read = |(member, SentPart { text, offset_after, silence_ns }): (usize, SentPart)| {
            let name = &self.members[member].name;
            let part = parts::part(&text).map_err(|why| EngineError::other(format!("the part of {name}: {why}")))?;
            let offset_after = offset_after.map(|offset| (offset.offset_ns, offset.bound_ns));
            Ok(AgentPart { member, part, offset_after, silence_ns })
        };
        whole.into_iter().map(read).collect()
    }
}

impl Fleet for Coordinator {
    fn members(&self) -> Vec<Member> {
        self.members.clone()
    }

    fn prepare(&self, orders: &[Option<PartOrder>], stop: &StopSwitch) -> Result<Vec<AgentReady>, EngineError> {
        let key = {
            let mut current = self.current();
            let attempt = current.attempt + 1;
            let key = PointKey { session: self.network.with(|link, _| link.session().to_owned()), attempt };
            let with = orders.iter().enumerate().filter(|(_, order)| order.is_some()).map(|(place, _)| place).collect();
            *current = Current { attempt, key: Some(key.clone()), with, ..Current::default() };
            key
        };
        let order = |place: usize| orders.get(place)?.clone();
        self.want_all(|place| order(place).map(|order| Wanted::Prepared { key: key.clone(), order: Box::new(order) }));
        let began = Instant::now();
        loop {
            let progress = self.states()?;
            let wanted = progress.len();
            let ready: Vec<AgentReady> = progress
                .into_iter()
                .filter_map(|one| if let Progress::Ready(ready) = one { Some(ready) } else { None })
                .collect();
            if ready.len() == wanted {
                return Ok(ready);
            }
            if stop.requested() {
                return Err(EngineError::new(ErrorClass::Cancelled, "stopped before the window"));
            }
            if began.elapsed() > PREPARE_LIMIT {
                let message = format!("agents were not prepared after {} s", PREPARE_LIMIT.as_secs());
                return Err(EngineError::new(ErrorClass::Timeout, message));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn start(&self, starts_ns: u64, ends_ns: Option<u64>) {
        let (key, with) = {
            let mut current = self.current();
            current.ends_ns = ends_ns;
            (current.key.clone(), current.with.clone())
        };
        if let Some(key) = key {
            self.want_all(|place| with.contains(&place).then(|| Wanted::Started { key: key.clone(), starts_ns }));
        }
    }

    fn progress(&self) -> BTreeMap<String, HostProgress> {
        let key = self.current().key.clone();
        self.network.with(|link, _| {
            let of_point = |(name, agent): (&String, &Agent)| match &agent.done {
                Some((of, done)) if Some(of) == key.as_ref() => Some((name.clone(), *done)),
                _ => None,
            };
            link.agents().iter().filter_map(of_point).collect()
        })
    }

    fn parts(&self, limit: Duration) -> Result<Vec<AgentPart>, EngineError> {
        let parts = self.take_parts()?;
        if !parts.is_empty() {
            return Ok(parts);
        }
        let is_away = self.states()?.iter().any(|one| matches!(one, Progress::Away));
        let mut current = self.current();
        current.away_since = current.away_since.filter(|_| is_away).or_else(|| is_away.then(Instant::now));
        if current.away_since.is_some_and(|since| since.elapsed() > AWAY_LIMIT) {
            let message = format!("a part that was measured has stayed away for {} s", AWAY_LIMIT.as_secs());
            current.lost = Some(message.clone());
            return Err(EngineError::new(ErrorClass::ConnectionLost, message));
        }
        drop(current);
        std::thread::sleep(limit);
        Ok(Vec::new())
    }

    fn end(&self) {
        self.over(false);
    }

    fn recorded(&self) {
        self.over(true);
    }

    fn lost(&self) -> Option<String> {
        self.current().lost.clone()
    }

    fn is_lost(&self, member: usize) -> bool {
        let Some(Member { name, .. }) = self.members.get(member) else { return false };
        self.network.with(|link, now_ns| link.agents().get(name).is_none_or(|agent| agent.is_lost(now_ns)))
    }
}

impl Coordinator {
    fn over(&self, is_recorded: bool) {
        let (key, with) = {
            let current = self.current();
            (current.key.clone(), current.with.clone())
        };
        if let Some(key) = key {
            self.want_all(|place| with.contains(&place).then(|| Wanted::Over { key: key.clone(), is_recorded }));
        }
    }
}

//! The coordinator's end of the conversation, without a network: what it makes of messages and of time.

use crate::message::{AgentInfo, Envelope, Freshness, FromAgent, Offset, PointKey, State, Subjects, ToAgent, Wanted};
use crate::seal::{FleetKey, KeyError, SessionKey, random_hex};
use crate::{BEAT_NS, LOST_NS, Link, Out, TICK_NS};
use dbdyno_run::HostProgress;
use std::collections::BTreeMap;
use std::time::Duration;

/// Messages of agents that are kept, at most: one more sender with the fleet's key changes nothing.
const MOST_AGENTS: usize = 10_000;
/// The longest message of an agent's: a piece, with what stands around it.
const MOST_BYTES: usize = 768 << 10;
/// A piece of a part that has not come by then is asked for again.
const PIECES_LIMIT_NS: u64 = 300_000_000;

/// The coordinator's end.
pub(crate) struct CoordinatorLink {
    session: String,
    fleet: FleetKey,
    key: SessionKey,
    subjects: Subjects,
    agents: BTreeMap<String, Agent>,
    /// Messages of each life of each agent, also of past ones: what somebody has recorded of these is not heard again.
    lives: BTreeMap<(String, String), Freshness>,
    is_seeking: bool,
    sought_ns: u64,
    sent: u64,
    /// Names under which two agents answer.
    twice: BTreeMap<String, u64>,
    out: Vec<Out>,
}

/// An agent, as the coordinator knows it.
#[derive(Debug)]
pub(crate) struct Agent {
    /// The number that it has taken for itself.
    own: String,
    /// Who it is; none where it has belonged to another run since it was found.
    pub(crate) info: Option<AgentInfo>,
    /// Whether it belongs to another run, by its last word.
    pub(crate) is_busy: bool,
    pub(crate) state: Option<State>,
    wanted: Option<Wanted>,
    heard_ns: u64,
    /// The longest time for which nothing was heard since it was to begin a point.
    pub(crate) silence_ns: u64,
    told_ns: u64,
    part: Option<Pieces>,
    /// What it has done so far of a point.
    pub(crate) done: Option<(PointKey, HostProgress)>,
    /// The last point whose part was taken: it is not asked for again.
    taken: Option<PointKey>,
}

/// Pieces of a part, by their numbers.
#[derive(Debug)]
struct Pieces {
    key: PointKey,
    of: u32,
    pieces: BTreeMap<u32, String>,
    came_ns: u64,
}

/// A part as it was sent, and what is known of its agent at that moment.
pub(crate) struct SentPart {
    pub(crate) text: String,
    /// What its clock showed more after its part; none where nobody answered any more.
    pub(crate) offset_after: Option<Offset>,
    /// The longest time for which nothing was heard of it.
    pub(crate) silence_ns: u64,
}

impl Agent {
    fn heard(&mut self, now_ns: u64) {
        self.silence_ns = self.silence_ns.max(now_ns.saturating_sub(self.heard_ns));
        self.heard_ns = now_ns;
    }

    /// Whether it has said nothing for so long that it is lost. What is done may be away for longer.
    pub(crate) fn is_lost(&self, now_ns: u64) -> bool {
        now_ns.saturating_sub(self.heard_ns) >= LOST_NS
    }
}

impl CoordinatorLink {
    pub(crate) fn new(fleet_name: &str, fleet: FleetKey) -> Result<Self, KeyError> {
        let session = random_hex(16)?;
        Ok(Self {
            key: fleet.of_session(&session),
            session,
            fleet,
            subjects: Subjects::new(fleet_name),
            agents: BTreeMap::new(),
            lives: BTreeMap::new(),
            is_seeking: true,
            sought_ns: 0,
            sent: 0,
            twice: BTreeMap::new(),
            out: Vec::new(),
        })
    }

    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// The key of its session.
    pub(crate) fn key(&self) -> &SessionKey {
        &self.key
    }

    /// The subject that it listens to.
    pub(crate) fn listens_to(&self) -> String {
        self.subjects.from("*")
    }

    pub(crate) fn agents(&self) -> &BTreeMap<String, Agent> {
        &self.agents
    }

    /// Names under which two agents have answered.
    pub(crate) fn twice(&self) -> impl Iterator<Item = &String> {
        self.twice.keys()
    }

    /// Wants something of an agent, which is told again and again.
    pub(crate) fn want(&mut self, now_ns: u64, name: &str, wanted: Wanted) {
        if let Some(agent) = self.agents.get_mut(name) {
            if matches!(wanted, Wanted::Started { .. }) {
                agent.silence_ns = 0;
            }
            agent.wanted = Some(wanted);
            self.tell(now_ns, name);
        }
    }

    /// No more agents are sought, unless one is lost. Until then those that are found are heard because they are
    /// sought: nothing is wanted of them yet.
    pub(crate) fn stop_seeking(&mut self) {
        self.is_seeking = false;
    }

    /// Takes the part of an agent that has said that it is done, once all its pieces have come. It is not asked for
    /// again.
    pub(crate) fn take_part(&mut self, name: &str, key: &PointKey) -> Option<SentPart> {
        let agent = self.agents.get_mut(name)?;
        // The pieces may come before the word that they are all.
        let offset_after = match &agent.state {
            Some(State::Done { key: of, offset, .. }) if of == key => *offset,
            _ => return None,
        };
        let part = agent.part.take_if(|part| part.key == *key && part.pieces.len() == part.of as usize)?;
        agent.taken = Some(key.clone());
        let text = part.pieces.into_values().collect();
        Some(SentPart { text, offset_after, silence_ns: agent.silence_ns })
    }

    fn tell(&mut self, now_ns: u64, name: &str) {
        let Some(agent) = self.agents.get_mut(name) else { return };
        agent.told_ns = now_ns;
        if let (Some(wanted), Some(_)) = (agent.wanted.clone(), &agent.info) {
            let own = agent.own.clone();
            self.send(name, &own, ToAgent::Wanted(wanted));
        }
    }

    fn send(&mut self, name: &str, own: &str, message: ToAgent) {
        self.sent += 1;
        let subject = self.subjects.to(name);
        let envelope = Envelope::new(&self.session, own, self.sent, message);
        self.out.push(Out { payload: envelope.sealed(&self.key, &subject), subject });
    }

    fn here(&mut self, now_ns: u64, name: &str, own: &str, info: Option<AgentInfo>) {
        let is_full = self.agents.len() >= MOST_AGENTS;
        match self.agents.get_mut(name) {
            Some(agent) if agent.own == own => {
                agent.is_busy = info.is_none();
                agent.info = info.or(agent.info.take());
                agent.heard(now_ns);
            }
            // Whoever was lost has come back in another life; as long as the first is heard, there are two.
            Some(agent) if !agent.is_lost(now_ns) => _ = self.twice.insert(name.to_owned(), now_ns),
            None if is_full => {}
            _ => {
                let before = self.agents.remove(name);
                let (wanted, part, taken) =
                    before.map_or((None, None, None), |agent| (agent.wanted, agent.part, agent.taken));
                let agent = Agent {
                    own: own.to_owned(),
                    is_busy: info.is_none(),
                    info,
                    state: None,
                    wanted,
                    heard_ns: now_ns,
                    silence_ns: 0,
                    told_ns: 0,
                    part,
                    done: None,
                    taken,
                };
                self.agents.insert(name.to_owned(), agent);
            }
        }
    }

    fn piece(agent: &mut Agent, now_ns: u64, (key, n, of): (PointKey, u32, u32), data: String) {
        if agent.taken.as_ref() == Some(&key) {
            return;
        }
        if agent.part.as_ref().is_none_or(|part| part.key != key || part.of != of) {
            agent.part = Some(Pieces { key, of, pieces: BTreeMap::new(), came_ns: now_ns });
        }
        if let Some(part) = agent.part.as_mut().filter(|part| n < part.of) {
            part.came_ns = now_ns;
            part.pieces.entry(n).or_insert(data);
        }
    }
}

impl Link for CoordinatorLink {
    const PING: Duration = Duration::from_millis(500);

    fn receive(&mut self, now_ns: u64, subject: &str, payload: &[u8]) -> bool {
        self.hear(now_ns, subject, payload);
        true
    }

    fn tick(&mut self, now_ns: u64) {
        let is_missing = |agent: &Agent| agent.wanted.is_some() && agent.is_lost(now_ns);
        let seeks = self.is_seeking || self.agents.values().any(is_missing);
        if seeks && now_ns.saturating_sub(self.sought_ns) >= BEAT_NS {
            self.sought_ns = now_ns;
            self.sent += 1;
            let subject = self.subjects.all();
            let envelope = Envelope::new(&self.session, "", self.sent, ToAgent::Seek);
            self.out.push(Out { payload: envelope.sealed(&self.key, &subject), subject });
        }
        // Told again for as long as it is wanted: that is also how agents know that the coordinator is there.
        let is_due = |agent: &Agent| agent.wanted.is_some() && now_ns.saturating_sub(agent.told_ns) >= BEAT_NS;
        let due: Vec<String> =
            self.agents.iter().filter(|(_, agent)| is_due(agent)).map(|(name, _)| name.clone()).collect();
        due.iter().for_each(|name| self.tell(now_ns, name));
        self.ask_for_pieces(now_ns);
    }

    fn rests_ns(&self, _: u64) -> u64 {
        TICK_NS
    }

    fn take_out(&mut self) -> Vec<Out> {
        std::mem::take(&mut self.out)
    }
}

impl CoordinatorLink {
    fn hear(&mut self, now_ns: u64, subject: &str, payload: &[u8]) {
        let Some(name) = self.subjects.sender(subject).map(str::to_owned) else { return };
        // Whoever may send here, but has no key, shall cost little.
        if payload.len() > MOST_BYTES {
            return;
        }
        let known = (self.session.clone(), self.key.clone());
        let Some(envelope) = Envelope::<FromAgent>::open(&self.fleet, Some(&known), subject, payload) else { return };
        let Envelope { session, agent: own, n, message, .. } = envelope;
        if session != self.session || self.lives.len() > MOST_AGENTS {
            return;
        }
        let life = self.lives.entry((name.clone(), own.clone())).or_default();
        if !life.is_new(n) {
            return;
        }
        let is_newest = life.is_newest(n);
        match message {
            FromAgent::Here(info) => return self.here(now_ns, &name, &own, Some(*info)),
            FromAgent::Busy => return self.here(now_ns, &name, &own, None),
            FromAgent::State(_) | FromAgent::Progress { .. } | FromAgent::Ping { .. } | FromAgent::Piece { .. } => {}
        }
        let Some(agent) = self.agents.get_mut(&name).filter(|agent| agent.own == own) else { return };
        agent.heard(now_ns);
        match message {
            FromAgent::State(state) if is_newest => agent.state = Some(state),
            FromAgent::Progress { key, done } if is_newest => agent.done = Some((key, done)),
            FromAgent::Ping { n } => self.send(&name, &own, ToAgent::Pong { n, now_ns }),
            FromAgent::Piece { key, n, of, data } => Self::piece(agent, now_ns, (key, n, of), data),
            FromAgent::State(_) | FromAgent::Progress { .. } | FromAgent::Here(_) | FromAgent::Busy => {}
        }
    }

    /// Asks for the pieces that have not come of parts that are done.
    fn ask_for_pieces(&mut self, now_ns: u64) {
        let mut asked = Vec::new();
        for (name, agent) in &mut self.agents {
            let Some(State::Done { key, pieces: of, .. }) = &agent.state else { continue };
            let is_wanted = matches!(&agent.wanted, Some(Wanted::Started { key: wanted, .. }) if wanted == key);
            if !is_wanted || agent.taken.as_ref() == Some(key) {
                continue;
            }
            if agent.part.as_ref().is_none_or(|part| part.key != *key || part.of != *of) {
                agent.part = Some(Pieces { key: key.clone(), of: *of, pieces: BTreeMap::new(), came_ns: now_ns });
            }
            let Some(part) = &mut agent.part else { continue };
            let missing: Vec<u32> = (0..part.of).filter(|n| !part.pieces.contains_key(n)).collect();
            if !missing.is_empty() && now_ns.saturating_sub(part.came_ns) >= PIECES_LIMIT_NS {
                part.came_ns = now_ns;
                asked.push((name.clone(), agent.own.clone(), Wanted::Sent { key: key.clone(), pieces: missing }));
            }
        }
        for (name, own, wanted) in asked {
            self.send(&name, &own, ToAgent::Wanted(wanted));
        }
    }
}

//! The agent's end of the conversation, without a network: what it makes of messages and of time.

mod exchange;

use crate::message::{
    AgentInfo, Envelope, Freshness, FromAgent, Offset, PointKey, RunOn, RunOrder, State, Subjects, ToAgent, Wanted,
};
use crate::seal::{FleetKey, KeyError, SessionKey, random_hex};
use crate::sent_target::SentTarget;
use crate::{AWAY_NS, BEAT_NS, IDLE_NS, LOST_NS, Link, Out, TICK_NS};
use dbdyno_run::{HostProgress, Ready};
use exchange::Exchange;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest message of a coordinator's.
const MOST_BYTES: usize = 256 << 10;
/// Sessions that were offered an agent, at most: whoever can send nothing but old messages shall not fill its memory.
const MOST_OFFERS: usize = 8;

/// The agent's end.
pub(crate) struct AgentLink {
    name: String,
    fleet: FleetKey,
    subjects: Subjects,
    info: AgentInfo,
    /// Sessions that have asked who is there, and the number that the agent has taken for itself in each.
    offers: BTreeMap<String, Membership>,
    member_of: Option<String>,
    state: State,
    told_ns: u64,
    run: Option<RunOrder>,
    /// What the numbers that it takes for itself are made from: one that was forgotten is the same again.
    secret: SessionKey,
    /// Messages that it has sent, in whatever session.
    sent: u64,
    /// The newest of what is wanted, until it is taken.
    wanted: Option<Wanted>,
    exchange: Option<Exchange>,
    part: Option<(PointKey, Vec<String>)>,
    done: Option<HostProgress>,
    must_stop: bool,
    /// The last point that is over.
    over: Option<PointKey>,
    /// Whether its part of the point that it is at is stored on this host.
    is_stored: bool,
    /// The offset by the exchanges after a part.
    compared: Option<Offset>,
    /// Questions for the coordinator's clock until now: an answer is to one of them.
    asked: u32,
    out: Vec<Out>,
}

/// The agent in a session.
struct Membership {
    key: SessionKey,
    own: String,
    fresh: Freshness,
    heard_ns: u64,
}

impl AgentLink {
    pub(crate) fn new(fleet_name: &str, name: &str, fleet: FleetKey, info: AgentInfo) -> Result<Self, KeyError> {
        let secret = FleetKey::new(&random_hex(32)?)?.of_session(name);
        Ok(Self {
            secret,
            sent: 0,
            name: name.to_owned(),
            fleet,
            subjects: Subjects::new(fleet_name),
            info,
            offers: BTreeMap::new(),
            member_of: None,
            state: State::Joining,
            told_ns: 0,
            run: None,
            wanted: None,
            exchange: None,
            part: None,
            done: None,
            must_stop: false,
            over: None,
            is_stored: false,
            compared: None,
            asked: 0,
            out: Vec::new(),
        })
    }

    /// The subjects that it listens to.
    pub(crate) fn listens_to(&self) -> [String; 2] {
        [self.subjects.all(), self.subjects.to(&self.name)]
    }

    /// The target that the coordinator gives, if it does.
    pub(crate) fn given_target(&self) -> Option<SentTarget> {
        let (session, run) = self.run()?;
        let RunOn::Data(run) = &run.on else { return None };
        run.target.as_ref()?.open(&self.offers.get(session)?.key)
    }

    /// The run that it belongs to, if to one.
    pub(crate) fn run(&self) -> Option<(&str, &RunOrder)> {
        self.member_of.as_deref().zip(self.run.as_ref())
    }

    /// What the coordinator wants now, once for each change.
    pub(crate) fn take_wanted(&mut self) -> Option<Wanted> {
        self.wanted.take()
    }

    /// Whether what is at work must end: the point is over, or the coordinator is lost.
    pub(crate) fn take_must_stop(&mut self) -> bool {
        std::mem::take(&mut self.must_stop)
    }

    /// What its sessions have done in their window so far.
    pub(crate) fn set_done(&mut self, done: HostProgress) {
        self.done = Some(done);
    }

    /// Tells where it is from now on.
    pub(crate) fn set_state(&mut self, now_ns: u64, state: State) {
        self.is_stored &= matches!(state, State::Working(_) | State::Done { .. });
        self.state = state;
        self.tell(now_ns);
    }

    /// Its sessions are prepared: compares clocks, then tells so.
    pub(crate) fn prepared(&mut self, now_ns: u64, key: PointKey, ready: Ready) {
        self.compare_clocks(now_ns, key, Some(ready));
    }

    /// Its sessions have ended their work, and its part is stored: compares clocks once more.
    pub(crate) fn worked(&mut self, now_ns: u64, key: PointKey) {
        self.is_stored = true;
        self.compared = None;
        self.compare_clocks(now_ns, key, None);
    }

    /// The offset after its part, once it is known.
    pub(crate) fn compared(&self) -> Option<Offset> {
        self.compared
    }

    /// The offset of its clock, once it is compared for a point.
    pub(crate) fn offset(&self) -> Option<Offset> {
        if let State::Ready { offset, .. } = &self.state { Some(*offset) } else { None }
    }

    /// Its part is stored: sends it, and again what does not arrive.
    pub(crate) fn done(&mut self, now_ns: u64, key: PointKey, pieces: Vec<String>) {
        let offset = self.compared;
        let of = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        self.is_stored = true;
        self.part = Some((key.clone(), pieces));
        self.set_state(now_ns, State::Done { key, pieces: of, offset });
        self.send_pieces(&(0..of).collect::<Vec<_>>());
    }

    fn send_pieces(&mut self, which: &[u32]) {
        let Some((key, pieces)) = self.part.clone() else { return };
        let of = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        for n in which {
            if let Some(data) = pieces.get(*n as usize) {
                self.send(FromAgent::Piece { key: key.clone(), n: *n, of, data: data.clone() });
            }
        }
    }

    fn tell(&mut self, now_ns: u64) {
        self.told_ns = now_ns;
        if let (State::Working(key), Some(done)) = (&self.state, self.done) {
            self.send(FromAgent::Progress { key: key.clone(), done });
        }
        self.send(FromAgent::State(self.state.clone()));
    }

    fn send(&mut self, message: FromAgent) {
        if let Some(session) = self.member_of.clone() {
            self.send_in(&session, message);
        }
    }

    fn send_in(&mut self, session: &str, message: FromAgent) {
        let Some(member) = self.offers.get_mut(session) else { return };
        self.sent += 1;
        let subject = self.subjects.from(&self.name);
        let envelope = Envelope::new(session, &member.own, self.sent, message);
        self.out.push(Out { payload: envelope.sealed(&member.key, &subject), subject });
    }

    /// Somebody asks who is there.
    fn sought(&mut self, now_ns: u64, session: &str) {
        if self.member_of.as_deref() == Some(session) {
            // A coordinator that lost sight of it.
            let state = self.state.clone();
            self.send_in(session, FromAgent::Here(Box::new(self.info.clone())));
            self.send_in(session, FromAgent::State(state));
            return;
        }
        if !self.offers.contains_key(session) {
            while self.offers.len() >= MOST_OFFERS {
                let least = |(_, member): &(&String, &Membership)| member.heard_ns;
                let others = self.offers.iter().filter(|(name, _)| Some(*name) != self.member_of.as_ref());
                let Some(oldest) = others.min_by_key(least).map(|(name, _)| name.clone()) else { break };
                self.offers.remove(&oldest);
            }
            let (key, own) = (self.fleet.of_session(session), self.secret.number(session));
            let member = Membership { key, own, fresh: Freshness::default(), heard_ns: now_ns };
            self.offers.insert(session.to_owned(), member);
        }
        let message = match self.is_held(now_ns) {
            true => FromAgent::Busy,
            false => FromAgent::Here(Box::new(self.info.clone())),
        };
        self.send_in(session, message);
    }

    /// Whether it still belongs to the run of a point. Another coordinator may have taken it when the first was lost.
    pub(crate) fn is_of(&self, point: &PointKey, now_ns: u64) -> bool {
        self.member_of.as_ref() == Some(&point.session) && self.is_held(now_ns)
    }

    /// Whether its coordinator is there.
    fn is_held(&self, now_ns: u64) -> bool {
        self.silence_ns(now_ns).is_some_and(|silence_ns| silence_ns < LOST_NS)
    }

    /// How long its coordinator has said nothing.
    fn silence_ns(&self, now_ns: u64) -> Option<u64> {
        let member = self.offers.get(self.member_of.as_ref()?)?;
        Some(now_ns.saturating_sub(member.heard_ns))
    }

    fn leave(&mut self) {
        self.member_of = None;
        self.run = None;
        self.wanted = None;
        self.exchange = None;
        self.must_stop = true;
    }

    fn wants(&mut self, now_ns: u64, session: &str, wanted: Wanted) {
        if self.member_of.as_deref() != Some(session) {
            // Whoever joins begins, or comes back in another life with a part that is kept. A run that is measured is
            // not left for another.
            let run = match &wanted {
                Wanted::Joined(run) => Some(run.clone()),
                Wanted::Started { .. } => None,
                _ => return,
            };
            if self.is_held(now_ns) {
                return;
            }
            self.leave();
            self.part = None;
            self.member_of = Some(session.to_owned());
            self.run = run;
            self.wanted = Some(wanted);
            self.set_state(now_ns, State::Joining);
            return;
        }
        match &wanted {
            Wanted::Left => return self.leave(),
            Wanted::Over { key, is_recorded } => {
                self.over = Some(key.clone());
                if self.is_at(key) {
                    self.must_stop = true;
                    self.exchange = None;
                }
                if *is_recorded && self.part.as_ref().is_some_and(|(of, _)| of == key) {
                    self.part = None;
                }
            }
            // What was asked before is not done again.
            Wanted::Prepared { key, .. } if self.is_at(key) || self.has_ended(key) => return,
            // Whoever has begun, or has not prepared itself yet, is told again what it knows.
            Wanted::Started { key, .. } if self.has_ended(key) || self.has_begun(key) => return,
            Wanted::Sent { key, pieces } => {
                if self.part.as_ref().is_some_and(|(of, _)| of == key) {
                    let pieces = pieces.clone();
                    self.send_pieces(&pieces);
                }
                return;
            }
            Wanted::Joined(_) | Wanted::Prepared { .. } | Wanted::Started { .. } => {}
        }
        self.wanted = Some(wanted);
    }

    /// Whether the coordinator has said that a point is over.
    pub(crate) fn is_over(&self, point: &PointKey) -> bool {
        self.over.as_ref() == Some(point)
    }

    /// Whether it is busy with a point.
    fn is_at(&self, point: &PointKey) -> bool {
        matches!(&self.state, State::Preparing(key) | State::Ready { key, .. } | State::Working(key) if key == point)
    }

    /// Whether its sessions work, or are not prepared yet.
    fn has_begun(&self, point: &PointKey) -> bool {
        matches!(&self.state, State::Preparing(key) | State::Working(key) if key == point)
    }

    /// Whether its part of a point has ended.
    pub(crate) fn has_ended(&self, point: &PointKey) -> bool {
        matches!(&self.state, State::Done { key, .. } | State::Failed { key, .. } | State::NoPart { key, .. } if key == point)
    }

    fn compare_clocks(&mut self, now_ns: u64, key: PointKey, ready: Option<Ready>) {
        self.exchange = Some(Exchange::new(key, ready));
        self.ask(now_ns);
    }

    /// Begins the next exchange. Its number is another one: a late answer is none to this question.
    fn ask(&mut self, now_ns: u64) {
        let Some(exchange) = &mut self.exchange else { return };
        self.asked = self.asked.wrapping_add(1);
        exchange.asks(now_ns, self.asked);
        self.send(FromAgent::Ping { n: self.asked });
    }

    fn pong(&mut self, now_ns: u64, n: u32, coordinator_ns: u64) {
        let Some(exchange) = &mut self.exchange else { return };
        if !exchange.takes(now_ns, n, coordinator_ns) {
            return;
        }
        let Some(offset) = exchange.offset() else { return self.ask(now_ns) };
        match self.exchange.take() {
            Some(Exchange { key, ready: Some(ready), .. }) => {
                self.set_state(now_ns, State::Ready { key, ready: Box::new(ready), offset });
            }
            _ => self.compared = Some(offset),
        }
    }

    fn hear(&mut self, now_ns: u64, subject: &str, payload: &[u8]) {
        // Whoever may send here, but has no key, shall cost little.
        if payload.len() > MOST_BYTES {
            return;
        }
        let known =
            self.member_of.as_ref().and_then(|session| Some((session.clone(), self.offers.get(session)?.key.clone())));
        let Some(envelope) = Envelope::<ToAgent>::open(&self.fleet, known.as_ref(), subject, payload) else { return };
        let Envelope { session, agent, n, message, .. } = envelope;
        if message == ToAgent::Seek {
            if subject == self.subjects.all() {
                self.sought(now_ns, &session);
            }
            return;
        }
        if subject != self.subjects.to(&self.name) {
            return;
        }
        // The agent's own number tells that the message is of this life of both.
        let Some(member) = self.offers.get_mut(&session).filter(|member| member.own == agent) else { return };
        if !member.fresh.is_new(n) {
            return;
        }
        member.heard_ns = now_ns;
        let is_newest = member.fresh.is_newest(n);
        match message {
            ToAgent::Seek => {}
            ToAgent::Wanted(wanted) if is_newest => self.wants(now_ns, &session, wanted),
            ToAgent::Wanted(_) => {}
            ToAgent::Pong { n, now_ns: coordinator_ns } => self.pong(now_ns, n, coordinator_ns),
        }
    }
}

impl Link for AgentLink {
    // Only the coordinator has to know at once whether the server is there.
    const PING: Duration = Duration::from_secs(60);

    fn receive(&mut self, now_ns: u64, subject: &str, payload: &[u8]) -> bool {
        let (member_of, exchanges) = (self.member_of.clone(), self.exchange.is_some());
        self.hear(now_ns, subject, payload);
        // Others wait for what is wanted, for the end of an exchange, and for the end of a run.
        self.wanted.is_some() || member_of != self.member_of || exchanges != self.exchange.is_some()
    }

    fn tick(&mut self, now_ns: u64) {
        // What is stored waits for its coordinator, for a while; what is at work does not.
        let limit_ns = if self.is_stored { AWAY_NS } else { LOST_NS };
        if self.silence_ns(now_ns).is_some_and(|silence_ns| silence_ns >= limit_ns) {
            self.leave();
        }
        if self.member_of.is_some() && now_ns.saturating_sub(self.told_ns) >= BEAT_NS {
            self.tell(now_ns);
        }
        if self.exchange.as_ref().is_some_and(|exchange| exchange.is_overdue(now_ns)) {
            self.ask(now_ns);
        }
    }

    fn rests_ns(&self, now_ns: u64) -> u64 {
        if self.member_of.is_none() {
            return IDLE_NS;
        }
        // While it works, a thread that wakes late also tells that the host stands still.
        if self.exchange.is_some() || matches!(self.state, State::Working(_)) {
            return TICK_NS;
        }
        (self.told_ns + BEAT_NS).saturating_sub(now_ns).max(1)
    }

    fn take_out(&mut self) -> Vec<Out> {
        std::mem::take(&mut self.out)
    }
}

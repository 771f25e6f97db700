//! A network that loses, delays, repeats and reorders messages, and the ends that speak over it, in simulated time.

use crate::agent_link::AgentLink;
use crate::coordinator_link::CoordinatorLink;
use crate::message::{AgentInfo, DataRun, PointKey, RunOn, RunOrder, State, Wanted};
use crate::parts::pieces;
use crate::seal::FleetKey;
use crate::{Link, Out};
use dbdyno_run::{PartOrder, Ready};
use dbdyno_stats::SplitMix64;
use std::collections::BTreeMap;

pub(super) const MS: u64 = 1_000_000;
pub(super) const STEP_NS: u64 = 10 * MS;

/// What the network does to messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weather {
    pub(super) lost_pct: u64,
    pub(super) twice_pct: u64,
    pub(super) delay_ms: u64,
}

pub(super) const FAIR: Weather = Weather { lost_pct: 0, twice_pct: 0, delay_ms: 1 };

/// An agent with work that takes its time.
pub(super) struct SimulatedAgent {
    pub(super) name: String,
    pub(super) link: AgentLink,
    /// What its clock shows more than the coordinator's.
    pub(super) ahead_ns: u64,
    /// When its network thread looks again, on its own clock, unless a message comes before.
    rests_until_ns: u64,
    pub(super) is_dead: bool,
    pub(super) prepares_until_ns: Option<(u64, PointKey)>,
    pub(super) works_until_ns: Option<(u64, PointKey)>,
    pub(super) began_ns: Option<u64>,
    /// Parts that it has measured, by their points.
    pub(super) measured: Vec<PointKey>,
    pub(super) was_stopped: bool,
}

pub(super) struct World {
    pub(super) now_ns: u64,
    pub(super) random: SplitMix64,
    pub(super) weather: Weather,
    pub(super) coordinator: Option<CoordinatorLink>,
    /// As of an agent.
    coordinator_rests_until_ns: u64,
    pub(super) agents: Vec<SimulatedAgent>,
    /// Moment, order, message.
    pub(super) under_way: BTreeMap<(u64, u64), Out>,
    pub(super) sent: u64,
    /// Messages to a subject that were lost since one arrived.
    pub(super) lost_in_a_row: BTreeMap<String, u32>,
    /// All that was ever sent.
    pub(super) heard: Vec<Out>,
}

pub(super) fn key() -> FleetKey {
    FleetKey::new(&"k".repeat(32)).unwrap()
}

pub(super) fn order() -> PartOrder {
    let json = r#"{"sessions":{"planned":{"subject":{"kind":"test","name":"T611"},"drive":"server","dop":{"nodes":1,"jobs":2,"threads":1},
        "rows_per_tx":1,"repeat":1,"duration_s":2.0,"commit":"durable","mapping":{"kind":"native"},"definition":"d"},
        "share":{"jobs_before":0,"jobs":1,"jobs_after":1,"connections":null},"asked_per_s":null,"node":null}}"#;
    serde_json::from_str(json).unwrap()
}

pub(super) fn run() -> RunOrder {
    let data = DataRun {
        engine: "null".to_owned(),
        size: "D".to_owned(),
        seed: 1,
        workload: None,
        token: None,
        is_sampled: true,
        target: None,
    };
    RunOrder { run: "r".to_owned(), on: RunOn::Data(data) }
}

/// The text of an agent's part: longer than a piece where that is wanted.
pub(super) fn part(name: &str, point: &PointKey) -> String {
    format!("{name} {} ", point.attempt).repeat(60_000)
}

impl World {
    pub(super) fn new(agents: usize, seed: u64, weather: Weather) -> Self {
        let agents = (0..agents).map(|n| {
            let name = format!("a{n}");
            SimulatedAgent {
                link: AgentLink::new("f", &name, key(), AgentInfo { weight: 1.0, ..AgentInfo::default() }).unwrap(),
                name,
                ahead_ns: n as u64 * 1_000 * MS,
                rests_until_ns: 0,
                is_dead: false,
                prepares_until_ns: None,
                works_until_ns: None,
                began_ns: None,
                measured: Vec::new(),
                was_stopped: false,
            }
        });
        Self {
            now_ns: 10_000 * MS,
            random: SplitMix64::new(seed),
            weather,
            coordinator: Some(CoordinatorLink::new("f", key()).unwrap()),
            coordinator_rests_until_ns: 0,
            agents: agents.collect(),
            under_way: BTreeMap::new(),
            sent: 0,
            lost_in_a_row: BTreeMap::new(),
            heard: Vec::new(),
        }
    }

    pub(super) fn coordinator(&mut self) -> &mut CoordinatorLink {
        self.coordinator.as_mut().unwrap()
    }

    pub(super) fn point(&mut self, attempt: u64) -> PointKey {
        PointKey { session: self.coordinator().session().to_owned(), attempt }
    }

    pub(super) fn send(&mut self, out: Out) {
        self.heard.push(out.clone());
        let copies = 1 + u64::from(self.random.below(100) < self.weather.twice_pct);
        for _ in 0..copies {
            // Many in a row would be a silence, and whoever is silent is lost.
            let in_a_row = self.lost_in_a_row.entry(out.subject.clone()).or_default();
            if self.random.below(100) < self.weather.lost_pct && *in_a_row < 2 {
                *in_a_row += 1;
                continue;
            }
            *in_a_row = 0;
            let at_ns = self.now_ns + self.random.below(self.weather.delay_ms * MS);
            self.sent += 1;
            self.under_way.insert((at_ns, self.sent), out.clone());
        }
    }

    pub(super) fn step(&mut self) {
        self.now_ns += STEP_NS;
        let later = self.under_way.split_off(&(self.now_ns, u64::MAX));
        let due = std::mem::replace(&mut self.under_way, later);
        for (_, Out { subject, payload }) in due {
            if subject.contains(".from.") {
                if let Some(coordinator) = &mut self.coordinator {
                    coordinator.receive(self.now_ns, &subject, &payload);
                    self.coordinator_rests_until_ns = 0;
                }
                continue;
            }
            for agent in self.agents.iter_mut().filter(|agent| !agent.is_dead) {
                if agent.link.listens_to().contains(&subject) {
                    agent.link.receive(self.now_ns + agent.ahead_ns, &subject, &payload);
                    agent.rests_until_ns = 0;
                }
            }
        }
        let mut out = Vec::new();
        if let Some(coordinator) = &mut self.coordinator {
            if self.now_ns >= self.coordinator_rests_until_ns {
                coordinator.tick(self.now_ns);
                self.coordinator_rests_until_ns = self.now_ns + coordinator.rests_ns(self.now_ns);
            }
            out.extend(coordinator.take_out());
        }
        for agent in self.agents.iter_mut().filter(|agent| !agent.is_dead) {
            agent.work(self.now_ns + agent.ahead_ns, &mut self.random);
            out.extend(agent.link.take_out());
        }
        out.into_iter().for_each(|out| self.send(out));
    }

    /// Steps until something holds, at most so long.
    pub(super) fn until(&mut self, limit_ms: u64, mut holds: impl FnMut(&mut Self) -> bool) -> bool {
        let until_ns = self.now_ns + limit_ms * MS;
        while self.now_ns < until_ns {
            if holds(self) {
                return true;
            }
            self.step();
        }
        holds(self)
    }

    pub(super) fn want_all(&mut self, wanted: impl Fn() -> Wanted) {
        let now_ns = self.now_ns;
        let names: Vec<String> = self.agents.iter().map(|agent| agent.name.clone()).collect();
        names.iter().for_each(|name| self.coordinator().want(now_ns, name, wanted()));
    }

    pub(super) fn states(&mut self, is: impl Fn(&State) -> bool) -> bool {
        let agents = self.agents.len();
        let known = self.coordinator().agents();
        known.len() == agents && known.values().all(|agent| agent.state.as_ref().is_some_and(&is))
    }

    /// Takes the parts that have come; whether those are all.
    pub(super) fn take_parts(
        &mut self,
        names: &[String],
        point: &PointKey,
        taken: &mut BTreeMap<String, String>,
    ) -> bool {
        for name in names {
            if let Some(sent) = self.coordinator().take_part(name, point) {
                assert!(taken.insert(name.clone(), sent.text).is_none(), "a part is taken once");
            }
        }
        taken.len() == names.len()
    }

    /// Has all agents join, and measure a point.
    pub(super) fn measure(&mut self, attempt: u64) {
        let agents = self.agents.len();
        assert!(self.until(30_000, |world| world.coordinator().agents().len() == agents), "all are found");
        self.want_all(|| Wanted::Joined(run()));
        assert!(self.until(30_000, |world| world.states(|state| *state == State::Joined)), "all join");
        let point = self.point(attempt);
        self.want_all(|| Wanted::Prepared { key: point.clone(), order: Box::new(order()) });
        let ready = |state: &State| matches!(state, State::Ready { key, .. } if *key == point);
        assert!(self.until(60_000, |world| world.states(ready)), "all are ready");
        let starts_ns = self.now_ns + 400 * MS;
        self.want_all(|| Wanted::Started { key: point.clone(), starts_ns });
        let names: Vec<String> = self.agents.iter().map(|agent| agent.name.clone()).collect();
        let mut taken = BTreeMap::new();
        assert!(self.until(60_000, |world| world.take_parts(&names, &point, &mut taken)), "all parts come");
        for name in &names {
            assert_eq!(taken[name], part(name, &point), "and they are whole");
        }
        self.want_all(|| Wanted::Over { key: point.clone(), is_recorded: true });
        assert!(self.until(30_000, |world| world.states(|state| *state == State::Joined)), "all wait for the next");
    }
}

impl SimulatedAgent {
    pub(super) fn work(&mut self, now_ns: u64, random: &mut SplitMix64) {
        let looks = now_ns >= self.rests_until_ns;
        if looks {
            self.link.tick(now_ns);
        }
        if self.link.take_must_stop() {
            self.was_stopped |= self.works_until_ns.is_some();
            (self.prepares_until_ns, self.works_until_ns) = (None, None);
        }
        if let Some((until_ns, point)) = self.prepares_until_ns.clone()
            && now_ns >= until_ns
        {
            self.prepares_until_ns = None;
            self.link.prepared(now_ns, point, Ready::default());
        }
        if let Some((until_ns, point)) = self.works_until_ns.clone()
            && now_ns >= until_ns
        {
            self.works_until_ns = None;
            self.measured.push(point.clone());
            self.link.done(now_ns, point.clone(), pieces(&part(&self.name, &point)));
        }
        match self.link.take_wanted() {
            Some(Wanted::Joined(_)) => self.link.set_state(now_ns, State::Joined),
            Some(Wanted::Prepared { key, .. }) => {
                self.link.set_state(now_ns, State::Preparing(key.clone()));
                self.prepares_until_ns = Some((now_ns + random.below(300) * MS, key));
            }
            Some(Wanted::Started { key, starts_ns }) => {
                if let Some(offset) = self.link.offset() {
                    let begins_ns = starts_ns.saturating_add_signed(offset.offset_ns);
                    self.began_ns = Some(begins_ns - self.ahead_ns);
                    self.link.set_state(now_ns, State::Working(key.clone()));
                    self.works_until_ns = Some((begins_ns + 1_000 * MS, key));
                }
            }
            Some(Wanted::Over { is_recorded: true, .. }) => self.link.set_state(now_ns, State::Joined),
            Some(Wanted::Over { .. } | Wanted::Sent { .. } | Wanted::Left) | None => {}
        }
        if looks {
            self.rests_until_ns = now_ns + self.link.rests_ns(now_ns);
        }
    }
}

/// A world in which all work.
pub(super) fn at_work(agents: usize) -> (World, PointKey) {
    let mut world = World::new(agents, 3, FAIR);
    assert!(world.until(5_000, |world| world.coordinator().agents().len() == agents));
    world.want_all(|| Wanted::Joined(run()));
    assert!(world.until(5_000, |world| world.states(|state| *state == State::Joined)));
    let point = world.point(1);
    world.want_all(|| Wanted::Prepared { key: point.clone(), order: Box::new(order()) });
    assert!(world.until(5_000, |world| world.states(|state| matches!(state, State::Ready { .. }))));
    let starts_ns = world.now_ns;
    world.want_all(|| Wanted::Started { key: point.clone(), starts_ns });
    assert!(world.until(500, |world| world.states(|state| matches!(state, State::Working(_)))));
    (world, point)
}

//! Both ends of the conversation over a network that loses, delays, repeats and reorders messages, with agents and
//! coordinators that die, and with somebody who replays what he has heard.

use crate::agent_link::AgentLink;
use crate::coordinator_link::CoordinatorLink;
use crate::message::{AgentInfo, PointKey, RunOrder, State, Wanted};
use crate::parts::pieces;
use crate::seal::FleetKey;
use crate::{Link, Out};
use dbdyno_run::{PartOrder, Ready};
use proptest::prelude::*;
use std::collections::BTreeMap;

const MS: u64 = 1_000_000;
const STEP_NS: u64 = 10 * MS;

/// What the network does to messages.
#[derive(Debug, Clone, Copy)]
struct Weather {
    lost_pct: u64,
    twice_pct: u64,
    delay_ms: u64,
}

const FAIR: Weather = Weather { lost_pct: 0, twice_pct: 0, delay_ms: 1 };

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }
}

/// An agent with work that takes its time.
struct SimulatedAgent {
    name: String,
    link: AgentLink,
    /// What its clock shows more than the coordinator's.
    ahead_ns: u64,
    is_dead: bool,
    prepares_until_ns: Option<(u64, PointKey)>,
    works_until_ns: Option<(u64, PointKey)>,
    began_ns: Option<u64>,
    /// Parts that it has measured, by their points.
    measured: Vec<PointKey>,
    was_stopped: bool,
}

struct World {
    now_ns: u64,
    dice: Dice,
    weather: Weather,
    coordinator: Option<CoordinatorLink>,
    agents: Vec<SimulatedAgent>,
    /// Moment, order, message.
    under_way: BTreeMap<(u64, u64), Out>,
    sent: u64,
    /// All that was ever sent.
    heard: Vec<Out>,
}

fn key() -> FleetKey {
    FleetKey::new(&"k".repeat(32)).unwrap()
}

fn order() -> PartOrder {
    let json = r#"{"planned":{"subject":{"kind":"test","name":"T611"},"drive":"server","dop":{"nodes":1,"jobs":2,"threads":1},
        "rows_per_tx":1,"repeat":1,"duration_s":2.0,"commit":"durable","mapping":{"kind":"native"},"definition":"d"},
        "share":{"jobs_before":0,"jobs":1,"jobs_after":1,"connections":null},"asked_per_s":null,"node":null}"#;
    serde_json::from_str(json).unwrap()
}

fn run() -> RunOrder {
    RunOrder {
        run: "r".to_owned(),
        engine: "null".to_owned(),
        size: "D".to_owned(),
        seed: 1,
        workload: None,
        token: None,
        is_sampled: true,
    }
}

/// The text of an agent's part: longer than a piece where that is wanted.
fn part(name: &str, point: &PointKey) -> String {
    format!("{name} {} ", point.attempt).repeat(60_000)
}

impl World {
    fn new(agents: usize, seed: u64, weather: Weather) -> Self {
        let agents = (0..agents).map(|n| {
            let name = format!("a{n}");
            SimulatedAgent {
                link: AgentLink::new("f", &name, key(), AgentInfo { weight: 1.0, ..AgentInfo::default() }).unwrap(),
                name,
                ahead_ns: n as u64 * 1_000 * MS,
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
            dice: Dice(seed | 1),
            weather,
            coordinator: Some(CoordinatorLink::new("f", key()).unwrap()),
            agents: agents.collect(),
            under_way: BTreeMap::new(),
            sent: 0,
            heard: Vec::new(),
        }
    }

    fn coordinator(&mut self) -> &mut CoordinatorLink {
        self.coordinator.as_mut().unwrap()
    }

    fn point(&mut self, attempt: u64) -> PointKey {
        PointKey { session: self.coordinator().session().to_owned(), attempt }
    }

    fn send(&mut self, out: Out) {
        self.heard.push(out.clone());
        let copies = 1 + u64::from(self.dice.below(100) < self.weather.twice_pct);
        for _ in 0..copies {
            if self.dice.below(100) < self.weather.lost_pct {
                continue;
            }
            let at_ns = self.now_ns + self.dice.below(self.weather.delay_ms * MS);
            self.sent += 1;
            self.under_way.insert((at_ns, self.sent), out.clone());
        }
    }

    fn step(&mut self) {
        self.now_ns += STEP_NS;
        let later = self.under_way.split_off(&(self.now_ns, u64::MAX));
        let due = std::mem::replace(&mut self.under_way, later);
        for (_, Out { subject, payload }) in due {
            if subject.contains(".from.") {
                if let Some(coordinator) = &mut self.coordinator {
                    coordinator.receive(self.now_ns, &subject, &payload);
                }
                continue;
            }
            for agent in self.agents.iter_mut().filter(|agent| !agent.is_dead) {
                if agent.link.listens_to().contains(&subject) {
                    agent.link.receive(self.now_ns + agent.ahead_ns, &subject, &payload);
                }
            }
        }
        let mut out = Vec::new();
        if let Some(coordinator) = &mut self.coordinator {
            coordinator.tick(self.now_ns);
            out.extend(coordinator.take_out());
        }
        for agent in self.agents.iter_mut().filter(|agent| !agent.is_dead) {
            agent.work(self.now_ns + agent.ahead_ns, &mut self.dice);
            out.extend(agent.link.take_out());
        }
        out.into_iter().for_each(|out| self.send(out));
    }

    /// Steps until something holds, at most so long.
    fn until(&mut self, limit_ms: u64, holds: impl Fn(&mut Self) -> bool) -> bool {
        let until_ns = self.now_ns + limit_ms * MS;
        while self.now_ns < until_ns {
            if holds(self) {
                return true;
            }
            self.step();
        }
        holds(self)
    }

    fn want_all(&mut self, wanted: impl Fn() -> Wanted) {
        let now_ns = self.now_ns;
        let names: Vec<String> = self.agents.iter().map(|agent| agent.name.clone()).collect();
        names.iter().for_each(|name| self.coordinator().want(now_ns, name, wanted()));
    }

    fn states(&mut self, is: impl Fn(&State) -> bool) -> bool {
        let agents = self.agents.len();
        let known = self.coordinator().agents();
        known.len() == agents && known.values().all(|agent| agent.state.as_ref().is_some_and(&is))
    }

    /// Has all agents join, and measure a point.
    fn measure(&mut self, attempt: u64) {
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
        let there = |world: &mut Self| names.iter().all(|name| world.coordinator().part(name, &point).is_some());
        assert!(self.until(60_000, there), "all parts come");
        for name in &names {
            assert_eq!(self.coordinator().part(name, &point).unwrap(), part(name, &point), "and they are whole");
        }
        self.want_all(|| Wanted::Over { key: point.clone(), is_recorded: true });
        assert!(self.until(30_000, |world| world.states(|state| *state == State::Joined)), "all wait for the next");
    }
}

impl SimulatedAgent {
    fn work(&mut self, now_ns: u64, dice: &mut Dice) {
        self.link.tick(now_ns);
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
                self.prepares_until_ns = Some((now_ns + dice.below(300) * MS, key));
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
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the network does short of a silence, every part comes, once and whole, and no point is measured twice.
    #[test]
    fn a_bad_network_loses_and_doubles_nothing(
        seed in any::<u64>(),
        agents in 1usize..8,
        lost_pct in 0u64..15,
        twice_pct in 0u64..30,
        delay_ms in 1u64..120,
    ) {
        let mut world = World::new(agents, seed, Weather { lost_pct, twice_pct, delay_ms });
        for attempt in 1..=3 {
            world.measure(attempt);
        }
        for agent in &world.agents {
            let attempts: Vec<u64> = agent.measured.iter().map(|point| point.attempt).collect();
            prop_assert_eq!(attempts, vec![1, 2, 3]);
        }
    }

    /// Whatever somebody has heard and sends again, in whatever order, changes nothing in another session.
    #[test]
    fn what_is_replayed_changes_nothing(seed in any::<u64>()) {
        let mut first = World::new(3, seed, FAIR);
        first.measure(1);
        let heard = std::mem::take(&mut first.heard);
        // The same agents, and another coordinator.
        let mut second = World::new(0, seed, FAIR);
        second.now_ns = first.now_ns + 10_000 * MS;
        second.agents = std::mem::take(&mut first.agents);
        second.agents.iter_mut().for_each(|agent| agent.measured.clear());
        for _ in 0..500 {
            let out = heard[second.dice.below(heard.len() as u64) as usize].clone();
            let at_ns = second.now_ns + second.dice.below(8_000) * MS;
            second.sent += 1;
            second.under_way.insert((at_ns, second.sent), out);
        }
        second.measure(1);
        prop_assert!(second.agents.iter().all(|agent| agent.measured.len() == 1));
        prop_assert_eq!(second.coordinator().twice().count(), 0);
    }
}

#[test]
fn clocks_that_differ_begin_at_one_moment() {
    let mut world = World::new(5, 7, Weather { lost_pct: 0, twice_pct: 0, delay_ms: 5 });
    world.measure(1);
    let began: Vec<u64> = world.agents.iter().map(|agent| agent.began_ns.unwrap()).collect();
    let spread_ns = began.iter().max().unwrap() - began.iter().min().unwrap();
    // Messages come with the steps of the world.
    assert!(spread_ns <= 2 * STEP_NS, "{began:?}");
}

/// A world in which all work.
fn at_work(agents: usize) -> (World, PointKey) {
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

#[test]
fn an_agent_that_dies_is_missed_within_two_seconds() {
    let (mut world, _) = at_work(3);
    world.agents[1].is_dead = true;
    let died_ns = world.now_ns;
    let is_lost = |world: &mut World| {
        let now_ns = world.now_ns;
        world.coordinator().agents()["a1"].is_lost(now_ns)
    };
    assert!(world.until(3_000, is_lost));
    assert!(world.now_ns - died_ns <= 2_000 * MS);
    let now_ns = world.now_ns;
    assert!(!world.coordinator().agents()["a0"].is_lost(now_ns));
}

#[test]
fn agents_stop_within_two_seconds_of_losing_the_coordinator() {
    let (mut world, _) = at_work(3);
    // They have a long way to go.
    world.agents.iter_mut().for_each(|agent| agent.works_until_ns.as_mut().unwrap().0 += 60_000 * MS);
    world.coordinator = None;
    let died_ns = world.now_ns;
    assert!(world.until(3_000, |world| world.agents.iter().all(|agent| agent.was_stopped)));
    assert!(world.now_ns - died_ns <= 2_000 * MS);
    // Whoever comes next finds them.
    world.coordinator = Some(CoordinatorLink::new("f", key()).unwrap());
    world.measure(2);
}

#[test]
fn a_part_that_is_done_waits_for_a_coordinator_that_is_away() {
    let (mut world, point) = at_work(2);
    let away = world.coordinator.take();
    // Their work ends before they miss anybody.
    world.agents.iter_mut().for_each(|agent| agent.works_until_ns.as_mut().unwrap().0 = 0);
    world.until(20_000, |_| false);
    world.coordinator = away;
    let there = |world: &mut World| ["a0", "a1"].iter().all(|name| world.coordinator().part(name, &point).is_some());
    assert!(world.until(5_000, there));
}

#[test]
fn a_run_is_not_left_for_another_and_one_name_is_one_agent() {
    let (mut world, _) = at_work(2);
    let mut other = CoordinatorLink::new("f", key()).unwrap();
    for _ in 0..200 {
        world.step();
        other.tick(world.now_ns);
        other.take_out().into_iter().for_each(|out| world.send(out));
        let heard: Vec<Out> = world.under_way.values().cloned().collect();
        let now_ns = world.now_ns;
        heard.iter().for_each(|Out { subject, payload }| other.receive(now_ns, subject, payload));
        ["a0", "a1"].iter().for_each(|name| other.want(now_ns, name, Wanted::Joined(run())));
    }
    assert!(other.agents().values().all(|agent| agent.info.is_none()), "they say that they are busy");
    assert!(world.agents.iter().all(|agent| agent.measured.len() == 1 && !agent.was_stopped));

    let mut world = World::new(2, 1, FAIR);
    world.agents[1].link = AgentLink::new("f", "a0", key(), AgentInfo::default()).unwrap();
    assert!(world.until(5_000, |world| world.coordinator().twice().next().is_some()));
}

#[test]
fn whoever_has_another_key_is_not_heard() {
    let mut world = World::new(2, 1, FAIR);
    let stranger = FleetKey::new(&"s".repeat(32)).unwrap();
    world.agents[1].link = AgentLink::new("f", "a1", stranger, AgentInfo::default()).unwrap();
    world.until(5_000, |_| false);
    assert_eq!(world.coordinator().agents().keys().collect::<Vec<_>>(), ["a0"]);
}

/// Somebody without the key sends an agent's first words again and again: a dead agent is missed all the same.
#[test]
fn what_a_dead_agent_has_said_keeps_it_not_alive() {
    let (mut world, _) = at_work(2);
    let heard = world.heard.clone();
    world.agents[1].is_dead = true;
    let died_ns = world.now_ns;
    while world.now_ns < died_ns + 3_000 * MS {
        let said = heard.iter().filter(|out| out.subject.ends_with(".from.a1")).cloned().collect::<Vec<_>>();
        let now_ns = world.now_ns;
        said.iter().for_each(|out| world.coordinator().receive(now_ns, &out.subject, &out.payload));
        world.step();
    }
    let now_ns = world.now_ns;
    assert!(world.coordinator().agents()["a1"].is_lost(now_ns));
}

/// Old questions who is there do not make an agent a second one.
#[test]
fn many_old_sessions_make_no_second_agent() {
    let mut old = Vec::new();
    for _ in 0..20 {
        let mut coordinator = CoordinatorLink::new("f", key()).unwrap();
        coordinator.tick(10_000 * MS);
        old.extend(coordinator.take_out());
    }
    let mut world = World::new(1, 5, FAIR);
    for _ in 0..200 {
        old.clone().into_iter().for_each(|out| world.send(out));
        world.step();
    }
    assert_eq!(world.coordinator().twice().count(), 0);
    world.measure(1);
}

/// What ended a part is told, however often the beginning is told again.
#[test]
fn what_ended_a_part_is_told() {
    let (mut world, point) = at_work(1);
    let error = dbdyno_engine::EngineError::other("the session was ended");
    world.agents[0].works_until_ns = None;
    let now_ns = world.now_ns;
    world.agents[0].link.set_state(now_ns, State::Failed { key: point.clone(), error: error.clone() });
    world.until(2_000, |_| false);
    assert!(world.states(|state| *state == State::Failed { key: point.clone(), error: error.clone() }));
    assert_eq!(world.agents[0].link.take_wanted(), None, "nothing is to be done again");
}

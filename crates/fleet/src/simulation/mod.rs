//! Both ends of the conversation over a network that loses, delays, repeats and reorders messages, with agents and
//! coordinators that die, and with somebody who replays what he has heard.

mod world;

use crate::agent_link::AgentLink;
use crate::coordinator_link::CoordinatorLink;
use crate::message::{AgentInfo, State, Wanted};
use crate::seal::FleetKey;
use crate::{Link, Out};
use proptest::prelude::*;
use std::collections::BTreeMap;
use world::{FAIR, MS, STEP_NS, Weather, World, at_work, key, run};

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
            let out = heard[second.random.below(heard.len() as u64) as usize].clone();
            let at_ns = second.now_ns + second.random.below(8_000) * MS;
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

/// Tables may be loaded between the two.
#[test]
fn agents_that_are_found_are_heard_until_they_join() {
    let mut world = World::new(2, 3, FAIR);
    let all_there = |world: &mut World| {
        let now_ns = world.now_ns;
        world.coordinator().agents().values().filter(|agent| !agent.is_lost(now_ns)).count() == 2
    };
    assert!(world.until(3_000, all_there));
    for _ in 0..10 {
        world.until(1_000, |_| false);
        assert!(all_there(&mut world));
    }
    world.measure(1);
    world.coordinator().stop_seeking();
    world.until(3_000, |_| false);
    assert!(all_there(&mut world), "from then on they are heard because something is wanted of them");
}

/// Short of being lost: the coordinator knows for how long.
#[test]
fn an_agent_that_stood_still_was_silent() {
    let (mut world, _) = at_work(2);
    world.agents.iter_mut().for_each(|agent| agent.works_until_ns.as_mut().unwrap().0 += 60_000 * MS);
    world.until(2_000, |_| false);
    world.agents[1].is_dead = true;
    world.until(1_200, |_| false);
    world.agents[1].is_dead = false;
    world.until(2_000, |_| false);
    let silence_ms = |world: &mut World, name: &str| world.coordinator().agents()[name].silence_ns / MS;
    assert!((1_100..1_600).contains(&silence_ms(&mut world, "a1")), "{}", silence_ms(&mut world, "a1"));
    assert!(silence_ms(&mut world, "a0") < 600);
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
    let (mut world, lost) = at_work(3);
    // They have a long way to go.
    world.agents.iter_mut().for_each(|agent| agent.works_until_ns.as_mut().unwrap().0 += 60_000 * MS);
    world.coordinator = None;
    let died_ns = world.now_ns;
    assert!(world.until(3_000, |world| world.agents.iter().all(|agent| agent.was_stopped)));
    assert!(world.now_ns - died_ns <= 2_000 * MS);
    // Whoever comes next finds them.
    world.coordinator = Some(CoordinatorLink::new("f", key()).unwrap());
    world.measure(2);
    // Whoever still waits for the word of the first has to know that none will come.
    let now_ns = world.now_ns;
    for agent in &world.agents {
        assert!(agent.link.run().is_some() && !agent.link.is_of(&lost, now_ns + agent.ahead_ns));
    }
}

#[test]
fn a_part_that_was_taken_is_not_sent_again() {
    let (mut world, point) = at_work(2);
    // The other has a long way to go.
    world.agents[0].works_until_ns.as_mut().unwrap().0 = 0;
    world.agents[1].works_until_ns.as_mut().unwrap().0 += 60_000 * MS;
    assert!(world.until(5_000, |world| world.coordinator().take_part("a0", &point).is_some()));
    world.until(3_000, |_| false);
    assert!(world.coordinator().take_part("a0", &point).is_none());
}

#[test]
fn a_part_that_is_done_waits_for_a_coordinator_that_is_away() {
    let (mut world, point) = at_work(2);
    let away = world.coordinator.take();
    // Their work ends before they miss anybody.
    world.agents.iter_mut().for_each(|agent| agent.works_until_ns.as_mut().unwrap().0 = 0);
    world.until(20_000, |_| false);
    world.coordinator = away;
    let (names, mut taken) = (["a0".to_owned(), "a1".to_owned()], BTreeMap::new());
    assert!(world.until(5_000, |world| world.take_parts(&names, &point, &mut taken)));
}

/// The network falls silent at the end of the window, before the agents could say that they are done.
#[test]
fn a_part_that_is_stored_waits_for_a_network_that_is_away() {
    let (mut world, point) = at_work(2);
    let away = world.coordinator.take();
    let now_ns = world.now_ns;
    for agent in &mut world.agents {
        agent.works_until_ns.as_mut().unwrap().0 += 60_000 * MS;
        agent.link.worked(now_ns + agent.ahead_ns, point.clone());
    }
    world.until(5_000, |_| false);
    assert!(world.agents.iter().all(|agent| !agent.was_stopped && agent.link.run().is_some()));
    world.coordinator = away;
    world.agents.iter_mut().for_each(|agent| agent.works_until_ns.as_mut().unwrap().0 = 0);
    let (names, mut taken) = (["a0".to_owned(), "a1".to_owned()], BTreeMap::new());
    assert!(world.until(5_000, |world| world.take_parts(&names, &point, &mut taken)));
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
        for Out { subject, payload } in &heard {
            other.receive(now_ns, subject, payload);
        }
        ["a0", "a1"].iter().for_each(|name| other.want(now_ns, name, Wanted::Joined(run())));
    }
    assert!(other.agents().values().all(|agent| agent.info.is_none() && agent.is_busy), "they say that they are busy");
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
        for out in &said {
            world.coordinator().receive(now_ns, &out.subject, &out.payload);
        }
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

//! Users who share connections, compared with queueing theory: the wait for a connection is the wait of a customer for
//! a server.

use super::simulated::{Service, Simulation};
use super::theory::Queueing;
use crate::ClientResult;
use dbdyno_model::{Arrivals, ClientLoad, Queue};
use dbdyno_stats::Histogram;

fn simulation(sessions: u32, utilisation: f64, service: Service) -> Simulation {
    let (arrivals, queue) = (Arrivals::Poisson, Queue::Shared);
    Simulation { sessions, utilisation, due: 100_000.0, arrivals, service, queue, seed: 5 }
}

fn mean_s(times: &Histogram) -> f64 {
    times.mean_ns().unwrap() / 1e9
}

#[test]
fn users_of_an_open_loop_wait_for_connections_as_for_servers() {
    for (users, sessions, utilisation) in [(3, 1, 0.6), (24, 8, 0.8), (64, 8, 0.6)] {
        let simulation = simulation(sessions, utilisation, Service::Deterministic);
        let ClientResult { service, response, connection_wait, open_loop, .. } =
            simulation.of_users(users, simulation.load());
        let (wait, response, open) = (connection_wait.unwrap(), response.unwrap(), open_loop.unwrap());
        assert_eq!((wait.count(), response.count()), (service.count() + open.unfinished, wait.count()));
        let (theory, service_s) = (Queueing::new(sessions, utilisation), simulation.service_s());
        assert!((mean_s(&service) / service_s - 1.0).abs() < 1e-3, "a wait is no part of the service time");
        let expected_s = theory.mean_wait() * service_s;
        assert!((mean_s(&wait) / expected_s - 1.0).abs() < 0.1, "{} for {expected_s}", mean_s(&wait));
        for pct in [90.0, 99.0] {
            let (measured, expected) =
                (wait.percentile_ns(pct).unwrap(), theory.wait_percentile(pct) * service_s * 1e9);
            // With many sessions few transactions wait, and chance moves a short wait by more than a tenth.
            let allowed = 0.1 * expected + 0.02 * service_s * 1e9;
            assert!((measured as f64 - expected).abs() < allowed, "{measured} {expected}");
        }
        // Response time is the wait plus the service time.
        let whole_s = mean_s(&wait) + mean_s(&service);
        assert!((mean_s(&response) / whole_s - 1.0).abs() < 2e-3, "{} and {whole_s}", mean_s(&response));
        assert!((open.busy_pct / 100.0 - utilisation).abs() < 0.03, "{open:?}");
    }
}

#[test]
fn overload_is_judged_by_the_connections() {
    for (utilisation, over) in [(0.9, false), (1.1, true)] {
        let simulation = simulation(4, utilisation, Service::Exponential);
        let open = simulation.of_users(32, simulation.load()).open_loop.unwrap();
        assert_eq!(open.busy_pct >= 99.5 && open.waiting > 4, over, "{open:?}");
        assert!(open.due.abs_diff(100_000) < 1_000, "{open:?}");
    }
}

#[test]
fn users_with_queues_of_their_own_share_connections_too() {
    let apart = Simulation { queue: Queue::Session, ..simulation(8, 0.6, Service::Deterministic) };
    let result = apart.of_users(64, apart.load());
    let wait_s = mean_s(&result.connection_wait.unwrap());
    // With this many users, a user is seldom busy when its next transaction is due, so the wait is for a connection.
    let expected_s = Queueing::new(8, 0.6).mean_wait() * apart.service_s();
    assert!((wait_s / expected_s - 1.0).abs() < 0.25, "{wait_s} for {expected_s}");
    assert!(mean_s(&result.response.unwrap()) > wait_s + apart.service_s());
}

/// Little's law: users = throughput x (pause + wait + service), whatever the distributions.
#[test]
fn patient_users_are_thinking_waiting_or_served() {
    for (users, think) in [(40, Some("2ms..6ms")), (100, Some("1ms..2ms")), (9, None)] {
        let simulation = simulation(8, 0.8, Service::Exponential);
        let load = ClientLoad { think: think.map(|text| text.parse().unwrap()), ..ClientLoad::default() };
        let ClientResult { service, connection_wait, response, open_loop, .. } = simulation.of_users(users, load);
        let wait = connection_wait.unwrap();
        assert_eq!((wait.count(), response.is_some(), open_loop.is_some()), (service.count(), false, false));
        let think_s = load.think.map_or(0.0, |think| (think.least_ns + think.most_ns) as f64 / 2e9);
        let there = service.count() as f64 / 10.0 * (think_s + mean_s(&wait) + mean_s(&service));
        assert!((there / f64::from(users) - 1.0).abs() < 0.01, "{there} of {users}");
    }
}

#[test]
fn users_who_have_a_connection_each_wait_for_none() {
    let simulation = simulation(4, 0.5, Service::Exponential);
    assert_eq!(simulation.of_users(4, ClientLoad::default()).connection_wait, None);
}

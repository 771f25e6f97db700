//! Response times of the simulated pump compared with queueing theory.

use super::simulated::{Service, Simulation};
use super::theory::Queueing;
use dbdyno_model::{Arrivals, Queue};

/// Means and percentiles of response times, in service times.
fn measured(sessions: u32, utilisation: f64, queue: Queue) -> [f64; 4] {
    let (arrivals, service, due) = (Arrivals::Poisson, Service::Deterministic, 400_000.0);
    let simulation = Simulation { sessions, utilisation, due, arrivals, service, queue, seed: 5 };
    let response = simulation.run().response.unwrap();
    let service_ns = simulation.service_s() * 1e9;
    let at = |pct| response.percentile_ns(pct).unwrap() as f64 / service_ns;
    [response.mean_ns().unwrap() / service_ns, at(90.0), at(99.0), at(99.9)]
}

#[track_caller]
fn is_near(measured: [f64; 4], theory: &Queueing) {
    let percentiles = [90.0, 99.0, 99.9].map(|pct| 1.0 + theory.wait_percentile(pct));
    for (measured, expected) in measured[1..].iter().zip(percentiles) {
        assert!((measured / expected - 1.0).abs() < 0.05, "{measured} for {expected}");
    }
    let (wait, expected) = (measured[0] - 1.0, theory.mean_wait());
    assert!((wait / expected - 1.0).abs() < 0.05, "mean wait {wait} for {expected}");
}

#[test]
fn sessions_that_share_a_timetable_are_m_d_c() {
    for (sessions, utilisation) in [(1, 0.6), (8, 0.6), (8, 0.8), (64, 0.9)] {
        is_near(measured(sessions, utilisation, Queue::Shared), &Queueing::new(sessions, utilisation));
    }
}

#[test]
fn sessions_with_queues_of_their_own_are_each_m_d_1() {
    is_near(measured(8, 0.6, Queue::Session), &Queueing::new(1, 0.6));
}

/// Known values: 161 ms with a queue for each session, and 30 ms with one queue for all.
#[test]
fn whoever_is_free_serves_sooner() {
    let [apart, shared] = [Queue::Session, Queue::Shared].map(|queue| measured(8, 0.6, queue)[2]);
    assert!(apart > 2.5 * shared, "{apart} and {shared} service times");
}

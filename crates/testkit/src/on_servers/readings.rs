//! Reading a server without data of dbdyno's, as a user with the least rights.

use super::Product;
use crate::conformance::catalogue;
use crate::conformance::readings::is_whole;
use crate::servers::RoundTrips;
use dbdyno_engine::Target;
use dbdyno_model::Counter;
use std::time::{Duration, Instant};

/// The most round trips of a reading.
const ROUND_TRIPS: u64 = 12;
/// Less than the shortest wait for delayed statistics, which is half a second.
const AT_ONCE: Duration = Duration::from_millis(400);

/// A reading takes few round trips, and never waits.
pub fn statistics_are_read_at_once_wherever_one_may_connect<S: Product>() {
    let database = S::fixtures().empty();
    let round_trips = RoundTrips::before(database.server.port);
    let target = database.server.tcp(&database.worker(), &database.name);
    let target = target.replace(&format!(":{}/", database.server.port), &format!(":{}/", round_trips.port));
    let engine = (S::INFO.open)(&Target::parse(&target).unwrap(), &catalogue::size_t()).unwrap();
    let first = engine.statistics().unwrap();
    is_whole(&first);
    for counter in [Counter::Commits, Counter::Rollbacks, Counter::RowsChanged, Counter::LogicalReads] {
        assert!(first.get(counter).is_some(), "{counter:?}: {:?}", first.missing);
    }
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let (asked, began) = (round_trips.count(), Instant::now());
        engine.statistics().unwrap();
        fastest = fastest.min(began.elapsed());
        let asked = round_trips.count() - asked;
        assert!((1..=ROUND_TRIPS).contains(&asked), "{asked} round trips");
    }
    assert!(fastest < AT_ONCE, "{fastest:?}");
}

//! Readings: one second of telemetry after the other, of the machine, the database and dbdyno's own load.
//!
//! A [`Taker`] takes them in a thread of its own, beside a run or without one. What the sessions of a point do comes
//! from [`LiveWork`]: followers of what the point records anyway, so that nothing is added to what is measured. Figures
//! come out of counts in the same code as those of a point. Readings go to whoever listens, and to a
//! [`ReadingsKeeper`](dbdyno_results::ReadingsKeeper) if they are kept.

mod compose;
mod foreign;
mod live_work;
mod stop_if;
mod taker;

use dbdyno_results::ReadingsKeeper;

/// What readings of a run are taken from, and where they are kept until a point is stored.
#[derive(Debug, Default)]
pub struct RunReadings {
    /// What the point that is measured does.
    pub live: LiveWork,
    /// What was taken.
    pub keeper: ReadingsKeeper,
}

pub(crate) use live_work::FollowedWork;
pub use live_work::{HostProgress, LiveWork};
pub use stop_if::{StopCondition, StopConditionError};
pub use taker::{Looks, Taken, Taker, TakerOptions, TakingCost};

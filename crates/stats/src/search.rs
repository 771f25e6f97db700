//! Searches that choose their next measurement by what was measured so far: where throughput stops to grow
//! (`knee`), and the highest rate that holds limits (`limit`).
//!
//! Each is a function of the measurements alone: without a clock, without I/O and without a memory. So a search that
//! was interrupted goes on from its measurements, and its finding can be derived again at any time.

mod knee;
mod limit;

pub use knee::{KneeFinding, KneeStep, NoKnee, UserTrial, next_users};
pub use limit::{LimitFinding, LimitRules, LimitStep, NoLimit, RateTrial, RateVerdict, next_rate};

//! Tables of points and cells, in the layouts of Benchware reports.

mod bps;
mod cells;
mod columns;
mod latency;
mod storage;
mod waits;
mod writes;

pub use bps::{bps80, bps84_load, bps84_oltp};
pub use cells::cells;
pub use latency::latency;
pub use storage::storage;
pub(crate) use waits::meaningful_waits;
pub use waits::waits;
pub use writes::writes;

//! The commands that watch: `monitor` watches a database that has a load of its own, `replay` plays readings again, and
//! `headroom` lays a profile beside a run.

mod headroom;
mod monitor;
mod record;
mod replay;

pub(super) use headroom::headroom;
pub(super) use monitor::monitor;
pub(super) use replay::replay;

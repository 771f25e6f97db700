//! Watching what happens: the views of a run, and the commands that watch without one.
//!
//! `views` puts what a run or the monitor tells on a board and draws it, `monitor` watches a database that has a load of
//! its own, `replay` plays readings again, and `headroom` lays a profile beside a run.

mod headroom;
mod monitor;
mod record;
mod replay;
mod views;

pub(super) use headroom::headroom;
pub(super) use monitor::monitor;
pub(super) use record::page as profile_page;
pub(super) use replay::replay;
pub(super) use views::{Both, Views, of_run};

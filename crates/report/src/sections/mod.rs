//! The sections of the reports on a run: what each says, whoever draws it.

pub(crate) mod acceptance;
mod cell_chart;
pub(crate) mod compare;
mod io_charts;
pub(crate) mod latency;
pub(crate) mod marks;
pub(crate) mod measured;
pub(crate) mod method;
pub(crate) mod own_platform;
pub(crate) mod pace;
pub(crate) mod platform;
pub(crate) mod points;
pub(crate) mod published;
mod ramp_charts;
pub(crate) mod ramps;
pub(crate) mod scaling;
pub(crate) mod searches;
mod seconds;
pub(crate) mod slob;
pub(crate) mod storage;
pub(crate) mod summary;
pub(crate) mod transactions;
pub(crate) mod verdict;
pub(crate) mod waits;
mod words;
pub(crate) mod writes;

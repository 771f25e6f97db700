//! What the jobs of a point share with those who run and watch them.

use crate::work::PointWork;
use crate::{RunContext, Window};
use dbdyno_engine::client::TestForm;
use dbdyno_probe::Sampler;
use dbdyno_probe::page_cache::Evictor;

/// What the jobs of a point work with, and what watches them.
#[derive(Clone, Copy)]
pub(crate) struct PointContext<'a> {
    pub(crate) run: &'a RunContext<'a>,
    pub(crate) work: PointWork<'a>,
    pub(crate) window: &'a Window,
    pub(crate) sampler: &'a Sampler,
    pub(crate) evictor: Option<&'a Evictor>,
    pub(crate) may_follow_from_jobs: Option<u32>,
    /// The values that the client drive gives to its statements, for each session.
    pub(crate) forms: &'a [TestForm],
    /// When the jobs begin, where another host says it.
    pub(crate) starts_ns: Option<u64>,
}

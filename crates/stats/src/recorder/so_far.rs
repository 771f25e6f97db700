//! What was recorded of one transaction type until a look.

use super::recording::StepCounts;
use crate::buckets::BucketCounts;

/// What was recorded of one transaction type so far.
#[derive(Debug)]
pub(super) struct SoFar {
    pub(super) counts: StepCounts,
    pub(super) service: BucketCounts,
    pub(super) response: Option<BucketCounts>,
}

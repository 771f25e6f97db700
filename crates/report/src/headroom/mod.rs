//! Headroom: which share of what a platform showed production uses at its peak, layer by layer, and which layer is
//! reached first. It is a pure function of a profile and a run; text, page and JSON show the same [`Headroom`].
//!
//! In doubt the answer is "unknown", and nothing that is unknown counts as free:
//!
//! - Production's figure is the mean of its peak minute. The highest second stands beside it.
//! - What the platform can do is what the run showed: the highest median of the repeats of a load, over points that
//!   ended well and have no flag that bars them. It is a lower bound of what the platform can do, unless the run drove
//!   the layer until it gave no more. If production did more than the run showed, the run says nothing of the layer.
//! - A layer that nobody saw in production, or that the run did not measure, is unknown.
//! - Processor time of a transaction falls with load, so a share of busy processors is no share of what they can do.
//!   The run's own ramp corrects that (`curve.rs`). Without one, and below half of saturation, the multiple is a lower
//!   bound.
//! - Transactions per second of production and of tests are never compared: one of them is another amount of work than
//!   one of the others.

mod alike;
mod answer;
mod cpu_tests;
mod curve;
mod judge;
mod law;
mod layer;
mod processors;
mod ramp;
mod rates;
mod result;

pub use judge::headroom;
pub use layer::{
    HeadroomBound, HeadroomLayer, KnownHeadroom, LayerName, LayerStanding, ProductionUse, ShownExtent, ShownMost,
};
pub use result::{
    CurvePoint, FactorOfTests, HEADROOM_VERSION, Headroom, HeadroomCurve, HeadroomError, HeadroomLaw, HeadroomOptions,
    HeadroomOutcome, LawPlace, PlatformRelation, TestFactor,
};

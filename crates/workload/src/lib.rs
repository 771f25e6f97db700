//! Workloads: programs with a schema of their own, like an application. What all of them share is here: what a workload
//! says of itself ([`Workload`]), its SQL in an engine's dialect ([`Dialect`]), how it is loaded and looked at
//! ([`TargetWorkload`]), and how transactions are run one after the other without a clock ([`Alone`]). A workload is
//! one module of this room with its tables in a TOML file, a line in [`WORKLOADS`], and one SQL file for each dialect
//! in the rooms of the engines. No engine is named here.

mod alone;
mod contract;
pub mod crash;
mod data_spec;
mod dialect;
mod order_entry;
mod slob;
pub mod slob_conf;
mod tables;
mod target_workload;
mod tpcb;
mod workload_data;

pub use alone::Alone;
pub use contract::{About, Ended, Settings, User, Workload};
pub use data_spec::DataSpec;
pub use dialect::Dialect;
pub use slob_conf::{Assignment, ConfError};
pub use target_workload::TargetWorkload;
pub use target_workload::load::{LoadDone, LoadTimes};
pub use workload_data::WorkloadData;

/// The workloads of this build.
pub static WORKLOADS: [&dyn Workload; 3] = [&tpcb::TpcB, &order_entry::OrderEntry, &slob::Slob];

/// A workload by its name.
#[must_use]
pub fn workload(name: &str) -> Option<&'static dyn Workload> {
    WORKLOADS.into_iter().find(|workload| workload.name() == name)
}

/// The name of a workload that is near to what was typed.
#[must_use]
pub fn near(name: &str) -> Option<&'static str> {
    let distance = |known: &str| strsim::damerau_levenshtein(known, &name.to_lowercase());
    WORKLOADS.iter().map(|workload| workload.name()).filter(|known| distance(known) <= 2).min_by_key(|k| distance(k))
}

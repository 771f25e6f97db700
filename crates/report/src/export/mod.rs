//! A run for other programs: CSV for tables, OpenMetrics for monitoring. Both contain less than the JSON document,
//! which is the whole run.

mod csv;
pub mod exposition;
mod openmetrics;

pub use csv::csv;
pub use openmetrics::openmetrics;

//! A run for other programs: CSV for tables, OpenMetrics for what watches platforms. Both say less than the JSON
//! document, which is the whole run.

mod csv;
mod openmetrics;

pub use csv::csv;
pub use openmetrics::openmetrics;

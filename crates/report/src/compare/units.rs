//! How units are shown.

/// The unit as shown: it says what is counted.
pub(crate) fn shown_unit<'u>(metric: &str, unit: &'u str) -> &'u str {
    match metric {
        "ops_per_s" => "ops/s",
        "rows_per_s" => "rows/s",
        "tx_per_s" => "tx/s",
        of_ios if of_ios.ends_with("_iops") => "IOPS",
        _ => unit,
    }
}

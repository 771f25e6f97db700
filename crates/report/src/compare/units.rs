//! How units are shown.

/// The unit as shown: it says what is counted.
pub(crate) fn shown_unit(metric: &str, unit: &str) -> String {
    match metric.strip_suffix("_per_s").filter(|what| ["ops", "rows", "tx"].contains(what)) {
        Some(what) => format!("{what}/s"),
        None if metric.ends_with("_iops") => "IOPS".to_owned(),
        None => unit.to_owned(),
    }
}

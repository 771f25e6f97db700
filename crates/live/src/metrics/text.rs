//! Metrics as text. Names and escapes are the exporter's.

use super::format::MetricsFormat;
use dbdyno_report::export::exposition::{family, labels, name};
use std::fmt::Write as _;

/// Labels as they are written, and the value.
pub(super) type Sample = (String, f64);

/// The text in the making.
pub(super) struct Text {
    format: MetricsFormat,
    out: String,
}

impl Text {
    pub(super) fn new(format: MetricsFormat) -> Self {
        Self { format, out: String::new() }
    }

    /// A family of one sample that is 1. The older format has no such kind.
    pub(super) fn info(&mut self, name: &str, help: &str, all: &[(&str, &str)]) {
        match self.format {
            MetricsFormat::OpenMetrics => family(&mut self.out, name, "info", "", help),
            MetricsFormat::Text => family(&mut self.out, &format!("{name}_info"), "gauge", "", help),
        }
        _ = writeln!(self.out, "{name}_info{{{}}} 1", labels(all));
    }

    /// A family of gauges, if there are any; quantiles are a summary, of which nothing else is known.
    pub(super) fn family(&mut self, id: &str, help: &str, samples: &[Sample]) {
        if samples.is_empty() {
            return;
        }
        let (name, unit) = name(id);
        let unit = if self.format == MetricsFormat::OpenMetrics { unit } else { "" };
        let kind = if id.ends_with("quantile_s") { "summary" } else { "gauge" };
        family(&mut self.out, &name, kind, unit, help);
        for (labels, value) in samples {
            let braced = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
            _ = writeln!(self.out, "{name}{braced} {}", number(*value));
        }
    }

    pub(super) fn end(mut self) -> String {
        if self.format == MetricsFormat::OpenMetrics {
            self.out.push_str("# EOF\n");
        }
        self.out
    }
}

/// What is not finite has words of its own in the format.
fn number(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        v => v.to_string(),
    }
}

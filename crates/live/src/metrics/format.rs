//! The two formats, and who gets which. OpenMetrics is what is promised; the older one is for scrapers that ask for it
//! alone, and for checkers that know no other.

/// How metrics are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsFormat {
    /// OpenMetrics 1.0.
    OpenMetrics,
    /// The older text format, for what asks for it and knows no other.
    Text,
}

impl MetricsFormat {
    /// The format that a client is given by what it accepts: OpenMetrics, unless it names the older format alone.
    #[must_use]
    pub fn accepted(accept: &str) -> Self {
        let open = accept.contains("application/openmetrics-text");
        if !open && accept.contains("text/plain") && accept.contains("version=0.0.4") {
            Self::Text
        } else {
            Self::OpenMetrics
        }
    }

    /// Its media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

//! A figure of a reading: where it is, what it is called and how it becomes text. Every figure on the screen is one of
//! these, and so has its path: the reason why it is absent is found by that.

use dbdyno_model::Reading;
use dbdyno_report::numbers;

/// How a figure becomes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A rate or an amount, in four digits.
    Amount,
    /// Seconds, in the unit that suits them.
    Time,
    /// A share in percent.
    Share,
    /// Bytes.
    Bytes,
    /// A mean of a count, such as of sessions.
    Mean,
    /// A count; a mean of counts where it is not whole.
    Count,
}

impl Kind {
    /// A value as text. What is absent is a dash.
    pub(crate) fn text(self, value: Option<f64>) -> String {
        match self {
            Self::Amount => numbers::thousands(value),
            Self::Time => numbers::duration(value),
            Self::Share => numbers::percent(value),
            Self::Bytes => numbers::bytes(value.filter(|bytes| *bytes >= 0.0).map(|bytes| bytes as u64)),
            Self::Mean => mean(value),
            Self::Count => match value {
                Some(whole) if whole >= 0.0 && whole.fract() == 0.0 => numbers::count(whole as u64),
                other => mean(other),
            },
        }
    }
}

/// A mean of a count, such as of sessions.
pub(crate) fn mean(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(|| numbers::MISSING.to_owned(), numbers::factor)
}

/// A figure of a reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figure {
    /// What it is called where it stands alone.
    pub(crate) label: &'static str,
    /// Its JSON path in a reading.
    pub(crate) path: &'static str,
    /// How it becomes text.
    pub(crate) kind: Kind,
    /// Its value.
    pub(crate) value: Option<f64>,
}

impl Figure {
    /// A figure.
    pub(crate) const fn new(label: &'static str, path: &'static str, kind: Kind, value: Option<f64>) -> Self {
        Self { label, path, kind, value }
    }

    /// As text. What is absent is a dash.
    pub(crate) fn text(&self) -> String {
        self.kind.text(self.value)
    }
}

/// Figures that stand in one row where room is scarce, with a name that they share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The name of all of them.
    pub(crate) label: &'static str,
    /// One or two.
    pub(crate) figures: Vec<Figure>,
}

/// Why what is at this path is absent: the reason of the path itself, or of what it is part of.
pub(crate) fn reason<'r>(reading: &'r Reading, path: &str) -> Option<&'r str> {
    let mut path = path;
    loop {
        if let Some(why) = reading.missing.get(path) {
            return Some(why);
        }
        (path, _) = path.rsplit_once('.')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_part_is_that_of_the_whole() {
        let mut reading = Reading::default();
        reading.lacks("database", "no answer");
        reading.lacks("database.redo.mib_per_s", "not counted");
        assert_eq!(reason(&reading, "database.redo.mib_per_s"), Some("not counted"));
        assert_eq!(reason(&reading, "database.redo.writes_per_s"), Some("no answer"));
        assert_eq!(reason(&reading, "cpu.busy_pct"), None);
        assert_eq!(Kind::Mean.text(Some(f64::NAN)), "-");
        assert_eq!(Kind::Bytes.text(Some(-1.0)), "-");
        assert_eq!([Some(1_234.0), Some(2.5), None].map(|count| Kind::Count.text(count)), ["1,234", "2.50", "-"]);
    }
}

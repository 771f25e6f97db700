//! The newest reading as metrics for a time series database. Names are those of the exporter wherever a run has the
//! same figure. Nothing here is stale: figures of a reading that is too old are left out, and its age says why.

mod format;
mod rows;
mod text;

use crate::board::{Board, Contact};
use dbdyno_model::Reading;
pub use format::MetricsFormat;
use rows::{Rows, of_reading};
use text::Text;

/// From this age on, in seconds, a reading's figures are left out.
pub const STALE_S: f64 = 10.0;

/// The metrics at a moment.
#[must_use]
pub fn metrics(board: &Board, now: jiff::Timestamp, format: MetricsFormat) -> String {
    let (scene, last) = (board.scene(), board.last());
    let mut text = Text::new(format);
    text.info(
        "dbdyno_monitor",
        "What is looked at.",
        &[
            ("title", scene.title.as_str()),
            ("target", &scene.target),
            ("engine", &scene.engine),
            ("run", scene.run.as_deref().unwrap_or_default()),
            ("replayed", if scene.replayed { "true" } else { "" }),
            ("tool_version", env!("CARGO_PKG_VERSION")),
        ],
    );
    let contact = if board.contact() == Contact::Good { 1.0 } else { 0.0 };
    text.family("contact", "Whether the server answers: 1, or 0.", &[(String::new(), contact)]);
    if let Some(reading) = last {
        let age = (now - reading.at).total(jiff::Unit::Second).unwrap_or(f64::INFINITY).max(0.0);
        text.family("reading_age_s", "Time since the newest reading's interval ended.", &[(String::new(), age)]);
        if age <= STALE_S {
            push(&mut text, &reading);
        }
    }
    text.end()
}

fn push(text: &mut Text, reading: &Reading) {
    let Rows { families } = of_reading(reading);
    for (id, help, samples) in families {
        text.family(&id, help, &samples);
    }
}

//! The platform sheet on the page.

use super::table::{ColumnHead, Table, TableRow, text};
use crate::platform;
use dbdyno_model::RunJson;
use maud::{Markup, html};

/// The sheet of a run.
pub(super) fn section(run: &RunJson) -> Markup {
    html! {
        section #platform {
            h2 { "Platform" }
            div.sheet {
                @for (title, facts) in platform::sections(run) {
                    (Table {
                        caption: text(title),
                        heads: vec![ColumnHead::words(""), ColumnHead::words("")],
                        rows: facts.iter().map(|(name, value)| TableRow::Figures(vec![text(name), text(value)])).collect(),
                        class: "facts",
                    }.render())
                }
            }
        }
    }
}

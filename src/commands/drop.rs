//! `dbdyno drop`: takes away what `load` brought, and nothing else. It asks nothing, because the data can be made again
//! from its size and seed; it says what it dropped.

use super::Context;
use super::place::Place;
use crate::cli::DropArgs;
use crate::error::Error;
use crate::output::{self, Format};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Answer {
    target: String,
    /// Whether there was anything to drop.
    dropped: bool,
    /// The test tables, where there was anything.
    tables: Vec<String>,
    /// What the target held before.
    held: String,
}

pub(super) fn drop(args: &DropArgs, context: &Context) -> Result<(), Error> {
    let place = Place::open(&args.target, None, None, &context.catalogue)?;
    place.refuse_foreign()?;
    let held = place.held_words();
    let dropped = place.engine.drop_all().map_err(place.failed("dropping the tables of"))?;
    let tables = place.engine.tables().iter().filter(|_| dropped).map(ToString::to_string).collect();
    let answer = Answer { target: place.target.to_string(), dropped, tables, held };
    match args.shown.format() {
        Format::Json => output::json(&answer),
        Format::Text if dropped => {
            let Answer { target, tables, held, .. } = &answer;
            output::line(&format!("dropped from {target}: {}; it held {held}", tables.join(", ")))
        }
        Format::Text => output::line(&format!("nothing to drop: {} holds {}", answer.target, answer.held)),
    }
}

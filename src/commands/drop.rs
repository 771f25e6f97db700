//! `dbdyno drop`: removes what `load` made, and nothing else. It asks for no confirmation, because the data can be made
//! again from its size and seed; it reports what it dropped.

use super::context::Context;
use super::opened_target::OpenedTarget;
use crate::cli::DropArgs;
use crate::error::Error;
use crate::output::{self, shell_word};
use dbdyno_engine::Loaded;
use serde::Serialize;

#[derive(Debug, Serialize)]
struct DropDocument {
    target: String,
    /// Whether there was anything to drop.
    dropped: bool,
    /// The dropped tables.
    tables: Vec<String>,
    /// What was on the target before.
    held: String,
}

pub(super) fn drop(args: &DropArgs, context: &Context) -> Result<(), Error> {
    let place = OpenedTarget::open(&args.target, None, None, &context.catalogue)?;
    place.refuse_foreign()?;
    let books = place.engine.books().map_err(place.failed("looking into"))?;
    let workloads: Vec<String> = books.kept("table").map(|(name, _)| name.to_owned()).collect();
    let held = match (&place.held, workloads.is_empty()) {
        (Loaded::Nothing, false) => "a workload's tables".to_owned(),
        (_, false) => format!("{}, and a workload's tables", place.held_words()),
        (_, true) => place.held_words(),
    };
    let dropped = place.engine.drop_all().map_err(place.failed("dropping the tables of"))?;
    let of_tests = place.engine.tables();
    let has_tests = books.has_tables() || workloads.is_empty();
    let of_tests = of_tests.iter().filter(|_| has_tests).map(ToString::to_string);
    let tables = of_tests.chain(workloads).filter(|_| dropped).collect();
    let answer = DropDocument { target: place.target.to_string(), dropped, tables, held };
    let DropDocument { target, tables, held, .. } = &answer;
    let line = match dropped {
        true => format!("dropped from {target}: {}; it held {held}", tables.join(", ")),
        false => format!("nothing to drop: {target} holds {held}"),
    };
    args.shown.format().show(&answer, || output::clean(&line))?;
    context.say_next(&format!("dbdyno load --target {}", shell_word(target)), "makes the tests' tables again");
    Ok(())
}

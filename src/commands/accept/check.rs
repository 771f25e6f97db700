//! Checks a project as far as that is possible before anything is done: each of its commands is read as the command
//! line reads it, and what it names is there.

use super::super::context::Context;
use super::super::{orion, searches, workloads};
use crate::cli::{self, Command, RunArgs};
use crate::error::Error;
use crate::secrets::{contains_password, without_passwords};
use dbdyno::ENGINES;
use dbdyno_catalogue::{Project, ProjectStep, StepCommand};
use dbdyno_engine::{Target, private};
use dbdyno_model::PairSide;
use std::ffi::OsString;
use std::path::Path;

/// Options that `accept` sets itself, or that make no sense within a project.
const RESERVED: &[&str] = &[
    "--label",
    "--label-a",
    "--label-b",
    "--a",
    "--b",
    "--results",
    "--catalogue",
    "--json",
    "--quiet",
    "-q",
    "--help",
    "-h",
    "--dry-run",
];

/// Checks everything.
///
/// # Errors
/// Something is unsound; the message names the entry.
pub(super) fn check(project: &Project, context: &Context) -> Result<(), Error> {
    for variant in &project.variants {
        let of = |error: &dyn std::fmt::Display| {
            Error::Usage(format!("[[variant]] {}: {}", variant.name, one_line(&error.to_string())))
        };
        let words = [&variant.up, &variant.down].into_iter().flatten().flatten().chain(&variant.target);
        refuse_passwords(words).map_err(|error| of(&error))?;
        if let Some(target) = &variant.target {
            check_target(target).map_err(|error| of(&error))?;
        }
        for (command, words) in [("up", &variant.up), ("down", &variant.down)] {
            if let Some(words) = words {
                let words = [&[command.to_owned()], &words[..]].concat();
                reserved(&words).and_then(|()| parsed(&words)).map_err(|error| of(&error))?;
            }
        }
    }
    for step in &project.steps {
        let of = |error: &dyn std::fmt::Display| {
            Error::Usage(format!("[[step]] {}: {}", step.name, one_line(&error.to_string())))
        };
        reserved(&step.words).map_err(|error| of(&error))?;
        refuse_passwords(&step.words).map_err(|error| of(&error))?;
        for &variant in step.with_results() {
            let command = parsed(&words(project, step, variant)).map_err(|error| of(&error))?;
            let checked = match command {
                Command::Run(args) => check_run(&args, context),
                Command::Pair(args) => check_run(&args.of_side(PairSide::B), context),
                Command::Orion(args) => orion::check(&args),
                _ => Ok(()),
            };
            checked.map_err(|error| of(&error))?;
        }
    }
    Ok(())
}

/// A message of the parser ends with how to get help, in further lines.
fn one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    text.lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// The words of a step on a variant, as they follow `dbdyno`.
pub(super) fn words(project: &Project, step: &ProjectStep, variant: usize) -> Vec<String> {
    let target = |variant: usize| project.variants.get(variant).and_then(|variant| variant.target.clone());
    let mut words = vec![step.command.name().to_owned()];
    words.extend(step.words.iter().cloned());
    let mut option = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
    };
    let names_target = step.words.iter().any(|word| word == "--target" || word.starts_with("--target="));
    match step.command {
        StepCommand::Run | StepCommand::Durability if !names_target => option("--target", target(variant)),
        StepCommand::Run | StepCommand::Durability | StepCommand::Orion => {}
        StepCommand::Pair => {
            for (name, label, side) in [("--a", "--label-a", 0), ("--b", "--label-b", 1)] {
                let of_side = step.variants.get(side).copied().unwrap_or(variant);
                option(name, target(of_side));
                option(label, Some(project.label(step, of_side)));
            }
            return words;
        }
    }
    option("--label", Some(project.label(step, variant)));
    words
}

/// A project is shown, sent and kept, and so are its commands.
fn refuse_passwords<'w>(words: impl IntoIterator<Item = &'w String>) -> Result<(), String> {
    match words.into_iter().find(|word| contains_password(word)) {
        Some(word) => Err(format!(
            "{}: a password may not stand in a project; it comes from DBDYNO_PASSWORD or the engine's own password file",
            without_passwords(word)
        )),
        None => Ok(()),
    }
}

fn reserved(words: &[String]) -> Result<(), String> {
    let is_reserved = |word: &&String| {
        let name = word.split('=').next().unwrap_or_default();
        RESERVED.contains(&name)
    };
    match words.iter().find(is_reserved) {
        Some(word) => {
            Err(format!("{word} may not stand in a project; `dbdyno accept` sets it itself where it is needed"))
        }
        None => Ok(()),
    }
}

/// The words as the command line reads them.
pub(super) fn parsed(words: &[String]) -> Result<Command, String> {
    let words = std::iter::once("dbdyno").chain(words.iter().map(String::as_str));
    let read = cli::read(words.map(OsString::from).collect());
    read.map(|cli| cli.command).map_err(|error| error.render().to_string())
}

fn check_target(url: &str) -> Result<(), Error> {
    let target = Target::parse(url)?;
    let name =
        if target.scheme == private::SCHEME { target.rest.split(['/', '?']).next() } else { Some(&*target.scheme) };
    ENGINES.engine(name.unwrap_or_default())?;
    Ok(())
}

fn check_run(args: &RunArgs, context: &Context) -> Result<(), Error> {
    let args = &workloads::with_suite(args, &context.catalogue)?;
    let workload = workloads::named(&args.work.what, &context.catalogue)?;
    workloads::refuse_misplaced(args, workload)?;
    searches::refuse_contradictions(args)?;
    if let Some(size) = &args.target.size {
        context.catalogue.size(size)?;
    }
    if workload.is_none() {
        let tests = args.work.what.iter().filter(|what| context.catalogue.suite(what).is_err());
        for pattern in tests {
            context.catalogue.select(pattern)?;
        }
    }
    Ok(())
}

/// Whether a file may be written at the end.
pub(super) fn can_be_written(file: &Path) -> Result<(), Error> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_taken = file.exists() && (file.is_dir() || !dbdyno_files::may_write(file));
    match folder.is_dir() && dbdyno_files::may_write(folder) && !is_taken {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "{} cannot be written; name a file in a folder that is there and may be written to",
            file.display()
        ))),
    }
}

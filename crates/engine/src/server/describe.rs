//! What a server says of itself, for the record of a run: its settings (`describe/settings`, and `describe/changed` for
//! those that somebody has changed), facts (every statement of `sql/facts.sql`), and how durable its commits are
//! (every statement of `sql/durability.sql`: rows of a setting and its value, and rows of one text for what a crash
//! loses).

use super::connection::Connection;
use super::questions::{Questions, TextRows, is_refusal, pairs, reason};
use crate::procedure::Setting;
use crate::{Durability, EngineError};
use dbdyno_model::{CommitMode, Database, Drive};

/// The fact that becomes the version.
const VERSION: &str = "version";
/// The fact that has the questions that were refused.
const NOT_ASKED: &str = "not asked";
/// The statement of `sql/durability.sql` whose rows are settings.
const SETTINGS: &str = "settings";
/// The one whose rows are tables that a crash empties.
const NOT_LOGGED: &str = "not logged";

/// Version, settings, facts. Changes nothing.
///
/// # Errors
/// The server is lost.
pub fn database(connection: &mut dyn Connection, questions: &Questions) -> Result<Database, EngineError> {
    let all = questions.answers(connection, "describe/settings")?;
    let changed = questions.answers(connection, "describe/changed")?;
    let (rows, refused) = questions.all(connection, "facts")?;
    let mut facts = pairs(rows);
    if !refused.is_empty() {
        let names: Vec<String> = refused.into_iter().map(|(name, _)| name).collect();
        facts.insert(NOT_ASKED.to_owned(), names.join(", "));
    }
    let version = facts.remove(VERSION).unwrap_or_default();
    let parameters = questions.dialect.settings.kept(&all, &changed);
    Ok(Database { engine: questions.dialect.engine.to_owned(), version, parameters, facts, notice: None })
}

/// How durable commits of sessions are that commit so, as far as the server shows its settings.
///
/// # Errors
/// The server is lost, or does not answer for another reason than that it may not be asked.
pub fn durability(
    connection: &mut dyn Connection,
    questions: &Questions,
    commit: CommitMode,
    drive: Drive,
) -> Result<Durability, EngineError> {
    let (rows, refused) = questions.all(connection, "durability")?;
    let (mut unknown, mut unseen) = (None, None);
    for (name, error) in refused {
        if !is_refusal(&error) {
            return Err(error);
        }
        match name.as_str() {
            SETTINGS => {
                let words = "not known whether a crash loses commits, as the settings are not shown";
                unknown = Some(format!("{words}: {}", reason(error)));
            }
            // The proof before a run works on a table of its own.
            NOT_LOGGED => unseen = Some(format!("which tables a crash empties is not shown: {}", reason(error))),
            _ => {}
        }
    }
    let (settings, texts): (TextRows, TextRows) = rows.into_iter().partition(|row| row.len() > 1);
    let mut durability = questions.dialect.settings.durability(pairs(settings), commit, drive);
    durability.unsafe_settings.extend(texts.into_iter().flatten().flatten().chain(unseen));
    Ok(Durability { unknown, ..durability })
}

/// What sessions set so that their commits are as asked.
///
/// # Errors
/// The server is lost, or does not answer.
pub fn commit_settings(
    connection: &mut dyn Connection,
    questions: &Questions,
    commit: CommitMode,
) -> Result<Vec<Setting>, EngineError> {
    let settings = pairs(questions.rows(connection, &format!("durability/{SETTINGS}"))??);
    Ok(questions.dialect.settings.commit_settings(&settings, commit))
}

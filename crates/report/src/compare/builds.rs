//! How dbdyno itself was built, where the sides differ. A fact that a run does not tell counts as no difference: older
//! runs tell none.

use super::side::Side;
use super::side_values::{DifferingSetting, setting};
use crate::groups::unique;
use dbdyno_model::{RunJson, Tool};
use std::collections::BTreeSet;

/// The middle of a warning: `dbdyno's profile` + this + `: A release, B dev`.
pub(crate) const UNLIKE_BUILD: &str = "is not alike, so part of a difference may be dbdyno's own";

/// The facts of the builds that are not the same on two sides, as settings.
pub(super) fn differing(sides: &[Side]) -> Vec<DifferingSetting> {
    let tools = || sides.iter().flat_map(|side| &side.runs).filter_map(|run| run.tool.as_ref());
    let names = unique(tools().flat_map(Tool::facts).map(|(name, _)| name));
    let of = |name: String| {
        let all: Vec<Vec<String>> = tools().filter_map(|tool| words(tool, &name)).collect();
        let alike = |word: &String| all.iter().all(|words| words.contains(word));
        let value = |run: &RunJson| Some(unlike_words(&words(run.tool.as_ref()?, &name)?, &alike));
        let setting = setting(of_dbdyno(&name), sides, &value);
        let known: BTreeSet<&String> = setting.values.iter().flatten().collect();
        (known.len() > 1).then_some(setting)
    };
    names.into_iter().filter_map(of).collect()
}

/// The name of a fact of dbdyno's own build in a table that has facts of platforms, too.
pub(super) fn of_dbdyno(name: &str) -> String {
    format!("dbdyno's {name}")
}

/// The words of a fact: each option of an embedded database, because most of them are the same; else its value.
pub(super) fn words(tool: &Tool, name: &str) -> Option<Vec<String>> {
    let (_, value) = tool.facts().into_iter().find(|(other, _)| other == name)?;
    let is_list = name.starts_with("embedded ");
    Some(if is_list { value.split(' ').map(str::to_owned).collect() } else { vec![value] })
}

fn unlike_words(words: &[String], alike: &dyn Fn(&String) -> bool) -> String {
    let unlike: Vec<&str> = words.iter().filter(|word| !alike(word)).map(String::as_str).collect();
    match unlike.is_empty() {
        true => "none of these".to_owned(),
        false => unlike.join(" "),
    }
}

/// A warning for each fact that differs.
pub(super) fn warnings(sides: &[Side]) -> Vec<String> {
    let sentence = |setting: DifferingSetting| {
        let named =
            sides.iter().zip(setting.values).filter_map(|(side, value)| Some(format!("{} {}", side.name, value?)));
        let named: Vec<String> = named.collect();
        format!("{} {UNLIKE_BUILD}: {}", setting.name, named.join(", "))
    };
    differing(sides).into_iter().map(sentence).collect()
}

//! `procedures.toml` of a dialect: how procedures are called and statements explained, what a client leaves out, and
//! which settings a session has.

use super::settings::{Group, Setting};
use crate::server::call::{ARGUMENTS, SUMS};
use serde::Deserialize;

/// The rules of a dialect for procedures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcedureDialect {
    /// What stands in a statement for its value number `{n}`.
    place: String,
    /// What stands in a call for its number `{n}`, where that is something else.
    argument: Option<String>,
    /// The call of `{procedure}` with its ten `{arguments}`, and `{sums}` where places for the four sums follow.
    call: String,
    /// What explains the `{statement}` under test. With `{examples}` its values stay places, of these `{types}`.
    pub(super) explain: String,
    /// How plans are compared.
    #[serde(default)]
    pub(super) plans: PlanRule,
    /// What is replaced in a statement that is explained, and by what.
    #[serde(default)]
    pub(super) explained: Vec<[String; 2]>,
    /// What is replaced in a statement that a client sends, and by what.
    #[serde(default)]
    pub(super) sent: Vec<[String; 2]>,
    /// The statement that makes a setting, of `{name}` and `{value}`.
    setting: String,
    /// Settings of sessions; a later group goes before an earlier one.
    #[serde(default)]
    pub(super) settings: Vec<Group>,
}

/// How plans are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PlanRule {
    /// A plan is one of those that the note `plan` allows.
    #[default]
    Whole,
    /// A plan has the nodes of the note `plan` in that order, and none of the note `never`.
    Nodes,
}

impl ProcedureDialect {
    /// What stands in a statement for its value number `n`, 1 first.
    #[must_use]
    pub fn place(&self, n: usize) -> String {
        self.place.replace("{n}", &n.to_string())
    }

    /// The call of a procedure with places for its numbers.
    #[must_use]
    pub fn call(&self, procedure: &str) -> String {
        let place = self.argument.as_ref().unwrap_or(&self.place);
        self.call_with(procedure, (1..=ARGUMENTS + SUMS).map(|n| place.replace("{n}", &n.to_string())))
    }

    /// The call of a procedure with texts for its ten numbers and the four sums.
    #[must_use]
    pub fn call_with(&self, procedure: &str, texts: impl Iterator<Item = String>) -> String {
        let texts: Vec<String> = texts.collect();
        let (arguments, sums) = texts.split_at(ARGUMENTS.min(texts.len()));
        let call = self.call.replace("{procedure}", procedure).replace("{arguments}", &arguments.join(", "));
        call.replace("{sums}", &sums.join(", "))
    }

    /// The statement that makes a setting.
    #[must_use]
    pub fn setting(&self, (name, value): &Setting) -> String {
        self.setting.replace("{name}", name).replace("{value}", value)
    }
}

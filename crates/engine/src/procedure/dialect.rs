//! `procedures.toml` of a dialect: how procedures are called, how statements are explained, what a client leaves out of
//! them, and which settings a session has.

use super::settings::{Group, Setting};
use crate::server::call::{ARGUMENTS, SUMS};
use serde::Deserialize;

/// The rules of a dialect for procedures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcedureDialect {
    /// How a statement writes its parameter number `{n}`.
    parameter: String,
    /// How a call writes its parameter number `{n}`, if that is different.
    call_parameter: Option<String>,
    /// The call of `{procedure}` with its ten `{arguments}`, and with `{sums}` if the four sums are parameters, too.
    call: String,
    /// The SQL that explains the `{statement}` under test. If it contains `{examples}`, the statement keeps its
    /// parameters: `{types}` are their types, and `{examples}` their values. Otherwise the statement has the values
    /// in place of its parameters.
    pub(super) explain: String,
    /// How a plan is compared with the expected one.
    #[serde(default)]
    pub(super) plans: PlanRule,
    /// What is replaced in a statement that is explained: old and new texts.
    #[serde(default)]
    pub(super) explained: Vec<[String; 2]>,
    /// What is replaced in a statement that a client sends: old and new texts.
    #[serde(default)]
    pub(super) sent: Vec<[String; 2]>,
    /// The statement that sets `{name}` to `{value}`.
    setting: String,
    /// Settings of sessions. A later group overrides an earlier one.
    #[serde(default)]
    pub(super) settings: Vec<Group>,
}

/// How a plan is compared with the expected one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PlanRule {
    /// The plan must be one of those that the note `plan` allows.
    #[default]
    Whole,
    /// The plan must have the nodes of the note `plan`, in their order, and none of the note `never`.
    Nodes,
}

impl ProcedureDialect {
    /// How a statement writes its parameter number `n`. The first one is 1.
    #[must_use]
    pub fn parameter(&self, n: usize) -> String {
        self.parameter.replace("{n}", &n.to_string())
    }

    /// The call of a procedure, with parameters for its arguments and sums.
    #[must_use]
    pub fn call(&self, procedure: &str) -> String {
        let parameter = self.call_parameter.as_ref().unwrap_or(&self.parameter);
        self.call_with(procedure, (1..=ARGUMENTS + SUMS).map(|n| parameter.replace("{n}", &n.to_string())))
    }

    /// The call of a procedure, with these texts for its ten arguments and for the sums that it names.
    #[must_use]
    pub fn call_with(&self, procedure: &str, texts: impl Iterator<Item = String>) -> String {
        let texts: Vec<String> = texts.collect();
        let (arguments, sums) = texts.split_at(ARGUMENTS.min(texts.len()));
        let call = self.call.replace("{procedure}", procedure).replace("{arguments}", &arguments.join(", "));
        call.replace("{sums}", &sums.join(", "))
    }

    /// The statement that sets a session's setting.
    #[must_use]
    pub fn setting(&self, (name, value): &Setting) -> String {
        self.setting.replace("{name}", name).replace("{value}", value)
    }
}

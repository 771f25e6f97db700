//! What the null engine is told by the options of its target.

use dbdyno_engine::{Target, TargetError};
use dbdyno_model::ErrorClass;

/// How the null engine behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// Passes per second of one job, at least 1.
    pub speed: u64,
    /// Nanoseconds that every call takes besides.
    pub delay_ns: u64,
    /// Every so many calls of a job, one stalls; 0 for never.
    pub stall_every: u64,
    /// For how long.
    pub stall_ns: u64,
    /// The call of each job, counted from 1 within a run, that fails; 0 for none.
    pub error_at: u64,
    /// Every so many calls of a job, one fails; 0 for never.
    pub error_every: u64,
    /// The class of such errors.
    pub error_class: ErrorClass,
    /// Rows too few per chunk, to prove that proofs catch it.
    pub rows_short: u64,
    /// A counter that lies by this much.
    pub executions_over: u64,
    /// Instances that a workload repository knows; 0 for none such.
    pub instances: u64,
    /// The length of its reports; the server gives none where it is 0.
    pub report_bytes: u64,
    /// How long a report takes.
    pub report_ns: u64,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            speed: 1_000_000,
            delay_ns: 0,
            stall_every: 0,
            stall_ns: 0,
            error_at: 0,
            error_every: 0,
            error_class: ErrorClass::Other,
            rows_short: 0,
            executions_over: 0,
            instances: 0,
            report_bytes: 0,
            report_ns: 0,
        }
    }
}

impl Behaviour {
    pub(crate) fn parse(target: &Target) -> Result<Self, TargetError> {
        let mut behaviour = Self::default();
        for (name, value) in &target.options {
            let number = || value.parse::<u64>().map_err(|_| target.invalid(format!("{name} must be a whole number")));
            match name.as_str() {
                "speed" => behaviour.speed = number()?.max(1),
                "delay_us" => behaviour.delay_ns = number()? * 1_000,
                "stall_every" => behaviour.stall_every = number()?,
                "stall_ms" => behaviour.stall_ns = number()? * 1_000_000,
                "error_at" => behaviour.error_at = number()?,
                "error_every" => behaviour.error_every = number()?,
                "error_class" => {
                    behaviour.error_class = serde_json::from_value(serde_json::Value::String(value.clone()))
                        .map_err(|_| target.invalid(format!("there is no error class '{value}'")))?;
                }
                "rows_short" => behaviour.rows_short = number()?,
                "executions_over" => behaviour.executions_over = number()?,
                "instances" => behaviour.instances = number()?,
                "report_bytes" => behaviour.report_bytes = number()?,
                "report_ms" => behaviour.report_ns = number()? * 1_000_000,
                _ => return Err(target.invalid(format!("the null engine has no option '{name}'"))),
            }
        }
        Ok(behaviour)
    }
}

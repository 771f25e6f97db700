//! `dbdyno sql`: every statement that would run, for review by a database administrator, or to run by hand.

use super::context::Context;
use super::workloads;
use crate::cli::SqlArgs;
use crate::error::Error;
use crate::output::Format;
use dbdyno::ENGINES;
use dbdyno_engine::{EngineError, EngineInfo};
use dbdyno_model::{Mapping, Size, Test};
use dbdyno_workload::Dialect;
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Script<'a> {
    engine: &'static str,
    /// What has not been verified, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<&'static str>,
    size: &'a str,
    schema: String,
    tests: Vec<TestScript<'a>>,
}

#[derive(Debug, Serialize)]
struct TestScript<'a> {
    code: &'a str,
    title: &'a str,
    mapping: &'static str,
    note: Option<String>,
    /// Absent where the engine cannot do the test.
    script: Option<String>,
}

pub(super) fn sql(args: &SqlArgs, context: &Context) -> Result<(), Error> {
    let engine = ENGINES.engine(&args.engine)?;
    if let Some(name) = &args.workload {
        workload(name, engine, args.shown.format())?;
        context.suggest_next(&format!("dbdyno load {name} --target URL"), "does so, where you let it");
        return Ok(());
    }
    let size = context.catalogue.size(&args.size)?;
    let tests = match &args.test {
        Some(pattern) => context.catalogue.select(pattern)?,
        None => context.catalogue.tests().iter().collect(),
    };
    let incomplete = |e: EngineError| Error::Internal(format!("the SQL of engine {} is incomplete: {e}", engine.name));
    let script = Script {
        engine: engine.name,
        notice: engine.notice,
        size: &size.id,
        schema: (engine.schema_script)(size).map_err(incomplete)?,
        tests: tests.into_iter().map(|t| script(t, engine, size)).collect::<Result<_, _>>().map_err(incomplete)?,
    };
    args.shown.format().show(&script, || text(&script))?;
    context.suggest_next("dbdyno check --target URL", "looks at a server before that, and changes nothing");
    Ok(())
}

#[derive(Debug, Serialize)]
struct WorkloadScript {
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<&'static str>,
    workload: &'static str,
    script: String,
}

fn workload(name: &str, engine: &EngineInfo, format: Format) -> Result<(), Error> {
    let workload = workloads::known(name)?;
    let script = Dialect::of(workload, engine).map_err(Error::Usage)?.script();
    let script = WorkloadScript { engine: engine.name, notice: engine.notice, workload: workload.name(), script };
    format.show(&script, || format!("{}{}", notice(engine.notice), script.script))
}

fn script<'a>(test: &'a Test, engine: &EngineInfo, size: &Size) -> Result<TestScript<'a>, EngineError> {
    let mapping = (engine.mapping)(test);
    let script = match mapping {
        Mapping::None { .. } => None,
        Mapping::Native { .. } | Mapping::Equivalent { .. } => Some((engine.script)(test, size)?),
    };
    let note = mapping.note().map(str::to_owned);
    Ok(TestScript { code: test.code.as_str(), title: &test.title, mapping: mapping.kind(), note, script })
}

fn notice(notice: Option<&str>) -> String {
    notice.map(|notice| format!("-- Notice: {notice}\n")).unwrap_or_default()
}

fn text(script: &Script<'_>) -> String {
    let notice = notice(script.notice);
    let mut text = format!(
        "-- Everything that dbdyno {} executes on {} at size {}\n{notice}\n-- Schema\n{}",
        env!("CARGO_PKG_VERSION"),
        script.engine,
        script.size,
        script.schema
    );
    for test in &script.tests {
        let note = test.note.as_deref().map(|n| format!(": {}", n.replace('\n', " "))).unwrap_or_default();
        let mapping = if test.script.is_some() { test.mapping } else { "not supported" };
        text.push_str(&format!("\n-- {} {} ({mapping}{note})\n", test.code, test.title));
        text.push_str(test.script.as_deref().unwrap_or_default());
    }
    text
}

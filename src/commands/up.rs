//! `dbdyno up`: starts a private server, and says how to reach it.

use super::context::Context;
use super::private_servers::{self, Asking, failed, product};
use crate::cli::UpArgs;
use crate::error::Error;
use crate::output;
use crate::progress::Verbosity;
use crate::signals;
use dbdyno_engine::private::{self, Home, How, Instance, StandbyRequest, Up, UpRequest, Which};
use dbdyno_engine::servers::Watch;
use dbdyno_report::numbers;
use dbdyno_run::StopSwitch;
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Instant;

#[derive(Debug, Serialize)]
struct UpDocument<'a> {
    /// The value for `--target`.
    target: String,
    /// Whether it was created, started again, or was already running.
    how: How,
    started_s: f64,
    /// The server's main process.
    pid: u32,
    /// The command for an interactive client.
    shell_command: &'a str,
    /// What both servers show of its standby, where it has one.
    standby: Option<String>,
    instance: &'a Instance,
}

pub(super) fn up(args: &UpArgs, context: &Context) -> Result<(), Error> {
    let Some(engine) = &args.engine else {
        return private_servers::show(Asking::Up, args.shown.format(), context);
    };
    let product = product(engine)?;
    let size = context.catalogue.size(&args.size)?;
    let which = Which { engine: engine.clone(), name: args.name.clone() };
    let failed = failed("starting", &which);
    let home = Home::from_environment().and_then(|home| home.named(args.name.as_deref())).map_err(&failed)?;
    let programs = product.about().programs.named();
    let cpus = args.cpus.map(private::choose_cpus).transpose().map_err(&failed)?;
    let request = UpRequest {
        size,
        memory_limit_bytes: args.memory_limit,
        cpus: cpus.as_ref().map_or(&[], |cpus| &cpus.server),
        keep: args.keep,
        programs: programs.as_deref(),
        hardware_threads: dbdyno_probe::hardware_threads(),
        replication_log: false,
        standby: args.standby.map(|kind| StandbyRequest { kind, through: None }),
    };
    let begun = Instant::now();
    let up = private::up(&home, product, &request, &UpWatch::new(context)?);
    let Up { instance, how } = up.map_err(&failed)?;
    let server = private::find(&home, product, None).map_err(&failed)?;
    let option = instance.standby.map(|kind| format!("?standby={kind}")).unwrap_or_default();
    let answer = UpDocument {
        target: format!("{}{option}", which.target()),
        how,
        started_s: begun.elapsed().as_secs_f64(),
        pid: instance.pid(),
        shell_command: &product.shell_command(&instance.place()),
        standby: server.standby().map(|(_, text)| text),
        instance: &instance,
    };
    args.shown.format().show(&answer, || page(&answer, context))?;
    context.say_next(
        &format!("dbdyno run quick --target {}", output::shell_word(&answer.target)),
        "loads what is missing, and measures",
    );
    Ok(())
}

fn page(answer: &UpDocument<'_>, context: &Context) -> String {
    let UpDocument { target, how, instance, shell_command, pid, .. } = answer;
    let (Instance { version, size, .. }, which) = (instance, instance.which());
    let cache = numbers::bytes(instance.cache_bytes);
    let state = match how {
        How::Made => format!("started in {}", numbers::duration(answer.started_s)),
        How::Restarted => format!("started again with its data in {}", numbers::duration(answer.started_s)),
        How::Already => "runs already".to_owned(),
    };
    let mut page = format!("private {which} {version} for size {size}: {cache} cache, {state}\n");
    let mut line = |name: &str, value: String| _ = writeln!(page, "  {name:<8} {value}");
    line("socket", instance.socket_folder.display().to_string());
    line("data", instance.data.display().to_string());
    line("log", instance.log.display().to_string());
    line("server", format!("process {pid}, user {}, {}", instance.user, instance.programs.display()));
    if let Some(bytes) = instance.memory_limit_bytes {
        line("memory", format!("at most {}, page cache included", numbers::bytes(bytes)));
    }
    if let Some(by) = instance.held_by {
        line("cpus", format!("{} alone, held by {}", private::cpus_in_words(&instance.cpus), by.word()));
    }
    if let Some(standby) = &answer.standby {
        line("standby", standby.clone());
    }
    let end =
        if instance.keep { "stops it and keeps its data" } else { "stops it and removes its data; --keep keeps it" };
    let rows = [
        ("measure", format!("dbdyno run quick --target {}{}", output::shell_word(target), context.same_files)),
        ("inside", (*shell_command).to_owned()),
        ("stop", format!("dbdyno down {}   ({end})", which.arguments())),
    ];
    for (name, value) in rows {
        line(name, value);
    }
    page
}

/// Shows progress, and reacts to the user's signals.
pub(super) struct UpWatch {
    verbosity: Verbosity,
    stop: StopSwitch,
}

impl UpWatch {
    /// With a switch that there is already.
    pub(super) fn with(context: &Context, stop: StopSwitch) -> Self {
        Self { verbosity: context.verbosity, stop }
    }

    /// Says nothing, for servers that are started again and again.
    pub(super) fn quiet(stop: StopSwitch) -> Self {
        Self { verbosity: Verbosity::Quiet, stop }
    }

    pub(super) fn new(context: &Context) -> Result<Self, Error> {
        Ok(Self { verbosity: context.verbosity, stop: signals::stop(None, None)? })
    }
}

impl Watch for UpWatch {
    fn note(&self, text: &str) {
        if self.verbosity == Verbosity::Normal {
            output::note(text);
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.requested()
    }
}

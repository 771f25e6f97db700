//! `dbdyno durability`: what a crash loses. Something that dbdyno has made for this is cut again and again, and what
//! its sessions were told is compared with what is there.

mod control;
mod document;
mod external;
mod loses;
mod promotion;
mod record;
mod subject;

use super::context::Context;
use crate::cli::{CrashSessionsArgs, CutBy, DurabilityArgs};
use crate::error::Error;
use crate::signals;
use control::Control;
use dbdyno::ENGINES;
use dbdyno_engine::private::Which;
use dbdyno_engine::servers::{Replication, ReplicationLog, StandbyKind};
use dbdyno_engine::{EngineInfo, Target};
use dbdyno_model::{CommitMode, CrashReport, Cut};
use dbdyno_results::Repository;
use dbdyno_run::crash::{CrashError, CrashRequest, FileSystem, Subject, crash, ledger_line, work_until_an_error};
use dbdyno_run::{LoadRequest, StopSwitch};
use dbdyno_workload::Dialect;
use dbdyno_workload::crash::Crash;
use document::Head;
pub(super) use document::page;
use external::External;
use loses::Loses;
use promotion::{PromotedSubject, Promotion};
use record::Record;
use std::io::Write as _;
use std::path::Path;
use subject::{Made, MadeSubject};

/// Sessions where there may be several writers.
const SESSIONS: u32 = 8;

/// Cuts what the user names.
///
/// # Errors
/// It cannot be made or cut; or something was lost.
pub(super) fn durability(args: &DurabilityArgs, context: &Context) -> Result<(), Error> {
    // Before anything is made: a refused command leaves nothing behind.
    Repository::can_write(&context.results)?;
    if args.manual || args.cut_command.is_some() {
        return cut_by_the_user(args, context);
    }
    let info = engine(&args.target)?;
    let dialect = Dialect::of(&Crash, info).map_err(Error::Usage)?;
    let promotion = promotion(args, info)?;
    let (by, not_stronger) = way(promotion.map_or(args.by, |_| Some(CutBy::Promotion)))?;
    let control =
        args.control.as_deref().map(|name| Control::find(&dialect, name, by, args.replication_log)).transpose()?;
    let log = args.replication_log.then(|| replication_log(info)).transpose()?;
    let stop = signals::stop(None, None)?;
    let made = Made::make(info, by, context)?;
    let sessions = args.sessions.unwrap_or(if made.is_server() { SESSIONS } else { 1 });
    let record = Record::new(Head::new(info.name, (Loses::by(by), not_stronger), sessions)?, args, context);
    let test = |control: Option<&Control>| {
        let hears = |cut: &Cut| record.hear(cut, control);
        run((&made, promotion, log), &dialect, (sessions, control), args, (&stop, &hears))
    };
    let (report, mut ended) = test(None)?;
    record.ended(&report);
    let mut controlled = None;
    if let Some(control) = control.filter(|_| ended.is_ok() && !stop.requested()) {
        context.say(&format!("the same with {}", control.means));
        // What was found before is told in any case.
        let (report, of_control) =
            test(Some(&control)).unwrap_or_else(|error| (CrashReport::default(), Err(subject::subject(error))));
        controlled = Some(document::control(control, report));
        ended = of_control;
    } else if args.control.is_some() && ended.is_ok() {
        ended = Err(CrashError::Stopped);
    }
    let (version, removed) = (made.version(), made.remove());
    record.conclude((report, controlled), version, ended).and(removed)
}

/// The standby that is asked for, if one is.
///
/// # Errors
/// There is none of this kind, or a control has nothing to show on it.
fn promotion(args: &DurabilityArgs, info: &EngineInfo) -> Result<Option<Promotion>, Error> {
    let Some(kind) = args.standby else { return Ok(None) };
    let replication = info.private.and_then(|private| private.product.replication());
    let kinds = replication.map(Replication::kinds).unwrap_or_default();
    if !kinds.contains(&kind) {
        let kinds = kinds.iter().map(|kind| format!("--standby {kind}")).collect::<Vec<_>>().join(" or ");
        let instead = if kinds.is_empty() { "leave --standby away".to_owned() } else { format!("say {kinds}") };
        return Err(Error::Usage(format!("{} has no standby that is {kind}; {instead}", info.name)));
    }
    if kind == StandbyKind::Async && args.control.is_some() {
        return Err(Error::Usage(
            "--control: commits wait for no standby that is async, so there is nothing to make unsafe; --hold-link 0.5s shows its losses"
                .to_owned(),
        ));
    }
    Ok(Some(Promotion { kind, hold_s: args.hold_link }))
}

/// The log that is compared, too.
type Log = &'static dyn ReplicationLog;

fn replication_log(info: &EngineInfo) -> Result<Log, Error> {
    let replication = info.private.and_then(|private| private.product.replication());
    replication.and_then(Replication::log).ok_or_else(|| {
        Error::Usage(format!(
            "--replication-log: {} has no log for standbys beside that which it recovers from, and this one every cut \
             tests; leave the option out",
            info.name
        ))
    })
}

/// Has the user cut a server of his own.
fn cut_by_the_user(args: &DurabilityArgs, context: &Context) -> Result<(), Error> {
    let target = Target::parse(&args.target)?;
    if target.scheme == dbdyno_engine::private::SCHEME {
        return Err(Error::Usage(format!(
            "--target {}: dbdyno cuts by itself what it makes; --manual and --cut-command are for a server of your own",
            args.target
        )));
    }
    let info = ENGINES.engine(&target.scheme)?;
    let dialect = Dialect::of(&Crash, info).map_err(Error::Usage)?;
    let (stop, sessions) = (signals::stop(None, None)?, args.sessions.unwrap_or(SESSIONS));
    let mut subject = External::new(args, sessions, &stop, context)?;
    let ledgers = subject.ledgers();
    let request =
        CrashRequest { cuts: args.cuts, sessions, seed: args.seed, control: None, ledgers: &ledgers, installs: false };
    let record = Record::new(Head::new(info.name, (Loses::EXTERNAL, None), sessions)?, args, context);
    let (report, ended) = crash(&mut subject, &dialect, request, &stop, &|cut| record.hear(cut, None));
    let removed = subject.remove(&dialect);
    record.conclude((report, None), None, ended).and(removed)
}

/// The engine behind `private:ENGINE`. Nothing else is cut.
fn engine(url: &str) -> Result<&'static EngineInfo, Error> {
    let target = Target::parse(url)?;
    if target.scheme != dbdyno_engine::private::SCHEME {
        return Err(Error::Usage(format!(
            "--target {url}: durability cuts its target again and again, so by itself it takes only what it makes for this: {}; of a \
             server of your own say how it is cut: --cut-command or --manual",
            made_names()
        )));
    }
    let which = Which::of_target(&target)?;
    let info = ENGINES.engine(&which.engine)?;
    if which.name.is_some() || !target.options.is_empty() {
        return Err(Error::Usage(format!(
            "--target {url}: durability makes a server of its own and cuts that; say --target {}",
            Which::of(info.name).target()
        )));
    }
    match Made::is_possible(info) {
        true => Ok(info),
        false => Err(Error::Usage(format!("--target {url}: dbdyno makes no {}; it makes {}", info.name, made_names()))),
    }
}

fn made_names() -> String {
    let made = ENGINES.all().iter().filter(|info| Made::is_possible(info));
    made.map(|info| format!("private:{}", info.name)).collect::<Vec<_>>().join(", ")
}

/// How to cut, and why not in a stronger way.
fn way(asked: Option<CutBy>) -> Result<(CutBy, Option<String>), Error> {
    let possible = FileSystem::is_possible().map_err(|error| error.to_string());
    match (asked, possible) {
        (None | Some(CutBy::Device), Ok(())) => Ok((CutBy::Device, None)),
        (None, Err(why)) => Ok((CutBy::Kill, Some(why))),
        (Some(CutBy::Promotion), _) => Ok((CutBy::Promotion, None)),
        (Some(CutBy::Kill), _) | (Some(CutBy::Filesystem), Ok(())) => {
            Ok((asked.unwrap_or(CutBy::Kill), Some("this one was asked for".to_owned())))
        }
        (Some(CutBy::Filesystem | CutBy::Device), Err(why)) => {
            Err(Error::Usage(format!("cannot cut like this: {why}; or say --by kill")))
        }
    }
}

/// One test, with or without a control, on something new.
fn run(
    (made, promotion, log): (&Made, Option<Promotion>, Option<Log>),
    dialect: &Dialect,
    (sessions, control): (u32, Option<&Control>),
    args: &DurabilityArgs,
    (stop, hears): (&StopSwitch, &dyn Fn(&Cut)),
) -> Result<(CrashReport, Result<(), CrashError>), Error> {
    let cut = |subject: &mut dyn Subject, ledgers: &Path| {
        let (cuts, seed, control) = (args.cuts, args.seed, control.map(|control| control.name.as_str()));
        let request = CrashRequest { cuts, sessions, seed, control, ledgers, installs: true };
        crash(subject, dialect, request, stop, hears)
    };
    let ((report, ended), subject) = match promotion {
        None => {
            let mut subject = MadeSubject::new(made, sessions, control, log, stop)?;
            let ledgers = subject.ledgers()?;
            (cut(&mut subject, &ledgers), subject)
        }
        Some(promotion) => {
            let mut subject = PromotedSubject::new(made, (sessions, control), (promotion, dialect), stop)?;
            let ledgers = subject.inner().ledgers()?;
            (cut(&mut subject, &ledgers), subject.into_inner())
        }
    };
    let ended = ended.map_err(|error| subject.explained(error));
    // What was found is told in any case.
    Ok((report, ended.and(subject.remove())))
}

/// The sessions that `durability` starts and cuts off.
///
/// # Errors
/// They cannot be opened.
pub(super) fn sessions(args: &CrashSessionsArgs, context: &Context) -> Result<(), Error> {
    let target = Target::parse(&args.target)?;
    let engine = ENGINES.open(&target, context.catalogue.size(LoadRequest::DEFAULT_SIZE)?)?;
    let dialect = Dialect::of(&Crash, ENGINES.engine(engine.name())?).map_err(Error::Usage)?;
    let commit = if args.as_set { CommitMode::EngineDefault } else { CommitMode::Durable };
    let say = |session: u32, seq: u64| {
        let line = ledger_line(session, seq);
        let mut out = std::io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            // Nobody listens any more.
            std::process::exit(crate::error::EXIT_STOPPED.into());
        }
    };
    let failed = |source| Error::Engine { doing: "committing on", target: args.target.clone(), source };
    let ended = work_until_an_error(engine.as_ref(), &dialect, (args.cut, args.sessions, commit), &say);
    ended.map_err(failed)?.into_iter().next().map_or(Ok(()), |error| Err(failed(error)))
}

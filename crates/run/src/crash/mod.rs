//! What a crash loses. Sessions commit transactions that can be told from each other, and a ledger outside of what is
//! cut keeps which ones were acknowledged. At a moment that nobody foresees everything is cut, and started again. Then
//! every acknowledged transaction must be there, whole and unaltered; of each session one more may be there, whose
//! answer never came; and nothing else.
//!
//! How something is cut and started again is its [`Subject`]; what sessions write is a workload
//! ([`dbdyno_workload::crash`]).

mod clients;
mod error;
mod file_system;
mod ledger;
mod look;
mod relay;
mod sessions;
mod subject;
mod working;

use crate::load::LoadProgress;
use crate::{Silent, StopSwitch};
use dbdyno_engine::Engine;
use dbdyno_model::{CrashReport, Cut, ErrorClass, Judged};
use dbdyno_workload::crash::{Acknowledged, Crash};
use dbdyno_workload::{Dialect, TargetWorkload, Workload as _};
use error::is_lost;
use ledger::Progress;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use working::Working;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use clients::{CLIENTS, Clients, Host};
pub use error::CrashError;
pub use file_system::{Device, FileSystem, FileSystemError};
pub use ledger::line as ledger_line;
pub use relay::Relay;
pub use sessions::work as work_until_an_error;
pub use subject::Subject;

/// Acknowledgements before a cut, at least.
pub const LEAST_ACKNOWLEDGED: u64 = 200;
/// How long before a cut the last acknowledgement came in, at most: the sessions were at work.
const MOST_IDLE: Duration = Duration::from_millis(100);
/// The curve after a recovery is as long as this, and nothing is read meanwhile.
const UNDISTURBED: Duration = Duration::from_secs(1);
/// A cut comes within this time after that.
const WITHIN: Duration = Duration::from_secs(1);
/// How long sessions may take to have so many.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is cut may go off some time after somebody has said so.
const GOES_OFF: Duration = Duration::from_secs(20);
/// Sessions that are acknowledged nothing for so long have lost it.
const SILENT: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(2);

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct CrashRequest<'a> {
    /// How often it is cut.
    pub cuts: u32,
    /// Sessions that work.
    pub sessions: u32,
    /// Decides the moments.
    pub seed: u64,
    /// The control that makes commits unsafe on purpose, if one does.
    pub control: Option<&'a str>,
    /// The folder of the ledgers, which must be empty.
    pub ledgers: &'a Path,
    /// Whether what the server's own checks need may be installed on it.
    pub installs: bool,
}

/// Cuts a subject again and again. `hears` is told of each cut.
///
/// # Errors
/// It could not be cut, or its sessions did not work. What was found until then is in the report.
pub fn crash(
    subject: &mut dyn Subject,
    dialect: &Dialect,
    request: CrashRequest<'_>,
    stop: &StopSwitch,
    hears: &dyn Fn(&Cut),
) -> (CrashReport, Result<(), CrashError>) {
    let mut test =
        CrashTest { subject, dialect, request, stop, hears, known: Vec::new(), report: CrashReport::default() };
    let done = test.run();
    (test.report, done)
}

struct CrashTest<'a> {
    subject: &'a mut dyn Subject,
    dialect: &'a Dialect,
    request: CrashRequest<'a>,
    stop: &'a StopSwitch,
    hears: &'a dyn Fn(&Cut),
    /// What was acknowledged before each cut.
    known: Vec<Acknowledged>,
    report: CrashReport,
}

impl CrashTest<'_> {
    fn run(&mut self) -> Result<(), CrashError> {
        let mut engine = self.subject.start()?;
        self.report.observed = self.subject.observed();
        let watch = LoadProgress { events: &Silent, stop: self.stop };
        TargetWorkload::new(engine.as_ref(), self.dialect).load(&Crash.data_by_default(), 1, &watch)?;
        if self.request.installs {
            // Whether that is enough is seen next.
            let target = TargetWorkload::new(engine.as_ref(), self.dialect);
            _ = self.dialect.named("checks").iter().try_for_each(|name| target.ask(name, &[]).map(drop));
        }
        if let Err(error) = look::check(engine.as_ref(), self.dialect) {
            self.report.unchecked = Some(error.to_string());
        }
        self.subject.keep()?;
        self.control(engine.as_ref())?;
        let mut working = self.begin(1)?;
        for number in 1..=self.request.cuts {
            let (mut cut, at) = self.wait_and_cut(engine, working, number)?;
            engine = match self.come_back() {
                Ok(engine) => engine,
                Err(error) if error.is_gone() && !self.stop.requested() => {
                    cut.gone = Some(error.to_string());
                    self.tell(cut);
                    return Ok(());
                }
                Err(_) if self.stop.requested() => return Err(CrashError::Stopped),
                Err(error) => return Err(error),
            };
            cut.recovery_s = Some(at.elapsed().as_secs_f64());
            cut.clients = self.subject.seen();
            let is_last = number == self.request.cuts;
            if !is_last {
                engine = self.subject.renew(engine).map_err(|error| self.or_stopped(error))?;
            }
            self.control(engine.as_ref())?;
            let mut next = if is_last { None } else { Some(self.begin(number + 1)?) };
            let went_on = next.as_mut().map_or(Ok(()), |next| self.undisturbed(next));
            if let Some(next) = next.as_ref().filter(|_| cut.clients.is_none()) {
                cut.after = next.shared.now().curve;
                cut.after.truncate((UNDISTURBED.as_millis() / ledger::STEP.as_millis()) as usize);
            }
            let last = number + u32::from(!is_last);
            let compared = self.compare(engine.as_ref(), &mut cut, last);
            if compared.is_err() || self.stop.requested() {
                // A loss that was seen is one, whatever came in the way then.
                if !cut.is_well() {
                    self.tell(cut);
                }
                return Err(compared.err().map_or(CrashError::Stopped, |error| self.or_stopped(error)));
            }
            let is_gone = cut.gone.is_some();
            self.tell(cut);
            if is_gone {
                return Ok(());
            }
            went_on?;
            match next {
                Some(next) => working = next,
                None => {
                    self.report.in_the_end = Some(self.in_the_end(engine.as_ref(), last)?);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whatever is in the way of one who has stopped it is no error.
    fn or_stopped(&self, error: CrashError) -> CrashError {
        if self.stop.requested() { CrashError::Stopped } else { error }
    }

    /// Everything once more. What cannot be read any more is lost.
    fn in_the_end(&self, engine: &dyn Engine, last: u32) -> Result<Judged, CrashError> {
        match look::look(engine, self.dialect, &self.known, last) {
            Err(error) if is_lost(&error) => {
                let acknowledged = self.known.iter().map(Acknowledged::count).sum();
                Ok(Judged { acknowledged, lost: acknowledged, first: vec![error.to_string()], ..Judged::default() })
            }
            done => Ok(done?),
        }
    }

    fn tell(&mut self, cut: Cut) {
        (self.hears)(&cut);
        self.report.cuts.push(cut);
    }

    /// Starts it again, and waits for its first commit.
    fn come_back(&mut self) -> Result<Box<dyn Engine>, CrashError> {
        self.subject.repair()?;
        let engine = self.subject.start()?;
        engine.note(&[("crash test".to_owned(), self.known.len().to_string())])?;
        Ok(engine)
    }

    /// Makes commits unsafe on purpose, and looks whether that holds.
    fn control(&self, engine: &dyn Engine) -> Result<(), CrashError> {
        let Some(name) = self.request.control else { return Ok(()) };
        let (target, statements) = (TargetWorkload::new(engine, self.dialect), self.dialect.named("control"));
        let at_once = |statement: &&String| self.dialect.note(statement, "when").is_none();
        let of_control = |statement: &&String| statement.split(' ').nth(1) == Some(name) && at_once(statement);
        for statement in statements.iter().filter(of_control) {
            target.ask(statement, &[])?;
        }
        let shown = format!("shown {name}");
        let Some(is) = self.dialect.note(&shown, "is") else { return Ok(()) };
        let is_so = || target.ask(&shown, &[]).map(|rows| rows.concat().join(" "));
        // A server takes a moment to read its settings again.
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let found = is_so()?;
            if found == is {
                return Ok(());
            }
            if Instant::now() > until {
                let text = format!("the control {name} does not hold: the server says {found}, and {is} was set");
                return Err(CrashError::Subject(text));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Has sessions work before a cut.
    fn begin(&self, cut: u32) -> Result<Working, CrashError> {
        let CrashRequest { ledgers, sessions, .. } = self.request;
        Working::begin(self.subject.sessions(cut), ledgers.join(format!("cut-{cut}")), sessions)
    }

    /// Waits until the first second after a recovery is over, and so many are acknowledged.
    fn undisturbed(&self, working: &mut Working) -> Result<(), CrashError> {
        self.wait(working, |progress, worked| worked >= UNDISTURBED && progress.counted >= LEAST_ACKNOWLEDGED)
    }

    fn wait(&self, working: &mut Working, enough: impl Fn(&Progress, Duration) -> bool) -> Result<(), CrashError> {
        let from = Instant::now();
        loop {
            let progress = working.shared.now();
            if enough(&progress, working.began.elapsed()) {
                return Ok(());
            }
            if self.stop.requested() {
                return Err(CrashError::Stopped);
            }
            if working.has_ended() {
                working.end().map_err(CrashError::Ledger)?;
                return Err(CrashError::Idle("one ended before they were cut off".to_owned()));
            }
            if from.elapsed() > PATIENCE {
                let (counted, s) = (progress.counted, PATIENCE.as_secs());
                return Err(CrashError::Idle(match counted < LEAST_ACKNOWLEDGED {
                    true => format!("{counted} commits in {s} s, and a cut needs {LEAST_ACKNOWLEDGED}"),
                    false => format!("they stood still: for {s} s none of them was at work when it was looked"),
                }));
            }
            thread::sleep(PAUSE);
        }
    }

    /// Waits for the moment, and cuts.
    fn wait_and_cut(
        &mut self,
        engine: Box<dyn Engine>,
        mut working: Working,
        number: u32,
    ) -> Result<(Cut, Instant), CrashError> {
        // Connections of this process do not hold anything back.
        drop(engine);
        self.undisturbed(&mut working)?;
        self.subject.approach()?;
        let drawn = xxh3_64_with_seed(&number.to_le_bytes(), self.request.seed) as f64 / u64::MAX as f64;
        let from = working.began.elapsed();
        let moment = from + WITHIN.mul_f64(drawn);
        let at_work = |progress: &Progress| progress.last_at.is_some_and(|at| at.elapsed() < MOST_IDLE);
        self.wait(&mut working, |progress, worked| worked >= moment && at_work(progress))?;
        self.subject.hold(&|| working.hold())?;
        let (worked_s, last_at) = (working.began.elapsed().as_secs_f64(), working.shared.now().last_at);
        let last_acknowledged_s = last_at.map_or(f64::INFINITY, |at| at.elapsed().as_secs_f64());
        let at = self.subject.cut(&|| working.shared.now().last_at)?;
        if self.subject.is_apart() {
            self.stopped(&working)?;
        }
        working.end().map_err(CrashError::Ledger)?;
        let acknowledged = ledger::read(&working.path, number, self.request.sessions).map_err(CrashError::Ledger)?;
        let judged = Judged { acknowledged: acknowledged.count(), ..Judged::default() };
        self.known.push(acknowledged);
        Ok((Cut { cut: number, worked_s, last_acknowledged_s, judged, ..Cut::default() }, at))
    }

    /// Waits until sessions are acknowledged nothing any more: that somebody says it was cut is no proof.
    fn stopped(&self, working: &Working) -> Result<(), CrashError> {
        let from = Instant::now();
        while from.elapsed() < GOES_OFF && !self.stop.requested() {
            let last_at = working.shared.now().last_at;
            if working.has_ended() || last_at.is_none_or(|at| at.elapsed() > SILENT) {
                return Ok(());
            }
            thread::sleep(PAUSE);
        }
        let s = GOES_OFF.as_secs();
        Err(CrashError::Subject(format!("it was not cut: {s} s later its sessions still commit")))
    }

    /// Compares what is there of the transactions before a cut; sessions before the next one may be at work.
    fn compare(&mut self, engine: &dyn Engine, cut: &mut Cut, last: u32) -> Result<(), CrashError> {
        let Some(acknowledged) = self.known.last() else { return Ok(()) };
        match look::look(engine, self.dialect, std::slice::from_ref(acknowledged), last) {
            Ok(judged) => cut.judged = judged,
            Err(error) if is_lost(&error) => {
                cut.gone = Some(error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        cut.logged = match self.subject.logged()? {
            Some(statements) => Some(look::logged(engine, self.dialect, acknowledged, &statements)?),
            None => None,
        };
        if self.report.unchecked.is_none() {
            // Others may cancel it; that is no damage.
            let checked = look::check(engine, self.dialect).or_else(|_| look::check(engine, self.dialect));
            cut.checks = match checked {
                Err(error) if error.class == ErrorClass::Corruption => Some(vec![error.to_string()]),
                checked => checked.ok(),
            };
        }
        Ok(())
    }
}

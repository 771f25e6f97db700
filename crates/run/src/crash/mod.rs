//! What a crash loses. Sessions commit transactions that can be told from each other, and a ledger outside of what is
//! cut keeps which ones were acknowledged. At a moment that nobody foresees everything is cut, and started again. Then
//! every acknowledged transaction must be there, whole and unaltered; of each session one more may be there, whose
//! answer never came; and nothing else.
//!
//! How something is cut and started again is its [`Subject`]; what sessions write is a workload
//! ([`dbdyno_workload::crash`]).

mod file_system;
mod ledger;
mod look;
mod sessions;

use crate::load::LoadProgress;
use crate::{Silent, StopSwitch};
use dbdyno_engine::{Engine, EngineError};
use dbdyno_model::ErrorClass;
use dbdyno_workload::crash::{Acknowledged, Crash, Judged};
use dbdyno_workload::{Dialect, TargetWorkload, Workload as _};
use ledger::{Progress, Shared};
use serde::Serialize;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use file_system::{Device, FileSystem, FileSystemError};
pub use ledger::line as ledger_line;
pub use sessions::work as work_until_an_error;

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

/// Why a crash test could not go on. That something was lost is none.
#[derive(Debug, thiserror::Error)]
pub enum CrashError {
    /// What is cut could not be handled: nothing is known of what it lost.
    #[error("{0}")]
    Subject(String),
    /// The database itself does not come back.
    #[error("it does not come back: {0}")]
    Gone(String),
    /// The engine's error while nothing was cut.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The ledger cannot be kept.
    #[error("the ledger: {0}")]
    Ledger(std::io::Error),
    /// Sessions ended, or stood still, before they were cut.
    #[error("the sessions did not work: {0}")]
    Idle(String),
    /// The user stopped it.
    #[error("stopped")]
    Stopped,
}

/// What is cut.
pub trait Subject {
    /// Starts it, with what a crash has left of it.
    ///
    /// # Errors
    /// `Gone` where the database does not come back, and something else where anything else is in the way.
    fn start(&mut self) -> Result<Box<dyn Engine>, CrashError>;

    /// The program whose sessions work on it: it says each acknowledgement as a [`ledger_line`], and ends when it is
    /// cut off.
    fn sessions(&self, cut: u32) -> Command;

    /// Cuts it. Nobody in this process uses it.
    ///
    /// # Errors
    /// It could not be cut.
    fn cut(&mut self) -> Result<(), CrashError>;

    /// Whether sessions lose it by that. Otherwise they are themselves what is cut, and are ended then.
    fn is_apart(&self) -> bool;

    /// Keeps everything that was made before the first sessions begin. What is recovered later the database must keep
    /// by itself.
    ///
    /// # Errors
    /// It could not be kept.
    fn keep(&mut self) -> Result<(), CrashError> {
        Ok(())
    }

    /// Makes it so that [`Subject::start`] finds what the cut has left.
    ///
    /// # Errors
    /// What was cut cannot be used again.
    fn repair(&mut self) -> Result<(), CrashError> {
        Ok(())
    }
}

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

/// One cut.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Cut {
    /// Its number, from 1 on.
    pub cut: u32,
    /// How long the sessions had worked, in seconds.
    pub worked_s: f64,
    /// How long before it the last acknowledgement came in, in seconds.
    pub last_acknowledged_s: f64,
    /// From the cut to the first commit afterwards, in seconds; absent where it did not come back.
    pub recovery_s: Option<f64>,
    /// Commits in each tenth of a second from the start of sessions after the recovery; empty after the last cut.
    pub after: Vec<u64>,
    /// What became of the transactions before it.
    pub judged: Judged,
    /// What the server's own checks found wrong; absent where they were not made.
    pub checks: Option<Vec<String>>,
    /// Why nothing could be compared: it did not come back, or a table is missing.
    pub gone: Option<String>,
}

impl Cut {
    /// Whether it lost nothing that was acknowledged, and left everything sound.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.gone.is_none() && self.judged.is_well() && self.checks.as_ref().is_none_or(Vec::is_empty)
    }
}

/// What came of a test.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CrashReport {
    /// The cuts, in order.
    pub cuts: Vec<Cut>,
    /// Why the server's own checks were not made, if they were not.
    pub unchecked: Option<String>,
    /// Everything that was acknowledged before any cut, compared once more at the end; absent where it ended early.
    pub in_the_end: Option<Judged>,
}

impl CrashReport {
    /// Commits that were acknowledged, and those of them that are lost. Whoever does not come back has lost all.
    #[must_use]
    pub fn counted(&self) -> (u64, u64) {
        let acknowledged = self.cuts.iter().map(|cut| cut.judged.acknowledged).sum();
        let at_once = self.cuts.iter().map(|cut| cut.judged.lost).sum::<u64>();
        let in_the_end = self.in_the_end.as_ref().map_or(0, |judged| judged.lost);
        let is_gone = self.cuts.iter().any(|cut| cut.gone.is_some());
        (acknowledged, if is_gone { acknowledged } else { at_once.max(in_the_end) })
    }

    /// Cuts after which something that was acknowledged was missing, or something was wrong.
    #[must_use]
    pub fn losses(&self) -> usize {
        let in_the_end = self.in_the_end.as_ref().is_some_and(|judged| !judged.is_well());
        let at_once = self.cuts.iter().filter(|cut| !cut.is_well()).count();
        // What was there after its cut and is gone now was lost by a later one.
        at_once.max(usize::from(in_the_end))
    }
}

/// The share of cuts, in percent, that may lose something where none of so many did, with a confidence of 95 %: the
/// exact bound of a binomial share, 1 - 0.05^(1/n).
#[must_use]
pub fn most_lossy_pct(cuts: usize) -> f64 {
    if cuts == 0 { 100.0 } else { 100.0 * (1.0 - 0.05_f64.powf(1.0 / cuts as f64)) }
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
        let watch = LoadProgress { events: &Silent, stop: self.stop };
        TargetWorkload::new(engine.as_ref(), self.dialect).load(&Crash.data_by_default(), 1, &watch)?;
        if self.request.installs {
            // Whether that is enough is seen next.
            _ = look::execute(engine.as_ref(), self.dialect, "checks");
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
                Err(error) if is_gone(&error) && !self.stop.requested() => {
                    cut.gone = Some(error.to_string());
                    self.tell(cut);
                    return Ok(());
                }
                Err(_) if self.stop.requested() => return Err(CrashError::Stopped),
                Err(error) => return Err(error),
            };
            cut.recovery_s = Some(at.elapsed().as_secs_f64());
            self.control(engine.as_ref())?;
            let is_last = number == self.request.cuts;
            let mut next = if is_last { None } else { Some(self.begin(number + 1)?) };
            let went_on = next.as_mut().map_or(Ok(()), |next| self.undisturbed(next));
            if let Some(next) = &next {
                cut.after = next.shared.now().curve;
                cut.after.truncate((UNDISTURBED.as_millis() / ledger::STEP.as_millis()) as usize);
            }
            let last = number + u32::from(!is_last);
            let compared = self.compare(engine.as_ref(), &mut cut, last);
            if self.stop.requested() {
                return Err(CrashError::Stopped);
            }
            compared?;
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
        let statements = self.dialect.named("control");
        let of_control = |statement: &&String| statement.split(' ').nth(1) == Some(name);
        for statement in statements.iter().filter(of_control) {
            look::ask(engine, self.dialect, statement, &[])?;
        }
        let shown = format!("shown {name}");
        let Some(is) = self.dialect.note(&shown, "is") else { return Ok(()) };
        let is_so = || look::ask(engine, self.dialect, &shown, &[]).map(|rows| rows.concat().join(" "));
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
        let path = self.request.ledgers.join(format!("cut-{cut}"));
        let mut command = self.subject.sessions(cut);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| CrashError::Idle(error.to_string()))?;
        let Some(said) = child.stdout.take() else { return Err(CrashError::Idle("they say nothing".to_owned())) };
        let (shared, sessions) = (Arc::new(Shared::default()), self.request.sessions);
        let keeper = {
            let (shared, path) = (Arc::clone(&shared), path.clone());
            thread::spawn(move || ledger::keep(said, &path, sessions, &shared))
        };
        Ok(Working { child, shared, keeper: Some(keeper), path, began: Instant::now() })
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
        let drawn = xxh3_64_with_seed(&number.to_le_bytes(), self.request.seed) as f64 / u64::MAX as f64;
        let from = working.began.elapsed();
        let moment = from + WITHIN.mul_f64(drawn);
        let at_work = |progress: &Progress| progress.last_at.is_some_and(|at| at.elapsed() < MOST_IDLE);
        self.wait(&mut working, |progress, worked| worked >= moment && at_work(progress))?;
        let (worked_s, last_at) = (working.began.elapsed().as_secs_f64(), working.shared.now().last_at);
        let last_acknowledged_s = last_at.map_or(f64::INFINITY, |at| at.elapsed().as_secs_f64());
        let at = Instant::now();
        self.subject.cut()?;
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
    fn compare(&self, engine: &dyn Engine, cut: &mut Cut, last: u32) -> Result<(), CrashError> {
        let Some(acknowledged) = self.known.last() else { return Ok(()) };
        match look::look(engine, self.dialect, std::slice::from_ref(acknowledged), last) {
            Ok(judged) => cut.judged = judged,
            Err(error) if is_lost(&error) => {
                cut.gone = Some(error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
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

/// Whether an error says that something is not there any more, or damaged.
fn is_lost(error: &EngineError) -> bool {
    matches!(error.class, ErrorClass::UnknownObject | ErrorClass::Corruption)
}

fn is_gone(error: &CrashError) -> bool {
    match error {
        CrashError::Gone(_) => true,
        CrashError::Engine(error) => is_lost(error),
        _ => false,
    }
}

/// Sessions at work, in a process of their own.
struct Working {
    child: Child,
    shared: Arc<Shared>,
    keeper: Option<JoinHandle<std::io::Result<()>>>,
    path: std::path::PathBuf,
    began: Instant,
}

impl Working {
    /// Whether they said that they have ended.
    fn has_ended(&self) -> bool {
        self.keeper.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends them, and takes what they have said until then.
    fn end(&mut self) -> std::io::Result<()> {
        _ = self.child.kill();
        _ = self.child.wait();
        match self.keeper.take().map(JoinHandle::join) {
            Some(Ok(kept)) => kept,
            Some(Err(_)) => Err(std::io::Error::other("its keeper panicked")),
            None => Ok(()),
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        _ = self.end();
    }
}

#[cfg(test)]
mod tests;

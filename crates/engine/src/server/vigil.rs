//! Answers that do not come. A server may stand still, and what is in between may lose the middle of an answer: the
//! kernel notices neither, and no client crate has a limit of time that could be taken away again while a test is
//! measured.
//!
//! So whatever a connection asks in control of the work is noted at its [`Post`] while it is waited for, and one thread
//! for each target looks at these notes. A limit alone would end what takes long by right (an index, a checkpoint, a
//! lock that somebody else has). So where nothing has come for a while, a new connection is asked what the session is
//! doing: one that is at work may take its time. Where nobody answers, or the server itself waits for us, the answer
//! will never come. What is measured is not noted, so it is never cut, and costs nothing.
//!
//! The thread that waits cannot be woken: not every socket can be got hold of. So whoever asked to be told ends the
//! process.

use super::NO_THREAD;
use super::{recover, within};
use crate::{EngineError, LostTarget};
use crate::{Finding, FindingLevel, finding};
use dbdyno_model::ErrorClass;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// So many times what connecting may take, an answer may take before somebody looks after it: a minute where nothing is
/// said.
const ANSWERS: u32 = 6;
/// The watch looks so many times in that time.
const LOOKS: u32 = 60;
/// Between two questions after a session lies this share of that time: an answer may be on its way.
const PAUSES: u32 = 12;
/// How long a session that was cancelled may take to say so, before it is looked after.
const CANCELLED: Duration = Duration::from_millis(450);
/// How many of them are.
const ASKED_AFTER: usize = 3;

/// What one connection waits for.
#[derive(Debug, Default)]
pub struct Post {
    /// Questions, answers, and pieces of answers.
    heard: AtomicU64,
    asked: Mutex<Option<String>>,
    /// The node, and the number of its session there.
    node: usize,
    session: u64,
}

impl Post {
    /// Something is asked, and waited for until this value goes.
    pub fn asks(&self, doing: &str) -> Asking<'_> {
        *recover(&self.asked) = Some(doing.to_owned());
        let asking = Asking(self);
        asking.heard();
        asking
    }
}

/// Something that is waited for.
#[derive(Debug)]
pub struct Asking<'p>(&'p Post);

impl Asking<'_> {
    /// A piece of the answer has come, or a piece of the question has gone.
    pub fn heard(&self) {
        // One thread at a time writes it, and it goes through every row.
        self.0.heard.store(self.0.heard.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.heard();
        *recover(&self.0.asked) = None;
    }
}

/// A connection while something is asked over it in control of the work.
pub struct Asked<'l, C> {
    connection: &'l mut C,
    asking: Asking<'l>,
}

impl<'l, C> Asked<'l, C> {
    /// Asks over this connection; `doing` says what, should no answer come.
    pub fn new(connection: &'l mut C, post: &'l Post, doing: &str) -> Self {
        Self { connection, asking: post.asks(doing) }
    }

    /// The connection, and where to say that a piece has come.
    pub fn parts(&mut self) -> (&mut C, &Asking<'l>) {
        (self.connection, &self.asking)
    }
}

impl<C> Deref for Asked<'_, C> {
    type Target = C;

    fn deref(&self) -> &C {
        self.connection
    }
}

impl<C> DerefMut for Asked<'_, C> {
    fn deref_mut(&mut self) -> &mut C {
        self.connection
    }
}

/// What a new connection is told of a session that gives no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// It is at work, or nobody may say.
    Working,
    /// It has nothing to do, or waits for us.
    Waiting,
    /// Nobody answers.
    Nothing,
}

impl Told {
    /// What it means that a new connection was not to be had: whoever turns us away has answered.
    pub fn refused(error: &EngineError) -> Self {
        if error.target_lost() { Self::Nothing } else { Self::Working }
    }

    /// By a row that says whether the session waits; none where it is not seen.
    pub fn of(waits: Option<&str>) -> Self {
        if matches!(waits, Some("t" | "1")) { Self::Waiting } else { Self::Working }
    }
}

/// Asks after a session over a new connection, which may fall silent, too.
pub fn look_after(limit: Duration, ask: impl FnOnce() -> Result<Told, EngineError> + Send + 'static) -> Told {
    match within(limit, ask) {
        Ok(told) => told.unwrap_or_else(|error| Told::refused(&error)),
        Err(RecvTimeoutError::Timeout) => Told::Nothing,
        Err(RecvTimeoutError::Disconnected) => Told::Working,
    }
}

/// Something that is waited for, as the watch sees it.
#[derive(Clone)]
pub struct Wait {
    post: Weak<Post>,
    heard: u64,
    doing: String,
    /// The node.
    pub node: usize,
    /// The session that was asked.
    pub session: u64,
}

impl Wait {
    /// Whether nothing has come since.
    fn goes_on(&self) -> bool {
        let post = self.post.upgrade();
        post.is_some_and(|post| post.heard.load(Ordering::Relaxed) == self.heard && recover(&post.asked).is_some())
    }

    /// Asks twice, with a pause: what came in between was on its way.
    fn is_in_vain(&self, pause: Duration, ask: &dyn Fn(&Self) -> Told) -> Option<Told> {
        let mut last = None;
        for _ in 0..2 {
            last = Some(ask(self)).filter(|told| *told != Told::Working);
            last?;
            thread::sleep(pause);
            if !self.goes_on() {
                return None;
            }
        }
        last
    }

    fn error(&self, waited: Duration, told: Told) -> EngineError {
        let why = match told {
            Told::Nothing => "and the server answers no new connection: it stands still, or cannot be reached any more",
            _ => {
                "and the server says that it has none to give: its session waits for dbdyno, so what is in between has lost \
                 the question or the answer"
            }
        };
        let message = format!("{}: no answer for {} s, {why}", self.doing, waited.as_secs());
        EngineError::new(ErrorClass::ConnectionLost, message)
    }
}

/// What the connections of a target wait for.
#[derive(Default)]
pub struct Vigil(Mutex<Vec<Weak<Post>>>);

impl fmt::Debug for Vigil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vigil").finish_non_exhaustive()
    }
}

impl Vigil {
    /// One more connection, to this session of a node.
    pub fn post(&self, node: usize, session: u64) -> Arc<Post> {
        let post = Arc::new(Post { node, session, ..Post::default() });
        let mut posts = recover(&self.0);
        posts.retain(|post| post.strong_count() > 0);
        posts.push(Arc::downgrade(&post));
        post
    }

    /// What is waited for.
    fn waits(&self) -> Vec<Wait> {
        let wait = |weak: &Weak<Post>| {
            let post = weak.upgrade()?;
            // In this order: an answer that comes now makes the number too small, and the wait another one.
            let heard = post.heard.load(Ordering::Relaxed);
            let doing = recover(&post.asked).clone()?;
            Some(Wait { post: Weak::clone(weak), heard, doing, node: post.node, session: post.session })
        };
        recover(&self.0).iter().filter_map(wait).collect()
    }

    /// Makes a check, with time for so many nodes. Where the server falls silent meanwhile, that is the finding.
    pub fn checked(
        &self,
        connect_timeout: Duration,
        nodes: usize,
        look: impl FnOnce() -> Vec<Finding> + Send + 'static,
    ) -> Vec<Finding> {
        let nodes = u32::try_from(nodes).unwrap_or(u32::MAX);
        let limit = connect_timeout.saturating_mul(ANSWERS).saturating_mul(nodes);
        within(limit, look).unwrap_or_else(|error| {
            let (limit_s, asked) = (limit.as_secs(), self.asked());
            let text = match error {
                RecvTimeoutError::Timeout => {
                    format!("the server does not answer any more: {limit_s} s were over before all was asked ({asked})")
                }
                RecvTimeoutError::Disconnected => format!("{NO_THREAD} ({asked})"),
            };
            vec![finding(FindingLevel::Blocker, "connection", text)]
        })
    }

    /// What is asked at this moment, in words.
    fn asked(&self) -> String {
        let waits = self.waits();
        waits.last().map_or_else(|| "nothing is under way".to_owned(), |wait| wait.doing.clone())
    }

    /// Whether an answer has been lost, as whoever has cancelled it wants to know at once.
    pub fn is_cut_off(&self, ask: &dyn Fn(&Wait) -> Told) -> bool {
        let waits = self.waits();
        if waits.is_empty() {
            return false;
        }
        thread::sleep(CANCELLED);
        // What is in between has lost all or none, so that a few tell.
        waits.iter().filter(|wait| wait.goes_on()).take(ASKED_AFTER).any(|wait| {
            ask(wait) == Told::Waiting && {
                thread::sleep(CANCELLED);
                wait.goes_on()
            }
        })
    }

    /// Watches until the last owner of this value goes, and tells of the first answer that will not come. `ask` asks
    /// the server, over a new connection, after a session.
    pub fn watch(
        self: &Arc<Self>,
        connect_timeout: Duration,
        ask: impl Fn(&Wait) -> Told + Send + 'static,
        tell: LostTarget,
    ) {
        let (vigil, patience) = (Arc::downgrade(self), connect_timeout.saturating_mul(ANSWERS));
        // Without the thread everything works, but nobody notices.
        _ = thread::Builder::new().name("answers".to_owned()).spawn(move || {
            let mut known: Vec<(Wait, Instant)> = Vec::new();
            loop {
                thread::sleep(patience / LOOKS);
                let Some(waits) = vigil.upgrade().map(|vigil| vigil.waits()) else { return };
                let now = Instant::now();
                known.retain(|(wait, _)| wait.goes_on());
                for wait in waits {
                    if !known.iter().any(|(old, _)| Weak::ptr_eq(&old.post, &wait.post)) {
                        known.push((wait, now));
                    }
                }
                for (wait, since) in &mut known {
                    if since.elapsed() < patience {
                        continue;
                    }
                    match wait.is_in_vain(patience / PAUSES, &ask) {
                        Some(told) => return tell(wait.error(since.elapsed(), told)),
                        // It is asked again later.
                        None => *since = Instant::now(),
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::sync::mpsc::{Receiver, channel};

    /// Time enough for what happens by itself on a busy machine.
    const LONG: Duration = Duration::from_secs(30);
    /// The patience is 60 ms then.
    const CONNECT: Duration = Duration::from_millis(10);

    /// A vigil where sessions are said to do this, how often that was asked, and what is told.
    fn vigil(told: Told) -> (Arc<Vigil>, Arc<AtomicU32>, Receiver<EngineError>) {
        let (vigil, asked, (tell, heard)) = (Arc::new(Vigil::default()), Arc::new(AtomicU32::new(0)), channel());
        let count = Arc::clone(&asked);
        let ask = move |wait: &Wait| {
            assert_eq!((wait.node, wait.session), (1, 7));
            count.fetch_add(1, Ordering::Relaxed);
            told
        };
        vigil.watch(CONNECT, ask, Box::new(move |error| tell.send(error).unwrap()));
        (vigil, asked, heard)
    }

    #[test]
    fn an_answer_that_cannot_come_is_told_with_what_was_asked() {
        for (told, said) in [(Told::Nothing, "answers no new connection"), (Told::Waiting, "it has none to give")] {
            let (vigil, _, heard) = vigil(told);
            let post = vigil.post(1, 7);
            let asking = post.asks("making a checkpoint");
            let error = heard.recv_timeout(LONG).unwrap();
            assert!(error.target_lost() && error.message.starts_with("making a checkpoint: no answer for"), "{error}");
            assert!(error.message.contains(said), "{error}");
            drop(asking);
        }
    }

    #[test]
    fn what_is_at_work_may_take_its_time() {
        let (vigil, asked, heard) = vigil(Told::Working);
        let post = vigil.post(1, 7);
        let _asking = post.asks("building an index");
        while asked.load(Ordering::Relaxed) < 3 {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(heard.try_recv().is_err());
    }

    /// Nobody asks after what is answered; each piece counts.
    #[test]
    fn what_is_answered_is_left_alone() {
        let vigil = Vigil::default();
        let post = vigil.post(0, 1);
        assert!(vigil.waits().is_empty() && vigil.asked() == "nothing is under way");
        let asking = post.asks("reading rows");
        let [wait] = &vigil.waits()[..] else { panic!("one waits") };
        assert!(wait.goes_on() && vigil.asked() == "reading rows");
        asking.heard();
        assert!(!wait.goes_on());
        let [wait] = &vigil.waits()[..] else { panic!("it still waits") };
        drop(asking);
        assert!(!wait.goes_on() && vigil.waits().is_empty());
        // A connection that asks nothing has nothing to wait for, and one that has gone even less.
        let asking = post.asks("reading rows again");
        let [wait] = &vigil.waits()[..] else { panic!("one waits") };
        drop(asking);
        drop(post);
        assert!(!wait.goes_on());
    }

    #[test]
    fn what_comes_while_it_is_asked_after_was_on_its_way() {
        let vigil = Vigil::default();
        let post = vigil.post(0, 1);
        let asking = post.asks("reading rows");
        let wait = vigil.waits().remove(0);
        let answered = |_: &Wait| {
            asking.heard();
            Told::Waiting
        };
        assert_eq!(wait.is_in_vain(Duration::ZERO, &answered), None);
        assert!(!vigil.is_cut_off(&answered));
        assert!(vigil.is_cut_off(&|_| Told::Waiting) && !vigil.is_cut_off(&|_| Told::Working));
    }

    #[test]
    fn whoever_turns_a_question_away_has_answered() {
        assert_eq!(Told::refused(&EngineError::new(ErrorClass::Other, "too many connections")), Told::Working);
        assert_eq!(Told::refused(&EngineError::new(ErrorClass::ConnectionLost, "silent")), Told::Nothing);
        assert_eq!(
            [Some("t"), Some("1"), Some("f"), None].map(Told::of).map(|told| told == Told::Waiting),
            [true, true, false, false]
        );
    }
}

//! Looks at all nodes of a target again and again, whoever works there. Each node has a connection of its own, which is
//! opened anew at each look where it was lost. A look waits for no node longer than a limit: what gives no answer is
//! left behind on its thread, and ends with its connection.

use super::product::Product;
use super::served::Served;
use super::watch::Seen;
use super::{Connection as _, NO_THREAD};
use crate::private::PrivateServer;
use crate::{Depth, EngineError, Observation, Observer};
use dbdyno_model::ErrorClass;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The name of connections that look at a server all the time.
pub(super) const MONITOR: &str = "dbdyno monitor";
/// How long a node may take to let us in, and how long a look may take. Statements have a limit of their own, which the
/// dialect sets (`observe/session`).
const CONNECT: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(2_500);
/// How long a server that turned us down is not asked again: some lock an account after a few refusals.
const REFUSED: Duration = Duration::from_secs(60);

/// Looks at the nodes of a target.
pub(super) struct ServerObserver<P: Product> {
    product: P,
    private: Option<PrivateServer>,
    nodes: Vec<Looked<P>>,
}

/// What is known of a node.
struct Looked<P: Product> {
    open: Option<Open<P>>,
    seen: Seen,
    /// When it answered last; none where the last look had no answer: what was at work meanwhile is not known.
    at: Option<Instant>,
    /// That it turned us down, and when.
    refused: Option<(Instant, EngineError)>,
    /// What was spent on connections that have ended, and on that which is open.
    ended_ns: u64,
    open_ns: u64,
}

/// A connection that looks.
struct Open<P: Product> {
    connection: P::Connection,
    served: Option<Served>,
}

/// What came of a look: the connection where it may go on.
type Answer<P> = (Option<Open<P>>, Result<Observation, EngineError>);

impl<P: Product> ServerObserver<P> {
    /// Connects to all nodes.
    ///
    /// # Errors
    /// That of the first, where none lets us in.
    pub(super) fn open(product: &P, private: Option<&PrivateServer>) -> Result<Self, EngineError> {
        let reach = product.reach();
        let nodes = (0..reach.nodes).map(|_| Looked {
            open: None,
            seen: Seen::default(),
            at: None,
            refused: None,
            ended_ns: 0,
            open_ns: 0,
        });
        let product = product.looked_at(reach.connect_timeout.min(CONNECT));
        let mut observer = Self { product, private: private.cloned(), nodes: nodes.collect() };
        let mut refused = None;
        for looked in observer.look(Depth::Counters) {
            match looked {
                Ok(_) => return Ok(observer),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| EngineError::other("the target names no node")))
    }

    /// Begins a look at a node.
    fn begin(&mut self, node: usize, depth: Depth) -> Receiver<Answer<P>> {
        let (sender, receiver) = mpsc::channel();
        let (product, private) = (self.product.clone(), self.private.clone());
        let open = self.nodes[node].open.take();
        // Where there is no thread to be had, the sender has gone, which says so.
        _ = thread::Builder::new().name("observer".to_owned()).spawn(move || {
            // Nobody listens any more where it took too long.
            _ = sender.send(ask(&product, private.as_ref(), node, open, depth));
        });
        receiver
    }
}

/// Asks a node, over this connection if there is one.
fn ask<P: Product>(
    product: &P,
    private: Option<&PrivateServer>,
    node: usize,
    open: Option<Open<P>>,
    depth: Depth,
) -> Answer<P> {
    let open = open.filter(|open| !open.connection.is_closed());
    let mut open = match open.map_or_else(|| connect(product, private, node), Ok) {
        Ok(open) => open,
        Err(error) => return (None, Err(error)),
    };
    match P::observe(&mut open.connection, depth) {
        Ok(observed) => (Some(open), Ok(Observation { at: Some(Instant::now()), ..observed })),
        Err(error) => (None, Err(error)),
    }
}

fn connect<P: Product>(product: &P, private: Option<&PrivateServer>, node: usize) -> Result<Open<P>, EngineError> {
    let mut connection = product.open(node, MONITOR)?;
    let questions = product.questions(&connection);
    if P::dialect().find("observe", "session").is_some() {
        connection.batch("preparing to look", &questions.sql("observe/session")?)?;
    }
    let place = product.locate(&mut connection, private.filter(|_| node == 0)).ok();
    let server = place.and_then(|place| place.server_pid);
    let served = server.and_then(|server| Served::find(server, P::serving(&mut connection)?));
    Ok(Open { connection, served })
}

impl<P: Product> Looked<P> {
    /// Takes what came of a look that began at `at`.
    fn take(&mut self, at: Instant, answer: Result<Answer<P>, RecvTimeoutError>) -> Result<Observation, EngineError> {
        let last = self.at.take();
        let silent = || format!("it gave no answer within {:.1} s", LOOK.as_secs_f64());
        let (open, observed) = answer.unwrap_or_else(|why| {
            let why = if why == RecvTimeoutError::Timeout { silent() } else { NO_THREAD.to_owned() };
            (None, Err(EngineError::new(ErrorClass::ConnectionLost, why)))
        });
        let spent = open.as_ref().and_then(|open| open.served.as_ref()?.spent_ns());
        match spent {
            // Another connection than before begins at nothing.
            Some(ns) if ns < self.open_ns => (self.ended_ns, self.open_ns) = (self.ended_ns + self.open_ns, ns),
            Some(ns) => self.open_ns = ns,
            None => (self.ended_ns, self.open_ns) = (self.ended_ns + self.open_ns, 0),
        }
        self.open = open;
        let mut observed = observed.inspect_err(|error| {
            self.refused = (error.class == ErrorClass::Authentication).then(|| (at, error.clone()));
        })?;
        self.refused = None;
        let answered = observed.at.unwrap_or(at);
        let passed = last.map_or(Duration::ZERO, |last| answered.saturating_duration_since(last));
        self.at = Some(answered);
        let passed_ns = u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX);
        self.seen.sample(std::mem::take(&mut observed.counters.waits), passed_ns);
        observed.counters.waits = self.seen.waits();
        Ok(observed)
    }

    /// Why it is not asked, if so.
    fn refusal(&self) -> Option<EngineError> {
        self.refused.as_ref().filter(|(at, _)| at.elapsed() < REFUSED).map(|(_, error)| error.clone())
    }
}

impl<P: Product> Observer for ServerObserver<P> {
    fn nodes(&self) -> Vec<String> {
        (0..self.nodes.len()).map(|node| self.product.node_name(node)).collect()
    }

    fn look(&mut self, depth: Depth) -> Vec<Result<Observation, EngineError>> {
        let began = Instant::now();
        let mut asked = Vec::new();
        for node in 0..self.nodes.len() {
            asked.push(match self.nodes[node].refusal() {
                Some(error) => Err(error),
                None => Ok(self.begin(node, depth)),
            });
        }
        let until = began + LOOK;
        let taken = asked.into_iter().zip(&mut self.nodes).map(|(asked, looked)| {
            let answer = asked?.recv_timeout(until.saturating_duration_since(Instant::now()));
            looked.take(began, answer)
        });
        taken.collect()
    }

    fn cost_ns(&self) -> Option<u64> {
        let is_seen = |node: &Looked<P>| node.open.as_ref().is_none_or(|open| open.served.is_some());
        let all = self.nodes.iter().all(is_seen) && self.nodes.iter().any(|node| node.open_ns + node.ended_ns > 0);
        all.then(|| self.nodes.iter().map(|node| node.ended_ns + node.open_ns).sum())
    }
}

//! A private server with a standby, whose primary is lost: it is killed, its data is removed, and the standby is
//! promoted. For the next cut the promoted one takes the primary's place and gets a standby of its own.

use super::control::Control;
use super::subject::{Made, MadeSubject, subject};
use crate::error::Error;
use dbdyno_engine::private::{self, Private, PrivateServer, StandbyRequest};
use dbdyno_engine::servers::StandbyKind;
use dbdyno_engine::{Engine, EngineError};
use dbdyno_model::ClientsSeen;
use dbdyno_run::StopSwitch;
use dbdyno_run::crash::{Clients, CrashError, Host, Relay, Subject};
use dbdyno_workload::{Dialect, TargetWorkload};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a control holds the link, where nothing else is said.
const HELD_S: f64 = 0.5;
/// How long something may be on its way when the link is held.
const ON_ITS_WAY: Duration = Duration::from_millis(100);
/// How much longer it is held where nothing is acknowledged: a device may be busy for long.
const STANDS_STILL: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Promotion {
    pub(super) kind: StandbyKind,
    /// How long the link is held before a cut.
    pub(super) hold_s: Option<f64>,
}

/// Two servers, from their making to their end.
pub(super) struct PromotedSubject<'a> {
    inner: MadeSubject<'a>,
    server: Private,
    kind: StandbyKind,
    hold: Option<Duration>,
    /// Whether commits are to wait for the standby.
    waits: bool,
    dialect: &'a Dialect,
    /// Statements of the control that are sent again and again while the link is held.
    while_held: Vec<String>,
    relay: Relay,
    clients: Option<Clients>,
    /// The one that was promoted, until it has been opened.
    promoted: Option<PrivateServer>,
    observed: Option<String>,
}

impl<'a> PromotedSubject<'a> {
    pub(super) fn new(
        made: &'a Made,
        (sessions, control): (u32, Option<&'a Control>),
        (promotion, dialect): (Promotion, &'a Dialect),
        stop: &StopSwitch,
    ) -> Result<Self, Error> {
        let server = made.server.ok_or_else(|| {
            Error::Usage(format!("--standby {}: {} has no server, and so no standby", promotion.kind, made.info.name))
        })?;
        let hold_s = promotion.hold_s.or(control.map(|_| HELD_S));
        let of_control = |statement: &String| {
            let name = statement.split(' ').nth(1);
            dialect.note(statement, "when").is_some() && control.is_some_and(|control| Some(&*control.name) == name)
        };
        Ok(Self {
            inner: MadeSubject::new(made, sessions, control, None, stop)?,
            server,
            kind: promotion.kind,
            hold: hold_s.map(Duration::from_secs_f64),
            waits: promotion.kind != StandbyKind::Async && control.is_none(),
            dialect,
            while_held: dialect.named("control").into_iter().filter(of_control).collect(),
            relay: Relay::default(),
            clients: None,
            promoted: None,
            observed: None,
        })
    }

    pub(super) fn into_inner(self) -> MadeSubject<'a> {
        self.inner
    }

    pub(super) fn inner(&self) -> &MadeSubject<'a> {
        &self.inner
    }

    fn found(&self) -> Result<PrivateServer, CrashError> {
        private::find(&self.inner.home, self.server.product, Some(self.kind)).map_err(subject)
    }

    fn open(&self, server: &PrivateServer) -> Result<Box<dyn Engine>, CrashError> {
        (self.server.open)(server, &self.inner.made.size).map_err(subject)
    }

    /// A server as clients open it.
    fn host(&self, server: PrivateServer) -> Host {
        let (open, size) = (self.server.open, self.inner.made.size.clone());
        Arc::new(move || open(&server, &size).map_err(|error| EngineError::other(error.to_string())))
    }

    /// Holds the link, and does meanwhile what the control does. Where commits do not wait for the standby, that lasts
    /// until some were acknowledged meanwhile: nothing else can be lost.
    fn hold_link(&self, last: &dyn Fn() -> Option<Instant>) -> Result<(), CrashError> {
        let Some(hold) = self.hold else { return Ok(()) };
        let server = private::find(&self.inner.home, self.server.product, None).map_err(subject)?;
        let engine = self.open(&server)?;
        let target = TargetWorkload::new(engine.as_ref(), self.dialect);
        let from = Instant::now();
        // What was on its way when it began arrives still.
        let meanwhile = || self.waits || last().is_some_and(|last| last > from + hold.min(ON_ITS_WAY));
        self.relay.hold();
        while from.elapsed() < hold || (!meanwhile() && from.elapsed() < hold + STANDS_STILL) {
            for statement in &self.while_held {
                target.ask(statement, &[])?;
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

impl Subject for PromotedSubject<'_> {
    fn start(&mut self) -> Result<Box<dyn Engine>, CrashError> {
        if let Some(server) = self.promoted.take() {
            return self.open(&server);
        }
        let request = StandbyRequest { kind: self.kind, through: Some(&self.relay) };
        self.inner.up(self.server, Some(request))?;
        let server = self.found()?;
        self.observed = server.standby().map(|(_, text)| text);
        self.open(&server)
    }

    fn sessions(&self, cut: u32) -> Command {
        self.inner.sessions(cut)
    }

    fn observed(&self) -> Option<String> {
        self.observed.clone()
    }

    fn approach(&mut self) -> Result<(), CrashError> {
        let standby = private::standby(&self.inner.home, self.server.product).map_err(subject)?;
        let hosts = [self.found()?, standby].map(|server| self.host(server));
        let clients = Clients::begin(&hosts, self.dialect);
        let at_work = clients.wait_for_work();
        self.clients = Some(clients);
        at_work
    }

    fn cut(&mut self, last: &dyn Fn() -> Option<Instant>) -> Result<Instant, CrashError> {
        self.hold_link(last)?;
        let at = Instant::now();
        self.inner.made.kill()?;
        Ok(at)
    }

    fn is_apart(&self) -> bool {
        true
    }

    /// The standby has what it has received until now; the primary is fenced before it is promoted.
    fn repair(&mut self) -> Result<(), CrashError> {
        self.relay.close();
        let promoted = private::promote(&self.inner.home, self.server.product, &self.inner.watch);
        self.promoted = Some(promoted.map_err(|error| self.inner.gone(error))?);
        Ok(())
    }

    fn seen(&mut self) -> Option<ClientsSeen> {
        self.clients.take().map(Clients::end)
    }

    fn renew(&mut self, engine: Box<dyn Engine>) -> Result<Box<dyn Engine>, CrashError> {
        drop(engine);
        private::take_place(&self.inner.home, self.server.product, &self.inner.watch).map_err(subject)?;
        self.start()
    }
}

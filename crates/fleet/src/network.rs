//! Carries messages over NATS: one thread, which wakes for each message, for each act at this end, and when something
//! is due. Something is due ten times a second while a point is measured, and once a second outside a run.

use crate::{Link, Out};
use async_nats::{Client, ConnectOptions, Event, Subscriber};
use dbdyno_engine::server::tls::{ClientConfig, verifying_config};
use dbdyno_engine::{Clock as _, MonotonicClock};
use futures_util::StreamExt as _;
use futures_util::stream::{SelectAll, select_all};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a server may take to let us in.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// A piece of a part, with what stands around it, must fit into a message.
const LEAST_PAYLOAD_BYTES: usize = 768 << 10;
/// How long the last messages may take to leave.
const FLUSH_LIMIT: Duration = Duration::from_millis(500);
/// Messages may come so fast that the clock need not be looked at for each.
const LEAST_TICK_NS: u64 = 10_000_000;
/// The least time between looks of somebody who waits: a thousand agents tell more than can be looked at one by one.
const LEAST_LOOK: Duration = Duration::from_millis(2);
/// A server of which nothing has come for so long is silent. That is found out before the first agent is lost, which
/// may have spoken a beat and a tick before. The client closes a connection when two pings are not answered and a third
/// is due.
const SERVER_SILENT_NS: u64 = 1_000_000_000;
const _: () = assert!(SERVER_SILENT_NS < crate::LOST_NS - crate::BEAT_NS - crate::TICK_NS);
/// Time between attempts to reach a server that was lost.
const RECONNECT: Duration = Duration::from_millis(200);

/// How to reach NATS. Addresses may hold a password, so it is not shown.
#[derive(Clone, Default)]
pub struct NatsAccess {
    /// The servers, as `nats://host:port` or `tls://host:port`.
    pub urls: Vec<String>,
    /// A file with credentials (a JWT and its seed).
    pub credentials: Option<PathBuf>,
    /// A file with certificates that the server's may be signed by.
    pub authority: Option<PathBuf>,
}

impl NatsAccess {
    /// Whether all servers are reached over TLS.
    #[must_use]
    pub fn is_tls_alone(&self) -> bool {
        self.urls.iter().all(|url| url.starts_with("tls://"))
    }
}

/// Why NATS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// A URL is none.
    #[error("'{0}' is no address of a NATS server: nats://host:4222, or tls://host:4222")]
    Address(String),
    /// The credentials cannot be read.
    #[error("the NATS credentials in {file}: {why}")]
    Credentials {
        /// The file.
        file: String,
        /// Why.
        why: String,
    },
    /// The server cannot be reached, or turns us away.
    #[error(
        "NATS at {at}: {why}; is the server up (`nats-server`, or `dbdyno fleet up`), and may this account use it?"
    )]
    Connect {
        /// The server.
        at: String,
        /// Why.
        why: String,
    },
    /// The certificates that are to be trusted.
    #[error("TLS to NATS (--nats-ca): {0}")]
    Authority(String),
    /// The account may not do what a coordinator has to.
    #[error("NATS refuses what a coordinator does: {0}; docs/fleet.md lists the subjects that each side needs")]
    Forbidden(String),
    /// Its messages are too short.
    #[error("NATS at {at} carries {most_bytes} bytes in a message: set max_payload to a megabyte or more")]
    Payload {
        /// The server.
        at: String,
        /// Its limit.
        most_bytes: usize,
    },
    /// No thread, or no runtime.
    #[error("the network thread cannot be started: {0}")]
    Thread(String),
}

/// One end, its thread, and what others wait for.
pub(crate) struct Network<L: Link> {
    shared: Arc<Shared<L>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared<L> {
    link: Mutex<L>,
    changed: Condvar,
    wake: tokio::sync::Notify,
    is_over: AtomicBool,
    events: Arc<Events>,
    /// When anything came from the server last. It answers pings even where nobody else speaks.
    heard_ns: AtomicU64,
    clock: MonotonicClock,
}

/// What the connection has told of itself.
#[derive(Default)]
struct Events {
    is_connected: AtomicBool,
    /// The last complaint of the server's that nobody has taken: what an account may not do, above all.
    complaint: Mutex<Option<String>>,
}

impl Events {
    fn take(&self, event: Event) {
        match event {
            Event::Connected => self.is_connected.store(true, Ordering::Relaxed),
            Event::Disconnected | Event::Closed => self.is_connected.store(false, Ordering::Relaxed),
            Event::ServerError(error) => {
                *self.complaint.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
            }
            _ => {}
        }
    }
}

impl<L> Shared<L> {
    fn link(&self) -> MutexGuard<'_, L> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<L: Link> Network<L> {
    /// Connects, and begins to carry messages of these subjects. `each` is called after each message and tick.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub(crate) fn start(
        access: &NatsAccess,
        name: &str,
        clock: MonotonicClock,
        (link, subjects): (L, Vec<String>),
        each: impl FnMut(&mut L) + Send + 'static,
    ) -> Result<Self, NetworkError> {
        let failed = |error: std::io::Error| NetworkError::Thread(error.to_string());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let events = Arc::new(Events::default());
        let (client, messages) = runtime.block_on(connect(access, name, (&subjects, L::PING), &events))?;
        let shared = Arc::new(Shared {
            link: Mutex::new(link),
            changed: Condvar::new(),
            wake: tokio::sync::Notify::new(),
            is_over: AtomicBool::new(false),
            events,
            heard_ns: AtomicU64::new(clock.now_ns()),
            clock,
        });
        let thread = std::thread::Builder::new().name("fleet".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || runtime.block_on(carry(&shared, &client, messages, each))
        });
        Ok(Self { shared, thread: Some(thread.map_err(failed)?) })
    }

    /// Does something at this end, and sends what comes of it.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut L, u64) -> T) -> T {
        let done = act(&mut self.shared.link(), self.shared.clock.now_ns());
        self.shared.wake.notify_one();
        done
    }

    /// Waits until something holds at this end, at most so long.
    pub(crate) fn wait<T>(&self, limit: Duration, mut holds: impl FnMut(&mut L, u64) -> Option<T>) -> Option<T> {
        let shared = &self.shared;
        let until_ns = shared.clock.now_ns() + limit.as_nanos() as u64;
        loop {
            let mut link = shared.link();
            let now_ns = shared.clock.now_ns();
            if let Some(found) = holds(&mut link, now_ns) {
                shared.wake.notify_one();
                return Some(found);
            }
            let left_ns = until_ns.checked_sub(now_ns).filter(|left_ns| *left_ns > 0)?;
            drop(shared.changed.wait_timeout(link, Duration::from_nanos(left_ns)));
            let looked = Duration::from_nanos(shared.clock.now_ns().saturating_sub(now_ns));
            std::thread::sleep(LEAST_LOOK.saturating_sub(looked));
        }
    }

    /// Whether there is a connection now.
    pub(crate) fn is_connected(&self) -> bool {
        self.shared.events.is_connected.load(Ordering::Relaxed)
    }

    /// Whether the server itself has said nothing for a while, or cannot be reached. Only the coordinator asks it often
    /// enough for this to be known.
    pub(crate) fn is_silent(&self, now_ns: u64) -> bool {
        !self.is_connected() || now_ns.saturating_sub(self.shared.heard_ns.load(Ordering::Relaxed)) >= SERVER_SILENT_NS
    }

    /// What the server has complained of since this was asked last.
    pub(crate) fn take_complaint(&self) -> Option<String> {
        self.shared.events.complaint.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The clock by which its messages are timed.
    pub(crate) fn clock(&self) -> MonotonicClock {
        self.shared.clock
    }
}

impl<L: Link> Drop for Network<L> {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// An address of a NATS server as it may be shown.
#[must_use]
pub fn without_login(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        (_, None) => url.to_owned(),
    }
}

/// The user and the password of an address, where it has both.
fn user_and_password(url: &str) -> Option<(String, String)> {
    let (login, _) = url.split_once("://").map_or(url, |(_, rest)| rest).rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    Some((user.to_owned(), password.to_owned()))
}

/// How servers are verified. What the system trusts is read once in a process: that takes a tenth of a second.
fn tls(authority: Option<&Path>) -> Result<ClientConfig, NetworkError> {
    static SYSTEM: OnceLock<ClientConfig> = OnceLock::new();
    if let (None, Some(known)) = (authority, SYSTEM.get()) {
        return Ok(known.clone());
    }
    let made = verifying_config(authority).map_err(|error| NetworkError::Authority(error.message))?;
    Ok(if authority.is_none() { SYSTEM.get_or_init(|| made).clone() } else { made })
}

async fn connect(
    access: &NatsAccess,
    name: &str,
    (subjects, ping): (&[String], Duration),
    events: &Arc<Events>,
) -> Result<(Client, SelectAll<Subscriber>), NetworkError> {
    let mut addresses = Vec::new();
    let mut login = None;
    for url in &access.urls {
        // The client does not take a login from an address.
        login = login.or_else(|| user_and_password(url));
        addresses.push(
            without_login(url)
                .parse::<async_nats::ServerAddr>()
                .map_err(|_| NetworkError::Address(without_login(url)))?,
        );
    }
    let told = Arc::clone(events);
    let mut options = ConnectOptions::new()
        .name(name)
        .connection_timeout(CONNECT_LIMIT)
        .ping_interval(ping)
        // The first attempt is delayed, too, if it is not let off.
        .reconnect_delay_callback(|attempts| if attempts > 1 { RECONNECT } else { Duration::ZERO })
        .event_callback(move |event| {
            told.take(event);
            std::future::ready(())
        });
    if let Some((user, password)) = login {
        options = options.user_and_password(user, password);
    }
    if let Some(file) = &access.credentials {
        let unread = |error: std::io::Error| NetworkError::Credentials {
            file: file.display().to_string(),
            why: error.to_string(),
        };
        options = options.credentials_file(file).await.map_err(unread)?;
    }
    // A server tells of others of its cluster; these are asked for TLS, too.
    options = options.require_tls(access.is_tls_alone());
    // As for databases, and never by whatever provider of algorithms the process has: an engine may have put its own.
    options = options.tls_client_config(tls(access.authority.as_deref())?);
    let at = access.urls.iter().map(|url| without_login(url)).collect::<Vec<_>>().join(", ");
    let refused = |why: String| NetworkError::Connect { at: at.clone(), why };
    let client = options.connect(addresses).await.map_err(|error| refused(error.to_string()))?;
    events.is_connected.store(true, Ordering::Relaxed);
    let most_bytes = client.server_info().max_payload;
    if most_bytes < LEAST_PAYLOAD_BYTES {
        return Err(NetworkError::Payload { at, most_bytes });
    }
    let mut messages = Vec::new();
    for subject in subjects {
        messages.push(client.subscribe(subject.clone()).await.map_err(|error| refused(error.to_string()))?);
    }
    // What is published from now on is heard.
    client.flush().await.map_err(|error| refused(error.to_string()))?;
    Ok((client, select_all(messages)))
}

async fn carry<L: Link>(
    shared: &Shared<L>,
    client: &Client,
    mut messages: SelectAll<Subscriber>,
    mut each: impl FnMut(&mut L),
) {
    let (mut ticked_ns, mut heard_bytes) = (0, 0);
    let statistics = client.statistics();
    let mut pause = Duration::ZERO;
    loop {
        let tick = tokio::time::sleep(pause);
        // A tick tells nobody: whoever waits looks again after a time of its own, and sees what it has changed.
        let has_changed = tokio::select! {
            message = messages.next() => match message {
                Some(message) => {
                    let now_ns = shared.clock.now_ns();
                    shared.link().receive(now_ns, &message.subject, &message.payload)
                }
                // All subscriptions are gone; the clock goes on until somebody ends it.
                None => {
                    tokio::time::sleep(pause).await;
                    false
                }
            },
            () = tick => false,
            () = shared.wake.notified() => true,
        };
        let out = {
            let mut link = shared.link();
            let now_ns = shared.clock.now_ns();
            let bytes = statistics.in_bytes.load(Ordering::Relaxed);
            if bytes != heard_bytes {
                heard_bytes = bytes;
                shared.heard_ns.store(now_ns, Ordering::Relaxed);
            }
            if now_ns.saturating_sub(ticked_ns) >= LEAST_TICK_NS {
                ticked_ns = now_ns;
                link.tick(now_ns);
            }
            each(&mut link);
            pause = Duration::from_nanos(link.rests_ns(now_ns));
            link.take_out()
        };
        if has_changed {
            shared.changed.notify_all();
        }
        // While there is no connection nothing is kept for later: it would be stale by then.
        if shared.events.is_connected.load(Ordering::Relaxed) {
            for Out { subject, payload } in out {
                // What cannot be sent is told again, or its sender is lost.
                let _ = client.publish(subject, payload.into()).await;
            }
        }
        if shared.is_over.load(Ordering::Relaxed) {
            let _ = tokio::time::timeout(FLUSH_LIMIT, client.flush()).await;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_logins() {
        assert_eq!(without_login("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(without_login("me:a@b@host"), "host");
        assert_eq!(without_login("tls://host"), "tls://host");
    }
}

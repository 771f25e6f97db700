//! The thread that serves. It has the lowest claim to a processor that is still served, as what it shows is measured
//! beside it.

use super::connections::Connections;
use super::hosts::Hosts;
use super::options::{ServeError, ServeOptions};
use super::page::Page;
use super::sessions::Sessions;
use super::site::Site;
use super::stalled::Stalled;
use super::tls::acceptor;
use super::token::random;
use crate::board::Board;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

/// The head of a request must be here after this time; a connection that is kept may be idle for as long.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Bytes of it.
const HEAD: usize = 8 * 1_024;
/// Headers in it.
const FIELDS: usize = 64;
/// What the system keeps of an answer that a client does not read.
const UNREAD: usize = 256 * 1_024;
/// So long the last events may be on their way.
const FAREWELL: Duration = Duration::from_millis(600);
/// Lower than that of what is measured.
const NICE: i32 = 10;

/// Serves until it is dropped.
pub struct Serving {
    address: SocketAddr,
    url: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    /// Where the page is; with the token, if there is one, in the fragment, which browsers send to nobody.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// The address, with the port that was taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl std::fmt::Debug for Serving {
    /// Without the address of the page, which has the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serving").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

/// Serves the board until the value is dropped, on a thread of its own. The caller makes the token and shows the
/// address.
///
/// # Errors
/// An address other than loopback has no token, or no TLS where plain text is not allowed; or the address, the
/// certificate or its key cannot be used.
pub fn serve(board: Arc<Board>, options: ServeOptions) -> Result<Serving, ServeError> {
    options.check()?;
    let refused = |source| ServeError::Address { address: options.address, source };
    let system = |e: &dyn std::fmt::Display| ServeError::System(e.to_string());
    let (tls, mut names) = match options.tls.as_ref().map(acceptor).transpose()? {
        Some((tls, names)) => (Some(tls), names),
        None => (None, Vec::new()),
    };
    let listener = std::net::TcpListener::bind(options.address).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    // A stranger cannot make the name by which this machine knows itself lead elsewhere.
    let own = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if !address.ip().is_loopback() {
        names.push(own.clone());
    }
    let url = url(&options, address, &names, &own);
    let site = Arc::new(Site {
        board,
        sessions: Sessions::new(address.port(), tls.is_some()),
        token: options.token,
        hosts: Hosts::new(names),
        page: Page::new(),
        life: random().map_err(|e| system(&e))?,
        streams: Arc::default(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|e| system(&e))?;
    let (stop, stopped) = oneshot::channel();
    let serving = move || {
        // Without it, it serves all the same.
        _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
        runtime.block_on(until_stopped(listener, site, tls, stopped));
        runtime.shutdown_background();
    };
    let thread = std::thread::Builder::new().name("serve".to_owned()).spawn(serving).map_err(|e| system(&e))?;
    Ok(Serving { address, url, stop: Some(stop), thread: Some(thread) })
}

/// A certificate is for a name, so that is the one to call. An address that stands for all has no page.
fn url(options: &ServeOptions, address: SocketAddr, names: &[String], own: &str) -> String {
    let scheme = if options.tls.is_some() { "https" } else { "http" };
    let called = names.iter().find(|name| options.tls.is_some() && !name.starts_with("*.") && *name != own);
    let host = match called {
        Some(name) => format!("{name}:{}", address.port()),
        None if address.ip().is_unspecified() => format!("{own}:{}", address.port()),
        None => address.to_string(),
    };
    let token = options.token.as_ref().map(|token| utf8_percent_encode(token.reveal(), NON_ALPHANUMERIC));
    format!("{scheme}://{host}/{}", token.map(|token| format!("#{token}")).unwrap_or_default())
}

async fn until_stopped(
    listener: std::net::TcpListener,
    site: Arc<Site>,
    tls: Option<TlsAcceptor>,
    stopped: oneshot::Receiver<()>,
) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let board = Arc::clone(&site.board);
    let streams = Arc::clone(&site.streams);
    let accepting = tokio::spawn(accept(listener, site, tls));
    _ = stopped.await;
    accepting.abort();
    // Pages are told why nothing more comes.
    if board.over().is_some() && streams.load(std::sync::atomic::Ordering::Relaxed) > 0 {
        tokio::time::sleep(FAREWELL).await;
    }
}

async fn accept(listener: TcpListener, site: Arc<Site>, tls: Option<TlsAcceptor>) {
    let connections = Connections::default();
    for number in 0.. {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // No file handles are left, or the client has gone: others may be more fortunate.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        if !connections.make_room() {
            continue;
        }
        let answers = Arc::new(AtomicUsize::new(0));
        let task = tokio::spawn(connected(stream, Arc::clone(&site), tls.clone(), Arc::clone(&answers)));
        connections.enter(number, answers, task.abort_handle());
    }
}

async fn connected(stream: TcpStream, site: Arc<Site>, tls: Option<TlsAcceptor>, answers: Arc<AtomicUsize>) {
    _ = stream.set_nodelay(true);
    _ = rustix::net::sockopt::set_socket_send_buffer_size(&stream, UNREAD);
    let stream = Stalled::new(stream);
    match tls {
        None => answer(stream, site, answers).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
                answer(stream, site, answers).await;
            }
        }
    }
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin>(stream: S, site: Arc<Site>, answers: Arc<AtomicUsize>) {
    let service = service_fn(|request| {
        let (site, answers) = (Arc::clone(&site), Arc::clone(&answers));
        async move { Ok::<_, Infallible>(site.answer(request, &answers).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD).max_headers(FIELDS);
    // A client that breaks the rules of HTTP, or goes away, is nobody's concern.
    _ = http.serve_connection(TokioIo::new(stream), service).await;
}

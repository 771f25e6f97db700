//! Opening the connection: within a time, at each address of a name in turn, with TLS or rather without.

use super::super::errors::is_of_tls;
use super::super::options::{Address, Host, Options, SslMode};
use super::super::tls::Tls;
use dbdyno_engine::server::password::FoundPassword;
use dbdyno_engine::server::socket::{KEEPALIVE_IDLE, KEEPALIVE_INTERVAL, KEEPALIVE_PROBES, UNANSWERED};
use dbdyno_engine::server::{caught, within};
use mysql::{Conn, DriverError, Error, Opts, OptsBuilder};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// The file with the server's key by which a password would be encrypted without TLS. The crate asks the server for a
/// key where no file is named, and so gives the password to whoever answers; there can be no file of this name, and
/// reading it fails in a way in which nothing else does (errors.rs).
const NO_KEY: &str = "/dev/null/key";

/// The server's error where it does not believe who we are.
const ACCESS_DENIED: u16 = 1045;

/// Why there is no connection.
pub(super) enum Refused {
    Error(Error),
    /// The host's name could not be looked up.
    Lookup(io::Error),
    /// Nothing came back in time.
    Silent,
    /// What came back made the client crate stop short.
    Garbled,
}

/// With which a connection was opened, and another one to the same server can be.
#[derive(Clone)]
pub(super) struct ConnectOptions {
    opts: Opts,
    /// Absent where the connection is not encrypted.
    tls: Option<Tls>,
}

impl ConnectOptions {
    /// Whether it is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Opens a connection. A refused password is tried once more: the client crate drops the last byte of a challenge
    /// where it is zero, so one login in 256 with `ed25519` is refused though the password is right
    /// (docs/upstream/mysql-ed25519.md).
    fn open(&self) -> mysql::Result<Conn> {
        match self.open_once() {
            Err(Error::MySqlError(error)) if error.code == ACCESS_DENIED && self.opts.get_pass().is_some() => {
                self.open_once()
            }
            opened => opened,
        }
    }

    fn open_once(&self) -> mysql::Result<Conn> {
        match &self.tls {
            Some(tls) => tls.guard(|| Conn::new(self.opts.clone())),
            None => Conn::new(self.opts.clone()),
        }
    }

    /// Opens a connection for a short question, without a database, and with a limit of time for every answer.
    pub(super) fn open_briefly(&self, limit: Duration) -> mysql::Result<Conn> {
        let opts = OptsBuilder::from_opts(self.opts.clone()).db_name(None::<String>);
        let opts = opts.read_timeout(Some(limit)).write_timeout(Some(limit)).into();
        Self { opts, tls: self.tls.clone() }.open()
    }
}

/// Opens a connection. The crate's own limit covers the TCP connection only, and a server that is stopped, or is none,
/// accepts that and then says nothing; so another thread does it.
pub(super) fn connect(
    options: &Options,
    host: &Host,
    application: &str,
    found: &FoundPassword,
    tls: Option<Tls>,
    database: Option<&str>,
) -> Result<(Conn, ConnectOptions), Refused> {
    let opts = opts(options, application, found, database);
    let (options, host) = (options.clone(), host.clone());
    let limit = options.connect_timeout;
    match within(limit, move || caught(|| connect_to_any(&options, &host, &opts, tls))) {
        Ok(Some(connected)) => connected,
        Err(RecvTimeoutError::Timeout) => Err(Refused::Silent),
        Ok(None) | Err(RecvTimeoutError::Disconnected) => Err(Refused::Garbled),
    }
}

fn opts(options: &Options, application: &str, found: &FoundPassword, database: Option<&str>) -> OptsBuilder {
    let mut opts = OptsBuilder::new().user(Some(&options.user)).db_name(database);
    if let Some(password) = found.password() {
        opts = opts.pass(Some(password.reveal()));
    }
    let ms = |time: Duration| u32::try_from(time.as_millis()).ok();
    let interval_s = u32::try_from(KEEPALIVE_INTERVAL.as_secs()).ok();
    // The way that the target names, and no better one that the server knows.
    opts.prefer_socket(false)
        .connect_attrs(Some(HashMap::from([("program_name", application)])))
        .tcp_keepalive_time_ms(ms(KEEPALIVE_IDLE))
        .tcp_keepalive_probe_interval_secs(interval_s)
        .tcp_keepalive_probe_count(Some(KEEPALIVE_PROBES))
        .tcp_user_timeout_ms(ms(UNANSWERED))
}

/// Connects to the first address that answers.
fn connect_to_any(
    options: &Options,
    host: &Host,
    opts: &OptsBuilder,
    tls: Option<Tls>,
) -> Result<(Conn, ConnectOptions), Refused> {
    let (name, port) = match &host.address {
        Address::Socket(path) => {
            let opts = opts.clone().socket(Some(path.to_string_lossy())).into();
            let options = ConnectOptions { opts, tls: None };
            return options.open().map(|conn| (conn, options)).map_err(Refused::Error);
        }
        Address::Tcp(name) => (name, host.port),
    };
    let addresses: Vec<SocketAddr> = (name.as_str(), port).to_socket_addrs().map_err(Refused::Lookup)?.collect();
    let endpoints = endpoints(name, &addresses, options.ssl_mode == SslMode::VerifyFull);
    let each = options.connect_timeout / u32::try_from(endpoints.len()).unwrap_or(u32::MAX).max(1);
    let mut last = Refused::Error(Error::DriverError(DriverError::CouldNotConnect(None)));
    for endpoint in &endpoints {
        let opts = opts.clone().ip_or_hostname(Some(&endpoint.name)).tcp_port(port).tcp_connect_timeout(Some(each));
        let opts = opts.bind_address(endpoint.from);
        match with_tls_or_without(options, host, &opts, tls.as_ref()) {
            Err(error) if not_there(&error) => last = Refused::Error(reason(error, endpoint, &addresses, each)),
            connected => return connected.map_err(Refused::Error),
        }
    }
    Err(last)
}

/// One address with TLS, and without where that is good enough.
fn with_tls_or_without(
    options: &Options,
    host: &Host,
    opts: &OptsBuilder,
    tls: Option<&Tls>,
) -> mysql::Result<(Conn, ConnectOptions)> {
    let preferred = options.ssl_mode == SslMode::Prefer;
    // Once a server has turned TLS down, it is not asked each time: it counts connections that are given up.
    let without = &options.without_tls;
    let open = |tls: Option<&Tls>| {
        let mut opts = opts.clone().ssl_opts(tls.map(Tls::opts));
        if !options.ssl_mode.allows_clear_text(tls.is_some(), host.is_local()) {
            opts = opts.server_key_path(Some(NO_KEY.into()));
        }
        let options = ConnectOptions { opts: opts.into(), tls: tls.cloned() };
        options.open().map(|conn| (conn, options))
    };
    let tls = tls.filter(|_| !(preferred && without.load(Ordering::Relaxed)));
    match open(tls) {
        // `prefer` means: rather without TLS than not at all.
        Err(error) if tls.is_some() && preferred && blames_tls(&error) => {
            let connected = open(None)?;
            without.store(true, Ordering::Relaxed);
            Ok(connected)
        }
        connected => connected,
    }
}

/// Where the crate is to connect to.
struct Endpoint {
    /// As the crate wants it.
    name: String,
    /// Any address of the family that is meant.
    from: Option<SocketAddr>,
}

/// Each address of a name. The crate gives up at the first that does not answer, so it is given one at a time; unless
/// the name itself has to be compared with the certificate: then it is told which family of addresses to go through.
fn endpoints(name: &str, addresses: &[SocketAddr], by_name: bool) -> Vec<Endpoint> {
    let is_number = name.parse::<IpAddr>().is_ok();
    let mut endpoints: Vec<Endpoint> = Vec::new();
    for address in addresses {
        let (any, scoped) = match address {
            SocketAddr::V4(_) => (IpAddr::V4(Ipv4Addr::UNSPECIFIED), false),
            SocketAddr::V6(v6) => (IpAddr::V6(Ipv6Addr::UNSPECIFIED), v6.scope_id() != 0),
        };
        if scoped || by_name && !is_number {
            let from = (addresses.len() > 1).then(|| SocketAddr::new(any, 0));
            if !endpoints.iter().any(|known| known.from == from && known.name == name) {
                endpoints.push(Endpoint { name: name.to_owned(), from });
            }
        } else {
            let name = if address.is_ipv6() { format!("[{}]", address.ip()) } else { address.ip().to_string() };
            endpoints.push(Endpoint { name, from: None });
        }
    }
    endpoints
}

/// Whether nobody was there, so that another address may be tried.
fn not_there(error: &Error) -> bool {
    matches!(error, Error::DriverError(DriverError::CouldNotConnect(_) | DriverError::ConnectTimeout))
}

/// Where the crate went through a family of addresses, what it says at last is of the other family; so one of them is
/// asked again why it does not answer.
fn reason(error: Error, endpoint: &Endpoint, addresses: &[SocketAddr], limit: Duration) -> Error {
    let Some(from) = endpoint.from else { return error };
    let same = addresses.iter().find(|address| address.is_ipv4() == from.is_ipv4());
    match same.map(|address| (address, TcpStream::connect_timeout(address, limit))) {
        Some((address, Err(why))) => {
            let told = (address.to_string(), why.to_string(), why.kind());
            Error::DriverError(DriverError::CouldNotConnect(Some(told)))
        }
        _ => error,
    }
}

/// Whether the same might work without TLS: the server has none, or the handshake failed.
fn blames_tls(error: &Error) -> bool {
    matches!(error, Error::DriverError(DriverError::TlsNotSupported)) || is_of_tls(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, addresses: &[&str], by_name: bool) -> String {
        let addresses: Vec<SocketAddr> = addresses.iter().map(|address| address.parse().unwrap()).collect();
        let shown = |endpoint: Endpoint| {
            format!("{} {}", endpoint.name, endpoint.from.map_or(String::new(), |from| from.to_string()))
        };
        endpoints(name, &addresses, by_name).into_iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn every_address_is_tried_and_a_name_that_counts_is_kept() {
        let two = ["[::1]:1", "127.0.0.1:1", "127.0.0.2:1"];
        assert_eq!(shown("db", &two, false), "[::1] , 127.0.0.1 , 127.0.0.2 ");
        assert_eq!(shown("db", &two, true), "db [::]:0, db 0.0.0.0:0");
        assert_eq!(shown("db", &two[..1], true), "db ");
        assert_eq!(shown("::1", &two[..1], true), "[::1] ");
        assert_eq!(shown("fe80::1%2", &["[fe80::1%2]:1"], false), "fe80::1%2 ");
    }
}

//! What a target says: `mariadb://user@host1:3306,host2/db?sslmode=verify-full`. The words are those of the other
//! engines' targets; nothing comes from the client programs' environment or option files except the password: a load is
//! not put on a server that the command line does not name.

use super::connection::ConnectionLimits;
use super::tls::Tls;
use dbdyno_engine::secret::Secret;
use dbdyno_engine::server::Vigil;
pub(super) use dbdyno_engine::server::url::SslMode;
use dbdyno_engine::server::url::{Address, Url, Words, is_this_machine};
use dbdyno_engine::{Target, TargetError};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Where a server listens if nothing else is said.
const DEFAULT_PORT: u16 = 3306;
/// Where distributions and the server's own build put its socket.
const SOCKETS: [&str; 4] =
    ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/run/mysql/mysql.sock", "/tmp/mysql.sock"];
/// What things are called in a target.
const WORDS: Words = Words {
    form: "mariadb://user@host:port/database",
    known: "sslmode=disable|prefer|require|verify-ca|verify-full, sslrootcert=FILE, host=NAME, port=N, \
            socket=/PATH/TO.sock, connect_timeout=SECONDS",
    socket: "a socket's path",
    socket_option: Some("socket"),
};
/// The database that is dbdyno's where the target names none.
const DATABASE: &str = "dbdyno";
/// What the server keeps for itself.
const SERVERS_OWN: [&str; 4] = ["mysql", "sys", "information_schema", "performance_schema"];
/// The longest name that the server gives a database.
const NAME_CHARS: usize = 64;

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// Over TCP.
    Tcp {
        /// A name or a number.
        name: String,
        /// Its port.
        port: u16,
    },
    /// Through a socket.
    Socket(PathBuf),
}

impl Host {
    /// Whether the server is on this machine for certain.
    pub(super) fn is_local(&self) -> bool {
        match self {
            Self::Socket(_) => true,
            Self::Tcp { name, .. } => is_this_machine(name),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { name, port } if name.contains(':') => write!(f, "[{name}]:{port}"),
            Self::Tcp { name, port } => write!(f, "{name}:{port}"),
            Self::Socket(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A target, understood.
#[derive(Debug, Clone)]
pub(super) struct Options {
    /// The nodes of the cluster, at least one.
    pub(super) hosts: Vec<Host>,
    /// Who connects.
    pub(super) user: String,
    /// dbdyno's own database.
    pub(super) database: String,
    /// The password that the target came with; password.rs knows where else to look.
    pub(super) password: Option<Secret>,
    /// What TLS has to prove.
    pub(super) ssl_mode: SslMode,
    /// Trusted authorities; the system's where none is named.
    pub(super) root_certificates: Option<PathBuf>,
    /// How long opening a connection may take, TLS and authentication included.
    pub(super) connect_timeout: Duration,
    /// The connections that are open to it.
    pub(super) seats: Arc<ConnectionLimits>,
    /// What these wait for.
    pub(super) vigil: Arc<Vigil>,
    /// How TLS is made; found out when the first connection is opened.
    pub(super) tls: Arc<OnceLock<Tls>>,
}

impl Options {
    /// Understands a target.
    ///
    /// # Errors
    /// It is not written as it should be, or an option or its value is unknown.
    pub(super) fn parse(target: &Target) -> Result<Self, TargetError> {
        let url = Url::parse(target, &WORDS)?;
        let database = url.database.unwrap_or_else(|| DATABASE.to_owned());
        refuse_name(&database).map_err(|problem| target.invalid(problem))?;
        let mut hosts = Vec::new();
        for (address, port) in url.hosts {
            hosts.push(host(address, port).map_err(|problem| target.invalid(problem))?);
        }
        if hosts.is_empty() {
            hosts.push(default_host(url.port));
        }
        Ok(Self {
            hosts,
            database,
            user: url.user,
            password: url.password,
            ssl_mode: url.ssl_mode,
            root_certificates: url.root_certificates,
            connect_timeout: url.connect_timeout,
            tls: Arc::default(),
            seats: Arc::default(),
            vigil: Arc::default(),
        })
    }

    /// Whether a server has to prove by its certificate that it is the one. Who names authorities wants them to be
    /// asked, for `require`, too.
    pub(super) fn verifies(&self) -> bool {
        self.ssl_mode >= SslMode::VerifyCa || self.root_certificates.is_some()
    }

    /// The host of a node; nodes beyond the last begin again with the first.
    pub(super) fn host(&self, node: usize) -> &Host {
        &self.hosts[node % self.hosts.len()]
    }

    /// The database as SQL wants it.
    pub(super) fn quoted_database(&self) -> String {
        quoted(&self.database)
    }
}

/// A name as SQL wants it.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// What cannot be a database of dbdyno's own.
fn refuse_name(database: &str) -> Result<(), String> {
    if SERVERS_OWN.contains(&database.to_ascii_lowercase().as_str()) {
        return Err(format!(
            "the database {database} is the server's own; name one that is to be dbdyno's alone, such as {DATABASE}"
        ));
    }
    let control = database.chars().any(char::is_control);
    if control || database.ends_with(' ') || database.chars().count() > NAME_CHARS {
        return Err(format!(
            "the database '{database}' cannot be: a name has at most {NAME_CHARS} characters, none of them a control \
             character, and does not end with a space"
        ));
    }
    Ok(())
}

/// A host with its port. A socket has none.
fn host(address: Address, port: Option<u16>) -> Result<Host, String> {
    match (address, port) {
        (Address::Socket(path), Some(port)) => {
            Err(format!("the socket {} has no port; leave port {port} away", path.display()))
        }
        (Address::Socket(path), None) => Ok(Host::Socket(path)),
        (Address::Tcp(name), port) => Ok(Host::Tcp { name, port: port.unwrap_or(DEFAULT_PORT) }),
    }
}

/// The usual socket of a server on this machine where there is one and no port is named, else `localhost`.
fn default_host(port: Option<u16>) -> Host {
    let socket = SOCKETS.into_iter().map(Path::new).find(|path| port.is_none() && path.exists());
    let localhost = || Host::Tcp { name: "localhost".to_owned(), port: port.unwrap_or(DEFAULT_PORT) };
    socket.map_or_else(localhost, |path| Host::Socket(path.to_owned()))
}

#[cfg(test)]
mod tests;

//! What a target says: `mariadb://user@host1:3306,host2/db?sslmode=verify-full`. The words are those of the other engines'
//! targets; nothing comes from the client programs' environment or option files except the password: a load is not put on a
//! server that the command line does not name.

use super::link::Seats;
use super::tls::Tls;
use crate::secret::Secret;
use crate::target::percent_decode;
use crate::{Target, TargetError};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Where a server listens if nothing else is said.
const DEFAULT_PORT: u16 = 3306;
/// Where distributions and the server's own build put its socket.
const SOCKETS: [&str; 4] =
    ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/run/mysql/mysql.sock", "/tmp/mysql.sock"];
/// How a target is written.
const FORM: &str = "mariadb://user@host:port/database";
/// The options that there are.
const KNOWN: &str = "sslmode=disable|prefer|require|verify-ca|verify-full, sslrootcert=FILE, host=NAME, port=N, \
                     socket=/PATH/TO.sock, connect_timeout=SECONDS";
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
            Self::Tcp { name, .. } => {
                name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
            }
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

/// What TLS has to prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SslMode {
    /// No TLS.
    Disable,
    /// TLS where the server has it.
    Prefer,
    /// TLS, with whomever.
    Require,
    /// TLS with a server whose certificate a trusted authority has signed.
    VerifyCa,
    /// The same, and the certificate is for this host.
    VerifyFull,
}

impl SslMode {
    const ALL: [Self; 5] = [Self::Disable, Self::Prefer, Self::Require, Self::VerifyCa, Self::VerifyFull];

    /// The word as in the target.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Prefer => "prefer",
            Self::Require => "require",
            Self::VerifyCa => "verify-ca",
            Self::VerifyFull => "verify-full",
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
    pub(super) seats: Arc<Seats>,
    /// How TLS is made; found out when the first connection is opened.
    pub(super) tls: Arc<OnceLock<Tls>>,
}

impl Options {
    /// Understands a target.
    ///
    /// # Errors
    /// It is not written as it should be, or an option or its value is unknown.
    pub(super) fn parse(target: &Target) -> Result<Self, TargetError> {
        let invalid = |problem: String| target.invalid(problem);
        let Some(rest) = target.rest.strip_prefix("//") else { return Err(invalid(format!("write {FORM}"))) };
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let decoded = |what: &str, text: &str| {
            percent_decode(text).ok_or_else(|| invalid(format!("the {what} '{text}' is not percent-encoded")))
        };
        let user = Some(decoded("user", user)?).filter(|user| !user.is_empty()).or_else(os_user);
        let user = user.ok_or_else(|| invalid(format!("it names no user; write {FORM}")))?;
        let database = Some(decoded("database", database)?).filter(|database| !database.is_empty());
        let database = database.unwrap_or_else(|| DATABASE.to_owned());
        refuse_name(&database).map_err(invalid)?;
        let given = Given::read(target, decoded)?;
        if !hosts.is_empty() && !given.hosts.is_empty() {
            return Err(invalid("it names hosts both before the database and as an option".to_owned()));
        }
        let mut all = Vec::new();
        for host in hosts.split(',').filter(|_| !hosts.is_empty()) {
            all.push(host_of(host).map_err(invalid)?);
        }
        all.extend(given.hosts.into_iter().map(|address| (address, None)));
        let hosts = with_ports(all, &given.ports).map_err(invalid)?;
        let ssl_mode = given.ssl_mode.unwrap_or(SslMode::Prefer);
        if given.root_certificates.is_some() && ssl_mode < SslMode::Require {
            let mode = ssl_mode.name();
            return Err(invalid(format!(
                "sslmode={mode} verifies nothing; with sslrootcert write sslmode=verify-full"
            )));
        }
        Ok(Self {
            database,
            hosts,
            user,
            password: target.password().cloned(),
            ssl_mode,
            root_certificates: given.root_certificates,
            connect_timeout: given.connect_timeout.unwrap_or(Duration::from_secs(10)),
            seats: Arc::default(),
            tls: Arc::default(),
        })
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

/// A host before its port is known.
enum Address {
    Name(String),
    Socket(PathBuf),
}

/// What the options after `?` say.
#[derive(Default)]
struct Given {
    hosts: Vec<Address>,
    ports: Vec<u16>,
    ssl_mode: Option<SslMode>,
    root_certificates: Option<PathBuf>,
    connect_timeout: Option<Duration>,
}

impl Given {
    fn read(target: &Target, decoded: impl Fn(&str, &str) -> Result<String, TargetError>) -> Result<Self, TargetError> {
        let mut given = Self::default();
        for (name, value) in &target.options {
            let value = decoded(name, value)?;
            match name.as_str() {
                "host" => {
                    for host in value.split(',') {
                        given.hosts.push(address(host).map_err(|problem| target.invalid(problem))?);
                    }
                }
                "socket" => {
                    for path in value.split(',') {
                        if !path.starts_with('/') {
                            return Err(target.invalid("socket is the path of a socket and begins with /"));
                        }
                        given.hosts.push(Address::Socket(PathBuf::from(path)));
                    }
                }
                "port" => {
                    for text in value.split(',') {
                        given.ports.push(port(text).map_err(|problem| target.invalid(problem))?);
                    }
                }
                "sslmode" => {
                    let mode = SslMode::ALL.into_iter().find(|mode| mode.name() == value);
                    let unknown =
                        || target.invalid("sslmode is one of disable, prefer, require, verify-ca, verify-full");
                    given.ssl_mode = Some(mode.ok_or_else(unknown)?);
                }
                // The authorities that the system trusts, which is what is meant without it, too.
                "sslrootcert" if value == "system" => given.root_certificates = None,
                "sslrootcert" => given.root_certificates = Some(PathBuf::from(value)),
                "connect_timeout" => {
                    let seconds = value.parse().ok().filter(|seconds| (1..=3600).contains(seconds));
                    let wrong = || target.invalid("connect_timeout is a number of seconds from 1 to 3600");
                    given.connect_timeout = Some(Duration::from_secs(seconds.ok_or_else(wrong)?));
                }
                _ => return Err(target.invalid(format!("there is no option '{name}'; there are {KNOWN}"))),
            }
        }
        Ok(given)
    }
}

/// `name`, `name:port`, `[::1]:port` or `%2Fpath%2Fto.sock`.
fn host_of(text: &str) -> Result<(Address, Option<u16>), String> {
    let (name, number) = if let Some(bracketed) = text.strip_prefix('[') {
        let (name, after) = bracketed.split_once(']').ok_or_else(|| format!("'{text}' has no closing bracket"))?;
        match after.strip_prefix(':') {
            None if after.is_empty() => (name, ""),
            Some(number) => (name, number),
            None => return Err(format!("'{after}' after the bracket is no port")),
        }
    } else {
        let (name, number) = text.split_once(':').unwrap_or((text, ""));
        if number.contains(':') {
            return Err(format!("'{text}' has two colons; write a numeric IPv6 host in brackets: [{text}]"));
        }
        (name, number)
    };
    let name = percent_decode(name).ok_or_else(|| format!("the host '{name}' is not percent-encoded"))?;
    let number = Some(number).filter(|number| !number.is_empty()).map(port).transpose()?;
    Ok((address(&name)?, number))
}

fn address(name: &str) -> Result<Address, String> {
    if name.starts_with('/') {
        return Ok(Address::Socket(PathBuf::from(name)));
    }
    let plain = |c: char| c.is_alphanumeric() || "-._:%".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return Err(format!("'{name}' is no host; a host has a name, a number, or a socket's path that begins with /"));
    }
    Ok(Address::Name(name.to_owned()))
}

fn port(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("'{text}' is no port; a port is a number from 1 to 65535"))
}

/// Gives every host its port: its own, or else the option's, which is one for all or one for each. A socket has none.
fn with_ports(hosts: Vec<(Address, Option<u16>)>, ports: &[u16]) -> Result<Vec<Host>, String> {
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err(format!("it names {} ports for {} hosts; name one, or one for each", ports.len(), hosts.len()));
    }
    let port_of = |n: usize| ports.get(n).or(ports.first()).copied();
    if hosts.is_empty() {
        return Ok(vec![default_host(port_of(0))]);
    }
    let mut all = Vec::new();
    for (n, (address, own)) in hosts.into_iter().enumerate() {
        let port = own.or_else(|| port_of(n));
        all.push(match (address, port) {
            (Address::Socket(path), Some(port)) => {
                return Err(format!("the socket {} has no port; leave port {port} away", path.display()));
            }
            (Address::Socket(path), None) => Host::Socket(path),
            (Address::Name(name), port) => Host::Tcp { name, port: port.unwrap_or(DEFAULT_PORT) },
        });
    }
    Ok(all)
}

/// The usual socket of a server on this machine where there is one and no port is named, else `localhost`.
fn default_host(port: Option<u16>) -> Host {
    let socket = SOCKETS.into_iter().map(Path::new).find(|path| port.is_none() && path.exists());
    let localhost = || Host::Tcp { name: "localhost".to_owned(), port: port.unwrap_or(DEFAULT_PORT) };
    socket.map_or_else(localhost, |path| Host::Socket(path.to_owned()))
}

/// The operating system's user, as the password file has it, or else as the environment does.
fn os_user() -> Option<String> {
    let uid = rustix::process::geteuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let listed = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid).then(|| name.to_owned())
    });
    listed.or_else(|| std::env::var("USER").ok()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;

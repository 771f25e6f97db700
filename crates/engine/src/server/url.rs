//! What targets of servers have in common: `ENGINE://user@host1:port,host2/database?sslmode=verify-full`. What a
//! database or a socket is, and what is meant where nothing is said, is each engine's own.

use super::{ConnectionLimits, Vigil};
use crate::secret::Secret;
use crate::target::percent_decode;
use crate::users;
use crate::{Finding, FindingLevel, finding};
use crate::{Target, TargetError};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long opening a connection may take where nothing is said, TLS and authentication included.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Over TCP: a name or a number.
    Tcp(String),
    /// Through a socket, by its path.
    Socket(PathBuf),
}

/// One server of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// How it is reached.
    pub address: Address,
    /// Its port. A socket may have one, too: as a part of its name.
    pub port: u16,
}

impl Host {
    /// Whether it is reached through a socket.
    pub fn is_socket(&self) -> bool {
        matches!(self.address, Address::Socket(_))
    }

    /// Whether the server is on this machine for certain.
    pub fn is_local(&self) -> bool {
        match &self.address {
            Address::Socket(_) => true,
            Address::Tcp(name) => is_this_machine(name),
        }
    }

    /// Its name or number; a socket has none.
    pub fn name(&self) -> Option<&str> {
        match &self.address {
            Address::Socket(_) => None,
            Address::Tcp(name) => Some(name),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.address {
            Address::Tcp(name) if name.contains(':') => write!(f, "[{name}]:{}", self.port),
            Address::Tcp(name) => write!(f, "{name}:{}", self.port),
            Address::Socket(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Whether a name or number is this machine for certain.
pub fn is_this_machine(name: &str) -> bool {
    name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

/// What TLS has to prove; libpq's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SslMode {
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
    /// The word as in the target.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether a password may go to a server so that whoever is on the way, or answers in its place, can read it.
    /// Without TLS it may go to this machine only, or where somebody has asked for `disable` by name.
    pub fn allows_clear_text(self, encrypted: bool, local: bool) -> bool {
        encrypted || local || self == Self::Disable
    }
}

/// What `dbdyno check` says of a connection to another machine that is not encrypted.
pub fn unencrypted(host: &dyn fmt::Display, encrypted: bool, local: bool) -> Option<Finding> {
    let message = format!(
        "the connection to {host} is not encrypted: whoever is in between reads statements and data, and may pass for the \
         server; give it a certificate and write sslmode=verify-full"
    );
    (!encrypted && !local).then(|| finding(FindingLevel::Warning, "encryption", message))
}

/// What `dbdyno check` says of a connection to another machine whose server has proved nothing, where `also` may be
/// asked of a client.
pub fn unproved(host: &dyn fmt::Display, proved: bool, local: bool, also: &str) -> Option<Finding> {
    let message = format!(
        "the connection to {host} is encrypted, but nothing proves that the other end is the server: whoever is in between may \
         show a certificate of his own, or the server's without its key, and pass for it{also}; name the authority that has \
         signed the server's certificate: sslmode=verify-full&sslrootcert=FILE"
    );
    (!proved && !local).then(|| finding(FindingLevel::Warning, "identity", message))
}

/// How the targets of an engine are written, and what they mean where they say nothing.
pub struct Form {
    /// How a target is written.
    pub form: &'static str,
    /// The options that there are, with their values.
    pub known: &'static str,
    /// What a host that begins with / is, in words.
    pub socket_is: &'static str,
    /// The option that names one, besides `host`.
    pub socket_option: Option<&'static str>,
    /// The socket that a path means, with the port that the target gives it, if any.
    pub socket: fn(PathBuf, Option<u16>) -> Result<Host, String>,
    /// The port of a host that has none.
    pub port: u16,
    /// The server where no host is named, with the port that the target gives it, if any.
    pub host: fn(Option<u16>) -> Host,
    /// The database where none is named, for this user.
    pub database: fn(&str) -> String,
}

/// A target, understood, as far as all engines have it in common.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The nodes of the cluster, at least one.
    pub hosts: Vec<Host>,
    /// Who connects.
    pub user: String,
    /// The password that the target came with; `password` knows where else to look.
    pub password: Option<Secret>,
    /// The database.
    pub database: String,
    /// What TLS has to prove.
    pub ssl_mode: SslMode,
    /// Trusted authorities; the system's where none is named.
    pub root_certificates: Option<PathBuf>,
    /// How long opening a connection may take, TLS and authentication included.
    pub connect_timeout: Duration,
    /// The connections that are open to it.
    pub limits: Arc<ConnectionLimits>,
    /// What these wait for.
    pub vigil: Arc<Vigil>,
}

impl ServerOptions {
    /// Understands a target.
    ///
    /// # Errors
    /// It is not written as it should be, or an option or its value is unknown.
    pub fn parse(target: &Target, form: &Form) -> Result<Self, TargetError> {
        let invalid = |problem: String| target.invalid(problem);
        let Some(rest) = target.rest.strip_prefix("//") else { return Err(invalid(format!("write {}", form.form))) };
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let decoded = |what: &str, text: &str| {
            percent_decode(text).ok_or_else(|| invalid(format!("the {what} '{text}' is not percent-encoded")))
        };
        let user = Some(decoded("user", user)?).filter(|user| !user.is_empty()).or_else(os_user);
        let user = user.ok_or_else(|| invalid(format!("it names no user; write {}", form.form)))?;
        let database = Some(decoded("database", database)?).filter(|database| !database.is_empty());
        let given = Given::read(target, form, decoded)?;
        if !hosts.is_empty() && !given.hosts.is_empty() {
            return Err(invalid("it names hosts both before the database and as an option".to_owned()));
        }
        let mut all = Vec::new();
        for host in hosts.split(',').filter(|_| !hosts.is_empty()) {
            all.push(host_of(host, form).map_err(invalid)?);
        }
        all.extend(given.hosts.into_iter().map(|address| (address, None)));
        let ssl_mode = given.ssl_mode.unwrap_or(SslMode::Prefer);
        if given.root_certificates.is_some() && ssl_mode < SslMode::Require {
            let mode = ssl_mode.name();
            return Err(invalid(format!(
                "sslmode={mode} verifies nothing; with sslrootcert write sslmode=verify-full"
            )));
        }
        let mut hosts = with_ports(all, &given.ports, form).map_err(invalid)?;
        if hosts.is_empty() {
            hosts.push((form.host)(given.ports.first().copied()));
        }
        Ok(Self {
            hosts,
            database: database.unwrap_or_else(|| (form.database)(&user)),
            user,
            password: target.password().cloned(),
            ssl_mode,
            root_certificates: given.root_certificates,
            connect_timeout: given.connect_timeout.unwrap_or(CONNECT_TIMEOUT),
            limits: Arc::default(),
            vigil: Arc::default(),
        })
    }

    /// The host of a node; nodes beyond the last begin again with the first.
    pub fn host(&self, node: usize) -> &Host {
        &self.hosts[node % self.hosts.len()]
    }

    /// What is being done while a connection is opened.
    pub fn connecting(&self, host: &Host) -> String {
        format!("connecting to {host} as {}, database {}", self.user, self.database)
    }

    /// Whether a server has to prove by its certificate that it is the one. Where authorities are named, they are asked
    /// for `require`, too.
    pub fn verifies(&self) -> bool {
        self.ssl_mode >= SslMode::VerifyCa || self.root_certificates.is_some()
    }

    /// Whether TLS is wanted to a host. As in libpq, there is none on sockets.
    pub fn wants_tls(&self, host: &Host) -> bool {
        self.ssl_mode != SslMode::Disable && !host.is_socket()
    }
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
    fn read(
        target: &Target,
        form: &Form,
        decoded: impl Fn(&str, &str) -> Result<String, TargetError>,
    ) -> Result<Self, TargetError> {
        let mut given = Self::default();
        for (name, value) in &target.options {
            let value = decoded(name, value)?;
            match name.as_str() {
                "host" => {
                    for host in value.split(',') {
                        given.hosts.push(address(host, form).map_err(|problem| target.invalid(problem))?);
                    }
                }
                name if form.socket_option == Some(name) => {
                    for path in value.split(',') {
                        if !path.starts_with('/') {
                            return Err(target.invalid(format!("{name} is the path of a socket and begins with /")));
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
                    let mode = value.parse().ok();
                    let unknown =
                        || target.invalid("sslmode is one of disable, prefer, require, verify-ca, verify-full");
                    given.ssl_mode = Some(mode.ok_or_else(unknown)?);
                }
                // libpq's word for the authorities that the system trusts, which is what is meant without it, too.
                "sslrootcert" if value == "system" => given.root_certificates = None,
                "sslrootcert" => given.root_certificates = Some(PathBuf::from(value)),
                "connect_timeout" => {
                    let seconds = connect_timeout(&value).map_err(|problem| target.invalid(problem))?;
                    given.connect_timeout = Some(seconds);
                }
                _ => return Err(target.invalid(format!("there is no option '{name}'; there are {}", form.known))),
            }
        }
        Ok(given)
    }
}

/// `name`, `name:port`, `[::1]:port` or a socket with its slashes encoded: `%2Frun%2Fsocket`.
fn host_of(text: &str, form: &Form) -> Result<(Address, Option<u16>), String> {
    let (name, number) = if let Some(bracketed) = text.strip_prefix('[') {
        let (name, after) = bracketed.split_once(']').ok_or_else(|| format!("'{text}' has no closing bracket"))?;
        match after.strip_prefix(':') {
            None if after.is_empty() => (name, ""),
            Some(number) => (name, number),
            None => return Err(BRACKET.to_owned()),
        }
    } else {
        let (name, number) = text.split_once(':').unwrap_or((text, ""));
        if number.contains(':') {
            return Err(two_colons(text));
        }
        (name, number)
    };
    let name = percent_decode(name).ok_or_else(|| format!("the host '{name}' is not percent-encoded"))?;
    let number = Some(number).filter(|number| !number.is_empty()).map(port).transpose()?;
    Ok((address(&name, form)?, number))
}

fn address(name: &str, form: &Form) -> Result<Address, String> {
    if name.starts_with('/') {
        return Ok(Address::Socket(PathBuf::from(name)));
    }
    let plain = |c: char| c.is_alphanumeric() || "-._:%".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        let socket = form.socket_is;
        return Err(format!("'{name}' is no host; a host has a name, a number, or {socket} that begins with /"));
    }
    Ok(Address::Tcp(name.to_owned()))
}

/// A limit of time for opening a connection.
pub fn connect_timeout(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (1..=3600).contains(seconds));
    let wrong = || "connect_timeout is a number of seconds from 1 to 3600".to_owned();
    seconds.map(Duration::from_secs).ok_or_else(wrong)
}

/// What is said where something else than a port follows a bracket.
pub const BRACKET: &str = "behind the bracket of a host stands no port; write [HOST]:PORT";

/// A port. What is no such number is not quoted: it may be a password whose host was forgotten.
pub fn port(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        let is_number = text.len() <= 5 && text.bytes().all(|digit| digit.is_ascii_digit());
        let what = if is_number { format!("'{text}' is no port") } else { "a port is expected behind ':'".to_owned() };
        format!("{what}; a port is a number from 1 to 65535, and a login ends with '@', before the host")
    })
}

/// What is said of a host with two colons, which is quoted only where it is one.
pub fn two_colons(text: &str) -> String {
    let shown = text.parse::<std::net::Ipv6Addr>().map_or_else(|_| "::1".to_owned(), |ip| ip.to_string());
    format!(
        "a host has two colons; write a numeric IPv6 host in brackets: [{shown}], and end a login with '@', before the host"
    )
}

/// Gives hosts without a port of their own the option's, which is one for all or one for each, or else the usual one.
fn with_ports(hosts: Vec<(Address, Option<u16>)>, ports: &[u16], form: &Form) -> Result<Vec<Host>, String> {
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err(format!("it names {} ports for {} hosts; name one, or one for each", ports.len(), hosts.len()));
    }
    let host = |(n, (address, own)): (usize, (Address, Option<u16>))| {
        let port = own.or_else(|| ports.get(n).or(ports.first()).copied());
        match address {
            Address::Socket(path) => (form.socket)(path, port),
            address @ Address::Tcp(_) => Ok(Host { address, port: port.unwrap_or(form.port) }),
        }
    };
    hosts.into_iter().enumerate().map(host).collect()
}

/// The operating system's user, as the password file has it, or else as the environment does.
pub fn os_user() -> Option<String> {
    let uid = rustix::process::geteuid().as_raw();
    let listed = users::of_this_system().into_iter().find(|user| user.uid == uid).map(|user| user.name);
    listed.or_else(|| std::env::var("USER").ok()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_clear_text_are_for_this_machine_or_asked_for_by_name() {
        for mode in
            ["disable", "prefer", "require", "verify-ca", "verify-full"].map(|name| name.parse::<SslMode>().unwrap())
        {
            assert!(mode.allows_clear_text(true, false) && mode.allows_clear_text(false, true), "{mode:?}");
            assert_eq!(mode.allows_clear_text(false, false), mode == SslMode::Disable, "{mode:?}");
        }
        for (name, is_here) in [
            ("localhost", true),
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("::1", true),
            ("localhost.example", false),
            ("127.0.0.1.example", false),
            ("192.0.2.1", false),
            ("0.0.0.0", false),
            ("::", false),
        ] {
            assert_eq!(is_this_machine(name), is_here, "{name}");
        }
    }
}

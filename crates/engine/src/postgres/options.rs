//! What a target says: `postgres://user@host1:5432,host2/db?sslmode=verify-full`. Written as libpq's URLs are, with its
//! defaults, so that a DBA need learn nothing; but nothing comes from libpq's environment except the password: a load
//! is not put on a server that the command line does not name.

use super::link::Seats;
use crate::secret::Secret;
use crate::target::percent_decode;
use crate::{Target, TargetError};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where a server listens if nothing else is said.
const DEFAULT_PORT: u16 = 5432;
/// Where distributions and the server's own build put its socket.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];
/// How a target is written.
const FORM: &str = "postgres://user@host:port/database";
/// The options that there are.
const KNOWN: &str = "sslmode=disable|prefer|require|verify-ca|verify-full, sslrootcert=FILE, host=NAME or \
                     host=/SOCKET/FOLDER, port=N, connect_timeout=SECONDS";

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    /// Over TCP: a name or a number.
    Tcp(String),
    /// Through the socket in a folder.
    Socket(PathBuf),
}

/// One server of the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// How it is reached.
    pub(super) address: Address,
    /// Its port; sockets have one too, in their name.
    pub(super) port: u16,
}

impl Host {
    /// Whether the server is on this machine for certain.
    pub(super) fn is_local(&self) -> bool {
        match &self.address {
            Address::Socket(_) => true,
            Address::Tcp(name) => {
                name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
            }
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.address {
            Address::Tcp(name) if name.contains(':') => write!(f, "[{name}]:{}", self.port),
            Address::Tcp(name) => write!(f, "{name}:{}", self.port),
            Address::Socket(folder) => write!(f, "{}", folder.join(format!(".s.PGSQL.{}", self.port)).display()),
        }
    }
}

/// What TLS has to prove; libpq's words.
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
    /// To which database.
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
            database: database.unwrap_or_else(|| user.clone()),
            hosts,
            user,
            password: target.password().cloned(),
            ssl_mode,
            root_certificates: given.root_certificates,
            connect_timeout: given.connect_timeout.unwrap_or(Duration::from_secs(10)),
            seats: Arc::default(),
        })
    }

    /// The host of a node; nodes beyond the last begin again with the first.
    pub(super) fn host(&self, node: usize) -> &Host {
        &self.hosts[node % self.hosts.len()]
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
                // libpq's word for the authorities that the system trusts, which is what is meant without it, too.
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

/// `name`, `name:port`, `[::1]:port` or `%2Fsocket%2Ffolder`.
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
        return Err(format!(
            "'{name}' is no host; a host has a name, a number, or a socket's folder that begins with /"
        ));
    }
    Ok(Address::Tcp(name.to_owned()))
}

fn port(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("'{text}' is no port; a port is a number from 1 to 65535"))
}

/// Gives every host its port: its own, or else the option's, which is one for all or one for each.
fn with_ports(hosts: Vec<(Address, Option<u16>)>, ports: &[u16]) -> Result<Vec<Host>, String> {
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err(format!("it names {} ports for {} hosts; name one, or one for each", ports.len(), hosts.len()));
    }
    let port_of = |n: usize| ports.get(n).or(ports.first()).copied();
    if hosts.is_empty() {
        let port = port_of(0).unwrap_or(DEFAULT_PORT);
        return Ok(vec![Host { address: default_address(port), port }]);
    }
    let mut all = Vec::new();
    for (n, (address, own)) in hosts.into_iter().enumerate() {
        all.push(Host { address, port: own.or_else(|| port_of(n)).unwrap_or(DEFAULT_PORT) });
    }
    Ok(all)
}

/// The socket of a server on this machine where there is one, else `localhost`.
fn default_address(port: u16) -> Address {
    let socket = SOCKET_FOLDERS.into_iter().map(Path::new).find(|f| f.join(format!(".s.PGSQL.{port}")).exists());
    socket.map_or_else(|| Address::Tcp("localhost".to_owned()), |folder| Address::Socket(folder.to_owned()))
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Options, String> {
        Target::parse(text).and_then(|target| Options::parse(&target)).map_err(|e| e.to_string())
    }

    fn hosts(text: &str) -> String {
        parse(text).unwrap().hosts.iter().map(Host::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn targets_name_users_hosts_and_databases() {
        let options = parse(
            "postgres://sc%40tt:ti%2Fger@db1:5433,db2/my%20db?sslmode=verify-full&sslrootcert=/r.pem&connect_timeout=3",
        )
        .unwrap();
        assert_eq!((options.user.as_str(), options.database.as_str()), ("sc@tt", "my db"));
        assert_eq!(options.password, Some(Secret::new("ti/ger")));
        assert_eq!((options.ssl_mode, options.root_certificates), (SslMode::VerifyFull, Some(PathBuf::from("/r.pem"))));
        assert_eq!(options.connect_timeout, Duration::from_secs(3));
        assert_eq!(options.hosts[1], Host { address: Address::Tcp("db2".to_owned()), port: 5432 });
        let options = parse("postgres://db1").unwrap();
        assert_eq!((options.ssl_mode, options.connect_timeout), (SslMode::Prefer, Duration::from_secs(10)));
        assert_eq!(Some(&options.user), os_user().as_ref());
        assert_eq!(options.database, options.user);
        assert_eq!(parse("postgres://scott@h?sslrootcert=system").unwrap().root_certificates, None);
    }

    #[test]
    fn hosts_are_names_numbers_and_sockets() {
        for (text, expected) in [
            ("postgres://u@a:1,b:2,c/x?port=7", "a:1 b:2 c:7"),
            ("postgres://u@a,b/x?port=7,8", "a:7 b:8"),
            ("postgres://u@[::1]:6000,[fe80::1]/x", "[::1]:6000 [fe80::1]:5432"),
            ("postgres://u@/x?host=/run/pg&port=6001", "/run/pg/.s.PGSQL.6001"),
            ("postgres://u@%2Frun%2Fpg:6002/x", "/run/pg/.s.PGSQL.6002"),
            ("postgres:///x?host=h1,/s&port=1,2", "h1:1 /s/.s.PGSQL.2"),
        ] {
            assert_eq!(hosts(text), expected, "{text}");
        }
        // Without any host it is this machine, by whichever way.
        assert!(parse("postgres:///x").unwrap().hosts[0].is_local());
        assert!(!parse("postgres://h/x").unwrap().hosts[0].is_local());
        assert!(parse("postgres://127.0.0.2/x").unwrap().hosts[0].is_local());
        let two = parse("postgres://a,b/x").unwrap();
        assert_eq!((two.host(1), two.host(2)), (&two.hosts[1], &two.hosts[0]));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_what_is() {
        for (text, said) in [
            ("postgres:db", "write postgres://user@host"),
            ("postgres://h/x?ssl=1", "there is no option 'ssl'; there are sslmode="),
            ("postgres://h/x?sslmode=on", "sslmode is one of disable, prefer"),
            ("postgres://h:x/d", "'x' is no port"),
            ("postgres://h:0/d", "'0' is no port"),
            ("postgres://h:65536/d", "'65536' is no port"),
            ("postgres://a,,b/d", "'' is no host"),
            ("postgres://a b/d", "'a b' is no host"),
            ("postgres://::1/d", "in brackets: [::1]"),
            ("postgres://[::1/d", "no closing bracket"),
            ("postgres://[::1]5/d", "'5' after the bracket"),
            ("postgres://h/%zz", "the database '%zz' is not percent-encoded"),
            ("postgres://a/d?host=b", "hosts both before the database and as an option"),
            ("postgres://a,b,c/d?port=1,2", "2 ports for 3 hosts"),
            ("postgres://a/d?sslrootcert=/r.pem", "sslmode=prefer verifies nothing"),
            ("postgres://a/d?connect_timeout=0", "from 1 to 3600"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    proptest! {
        /// No text makes the parser panic, and every host that it accepts is shown as it was meant.
        #[test]
        fn any_text_is_understood_or_refused(text in "[a-z0-9:/@,?&=%\\[\\].]{0,40}") {
            if let Ok(options) = parse(&format!("postgres://{text}")) {
                prop_assert!(!options.hosts.is_empty() && !options.database.is_empty());
                for host in options.hosts.iter().filter(|host| matches!(&host.address, Address::Tcp(name) if !name.contains('%'))) {
                    prop_assert_eq!(&parse(&format!("postgres://u@{host}/d")).unwrap().hosts[0], host);
                }
            }
        }
    }
}

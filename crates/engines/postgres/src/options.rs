//! What a target says: `postgres://user@host1:5432,host2/db?sslmode=verify-full`. Written as libpq's URLs are, with its
//! defaults, so that a DBA need learn nothing; but nothing comes from libpq's environment except the password: a load
//! is not put on a server that the command line does not name.

use super::connection::ConnectionLimits;
use dbdyno_engine::secret::Secret;
use dbdyno_engine::server::Vigil;
pub(super) use dbdyno_engine::server::url::{Address, SslMode};
use dbdyno_engine::server::url::{Url, Words, is_this_machine};
use dbdyno_engine::{Target, TargetError};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where a server listens if nothing else is said.
const DEFAULT_PORT: u16 = 5432;
/// Where distributions and the server's own build put its socket.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];
/// What things are called in a target.
const WORDS: Words = Words {
    form: "postgres://user@host:port/database",
    known: "sslmode=disable|prefer|require|verify-ca|verify-full, sslrootcert=FILE, host=NAME or host=/SOCKET/FOLDER, \
            channel_binding=disable|prefer|require, port=N, connect_timeout=SECONDS",
    socket: "a socket's folder",
    socket_option: None,
};

/// Whether the proof of a password has to name the server's certificate, so that nobody in between can pass it on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Binding {
    /// It does not.
    Disable,
    /// Where the server can do it.
    #[default]
    Prefer,
    /// It must.
    Require,
}

impl Binding {
    /// Takes the option out of a target's.
    fn taken_from(target: &mut Target) -> Result<Self, TargetError> {
        let Some(at) = target.options.iter().position(|(name, _)| name == "channel_binding") else {
            return Ok(Self::default());
        };
        match target.options.remove(at).1.as_str() {
            "disable" => Ok(Self::Disable),
            "prefer" => Ok(Self::Prefer),
            "require" => Ok(Self::Require),
            _ => Err(target.invalid("channel_binding is one of disable, prefer, require")),
        }
    }
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
    /// Whether it is reached through a Unix socket.
    pub(super) fn is_socket(&self) -> bool {
        matches!(self.address, Address::Socket(_))
    }

    /// Whether the server is on this machine for certain.
    pub(super) fn is_local(&self) -> bool {
        match &self.address {
            Address::Socket(_) => true,
            Address::Tcp(name) => is_this_machine(name),
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
    /// Whether the proof of a password names the server's certificate.
    pub(super) binding: Binding,
    /// Trusted authorities; the system's where none is named.
    pub(super) root_certificates: Option<PathBuf>,
    /// How long opening a connection may take, TLS and authentication included.
    pub(super) connect_timeout: Duration,
    /// The connections that are open to it.
    pub(super) seats: Arc<ConnectionLimits>,
    /// What these wait for.
    pub(super) vigil: Arc<Vigil>,
}

impl Options {
    /// Understands a target.
    ///
    /// # Errors
    /// It is not written as it should be, or an option or its value is unknown.
    pub(super) fn parse(target: &Target) -> Result<Self, TargetError> {
        let mut target = target.clone();
        let binding = Binding::taken_from(&mut target)?;
        let url = Url::parse(&target, &WORDS)?;
        let mut hosts: Vec<Host> =
            url.hosts.into_iter().map(|(address, port)| Host { address, port: port.unwrap_or(DEFAULT_PORT) }).collect();
        if hosts.is_empty() {
            let port = url.port.unwrap_or(DEFAULT_PORT);
            hosts.push(Host { address: default_address(port), port });
        }
        Ok(Self {
            hosts,
            database: url.database.unwrap_or_else(|| url.user.clone()),
            user: url.user,
            password: url.password,
            ssl_mode: url.ssl_mode,
            binding,
            root_certificates: url.root_certificates,
            connect_timeout: url.connect_timeout,
            seats: Arc::default(),
            vigil: Arc::default(),
        })
    }

    /// The host of a node; nodes beyond the last begin again with the first.
    pub(super) fn host(&self, node: usize) -> &Host {
        &self.hosts[node % self.hosts.len()]
    }
}

/// The socket of a server on this machine where there is one, else `localhost`.
fn default_address(port: u16) -> Address {
    let socket = SOCKET_FOLDERS.into_iter().map(Path::new).find(|f| f.join(format!(".s.PGSQL.{port}")).exists());
    socket.map_or_else(|| Address::Tcp("localhost".to_owned()), |folder| Address::Socket(folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::server::url::os_user;
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
        assert_eq!(options.binding, Binding::Prefer);
        assert_eq!(parse("postgres://db1?channel_binding=require").unwrap().binding, Binding::Require);
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
            ("postgres://h/x?channel_binding=yes", "channel_binding is one of disable, prefer, require"),
            ("postgres://h:x/d", "a port is expected behind ':'"),
            ("postgres://u:Geheim77", "a port is expected behind ':'; a port is a number"),
            ("postgres://h:0/d", "'0' is no port"),
            ("postgres://h:65536/d", "'65536' is no port"),
            ("postgres://a,,b/d", "'' is no host"),
            ("postgres://a b/d", "'a b' is no host"),
            ("postgres://::1/d", "in brackets: [::1]"),
            ("postgres://[::1/d", "no closing bracket"),
            ("postgres://[::1]5/d", "behind the bracket of a host stands no port"),
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

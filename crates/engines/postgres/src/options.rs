//! What a target says: `postgres://user@host1:5432,host2/db?sslmode=verify-full`. Written as libpq's URLs are, with its
//! defaults, so that a DBA need learn nothing; but nothing comes from libpq's environment except the password: a load
//! is not put on a server that the command line does not name.

use dbdyno_engine::server::tls;
pub(super) use dbdyno_engine::server::url::{Address, Host, SslMode};
use dbdyno_engine::server::url::{Form, ServerOptions};
use dbdyno_engine::{EngineError, Target, TargetError};
use rustls::ClientConfig;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// Where a server listens if nothing else is said.
const DEFAULT_PORT: u16 = 5432;
/// Where distributions and the server's own build put its socket.
pub(super) const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];
/// How targets are written.
const FORM: Form = Form {
    form: "postgres://user@host:port/database",
    known: "sslmode=disable|prefer|require|verify-ca|verify-full, sslrootcert=FILE, host=NAME or host=/SOCKET/FOLDER, \
            channel_binding=disable|prefer|require, port=N, connect_timeout=SECONDS",
    socket_is: "a socket's folder",
    socket_option: None,
    socket: |folder, port| Ok(socket(&folder, port.unwrap_or(DEFAULT_PORT))),
    port: DEFAULT_PORT,
    host: default_host,
    database: str::to_owned,
};

/// Whether the proof of a password has to name the server's certificate, so that nobody in between can pass it on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum BindingMode {
    /// It does not.
    Disable,
    /// Where the server can do it.
    #[default]
    Prefer,
    /// It must.
    Require,
}

impl BindingMode {
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

/// A target, understood.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) server: ServerOptions,
    /// Whether the proof of a password names the server's certificate.
    pub(super) binding: BindingMode,
    /// Whether somebody has turned us away because of the settings in the startup message.
    pub(super) refuses_settings: Arc<AtomicBool>,
    /// How TLS is made: lists of authorities are large, and one does for all connections.
    tls: Arc<OnceLock<Arc<ClientConfig>>>,
}

impl Deref for Options {
    type Target = ServerOptions;

    fn deref(&self) -> &ServerOptions {
        &self.server
    }
}

impl Options {
    /// Understands a target.
    ///
    /// # Errors
    /// It is not written as it should be, or an option or its value is unknown.
    pub(super) fn parse(target: &Target) -> Result<Self, TargetError> {
        let mut target = target.clone();
        let binding = BindingMode::taken_from(&mut target)?;
        let server = ServerOptions::parse(&target, &FORM)?;
        Ok(Self { server, binding, refuses_settings: Arc::default(), tls: Arc::default() })
    }

    /// How TLS is made to a host; none where it is not wanted.
    ///
    /// # Errors
    /// The trusted authorities cannot be read.
    pub(super) fn tls(&self, host: &Host) -> Result<Option<Arc<ClientConfig>>, EngineError> {
        if !self.wants_tls(host) {
            return Ok(None);
        }
        if let Some(config) = self.tls.get() {
            return Ok(Some(Arc::clone(config)));
        }
        let config = Arc::new(tls::client_config(&self.server)?);
        Ok(Some(Arc::clone(self.tls.get_or_init(|| config))))
    }
}

/// The socket in a folder.
fn socket(folder: &Path, port: u16) -> Host {
    Host { address: Address::Socket(folder.join(format!(".s.PGSQL.{port}"))), port }
}

/// The socket of a server on this machine where there is one, else `localhost`.
fn default_host(port: Option<u16>) -> Host {
    let port = port.unwrap_or(DEFAULT_PORT);
    let sockets = SOCKET_FOLDERS.map(|folder| socket(Path::new(folder), port));
    let exists = |host: &Host| matches!(&host.address, Address::Socket(path) if path.exists());
    let localhost = || Host { address: Address::Tcp("localhost".to_owned()), port };
    sockets.into_iter().find(exists).unwrap_or_else(localhost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::secret::Secret;
    use dbdyno_engine::server::url::os_user;
    use proptest::prelude::*;
    use std::path::PathBuf;
    use std::time::Duration;

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
        assert_eq!(
            (options.ssl_mode, options.root_certificates.clone()),
            (SslMode::VerifyFull, Some(PathBuf::from("/r.pem")))
        );
        assert_eq!(options.connect_timeout, Duration::from_secs(3));
        assert_eq!(options.hosts[1], Host { address: Address::Tcp("db2".to_owned()), port: 5432 });
        let options = parse("postgres://db1").unwrap();
        assert_eq!((options.ssl_mode, options.connect_timeout), (SslMode::Prefer, Duration::from_secs(10)));
        assert_eq!(options.binding, BindingMode::Prefer);
        assert_eq!(parse("postgres://db1?channel_binding=require").unwrap().binding, BindingMode::Require);
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

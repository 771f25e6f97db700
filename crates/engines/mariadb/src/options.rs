//! What a target says: `mariadb://user@host1:3306,host2/db?sslmode=verify-full`. The words are those of the other
//! engines' targets; nothing comes from the client programs' environment or option files except the password: a load is
//! not put on a server that the command line does not name.

use super::tls::Tls;
pub(super) use dbdyno_engine::server::url::{Address, Host, SslMode};
use dbdyno_engine::server::url::{Form, ServerOptions};
use dbdyno_engine::{EngineError, Target, TargetError};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// Where a server listens if nothing else is said.
const DEFAULT_PORT: u16 = 3306;
/// Where distributions and the server's own build put its socket.
const SOCKETS: [&str; 4] =
    ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/run/mysql/mysql.sock", "/tmp/mysql.sock"];
/// How targets are written.
const FORM: Form = Form {
    form: "mariadb://user@host:port/database",
    known: "sslmode=disable|prefer|require|verify-ca|verify-full, sslrootcert=FILE, host=NAME, port=N, \
            socket=/PATH/TO.sock, connect_timeout=SECONDS",
    socket_is: "a socket's path",
    socket_option: Some("socket"),
    socket: |path, port| match port {
        Some(port) => Err(format!("the socket {} has no port; leave port {port} away", path.display())),
        None => Ok(socket(path)),
    },
    port: DEFAULT_PORT,
    host: default_host,
    database: |_| DATABASE.to_owned(),
};
/// The database that is dbdyno's where the target names none.
const DATABASE: &str = "dbdyno";
/// What the server keeps for itself.
const SERVERS_OWN: [&str; 4] = ["mysql", "sys", "information_schema", "performance_schema"];
/// The longest name that the server gives a database.
const NAME_CHARS: usize = 64;

/// A target, understood.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) server: ServerOptions,
    /// Whether whoever connects only looks at the server, and needs no right to the database.
    pub(super) only_looks: bool,
    /// Whether the server has turned TLS down where it was only preferred.
    pub(super) without_tls: Arc<AtomicBool>,
    /// How TLS is made: lists of authorities are large, and one does for all connections.
    tls: Arc<OnceLock<Tls>>,
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
        let server = ServerOptions::parse(target, &FORM)?;
        refuse_name(&server.database).map_err(|problem| target.invalid(problem))?;
        Ok(Self { server, only_looks: false, without_tls: Arc::default(), tls: Arc::default() })
    }

    /// How TLS is made to a host; none where it is not wanted.
    ///
    /// # Errors
    /// The trusted authorities cannot be read.
    pub(super) fn tls(&self, host: &Host) -> Result<Option<Tls>, EngineError> {
        if !self.wants_tls(host) {
            return Ok(None);
        }
        if let Some(tls) = self.tls.get() {
            return Ok(Some(tls.clone()));
        }
        let tls = Tls::of(&self.server)?;
        Ok(Some(self.tls.get_or_init(|| tls).clone()))
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

/// The server behind a socket, which has no port.
fn socket(path: PathBuf) -> Host {
    Host { address: Address::Socket(path), port: DEFAULT_PORT }
}

/// The usual socket of a server on this machine where there is one and no port is named, else `localhost`.
fn default_host(port: Option<u16>) -> Host {
    let mut sockets = SOCKETS.iter().map(PathBuf::from);
    let found = sockets.find(|path| port.is_none() && path.exists()).map(socket);
    let localhost = || Address::Tcp("localhost".to_owned());
    found.unwrap_or_else(|| Host { address: localhost(), port: port.unwrap_or(DEFAULT_PORT) })
}

#[cfg(test)]
mod tests;

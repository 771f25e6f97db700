//! MariaDB's servers: `mariadb-install-db`, the settings of a size class, starting and stopping.
//!
//! To a private instance nobody but the server's user (and root) can come: it listens on a socket in a folder of that
//! user's alone, and on no network. That is why its one account has no password: whoever can open the socket can open
//! the data files, too, and a password would be one more secret that keeps nobody out. The accounts that the installer
//! makes are removed. With a standby it listens on the loopback address, too, where only the standby's account is let
//! in (replication.rs): without names of hosts `localhost` is the socket alone.

mod binary_log;
mod replication;

use dbdyno_engine::servers::{
    About, Access, DataFolder, Login, Place, Product, Programs, Readiness, Replication, Setting, Sizing, Step,
    template, with_path,
};
use mysql::{Conn, OptsBuilder};
use rustix::process::Signal;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// User and database of an instance.
const NAME: &str = "dbdyno";
/// The socket, in a folder of its own.
const SOCKET: &str = "mariadbd.sock";
/// The file of settings, in the data folder.
const SETTINGS: &str = "dbdyno.cnf";
/// Written by the server, in the data folder: its process id.
const PID_FILE: &str = "mariadbd.pid";
/// Written by the installer and by upgrades: the version that the data is of. Its first name is the newer one.
const VERSION_FILES: [&str; 2] = ["mariadb_upgrade_info", "mysql_upgrade_info"];
/// The oldest version that dbdyno is made for.
const OLDEST: (u32, u32) = (10, 11);
/// How long a server that has taken a connection may keep silent.
const CONNECT: Duration = Duration::from_secs(5);

const ABOUT: About = About {
    engine: "mariadb",
    programs: Programs {
        variable: "DBDYNO_MARIADB_BIN",
        needed: &["mariadbd", "mariadb-install-db"],
        // Debian has the server in `sbin`, Red Hat in `libexec`; an archive has the installer in `scripts`.
        beside: &["../bin", "../sbin", "../libexec", "../scripts"],
        folders: &[
            "/usr/sbin",
            "/usr/libexec",
            "/usr/bin",
            "/usr/local/mysql/bin",
            "/usr/local/bin",
            "/opt/mariadb*/bin",
        ],
        install: "the MariaDB server, 10.11 or newer (package mariadb-server on Debian, Ubuntu and Red Hat, mariadb on SUSE)",
    },
    users: &["mysql"],
    port: None,
    socket_name: SOCKET,
    settings_file: SETTINGS,
    pid_file: PID_FILE,
    access_file: None,
    // The kernel may still be busy with the asynchronous writes of a server that was killed.
    still_held: "Unable to lock",
    // Open transactions are rolled back, and what the cache holds is written.
    stop_signal: Signal::TERM,
    // The server takes every other signal for the one above.
    abort_signal: Signal::KILL,
};

/// What is MariaDB's own about its servers.
pub static PRODUCT: MariaDb = MariaDb;

/// MariaDB.
#[derive(Debug, Default)]
pub struct MariaDb;

impl Product for MariaDb {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn version(&self, said: &str) -> Option<String> {
        // `/usr/sbin/mariadbd  Ver 10.11.14-MariaDB-0+deb12u2 for debian-linux-gnu on x86_64 (Debian 12)`
        let version = said.split_once(" Ver ")?.1.split_whitespace().next()?;
        let (number, _) = version.split_once("-MariaDB")?;
        number.starts_with(|c: char| c.is_ascii_digit()).then(|| number.to_owned())
    }

    fn too_old(&self, version: &str) -> Option<String> {
        let (major, minor) = OLDEST;
        (series(version) < OLDEST).then(|| format!("dbdyno needs {major}.{minor} or newer"))
    }

    fn series(&self, version: &str) -> String {
        let (major, minor) = series(version);
        format!("{major}.{minor}")
    }

    fn data_series(&self, data: &DataFolder) -> Option<String> {
        let text = VERSION_FILES.iter().find_map(|file| data.read(file).ok())?;
        Some(self.series(text.trim()))
    }

    fn administrator(&self, access: Access) -> Login<'static> {
        match access {
            Access::Own => Login { user: NAME, database: NAME },
            Access::Anybody => Login { user: "root", database: "mysql" },
        }
    }

    fn making(&self, place: &Place, further: &[String]) -> Vec<Step> {
        // A server that starts removes what others have left in its folder for temporary files, and takes what they
        // work with for that; so each has its own. The installer would break a path with a space in it.
        let (data_folder, temporary) = (with_path("--datadir=", &place.data), OsString::from("--tmpdir=."));
        // Nothing but what is said here: neither this machine's settings, nor its name, which it may not know.
        let install = ["--no-defaults", "--skip-test-db", "--skip-name-resolve", "--force"].map(OsString::from);
        let install = install.into_iter().chain([data_folder.clone(), temporary.clone()]);
        let mut install: Vec<OsString> = install.chain(further.iter().map(OsString::from)).collect();
        let step = |doing, program, arguments, input| Step { doing, program, arguments, input };
        if place.access == Access::Anybody {
            install.push("--auth-root-authentication-method=normal".into());
            return vec![step("making the data folder", "mariadb-install-db", install, None)];
        }
        // Without a server that listens nobody can come in between.
        let bootstrap = ["--no-defaults", "--bootstrap", "--silent-startup"].map(OsString::from).into_iter();
        let bootstrap =
            bootstrap.chain([with_path("--basedir=", &base(&place.programs)), data_folder, temporary]).collect();
        vec![
            step("making the data folder", "mariadb-install-db", install, None),
            step("making its database and its one account", "mariadbd", bootstrap, Some(ONE_ACCOUNT)),
        ]
    }

    fn settings(&self, sizing: &Sizing<'_>) -> String {
        settings(sizing)
    }

    fn settings_of(&self, settings: &[Setting]) -> String {
        let line = |(name, value): &Setting| match value.as_str() {
            "" => format!("{name}\n"),
            value => format!("{name} = \"{}\"\n", value.replace('\\', "\\\\")),
        };
        let lines: String = settings.iter().map(line).collect();
        format!("[mariadbd]\n{lines}")
    }

    fn reach(&self, place: &Place) -> Vec<Setting> {
        let network = match place.tcp_port {
            Some(port) => vec![("bind_address", "127.0.0.1".to_owned()), ("port", port.to_string())],
            None => vec![("skip_networking", String::new())],
        };
        // As in the settings of a size class.
        let always = [("skip_name_resolve", ""), ("pid_file", PID_FILE), ("tmpdir", ".")];
        let always = always.map(|(name, value)| (name, value.to_owned()));
        network.into_iter().chain(always).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn tls(&self, certificate: &Path, key: &Path) -> Vec<Setting> {
        let file = |name: &str, path: &Path| (name.to_owned(), path.display().to_string());
        vec![file("ssl_cert", certificate), file("ssl_key", key)]
    }

    fn arguments(&self, place: &Place) -> Vec<OsString> {
        // The file must come first. Paths stand here, where nothing in them can be taken for something else.
        vec![
            with_path("--defaults-file=", &place.data.join(SETTINGS)),
            with_path("--basedir=", &base(&place.programs)),
            with_path("--datadir=", &place.data),
            with_path("--socket=", &socket(place)),
        ]
    }

    fn readiness(&self, place: &Place, _pid: u32) -> Readiness {
        match connect(place) {
            Ok(_) => Readiness::Ready,
            // It has answered: with a reason that goes away, or with one that does not.
            Err(mysql::Error::MySqlError(error)) if PASSING.contains(&error.code) => Readiness::NotYet(error.message),
            Err(mysql::Error::MySqlError(error)) => {
                Readiness::Never(format!("the server does not accept connections: {}", error.message))
            }
            // There is no socket before the server has gone through its log.
            Err(_) => Readiness::NotYet("the server is starting, or recovering from a crash".to_owned()),
        }
    }

    fn target(&self, place: &Place, login: Login<'_>) -> String {
        format!("mariadb://{}@/{}?socket={}", login.user, login.database, socket(place).display())
    }

    fn client(&self, place: &Place, login: Login<'_>) -> (&'static str, Vec<OsString>) {
        let reads = ["--no-defaults", "--protocol=socket", "--batch", "--skip-column-names", "--unbuffered"];
        let mut arguments: Vec<OsString> = reads.map(OsString::from).into();
        arguments.push(with_path("--socket=", &socket(place)));
        arguments.push(format!("--user={}", login.user).into());
        if !login.database.is_empty() {
            arguments.push(format!("--database={}", login.database).into());
        }
        ("mariadb", arguments)
    }

    fn shell_command(&self, place: &Place) -> String {
        // A password of the user's own settings would be refused.
        format!("mariadb --no-defaults --socket={} --user={NAME} {NAME}", socket(place).display())
    }

    fn replication(&self) -> Option<&'static dyn Replication> {
        Some(&PRODUCT)
    }
}

/// The settings of a size class.
fn settings(sizing: &Sizing<'_>) -> String {
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    let cache = sizing.size.engine_cache_bytes;
    let values = [
        ("size", sizing.size.id.to_string()),
        ("pid_file", PID_FILE.to_owned()),
        ("cache_mib", cache.div_ceil(MIB).to_string()),
        ("log_mib", ((16 * cache).clamp(128 * MIB, 16 * GIB) / MIB).to_string()),
    ];
    template::fill(include_str!("../dialect/private.cnf"), sizing.version, &values)
}

/// Each statement ends with its line, as this mode wants it. Privileges are not known in it until they are read; and
/// what is deleted from their table is gone from the next start on. The server's own locked account owns its views.
const ONE_ACCOUNT: &str = "\
CREATE DATABASE dbdyno;
FLUSH PRIVILEGES;
CREATE USER dbdyno@localhost;
GRANT ALL PRIVILEGES ON *.* TO dbdyno@localhost WITH GRANT OPTION;
DELETE FROM mysql.global_priv WHERE User NOT IN ('dbdyno', 'mariadb.sys');
DELETE FROM mysql.proxies_priv;
DELETE FROM mysql.db;
";

/// Too many connections; the server is shutting down; too many of one user.
const PASSING: [u16; 3] = [1040, 1053, 1203];

/// A connection to the database.
fn connect(place: &Place) -> mysql::Result<Conn> {
    connect_for(place, CONNECT)
}

/// One whose answers may take so long.
fn connect_for(place: &Place, patience: Duration) -> mysql::Result<Conn> {
    let Login { user, database } = PRODUCT.administrator(place.access);
    let options = OptsBuilder::new().socket(Some(socket(place).display().to_string())).user(Some(user));
    let options = options.db_name(Some(database)).read_timeout(Some(patience)).write_timeout(Some(CONNECT));
    Conn::new(options)
}

fn socket(place: &Place) -> PathBuf {
    place.socket_folder.join(SOCKET)
}

/// The folder that the server's `bin` and `share` stand in. A server that was put elsewhere than it was built for finds
/// its messages by it.
fn base(programs: &Path) -> PathBuf {
    let server = ABOUT.programs.server(programs);
    let server = server.canonicalize().unwrap_or(server);
    server.parent().and_then(Path::parent).map_or_else(|| PathBuf::from("/"), Path::to_owned)
}

/// The first two numbers of a version; 0 for what is none.
fn series(version: &str) -> (u32, u32) {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|digits| digits.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests;

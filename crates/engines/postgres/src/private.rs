//! PostgreSQL's servers: `initdb`, the settings of a size class, starting and stopping.
//!
//! To a private instance nobody but the server's user (and root) can come: it listens on a socket in a folder of that
//! user's alone, and on no network. That is why it asks for no password.

mod replication;

use super::connection::PostgresConnection;
use super::options::Options;
use dbdyno_engine::servers::{
    About, Access, DataFolder, Login, Place, Product, Programs, Readiness, Replication, Setting, Sizing, Step,
    template, with_path,
};
use dbdyno_engine::{Target, TargetError};
use dbdyno_model::ErrorClass;
use rustix::process::Signal;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// The port that names the socket where nothing else is said. Each instance has a folder of its own, so all can have
/// the same.
const PORT: u16 = 5432;
/// Superuser and database of an instance.
const NAME: &str = "dbdyno";
/// The file of settings, in the data folder.
pub(super) const SETTINGS: &str = "dbdyno.conf";
/// Written by the server: its process id, and in the eighth line how far it is.
const PID_FILE: &str = "postmaster.pid";
/// How long a connection may take.
const CONNECT_S: u32 = 5;
/// The oldest version that dbdyno's procedures run on.
const OLDEST: u32 = 13;

const ABOUT: About = About {
    engine: "postgres",
    programs: Programs {
        variable: "DBDYNO_POSTGRES_BIN",
        needed: &["postgres", "initdb"],
        beside: &[],
        folders: &[
            "/usr/lib/postgresql/*/bin",
            "/usr/pgsql-*/bin",
            "/usr/lib/postgresql*/bin",
            "/usr/libexec/postgresql*",
            "/usr/local/pgsql/bin",
            "/usr/local/bin",
            "/opt/postgresql/*/bin",
            "/usr/bin",
        ],
        install: "the PostgreSQL server, 13 or newer (package postgresql on Debian and Ubuntu, postgresql-server on Red Hat and SUSE)",
    },
    users: &["postgres"],
    port: Some(PORT),
    socket_name: ".s.PGSQL.5432",
    settings_file: SETTINGS,
    pid_file: PID_FILE,
    access_file: Some("pg_hba.conf"),
    // Sessions of a server that was killed take a moment to notice it.
    still_held: "is still in use",
    // Fast: open transactions are rolled back, then a checkpoint.
    stop_signal: Signal::INT,
    abort_signal: Signal::QUIT,
};

/// What is PostgreSQL's own about its servers.
pub static PRODUCT: Postgres = Postgres;

/// PostgreSQL.
#[derive(Debug, Default)]
pub struct Postgres;

impl Product for Postgres {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn version(&self, said: &str) -> Option<String> {
        // `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`
        let version = said.split_once("(PostgreSQL) ")?.1.split_whitespace().next()?;
        version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
    }

    fn too_old(&self, version: &str) -> Option<String> {
        (major(version) < OLDEST).then(|| format!("dbdyno needs {OLDEST} or newer"))
    }

    fn series(&self, version: &str) -> String {
        major(version).to_string()
    }

    fn data_series(&self, data: &DataFolder) -> Option<String> {
        data.read("PG_VERSION").ok().map(|text| text.trim().to_owned())
    }

    fn administrator(&self, access: Access) -> Login<'static> {
        let name = match access {
            Access::Own => NAME,
            Access::Anybody => NAME_OF_FIRST,
        };
        Login { user: name, database: name }
    }

    fn making(&self, place: &Place, further: &[String]) -> Vec<Step> {
        let folder = || place.data.as_os_str().to_owned();
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let hosts = match place.access {
            Access::Own => "--auth-host=reject",
            Access::Anybody => "--auth-host=trust",
        };
        let user = format!("--username={}", self.administrator(place.access).user);
        let mut initdb = words(&["--encoding=UTF8", "--locale=C", "--auth-local=trust", hosts, &user]);
        initdb.extend(further.iter().map(OsString::from).chain(["--pgdata".into(), folder()]));
        // Without a server nobody can come in between. Its answers go to the log; whether the database is there is seen
        // when the first connection asks for it.
        let single = |doing: &'static str, database: &str, input: &'static str| {
            let arguments = ["--single".into(), "-D".into(), folder(), database.into()].into();
            Step { doing, program: "postgres", arguments, input: Some(input) }
        };
        let mut steps =
            vec![Step { doing: "making the data folder", program: "initdb", arguments: initdb, input: None }];
        if place.access == Access::Own {
            steps.push(single("creating the database", NAME_OF_FIRST, "CREATE DATABASE dbdyno\n"));
            steps.push(single("adding what counts changed blocks", NAME, COUNT_CHANGED_BLOCKS));
        }
        steps
    }

    fn finish(&self, data: &DataFolder) -> io::Result<()> {
        let include = format!("\n# Settings of the size class. `ALTER SYSTEM` overrides them.\ninclude '{SETTINGS}'\n");
        data.append("postgresql.conf", &include)
    }

    fn settings(&self, sizing: &Sizing<'_>) -> String {
        settings(sizing)
    }

    fn settings_of(&self, settings: &[Setting]) -> String {
        settings.iter().map(|(name, value)| format!("{name} = '{}'\n", value.replace('\'', "''"))).collect()
    }

    fn reach(&self, place: &Place) -> Vec<Setting> {
        let addresses = if place.tcp_port.is_some() { "127.0.0.1" } else { "" };
        let folder = place.socket_folder.display().to_string();
        let settings = [
            ("listen_addresses", addresses.to_owned()),
            ("port", port(place).to_string()),
            ("unix_socket_directories", folder),
        ];
        settings.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn tls(&self, certificate: &Path, key: &Path) -> Vec<Setting> {
        let file = |name: &str, path: &Path| (name.to_owned(), path.display().to_string());
        vec![("ssl".to_owned(), "on".to_owned()), file("ssl_cert_file", certificate), file("ssl_key_file", key)]
    }

    fn arguments(&self, place: &Place) -> Vec<OsString> {
        vec!["-D".into(), place.data.clone().into()]
    }

    fn readiness(&self, place: &Place, pid: u32) -> Readiness {
        let noted = DataFolder::open(&place.data).and_then(|data| data.read(PID_FILE)).unwrap_or_default();
        let mut lines = noted.lines();
        let ours = lines.next().and_then(|pid| pid.trim().parse().ok()) == Some(pid);
        match lines.nth(6).map(str::trim) {
            Some("ready") if ours => connect(place),
            _ => Readiness::NotYet("the server is starting, or recovering from a crash".to_owned()),
        }
    }

    fn target(&self, place: &Place, login: Login<'_>) -> String {
        let folder = place.socket_folder.display();
        format!("postgres://{}@/{}?host={folder}&port={}", login.user, login.database, port(place))
    }

    fn client(&self, place: &Place, login: Login<'_>) -> (&'static str, Vec<OsString>) {
        let reads =
            ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"].map(OsString::from);
        let mut arguments = Vec::from(reads);
        arguments.push(with_path("--host=", &place.socket_folder));
        arguments.push(format!("--port={}", port(place)).into());
        arguments.push(format!("--username={}", login.user).into());
        if !login.database.is_empty() {
            arguments.push(format!("--dbname={}", login.database).into());
        }
        ("psql", arguments)
    }

    fn shell_command(&self, place: &Place) -> String {
        format!("psql -h {} -U {NAME} {NAME}", place.socket_folder.display())
    }

    fn replication(&self) -> Option<&'static dyn Replication> {
        Some(&PRODUCT)
    }
}

/// Makes the cache's buffers visible. Servers that were built without the contributed modules do without.
const COUNT_CHANGED_BLOCKS: &str = "DO $$ BEGIN \
    IF EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'pg_buffercache') \
    THEN CREATE EXTENSION IF NOT EXISTS pg_buffercache; END IF; END $$\n";

/// The database that every new data folder has, and by custom its superuser.
const NAME_OF_FIRST: &str = "postgres";

/// Whether a connection to the database can be made.
fn connect(place: &Place) -> Readiness {
    let options = match options_of(place) {
        Ok(options) => options,
        Err(error) => return Readiness::Never(error.to_string()),
    };
    match PostgresConnection::open(&options, 0, "dbdyno up") {
        Ok(_) => Readiness::Ready,
        Err(error) if error.class == ErrorClass::ConnectionLost => Readiness::NotYet(error.message),
        Err(error) => Readiness::Never(format!("the server does not accept connections: {}", error.message)),
    }
}

/// How the administrator comes to a server.
fn options_of(place: &Place) -> Result<Options, TargetError> {
    let target = format!("{}&connect_timeout={CONNECT_S}", PRODUCT.target(place, PRODUCT.administrator(place.access)));
    Options::parse(&Target::parse(&target)?)
}

/// The port, which also names the socket.
fn port(place: &Place) -> u16 {
    place.tcp_port.unwrap_or(PORT)
}

/// The first number of a version; 0 for none.
fn major(version: &str) -> u32 {
    let digits = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse().unwrap_or(0)
}

/// The settings of a size class.
fn settings(sizing: &Sizing<'_>) -> String {
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    let cache = sizing.size.engine_cache_bytes;
    let workers = (2 * sizing.hardware_threads).clamp(16, 512);
    // Several index builds and their processes fit beside the cache into what the server may use.
    let free = sizing.memory_limit_bytes.map_or(u64::MAX, |limit| limit.saturating_sub(cache) / 8);
    let maintenance = (cache / 4).clamp(64 * MIB, 2 * GIB).min(free).max(MIB);
    let values = [
        ("size", sizing.size.id.to_string()),
        ("port", PORT.to_string()),
        ("folder", sizing.socket_folder.display().to_string().replace('\'', "''")),
        ("cache_kib", (cache / 1024).to_string()),
        ("effective_kib", (3 * cache / 1024).to_string()),
        ("maintenance_mib", (maintenance / MIB).to_string()),
        ("max_wal_mib", ((64 * cache).clamp(8 * GIB, 128 * GIB) / MIB).to_string()),
        ("min_wal_mib", ((8 * cache).clamp(GIB, 16 * GIB) / MIB).to_string()),
        ("workers", workers.to_string()),
        ("processes", (workers + 8).to_string()),
    ];
    template::fill(include_str!("../dialect/private.conf"), sizing.version, &values)
}

#[cfg(test)]
mod tests;

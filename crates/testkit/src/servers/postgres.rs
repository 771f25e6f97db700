//! Scratch PostgreSQL servers. Their programs are those of DBDYNO_POSTGRES_BIN, else the newest of the distribution, else
//! of PATH.

use super::{Certificate, Place, Scratch, find, run, user};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The superuser of every scratch server.
pub const SUPERUSER: &str = "postgres";

/// What a test wants of its server.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    settings: Vec<(String, String)>,
    hba: Vec<String>,
    certificate: Option<Certificate>,
    initdb: Vec<String>,
    preload: Option<PathBuf>,
}

impl Wish {
    /// A parameter of postgresql.conf; the value is quoted here.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A line of pg_hba.conf, which goes before the lines that let everybody on this machine in.
    pub fn hba(mut self, line: &str) -> Self {
        self.hba.push(line.to_owned());
        self
    }

    /// TLS with a certificate for these names (`DNS:localhost,IP:127.0.0.1`), signed by `Server::authority`.
    pub fn tls(mut self, names: &str) -> Self {
        self.certificate = Some(Certificate { names: names.to_owned(), self_signed: false });
        self
    }

    /// TLS with a certificate for these names that has signed itself: it is `Server::certificate`.
    pub fn self_signed_tls(mut self, names: &str) -> Self {
        self.certificate = Some(Certificate { names: names.to_owned(), self_signed: true });
        self
    }

    /// An argument for initdb.
    pub fn initdb(mut self, argument: &str) -> Self {
        self.initdb.push(argument.to_owned());
        self
    }

    /// A library that goes before the server's own, so that a test can take its calls away.
    pub fn preload(mut self, library: &Path) -> Self {
        self.preload = Some(library.to_owned());
        self
    }

    /// Makes and starts the server.
    pub fn start(self) -> Server {
        let place = Place::new(server_user());
        let mut server = Server { port: place.port, place, preload: self.preload.clone() };
        let mut initdb = server.program("initdb");
        initdb.args(["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "--username", SUPERUSER]);
        run(initdb.args(&self.initdb).arg("--pgdata").arg(server.data()));
        server.configure(&self);
        server.begin();
        server
    }
}

/// A running server.
pub struct Server {
    /// Its port, of TCP on 127.0.0.1 and of the socket.
    pub port: u16,
    place: Place,
    preload: Option<PathBuf>,
}

impl Server {
    /// A server with nothing special.
    pub fn start() -> Self {
        Wish::default().start()
    }

    /// Its data directory.
    pub fn data(&self) -> PathBuf {
        self.place.path("data")
    }

    /// The folder of its socket.
    pub fn socket_folder(&self) -> PathBuf {
        self.place.path("run")
    }

    /// The authority that has signed its certificate, as PEM.
    pub fn authority(&self) -> PathBuf {
        self.place.path("authority.crt")
    }

    /// Its own certificate, as PEM.
    pub fn certificate(&self) -> PathBuf {
        self.place.path("server.crt")
    }

    /// A target over TCP: `postgres://user@127.0.0.1:port/database`.
    pub fn tcp(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{database}", self.port)
    }

    /// A target through the socket.
    pub fn socket(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@/{database}?host={}&port={}", self.socket_folder().display(), self.port)
    }

    /// Runs SQL as the superuser, from a text, as a file piped into psql; what it prints, one row a line.
    pub fn psql(&self, database: &str, sql: &str) -> String {
        self.psql_with(database, &[], sql)
    }

    /// The same with arguments for psql.
    pub fn psql_with(&self, database: &str, arguments: &[&str], sql: &str) -> String {
        let script = tempfile::NamedTempFile::new().unwrap();
        fs::write(script.path(), sql).unwrap();
        let mut psql = self.program("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]);
        psql.args(arguments).arg("--host").arg(self.socket_folder()).args(["--port", &self.port.to_string()]);
        psql.args(["--username", SUPERUSER, "--dbname", database]).stdin(fs::File::open(script.path()).unwrap());
        run(&mut psql).trim_end().to_owned()
    }

    /// Ends the server as a power failure would.
    pub fn kill(&mut self) {
        self.place.end("-KILL");
    }

    /// Ends the server, sessions included, with a checkpoint.
    pub fn stop(&mut self) {
        self.place.end("-INT");
    }

    /// Starts it again.
    pub fn restart(&mut self) {
        self.stop();
        self.begin();
    }

    /// The process that the server's others descend from.
    pub fn pid(&self) -> u32 {
        self.place.pid()
    }

    /// A program of the server's, as the user that the server runs as.
    pub fn program(&self, name: &str) -> Command {
        let mut command = self.place.command(program(name));
        command.env_remove("PGPASSWORD");
        command
    }

    fn configure(&self, wish: &Wish) {
        let file = self.data().join("postgresql.conf");
        let mut text = fs::read_to_string(&file).unwrap();
        let folder = self.socket_folder();
        let basics = [
            ("listen_addresses", "127.0.0.1"),
            ("port", &self.port.to_string()),
            ("unix_socket_directories", folder.to_str().unwrap()),
            ("shared_buffers", "32MB"),
            ("autovacuum_naptime", "1d"),
        ];
        let wished = wish.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in basics.into_iter().chain(wished) {
            text += &format!("{name} = '{}'\n", value.replace('\'', "''"));
        }
        if let Some(certificate) = &wish.certificate {
            self.place.make_certificates(certificate);
            for (name, file) in [("ssl_cert_file", "server.crt"), ("ssl_key_file", "server.key")] {
                text += &format!("{name} = '{}'\n", self.place.path(file).display());
            }
            text += "ssl = on\n";
        }
        fs::write(&file, text).unwrap();
        let file = self.data().join("pg_hba.conf");
        let others = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{}\n{others}", wish.hba.join("\n"))).unwrap();
    }

    fn begin(&mut self) {
        let mut server = self.program("postgres");
        server.arg("-D").arg(self.data());
        server.envs(self.preload.iter().map(|library| ("LD_PRELOAD", library)));
        let mut ready = self.program("pg_isready");
        ready.arg("--host").arg(self.socket_folder()).args(["--port", &self.port.to_string(), "--quiet"]);
        // Sessions of a server that was killed take a moment to notice it.
        self.place.begin(server, ready, "is still in use");
    }
}

impl Scratch for Server {
    const ENGINE: &'static str = "postgres";
    const SUPERUSER: &'static str = SUPERUSER;
    const HOME: &'static str = "postgres";
    const COPIES: bool = true;

    fn socket(&self, user: &str, database: &str) -> String {
        Self::socket(self, user, database)
    }

    fn tcp(&self, user: &str, database: &str) -> String {
        Self::tcp(self, user, database)
    }

    fn port(&self) -> u16 {
        self.port
    }

    fn pid(&self) -> u32 {
        Self::pid(self)
    }

    fn kill(&mut self) {
        Self::kill(self);
    }

    fn stop(&mut self) {
        Self::stop(self);
    }

    fn restart(&mut self) {
        Self::restart(self);
    }

    fn restart_on(&mut self, other: &Self) {
        panic!("there are copies of databases: {:?} need not become {:?}", self.data(), other.data());
    }

    fn end_with_us(&self) {
        self.place.end_with_us("-QUIT");
    }

    fn sql(&self, database: &str, sql: &str) -> String {
        self.psql(database, sql)
    }

    fn copy_database(&self, from: &str, to: &str) {
        self.psql(Self::HOME, &format!("CREATE DATABASE {to} TEMPLATE {from}"));
    }

    fn drop_database(&self, name: &str) {
        self.psql(Self::HOME, &format!("DROP DATABASE {name} WITH (FORCE)"));
    }

    fn create_user(&self, name: &str) {
        self.psql(Self::HOME, &format!("CREATE ROLE {name} LOGIN"));
    }

    fn drop_user(&self, name: &str) {
        self.psql(Self::HOME, &format!("DROP ROLE IF EXISTS {name}"));
    }

    fn let_work(&self, user: &str, database: &str) {
        self.psql(database, &format!("CREATE SCHEMA dbdyno AUTHORIZATION {user}"));
    }

    fn table(name: &str) -> String {
        format!("dbdyno.{name}")
    }

    fn elsewhere(&self, _: &str) -> String {
        "public".to_owned()
    }

    fn objects(&self, database: &str) -> BTreeSet<String> {
        let sql = "SELECT c.relkind::text || ' ' || n.nspname || '.' || c.relname FROM pg_class c
                     JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
                   UNION ALL SELECT 'routine ' || n.nspname || '.' || p.proname FROM pg_proc p
                     JOIN pg_namespace n ON n.oid = p.pronamespace
                   WHERE n.nspname NOT IN ('pg_catalog', 'information_schema')
                   UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%';";
        self.psql(database, sql).lines().map(str::to_owned).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An immediate stop: nobody needs the data any more.
        self.place.end("-QUIT");
    }
}

/// A program of PostgreSQL's. A folder that was named may hold the server alone; psql then comes from elsewhere.
pub fn program(name: &str) -> PathBuf {
    let named = std::env::var_os("DBDYNO_POSTGRES_BIN").map(PathBuf::from);
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &Path| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()).unwrap_or(0);
    let mut versions: Vec<PathBuf> = versions.collect();
    versions.sort_by_key(|path| std::cmp::Reverse(number(path)));
    let folders = named.into_iter().chain(versions.into_iter().map(|path| path.join("bin")));
    find(name, folders).unwrap_or_else(|| panic!("no {name}: install postgresql"))
}

/// The user that servers run as, where this user may not run them: root may not.
pub fn server_user() -> Option<(u32, u32)> {
    user("postgres")
}

//! Scratch MariaDB servers. Their programs are those of DBDYNO_MARIADB_BIN, else the distribution's, else those of PATH.

use super::{Certificate, Place, Scratch, find, run, user};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The administrator of every scratch server: every user of this machine may be it, without a password.
pub const SUPERUSER: &str = "root";

/// What the installer is told; the number is part of the name of the data folder that is kept, and counts its changes.
const INSTALLER: (u32, [&str; 5]) = (
    1,
    [
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--skip-name-resolve",
        "--innodb-log-file-size=32M",
        "--innodb-buffer-pool-size=32M",
    ],
);

/// A data folder as the installer leaves it, which others are copied from: installing takes seconds.
static INSTALLED: LazyLock<PathBuf> = LazyLock::new(installed);

/// What a test wants of its server.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    settings: Vec<(String, String)>,
    certificate: Option<Certificate>,
    install: Vec<String>,
    preload: Option<PathBuf>,
}

impl Wish {
    /// A setting of the server's; one without a value, such as `skip-networking`, has an empty one.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
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

    /// An argument for the installer, such as `--innodb-page-size=8k`; such a server is not made from a copy.
    pub fn install(mut self, argument: &str) -> Self {
        self.install.push(argument.to_owned());
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
        if self.install.is_empty() {
            copy(&INSTALLED, &server.data());
        } else {
            install(&server.place, &self.install);
        }
        server.configure(&self);
        server.begin();
        server
    }
}

/// A running server.
pub struct Server {
    /// Its port, of TCP on 127.0.0.1.
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

    /// Its socket.
    pub fn socket_file(&self) -> PathBuf {
        self.place.path("run").join("mariadbd.sock")
    }

    /// What it has said since it first started.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.place.path("log")).unwrap()).into_owned()
    }

    /// The authority that has signed its certificate, as PEM.
    pub fn authority(&self) -> PathBuf {
        self.place.path("authority.crt")
    }

    /// Its own certificate, as PEM.
    pub fn certificate(&self) -> PathBuf {
        self.place.path("server.crt")
    }

    /// A target over TCP: `mariadb://user@127.0.0.1:port/database`. The server resolves no names: whoever comes this way
    /// is `'user'@'%'` or `'user'@'127.0.0.1'`, never `'user'@'localhost'`.
    pub fn tcp(&self, user: &str, database: &str) -> String {
        format!("mariadb://{user}@127.0.0.1:{}/{database}", self.port)
    }

    /// A target through the socket.
    pub fn socket(&self, user: &str, database: &str) -> String {
        format!("mariadb://{user}@/{database}?socket={}", self.socket_file().display())
    }

    /// Runs SQL as the administrator, from a text, as a file piped into the client; what it prints, one row a line, with
    /// tabs between values. No database is chosen where its name is empty.
    pub fn client(&self, database: &str, sql: &str) -> String {
        self.client_with(database, &[], sql)
    }

    /// The same with arguments for the client.
    pub fn client_with(&self, database: &str, arguments: &[&str], sql: &str) -> String {
        let script = tempfile::NamedTempFile::new().unwrap();
        fs::write(script.path(), sql).unwrap();
        let mut client = self.connecting("mariadb");
        client.args(["--batch", "--skip-column-names"]).args(arguments);
        if !database.is_empty() {
            client.args(["--database", database]);
        }
        run(client.stdin(fs::File::open(script.path()).unwrap())).trim_end().to_owned()
    }

    /// Ends the server as a power failure would.
    pub fn kill(&mut self) {
        self.place.end("-KILL");
    }

    /// Ends the server, sessions included, with everything written.
    pub fn stop(&mut self) {
        self.place.end("-TERM");
    }

    /// Starts it again.
    pub fn restart(&mut self) {
        self.stop();
        self.begin();
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.place.pid()
    }

    /// A program of the server's, as the user that the server runs as, which reads no settings of this machine's.
    pub fn program(&self, name: &str) -> Command {
        program_in(&self.place, name)
    }

    /// A client program that connects through the socket as the administrator.
    pub fn connecting(&self, name: &str) -> Command {
        let mut client = self.program(name);
        client
            .args(["--no-defaults", "--protocol=socket", "--user", SUPERUSER])
            .arg("--socket")
            .arg(self.socket_file());
        client
    }

    /// The program and its arguments that run the server.
    pub fn command_line(&self) -> [String; 2] {
        [program("mariadbd").display().to_string(), format!("--defaults-file={}", self.settings_file().display())]
    }

    fn settings_file(&self) -> PathBuf {
        self.place.path("server.cnf")
    }

    fn configure(&self, wish: &Wish) {
        let path = |path: PathBuf| path.to_str().unwrap().to_owned();
        let mut settings: Vec<(String, String)> = [
            ("datadir", path(self.data())),
            ("socket", path(self.socket_file())),
            ("pid-file", path(self.place.path("run").join("mariadbd.pid"))),
            ("basedir", path(base_folder(&program("mariadbd")))),
            ("bind-address", "127.0.0.1".to_owned()),
            ("port", self.port.to_string()),
            ("skip-name-resolve", String::new()),
            // A server that starts removes whatever looks like a temporary table there, other servers' too.
            ("tmpdir", ".".to_owned()),
            ("innodb-buffer-pool-size", "64M".to_owned()),
            ("innodb-log-file-size", "32M".to_owned()),
            // Compressing well takes most of the time of a load.
            ("innodb-compression-level", "1".to_owned()),
            // Nothing of what was cached is worth keeping.
            ("innodb-buffer-pool-dump-at-shutdown", "OFF".to_owned()),
            ("innodb-buffer-pool-load-at-startup", "OFF".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        if let Some(certificate) = &wish.certificate {
            self.place.make_certificates(certificate);
            for (name, file) in [("ssl-cert", "server.crt"), ("ssl-key", "server.key")] {
                settings.push((name.to_owned(), path(self.place.path(file))));
            }
        }
        settings.extend(wish.settings.iter().cloned());
        let line = |(name, value): &(String, String)| match value.as_str() {
            "" => format!("{name}\n"),
            value => format!("{name} = \"{}\"\n", value.replace('\\', "\\\\")),
        };
        let text: String = settings.iter().map(line).collect();
        fs::write(self.settings_file(), format!("[mariadbd]\n{text}")).unwrap();
    }

    fn begin(&mut self) {
        let [_, settings] = self.command_line();
        let mut server = self.program("mariadbd");
        server.arg(settings);
        server.envs(self.preload.iter().map(|library| ("LD_PRELOAD", library)));
        let mut ready = self.connecting("mariadb-admin");
        ready.args(["--silent", "ping"]);
        // The kernel may still be busy with the asynchronous writes of a server that was killed.
        self.place.begin(server, ready, "Unable to lock");
    }
}

impl Scratch for Server {
    const ENGINE: &'static str = "mariadb";
    const SUPERUSER: &'static str = SUPERUSER;
    const HOME: &'static str = "mysql";
    const COPIES: bool = false;

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
        Self::kill(self);
        fs::remove_dir_all(self.data()).unwrap();
        copy(&other.data(), &self.data());
        self.begin();
    }

    fn end_with_us(&self) {
        self.place.end_with_us("-KILL");
    }

    fn sql(&self, database: &str, sql: &str) -> String {
        self.client(database, sql).replace('\t', "|")
    }

    fn copy_database(&self, from: &str, to: &str) {
        panic!("MariaDB cannot copy the database {from} to {to}");
    }

    fn drop_database(&self, name: &str) {
        self.client("", &format!("DROP DATABASE {name}; DROP DATABASE IF EXISTS {name}_elsewhere"));
    }

    fn create_user(&self, name: &str) {
        self.client("", &format!("CREATE USER {name}@'%'"));
    }

    fn drop_user(&self, name: &str) {
        self.client("", &format!("DROP USER IF EXISTS {name}@'%'"));
    }

    fn let_work(&self, user: &str, database: &str) {
        self.client("", &format!("GRANT ALL ON {database}.* TO {user}@'%'"));
    }

    fn table(name: &str) -> String {
        name.to_owned()
    }

    fn elsewhere(&self, database: &str) -> String {
        self.client("", &format!("CREATE DATABASE IF NOT EXISTS {database}_elsewhere"));
        format!("{database}_elsewhere")
    }

    fn objects(&self, database: &str) -> BTreeSet<String> {
        let sql = format!(
            "SELECT LOWER(table_type), table_name FROM information_schema.tables WHERE table_schema = '{database}';
             SELECT LOWER(routine_type), routine_name FROM information_schema.routines
               WHERE routine_schema = '{database}';
             SELECT 'trigger', trigger_name FROM information_schema.triggers WHERE trigger_schema = '{database}';
             SELECT 'event', event_name FROM information_schema.events WHERE event_schema = '{database}';
             SELECT 'schema', schema_name FROM information_schema.schemata WHERE schema_name = '{database}_elsewhere';
             SELECT 'partition', CONCAT_WS('.', table_name, partition_name, subpartition_name)
               FROM information_schema.partitions
               WHERE table_schema = '{database}' AND partition_name IS NOT NULL;"
        );
        self.client("", &sql).lines().map(|row| row.replace('\t', " ")).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nobody needs the data any more.
        self.place.end("-KILL");
    }
}

/// A program of MariaDB's. A folder that was named may be the one with the server or the one with the clients, and what
/// it does not have comes from elsewhere.
pub fn program(name: &str) -> PathBuf {
    let named = std::env::var_os("DBDYNO_MARIADB_BIN").map(PathBuf::from);
    let base = named.as_deref().and_then(Path::parent).map(Path::to_owned);
    let besides = ["sbin", "bin", "scripts"].map(|part| base.as_ref().map(|base| base.join(part)));
    let distribution = ["/usr/sbin", "/usr/bin"].map(PathBuf::from);
    let folders = named.into_iter().chain(besides.into_iter().flatten()).chain(distribution);
    find(name, folders).unwrap_or_else(|| panic!("no {name}: install mariadb-server"))
}

/// The user that servers run as, where this user may not run them: root may not.
pub fn server_user() -> Option<(u32, u32)> {
    user("mysql")
}

/// The folder that a program's `bin`, `sbin` or `scripts` stands in.
fn base_folder(program: &Path) -> PathBuf {
    program.parent().and_then(Path::parent).unwrap().to_owned()
}

fn program_in(place: &Place, name: &str) -> Command {
    let mut command = place.command(program(name));
    for name in ["MYSQL_PWD", "MYSQL_HOST", "MYSQL_TCP_PORT", "MYSQL_UNIX_PORT", "MYSQL_HOME", "MYSQL_GROUP_SUFFIX"] {
        command.env_remove(name);
    }
    command
}

/// Makes the data folder of a place.
fn install(place: &Place, arguments: &[String]) {
    let mut installer = program_in(place, "mariadb-install-db");
    installer.arg("--no-defaults").arg(format!("--basedir={}", base_folder(&program("mariadbd")).display()));
    run(installer
        .args(INSTALLER.1)
        .arg("--tmpdir=.")
        .args(arguments)
        .arg(format!("--datadir={}", place.path("data").display())));
}

/// Installs once for each version and build of the tests, whichever process is first; all others find it.
fn installed() -> PathBuf {
    let place = Place::new(server_user());
    let version: String = run(program_in(&place, "mariadbd").args(["--no-defaults", "--version"]))
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .expect("a version")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    // Beside the folder of the test's program: the build's own, on the same disk as everything that is built.
    let program = std::env::current_exe().unwrap();
    let kept = program.parent().and_then(Path::parent).unwrap().join("scratch");
    let path = kept.join(format!("mariadb_{version}_{}", INSTALLER.0));
    if !path.exists() {
        install(&place, &[]);
        fs::create_dir_all(&kept).unwrap();
        let making = tempfile::tempdir_in(&kept).unwrap();
        let made = making.path().join("data");
        fs::create_dir(&made).unwrap();
        copy(&place.path("data"), &made);
        // Whoever was faster has made the very same.
        if fs::rename(&made, &path).is_err() {
            assert!(path.exists(), "nothing at {}", path.display());
        }
    }
    path
}

/// Copies what is in a folder into another, with its owners and the holes in its files.
fn copy(from: &Path, into: &Path) {
    fs::create_dir_all(into).unwrap();
    run(Command::new("cp").arg("-a").arg(from.join(".")).arg(into));
}

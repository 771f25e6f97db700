//! Scratch PostgreSQL servers for tests: each in a folder of its own, on a free loopback port and a socket, gone when the
//! test ends. The server's programs are those of DBDYNO_POSTGRES_BIN, else the newest of the distribution, else of PATH.
#![allow(dead_code, unreachable_pub, reason = "a test file uses what applies to it")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The superuser of every scratch server.
pub const SUPERUSER: &str = "postgres";

/// What a test wants of its server.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    settings: Vec<(String, String)>,
    hba: Vec<String>,
    certificate: Option<Certificate>,
    initdb: Vec<String>,
}

/// A certificate for TLS.
#[derive(Debug, Clone)]
struct Certificate {
    names: String,
    self_signed: bool,
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

    /// Makes and starts the server.
    pub fn start(self) -> Server {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Server { folder, port, child: None };
        for part in ["data", "run"] {
            let part = server.folder.path().join(part);
            fs::create_dir(&part).unwrap();
            own(&part, 0o700);
        }
        // The socket is for every user of this machine, as a distribution's is.
        own(&server.socket_folder(), 0o755);
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
    folder: TempDir,
    /// Its port, of TCP on 127.0.0.1 and of the socket.
    pub port: u16,
    child: Option<Child>,
}

impl Server {
    /// A server with nothing special.
    pub fn start() -> Self {
        Wish::default().start()
    }

    /// Its data directory.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder of its socket.
    pub fn socket_folder(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// The authority that has signed its certificate, as PEM.
    pub fn authority(&self) -> PathBuf {
        self.folder.path().join("authority.crt")
    }

    /// Its own certificate, as PEM.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("server.crt")
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
        self.end("-KILL");
    }

    /// Ends the server, sessions included, with a checkpoint.
    pub fn stop(&mut self) {
        self.end("-INT");
    }

    /// Starts it again.
    pub fn restart(&mut self) {
        self.stop();
        self.begin();
    }

    /// The process that the server's others descend from.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// A program of the server's, as the user that the server runs as.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(program(name));
        command.current_dir(self.folder.path()).env_remove("PGPASSWORD").env("LC_ALL", "C");
        if let Some((uid, gid)) = server_user() {
            command.uid(uid).gid(gid);
        }
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
            self.make_certificates(certificate);
            for (name, file) in [("ssl_cert_file", "server.crt"), ("ssl_key_file", "server.key")] {
                text += &format!("{name} = '{}'\n", self.folder.path().join(file).display());
            }
            text += "ssl = on\n";
        }
        fs::write(&file, text).unwrap();
        let file = self.data().join("pg_hba.conf");
        let others = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{}\n{others}", wish.hba.join("\n"))).unwrap();
    }

    fn make_certificates(&self, wanted: &Certificate) {
        let folder = self.folder.path();
        let request = || {
            let mut openssl = Command::new("openssl");
            openssl.current_dir(folder).args(["req", "-x509", "-days", "30", "-nodes"]);
            openssl.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]);
            openssl
        };
        let subject_names = format!("subjectAltName={}", wanted.names);
        let server = ["-subj", "/CN=scratch", "-keyout", "server.key", "-out", "server.crt", "-addext", &subject_names];
        if wanted.self_signed {
            run(request().args(server));
        } else {
            run(request().args([
                "-subj",
                "/CN=scratch authority",
                "-keyout",
                "authority.key",
                "-out",
                "authority.crt",
            ]));
            let signed = ["-CA", "authority.crt", "-CAkey", "authority.key", "-addext", "basicConstraints=CA:FALSE"];
            run(request().args(server).args(signed));
        }
        own(&folder.join("server.key"), 0o600);
        for public in ["server.crt", "authority.crt"].map(|file| folder.join(file)).iter().filter(|file| file.exists())
        {
            fs::set_permissions(public, fs::Permissions::from_mode(0o644)).unwrap();
        }
    }

    fn begin(&mut self) {
        let log_path = self.folder.path().join("log");
        let log = fs::OpenOptions::new().create(true).append(true).open(&log_path).unwrap();
        let mut server = self.program("postgres");
        server.arg("-D").arg(self.data()).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let log = || fs::read_to_string(&log_path).unwrap_or_default();
        let mut said_before = log().len();
        self.child = Some(server.spawn().unwrap());
        let started = Instant::now();
        loop {
            let mut ready = self.program("pg_isready");
            ready.arg("--host").arg(self.socket_folder()).args(["--port", &self.port.to_string(), "--quiet"]);
            if ready.status().unwrap().success() {
                return;
            }
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            // Sessions of a server that was killed take a moment to notice it.
            if ended.is_some() && log()[said_before..].contains("is still in use") {
                said_before = log().len();
                self.child = Some(server.spawn().unwrap());
            } else {
                assert!(ended.is_none(), "the server did not start: {}", log());
            }
            assert!(started.elapsed() < Duration::from_secs(60), "the server is not ready: {}", log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn end(&mut self, signal: &str) {
        let Some(mut child) = self.child.take() else { return };
        // By the program, not by a library: a test needs no more than that.
        _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
        _ = child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An immediate stop: nobody needs the data any more.
        self.end("-QUIT");
    }
}

/// A program of PostgreSQL's. A folder that was named may hold the server alone; psql then comes from elsewhere.
pub fn program(name: &str) -> PathBuf {
    let named = std::env::var_os("DBDYNO_POSTGRES_BIN").map(PathBuf::from);
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &Path| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()).unwrap_or(0);
    let mut versions: Vec<PathBuf> = versions.collect();
    versions.sort_by_key(|path| std::cmp::Reverse(number(path)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = named.into_iter().chain(versions.into_iter().map(|path| path.join("bin")));
    let mut files = folders.chain(std::env::split_paths(&path)).map(|folder| folder.join(name));
    files.find(|file| file.exists()).unwrap_or_else(|| panic!("no {name}: install postgresql"))
}

/// The user that servers run as, where this user may not run them: root may not.
pub fn server_user() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find(|line| line.starts_with("postgres:")).expect("no user postgres");
    let mut numbers = line.split(':').skip(2).map(|field| field.parse().unwrap());
    Some((numbers.next().unwrap(), numbers.next().unwrap()))
}

fn own(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if let Some((uid, gid)) = server_user() {
        std::os::unix::fs::chown(path, Some(uid), Some(gid)).unwrap();
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap()
}

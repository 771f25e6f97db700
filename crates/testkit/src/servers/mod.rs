//! Scratch servers for tests: each in a folder of its own, on a free loopback port and a socket, gone when the test ends.
//! One file a product; here is what they share.

pub mod lend;
pub mod mariadb;
pub mod postgres;
mod round_trips;

pub use round_trips::RoundTrips;
use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What tests that are the same for every product need of its servers.
pub trait Scratch: Send + Sync + Sized + 'static {
    /// The engine's name, which targets begin with.
    const ENGINE: &'static str;
    /// The administrator, who needs no password.
    const SUPERUSER: &'static str;
    /// A database that every server has, for what an administrator says of the whole server.
    const HOME: &'static str;
    /// Whether the product can copy a database as a whole.
    const COPIES: bool;

    /// A target through the socket.
    fn socket(&self, user: &str, database: &str) -> String;
    /// A target over TCP.
    fn tcp(&self, user: &str, database: &str) -> String;
    /// Its port.
    fn port(&self) -> u16;
    /// Its process, or the one that all others of it descend from.
    fn pid(&self) -> u32;
    /// Ends the server as a power failure would.
    fn kill(&mut self);
    /// Ends the server, sessions included, with everything written.
    fn stop(&mut self);
    /// Starts it again, whether it runs or not.
    fn restart(&mut self);
    /// Starts it again on a copy of the files of another one, which stands still.
    fn restart_on(&mut self, other: &Self);
    /// Sees to it that the server ends when this process does, however that ends, and takes its folder with it: for
    /// servers that are never dropped.
    fn end_with_us(&self);

    /// Runs SQL as the administrator; what it returns, one row a line, with `|` between values.
    fn sql(&self, database: &str, sql: &str) -> String;
    /// Makes a database that is a copy of another one, which nobody uses meanwhile.
    fn copy_database(&self, from: &str, to: &str);
    /// Drops a database, whoever uses it.
    fn drop_database(&self, name: &str);
    /// Makes a user who may connect and nothing else, without a password.
    fn create_user(&self, name: &str);
    /// Drops a user if there is one, who owns nothing any more.
    fn drop_user(&self, name: &str);
    /// Lets a user do all of dbdyno's work in a database that holds none of its data, and takes that back.
    fn let_work(&self, user: &str, database: &str);
    /// A table of dbdyno's, as SQL in its database names it.
    fn table(name: &str) -> String;
    /// Where tables lie that are none of dbdyno's business, as the first part of their names. `drop_database` takes it
    /// away with the database.
    fn elsewhere(&self, database: &str) -> String;
    /// Everything in a database that is not the server's own, whoever made it.
    fn objects(&self, database: &str) -> BTreeSet<String>;
}

/// A certificate for TLS.
#[derive(Debug, Clone)]
struct Certificate {
    names: String,
    self_signed: bool,
}

/// What a server of any product has: a folder, a port, a user that it runs as, and a process.
struct Place {
    folder: TempDir,
    port: u16,
    user: Option<(u32, u32)>,
    child: Option<Child>,
}

impl Place {
    /// A folder with parts for the data and the socket, which belong to the server's user.
    fn new(user: Option<(u32, u32)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let place = Self { folder, port, user, child: None };
        // The socket is for every user of this machine, as a distribution's is.
        for (part, mode) in [("data", 0o700), ("run", 0o755)] {
            let part = place.path(part);
            fs::create_dir(&part).unwrap();
            own(&part, mode, place.user);
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command as the user that the server runs as.
    fn command(&self, program: PathBuf) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("LC_ALL", "C");
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Makes `server.crt` and `server.key`; an `authority.crt`, too, where that has signed.
    fn make_certificates(&self, wanted: &Certificate) {
        let request = || {
            let mut openssl = Command::new("openssl");
            openssl.current_dir(self.folder.path()).args(["req", "-x509", "-days", "30", "-nodes"]);
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
        own(&self.path("server.key"), 0o600, self.user);
        for public in ["server.crt", "authority.crt"].map(|file| self.path(file)).iter().filter(|file| file.exists()) {
            fs::set_permissions(public, fs::Permissions::from_mode(0o644)).unwrap();
        }
    }

    /// Starts the server and waits until it is ready. `still_held` is what it says where the processes of one that was
    /// killed have not let go of its files yet.
    fn begin(&mut self, mut server: Command, mut ready: Command, still_held: &str) {
        let log_path = self.path("log");
        let log = fs::OpenOptions::new().create(true).append(true).open(&log_path).unwrap();
        server.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        ready.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let log = || String::from_utf8_lossy(&fs::read(&log_path).unwrap_or_default()).into_owned();
        let mut said_before = log().len();
        self.child = Some(server.spawn().unwrap());
        let started = Instant::now();
        while !ready.status().unwrap().success() {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            // A port that was free a moment ago may be another connection's for as long as that lasts.
            let passes = |said: &str| [still_held, "Address already in use"].iter().any(|text| said.contains(text));
            if ended.is_some() && passes(&log()[said_before..]) {
                said_before = log().len();
                self.child = Some(server.spawn().unwrap());
            } else {
                assert!(ended.is_none(), "the server did not start: {}", log());
            }
            assert!(started.elapsed() < Duration::from_secs(180), "the server is not ready: {}", log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Sees to it that the server gets the signal when this process ends, and that its folder goes, too.
    fn end_with_us(&self, signal: &str) {
        let script = "trap '' INT HUP TERM; cat; kill $3 $1; n=0
            while kill -0 $1 && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done; rm -rf \"$2\"";
        let guard = Command::new("sh")
            .args(["-c", script, "sh", &self.pid().to_string()])
            .arg(self.folder.path())
            .arg(signal)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        // Its stdin is closed by the system when we are gone.
        std::mem::forget(guard);
    }

    fn end(&mut self, signal: &str) {
        let Some(mut child) = self.child.take() else { return };
        // By the program, not by a library: a test needs no more than that.
        _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
        _ = child.wait();
    }
}

/// The user of this name, where this user may not run servers: root may not.
fn user(name: &str) -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find(|line| line.split(':').next() == Some(name));
    let line = line.unwrap_or_else(|| panic!("no user {name}"));
    let mut numbers = line.split(':').skip(2).map(|field| field.parse().unwrap());
    Some((numbers.next().unwrap(), numbers.next().unwrap()))
}

/// The first of these folders, and of PATH, that has the program.
fn find(name: &str, folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.chain(std::env::split_paths(&path)).map(|folder| folder.join(name)).find(|file| file.exists())
}

fn own(path: &Path, mode: u32, user: Option<(u32, u32)>) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if let Some((uid, gid)) = user {
        std::os::unix::fs::chown(path, Some(uid), Some(gid)).unwrap();
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap()
}

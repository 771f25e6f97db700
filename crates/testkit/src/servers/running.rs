//! A scratch server that runs, or that a test has stopped.

use super::client::{client, copy, run_with};
use super::facts::ProductFacts;
use super::guard::Guard;
use super::tls::{AUTHORITY, CERTIFICATE};
use dbdyno_engine::servers::{
    Login, Process, Readiness, Server, Silent, Waited, Watch, end_at_once, end_in_order, wait,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(180);

/// A server of any product.
pub struct RunningServer {
    /// Its TCP port on 127.0.0.1.
    pub port: u16,
    pub(super) facts: &'static ProductFacts,
    settings: Vec<(String, String)>,
    process: Option<Process>,
    guard: Option<Guard>,
    server: Server<'static>,
    folder: TempDir,
}

impl RunningServer {
    pub(super) fn start(
        folder: TempDir,
        server: Server<'static>,
        settings: Vec<(String, String)>,
        facts: &'static ProductFacts,
    ) -> Self {
        let port = server.place.tcp_port.unwrap();
        let mut running = Self { port, facts, settings, process: None, guard: None, server, folder };
        running.begin();
        running
    }

    /// Its data folder.
    pub fn data(&self) -> PathBuf {
        self.server.place.data.clone()
    }

    /// The folder of its socket.
    pub fn socket_folder(&self) -> PathBuf {
        self.server.place.socket_folder.clone()
    }

    /// Its socket, or the file with the longest name beside it.
    pub fn socket_file(&self) -> PathBuf {
        self.socket_folder().join(self.server.product.about().socket_name)
    }

    /// Its log since it was first started.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.server.log).unwrap()).into_owned()
    }

    /// The authority that signed its certificate, as PEM.
    pub fn authority(&self) -> PathBuf {
        self.folder.path().join(AUTHORITY)
    }

    /// Its own certificate, as PEM.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join(CERTIFICATE)
    }

    /// A target over TCP.
    pub fn tcp(&self, user: &str, database: &str) -> String {
        format!("{}://{user}@127.0.0.1:{}/{database}", self.facts.engine, self.port)
    }

    /// A target through the socket.
    pub fn socket(&self, user: &str, database: &str) -> String {
        self.server.product.target(&self.server.place, Login { user, database })
    }

    /// Its process, or the ancestor of all its processes.
    pub fn pid(&self) -> u32 {
        self.process.as_ref().unwrap().pid
    }

    /// User and group that it runs as, if it may not run as we do.
    pub fn ids(&self) -> Option<(u32, u32)> {
        self.server.account.ids()
    }

    /// The program that runs it with its arguments, separated by blanks.
    pub fn start_line(&self) -> String {
        let (product, place) = (self.server.product, &self.server.place);
        let program = product.about().programs.server(&place.programs).into_os_string();
        let words = std::iter::once(program).chain(product.arguments(place));
        words.map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
    }

    /// Whether it accepts connections, also if a test started it by `start_line`.
    pub fn is_ready(&self) -> bool {
        let (product, data) = (self.server.product, self.server.data().unwrap());
        let noted = product.noted_pid(&data).unwrap_or(0);
        product.readiness(&self.server.place, noted) == Readiness::Ready
    }

    /// Runs SQL as administrator; returns the result, one row a line, with `|` between values.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        self.client_says(database, &[], sql).replace('\t', "|")
    }

    /// The SQL client, as administrator, which executes its input line by line and prints each result at once.
    pub fn shell(&self, database: &str) -> Command {
        let login = Login { user: self.facts.superuser, database };
        client(self.server.product, &self.server.place, &self.server.account, login)
    }

    /// Runs SQL with the client and further arguments; returns the output.
    pub fn client_says(&self, database: &str, arguments: &[&str], sql: &str) -> String {
        run_with(self.shell(database).args(arguments), sql)
    }

    /// Kills the server, as a power failure would end it.
    pub fn kill(&mut self) {
        self.guard = None;
        if let Some(process) = self.process.take() {
            self.server.kill(&process);
        }
    }

    /// Stops the server in order, with everything written.
    pub fn stop(&mut self) {
        self.guard = None;
        if let Some(process) = self.process.take() {
            assert!(end_in_order(self.server.product, &process, PATIENCE, &Silent), "{}", self.log());
        }
    }

    /// Starts it again, whether it runs or not.
    pub fn restart(&mut self) {
        self.stop();
        self.begin();
    }

    /// Starts it again on a copy of the files of another, stopped server.
    pub fn restart_on(&mut self, other: &Self) {
        self.kill();
        fs::remove_dir_all(self.data()).unwrap();
        copy(&other.data(), &self.data());
        self.begin();
    }

    fn begin(&mut self) {
        let (product, limit) = (self.server.product, StartDeadline(Instant::now()));
        self.server.set(&product.settings_of(&self.settings)).unwrap();
        loop {
            let started = self.server.start(&Silent, &mut |_| Ok(())).unwrap();
            self.guard = Some(Guard::of(started.process.pid, self.folder.path(), product.about().abort_signal));
            let waited = wait(product, &self.server.place, &started.process, &limit);
            let said = started.log.said();
            // A port that was free a moment ago may be in use by another connection for a while.
            let passes =
                || [product.about().still_held, "Address already in use"].iter().any(|text| said.contains(text));
            match waited {
                Waited::Ready => {
                    self.process = Some(started.process);
                    return;
                }
                Waited::Ended if passes() && !limit.cancelled() => thread::sleep(Duration::from_millis(50)),
                other => {
                    _ = end_at_once(product, &started.process);
                    panic!("the server is not ready: {other:?}: {said}");
                }
            }
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // The data is not needed any more.
        if let Some(process) = &self.process {
            _ = end_at_once(self.server.product, process);
        }
    }
}

/// Cancels after a time.
struct StartDeadline(Instant);

impl Watch for StartDeadline {
    fn note(&self, _text: &str) {}

    fn cancelled(&self) -> bool {
        self.0.elapsed() > PATIENCE
    }
}

impl RunningServer {
    /// Makes a copy of a database that is not in use.
    pub fn copy_database(&self, from: &str, to: &str) {
        let copy = self.facts.copy_database.unwrap_or_else(|| panic!("{} copies no database", self.facts.engine));
        self.at_home(&copy.replace("FROM", from), to);
    }

    /// Drops a database even if it is in use.
    pub fn drop_database(&self, name: &str) {
        self.at_home(self.facts.drop_database, name);
    }

    /// Makes a user who may only connect, without a password.
    pub fn create_user(&self, name: &str) {
        self.at_home(self.facts.create_user, name);
    }

    /// Drops a user who owns nothing any more, if it exists.
    pub fn drop_user(&self, name: &str) {
        self.at_home(self.facts.drop_user, name);
    }

    /// Grants a user all rights for dbdyno's work in a database without dbdyno's data.
    pub fn let_work(&self, user: &str, database: &str) {
        self.about(database, &self.facts.let_work.replace("USER", user));
    }

    /// Grants a user the rights of whoever monitors a server.
    pub fn let_monitor(&self, user: &str) {
        self.sql(self.facts.home, &self.facts.let_monitor.replace("USER", user));
    }

    /// The place for tables that do not concern dbdyno, as the first part of their names. `drop_database` removes it
    /// with the database.
    pub fn elsewhere(&self, database: &str) -> String {
        let (name, make) = self.facts.elsewhere;
        self.at_home(make, database);
        name.replace("NAME", database)
    }

    /// Everything in a database that the server did not make itself.
    pub fn objects(&self, database: &str) -> BTreeSet<String> {
        let objects = self.about(database, self.facts.objects);
        objects.lines().map(|row| row.replace('|', " ")).collect()
    }

    fn about(&self, database: &str, sql: &str) -> String {
        let place = if self.facts.sees_all { self.facts.home } else { database };
        self.sql(place, &sql.replace("NAME", database))
    }

    fn at_home(&self, sql: &str, name: &str) {
        self.sql(self.facts.home, &sql.replace("NAME", name));
    }
}

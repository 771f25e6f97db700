//! The test harness: a room for each story, the binary in it, and its output.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The binary under test.
pub(crate) const DBDYNO: &str = env!("CARGO_BIN_EXE_dbdyno");
/// How long anything may take before a story fails: only a hang takes this long.
const DEADLINE: Duration = Duration::from_secs(420);

/// A temporary folder, which is also the current folder of the commands in it.
pub(crate) struct Room(tempfile::TempDir);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ending {
    /// The exit code; `None` where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ending {
    /// Asserts an exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }

    /// The complaints on stderr.
    pub(crate) fn complaints(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("dbdyno: ")).collect()
    }

    /// The JSON document on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{}\n{}", self.stdout, self.stderr))
    }
}

impl Room {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A room on a device's file system, because the folder for temporary files may be in memory.
    pub(crate) fn on_disk() -> Self {
        Self(tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    /// A room with a database of size T in `x.sqlite`.
    pub(crate) fn with_data() -> Self {
        Self::with_file("x.sqlite", "load --target sqlite:x.sqlite --size T")
    }

    /// A room with the file that a command has made, once for all rooms that ask for it.
    pub(crate) fn with_file(name: &str, made_by: &'static str) -> Self {
        static MADE: Mutex<BTreeMap<&str, Arc<OnceLock<Vec<u8>>>>> = Mutex::new(BTreeMap::new());
        let made = Arc::clone(MADE.lock().unwrap().entry(made_by).or_default());
        let bytes = made.get_or_init(|| {
            let room = Room::new();
            room.run(made_by).expect(0);
            std::fs::read(room.path(name)).unwrap()
        });
        let room = Self::new();
        std::fs::write(room.path(name), bytes).unwrap();
        room
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A command in this room, without environment variables that dbdyno reads. Words are separated by blanks.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(DBDYNO);
        command.args(line.split_whitespace());
        self.settle_in(&mut command);
        command
    }

    /// Sets up a command for this room.
    pub(crate) fn settle_in(&self, command: &mut Command) {
        command.current_dir(self.folder()).stdin(Stdio::null());
        let passwords = ["DBDYNO_PASSWORD", "PGPASSWORD", "PGPASSFILE", "DBDYNO_FLEET_KEY", "DBDYNO_NATS"];
        for name in ["DBDYNO_RESULTS", "DBDYNO_CATALOGUE", "COLUMNS", "LD_PRELOAD"].iter().chain(&passwords) {
            command.env_remove(name);
        }
        // Private servers and password files belong to the room, too.
        command.env("HOME", self.folder()).env("DBDYNO_HOME", self.path("home"));
    }

    /// Runs dbdyno to its end.
    pub(crate) fn run(&self, line: &str) -> Ending {
        Running::start(self.command(line)).end()
    }

    /// Starts dbdyno.
    pub(crate) fn start(&self, line: &str) -> Running {
        Running::start(self.command(line))
    }

    /// The document that `show` prints for a run.
    #[track_caller]
    pub(crate) fn show(&self, run: &str) -> Value {
        self.run(&format!("show {run} --json")).expect(0).json()
    }

    /// The runs, the newest first, from `list runs --json`.
    #[track_caller]
    pub(crate) fn runs(&self) -> Vec<Value> {
        self.run("list runs --json").expect(0).json().as_array().unwrap().clone()
    }

    /// A separate connection to the results.
    pub(crate) fn results(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path("dbdyno.db")).unwrap()
    }

    /// Every file, with its content.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.clone(), std::fs::read(path).unwrap());
                }
            }
        }
        files
    }
}

/// The output of a stream so far.
#[derive(Default)]
struct Heard {
    text: Mutex<(String, bool)>,
    more: Condvar,
}

impl Heard {
    fn listen(stream: impl Read + Send + 'static) -> Arc<Self> {
        let heard = Arc::new(Self::default());
        let ours = Arc::clone(&heard);
        std::thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while stream.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                ours.text.lock().unwrap().0.push_str(&String::from_utf8_lossy(&line));
                ours.more.notify_all();
                line.clear();
            }
            ours.text.lock().unwrap().1 = true;
            ours.more.notify_all();
        });
        heard
    }

    /// Waits until the output is sufficient, or the stream has ended.
    fn wait(&self, enough: impl Fn(&str) -> bool) -> String {
        let text = self.text.lock().unwrap();
        let waiting = |(text, ended): &mut (String, bool)| !*ended && !enough(text);
        let (text, timeout) = self.more.wait_timeout_while(text, DEADLINE, waiting).unwrap();
        assert!(!timeout.timed_out(), "waited in vain; so far: {}", text.0);
        text.0.clone()
    }
}

/// A running command.
pub(crate) struct Running {
    child: Child,
    stdout: Option<Arc<Heard>>,
    stderr: Option<Arc<Heard>>,
}

impl Running {
    /// Starts a command and collects its output.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().map(Heard::listen);
        let stderr = child.stderr.take().map(Heard::listen);
        Self { child, stdout, stderr }
    }

    /// Starts a command whose stderr is read elsewhere.
    pub(crate) fn start_unheard(mut command: Command, stderr: Stdio) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let stdout = child.stdout.take().map(Heard::listen);
        Self { child, stdout, stderr: None }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until stderr contains a text.
    #[track_caller]
    pub(crate) fn until(&self, said: &str) {
        let text = self.stderr.as_ref().unwrap().wait(|text| text.contains(said));
        assert!(text.contains(said), "it never said '{said}', but: {text}");
    }

    /// Its stderr so far.
    pub(crate) fn heard(&self) -> String {
        self.stderr.as_ref().unwrap().wait(|_| true)
    }

    /// Its stdout so far.
    pub(crate) fn out(&self) -> String {
        self.stdout.as_ref().unwrap().wait(|_| true)
    }

    /// Waits until stdout is sufficient.
    #[track_caller]
    pub(crate) fn until_out(&self, what: &str, enough: impl Fn(&str) -> bool) {
        let text = self.stdout.as_ref().unwrap().wait(&enough);
        assert!(enough(&text), "it ended before {what}, and printed: {text}");
    }

    /// Waits until a condition holds that only the command can cause.
    #[track_caller]
    pub(crate) fn until_so(&mut self, what: &str, mut so: impl FnMut() -> bool) {
        wait_until(what, || {
            // The order matters, so that its last action is seen, too.
            let ended = self.ended();
            let is = so();
            assert!(is || !ended, "it ended before {what}, and said: {}", self.said());
            is
        });
    }

    /// Its stderr, once it has ended.
    fn said(&self) -> String {
        self.stderr.as_ref().map_or_else(String::new, |heard| heard.wait(|_| false))
    }

    /// Waits until it has this many threads.
    #[track_caller]
    pub(crate) fn until_threads(&self, n: usize) {
        let proc = Path::new("/proc").join(self.id().to_string());
        wait_until("threads", || {
            let stat = std::fs::read_to_string(proc.join("stat")).unwrap();
            assert!(!stat.contains(") Z "), "it ended before it had {n} threads");
            std::fs::read_dir(proc.join("task")).map_or(0, Iterator::count) >= n
        });
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Kills it with `kill -9`.
    pub(crate) fn kill(mut self) -> Ending {
        self.child.kill().unwrap();
        self.end()
    }

    /// Whether it has ended.
    pub(crate) fn ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ending {
        let mut status = None;
        wait_until("the end of dbdyno", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let all = |heard: &Option<Arc<Heard>>| heard.as_ref().map(|h| h.wait(|_| false)).unwrap_or_default();
        Ending { code: status.unwrap().code(), stdout: all(&self.stdout), stderr: all(&self.stderr) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !so() {
        assert!(started.elapsed() < DEADLINE, "waited for {what} in vain");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A text in a document.
#[track_caller]
pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no text at {pointer}: {value:#}"))
}

/// A number in a document.
#[track_caller]
pub(crate) fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number at {pointer}: {value:#}"))
}

/// The points of a run.
#[track_caller]
pub(crate) fn points(document: &Value) -> &Vec<Value> {
    document["points"].as_array().unwrap()
}

/// The points of a run without the flag that later points decide: that the machine was slower than at its best.
pub(crate) fn as_measured(document: &Value) -> Vec<Value> {
    let mut points = points(document).clone();
    for point in &mut points {
        point["flags"].as_array_mut().unwrap().retain(|flag| flag != "uneven_machine");
        point["flag_notes"].as_object_mut().unwrap().remove("uneven_machine");
    }
    points
}

/// How each point ended, as `T611 ok`.
pub(crate) fn statuses(document: &Value) -> Vec<String> {
    let one = |p: &Value| {
        let name = if p["test"].is_string() { "/test" } else { "/subject/name" };
        format!("{} {}", text(p, name), text(p, "/status"))
    };
    points(document).iter().map(one).collect()
}

/// A point's note on a flag; empty without the flag.
#[track_caller]
pub(crate) fn flag_note<'v>(point: &'v Value, flag: &str) -> &'v str {
    if flagged(point, flag) { text(point, &format!("/flag_notes/{flag}")) } else { "" }
}

/// Whether a point has a flag.
pub(crate) fn flagged(point: &Value, flag: &str) -> bool {
    point["flags"].as_array().unwrap().iter().any(|f| f == flag)
}

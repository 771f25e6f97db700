//! What the tests of the engines' private instances share.

mod suite;

use crate::servers::{client, run_with};
use dbdyno_engine::private::{Home, Instance, Up, UpRequest, down, mark_folder, up};
use dbdyno_engine::servers::{Access, Account, Process, Product, ServerError, Silent, Watch};
use dbdyno_model::Size;
use rustix::io::Errno;
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use suite::*;

pub const MIB: u64 = 1 << 20;

pub fn size(id: &str, cache_bytes: u64) -> Size {
    Size {
        id: id.to_owned(),
        title: String::new(),
        small_rows: 3_200,
        large_rows: 102_400,
        engine_cache_bytes: cache_bytes,
        file_bytes: MIB,
        bulk_partitions_per_job: 1,
    }
}

pub fn request(size: &Size) -> UpRequest<'_> {
    UpRequest {
        size,
        memory_limit_bytes: None,
        cpus: &[],
        keep: None,
        programs: None,
        hardware_threads: 2,
        replication_log: false,
        standby: None,
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// A home whose server ends with it.
pub struct TestHome {
    pub home: Home,
    pub dir: tempfile::TempDir,
    product: &'static dyn Product,
}

impl TestHome {
    pub fn new(product: &'static dyn Product, below: &str) -> Self {
        // Others may pass through, for the server's user.
        let open = std::fs::Permissions::from_mode(0o755);
        let dir = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let home = Home::at(&dir.path().join(below)).unwrap();
        Self { home, dir, product }
    }

    pub fn instance_folder(&self) -> PathBuf {
        self.home.path().join(self.product.about().engine)
    }

    pub fn up(&self, request: &UpRequest<'_>) -> Result<Up, ServerError> {
        self.up_watched(request, &Silent)
    }

    /// Uses the programs that the environment names, unless the test names others.
    pub fn up_watched(&self, request: &UpRequest<'_>, watch: &dyn Watch) -> Result<Up, ServerError> {
        let named = self.product.about().programs.named();
        up(&self.home, self.product, &UpRequest { programs: request.programs.or(named.as_deref()), ..*request }, watch)
    }

    pub fn refused(&self, request: &UpRequest<'_>) -> String {
        match self.up(request) {
            Err(ServerError::Refused(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    /// Replaces programs by this script.
    pub fn fake(&self, folder: &Path, script: &str) {
        std::fs::create_dir_all(folder).unwrap();
        for program in self.product.about().programs.needed {
            let text = self.dir.path().join("script");
            std::fs::write(&text, script).unwrap();
            install(&text, &folder.join(program));
        }
    }
}

/// Makes a program from a file. A child process does it, because a file that this process has open for writing is also
/// open in programs that other tests start at that moment, and then it cannot be executed.
pub fn install(from: &Path, program: &Path) {
    assert!(Command::new("install").args(["-m", "755"]).args([from, program]).status().unwrap().success());
}

impl Drop for TestHome {
    fn drop(&mut self) {
        _ = down(&self.home, self.product, Some(false), &Silent);
    }
}

/// Kills a server, as a power failure would end it.
pub fn kill(instance: &Instance) {
    instance.process.as_ref().unwrap().signal(rustix::process::Signal::KILL);
    while instance.lives() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Makes a folder as a killed dbdyno leaves it, with some content.
pub fn make_leftover(folder: &Path) {
    std::fs::create_dir_all(folder.join("base")).unwrap();
    mark_folder(folder).unwrap();
}

/// Removes the mark, as in versions without marks.
pub fn unmark(instance_folder: &Path) {
    for name in ["data", "run", "log"] {
        match rustix::fs::removexattr(instance_folder.join(name), "user.dbdyno") {
            Ok(()) | Err(Errno::NOENT | Errno::NODATA | Errno::OPNOTSUPP) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

/// The user that an instance's server runs as.
pub fn uid_of(instance: &Instance) -> u32 {
    Account::choose(&[&instance.user]).unwrap().uid()
}

/// Every entry below a folder, with its text if it is a file.
fn entries(folder: &Path) -> BTreeMap<PathBuf, Option<String>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(entries(&path));
        }
        all.insert(path.clone(), std::fs::read_to_string(path).ok());
    }
    all
}

/// Runs SQL in an instance with the product's client; returns the output.
pub fn run_sql(product: &dyn Product, instance: &Instance, sql: &str) -> String {
    let account = Account::choose(&[&instance.user]).unwrap();
    let mut client = client(product, &instance.place(), &account, product.administrator(Access::Own));
    run_with(&mut client, sql)
}

/// Sends the server a signal as soon as it starts.
struct SignalAtStart(Signal);

impl Watch for SignalAtStart {
    fn note(&self, text: &str) {
        let pid = text.strip_prefix("starting the server (process ").and_then(|rest| rest.strip_suffix(')'));
        let Some(pid) = pid.map(|pid| pid.parse::<u32>().unwrap()) else { return };
        let (process, signal) = (Process::of(pid).unwrap(), self.0);
        let at_the_gate = move || {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains("read -r word")
        };
        std::thread::spawn(move || {
            while at_the_gate() {
                std::thread::sleep(Duration::from_millis(2));
            }
            process.signal(signal);
        });
    }

    fn cancelled(&self) -> bool {
        false
    }
}

/// A process that works in the server's folder and is not the server. It ends when it is dropped.
pub struct OtherProcess(pub Child);

impl OtherProcess {
    pub fn new(folder: &Path) -> Self {
        let mut sleep = Command::new("sleep");
        let sleep = sleep.arg("60").current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
        Self(sleep.spawn().unwrap())
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Cancels when it is told to.
#[derive(Default)]
pub struct Later(pub AtomicBool);

impl Watch for Later {
    fn note(&self, _text: &str) {}

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Cancels at the first message.
#[derive(Default)]
struct CancelAtFirstNote(AtomicBool);

impl Watch for CancelAtFirstNote {
    fn note(&self, _text: &str) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

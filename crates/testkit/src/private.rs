//! What the tests of the engines' private instances share.

use dbdyno_engine::private::{Home, How, Instance, Stage, Up, Wish, down, mark_folder, up};
use dbdyno_engine::servers::{Account, Process, Product, ServerError, Silent, Watch};
use dbdyno_model::{ErrorClass, Size};
use rustix::io::Errno;
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

pub fn wish(size: &Size) -> Wish<'_> {
    Wish { size, memory_limit_bytes: None, keep: None, programs: None, hardware_threads: 2 }
}

pub fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// A home that takes its server with it.
pub struct TestHome {
    pub home: Home,
    pub dir: tempfile::TempDir,
    product: &'static dyn Product,
}

impl TestHome {
    pub fn new(product: &'static dyn Product, below: &str) -> Self {
        // Open to be passed through, for the server's user.
        let open = std::fs::Permissions::from_mode(0o755);
        let dir = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let home = Home::at(&dir.path().join(below)).unwrap();
        Self { home, dir, product }
    }

    pub fn site(&self) -> PathBuf {
        self.home.path().join(self.product.engine())
    }

    pub fn up(&self, wish: &Wish<'_>) -> Result<Up, ServerError> {
        self.up_watched(wish, &Silent)
    }

    /// With the programs that the environment names, where the test does not.
    pub fn up_watched(&self, wish: &Wish<'_>, watch: &dyn Watch) -> Result<Up, ServerError> {
        let named = self.product.programs().named();
        up(&self.home, self.product, &Wish { programs: wish.programs.or(named.as_deref()), ..*wish }, watch)
    }

    pub fn refused(&self, wish: &Wish<'_>) -> String {
        match self.up(wish) {
            Err(ServerError::Refused(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    /// Programs that are this script.
    pub fn fake(&self, folder: &Path, script: &str) {
        std::fs::create_dir_all(folder).unwrap();
        for program in self.product.programs().needed {
            let text = self.dir.path().join("script");
            std::fs::write(&text, script).unwrap();
            install(&text, &folder.join(program));
        }
    }
}

/// Makes a program out of a file. Not in this process: what it is writing is open for writing in whatever another test just
/// starts, too, and nobody can run that for the moment.
pub fn install(from: &Path, program: &Path) {
    assert!(Command::new("install").args(["-m", "755"]).args([from, program]).status().unwrap().success());
}

impl Drop for TestHome {
    fn drop(&mut self) {
        _ = down(&self.home, self.product, Some(false), &Silent);
    }
}

/// Ends a server as a power failure would.
pub fn kill(instance: &Instance) {
    instance.process.as_ref().unwrap().signal(rustix::process::Signal::KILL);
    while instance.lives() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A folder that a killed dbdyno has left behind, with something in it.
pub fn left_behind(folder: &Path) {
    std::fs::create_dir_all(folder.join("base")).unwrap();
    mark_folder(folder).unwrap();
}

/// As dbdyno was before it marked what it makes.
pub fn unmark(site: &Path) {
    for name in ["data", "run", "log"] {
        match rustix::fs::removexattr(site.join(name), "user.dbdyno") {
            Ok(()) | Err(Errno::NOENT | Errno::NODATA | Errno::OPNOTSUPP) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

/// The user that an instance's server runs as.
pub fn uid_of(instance: &Instance) -> u32 {
    Account::choose(&[&instance.user]).unwrap().uid()
}

/// Each entry below a folder, with its text where it is a file.
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

/// Whatever stands at the names of what dbdyno makes, and is somebody's own, stays as it is, and nothing comes to it.
pub fn what_dbdyno_never_made_is_left_alone(product: &'static dyn Product) {
    let size = size("T", 8 * MIB);
    for name in ["data/PG_VERSION", "data.making/x", "data.removing/x", "run/x", "log", "data/base/1/1"] {
        let place = TestHome::new(product, "home");
        let theirs = place.site().join(name);
        std::fs::create_dir_all(theirs.parent().unwrap()).unwrap();
        std::fs::write(&theirs, "15\n").unwrap();
        let before = entries(&place.site());
        let downs = [None, Some(false), Some(true)].map(|keep| down(&place.home, product, keep, &Silent).unwrap_err());
        for refused in downs.iter().map(ToString::to_string).chain([place.refused(&wish(&size))]) {
            assert!(refused.contains("nothing proves that dbdyno made it"), "{name}: {refused}");
        }
        assert_eq!(entries(&place.site()), before);
    }
    // Beside what has other names there is nothing to stop, and room for an instance.
    let place = TestHome::new(product, "home");
    std::fs::create_dir_all(place.site()).unwrap();
    std::fs::write(place.site().join("notes"), "mine").unwrap();
    let before = entries(&place.site());
    assert!(down(&place.home, product, None, &Silent).unwrap().instance.is_none());
    assert_eq!(entries(&place.site()), before);
}

/// A record whose process is not the instance's server: the process lives on, and nothing else happens.
pub fn a_process_that_is_not_the_server_is_not_killed(product: &'static dyn Product) {
    let place = TestHome::new(product, "home");
    left_behind(&place.site().join("data"));
    left_behind(&place.site().join("data.making"));
    // At work in the data, even, and of the server's user.
    let folder = place.site().join("data");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    let account = Account::choose(product.users()).unwrap();
    let mut visitor = account.command(Path::new("/bin/sleep"));
    let mut visitor = Visitor(visitor.arg("60").current_dir(&folder).stdout(Stdio::null()).spawn().unwrap());
    for stage in [Stage::Running, Stage::Starting, Stage::Making] {
        let instance = Instance {
            engine: product.engine().to_owned(),
            version: "1".to_owned(),
            size: "T".to_owned(),
            cache_bytes: MIB,
            stage,
            process: Process::of(visitor.0.id()),
            data: folder.clone(),
            socket_folder: place.site().join("run"),
            port: product.port(),
            user: account.name.clone(),
            programs: PathBuf::from("/usr/bin"),
            log: place.site().join("log"),
            memory_limit_bytes: None,
            cgroup: None,
            keep: false,
        };
        instance.write(&place.home.site(product.engine()).unwrap()).unwrap();
        let refused = down(&place.home, product, Some(false), &Silent).unwrap_err().to_string();
        assert!(refused.contains("so it is left alone, and nothing was done"), "{refused}");
        assert!(visitor.0.try_wait().unwrap().is_none() && folder.join("base").is_dir());
    }
    drop(visitor);
    assert!(down(&place.home, product, Some(false), &Silent).unwrap().removed);
    assert!(!place.site().exists());
}

/// A server that ends, or stands still, while it is waited for.
pub fn a_server_that_dies_or_stands_still_while_it_starts_is_told(product: &'static dyn Product) {
    let (place, size) = (TestHome::new(product, "home"), size("T", 8 * MIB));
    let real = place.up(&wish(&size)).unwrap().instance;
    down(&place.home, product, Some(true), &Silent).unwrap();
    // One that never becomes ready, so that whatever is done to it comes in time.
    let programs = place.dir.path().join("bin");
    let server = product.programs().server(&real.programs);
    let answers = format!("case $1 in --version) exec '{}' --version;; esac", server.display());
    place.fake(&programs, &format!("#!/bin/sh\n{answers}\nwhile :; do sleep 1; done\n"));
    let never = Wish { programs: Some(&programs), ..wish(&size) };
    let error = place.up_watched(&never, &Meddler(Signal::KILL)).unwrap_err().to_string();
    assert!(error.contains("the server ended while it was starting"), "{error}");
    // Again, by whoever asks next.
    for watch in [&Meddler(Signal::STOP) as &dyn Watch, &Silent] {
        let ServerError::Failed(error) = place.up_watched(&never, watch).unwrap_err() else { panic!("refused") };
        assert_eq!(error.class, ErrorClass::Timeout, "{error}");
        assert!(error.message.contains("stands still") && error.message.contains("kill -CONT"), "{error}");
    }
    let site = place.home.site(product.engine()).unwrap();
    kill(&Instance::read(&site).unwrap().unwrap());
    let again = place.up(&Wish { programs: Some(&real.programs), ..wish(&size) }).unwrap();
    assert_eq!(again.how, How::Restarted);
}

/// Sends the server a signal as soon as it is let go.
struct Meddler(Signal);

impl Watch for Meddler {
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

/// A process of the tester's that has only its place in common with the server.
pub struct Visitor(pub Child);

impl Visitor {
    pub fn new(place: &Path) -> Self {
        let mut sleep = Command::new("sleep");
        let sleep = sleep.arg("60").current_dir(place).stdout(Stdio::null()).stderr(Stdio::null());
        Self(sleep.spawn().unwrap())
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Calls it off when it is told to.
#[derive(Default)]
pub struct Later(pub AtomicBool);

impl Watch for Later {
    fn note(&self, _text: &str) {}

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Calls it off as soon as something is said.
#[derive(Default)]
pub struct Impatient(AtomicBool);

impl Watch for Impatient {
    fn note(&self, _text: &str) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

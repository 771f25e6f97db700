//! What the tests of the engines' private instances share.

use super::{Home, Instance, PrivateError, Product, Silent, Up, Watch, Wish, down, up};
use dbdyno_model::Size;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) const MIB: u64 = 1 << 20;

pub(crate) fn size(id: &str, cache_bytes: u64) -> Size {
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

pub(crate) fn wish(size: &Size) -> Wish<'_> {
    Wish { size, memory_limit_bytes: None, keep: None, programs: None, hardware_threads: 2 }
}

pub(crate) fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// A home that takes its server with it.
pub(crate) struct TestHome {
    pub(crate) home: Home,
    pub(crate) dir: tempfile::TempDir,
    product: &'static dyn Product,
}

impl TestHome {
    pub(crate) fn new(product: &'static dyn Product, below: &str) -> Self {
        // Open to be passed through, for the server's user.
        let open = std::fs::Permissions::from_mode(0o755);
        let dir = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let home = Home::at(&dir.path().join(below)).unwrap();
        Self { home, dir, product }
    }

    pub(crate) fn site(&self) -> PathBuf {
        self.home.path().join(self.product.engine())
    }

    pub(crate) fn up(&self, wish: &Wish<'_>) -> Result<Up, PrivateError> {
        self.up_watched(wish, &Silent)
    }

    /// With the programs that the environment names, where the test does not.
    pub(crate) fn up_watched(&self, wish: &Wish<'_>, watch: &dyn Watch) -> Result<Up, PrivateError> {
        let named = self.product.programs().named();
        up(&self.home, self.product, &Wish { programs: wish.programs.or(named.as_deref()), ..*wish }, watch)
    }

    pub(crate) fn refused(&self, wish: &Wish<'_>) -> String {
        match self.up(wish) {
            Err(PrivateError::Refused(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    /// Programs that are this script.
    pub(crate) fn fake(&self, folder: &Path, script: &str) {
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
pub(crate) fn install(from: &Path, program: &Path) {
    assert!(Command::new("install").args(["-m", "755"]).args([from, program]).status().unwrap().success());
}

impl Drop for TestHome {
    fn drop(&mut self) {
        _ = down(&self.home, self.product, Some(false), &Silent);
    }
}

/// Ends a server as a power failure would.
pub(crate) fn kill(instance: &Instance) {
    instance.process.as_ref().unwrap().signal(rustix::process::Signal::KILL);
    while instance.lives() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A process of the tester's that has only its place in common with the server.
pub(crate) struct Visitor(pub(crate) Child);

impl Visitor {
    pub(crate) fn new(place: &Path) -> Self {
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
pub(crate) struct Later(pub(crate) AtomicBool);

impl Watch for Later {
    fn note(&self, _text: &str) {}

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Calls it off as soon as something is said.
#[derive(Default)]
pub(crate) struct Impatient(AtomicBool);

impl Watch for Impatient {
    fn note(&self, _text: &str) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

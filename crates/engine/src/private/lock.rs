//! The lock of one engine's instance: whoever starts or stops it holds this, so that two commands at the same time
//! cannot both make data or start servers. The kernel lets go of it when its holder ends, however that happens.

use super::home::{InstanceFolder, LOCK};
use super::way::HOME_VARIABLE;
use super::{Instance, ours};
use crate::servers::{Product, ServerError, Watch};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

/// How long another command may take before this one gives up.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock(#[allow(dead_code, reason = "the lock is the open file")] File);

impl Lock {
    /// Takes the lock as [`Lock::take`] does. Where nobody holds one yet, first refuses a folder with things that
    /// dbdyno did not make, so that a refusal leaves no lock behind.
    pub(super) fn take_at_home(
        instance_folder: &InstanceFolder,
        product: &dyn Product,
        watch: &dyn Watch,
    ) -> Result<Self, ServerError> {
        // Whoever holds the lock may be making what is not marked yet.
        if instance_folder.lock().symlink_metadata().is_err() {
            ours::refuse_foreign(instance_folder, product, Instance::read(instance_folder)?.as_ref())?;
        }
        Self::take(instance_folder, watch)
    }

    /// Takes the lock, making folder and file where they are missing, and waits a little for another command.
    pub(super) fn take(instance_folder: &InstanceFolder, watch: &dyn Watch) -> Result<Self, ServerError> {
        Self::take_within(PATIENCE, instance_folder, watch)
    }

    fn take_within(
        patience: Duration,
        instance_folder: &InstanceFolder,
        watch: &dyn Watch,
    ) -> Result<Self, ServerError> {
        let begun = Instant::now();
        let mut told = false;
        loop {
            instance_folder.create()?;
            let tried = try_lock(instance_folder).map_err(|error| {
                let lock = instance_folder.lock().display().to_string();
                ServerError::Refused(format!(
                    "cannot lock {lock}: {error}; set {HOME_VARIABLE} to a folder of your own"
                ))
            });
            if let Some(lock) = tried? {
                return Ok(lock);
            }
            let holder = holder(instance_folder);
            if begun.elapsed() >= patience || watch.cancelled() {
                return Err(ServerError::Refused(format!(
                    "another dbdyno{holder} is starting or stopping the private instance in {}; try again when it has finished",
                    instance_folder.path.display()
                )));
            }
            if !told {
                watch.note(&format!("waiting for another dbdyno{holder}, which is starting or stopping this instance"));
                told = true;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// The lock if nobody has it.
fn try_lock(instance_folder: &InstanceFolder) -> io::Result<Option<Lock>> {
    let mut file = match instance_folder.files().and_then(|files| files.to_lock(LOCK)) {
        // The folder was tidied away between being made and this.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        locked => locked?,
    }
    // A file that its last holder removed locks nothing any more.
    let (ours, there) = (file.metadata()?, instance_folder.lock().symlink_metadata());
    if there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Some(Lock(file)))
    } else {
        Ok(None)
    }
}

/// Who has it, as far as the file tells.
fn holder(instance_folder: &InstanceFolder) -> String {
    let noted = instance_folder.files().and_then(|files| files.read(LOCK)).unwrap_or_default();
    noted.trim().parse::<u32>().map_or_else(|_| String::new(), |pid| format!(" (process {pid})"))
}

#[cfg(test)]
mod tests {
    use super::super::home::Home;
    use super::*;
    use crate::servers::Silent;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn one_at_a_time_and_the_next_when_it_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let instance_folder = Home::at(dir.path()).unwrap().instance_folder("engine").unwrap();
        let lock = Lock::take(&instance_folder, &Silent).unwrap();
        let refused = Lock::take_within(Duration::from_millis(120), &instance_folder, &Silent).unwrap_err().to_string();
        assert!(refused.contains(&format!("another dbdyno (process {})", std::process::id())), "{refused}");
        let waiting = std::thread::spawn({
            let instance_folder = instance_folder.clone();
            move || Lock::take(&instance_folder, &Silent).map(|_| ())
        });
        std::thread::sleep(Duration::from_millis(100));
        // As `down` does at its end: the one who waits must not take a lock on a file that is gone.
        instance_folder.tidy();
        drop(lock);
        waiting.join().unwrap().unwrap();
        assert!(instance_folder.lock().exists());
    }

    #[test]
    fn a_lock_is_its_owners_alone_and_never_somebody_elses_file() {
        let dir = tempfile::tempdir().unwrap();
        let instance_folder = Home::at(dir.path()).unwrap().instance_folder("engine").unwrap();
        instance_folder.create().unwrap();
        // As an earlier dbdyno left it.
        std::fs::write(instance_folder.lock(), "").unwrap();
        std::fs::set_permissions(instance_folder.lock(), PermissionsExt::from_mode(0o644)).unwrap();
        let lock = Lock::take(&instance_folder, &Silent).unwrap();
        assert_eq!(instance_folder.lock().metadata().unwrap().mode() & 0o777, 0o600);
        drop(lock);
        std::fs::remove_file(instance_folder.lock()).unwrap();
        let secret = dir.path().join("secret");
        std::fs::write(&secret, "secret").unwrap();
        std::os::unix::fs::symlink(&secret, instance_folder.lock()).unwrap();
        let error = Lock::take(&instance_folder, &Silent).unwrap_err().to_string();
        assert!(error.contains("lock is a link"), "{error}");
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    }
}

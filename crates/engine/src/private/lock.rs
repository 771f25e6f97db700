//! The lock of one engine's instance: whoever starts or stops it holds this, so that two commands at the same time
//! cannot both make data or start servers. The kernel lets go of it when its holder ends, however that happens.

use super::home::{HOME_VARIABLE, LOCK, Site};
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
    pub(super) fn take_at_home(site: &Site, product: &dyn Product, watch: &dyn Watch) -> Result<Self, ServerError> {
        // Whoever holds the lock may be making what is not marked yet.
        if site.lock().symlink_metadata().is_err() {
            ours::refuse_foreign(site, product, Instance::read(site)?.as_ref())?;
        }
        Self::take(site, watch)
    }

    /// Takes the lock, making folder and file where they are missing, and waits a little for another command.
    pub(super) fn take(site: &Site, watch: &dyn Watch) -> Result<Self, ServerError> {
        Self::take_within(PATIENCE, site, watch)
    }

    fn take_within(patience: Duration, site: &Site, watch: &dyn Watch) -> Result<Self, ServerError> {
        let begun = Instant::now();
        let mut told = false;
        loop {
            site.create()?;
            let tried = try_lock(site).map_err(|error| {
                let lock = site.lock().display().to_string();
                ServerError::Refused(format!(
                    "cannot lock {lock}: {error}; set {HOME_VARIABLE} to a folder of your own"
                ))
            });
            if let Some(lock) = tried? {
                return Ok(lock);
            }
            let holder = holder(site);
            if begun.elapsed() >= patience || watch.cancelled() {
                return Err(ServerError::Refused(format!(
                    "another dbdyno{holder} is starting or stopping the private instance in {}; try again when it has finished",
                    site.folder.display()
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
fn try_lock(site: &Site) -> io::Result<Option<Lock>> {
    let mut file = match site.files().and_then(|files| files.to_lock(LOCK)) {
        // The folder was tidied away between being made and this.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        locked => locked?,
    }
    // A file that its last holder removed locks nothing any more.
    let (ours, there) = (file.metadata()?, site.lock().symlink_metadata());
    if there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Some(Lock(file)))
    } else {
        Ok(None)
    }
}

/// Who has it, as far as the file tells.
fn holder(site: &Site) -> String {
    let noted = site.files().and_then(|files| files.read(LOCK)).unwrap_or_default();
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
        let site = Home::at(dir.path()).unwrap().site("engine").unwrap();
        let lock = Lock::take(&site, &Silent).unwrap();
        let refused = Lock::take_within(Duration::from_millis(120), &site, &Silent).unwrap_err().to_string();
        assert!(refused.contains(&format!("another dbdyno (process {})", std::process::id())), "{refused}");
        let waiting = std::thread::spawn({
            let site = site.clone();
            move || Lock::take(&site, &Silent).map(|_| ())
        });
        std::thread::sleep(Duration::from_millis(100));
        // As `down` does at its end: the one who waits must not take a lock on a file that is gone.
        site.tidy();
        drop(lock);
        waiting.join().unwrap().unwrap();
        assert!(site.lock().exists());
    }

    #[test]
    fn a_lock_is_its_owners_alone_and_never_somebody_elses_file() {
        let dir = tempfile::tempdir().unwrap();
        let site = Home::at(dir.path()).unwrap().site("engine").unwrap();
        site.create().unwrap();
        // As an earlier dbdyno left it.
        std::fs::write(site.lock(), "").unwrap();
        std::fs::set_permissions(site.lock(), PermissionsExt::from_mode(0o644)).unwrap();
        let lock = Lock::take(&site, &Silent).unwrap();
        assert_eq!(site.lock().metadata().unwrap().mode() & 0o777, 0o600);
        drop(lock);
        std::fs::remove_file(site.lock()).unwrap();
        let secret = dir.path().join("secret");
        std::fs::write(&secret, "secret").unwrap();
        std::os::unix::fs::symlink(&secret, site.lock()).unwrap();
        let error = Lock::take(&site, &Silent).unwrap_err().to_string();
        assert!(error.contains("lock is a link"), "{error}");
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    }
}

//! The lock of one engine's instance: whoever starts or stops it holds this, so that two commands at the same time cannot
//! both make data or start servers. The kernel lets go of it when its holder ends, however that happens.

use super::PrivateError;
use super::home::Site;
use super::watch::Watch;
use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

/// How long another command may take before this one gives up.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock(#[allow(dead_code, reason = "the lock is the open file")] File);

impl Lock {
    /// Takes the lock, making folder and file where they are missing, and waits a little for another command.
    pub(super) fn take(site: &Site, watch: &dyn Watch) -> Result<Self, PrivateError> {
        Self::take_within(PATIENCE, site, watch)
    }

    fn take_within(patience: Duration, site: &Site, watch: &dyn Watch) -> Result<Self, PrivateError> {
        let begun = Instant::now();
        let mut told = false;
        loop {
            site.create()?;
            if let Some(lock) = try_lock(site).map_err(|e| PrivateError::io("lock", &site.lock(), &e))? {
                return Ok(lock);
            }
            let holder = holder(site);
            if begun.elapsed() >= patience || watch.cancelled() {
                return Err(PrivateError::Refused(format!(
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
    let path = site.lock();
    let mut file = match OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path) {
        // The folder was tidied away between being made and this.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        locked => locked?,
    }
    // A file that its last holder removed locks nothing any more.
    let (ours, there) = (file.metadata()?, std::fs::metadata(&path));
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
    let mut text = String::new();
    let read = File::open(site.lock()).and_then(|file| file.take(32).read_to_string(&mut text));
    read.ok().and_then(|_| text.trim().parse::<u32>().ok()).map_or_else(String::new, |pid| format!(" (process {pid})"))
}

#[cfg(test)]
mod tests {
    use super::super::home::Home;
    use super::super::watch::tests::Silent;
    use super::*;

    #[test]
    fn one_at_a_time_and_the_next_when_it_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let site = Home::at(dir.path()).unwrap().site("engine");
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
}

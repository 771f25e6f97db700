//! What `--reference` decides by itself: a file where none is named, and reads alone where nothing may be written.

use super::super::context::Context;
use crate::error::Error;
use crate::output;
use crate::progress::Verbosity;
use dbdyno_storage::create::{Created, TestFiles};
use dbdyno_storage::orion::{OrionSettings, TypedFlags};
use dbdyno_storage::safety::{Consent, HeldDevices, may_write_all};
use std::path::{Path, PathBuf};

/// The default file of a reference, beside the results.
const FILE: &str = "dbdyno-reference.orion";
/// The default size of a file, unless a quarter of the free space is less.
const SIZE_BYTES: u64 = 4 << 30;
const LEAST_BYTES: u64 = 64 << 20;
const MIB: u64 = 1 << 20;

/// A run that may be a reference.
pub(super) struct Reference {
    is_one: bool,
    verbosity: Verbosity,
    /// The default file, which is removed after the run.
    own_file: Option<PathBuf>,
    /// Whether this run created it.
    is_ours: bool,
}

impl Reference {
    /// Sets the file of a reference, and its size, where the user gave none.
    pub(super) fn prepare(typed: &mut TypedFlags, context: &Context) -> Result<Self, Error> {
        let mut reference =
            Self { is_one: typed.reference, verbosity: context.verbosity, own_file: None, is_ours: false };
        if !typed.reference {
            return Ok(reference);
        }
        let listed = typed.testname.is_some() || Path::new(&format!("{}.lun", typed.name())).exists();
        if typed.files.is_empty() && !listed {
            let folder = context.results.parent().unwrap_or(Path::new(""));
            let path = folder.join(FILE);
            // It would be removed after the run, although it may be the user's.
            if path.symlink_metadata().is_ok() {
                return Err(Error::Usage(format!(
                    "a reference for which no file is named makes {0} and removes it in the end, but that is there already: another \
                     reference is using it, or one was killed, or it is somebody's; name it by --file {0} to measure it and keep it, or \
                     remove it",
                    path.display()
                )));
            }
            typed.files = vec![path.clone()];
            reference.own_file = Some(path);
        }
        let new: Vec<&PathBuf> = typed.files.iter().filter(|path| !path.exists()).collect();
        if let (None, Some(path)) = (typed.file_size_bytes, new.first()) {
            typed.file_size_bytes = Some(size_for(path, new.len() as u64)?);
        }
        Ok(reference)
    }

    /// The files exist now. A default file that this run created is removed after the run.
    pub(super) fn created(&mut self, files: &TestFiles) {
        self.is_ours = self.own_file.is_some() && files.iter().all(|(_, created)| created != Created::Reused);
    }

    /// Checks consent to write to what exists already. A reference that may not write measures reads alone.
    pub(super) fn allow(&self, settings: &mut OrionSettings, there: &[PathBuf]) -> Result<HeldDevices, Error> {
        if !settings.writes() {
            return Ok(HeldDevices::default());
        }
        // Consent to a file that will be created is checked when it exists.
        let destroy: Vec<PathBuf> = settings.destroy_data.iter().filter(|path| path.exists()).cloned().collect();
        let consent = Consent { destroy: &destroy, really: settings.really, sharers: &[] };
        let refusal = match may_write_all(there, consent) {
            Ok(held) => return Ok(held),
            Err(refusal) => refusal,
        };
        if !self.is_one || !settings.destroy_data.is_empty() {
            return Err(refusal.into());
        }
        settings.points.retain(|point| point.write_pct == 0);
        settings.notes.push(format!("reads alone are measured: {refusal}"));
        Ok(HeldDevices::default())
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let Some(path) = self.own_file.as_ref().filter(|_| self.is_ours) else { return };
        let removed = std::fs::remove_file(path);
        if self.verbosity == Verbosity::Normal && path.exists() {
            let why = removed.err().map_or_else(String::new, |e| format!(": {e}"));
            output::note(&format!("note: {} could not be removed{why}", path.display()));
        }
    }
}

/// The default size of a test file.
fn size_for(path: &Path, files: u64) -> Result<u64, Error> {
    let free = dbdyno_probe::free_bytes(path).map_err(|e| {
        Error::Usage(format!("cannot find out what is free for {}: {e}; add --file-size", path.display()))
    })?;
    let size = (free / 4 / files.max(1)).min(SIZE_BYTES) / MIB * MIB;
    if size < LEAST_BYTES {
        return Err(Error::Usage(format!(
            "a reference needs a test file of {} MiB at least, and no more than a quarter of what is free is taken for it, which is {} MiB \
             for {}: name another place by --file, or a size by --file-size",
            LEAST_BYTES / MIB,
            size / MIB,
            path.display()
        )));
    }
    Ok(size)
}

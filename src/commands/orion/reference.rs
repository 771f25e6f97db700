//! What `--reference` settles that other runs leave to the user: a file where none is named, and reads alone where
//! nothing may be written.

use super::Context;
use crate::error::Error;
use crate::output;
use crate::progress::Verbosity;
use dbdyno_storage::create::{Created, TestFiles};
use dbdyno_storage::orion::{Settings, Typed};
use dbdyno_storage::safety::{Consent, Held, may_write_all};
use std::path::{Path, PathBuf};

/// The file of a reference for which none is named; it lies beside the results.
const FILE: &str = "dbdyno-reference.orion";
/// The size of a file that nobody gave one, where a quarter of what is free is not less.
const SIZE_BYTES: u64 = 4 << 30;
const LEAST_BYTES: u64 = 64 << 20;
const MIB: u64 = 1 << 20;

/// A run that may be a reference.
pub(super) struct Reference {
    is_one: bool,
    verbosity: Verbosity,
    /// A file that nobody asked for, which goes with the run.
    own_file: Option<PathBuf>,
    /// Whether it was made by this run.
    is_ours: bool,
}

impl Reference {
    /// Names the file that a reference is measured on, and its size, where the user did not.
    pub(super) fn prepare(typed: &mut Typed, context: &Context) -> Result<Self, Error> {
        let mut reference =
            Self { is_one: typed.reference, verbosity: context.verbosity, own_file: None, is_ours: false };
        if !typed.reference {
            return Ok(reference);
        }
        let listed = typed.testname.is_some() || Path::new(&format!("{}.lun", typed.name())).exists();
        if typed.files.is_empty() && !listed {
            let folder = context.results.parent().unwrap_or(Path::new(""));
            let path = folder.join(FILE);
            // It would be removed in the end, whosever it is.
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

    /// The files are there now. What this run has made, and nobody asked for, is removed in the end.
    pub(super) fn created(&mut self, files: &TestFiles) {
        self.is_ours = self.own_file.is_some() && files.iter().all(|(_, created)| created != Created::Reused);
    }

    /// Asks for consent to writes to what is there already. A reference that may not write measures reads alone.
    pub(super) fn allow(&self, settings: &mut Settings, there: &[PathBuf]) -> Result<Held, Error> {
        if !settings.writes() {
            return Ok(Held::default());
        }
        // Consent to what is only to be created is looked at when it is there.
        let destroy: Vec<PathBuf> = settings.destroy_data.iter().filter(|path| path.exists()).cloned().collect();
        let consent = Consent { destroy: &destroy, really: settings.really };
        let refusal = match may_write_all(there, consent) {
            Ok(held) => return Ok(held),
            Err(refusal) => refusal,
        };
        if !self.is_one || !settings.destroy_data.is_empty() {
            return Err(refusal.into());
        }
        settings.points.retain(|point| point.write_pct == 0);
        settings.notes.push(format!("reads alone are measured: {refusal}"));
        Ok(Held::default())
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

/// The size of a test file that nobody gave one.
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

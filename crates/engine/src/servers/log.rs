//! What a server says: its standard output and error go to one file, which is shown when a start fails.

use super::{DataFolder, ServerError};
use dbdyno_model::ErrorClass;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Lines that an error shows.
const LINES: usize = 12;

/// A log to be added to, and what was said since it was opened.
#[derive(Debug)]
pub struct ServerLog {
    pub(crate) file: File,
    path: PathBuf,
    /// How long it was then.
    from: u64,
}

impl ServerLog {
    /// Opens a log, by the rules of a data folder; makes it where it is missing.
    pub(crate) fn open(path: &Path) -> Result<Self, ServerError> {
        let open = || {
            let (folder, name) = (path.parent().unwrap_or(Path::new("/")), path.file_name().and_then(OsStr::to_str));
            let file = DataFolder::open(&folder.canonicalize()?)?.to_append(name.unwrap_or_default())?;
            let from = file.metadata()?.len();
            Ok(Self { file, path: path.to_owned(), from })
        };
        open().map_err(|e| ServerError::io("write", path, &e))
    }

    /// The same with all that was said before.
    pub(crate) fn whole(self) -> Self {
        Self { from: 0, ..self }
    }

    /// What was said since; nothing where it cannot be read.
    #[must_use]
    pub fn said(&self) -> String {
        let read = || -> io::Result<String> {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(self.from))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        read().unwrap_or_default()
    }

    /// An error with its last lines.
    pub(crate) fn error(&self, class: ErrorClass, what: &str) -> ServerError {
        let text = self.said();
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        // Some end with general advice, longer than what is shown; the reason stands before it.
        let reason = lines.iter().rposition(|line| ["ERROR", "FATAL"].iter().any(|word| line.contains(word)));
        if let Some(reason) = reason.filter(|reason| reason + LINES < lines.len()) {
            lines.truncate(reason + 1);
        }
        let last = lines[lines.len().saturating_sub(LINES)..].join("\n  ");
        let last = if last.is_empty() { "it said nothing".to_owned() } else { format!("it said:\n  {last}") };
        ServerError::failed(class, format!("{what}; {last}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn the_last_lines_since_the_start_are_shown() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        ServerLog::open(&path).unwrap().file.write_all(b"an earlier start\n").unwrap();
        let mut log = ServerLog::open(&path).unwrap();
        let since = ServerLog::open(&path).unwrap();
        let error = || since.error(ErrorClass::Other, "failed").to_string();
        assert!(error().ends_with("failed; it said nothing"));
        assert_eq!(ServerLog::open(&path).unwrap().whole().said(), "an earlier start\n");
        for n in 0..20 {
            writeln!(log.file, "line {n}\n").unwrap();
        }
        assert!(error().contains("said:\n  line 8\n  line 9\n") && error().ends_with("line 19"), "{}", error());
        for text in ["[ERROR] no room\n", &"advice\n".repeat(11)] {
            log.file.write_all(text.as_bytes()).unwrap();
        }
        let near = format!("no room{}", "\n  advice".repeat(11));
        assert!(error().ends_with(&near));
        writeln!(log.file, "advice").unwrap();
        assert!(error().ends_with("line 19\n  [ERROR] no room"));
    }
}

//! What a server says: its standard output and error go to one file, which is shown when a start fails.

use super::PrivateError;
use super::home::{LOG, Site};
use super::ours;
use dbdyno_model::ErrorClass;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Lines that an error shows.
const LINES: usize = 12;

/// The log, to be added to, and where it ends now.
pub(super) fn open(site: &Site) -> Result<(File, u64), PrivateError> {
    let open = || {
        let file = site.files()?.to_append(LOG)?;
        ours::mark(&file)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    };
    open().map_err(|e| PrivateError::io("write", &site.log(), &e))
}

/// An error with the last lines that were logged since the log was so long.
pub(super) fn said(path: &Path, class: ErrorClass, what: &str, from: u64) -> PrivateError {
    let read = || -> io::Result<String> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // Some end with general advice, longer than what is shown; the reason stands before it.
    let reason = lines.iter().rposition(|line| ["ERROR", "FATAL"].iter().any(|word| line.contains(word)));
    if let Some(reason) = reason.filter(|reason| reason + LINES < lines.len()) {
        lines.truncate(reason + 1);
    }
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n  ");
    let last = if last.is_empty() { "it said nothing".to_owned() } else { format!("it said:\n  {last}") };
    PrivateError::failed(class, format!("{what}; {last}"))
}

#[cfg(test)]
mod tests {
    use super::super::home::Home;
    use super::*;
    use std::io::Write as _;

    #[test]
    fn the_last_lines_since_the_start_are_shown() {
        let dir = tempfile::tempdir().unwrap();
        let site = Home::at(dir.path()).unwrap().site("engine").unwrap();
        site.create().unwrap();
        let path = site.log();
        open(&site).unwrap().0.write_all(b"an earlier start\n").unwrap();
        let (mut file, from) = open(&site).unwrap();
        assert!(said(&path, ErrorClass::Other, "failed", from).to_string().ends_with("failed; it said nothing"));
        for n in 0..20 {
            writeln!(file, "line {n}\n").unwrap();
        }
        let error = said(&path, ErrorClass::Other, "failed", from).to_string();
        assert!(error.contains("said:\n  line 8\n  line 9\n") && error.ends_with("line 19"), "{error}");
        for text in ["[ERROR] no room\n", &"advice\n".repeat(11)] {
            file.write_all(text.as_bytes()).unwrap();
        }
        let near = format!("no room{}", "\n  advice".repeat(11));
        assert!(said(&path, ErrorClass::Other, "failed", from).to_string().ends_with(&near));
        writeln!(file, "advice").unwrap();
        assert!(said(&path, ErrorClass::Other, "failed", from).to_string().ends_with("line 19\n  [ERROR] no room"));
    }
}

//! All output of dbdyno: results to stdout, complaints and notes to stderr.
//!
//! A reader who closes the pipe early (`dbdyno show last | head`) is not an error: the rest of the output is dropped,
//! and a run without a reader is still measured to its end.

use crate::error::Error;
use crate::secrets;
pub(crate) use dbdyno_run::shell_word;
use serde::Serialize;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// How results are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs: one JSON document, nothing else on stdout.
    Json,
}

impl Format {
    /// Writes a document to stdout: as JSON, or as the page that is made of it.
    ///
    /// # Errors
    /// As for [`text`].
    pub(crate) fn show(self, document: &impl Serialize, page: impl FnOnce() -> String) -> Result<(), Error> {
        match self {
            Self::Json => json(document),
            Self::Text => text(&page()),
        }
    }
}

/// An option as a further command needs it, with a blank before it; nothing where the environment says the same, as it
/// will for that command.
pub(crate) fn option_again(name: &str, variable: &str, value: Option<&str>) -> String {
    let value = value.filter(|value| std::env::var(variable).as_deref() != Ok(*value));
    value.map_or_else(String::new, |value| format!(" {name} {}", shell_word(value)))
}

/// Columns of stdout's terminal; `None` for files and pipes, which have no width.
pub(crate) fn width() -> Option<u16> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    // A terminal of unknown size (a serial line) reports 0.
    rustix::termios::tcgetwinsize(stdout).ok().map(|size| size.ws_col).filter(|columns| *columns > 0)
}

/// Writes a text to stdout; one line end is added where it has none.
///
/// # Errors
/// Stdout cannot be written, for another reason than a closed pipe.
pub(crate) fn text(text: &str) -> Result<(), Error> {
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.write_all(end.as_bytes()));
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::Output(error)),
        _ => Ok(()),
    }
}

/// Writes a JSON document to stdout, indented.
///
/// # Errors
/// As for [`text`].
pub(crate) fn json(document: &impl Serialize) -> Result<(), Error> {
    text(&serde_json::to_string_pretty(document).map_err(|e| Error::Internal(format!("no JSON: {e}")))?)
}

/// Writes a JSON document to stdout in one line.
///
/// # Errors
/// As for [`text`], and where nobody reads any more.
pub(crate) fn line_of_json(document: &impl Serialize) -> Result<(), Error> {
    let mut line = serde_json::to_string(document).map_err(|e| Error::Internal(format!("no JSON: {e}")))?;
    line.push('\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush()).map_err(Error::Output)
}

/// Writes a document to a file that the user named, and says so; `-` is stdout.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn file(path: &Path, document: &str) -> Result<(), Error> {
    if path == Path::new("-") {
        return text(document);
    }
    write(path, document)?;
    line(&format!("{}: {}", path.display(), dbdyno_report::numbers::bytes(document.len() as u64)))
}

/// Writes a line to stdout with control characters escaped, because it may contain a name from outside.
///
/// # Errors
/// As for [`text`].
pub(crate) fn line(line: &str) -> Result<(), Error> {
    text(&clean(line))
}

/// Writes a document to a file that the user named.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write(path: &Path, document: &str) -> Result<(), Error> {
    dbdyno_files::refuse_anothers_link(path).and_then(|()| dbdyno_files::write(path, document.as_bytes())).map_err(
        |e| {
            Error::Usage(format!(
                "cannot write {}: {e}; name a new file, in a folder that is there and may be written to",
                path.display()
            ))
        },
    )
}

/// Writes a complaint to stderr, as `dbdyno: …`.
pub(crate) fn complain(message: &str) {
    note(&format!("dbdyno: {message}"));
}

/// Writes a line to stderr, without passwords and with control characters escaped.
pub(crate) fn note(line: &str) {
    let line = clean(&secrets::hidden(line.trim_end()));
    // If even stderr cannot be written, the line is lost.
    _ = writeln!(io::stderr(), "{line}");
}

/// Escapes control characters other than line ends, for instance in an engine's message.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && dbdyno_report::steers(c) { cleaned.extend(c.escape_default()) } else { cleaned.push(c) }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_steered() {
        assert_eq!(clean("a\u{1b}[2Jb\nc\rd\u{202e}"), "a\\u{1b}[2Jb\nc\\rd\\u{202e}");
    }
}

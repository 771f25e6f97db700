//! The ledger of a crash test: which transactions were acknowledged. It lies outside of what is cut. An acknowledgement
//! counts once it is on the ledger's device; those that come while it is being written go with the next write.

use dbdyno_workload::crash::Acknowledged;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that are read from the sessions at a time.
const AT_A_TIME: usize = 1 << 16;
/// Characters of a broken line that are shown.
const MOST_SHOWN: usize = 40;
/// The steps of the curve of acknowledgements.
pub(crate) const STEP: Duration = Duration::from_millis(100);

/// How far the sessions are, for whoever decides when to cut.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    /// Acknowledgements on the ledger.
    pub(crate) counted: u64,
    /// When the last one came in.
    pub(crate) last_at: Option<Instant>,
    /// Acknowledgements in each [`STEP`] since the first one was waited for.
    pub(crate) curve: Vec<u64>,
}

/// What the sessions write to, and what is known of it meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Shared(Mutex<Progress>);

impl Shared {
    pub(crate) fn now(&self) -> Progress {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// One acknowledgement as it is written, by sessions and in the ledger.
#[must_use]
pub fn line(session: u32, seq: u64) -> String {
    format!("{session} {seq}\n")
}

/// Takes what sessions say until they have ended, and writes it to a new file.
///
/// # Errors
/// The file cannot be written, or a session says what it cannot say.
pub(crate) fn keep(mut said: impl Read, path: &Path, sessions: u32, shared: &Shared) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    let (mut last, mut buffer, mut rest) = (vec![0_u64; sessions as usize], vec![0_u8; AT_A_TIME], Vec::new());
    let began = Instant::now();
    loop {
        let bytes = match said.read(&mut buffer) {
            Ok(0) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let at = Instant::now();
        rest.extend_from_slice(&buffer[..bytes]);
        // A line that was cut off was never said.
        let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = rest.drain(..whole).collect();
        let count = advance(&lines, &mut last)?;
        // A slow device of the ledger does not make sessions idle.
        shared.0.lock().unwrap_or_else(PoisonError::into_inner).last_at = Some(at);
        file.write_all(&lines)?;
        file.sync_data()?;
        let mut progress = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        progress.counted += count;
        let step = (at.duration_since(began).as_millis() / STEP.as_millis()) as usize;
        if progress.curve.len() <= step {
            progress.curve.resize(step + 1, 0);
        }
        progress.curve[step] += count;
    }
    Ok(())
}

/// What a ledger says.
///
/// # Errors
/// It cannot be read, or its lines are none that sessions write.
pub(crate) fn read(path: &Path, cut: u32, sessions: u32) -> io::Result<Acknowledged> {
    let mut last = vec![0; sessions as usize];
    advance(&std::fs::read(path)?, &mut last)?;
    Ok(Acknowledged { cut, last })
}

/// Goes on by whole lines. Returns how many there are.
fn advance(lines: &[u8], last: &mut [u64]) -> io::Result<u64> {
    let mut count = 0;
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let text = std::str::from_utf8(line).unwrap_or_default();
        let parsed = text.split_once(' ').and_then(|(session, seq)| Some((session.parse().ok()?, seq.parse().ok()?)));
        let known = parsed.and_then(|(session, seq): (usize, u64)| Some((last.get_mut(session)?, seq)));
        match known {
            // A session has no more than one transaction at a time.
            Some((of_session, seq)) if seq == *of_session + 1 => *of_session = seq,
            _ => {
                let text: String = text.chars().take(MOST_SHOWN).collect();
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("'{}' does not follow", text.escape_default()),
                ));
            }
        }
        count += 1;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_read_back_and_a_cut_line_was_not_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let shared = Shared::default();
        keep("0 1\n1 1\n0 2\n1 2\n0 3".as_bytes(), &path, 3, &shared).unwrap();
        assert_eq!(read(&path, 7, 3).unwrap(), Acknowledged { cut: 7, last: vec![2, 2, 0] });
        let Progress { counted, last_at, curve } = shared.now();
        assert!(counted == 4 && last_at.is_some() && curve.iter().sum::<u64>() == 4);
        assert!(keep("0 1\n".as_bytes(), &path, 3, &shared).is_err(), "an earlier ledger is not written over");
    }

    #[test]
    fn what_no_session_can_say_is_refused() {
        for lines in ["0 2\n", "0 1\n0 1\n", "0 1\n0 3\n", "9 1\n", "x\n", "0 -1\n", "0 1 2\n"] {
            let error = advance(lines.as_bytes(), &mut [0, 0]).unwrap_err().to_string();
            assert!(error.contains("does not follow"), "{lines}: {error}");
        }
    }
}

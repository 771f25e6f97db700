//! Parts of points as text in pieces; and the folder in which an agent keeps its part until the coordinator has it in
//! its results.

use crate::message::PointKey;
use dbdyno_run::Part;
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::{Errno, retry_on_intr};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Bytes of a piece. NATS carries a megabyte in a message unless it is told otherwise. JSON puts a backslash before
/// each quote of a piece, which may double it.
const PIECE_BYTES: usize = 256 << 10;
/// Room that is taken for a part beforehand: that of some minutes of seconds.
const ROOM_BYTES: u64 = 4 << 20;

/// A part as text. Its histograms are short as they are: to compress them costs more than to send them.
///
/// # Errors
/// A histogram cannot be stored.
pub(crate) fn text(part: &Part) -> std::io::Result<String> {
    Ok(serde_json::to_string(part)?)
}

/// The part of a text.
///
/// # Errors
/// It is none.
pub(crate) fn part(text: &str) -> Result<Part, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// A text in pieces; never none.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while pieces.is_empty() || !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        pieces.push(piece.to_owned());
        rest = after;
    }
    pieces
}

/// The folder in which an agent keeps its parts. Others may keep theirs, and anything else, in the same one.
#[derive(Debug, Clone)]
pub struct PartFolder {
    folder: PathBuf,
    /// What names of its files begin with.
    owner: String,
}

impl PartFolder {
    /// The folder of an agent of a fleet, made where it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn open(folder: &Path, (fleet, agent): (&str, &str)) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let parts = Self { folder: folder.to_path_buf(), owner: format!("dbdyno.{fleet}.{agent}.") };
        // What an earlier process has begun to write will never be whole.
        parts.forget_where(|name| name.ends_with(".new"));
        Ok(parts)
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, key: &PointKey) -> PathBuf {
        // The session is a coordinator's word, which only hosts with the fleet's key can speak; still, it names a file.
        let session: String = key.session.chars().filter(char::is_ascii_alphanumeric).take(64).collect();
        self.folder.join(format!("{}{session}-{}.part", self.owner, key.attempt))
    }

    /// Takes room for the part of a point before the point is measured: a disk that is full is noticed then.
    ///
    /// # Errors
    /// There is no room.
    pub(crate) fn reserve(&self, key: &PointKey) -> std::io::Result<()> {
        let file = File::create(self.file(key).with_extension("new"))?;
        match retry_on_intr(|| fallocate(&file, FallocateFlags::empty(), 0, ROOM_BYTES)) {
            // Some file systems, and some sandboxes, have no way to promise room.
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            other => Ok(other?),
        }
    }

    /// Gives back room that was not used.
    pub(crate) fn release(&self, key: &PointKey) {
        // What is left is forgotten with the parts of its session.
        let _ = std::fs::remove_file(self.file(key).with_extension("new"));
    }

    /// Keeps the text of a part, in the room that was taken for it. It survives whatever ends this process or this
    /// machine.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep(&self, key: &PointKey, text: &str) -> std::io::Result<()> {
        let file = self.file(key);
        let unfinished = file.with_extension("new");
        let mut written = File::options().create(true).write(true).truncate(false).open(&unfinished)?;
        written.write_all(text.as_bytes())?;
        written.set_len(text.len() as u64)?;
        written.sync_all()?;
        std::fs::rename(&unfinished, &file)?;
        File::open(&self.folder)?.sync_all()
    }

    /// The text of a part that is kept.
    pub(crate) fn kept(&self, key: &PointKey) -> Option<String> {
        std::fs::read_to_string(self.file(key)).ok()
    }

    /// Forgets a part: the coordinator has it, or the point is measured again.
    pub(crate) fn forget(&self, key: &PointKey) {
        // One that is left is forgotten with those of its session.
        let _ = std::fs::remove_file(self.file(key));
    }

    /// Forgets the parts of other sessions: their coordinators are gone.
    pub(crate) fn forget_others(&self, session: &str) {
        let of_session = format!("{session}-");
        self.forget_where(|name| !name.starts_with(&of_session));
    }

    /// Forgets those of its own files whose names, without the owner's part, satisfy a condition.
    fn forget_where(&self, holds: impl Fn(&str) -> bool) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let own = name.strip_prefix(&self.owner).filter(|rest| rest.ends_with(".part") || rest.ends_with(".new"));
            if own.is_some_and(&holds) {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_whole() {
        for length in [0, 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES] {
            let text = "a".repeat(length);
            let pieces = pieces(&text);
            assert_eq!(pieces.concat(), text);
            assert_eq!(pieces.len(), length.div_ceil(PIECE_BYTES).max(1));
            // A letter of several bytes stays whole.
            assert_eq!(super::pieces(&"é\u{10348}a".repeat(length)).concat(), "é\u{10348}a".repeat(length));
        }
    }

    #[test]
    fn what_is_kept_is_there_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let parts = PartFolder::open(&folder.path().join("a/b"), ("f", "a")).unwrap();
        let foreign =
            ["film.iso.part", "httpd.conf.new", "dbdyno.f.b.s-1.part"].map(|name| folder.path().join("a/b").join(name));
        foreign.iter().for_each(|file| std::fs::write(file, "x").unwrap());
        let key = |session: &str, attempt| PointKey { session: session.to_owned(), attempt };
        parts.reserve(&key("s", 1)).unwrap();
        let room = parts.file(&key("s", 1)).with_extension("new");
        assert_eq!(std::fs::metadata(&room).unwrap().len(), ROOM_BYTES);
        parts.keep(&key("s", 1), "one").unwrap();
        assert!(!room.exists());
        parts.reserve(&key("s", 2)).unwrap();
        parts.release(&key("s", 2));
        parts.reserve(&key("s", 3)).unwrap();
        let parts = PartFolder::open(&folder.path().join("a/b"), ("f", "a")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path().join("a/b")).unwrap().count(), 1 + foreign.len());
        parts.keep(&key("t", 1), "two").unwrap();
        assert_eq!(parts.kept(&key("s", 1)).as_deref(), Some("one"));
        assert_eq!(parts.kept(&key("s", 2)), None);
        parts.forget_others("t");
        assert_eq!((parts.kept(&key("s", 1)), parts.kept(&key("t", 1)).as_deref()), (None, Some("two")));
        parts.forget(&key("t", 1));
        assert_eq!(parts.kept(&key("t", 1)), None);
        parts.keep(&key("../../x", 1), "three").unwrap();
        assert!(folder.path().join("a/b/dbdyno.f.a.x-1.part").exists(), "no session leads elsewhere");
        assert!(foreign.iter().all(|file| file.exists()), "what is not its own is let be");
    }
}

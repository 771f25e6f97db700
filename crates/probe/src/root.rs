//! Reads the kernel's text files below a root directory: `/` on a machine, and a recorded tree in tests.

use crate::missing::Reading;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The directory that contains `proc`, `sys` and `etc`.
#[derive(Debug, Clone)]
pub(crate) struct Root(PathBuf);

impl Root {
    /// The machine that dbdyno runs on.
    pub(crate) fn machine() -> Self {
        Self(PathBuf::from("/"))
    }

    /// A recorded tree.
    #[cfg(test)]
    pub(crate) fn at(dir: &Path) -> Self {
        Self(dir.to_owned())
    }

    /// The path of a file that is given without its leading slash.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }

    /// A file's text without white space (and the NULs of device trees) at its ends.
    pub(crate) fn text(&self, file: &str) -> Reading<String> {
        let text = kernel_text(&self.path(file)).map_err(|e| unreadable(Path::new("/").join(file), &e))?;
        Ok(text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
    }

    /// A file's text; an empty one counts as absent.
    pub(crate) fn word(&self, file: &str) -> Reading<String> {
        self.text(file).and_then(|t| if t.is_empty() { Err(format!("/{file} is empty")) } else { Ok(t) })
    }

    /// The names in a directory, in order; empty when it cannot be read.
    pub(crate) fn names(&self, dir: &str) -> Vec<String> {
        names_in(&self.path(dir))
    }

    /// Whether there is such a file.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.path(file).exists()
    }
}

/// The text of one of the kernel's files, in few calls: it has no size beforehand, so reading by the standard library
/// asks for one in vain and then feels its way.
pub(crate) fn kernel_text(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut bytes, mut filled) = (vec![0; 4 << 10], 0);
    loop {
        if filled == bytes.len() {
            bytes.resize(bytes.len() * 2, 0);
        }
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The names in a directory, in order; empty when it cannot be read.
pub(crate) fn names_in(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// One kernel file, opened, or why it is not.
#[derive(Debug)]
pub(crate) struct KernelFile {
    path: String,
    file: Reading<File>,
}

impl KernelFile {
    /// Opens a file that is given without its leading slash.
    pub(crate) fn open(root: &Root, path: String) -> Self {
        let file = File::open(root.path(&path)).map_err(|e| unreadable(Path::new("/").join(&path), &e));
        Self { path, file }
    }

    /// Reads the file from its start, into a buffer that grows as needed.
    pub(crate) fn read<T>(&self, buffer: &mut Vec<u8>, parse: impl FnOnce(&str) -> Option<T>) -> Reading<T> {
        let file = self.file.as_ref().map_err(String::clone)?;
        let mut filled = 0;
        loop {
            if filled == buffer.len() {
                buffer.resize(buffer.len() * 2, 0);
            }
            match file.read_at(&mut buffer[filled..], filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(Path::new("/").join(&self.path), &error)),
            }
        }
        let text = String::from_utf8_lossy(&buffer[..filled]);
        parse(&text).ok_or_else(|| format!("/{} has a form that dbdyno does not know", self.path))
    }
}

/// Why a file cannot be read, in readable form.
pub(crate) fn unreadable(path: impl AsRef<Path>, error: &io::Error) -> String {
    let path = path.as_ref().display();
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no {path} here"),
        io::ErrorKind::PermissionDenied => format!("{path} may not be read by this user"),
        _ => format!("cannot read {path}: {error}"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tree of files as recorded on a machine.
    pub(crate) fn tree<P: AsRef<str>, T: AsRef<str>>(files: &[(P, T)]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = dir.path().join(file.as_ref());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text.as_ref()).unwrap();
        }
        let root = Root::at(dir.path());
        (dir, root)
    }

    #[test]
    fn a_missing_file_has_a_reason_that_names_it() {
        let (_dir, root) = tree(&[("etc/empty", "\n"), ("etc/full", " x\0\n")]);
        assert_eq!(root.text("etc/none").unwrap_err(), "there is no /etc/none here");
        assert_eq!(root.word("etc/empty").unwrap_err(), "/etc/empty is empty");
        assert_eq!(root.word("etc/full").unwrap(), "x");
        assert_eq!(root.names("etc"), ["empty", "full"]);
        assert!(root.names("nowhere").is_empty());
    }
}

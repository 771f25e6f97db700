//! A server's programs, and the folders in which they may be. Those may be several side by side, the server in `sbin`
//! and what makes its data in `bin`: one of them is looked for, and the others from there.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// What programs an engine needs, and where they may be.
#[derive(Debug, Clone, Copy)]
pub struct Programs {
    /// Variable that names the folder.
    pub variable: &'static str,
    /// The server first, then what else must be there.
    pub needed: &'static [&'static str],
    /// Folders in which they may be besides the one that is looked for, as paths from there.
    pub beside: &'static [&'static str],
    /// Folders of distributions, each with at most one `*` in place of a version; the newest comes first.
    pub folders: &'static [&'static str],
    /// What to install, in words.
    pub install: &'static str,
}

impl Programs {
    /// The folder that the variable names, if it is set.
    #[must_use]
    pub fn named(&self) -> Option<PathBuf> {
        std::env::var_os(self.variable).filter(|v| !v.is_empty()).map(PathBuf::from)
    }

    /// The server, where its programs are in this folder or beside it.
    #[must_use]
    pub fn server(&self, folder: &Path) -> PathBuf {
        self.place(folder, self.needed.first().copied().unwrap_or_default())
    }

    /// A program that need not be the server's: in this folder or beside it, else where distributions put them, else in
    /// PATH.
    #[must_use]
    pub fn find(&self, folder: &Path, program: &str) -> Option<PathBuf> {
        let others = self.folders.iter().flat_map(|folder| expand(folder)).chain(in_path());
        let mut all = std::iter::once(folder.to_owned()).chain(others).map(|folder| self.place(&folder, program));
        all.find(|path| is_program(path))
    }

    /// A program, where it is in this folder or beside it; in this folder where it is in none.
    #[must_use]
    pub fn place(&self, folder: &Path, program: &str) -> PathBuf {
        let own = folder.join(program);
        let beside = self.beside.iter().map(|beside| folder.join(beside).join(program));
        std::iter::once(own.clone()).chain(beside).find(|path| is_program(path)).unwrap_or(own)
    }
}

/// Whether a path is a program that can be run.
pub(super) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// The folders of PATH.
pub(super) fn in_path() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// The folders that a pattern with one `*` stands for, the highest version first.
pub(super) fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else { return vec![PathBuf::from(pattern)] };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or((".", before));
    let (suffix, below) = after.split_once('/').unwrap_or((after, ""));
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let fitting = names.filter_map(|name| {
        let version = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
        let numbers: Vec<u64> = version.split('.').map_while(|n| n.parse().ok()).collect();
        Some((numbers, Path::new(parent).join(&name).join(below)))
    });
    let mut fitting: Vec<(Vec<u64>, PathBuf)> = fitting.collect();
    fitting.sort_by(|a, b| b.cmp(a));
    fitting.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_the_folders_side_by_side() {
        let dir = tempfile::tempdir().unwrap();
        for program in ["sbin/server", "bin/maker", "bin/both", "sbin/both"] {
            let path = dir.path().join(program);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let programs =
            Programs { variable: "", needed: &["server"], beside: &["../sbin", "../bin"], folders: &[], install: "" };
        let (sbin, bin) = (dir.path().join("sbin"), dir.path().join("bin"));
        assert_eq!(programs.server(&sbin), sbin.join("server"));
        assert_eq!(programs.server(&bin), bin.join("../sbin/server"));
        assert_eq!(programs.place(&sbin, "maker"), sbin.join("../bin/maker"));
        assert_eq!(programs.place(&bin, "both"), bin.join("both"), "its own first");
        assert_eq!(programs.place(&bin, "none"), bin.join("none"));
        assert_eq!(programs.find(&bin, "none"), None);
        assert_eq!(programs.find(&sbin, "maker"), Some(sbin.join("../bin/maker")));
        // What a distribution has comes before what is in PATH.
        let folder: &str = bin.display().to_string().leak();
        let distribution = Programs { folders: vec![folder].leak(), ..programs };
        assert_eq!(distribution.find(dir.path(), "both"), Some(bin.join("both")));
        assert!(distribution.find(dir.path(), "sh").is_some_and(|path| !path.starts_with(dir.path())));
        assert_eq!(Programs { beside: &[], ..programs }.server(&bin), bin.join("server"));
    }

    #[test]
    fn the_newest_of_a_distribution_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        for version in ["9.6", "15", "13", "9.10"] {
            std::fs::create_dir_all(dir.path().join(format!("db-{version}/bin"))).unwrap();
        }
        let pattern = format!("{}/db-*/bin", dir.path().display());
        let found: Vec<String> = expand(&pattern).iter().map(|p| p.display().to_string()).collect();
        let expected = ["15", "13", "9.10", "9.6"].map(|v| format!("{}/db-{v}/bin", dir.path().display()));
        assert_eq!(found, expected);
        assert_eq!(expand("/plain/bin"), [PathBuf::from("/plain/bin")]);
        assert!(expand("/no/such/*/bin").is_empty());
    }
}

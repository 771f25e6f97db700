//! Where a server's socket goes: into a folder that nobody else may look into.

use super::home::{InstanceFolder, remove_folder};
use crate::servers::{Product, ServerError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The longest path of a socket, its last zero byte not counted.
const PATH_BYTES: usize = 107;
/// The folder in it of what is put between a server and its standby.
pub(super) const BETWEEN: &str = "link";
/// Folders for sockets whose path would be longer begin so.
const SHORT_FOLDER: &str = "/tmp/dbdyno-";

/// Beside the data, or in a short folder of its own where the path would be too long for a socket, or would have to be
/// escaped in a target.
pub(super) fn folder(instance_folder: &InstanceFolder, product: &dyn Product) -> PathBuf {
    let run = instance_folder.run();
    let text = run.to_string_lossy();
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
    if plain && text.len() + 1 + BETWEEN.len() + 1 + product.about().socket_name.len() <= PATH_BYTES {
        return run;
    }
    let place = xxh3_64(instance_folder.path.as_os_str().as_encoded_bytes());
    // Somebody else may have taken the first name.
    let mut names = (0..).map(|n: u64| PathBuf::from(format!("{SHORT_FOLDER}{:016x}", place.wrapping_add(n))));
    names.find(|folder| folder.symlink_metadata().is_err()).unwrap_or(run)
}

/// Removes a short folder, if it still is its owner's: everybody may make folders there, when ours is gone also of that
/// name.
pub(super) fn remove_short_folder(folder: &Path, owner: Option<u32>) -> Result<(), ServerError> {
    let me = rustix::process::geteuid().as_raw();
    let is_ours = |uid: u32| uid == me || Some(uid) == owner;
    match folder.symlink_metadata() {
        Ok(found) if is_short_folder(folder) && found.is_dir() && is_ours(found.uid()) => remove_folder(folder),
        _ => Ok(()),
    }
}

/// Whether a folder is one that was made because the proper path is too long.
fn is_short_folder(folder: &Path) -> bool {
    let name = folder.to_str().and_then(|path| path.strip_prefix(SHORT_FOLDER));
    name.is_some_and(|name| name.len() == 16 && name.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_our_making_are_taken_for_such() {
        assert!(is_short_folder(Path::new("/tmp/dbdyno-00112233445566ff")));
        for other in [
            "/tmp/dbdyno-",
            "/tmp/dbdyno-../../../../etc",
            "/tmp/x",
            "/home/u/postgres/run",
            "/tmp/dbdyno-00112233445566fg",
        ] {
            assert!(!is_short_folder(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn a_folder_that_somebody_else_has_made_meanwhile_is_left_alone() {
        let folder =
            PathBuf::from(format!("{SHORT_FOLDER}{:016x}", 0xf000_0000_0000_0000 | u64::from(std::process::id())));
        std::fs::create_dir(&folder).unwrap();
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&folder, Some(54_321), None).unwrap();
            remove_short_folder(&folder, None).unwrap();
            assert!(folder.exists());
        }
        remove_short_folder(&folder, Some(54_321)).unwrap();
        assert!(!folder.exists());
        remove_short_folder(&folder, None).unwrap();
    }
}

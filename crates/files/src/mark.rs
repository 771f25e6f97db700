//! Marks by which dbdyno recognises the files and folders that it made. A mark is an extended attribute with the inode
//! and the birth time of its file or folder. A copy, a restored backup, or a user's file with a copied attribute has
//! another inode and birth time, so it does not count as dbdyno's.

use rustix::fs::{AtFlags, StatxFlags, XattrFlags, fgetxattr, fsetxattr, statx};
use rustix::io::Errno;
use std::os::fd::AsFd;

/// The name of the extended attribute.
const ATTRIBUTE: &str = "user.dbdyno";

/// The value of the attribute for this file or folder, marked as `what`.
fn attribute_value(file: impl AsFd, what: &str) -> Result<String, Errno> {
    let stat = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::INO | StatxFlags::BTIME)?;
    let born = if stat.stx_mask & StatxFlags::BTIME.bits() == 0 {
        "unknown".to_owned()
    } else {
        format!("{}.{:09}", stat.stx_btime.tv_sec, stat.stx_btime.tv_nsec)
    };
    Ok(format!("{what} inode {} born {born}", stat.stx_ino))
}

/// Marks an open file or folder as `what`. Returns whether its file system supports marks.
///
/// # Errors
/// The operating system's.
pub fn set(file: impl AsFd, what: &str) -> Result<bool, Errno> {
    match fsetxattr(&file, ATTRIBUTE, attribute_value(&file, what)?.as_bytes(), XattrFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::PERM) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether an open file or folder was marked as `what`, and is itself the one that was marked.
#[must_use]
pub fn is_marked(file: impl AsFd, what: &str) -> bool {
    let mut buffer = [0; 256];
    let found = fgetxattr(&file, ATTRIBUTE, &mut buffer).ok().and_then(|length| buffer.get(..length));
    found.is_some_and(|found| attribute_value(&file, what).is_ok_and(|expected| expected.as_bytes() == found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_mark_names_one_file_or_folder_and_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let copy = File::create(folder.path().join("copy")).unwrap();
        let one = File::create(folder.path().join("one")).unwrap();
        for marked in [one, File::open(folder.path()).unwrap()] {
            assert!(!is_marked(&marked, "a thing 1"));
            if !set(&marked, "a thing 1").unwrap() {
                eprintln!("skipped: the file system keeps no marks");
                return;
            }
            assert!(is_marked(&marked, "a thing 1") && !is_marked(&marked, "a thing 2"));
            let mut value = [0; 256];
            let length = fgetxattr(&marked, ATTRIBUTE, &mut value).unwrap();
            fsetxattr(&copy, ATTRIBUTE, &value[..length], XattrFlags::empty()).unwrap();
            assert!(!is_marked(&copy, "a thing 1"), "the same attribute on another file");
        }
    }
}

//! What other users of the machine may have made or may change. Only root and the user who runs dbdyno are trusted.

use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Write permission of group and others.
const WRITE_OF_OTHERS: u32 = 0o022;

fn is_trusted(found: &Metadata) -> bool {
    found.uid() == 0 || found.uid() == rustix::process::geteuid().as_raw()
}

/// Whether another user owns a file or may write to it, so that its content is not trusted.
///
/// # Errors
/// The file cannot be looked at.
pub fn others_may_write(path: &Path) -> io::Result<bool> {
    let found = path.metadata()?;
    Ok(!is_trusted(&found) || found.mode() & WRITE_OF_OTHERS != 0)
}

/// Refuses a link that another user made, because writing to it would write wherever that user wants. The kernel does
/// the same (`fs.protected_symlinks`), but only in folders with the sticky bit, and not on every system.
///
/// # Errors
/// It is such a link.
pub fn refuse_anothers_link(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() && !is_trusted(&found) => {
            Err(io::Error::new(ErrorKind::PermissionDenied, "it is a link that another user has made"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{PermissionsExt, lchown, symlink};

    #[test]
    fn what_others_own_or_may_write_is_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let with_mode = |mode| File::create(&path).unwrap().set_permissions(Permissions::from_mode(mode)).unwrap();
        with_mode(0o644);
        assert!(!others_may_write(&path).unwrap());
        for mode in [0o664, 0o646] {
            with_mode(mode);
            assert!(others_may_write(&path).unwrap(), "{mode:o}");
        }
        with_mode(0o600);
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(refuse_anothers_link(&link).is_ok() && refuse_anothers_link(&path).is_ok());
        // Only root can give a file away.
        if rustix::process::geteuid().is_root() {
            lchown(&path, Some(65_534), None).unwrap();
            assert!(others_may_write(&path).unwrap());
            lchown(&link, Some(65_534), None).unwrap();
            assert!(refuse_anothers_link(&link).is_err());
        }
    }
}

//! NAME.lun: the devices and files of a test, one path a line.

use super::error::OrionError;
use crate::safety::Identity;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The paths of NAME.lun. Blank lines, blanks around a path and the line ends of Windows are accepted.
///
/// # Errors
/// It cannot be read or lists nothing.
pub(super) fn read(testname: &str) -> Result<Vec<PathBuf>, OrionError> {
    let path = format!("{testname}.lun");
    let bytes = dbdyno_files::read(Path::new(&path), dbdyno_files::TEXT_BYTES).map_err(|error| {
        let hint = if testname.ends_with(".lun") { " (-testname is the name without .lun)" } else { "" };
        OrionError(format!(
            "cannot read {path}: {error}; it lists the devices or files of the test, one path a line{hint}; --file PATH names a \
             file instead"
        ))
    })?;
    let luns = parse(&bytes);
    if luns.is_empty() {
        return Err(OrionError(format!("{path} is empty: it lists the devices or files of the test, one path a line")));
    }
    Ok(luns)
}

fn parse(bytes: &[u8]) -> Vec<PathBuf> {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty()).map(|line| PathBuf::from(OsStr::from_bytes(line))).collect()
}

/// Refuses storage that is listed twice, even under two names. A path that leads nowhere, such as to a file that will
/// be created, stands for itself.
///
/// # Errors
/// The lines that are the same.
pub(super) fn distinct(luns: &[PathBuf]) -> Result<(), OrionError> {
    let mut seen: BTreeMap<(Option<Identity>, Option<&Path>), &Path> = BTreeMap::new();
    for path in luns {
        let identity = Identity::of(path).ok();
        let nowhere = identity.is_none().then_some(path.as_path());
        if let Some(first) = seen.insert((identity, nowhere), path) {
            return Err(OrionError(format!(
                "{} is the same storage as {}: list each device or file once, or it would be loaded twice",
                path.display(),
                first.display()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(folder: &tempfile::TempDir, content: &str) -> String {
        let name = folder.path().join("mytest").display().to_string();
        std::fs::write(format!("{name}.lun"), content).unwrap();
        name
    }

    #[test]
    fn a_list_may_have_blank_lines_and_foreign_line_ends() {
        let folder = tempfile::tempdir().unwrap();
        let name = name(&folder, "\n/dev/sdb  \r\n\n  /dev/disk/by-id/a b\t\n\n");
        assert_eq!(read(&name).unwrap(), [PathBuf::from("/dev/sdb"), PathBuf::from("/dev/disk/by-id/a b")]);
    }

    #[test]
    fn a_list_of_nothing_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let name = name(&folder, " \n\n\t\n");
        assert!(read(&name).unwrap_err().to_string().contains("mytest.lun is empty"));
        let refusal = read(&format!("{name}.lun")).unwrap_err().to_string();
        assert!(refusal.contains("mytest.lun.lun") && refusal.contains("without .lun"), "{refusal}");
    }

    #[test]
    fn the_same_storage_under_two_names_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (one, link, other) = (folder.path().join("one"), folder.path().join("link"), folder.path().join("other"));
        std::fs::write(&one, "1").unwrap();
        std::fs::write(&other, "1").unwrap();
        std::os::unix::fs::symlink(&one, &link).unwrap();
        assert!(distinct(&[one.clone(), other.clone()]).is_ok());
        let refusal = distinct(&[one.clone(), other, link]).unwrap_err().to_string();
        assert!(refusal.contains(&format!("is the same storage as {}: ", one.display())), "{refusal}");
        let none = |name: &str| folder.path().join(name);
        assert!(distinct(&[none("a"), none("b")]).is_ok());
        assert!(distinct(&[none("a"), none("a")]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_make_a_list_without_blank_lines(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            for path in parse(&bytes) {
                let path = path.as_os_str().as_bytes();
                prop_assert!(!path.is_empty() && !path.contains(&b'\n') && path.trim_ascii() == path);
            }
        }
    }
}

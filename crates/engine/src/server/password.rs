//! Where passwords come from: the target or the prompt, variables of the environment, and the file in which the
//! product's own client programs keep them, in this order. Nothing here shows one; what is told is the place that it
//! came from.

use crate::secret::Secret;
use std::env;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The variable that dbdyno itself asks for.
const VARIABLE: &str = "DBDYNO_PASSWORD";

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundPassword {
    password: Option<(Secret, String)>,
    warning: Option<String>,
}

impl FoundPassword {
    /// Looks for a password: `given` is that of the target or the prompt, `variable` one that the product's own
    /// programs ask for.
    #[must_use]
    pub fn look(given: Option<&Secret>, variable: Option<&str>) -> Self {
        let given = given.map(|password| (password.clone(), "the target or the prompt".to_owned()));
        let in_environment = || [Some(VARIABLE), variable].into_iter().flatten().find_map(in_environment);
        Self { password: given.or_else(in_environment), warning: None }
    }

    /// What was found, or else what stands in a file, which `find` reads. It answers why it passes a password over. A
    /// file that others may read is passed over, too.
    #[must_use]
    pub fn or_in_file(self, path: Option<&Path>, find: impl FnOnce(&str) -> Result<Option<Secret>, String>) -> Self {
        match path {
            Some(path) if self.password.is_none() => Self::in_file(path, find),
            _ => self,
        }
    }

    fn in_file(path: &Path, find: impl FnOnce(&str) -> Result<Option<Secret>, String>) -> Self {
        let place = path.display();
        let passed_over = |why: String| Self { password: None, warning: Some(why) };
        let read = match dbdyno_files::open(path) {
            Ok(file) => read(file),
            Err(error) if error.kind() == ErrorKind::InvalidInput => Err(error),
            Err(_) => return Self::default(),
        };
        match read.map(|(text, mode)| (find(&text), mode)) {
            Err(error) => passed_over(format!("{place} was ignored: {error}")),
            // A file without passwords is nobody's secret.
            Ok((Ok(None), _)) => Self::default(),
            Ok((_, mode)) if mode & 0o077 != 0 => {
                passed_over(format!("{place} was ignored, because others may read it: chmod 0600 {place}"))
            }
            Ok((Err(why), _)) => passed_over(format!("the password in {place} {why}")),
            Ok((Ok(Some(password)), _)) => Self { password: Some((password, place.to_string())), warning: None },
        }
    }

    /// The password, if there is any.
    #[must_use]
    pub fn password(&self) -> Option<&Secret> {
        self.password.as_ref().map(|(password, _)| password)
    }

    /// Where it came from.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.password.as_ref().map(|(_, place)| place.as_str())
    }

    /// Why a place was passed over.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

/// The password that a variable of the environment has, with the variable's name.
#[must_use]
pub fn in_environment(variable: &str) -> Option<(Secret, String)> {
    let password = env::var(variable).ok().filter(|password| !password.is_empty());
    password.map(|password| (Secret::new(password), variable.to_owned()))
}

/// The text of a file, and who may read it.
fn read(file: File) -> std::io::Result<(String, u32)> {
    let (mode, mut text) = (file.metadata()?.mode(), String::new());
    file.take(dbdyno_files::TEXT_BYTES).read_to_string(&mut text)?;
    Ok((text, mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn all(text: &str) -> Result<Option<Secret>, String> {
        match text {
            "" => Ok(None),
            "theirs" => Err("is that of scott".to_owned()),
            text => Ok(Some(Secret::new(text))),
        }
    }

    #[test]
    fn the_targets_password_comes_first_and_is_not_shown() {
        let found = FoundPassword::look(Some(&Secret::new("tiger")), None);
        let found = found.or_in_file(Some(Path::new("/etc/passwd")), all);
        assert_eq!((found.password(), found.place()), (Some(&Secret::new("tiger")), Some("the target or the prompt")));
        assert!(!format!("{found:?}").contains("tiger"));
    }

    #[test]
    fn files_that_others_read_or_that_are_none_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("passwords");
        let look = |path: &Path| FoundPassword::default().or_in_file(Some(path), all);
        let written = |text: &str, mode: u32| {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            look(&file)
        };
        let found = written("tiger", 0o600);
        assert_eq!((found.password(), found.place()), (Some(&Secret::new("tiger")), file.to_str()));
        for mode in [0o640, 0o604] {
            let found = written("tiger", mode);
            assert!(found.password().is_none() && found.warning().unwrap().contains("chmod 0600"), "{found:?}");
            // Where there is no password, nobody need be told.
            assert_eq!(written("", mode), FoundPassword::default());
        }
        let found = written("theirs", 0o600);
        assert!(found.password().is_none() && found.warning().unwrap().ends_with("passwords is that of scott"));
        assert_eq!(look(&folder.path().join("none")), FoundPassword::default());
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&pipe).status().unwrap().success());
        for other in [folder.path(), &pipe] {
            assert!(look(other).warning().unwrap().contains("no plain file"), "{other:?}");
        }
    }
}

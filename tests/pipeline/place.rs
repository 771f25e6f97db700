//! A folder in which a pipeline runs, with a release of dbdyno beside it.

use crate::ROOT;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version that the releases of these tests have.
pub(crate) const VERSION: &str = "0.1.0";
/// How long a pipeline may take: only a hang takes this long.
const LONGEST_S: &str = "400";

/// Variables of a shell, by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// How a shell ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Asserts an exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "\n--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }
}

/// A folder, gone at the end.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    /// On a device's file system, because the folder for temporary files may be in memory.
    pub(crate) fn new() -> Self {
        Self(tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A program in a folder of its own, which is the answer.
    pub(crate) fn program(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(&format!("programs-{name}/{name}"), text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.parent().unwrap().to_owned()
    }

    /// A folder of the examples, under another name.
    pub(crate) fn copy(&self, example: &str, name: &str) {
        std::fs::create_dir_all(self.path(name)).unwrap();
        for entry in std::fs::read_dir(Path::new(ROOT).join("examples/pipeline").join(example)).unwrap() {
            let file = entry.unwrap().path();
            if file.is_file() {
                std::fs::copy(&file, self.path(name).join(file.file_name().unwrap())).unwrap();
            }
        }
    }

    /// Runs a script by bash with these options, as a pipeline does. Nothing of the user's own reaches it.
    pub(crate) fn bash(&self, options: &[&str], script: &str, variables: &Variables) -> Ended {
        let script = self.write("step.sh", script);
        let mut command = Command::new("timeout");
        command.arg(LONGEST_S).arg("bash").args(options).arg(script);
        let ours = std::env::vars_os().map(|(name, _)| name);
        let foreign = ["DBDYNO_", "PG", "MYSQL_", "GITHUB_", "RUNNER_", "CI"];
        for name in ours.filter(|name| foreign.iter().any(|begin| name.to_string_lossy().starts_with(begin))) {
            command.env_remove(name);
        }
        command.current_dir(self.0.path()).stdin(Stdio::null()).env("HOME", self.0.path()).envs(variables);
        let output = command.output().unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        Ended { code: output.status.code(), stdout, stderr }
    }

    /// Makes a release with this program, and returns the URL of all releases.
    pub(crate) fn release(&self, program: &str) -> String {
        let name = format!("dbdyno-{VERSION}-linux-x86_64");
        let path = self.write(&format!("{name}/dbdyno"), program);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let script = format!(
            "mkdir -p releases/v{VERSION}
             tar --create --gzip --file releases/v{VERSION}/{name}.tar.gz {name}
             cd releases/v{VERSION} && sha256sum {name}.tar.gz >SHA256SUMS"
        );
        self.bash(&["-e"], &script, &Variables::new()).expect(0);
        format!("file://{}", self.path("releases").display())
    }

    /// A release of the dbdyno under test.
    pub(crate) fn own_release(&self) -> String {
        self.release(&format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_dbdyno")))
    }
}

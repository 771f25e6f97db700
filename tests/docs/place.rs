//! A folder in which the commands of a page are run, with servers of its own.

use crate::ROOT;
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

const DBDYNO: &str = env!("CARGO_BIN_EXE_dbdyno");
/// How long the commands of a page may take: only a hang takes this long.
const LONGEST_S: &str = "500";
/// Whatever dbdyno would read of the user's own.
const VARIABLES: [&str; 8] = [
    "DBDYNO_RESULTS",
    "DBDYNO_CATALOGUE",
    "DBDYNO_PASSWORD",
    "PGPASSWORD",
    "PGPASSFILE",
    "MYSQL_PWD",
    "COLUMNS",
    "LD_PRELOAD",
];

/// Commands of which one failed.
pub(crate) struct FailedCommands {
    /// The shell's, which is that of the command.
    pub(crate) exit_code: Option<i32>,
    /// Which it was, and what it said.
    pub(crate) text: String,
}

/// A folder, gone at the end with its servers.
pub(crate) struct Place {
    /// On a device's file system, because the folder for temporary files may be in memory.
    folder: tempfile::TempDir,
    /// Where the users that run servers can reach it.
    servers: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let servers = tempfile::tempdir().unwrap();
        std::fs::set_permissions(servers.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        // Pages speak of these files as if from the root.
        for name in ["catalogue", "examples", "pipeline"] {
            symlink(Path::new(ROOT).join(name), folder.path().join(name)).unwrap();
        }
        Self { folder, servers }
    }

    /// The output of commands.
    ///
    /// # Errors
    /// One of them failed.
    pub(crate) fn bash(&self, script: &str) -> Result<String, FailedCommands> {
        let mut command = Command::new("timeout");
        command.args([LONGEST_S, "bash", "-eux", "-c", script]);
        let path = std::env::var("PATH").unwrap_or_default();
        let output = self
            .settled(&mut command)
            .env("PATH", format!("{}:{path}", Path::new(DBDYNO).parent().unwrap().display()))
            .output()
            .unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        // The trace of the shell ends with the command that failed.
        let end = |text: &str| {
            text.lines().rev().take(25).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
        };
        match output.status.success() {
            true => Ok(stdout),
            false => {
                let text = format!("{}\n{}\n{}", output.status, end(&stdout), end(&stderr));
                Err(FailedCommands { exit_code: output.status.code(), text })
            }
        }
    }

    /// The JSON documents in the folder, by the names of their files without the end.
    pub(crate) fn documents(&self) -> BTreeMap<String, Value> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let documents = files.filter(|file| file.extension().is_some_and(|end| end == "json"));
        let read = |file: &Path| {
            serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
        };
        documents.map(|file| (file.file_stem().unwrap().to_string_lossy().into_owned(), read(&file))).collect()
    }

    fn settled<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        for name in VARIABLES {
            command.env_remove(name);
        }
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("HOME", self.folder.path()).env("DBDYNO_HOME", self.servers.path().join("home"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.servers.path().join("home").exists() {
            for engine in ["postgres", "mariadb"] {
                _ = self.settled(Command::new(DBDYNO).args(["down", engine, "--keep=false"])).output();
            }
        }
    }
}

//! A room with a private server, which ends with the room, and a look inside such a server.

use crate::support::{Ending, Room, Running, text};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// A room whose private servers end with it. The server's user must be able to reach it.
pub(crate) struct Home {
    pub(crate) room: Room,
    engine: &'static str,
}

impl Home {
    pub(crate) fn new(engine: &'static str) -> Self {
        let room = Room::new();
        std::fs::set_permissions(room.folder(), std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { room, engine }
    }

    /// Runs a command in which `ENGINE` stands for the engine.
    pub(crate) fn run(&self, line: &str) -> Ending {
        self.room.run(&line.replace("ENGINE", self.engine))
    }

    pub(crate) fn start(&self) -> Running {
        self.room.start(&format!("up {} --size T --json", self.engine))
    }

    /// The JSON output of `up`.
    #[track_caller]
    pub(crate) fn up(&self, options: &str) -> Value {
        self.run(&format!("up ENGINE {options} --json")).expect(0).json()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.room.path("home").join(self.engine).join("data")
    }

    /// The result of SQL with the client that `up` names.
    #[track_caller]
    pub(crate) fn inside(&self, up: &Value, sql: &str) -> String {
        // The client runs `$1` and prints values only.
        let arguments = match self.engine {
            "postgres" => "--no-psqlrc --tuples-only --no-align --command=\"$1\"",
            _ => "--batch --skip-column-names --execute=\"$1\"",
        };
        let shell = format!("{} {arguments}", text(up, "/shell_command"));
        let output = Command::new("sh").args(["-c", &shell, "sh", sql]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        _ = self.run("down ENGINE --keep=false");
    }
}

/// Whether a process exists and is not a zombie.
pub(crate) fn lives(pid: u64) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

//! A real terminal of any size, in tmux.

use crate::support::{DBDYNO, Room};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Only what hangs takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Files in which the shell notes the terminal's settings, and the exit code.
const BEFORE: &str = "terminal-before";
const AFTER: &str = "terminal-after";
const CODE: &str = "terminal-code";

/// A terminal with a shell in it, in the folder of a room.
pub(crate) struct Terminal {
    socket: TempDir,
    folder: PathBuf,
}

impl Terminal {
    /// Opens one, with these variables in the shell's environment.
    pub(crate) fn open(room: &Room, (width, height): (u16, u16), environment: &[(&str, &str)]) -> Self {
        let terminal = Self { socket: tempfile::tempdir().unwrap(), folder: room.folder().to_owned() };
        let mut tmux = terminal.tmux();
        room.settle_in(&mut tmux);
        tmux.env("LC_ALL", "C.UTF-8")
            .env("PS1", "> ")
            .env_remove("TMUX")
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied());
        tmux.args(["-f", "/dev/null", "-u", "new-session", "-d", "-x", &width.to_string(), "-y", &height.to_string()]);
        let made = tmux.arg("sh").status().expect("no tmux is installed; `bash tests/servers` installs it");
        assert!(made.success(), "{made}");
        terminal
    }

    fn tmux(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(self.socket.path().join("socket"));
        tmux
    }

    fn said(&self, arguments: &[&str]) -> String {
        let output = self.tmux().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Types a line into the shell.
    fn types(&self, line: &str) {
        self.said(&["send-keys", "-l", line]);
        self.key("Enter");
    }

    /// Runs dbdyno with these arguments, and notes how it left the terminal.
    pub(crate) fn runs(&self, arguments: &str) {
        for file in [BEFORE, AFTER, CODE] {
            _ = std::fs::remove_file(self.folder.join(file));
        }
        // Targets have signs in them that a shell would take for its own.
        let quoted = |word: &str| if word.contains("://") { format!("'{word}'") } else { word.to_owned() };
        let arguments = arguments.split(' ').map(quoted).collect::<Vec<_>>().join(" ");
        self.types(&format!("clear; stty -a >{BEFORE}; {DBDYNO} {arguments}; echo $? >{CODE}; stty -a >{AFTER}"));
    }

    /// The exit code of what was run, once it has ended.
    pub(crate) fn left_with(&self) -> Option<i32> {
        std::fs::read_to_string(self.folder.join(CODE)).ok()?.trim().parse().ok()
    }

    /// The same, waited for.
    #[track_caller]
    pub(crate) fn until_left(&self) -> i32 {
        self.until("the end", |_| self.left_with().is_some());
        self.left_with().unwrap()
    }

    /// Asserts that the terminal is as what was run found it.
    #[track_caller]
    pub(crate) fn is_as_before(&self) {
        let settings = |name: &str| std::fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        self.until("the terminal's settings", |_| settings(AFTER).contains("rows"));
        assert_eq!(settings(AFTER), settings(BEFORE));
        assert!(!self.is_taken(), "the whole terminal is still taken");
    }

    /// The process that works in it, if any.
    pub(crate) fn at_work(&self) -> Option<u64> {
        let shell = self.tmux().args(["display-message", "-p", "#{pane_pid}"]).output().ok()?.stdout;
        let children = format!("/proc/{0}/task/{0}/children", String::from_utf8(shell).ok()?.trim());
        std::fs::read_to_string(children).ok()?.split_whitespace().next()?.parse().ok()
    }

    /// Closes it, whatever works in it.
    pub(crate) fn close(&self) {
        _ = self.tmux().arg("kill-server").stderr(Stdio::null()).status();
    }

    /// Presses a key.
    pub(crate) fn key(&self, key: &str) {
        self.said(&["send-keys", key]);
    }

    /// What is on the screen, as text.
    pub(crate) fn screen(&self) -> String {
        self.said(&["capture-pane", "-p"])
    }

    /// The same with what sets colours.
    pub(crate) fn coloured(&self) -> String {
        self.said(&["capture-pane", "-p", "-e"])
    }

    /// Whether a program has taken the whole terminal.
    pub(crate) fn is_taken(&self) -> bool {
        self.said(&["display-message", "-p", "#{alternate_on}"]).trim() == "1"
    }

    /// Waits until the screen is as asked for.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, so: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if so(&screen) {
                return screen;
            }
            assert!(began.elapsed() < PATIENCE, "waited for {what} in vain:\n{screen}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // After a story that has failed.
        if let Some(pid) = self.at_work() {
            _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        }
        self.close();
    }
}

//! Starting a program that outlives dbdyno, behind a gate. A small shell waits for a word on its input before it
//! becomes the program, under the same process id. So the process can be recorded, and put into its control group,
//! before the program does anything; and when dbdyno dies in between, the input ends and nothing is started.

use super::account::Account;
use super::process::Process;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Files of the caller's that dbdyno was given besides the usual three are closed, or a server would keep a pipe or a
/// lock of the caller's for as long as it runs. Only bash can close files with numbers above 9.
const GATE: &str = r#"read -r word && [ "$word" = go ] || exit 1
umask 077
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
if [ -n "$BASH_VERSION" ]; then
  for file in /proc/$$/fd/[1-9][0-9]*; do
    [ -e "$file" ] && eval "exec ${file##*/}>&-"
  done
fi
"#;
const WITHOUT_INPUT: &str = r#"exec "$@" </dev/null"#;
const WITH_INPUT: &str = r#"exec "$@""#;

/// A program to run.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) path: &'a Path,
    pub(super) arguments: &'a [OsString],
    pub(super) input: Option<&'a str>,
    /// What it has in its environment besides the usual.
    pub(super) environment: &'a [(OsString, OsString)],
}

/// A process that waits at the gate. Dropped, it ends.
pub(super) struct Waiting {
    pub(super) process: Process,
    gate: ChildStdin,
    input: String,
    ended: Receiver<ExitStatus>,
}

/// A process behind the gate. Dropped, it goes on.
pub(super) struct Going {
    pub(super) process: Process,
    ended: Receiver<ExitStatus>,
}

impl Waiting {
    /// Brings a process to the gate, in a session of its own; all that the program says goes to the log.
    pub(super) fn new(account: &Account, program: &Program<'_>, log: &File) -> io::Result<Self> {
        let script = format!("{GATE}{}", if program.input.is_some() { WITH_INPUT } else { WITHOUT_INPUT });
        let mut command = session(account);
        command.envs(program.environment.iter().map(|(name, value)| (name, value)));
        command.args(["-c", &script, "sh"]).arg(program.path).args(program.arguments);
        command.stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log.try_clone()?);
        let mut child = command.spawn()?;
        let gate = child.stdin.take().ok_or_else(|| io::Error::other("the new process has no input"))?;
        let process = Process::of(child.id());
        let (tell, ended) = channel();
        // Somebody must notice its end, or it would stay a zombie for as long as this process lives.
        std::thread::Builder::new().name("reaper".to_owned()).spawn(move || {
            if let Ok(status) = child.wait() {
                // Usually nobody asks any more.
                _ = tell.send(status);
            }
        })?;
        let process = process.ok_or_else(|| io::Error::other("the new process ended at once"))?;
        Ok(Self { process, gate, input: format!("go\n{}", program.input.unwrap_or_default()), ended })
    }

    /// Opens the gate.
    pub(super) fn go(self) -> io::Result<Going> {
        let Self { process, mut gate, input, ended } = self;
        gate.write_all(input.as_bytes())?;
        Ok(Going { process, ended })
    }
}

impl Going {
    /// Waits for its end; `None` when `give_up` says so first.
    pub(super) fn wait(&self, give_up: &dyn Fn() -> bool) -> Option<ExitStatus> {
        const LOOK_EVERY: Duration = Duration::from_millis(50);
        loop {
            match self.ended.recv_timeout(LOOK_EVERY) {
                Ok(status) => return Some(status),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if give_up() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// A shell that leads a session of its own, or at least a process group, so that neither Ctrl-C nor the end of the
/// terminal reaches what it becomes.
fn session(account: &Account) -> Command {
    let shell = first_of(&["/bin/bash", "/usr/bin/bash"]).unwrap_or_else(|| PathBuf::from("/bin/sh"));
    match setsid() {
        Some(setsid) => {
            let mut command = account.command(&setsid);
            command.arg(shell);
            command
        }
        None => {
            let mut command = account.command(&shell);
            command.process_group(0);
            command
        }
    }
}

fn setsid() -> Option<PathBuf> {
    first_of(&["/usr/bin/setsid", "/bin/setsid"])
}

fn first_of(programs: &[&str]) -> Option<PathBuf> {
    programs.iter().map(PathBuf::from).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn gated(dir: &Path, script: &str, input: Option<&str>) -> (Waiting, PathBuf) {
        std::fs::set_permissions(dir, PermissionsExt::from_mode(0o755)).unwrap();
        let log = dir.join("log");
        let arguments = ["-c".into(), script.into()];
        let program = Program { path: Path::new("/bin/sh"), arguments: &arguments, input, environment: &[] };
        let account = Account::choose(&[]).unwrap();
        (Waiting::new(&account, &program, &File::create(&log).unwrap()).unwrap(), log)
    }

    #[test]
    fn nothing_runs_before_the_gate_opens_and_the_process_stays_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let (waiting, log) = gated(dir.path(), "echo $$; read line; echo $line; ps -o sid= -p $$", Some("hello\n"));
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "");
        let pid = waiting.process.pid;
        assert!(waiting.go().unwrap().wait(&|| false).unwrap().success());
        let said = std::fs::read_to_string(&log).unwrap();
        assert!(said.starts_with(&format!("{pid}\nhello\n")), "{said}");
        let session = said.lines().nth(2).map(str::trim);
        assert!(setsid().is_none() || session == Some(&pid.to_string()), "{said}");
    }

    #[test]
    fn files_of_the_caller_are_not_kept_open() {
        let dir = tempfile::tempdir().unwrap();
        // A shell that hands on two files, as callers do with locks and pipes, and then the gate as dbdyno runs it.
        let gate = format!("{GATE}{WITHOUT_INPUT}");
        let script = "exec 7>\"$2/seven\"; exec 33>\"$2/more\"; echo go | \"$0\" -c \"$1\" sh ls -l /proc/self/fd";
        let Some(bash) = first_of(&["/bin/bash", "/usr/bin/bash"]) else { return };
        let output = Command::new(&bash).args(["-c", script]).arg(&bash).arg(gate).arg(dir.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("/dev/null") && !said.contains("seven") && !said.contains("more"), "{said}");
    }

    #[test]
    fn who_is_not_let_through_ends() {
        let dir = tempfile::tempdir().unwrap();
        let (waiting, log) = gated(dir.path(), "echo started", None);
        let process = waiting.process.clone();
        drop(waiting);
        assert!(process.ended_within(Duration::from_secs(5), &|| false));
        assert_eq!(std::fs::read_to_string(log).unwrap(), "");
    }
}

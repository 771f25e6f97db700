//! `fleet up` and `fleet down`: a NATS server and agents on this machine, for trying.

use super::super::context::Context;
use super::processes::{end, start};
use super::started::{KEY_VARIABLE, LocalFleet, RECORD, agents, folder, recorded};
use crate::cli::{FilesArgs, FleetUpArgs};
use crate::error::Error;
use crate::output;
use dbdyno_engine::servers::free_port;
use dbdyno_fleet::FleetKey;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// By then an agent that cannot work has ended.
const AGENT_TIME: Duration = Duration::from_millis(300);
/// How long the server may take to answer.
const START_LIMIT: Duration = Duration::from_secs(10);

pub(super) fn up(args: &FleetUpArgs, context: &Context) -> Result<(), Error> {
    if recorded(&folder()?).is_some_and(|fleet| fleet.lives()) {
        return Err(Error::Usage("a fleet runs here already: `dbdyno fleet down` stops it".to_owned()));
    }
    let files = &args.files.file;
    if let Some(file) = files.iter().find(|file| !file.exists()) {
        return Err(Error::Usage(format!(
            "{} is not there, and agents share what is: `dbdyno orion -run simple --file {0} --file-size 4G` makes a test file",
            file.display()
        )));
    }
    let folder = folder()?;
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: std::io::Error| Error::Internal(format!("{what}: {error}"))
    };
    make_private(&folder).map_err(failed("making the fleet's folder"))?;
    let lock = dbdyno_files::Lock::take(&folder.join("lock")).map_err(failed("locking the fleet's folder"))?;
    if lock.is_none() {
        return Err(Error::Usage("another `dbdyno fleet up` is at work: let it end first".to_owned()));
    }
    let made = || FleetKey::make().map_err(dbdyno_fleet::FleetError::from);
    let (key, password) = (made()?.reveal().to_owned(), made()?.reveal().to_owned());
    let port = free_port().map_err(failed("finding a free port"))?;
    let config = folder.join("nats.conf");
    let text = format!("listen: 127.0.0.1:{port}\nauthorization {{ user: dbdyno, password: \"{password}\" }}\n");
    write_secret(&config, text.as_bytes()).map_err(failed("writing the server's settings"))?;
    let program = nats_server()?;
    let server = start(Command::new(&program).arg("-c").arg(&config), &folder.join("nats.log"));
    let server = server.map_err(failed(&format!("starting {}", program.display())))?;
    let mut fleet = LocalFleet { port, password, key, server, agents: Vec::new() };
    let began = start_all(&mut fleet, args, &folder);
    if let Err(error) = began {
        stop(&fleet, &folder);
        return Err(error);
    }
    output::line(&format!(
        "A NATS server on 127.0.0.1:{port} and {} of the fleet `fleet` run here; logs are in {}",
        agents(fleet.agents.len()),
        folder.display()
    ))?;
    let next = match &args.target {
        Some(target) => format!("dbdyno run T611 --target {}", output::shell_word(target)),
        None => {
            let files = files.iter().map(|file| format!(" --file {}", output::shell_word(&file.to_string_lossy())));
            format!("dbdyno orion -run simple{}", files.collect::<String>())
        }
    };
    let fleet = format!("{next} --fleet fleet={}", args.agents);
    context.say_next(&fleet, "measures with it; `dbdyno fleet down` ends it");
    Ok(())
}

/// Writes down what was started, so that `fleet down` finds it whatever happens next.
fn keep(fleet: &LocalFleet, folder: &Path) -> Result<(), Error> {
    let record = serde_json::to_vec_pretty(fleet).unwrap_or_default();
    let kept = write_secret(&folder.join(RECORD), &record);
    kept.map_err(|error| Error::Internal(format!("keeping what was started: {error}")))
}

fn start_all(fleet: &mut LocalFleet, args: &FleetUpArgs, folder: &Path) -> Result<(), Error> {
    keep(fleet, folder)?;
    let began = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", fleet.port)).is_err() {
        if began.elapsed() > START_LIMIT || !fleet.server.lives() {
            let log = std::fs::read_to_string(folder.join("nats.log")).unwrap_or_default();
            let last = output::clean(log.lines().last().unwrap_or("it said nothing"));
            return Err(Error::Internal(format!("nats-server does not answer: {last}")));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let program =
        std::env::current_exe().map_err(|error| Error::Internal(format!("finding dbdyno itself: {error}")))?;
    for n in 1..=args.agents {
        let name = agent_name(n as usize);
        let mut command = Command::new(&program);
        command.args(["agent", "--name", &name]).arg("--parts").arg(folder.join(&name));
        // Others can read a command line, and a target may hold a password.
        command.envs(args.target.as_ref().map(|target| ("DBDYNO_TARGET", target)));
        let FilesArgs { file, destroy_data, really } = &args.files;
        file.iter().for_each(|file| _ = command.arg("--file").arg(file));
        destroy_data.iter().for_each(|file| _ = command.arg("--destroy-data").arg(file));
        command.args(really.then_some("--really"));
        command.env("DBDYNO_NATS", fleet.url()).env(KEY_VARIABLE, &fleet.key);
        let started = start(&mut command, &folder.join(format!("{name}.log")));
        fleet.agents.push(started.map_err(|error| Error::Internal(format!("starting {name}: {error}")))?);
        keep(fleet, folder)?;
    }
    std::thread::sleep(AGENT_TIME);
    match fleet.agents.iter().position(|agent| !agent.lives()) {
        None => Ok(()),
        Some(n) => {
            let log = std::fs::read_to_string(folder.join(format!("{}.log", agent_name(n + 1)))).unwrap_or_default();
            let last = output::clean(log.lines().last().unwrap_or("it said nothing"));
            Err(Error::Internal(format!("{} has ended: {last}", agent_name(n + 1))))
        }
    }
}

fn agent_name(n: usize) -> String {
    format!("agent-{n}")
}

fn stop(fleet: &LocalFleet, folder: &Path) {
    end(fleet.agents.iter());
    end([&fleet.server].into_iter());
    // Parts of points that nobody waits for any more.
    for n in 1..=fleet.agents.len() {
        let _ = std::fs::remove_dir_all(folder.join(agent_name(n)));
    }
    // What is left is written anew by the next start.
    let _ = std::fs::remove_file(folder.join(RECORD));
}

pub(super) fn down(context: &Context) -> Result<(), Error> {
    let folder = folder()?;
    let Some(fleet) = recorded(&folder) else {
        return Err(Error::Usage(
            "no fleet was started here; `dbdyno fleet up N --target URL` (or `--file PATH`) starts one".to_owned(),
        ));
    };
    stop(&fleet, &folder);
    context.say("stopped: the agents and the NATS server of `fleet up`");
    Ok(())
}

/// Makes a folder that nobody else may enter, in one that others may.
fn make_private(folder: &Path) -> std::io::Result<()> {
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Writes a file that nobody else may read.
fn write_secret(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)
}

/// The program, in PATH or where distributions put it.
fn nats_server() -> Result<PathBuf, Error> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin", "/usr/local/bin"].map(PathBuf::from));
    let found = folders.map(|folder| folder.join("nats-server")).find(|file| file.is_file());
    found.ok_or_else(|| Error::Usage("nats-server is not installed: on Debian, apt install nats-server".to_owned()))
}

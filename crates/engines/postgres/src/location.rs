//! What is known of the server once it has been reached: its version, and whether it runs on this machine, where its
//! files and processes can be seen.

use super::connection::PostgresConnection;
use super::options::Options;
use dbdyno_engine::EngineError;
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::{Connection as _, ServerLocation, namespace};
use std::path::{Path, PathBuf};

/// Bytes of a block unless the server was built for others.
pub(super) const BLOCK_BYTES: u64 = 8_192;

/// How far a session's age, as the server tells it, may lie from the kernel's.
const SESSION_AGE_MARGIN_S: f64 = 2.0;

/// Looks around.
///
/// # Errors
/// The server is lost.
pub(super) fn look(
    connection: &mut PostgresConnection,
    options: &Options,
    private: Option<&PrivateServer>,
) -> Result<ServerLocation, EngineError> {
    let doing = "asking the server where it is";
    let answer = connection.texts(doing, "SELECT current_setting('block_size')")?;
    let first = answer.first().and_then(|row| row.first()).cloned().flatten();
    let block_bytes = first.and_then(|size| size.parse().ok()).unwrap_or(BLOCK_BYTES);
    if let Some(private) = private {
        return Ok(ServerLocation::of_process(Some(private.pid), Some(private.data.clone()), block_bytes));
    }
    let server_pid = match options.hosts.as_slice() {
        [host] if host.is_local() => main_process(connection.session_id()).or_else(|| contained(connection)),
        [_] => contained(connection),
        _ => None,
    };
    let data = match server_pid {
        // Only administrators may ask for the folder; a target without it is measured without the sight of its
        // files.
        Some(_) => connection.texts(doing, "SELECT current_setting('data_directory')").ok(),
        None => None,
    };
    let data = data.and_then(|rows| rows.first()?.first()?.clone()).map(PathBuf::from);
    let data = data.zip(server_pid).and_then(|(folder, pid)| namespace::seen_folder(pid, &folder, is_of));
    Ok(ServerLocation::of_process(server_pid, data, block_bytes))
}

/// The main process of the server that a session's process belongs to. A loopback port may be a tunnel to another
/// machine, or lead into a container: then there is no such process here, or it is something else.
fn main_process(backend_pid: u64) -> Option<u32> {
    let name = std::fs::read_to_string(Path::new("/proc").join(backend_pid.to_string()).join("comm")).ok()?;
    let parent = namespace::parent(backend_pid.try_into().ok()?)?;
    (name.trim_end().starts_with("postgres") && parent > 1).then_some(parent)
}

/// The main process of a server that runs on this machine in a container: there the session's process has the number
/// that the server tells, and it began when the server says. Another machine's session would have to be both by chance.
fn contained(connection: &mut PostgresConnection) -> Option<u32> {
    let sql = "SELECT extract(epoch FROM clock_timestamp() - backend_start) FROM pg_catalog.pg_stat_activity \
               WHERE pid = pg_backend_pid()";
    let told = connection.texts("asking the session for its age", sql).ok()?;
    let told_s: f64 = told.first()?.first()?.as_deref()?.parse().ok()?;
    let session = u32::try_from(connection.session_id()).ok();
    let is_it = |pid: &u32| {
        let age_s = namespace::age_s(*pid);
        namespace::inner_pid(*pid) == session && age_s.is_some_and(|s| (s - told_s).abs() <= SESSION_AGE_MARGIN_S)
    };
    let found: Vec<u32> = namespace::processes(&["postgres"]).into_iter().filter(is_it).collect();
    // Of two nobody knows which.
    let [session] = found[..] else { return None };
    main_process(session.into())
}

/// Whether a data folder is that of a server, which notes its process there. Where the server runs in a container, the
/// same path may lead to another cluster here.
fn is_of(folder: &Path, server_pid: u32) -> bool {
    match std::fs::read_to_string(folder.join("postmaster.pid")) {
        // The server notes the number by which it knows itself.
        Ok(noted) => noted.lines().next().and_then(|pid| pid.trim().parse().ok()) == namespace::inner_pid(server_pid),
        // The folder may be seen, and this file not.
        Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Server;
    use dbdyno_engine::Target;

    #[test]
    fn the_data_folder_is_that_of_the_server_that_answers() {
        let server = Server::start();
        let at = |target: &str| {
            let options = Options::parse(&Target::parse(target).unwrap()).unwrap();
            let mut connection = PostgresConnection::open(&options, 0, "dbdyno").unwrap();
            look(&mut connection, &options, None).unwrap()
        };
        let target = server.socket("postgres", "postgres");
        let location = at(&target);
        assert_eq!((location.server_pid, location.data), (Some(server.pid()), Some(server.data())));
        // Another cluster under the same path, as in another container.
        let file = server.data().join("postmaster.pid");
        let noted = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, noted.replacen(&server.pid().to_string(), "1", 1)).unwrap();
        let location = at(&target);
        assert_eq!((location.server_pid, location.data), (Some(server.pid()), None));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(at(&target).data, None);
    }

    #[test]
    fn other_processes_are_no_servers() {
        assert_eq!(main_process(u64::from(std::process::id())), None);
        assert_eq!(main_process(i32::MAX as u64), None);
    }
}

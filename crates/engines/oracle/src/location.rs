//! What is known of the server once it has been reached: whether it runs on this machine, and where its files are.
//!
//! Oracle's processes are no children of one that could be named, so the server's processor time is not told from that
//! of others; and files in ASM or on another machine are none that could be evicted from a page cache here.

use super::connection::OracleConnection;
use super::describe;
use super::options::Options;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::ServerLocation;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a block unless the tablespace was made with others.
pub(super) const BLOCK_BYTES: u64 = 8_192;

/// Looks around.
///
/// # Errors
/// The server is lost.
pub(super) fn look(connection: &mut OracleConnection, options: &Options) -> Result<ServerLocation, EngineError> {
    let tablespace = describe::ask(connection, "block_size")?;
    let block_bytes = tablespace.get("block_size").and_then(|bytes| bytes.parse().ok()).unwrap_or(BLOCK_BYTES);
    // Several nodes are several machines, as far as anybody knows.
    let near = options.places.len() == 1 && options.places.iter().all(super::options::Place::is_local);
    if !near {
        return Ok(ServerLocation { block_bytes, ..ServerLocation::default() });
    }
    let process = describe::ask(connection, "process")?.get("process").and_then(|pid| pid.trim().parse().ok());
    let host = describe::ask(connection, "host")?.get("host_name").cloned().unwrap_or_default();
    let local = process.is_some_and(is_server) && is_ours(&host);
    let files = if local { files(describe::all(connection, "data_files")?) } else { Vec::new() };
    let data = files.first().and_then(|file| Some(file.parent()?.to_owned()));
    Ok(ServerLocation { local, server_pid: None, data, files, block_bytes })
}

/// Whether a process of this machine is one of Oracle's: a loopback port may be a tunnel, or lead into a container.
fn is_server(pid: u32) -> bool {
    let name = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("comm")).unwrap_or_default();
    name.starts_with("oracle") || name.starts_with("ora_")
}

fn is_ours(host: &str) -> bool {
    let ours = rustix::system::uname();
    let ours = ours.nodename().to_str().unwrap_or_default();
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    !host.is_empty() && short(host) == short(ours)
}

/// Those that are files here; names that begin with a plus are ASM's.
fn files(names: Vec<String>) -> Vec<PathBuf> {
    names.into_iter().map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_processes_hosts_and_files_are_none_of_the_server() {
        assert!(!is_server(std::process::id()) && !is_server(u32::MAX));
        assert!(!is_ours("") && !is_ours("surely-another-host.example.org"));
        let ours = rustix::system::uname();
        assert!(is_ours(&format!("{}.example.org", ours.nodename().to_str().unwrap().split('.').next().unwrap())));
        let own = std::env::current_exe().unwrap();
        let names = ["+DATA/CDB1/dbdyno.256.1", "/nowhere/dbdyno01.dbf", own.to_str().unwrap()].map(str::to_owned);
        assert_eq!(files(names.to_vec()), [own]);
    }
}

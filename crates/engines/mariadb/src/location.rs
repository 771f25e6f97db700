//! What is known of the server once it has been reached: whether it runs on this machine, where its files and processes
//! can be seen.

use super::connection::MariaDbConnection;
use super::options::{Address, Host, Options};
use dbdyno_engine::EngineError;
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::{Connection as _, ServerLocation, namespace};
use rustix::net::sockopt::socket_peercred;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// Bytes of a block unless the server's data was made with others.
pub(super) const BLOCK_BYTES: u64 = 16_384;
/// What the server's program is called, from its newer name on.
const PROGRAMS: [&str; 2] = ["mariadbd", "mysqld"];
/// How far the server's own idea of its age may lie from the kernel's: clocks are set, and starting takes its time.
const AGE_MARGIN_S: f64 = 30.0;

const QUESTION: &str = "SELECT @@innodb_page_size, @@hostname, @@datadir, @@socket, @@pid_file";

/// Looks around.
///
/// # Errors
/// The server is lost.
pub(super) fn look(
    connection: &mut MariaDbConnection,
    options: &Options,
    private: Option<&PrivateServer>,
) -> Result<ServerLocation, EngineError> {
    let answer = connection.texts("asking the server where it is", QUESTION)?;
    let mut answer = answer.into_iter().next().unwrap_or_default().into_iter().map(Option::unwrap_or_default);
    let mut next = || answer.next().unwrap_or_default();
    let block_bytes = next().parse().unwrap_or(BLOCK_BYTES);
    if let Some(private) = private {
        return Ok(ServerLocation::of_process(Some(private.pid), Some(private.data.clone()), block_bytes));
    }
    let (host_name, data) = (next(), PathBuf::from(next()));
    let says = Says { host_name, socket: data.join(next()), pid_file: data.join(next()), age_s: age_s(connection)? };
    let server_pid = match options.hosts.as_slice() {
        [host] if host.is_local() => says.process(host).or_else(|| says.contained(&data)),
        [_] => says.contained(&data),
        _ => None,
    };
    let data = server_pid.and_then(|pid| namespace::seen_folder(pid, &data, is_of));
    Ok(ServerLocation::of_process(server_pid, data, block_bytes))
}

/// Seconds since the server started, by its own account.
fn age_s(connection: &mut MariaDbConnection) -> Result<Option<f64>, EngineError> {
    let rows = connection.texts("asking the server for its age", "SHOW GLOBAL STATUS LIKE 'Uptime'")?;
    Ok(rows.first().and_then(|row| row.get(1)?.as_deref()?.parse().ok()))
}

/// What the server says of its place.
struct Says {
    host_name: String,
    socket: PathBuf,
    pid_file: PathBuf,
    age_s: Option<f64>,
}

impl Says {
    /// The server's process. A loopback port may be a tunnel to another machine, or lead into a container, and a socket
    /// may be passed on; then there is no such process here, or it is something else.
    fn process(&self, host: &Host) -> Option<u32> {
        let own_socket = match &host.address {
            Address::Socket(path) => listener(path).filter(|pid| is_server(*pid)),
            Address::Tcp(_) => None,
        };
        // Whoever listens on the very socket that we speak through is the server. All else only says so.
        own_socket.or_else(|| self.host_name_is_ours().then(|| self.claimed_process()).flatten())
    }

    fn claimed_process(&self) -> Option<u32> {
        let noted = || fs::read_to_string(&self.pid_file).ok()?.trim().parse().ok();
        let candidates = [listener(&self.socket), noted()];
        candidates.into_iter().flatten().find(|pid| is_server(*pid) && self.is_as_old_as(*pid))
    }

    /// The process of a server that runs on this machine in a container: it is as old as the server says, on a machine
    /// of that name, works in that folder, and has noted its own number where the server says.
    fn contained(&self, data: &Path) -> Option<u32> {
        let is_it = |pid: &u32| {
            let noted = fs::read_to_string(namespace::seen_by(*pid, &self.pid_file)).ok();
            let noted = noted.and_then(|pid| pid.trim().parse().ok());
            noted.is_some()
                && noted == namespace::inner_pid(*pid)
                && self.is_as_old_as(*pid)
                && (self.host_name_is_ours() || namespace::host_name(*pid).as_ref() == Some(&self.host_name))
                && is_of(&namespace::seen_by(*pid, data), *pid)
        };
        let found: Vec<u32> = namespace::processes(&PROGRAMS).into_iter().filter(is_it).collect();
        // Of two nobody knows which.
        if let [pid] = found[..] { Some(pid) } else { None }
    }

    fn host_name_is_ours(&self) -> bool {
        rustix::system::uname().nodename().to_str().is_ok_and(|ours| ours == self.host_name)
    }

    fn is_as_old_as(&self, pid: u32) -> bool {
        let ages = self.age_s.zip(namespace::age_s(pid));
        ages.is_some_and(|(claimed, seen)| (claimed - seen).abs() <= AGE_MARGIN_S)
    }
}

/// The process that listens on a socket, as the kernel knows it; none where that runs in a container of its own.
fn listener(socket: &Path) -> Option<u32> {
    let stream = UnixStream::connect(socket).ok()?;
    let peer = socket_peercred(&stream).ok()?;
    u32::try_from(peer.pid.as_raw_nonzero().get()).ok()
}

fn is_server(pid: u32) -> bool {
    let name = fs::read_to_string(process(pid).join("comm")).unwrap_or_default();
    PROGRAMS.contains(&name.trim_end())
}

/// Whether a data folder is that of a server, which works in it and holds locks on its files. Where the server runs in
/// a container, the same path may lead to another server's here.
fn is_of(folder: &Path, server_pid: u32) -> bool {
    match (fs::metadata(process(server_pid).join("cwd")), fs::metadata(folder)) {
        (Ok(works_in), Ok(folder)) => (works_in.dev(), works_in.ino()) == (folder.dev(), folder.ino()),
        // Only the server's own user and administrators see where it works.
        (Err(_), Ok(_)) => holds_lock(server_pid, &folder.join("ibdata1")),
        (_, Err(_)) => false,
    }
}

/// Whether a process holds a lock on a file, by the kernel's list.
fn holds_lock(pid: u32, file: &Path) -> bool {
    let (Ok(about), Ok(locks)) = (fs::metadata(file), fs::read_to_string("/proc/locks")) else { return false };
    let device = about.dev();
    let place = format!("{:02x}:{:02x}:{}", rustix::fs::major(device), rustix::fs::minor(device), about.ino());
    let pid = pid.to_string();
    // `1: POSIX  ADVISORY  WRITE 1234 fe:00:99 0 EOF`
    let is_it = |line: &str| {
        let mut fields = line.split_ascii_whitespace().skip(4);
        fields.next() == Some(pid.as_str()) && fields.next() == Some(place.as_str())
    };
    locks.lines().any(is_it)
}

fn process(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::{Server, ServerOptions};
    use dbdyno_engine::Target;

    fn at(target: &str) -> ServerLocation {
        let options = Options::parse(&Target::parse(target).unwrap()).unwrap();
        let mut connection = MariaDbConnection::open(&options, 0, "dbdyno").unwrap();
        look(&mut connection, &options, None).unwrap()
    }

    #[test]
    fn the_process_and_the_folder_are_those_of_the_server_that_answers() {
        let server = Server::start();
        server.client("", "CREATE USER scott@'127.0.0.1'; GRANT ALL ON dbdyno.* TO scott@'127.0.0.1'");
        for target in [server.socket("root", "dbdyno"), server.tcp("scott", "dbdyno")] {
            let location = at(&target);
            assert_eq!(
                (location.server_pid, location.data.as_deref()),
                (Some(server.pid()), Some(&*server.data())),
                "{target}"
            );
            assert_eq!(location.block_bytes, 16_384);
        }
        // Several nodes are several machines, as far as anybody knows.
        let two = format!("mariadb://scott@127.0.0.1:{0},127.0.0.1:{0}/dbdyno", server.port);
        assert_eq!(at(&two).server_pid, None);
    }

    #[test]
    fn who_only_claims_to_be_here_is_not_believed() {
        let server = ServerOptions::default()
            .making("--innodb-page-size=8k")
            .making("--tmpdir=.")
            .set("innodb-page-size", "8k")
            .start();
        server.client("", "CREATE USER scott@'127.0.0.1'; GRANT ALL ON dbdyno.* TO scott@'127.0.0.1'");
        assert_eq!(at(&server.tcp("scott", "dbdyno")).block_bytes, 8_192);
        let says = |host_name: &str, age_s| Says {
            host_name: host_name.to_owned(),
            socket: server.socket_file(),
            pid_file: PathBuf::from("/nowhere"),
            age_s,
        };
        let ours = rustix::system::uname().nodename().to_str().unwrap().to_owned();
        let age_s = namespace::age_s(server.pid());
        assert_eq!(says(&ours, age_s).claimed_process(), Some(server.pid()));
        let tcp = Host { address: Address::Tcp("127.0.0.1".to_owned()), port: server.port };
        assert_eq!(says(&ours, age_s).process(&tcp), Some(server.pid()));
        assert_eq!(says("another", age_s).process(&tcp), None);
        assert_eq!(says(&ours, age_s.map(|age_s| age_s + 3_600.0)).process(&tcp), None);
        // Whoever it is that answers through the socket is it.
        assert_eq!(
            says("another", None).process(&Host { address: Address::Socket(server.socket_file()), port: 3306 }),
            Some(server.pid())
        );
        assert!(!is_of(Path::new("/tmp"), server.pid()) && is_of(&server.data(), server.pid()));
        assert!(holds_lock(server.pid(), &server.data().join("ibdata1")));
        assert!(!holds_lock(server.pid(), &server.data().join("ib_logfile0")) && !holds_lock(1, Path::new("/nowhere")));
    }

    #[test]
    fn other_processes_are_no_servers() {
        assert!(!is_server(std::process::id()) && !is_server(u32::MAX));
        assert_eq!(listener(Path::new("/nowhere")), None);
        assert!(namespace::age_s(std::process::id()).is_some_and(|age_s| (-1.0..3_600.0).contains(&age_s)));
    }
}

//! The same for PostgreSQL, whose processes are separate.

use super::*;
use crate::scratch::postgres::{Server, ServerOptions};
use dbdyno_testkit::servers::postgres::SUPERUSER;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A server in a given folder, and perhaps in namespaces of its own, as in a container.
struct Cluster {
    server: Server,
    container: Option<Child>,
}

impl Cluster {
    fn start(below: &Path, contained: bool, settings: &[(&str, &str)]) -> Self {
        let options = ServerOptions::default().below(below).set("shared_buffers", "2MB");
        let mut server = settings.iter().fold(options, |options, (name, value)| options.set(name, value)).start();
        if !contained {
            return Self { server, container: None };
        }
        // Made like any other, and started again where it sees no other processes.
        server.stop();
        let mut container = Command::new("unshare");
        container.args(["--pid", "--fork", "--mount-proc", "--kill-child"]);
        if let Some((uid, gid)) = server.ids() {
            container.args(["setpriv", "--clear-groups", "--reuid", &uid.to_string(), "--regid", &gid.to_string()]);
        }
        container.args(server.start_line().split(' ')).current_dir(server.socket_folder());
        let container = container.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let cluster = Self { server, container: Some(container) };
        let began = Instant::now();
        while !cluster.server.is_ready() {
            assert!(began.elapsed() < Duration::from_secs(60), "the server is not ready");
            std::thread::sleep(Duration::from_millis(50));
        }
        cluster
    }

    fn target(&self) -> String {
        self.server.socket(SUPERUSER, "postgres")
    }

    /// Two addresses of one server, which count as two nodes.
    fn two_addresses(&self) -> String {
        let (folder, port) = (self.server.socket_folder(), self.server.port);
        format!("postgres://{SUPERUSER}@/postgres?host={0},{0}&port={port},{port}", folder.display())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Ending the holder of the namespace ends everything in it.
        if let Some(container) = &mut self.container {
            _ = container.kill().and_then(|()| container.wait());
        }
    }
}

const TESTS: &str = "T426 T616 T626";

fn loaded(cluster: &Cluster) -> Room {
    let room = Room::new();
    room.run(&format!("load --target {} --size T", cluster.target())).expect(0);
    room
}

#[test]
fn a_data_folder_in_memory_is_no_device() {
    let _machine = crate::in_company();
    let cluster = Cluster::start(Path::new("/dev/shm"), false, &[]);
    let room = loaded(&cluster);
    for point in measured(&room, TESTS, &cluster.target(), "") {
        assert!(flag_note(&point, "served_from_os_cache").contains("memory"), "{point:#}");
    }
    std::fs::write(room.path("needs.toml"), needs()).unwrap();
    room.run("verdict last --requirements needs.toml").expect(1);
    let check = room.run(&format!("check --target {}", cluster.target())).expect(0);
    assert!(check.stdout.contains("lie in memory"), "{}", check.stdout);
}

/// A user who may not read other users' processes.
const NOBODY: u32 = 65_534;

/// The points of a run by a user who must not see what the server's processes read.
fn measured_by_nobody(what: &str, room: &Room, cluster: &Cluster) -> Vec<Value> {
    let line = format!("run {what} --target {} --jobs 1 --duration 500ms --json", cluster.target());
    let mut command = room.command(&line);
    command.uid(NOBODY).gid(NOBODY);
    points(&Running::start(command).end().expect(0).json()).clone()
}

/// A thread that evicts the pages of a cluster's files, over and over.
struct Evicting(Arc<AtomicBool>, Option<JoinHandle<()>>);

impl Evicting {
    fn start(data: &Path, pause: Duration) -> Self {
        let files_of = |folder: &Path| {
            let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let files = entries.filter(|path| path.is_file()).filter_map(|path| File::open(path).ok());
            // Small files would only make each round longer.
            files.filter(|file| file.metadata().unwrap().len() >= 1 << 17).collect::<Vec<_>>()
        };
        let databases = std::fs::read_dir(data.join("base")).unwrap();
        let files: Vec<File> = databases.flat_map(|database| files_of(&database.unwrap().path())).collect();
        let goes_on = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&goes_on);
        let evict = move || {
            while asked.load(Ordering::Relaxed) {
                for file in &files {
                    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
                }
                std::thread::sleep(pause);
            }
        };
        Self(goes_on, Some(std::thread::spawn(evict)))
    }
}

impl Drop for Evicting {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
        self.1.take().unwrap().join().unwrap();
    }
}

/// Nothing else may run on the machine meanwhile.
mod alone {
    use super::*;

    #[test]
    fn a_server_in_a_container_of_this_machine_is_seen_through_its_process() {
        for contained in [false, true] {
            let company = crate::in_company();
            let cluster = Cluster::start(Path::new(env!("CARGO_TARGET_TMPDIR")), contained, &[]);
            let room = loaded(&cluster);
            drop(company);
            let _machine = crate::alone();
            // Its pages are evicted, and its device is visible: the figures are those of a device.
            again("a server of this machine", || {
                let points = measured(&room, TESTS, &cluster.target(), "");
                points.iter().try_for_each(|point| {
                    assert!(!flagged(point, "not_proved"), "{point:#}");
                    // Size T is so small that T626 reads its blocks again before they can be evicted.
                    let sound = is_of_a_device(point) || text(point, "/test") == "T626";
                    must(sound && number(point, "/io/read_iops") > 0.0, point)
                })
            });
        }
    }

    #[test]
    fn a_user_to_whom_the_servers_account_is_closed_has_the_engines_count() {
        // Only root can act as another user.
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let company = crate::in_company();
        let disk = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let cluster = Cluster::start(disk, false, &[]);
        loaded(&cluster);
        let room = Room::on_disk();
        std::os::unix::fs::chown(room.folder(), Some(NOBODY), Some(NOBODY)).unwrap();
        drop(company);
        let _machine = crate::alone();
        // The page cache serves everything, and that is detected.
        again("what the page cache gives", || {
            let points = measured_by_nobody("T426 T616", &room, &cluster);
            let cached = |point| flagged(point, "served_from_os_cache") && !flagged(point, "not_proved");
            points.iter().try_for_each(|point| must(cached(point), point))
        });
        // T426 scans, so read-ahead pages must stay until they are needed. T616 reads single blocks, so none may stay,
        // or the kernel takes the neighbours for a scan and reads ahead.
        let data = cluster.server.data();
        for (what, pause_us) in [("T616", 100), ("T426", 10_000)] {
            let _evicting = Evicting::start(&data, Duration::from_micros(pause_us));
            again("what the device reads for the server", || {
                let point = measured_by_nobody(what, &room, &cluster).remove(0);
                must(is_of_a_device(&point), &point)
            });
        }
        let _evicting = Evicting::start(&data, Duration::from_millis(10));
        // Reads of others cannot be separated from it.
        let _reader = ForeignReader::start(&room.path("foreign"));
        again("a foreign reader beside closed accounts", || {
            let point = measured_by_nobody("T426", &room, &cluster).remove(0);
            must(flagged(&point, "not_proved"), &point)
        });
    }

    #[test]
    fn a_server_whose_devices_are_not_seen_is_believed_by_its_times_alone() {
        let company = crate::in_company();
        // Two addresses of one server are two nodes on machines that are not visible.
        let cluster = Cluster::start(Path::new(env!("CARGO_TARGET_TMPDIR")), true, &[("track_io_timing", "off")]);
        let room = loaded(&cluster);
        let afar = cluster.two_addresses();
        for point in measured(&room, "T426 T616", &afar, "--nodes 1") {
            assert!(flagged(&point, "not_proved"), "{point:#}");
        }
        std::fs::write(room.path("needs.toml"), needs()).unwrap();
        let refused = room.run("verdict last --requirements needs.toml").expect(1);
        assert!(refused.stdout.contains("refused: not_proved"), "{}", refused.stdout);
        let accepted = room.run("verdict last --requirements needs.toml --accept not_proved").expect(0);
        assert!(accepted.stdout.contains("Accepted  not_proved"), "{}", accepted.stdout);
        let shown = room.run("show last --table cells").expect(0);
        assert!(shown.stdout.contains('('), "{}", shown.stdout);
        let check = room.run(&format!("check --target {afar}")).expect(0);
        assert!(check.stdout.contains("may fit the server's memory"), "{}", check.stdout);
        drop(cluster);
        // A server that times its reads shows the effect of memory; a scan, which is read ahead, stays unproved.
        let cluster = Cluster::start(Path::new(env!("CARGO_TARGET_TMPDIR")), true, &[("track_io_timing", "on")]);
        let room = loaded(&cluster);
        let afar = cluster.two_addresses();
        drop(company);
        let _machine = crate::alone();
        again("times of reads from the page cache", || {
            let points = measured(&room, TESTS, &afar, "--nodes 1");
            points.iter().try_for_each(|point| {
                let expected = if text(point, "/test") == "T426" { "not_proved" } else { "served_from_os_cache" };
                must(flagged(point, expected), point)
            })
        });
    }
}

//! Reads: page cache, memory file systems, other people's reads, devices that are not seen.

use crate::support::{Room, flag_note, flagged, number, points, text};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a play may be tried again, because others were at work on the machine.
const PLAYS: usize = 10;

/// The points of a run of some tests.
fn measured(room: &Room, what: &str, target: &str, more: &str) -> Vec<Value> {
    let document =
        room.run(&format!("run {what} --target {target} --jobs 1 --duration 1s --json {more}")).expect(0).json();
    points(&document).clone()
}

/// Plays until something is so, since a busy machine may hide it.
fn again(what: &str, mut play: impl FnMut() -> Result<(), String>) {
    let mut why = String::new();
    for _ in 0..PLAYS {
        match play() {
            Ok(()) => return,
            Err(other) => why = other,
        }
    }
    panic!("{what}: {why}");
}

fn must(so: bool, point: &Value) -> Result<(), String> {
    if so { Ok(()) } else { Err(format!("{point:#}")) }
}

/// Figures of storage tests are those of a device: none of what says otherwise was raised.
fn is_of_a_device(point: &Value) -> bool {
    ["served_from_os_cache", "not_proved"].iter().all(|flag| !flagged(point, flag))
}

#[test]
fn a_file_that_memory_holds_is_no_device_and_one_on_a_disk_is() {
    let _machine = crate::alone();
    let room = Room::with_data();
    let (memory, disk) = (tempfile::tempdir_in("/dev/shm").unwrap(), Room::on_disk());
    for folder in [memory.path(), disk.folder()] {
        std::fs::copy(room.path("x.sqlite"), folder.join("x.sqlite")).unwrap();
    }
    for point in measured(&room, "T426 T616 T626", &format!("sqlite:{}/x.sqlite", memory.path().display()), "") {
        assert!(flag_note(&point, "served_from_os_cache").contains("memory"), "{point:#}");
    }
    std::fs::write(room.path("needs.toml"), needs()).unwrap();
    room.run("verdict last --requirements needs.toml").expect(1);
    again("a file on a disk", || {
        // Size T is so small that T626 meets its blocks again before anybody can let them go.
        let points = measured(&disk, "T426 T616", "sqlite:x.sqlite", "");
        points.iter().try_for_each(|point| must(is_of_a_device(point), point))
    });
}

fn needs() -> &'static str {
    "title = \"Shop\"\n[[requirement]]\ntitle = \"Scan\"\ntest = \"T426\"\nmetric = \"rows_per_s\"\nminimum = 1\n"
}

/// A file system in a file, on a loop device.
struct Mounted(std::path::PathBuf);

impl Mounted {
    /// None where this user may not mount.
    fn new(room: &Room) -> Option<Self> {
        let (image, point) = (room.path("image"), room.path("mounted"));
        std::fs::File::create(&image).unwrap().set_len(300 << 20).unwrap();
        std::fs::create_dir(&point).unwrap();
        let done = |command: &mut Command| command.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        let made = done(Command::new("mkfs.ext4").arg("-q").arg(&image));
        (made && done(Command::new("mount").args(["-o", "loop"]).args([&image, &point]))).then_some(Self(point))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        _ = Command::new("umount").arg(&self.0).status();
    }
}

/// What is below a loop device stays in the page cache under another name, where no eviction reaches it.
#[test]
fn pages_that_stay_cached_below_are_no_device() {
    let _machine = crate::alone();
    let disk = Room::on_disk();
    let Some(mounted) = Mounted::new(&disk) else {
        eprintln!("not provoked: this user may not mount");
        return;
    };
    std::fs::copy(Room::with_data().path("x.sqlite"), mounted.0.join("x.sqlite")).unwrap();
    for point in measured(&disk, "T426 T616", "sqlite:mounted/x.sqlite", "") {
        assert!(flag_note(&point, "not_proved").contains("loop device"), "{point:#}");
    }
    drop(mounted);
    std::fs::copy(Room::with_data().path("x.sqlite"), disk.path("x.sqlite")).unwrap();
    again("without a loop device", || {
        let points = measured(&disk, "T426 T616", "sqlite:x.sqlite", "");
        points.iter().try_for_each(|point| must(is_of_a_device(point), point))
    });
}

/// Somebody who reads a file from its device, over and over.
struct ForeignReader(Child);

impl ForeignReader {
    fn start(file: &Path) -> Self {
        std::fs::write(file, vec![7u8; 64 << 20]).unwrap();
        let script = "while :; do dd if=\"$1\" of=/dev/null bs=1M iflag=direct 2> /dev/null; done";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(file).stdin(Stdio::null()).process_group(0);
        Self(shell.spawn().unwrap())
    }
}

impl Drop for ForeignReader {
    fn drop(&mut self) {
        // The shell and what it has started, a group of their own.
        _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.0.id())]).status();
        _ = self.0.wait();
    }
}

#[test]
fn what_others_read_is_foreign_and_the_databases_own_rate_is_printed() {
    let _machine = crate::alone();
    let disk = Room::on_disk();
    std::fs::copy(Room::with_data().path("x.sqlite"), disk.path("x.sqlite")).unwrap();
    let measured = || measured(&disk, "T426", "sqlite:x.sqlite", "").remove(0);
    let reader = ForeignReader::start(&disk.path("foreign"));
    again("a foreign reader", || {
        let point = measured();
        must(flag_note(&point, "foreign_load").contains("for the database and the rest for others"), &point)?;
        let (device, own) = (number(&point, "/io/read_mib_per_s"), number(&point, "/metric/value"));
        must(own < device && own == number(&point, "/database/read_mib_per_s"), &point)
    });
    drop(reader);
    again("without it", || {
        let point = measured();
        must(!flag_note(&point, "foreign_load").contains("for the database"), &point)
    });
}

/// Somebody who writes beside.
#[test]
fn what_others_write_is_foreign() {
    let _machine = crate::alone();
    let disk = Room::on_disk();
    std::fs::copy(Room::with_data().path("x.sqlite"), disk.path("x.sqlite")).unwrap();
    let measured = || measured(&disk, "T716", "sqlite:x.sqlite", "").remove(0);
    let script = "while :; do dd if=/dev/zero of=foreign bs=1M count=256 conv=fsync 2> /dev/null; done";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(disk.folder()).stdin(Stdio::null()).process_group(0);
    let writer = ForeignReader(shell.spawn().unwrap());
    again("a foreign writer", || {
        let point = measured();
        must(flag_note(&point, "foreign_load").contains("other processes"), &point)
    });
    drop(writer);
    again("without it", || {
        let point = measured();
        must(!flag_note(&point, "foreign_load").contains("other processes"), &point)
    });
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::*;
    use crate::servers::postgres::{program, server_user};

    /// A cluster in a folder of the test's choice, and perhaps in namespaces of its own, as in a container.
    struct Cluster {
        folder: tempfile::TempDir,
        child: Child,
        contained: bool,
    }

    impl Cluster {
        fn start(below: &Path, contained: bool, settings: &[&str]) -> Self {
            let folder = tempfile::tempdir_in(below).unwrap();
            let path = folder.path();
            std::fs::create_dir(path.join("data")).unwrap();
            if let Some((uid, gid)) = server_user() {
                let owner = format!("{uid}:{gid}");
                assert!(Command::new("chown").args(["-R", &owner]).arg(path).status().unwrap().success());
            }
            assert!(Command::new("chmod").arg("755").arg(path).status().unwrap().success());
            let as_server = |program: &Path| {
                let mut command = Command::new(program);
                if let Some((uid, gid)) = server_user() {
                    command.uid(uid).gid(gid);
                }
                command.current_dir(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                command
            };
            let mut initdb = as_server(&program("initdb"));
            initdb.args([
                "--no-sync",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--username=postgres",
                "--pgdata",
            ]);
            assert!(initdb.arg(path.join("data")).status().unwrap().success());
            let mut server = if contained {
                let mut unshare = Command::new("unshare");
                unshare.args(["--pid", "--fork", "--mount-proc", "--kill-child"]);
                if let Some((uid, gid)) = server_user() {
                    unshare.args([
                        "setpriv",
                        "--clear-groups",
                        "--reuid",
                        &uid.to_string(),
                        "--regid",
                        &gid.to_string(),
                    ]);
                }
                unshare.arg(program("postgres")).current_dir(path);
                unshare.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                unshare
            } else {
                as_server(&program("postgres"))
            };
            server.arg("-D").arg(path.join("data"));
            let basics = ["listen_addresses=", "shared_buffers=2MB", "autovacuum_naptime=1d"];
            for setting in basics.iter().chain(settings) {
                server.args(["-c", setting]);
            }
            server.arg("-c").arg(format!("unix_socket_directories={}", path.display()));
            let child = server.spawn().unwrap();
            let cluster = Self { folder, child, contained };
            let began = Instant::now();
            while !cluster.ready() {
                assert!(began.elapsed() < Duration::from_secs(60), "the server is not ready");
                std::thread::sleep(Duration::from_millis(50));
            }
            cluster
        }

        fn ready(&self) -> bool {
            let mut ready = Command::new(program("pg_isready"));
            ready.arg("--host").arg(self.folder.path()).arg("--quiet");
            ready.status().unwrap().success()
        }

        fn target(&self) -> String {
            format!("postgres://postgres@/postgres?host={}&port=5432", self.folder.path().display())
        }
    }

    impl Drop for Cluster {
        fn drop(&mut self) {
            // An immediate stop; who holds the namespace takes all that is in it along.
            let signal = if self.contained { "-KILL" } else { "-QUIT" };
            _ = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
            _ = self.child.wait();
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
        let _machine = crate::alone();
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

    #[test]
    fn a_server_in_a_container_of_this_machine_is_seen_through_its_process() {
        let _machine = crate::alone();
        for contained in [false, true] {
            let cluster = Cluster::start(Path::new(env!("CARGO_TARGET_TMPDIR")), contained, &[]);
            let room = loaded(&cluster);
            // Its pages are let go, and its device is seen: the figures are sound ones of a device, not of memory.
            again("a server of this machine", || {
                let points = measured(&room, TESTS, &cluster.target(), "");
                points.iter().try_for_each(|point| {
                    assert!(!flagged(point, "not_proved"), "{point:#}");
                    // Size T is so small that T626 meets its blocks again before anybody can let them go.
                    let sound = is_of_a_device(point) || text(point, "/test") == "T626";
                    must(sound && number(point, "/io/read_iops") > 0.0, point)
                })
            });
        }
    }

    #[test]
    fn a_server_whose_devices_are_not_seen_is_believed_by_its_times_alone() {
        let _machine = crate::alone();
        // Two addresses of one server are two nodes, and those are on machines that nobody sees.
        let cluster = Cluster::start(Path::new(env!("CARGO_TARGET_TMPDIR")), true, &["track_io_timing=off"]);
        let room = loaded(&cluster);
        let path = cluster.folder.path().display().to_string();
        let afar = format!("postgres://postgres@/postgres?host={path},{path}&port=5432,5432");
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
        // One that times its reads shows what memory does; a scan, which is read ahead, stays unproved.
        let cluster = Cluster::start(Path::new(env!("CARGO_TARGET_TMPDIR")), true, &["track_io_timing=on"]);
        let room = loaded(&cluster);
        let path = cluster.folder.path().display().to_string();
        let afar = format!("postgres://postgres@/postgres?host={path},{path}&port=5432,5432");
        again("times of reads from the page cache", || {
            let points = measured(&room, TESTS, &afar, "--nodes 1");
            points.iter().try_for_each(|point| {
                let expected = if text(point, "/test") == "T426" { "not_proved" } else { "served_from_os_cache" };
                must(flagged(point, expected), point)
            })
        });
    }
}

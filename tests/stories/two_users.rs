//! Two users and root on one machine: none of them can read, lock, stop, replace or falsify what belongs to another.
//! Only if the tests run as root, who can act as several users.

use crate::support::{DBDYNO, Ending, Room, Running};
use serde_json::Value;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A user of this machine.
struct User<'r> {
    room: &'r Room,
    uid: u32,
    gid: u32,
    folder: PathBuf,
}

impl<'r> User<'r> {
    /// A user of the system, with a folder of his own in a room that everyone may pass through.
    fn new(room: &'r Room, name: &str) -> Self {
        let users = std::fs::read_to_string("/etc/passwd").unwrap();
        let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| fields[0] == name);
        let fields = fields.unwrap_or_else(|| panic!("no user {name}"));
        let (uid, gid) = (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        let folder = room.path(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
        chown(&folder, Some(uid), Some(gid)).unwrap();
        Self { room, uid, gid, folder }
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        self.room.settle_in(&mut command);
        command.uid(self.uid).gid(self.gid).current_dir(&self.folder).env("HOME", &self.folder);
        command.env("DBDYNO_HOME", self.home());
        command
    }

    fn run(&self, line: &str) -> Ending {
        self.run_in(&self.home(), line)
    }

    /// Runs dbdyno in this home.
    fn run_in(&self, home: &Path, line: &str) -> Ending {
        let mut command = self.command(DBDYNO);
        command.args(line.split_whitespace()).env("DBDYNO_HOME", home);
        Running::start(command).end()
    }

    /// Whether he can open a file for reading, and so could lock it.
    fn can_read(&self, path: &Path) -> bool {
        let mut shell = self.command("/bin/sh");
        shell.args(["-c", "exec 9<\"$1\"", "sh"]).arg(path).stderr(Stdio::null());
        shell.status().unwrap().success()
    }
}

/// A room with several users, if we are root and everyone can reach dbdyno.
fn room_of_users() -> Option<Room> {
    let room = Room::new();
    let open = std::fs::set_permissions(room.folder(), PermissionsExt::from_mode(0o755));
    let all_can = || {
        let mut dbdyno = Command::new(DBDYNO);
        dbdyno.arg("--version").uid(65_534).gid(65_534).stdout(Stdio::null()).stderr(Stdio::null());
        dbdyno.status().is_ok_and(|status| status.success())
    };
    if rustix::process::geteuid().is_root() && open.is_ok() && all_can() {
        return Some(room);
    }
    #[allow(clippy::print_stderr, reason = "it is for whoever runs the tests")]
    {
        eprintln!("skipped: users can only be changed by root, and must be able to come to dbdyno");
    }
    None
}

/// Whether a process exists and is not a zombie.
fn lives(pid: &Value) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// dbdyno as root, in this home.
fn as_root(room: &Room, home: &Path, line: &str) -> Ending {
    let mut command = room.command(line);
    command.env("DBDYNO_HOME", home);
    Running::start(command).end()
}

/// The commands that a user may try on a home.
const LINES: [&str; 6] = [
    "down postgres",
    "down postgres --keep=false",
    "up postgres --size T",
    "check --target private:postgres",
    "run T611 --target private:postgres",
    "drop --target private:postgres",
];

#[test]
fn an_instance_of_one_user_is_out_of_reach_of_another_and_of_roots_dbdyno() {
    let Some(room) = room_of_users() else { return };
    // The second is the user that root's servers run as.
    let [owner, other] = ["nobody", "postgres"].map(|name| User::new(&room, name));
    let up = owner.run("up postgres --size T --json").expect(0).json();
    let pid = &up["pid"];
    let site = owner.home().join("postgres");
    for name in ["lock", "instance.json", "log", "data/PG_VERSION", "run/.s.PGSQL.5432.lock"] {
        assert!(owner.can_read(&site.join(name)) && !other.can_read(&site.join(name)), "{name}");
    }
    for line in LINES {
        for ending in [other.run_in(&owner.home(), line), as_root(&room, &owner.home(), line)] {
            let ending = ending.expect(2);
            assert!(ending.stderr.contains("may change"), "{line}: {}", ending.stderr);
        }
    }
    assert!(lives(pid), "it runs all the same");
    let mut kill = other.command("/bin/sh");
    kill.args(["-c", "kill -KILL \"$1\"", "sh", &pid.to_string()]).stderr(Stdio::null());
    assert!(!kill.status().unwrap().success() && lives(pid));
    // And each has one of his own meanwhile.
    other.run("up postgres --size T").expect(0);
    other.run("down postgres").expect(0);
    assert!(lives(pid));
    owner.run("down postgres").expect(0);
    assert!(!lives(pid) && !site.exists());
}

#[test]
fn an_instance_of_roots_cannot_be_held_or_read_by_others() {
    let Some(room) = room_of_users() else { return };
    let users = ["nobody", "postgres"].map(|name| User::new(&room, name));
    let home = room.path("home");
    let up = as_root(&room, &home, "up postgres --size T --json").expect(0).json();
    let pid = &up["pid"];
    for user in &users {
        for name in ["lock", "instance.json", "log"] {
            assert!(!user.can_read(&home.join("postgres").join(name)), "{name}");
        }
        for line in LINES {
            let ending = user.run_in(&home, line).expect(2);
            assert!(ending.stderr.contains("Permission denied"), "{line}: {}", ending.stderr);
        }
    }
    assert!(!users[0].can_read(&home.join("postgres/data/PG_VERSION")));
    assert!(lives(pid));
    as_root(&room, &home, "down postgres").expect(0);
    assert!(!lives(pid) && !home.join("postgres").exists());
}

/// A home that its owner prepared for root: links to root's files where dbdyno writes, and a record that names a
/// process of root's.
#[test]
fn root_is_not_led_by_a_home_that_somebody_has_prepared() {
    let Some(room) = room_of_users() else { return };
    let user = User::new(&room, "nobody");
    let (secret, shared) = (room.path("secret"), room.path("shared"));
    std::fs::write(&secret, "root's own\n").unwrap();
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o1777)).unwrap();
    let mut sleep = Command::new("sleep").arg("600").spawn().unwrap();
    for home in [user.home(), shared.clone(), shared.join("his")] {
        let site = home.join("postgres");
        std::fs::create_dir_all(&site).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", sleep.id())).unwrap();
        let started = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().to_owned();
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let record = format!(
            r#"{{"engine":"postgres","version":"15.1","size":"T","cache_bytes":8388608,"stage":"running",
            "process":{{"pid":{},"started_ticks":{started},"boot_id":"{}"}},"data":"{}","socket_folder":"{}","user":"nobody",
            "programs":"/usr/bin","log":"{}","memory_limit_bytes":null,"cgroup":null,"keep":false}}"#,
            sleep.id(),
            boot.trim(),
            site.join("data").display(),
            site.join("run").display(),
            site.join("log").display(),
        );
        std::fs::write(site.join("instance.json"), record).unwrap();
        for name in ["lock", "instance.json.new", "log"] {
            symlink(&secret, site.join(name)).unwrap();
        }
        symlink(room.folder(), site.join("run")).unwrap();
        let owned = [home.clone(), site.clone(), site.join("instance.json")];
        for path in owned.iter().filter(|path| **path != shared) {
            chown(path, Some(user.uid), Some(user.gid)).unwrap();
        }
        for line in LINES {
            let ending = as_root(&room, &home, line).expect(2);
            assert!(ending.stderr.contains("may change"), "{line}: {}", ending.stderr);
        }
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "root's own\n");
        assert!(sleep.try_wait().unwrap().is_none(), "somebody's record had a process of root's killed");
        assert_eq!(std::fs::read_dir(&site).unwrap().count(), 5, "nothing came or went");
        std::fs::remove_dir_all(&site).unwrap();
    }
    // What a user owns in a shared folder, others cannot touch.
    let ending = as_root(&room, &shared.join("mine"), "down postgres").expect(0);
    assert!(ending.stdout.starts_with("nothing to stop"), "{}", ending.stdout);
    sleep.kill().and_then(|()| sleep.wait()).unwrap();
}

#[test]
fn results_and_data_of_one_user_cannot_be_read_or_locked_by_another() {
    let Some(room) = room_of_users() else { return };
    let [owner, other] = ["nobody", "daemon"].map(|name| User::new(&room, name));
    owner.run("run T512 --jobs 1 --threads 1 --duration 20ms --target null:").expect(0);
    owner.run("load --target sqlite:x.sqlite --size T").expect(0);
    let results = owner.folder.join("dbdyno.db");
    for file in [&results, &owner.folder.join("x.sqlite")] {
        assert!(owner.can_read(file) && !other.can_read(file), "{}", file.display());
    }
    std::fs::write(other.folder.join("platform.toml"), "[storage]\nluns = 16\n").unwrap();
    std::fs::set_permissions(other.folder.join("platform.toml"), PermissionsExt::from_mode(0o644)).unwrap();
    for line in [
        "show last",
        "resume last",
        "run T512 --duration 20ms --target null:",
        "describe last --file platform.toml",
        "describe last --remove",
    ] {
        other.run(&format!("{line} --results {}", results.display())).expect(2);
    }
    // What others may read, they may not describe; who may write to it, may.
    std::fs::set_permissions(&results, PermissionsExt::from_mode(0o644)).unwrap();
    let describe = format!("describe last --file {}", other.folder.join("platform.toml").display());
    let refused = other.run(&format!("{describe} --results {}", results.display())).expect(2).stderr;
    assert!(refused.contains("read-only for this user"), "{refused}");
    assert!(owner.run("show last --json").expect(0).json()["described"].is_null());
    owner.run(&describe).expect(0);
    let shown = other.run(&format!("show last --json --results {}", results.display())).expect(0).json();
    assert_eq!(shown["described"]["storage"]["luns"], 16);
    assert_eq!(owner.run("list runs --json").expect(0).json().as_array().unwrap().len(), 1);
}

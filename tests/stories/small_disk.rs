//! A disk of a few MiB that only our own processes see: a tmpfs in a mount namespace of its own. It needs no root where
//! the system allows user namespaces, leaves nothing behind, and can be filled, emptied and made read-only.

use crate::support::{Room, Running};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How a namespace is made, and how it is entered.
const WAYS: [(&str, &[&str]); 2] = [("-m", &["-m"]), ("-Urm", &["-U", "-m", "--preserve-credentials"])];

/// A command that unmounts in a namespace what stories of crashes have mounted: its copies would keep file systems that
/// they unmount.
pub(crate) fn leave_mounts_of_others(room: &Room) -> String {
    let own = room.folder().display();
    let mounts = format!("/ - ext4 .dev.loop/ && !index($5, \"{own}\") {{ print $5 }}");
    format!("awk '{mounts}' /proc/self/mountinfo | xargs --no-run-if-empty umount --lazy")
}

pub(crate) struct SmallDisk {
    holder: Child,
    enter: &'static [&'static str],
    folder: PathBuf,
}

impl SmallDisk {
    /// A disk at `disk` in the room.
    pub(crate) fn new(room: &Room, mib: u32) -> Self {
        let folder = room.path("disk");
        std::fs::create_dir_all(&folder).unwrap();
        let mount = "mount -t tmpfs -o size=\"$1\"m none \"$2\" && echo mounted && exec cat";
        let script = format!("{}; {mount}", leave_mounts_of_others(room));
        for (make, enter) in WAYS {
            let mut holder = Command::new("unshare")
                .args([make, "sh", "-c", &script, "sh", &mib.to_string()])
                .arg(&folder)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("this story needs `unshare` (util-linux)");
            let mut said = String::new();
            BufReader::new(holder.stdout.take().unwrap()).read_line(&mut said).unwrap();
            if said == "mounted\n" {
                return Self { holder, enter, folder };
            }
            holder.wait().unwrap();
        }
        panic!("no small disk can be mounted: neither as root (`unshare -m`) nor in a user namespace (`unshare -Urm`)");
    }

    /// The path of its files inside the namespace.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The path of its files outside.
    pub(crate) fn seen(&self, name: &str) -> PathBuf {
        let inside = self.path(name);
        let root = Path::new("/proc").join(self.holder.id().to_string()).join("root");
        root.join(inside.strip_prefix("/").unwrap())
    }

    /// A command inside the namespace; words are separated by blanks.
    pub(crate) fn command(&self, room: &Room, program: &str, line: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.arg("-t").arg(self.holder.id().to_string()).args(self.enter);
        command.arg(format!("--wd={}", room.folder().display())).arg("--").arg(program).args(line.split_whitespace());
        room.settle_in(&mut command);
        command
    }

    /// Makes it read-only.
    pub(crate) fn make_read_only(&self, room: &Room) {
        // The mount, not the file system, because a user namespace may do that, too.
        let line = format!("-o remount,bind,ro {}", self.folder.display());
        Running::start(self.command(room, "mount", &line)).end().expect(0);
    }

    /// Fills all space except this many KiB. Deleting the file frees it.
    pub(crate) fn fill_up(&self, left_kib: usize) -> PathBuf {
        let path = self.seen("ballast");
        let mut file = File::create(&path).unwrap();
        let block = vec![7u8; 64 << 10];
        while file.write_all(&block).is_ok() {}
        // A half written block counts, too.
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub((left_kib as u64) << 10)).unwrap();
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        _ = self.holder.kill();
        _ = self.holder.wait();
    }
}

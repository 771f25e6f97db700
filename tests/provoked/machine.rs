//! The machine: quotas, throttling, steal, other processes, an uneven pace. Steal cannot be produced inside a guest; it
//! is simulated where points are judged (`crates/run/src/judge/tests/machine.rs`).

use crate::support::{DBDYNO, Ending, Room, Running, flag_note, flagged, number, points, text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

const RUN: &str = "run T111 --target sqlite:x.sqlite --size T --jobs 1 --duration 1s --json";

/// Runs dbdyno in a room, with a wrapper command.
fn run_under(room: &Room, wrapper: &[String], line: &str) -> Ending {
    let mut command = Command::new(&wrapper[0]);
    command.args(&wrapper[1..]).arg(DBDYNO).args(line.split_whitespace());
    room.settle_in(&mut command);
    Running::start(command).end()
}

fn processors() -> usize {
    std::thread::available_parallelism().unwrap().get()
}

#[test]
fn a_core_is_one_that_the_work_may_use() {
    let _machine = crate::in_company();
    if processors() < 2 {
        return;
    }
    let room = Room::new();
    let line = "run T141,T421,T611 --size T --target sqlite:x.sqlite --jobs 1 --duration 200ms";
    let bound =
        run_under(&room, &["taskset", "-c", "0"].map(str::to_owned), &format!("{line} --json")).expect(0).json();
    let limits = &bound["platform"]["cpu"]["limits"];
    assert_eq!((number(limits, "/allowed_threads"), number(limits, "/allowed_cores")), (1.0, 1.0), "{limits}");
    assert!(number(limits, "/machine_threads") >= 2.0);
    let page = room.run(&format!("show {}", text(&bound, "/run/id"))).expect(0).stdout;
    if number(&bound, "/platform/cpu/cores") > 1.0 {
        assert!(page.contains("(of 1 that it may use, of "), "{page}");
    }
    // The control: without a limit nothing is reported.
    let free = room.run(&format!("{line} --json")).expect(0).json();
    if processors() == number(limits, "/machine_threads") as usize {
        assert_eq!(free.pointer("/platform/cpu/limits"), None);
        let page = room.run(&format!("show {}", text(&free, "/run/id"))).expect(0).stdout;
        assert!(!page.contains("that it may use"), "{page}");
    }
}

/// A control group that this test made, of the version that has quotas here.
struct Group(PathBuf);

impl Group {
    /// `None` where no group can be made; recordings test the rest (`crates/probe/src/limits.rs`).
    fn new(name: &str, quota_us: Option<u64>) -> Option<Self> {
        let name = format!("dbdyno-provoked-{}-{name}", std::process::id());
        let write = |path: PathBuf, text: String| std::fs::write(path, text).ok();
        let one = Path::new("/sys/fs/cgroup/cpu");
        if one.join("cpu.cfs_quota_us").exists() {
            std::fs::create_dir(one.join(&name)).ok()?;
            let group = Self(one.join(&name));
            if let Some(us) = quota_us {
                write(group.0.join("cpu.cfs_period_us"), "100000".to_owned())?;
                write(group.0.join("cpu.cfs_quota_us"), us.to_string())?;
            }
            return Some(group);
        }
        let two = Path::new("/sys/fs/cgroup");
        let controllers = std::fs::read_to_string(two.join("cgroup.subtree_control")).ok()?;
        if !controllers.split_whitespace().any(|c| c == "cpu") {
            return None;
        }
        std::fs::create_dir(two.join(&name)).ok()?;
        let group = Self(two.join(&name));
        if let Some(us) = quota_us {
            write(group.0.join("cpu.max"), format!("{us} 100000"))?;
        }
        Some(group)
    }

    /// A command that first enters the group.
    fn wrapper(&self) -> Vec<String> {
        let enter = format!("echo $$ > '{}' && exec \"$@\"", self.0.join("cgroup.procs").display());
        vec!["sh".to_owned(), "-c".to_owned(), enter, "sh".to_owned()]
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        _ = std::fs::remove_dir(&self.0);
    }
}

/// Processes that keep every processor busy until they are dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn everywhere() -> Self {
        let one = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Self((0..processors()).map(one).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// The percentage in a note, 0 without the flag.
fn others_pct(document: &Value) -> f64 {
    let note = flag_note(&points(document)[0], "foreign_load");
    let words: Vec<&str> = note.split_whitespace().collect();
    words.iter().position(|w| *w == "used").map_or(0.0, |at| words[at + 1].parse().unwrap())
}

#[test]
fn each_point_has_the_pace_of_the_machine_around_it() {
    let _machine = crate::in_company();
    let room = Room::new();
    let run = room.run("run T111,T141 --target sqlite:x.sqlite --size T --jobs 1 --duration 200ms --repeat 3 --json");
    let run = run.expect(0).json();
    for point in points(&run) {
        for side in ["before", "after"] {
            for kind in ["alu_ns", "l2_ns", "llc_ns", "memory_ns"] {
                assert!(number(point, &format!("/pace/{side}/{kind}")) > 0.0, "{point:#}");
            }
        }
    }
    let id = text(&run, "/run/id");
    let page = room.run(&format!("show {id}")).expect(0).stdout;
    assert!(page.contains("Pace: this machine was ") && page.contains("a difference of 5 %"), "{page}");
    let sheet = room.run(&format!("show {id} --table platform")).expect(0).stdout;
    assert!(sheet.contains("Step of arithmetic") && sheet.contains("Step of memory"), "{sheet}");
    room.run(&format!("report {id} -o x.html")).expect(0);
    let page = std::fs::read_to_string(room.path("x.html")).unwrap();
    assert!(page.contains("id=\"pace\"") && page.contains("Time of a step"), "the pace over time is on the page");
}

/// Nothing else may run on the machine meanwhile.
mod alone {
    use super::*;

    #[test]
    fn a_quota_divides_and_what_it_holds_back_is_flagged() {
        // Beside other work it may get less than the quota anyway.
        let _machine = crate::alone();
        let room = Room::new();
        let Some(tight) = Group::new("tight", Some(30_000)) else { return };
        let held = run_under(&room, &tight.wrapper(), RUN).expect(0).json();
        let point = &points(&held)[0];
        assert!(flagged(point, "throttled"), "{:#}", point["flags"]);
        assert!(flag_note(point, "throttled").contains("periods of a processor quota"), "{point:#}");
        assert_eq!(number(&held, "/platform/cpu/limits/quota_processors"), 0.3);
        // The control: a group without a quota.
        let Some(open) = Group::new("open", None) else { return };
        let free = run_under(&room, &open.wrapper(), RUN).expect(0).json();
        assert!(!flagged(&points(&free)[0], "throttled"));
        assert_eq!(free.pointer("/platform/cpu/limits/quota_processors").filter(|q| !q.is_null()), None);
    }

    #[test]
    fn a_foreign_process_is_noticed() {
        let _machine = crate::alone();
        let room = Room::new();
        // Other work may come and go on the machine, so each has several attempts.
        let measured_pct = || others_pct(&room.run(RUN).expect(0).json());
        let busy = Busy::everywhere();
        let loud_pct = (0..3).map(|_| measured_pct()).find(|pct| *pct > 10.0).expect("busy processes are not noticed");
        drop(busy);
        assert!((0..5).any(|_| measured_pct() < loud_pct / 2.0), "others are always found as busy as {loud_pct} %");
    }

    /// Neighbours that no counter shows; here they are processes of this machine that fill the caches.
    #[test]
    #[ignore = "a machine that others use is uneven without being provoked"]
    fn a_machine_whose_caches_others_fill_is_uneven() {
        let _machine = crate::alone();
        let room = Room::new();
        let run =
            "run T111 --target sqlite:x.sqlite --size T --jobs 1 --duration 200ms --repeat 8 --json --label uneven";
        let even = room.run(run).expect(0).json();
        let flags = |document: &Value| points(document).iter().filter(|p| flagged(p, "uneven_machine")).count();
        let mut dbdyno = room.start(run);
        dbdyno.until_so("some points", || room.runs().first().is_some_and(|r| text(r, "/status") == "running"));
        std::thread::sleep(std::time::Duration::from_secs(4));
        let fill = "a=$(head -c 64000000 /dev/zero | tr '\\0' x); while :; do b=$a; done";
        let fillers: Vec<Child> =
            (0..2 * processors()).map(|_| Command::new("bash").args(["-c", fill]).spawn().unwrap()).collect();
        let _fillers = Busy(fillers);
        let uneven = dbdyno.end().expect(0).json();
        assert!(flags(&uneven) > flags(&even), "{} against {}", flags(&uneven), flags(&even));
    }
}

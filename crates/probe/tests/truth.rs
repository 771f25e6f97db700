//! The probe compared with work of a known amount. The machine may be busy with other work. So lower bounds are
//! required every time, and upper bounds only of the best of a few attempts.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use dbdyno_probe::page_cache::{EvictMode, Evictor};
use dbdyno_probe::{HarnessShare, Sampler, Telemetry, hardware_threads, inventory};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const ATTEMPTS: usize = 8;
const BLOCK: usize = 1 << 20;
const BLOCKS: usize = 64;
const FILE_BYTES: u64 = (BLOCK * BLOCKS) as u64;

/// Counters are of the whole process, so these tests run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder on the file system of the build, which is more often on a device than /tmp.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn measured(sampler: &Sampler, work: impl FnOnce()) -> Telemetry {
    let earlier = sampler.snapshot();
    work();
    sampler.difference(&earlier, &sampler.snapshot())
}

/// Whether the file lies on devices that the probe can name; prints a note when it does not.
fn has_device(sampler: &Sampler, file: &Path) -> bool {
    let t = measured(sampler, || ());
    let known = !t.missing.contains_key("io.devices");
    if !known {
        println!("not checked: {} lies on no device that can be seen: {}", file.display(), t.missing["io.devices"]);
    }
    known
}

/// A block with the alignment of O_DIRECT.
struct Aligned {
    memory: Vec<u8>,
    start: usize,
}

impl Aligned {
    fn new() -> Self {
        const ALIGNMENT: usize = 4096;
        let memory = vec![0x5a; BLOCK + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Self { memory, start }
    }

    fn block(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + BLOCK]
    }
}

fn within_5_pct(seen: u64, true_bytes: u64) -> bool {
    seen <= true_bytes + true_bytes / 20
}

#[test]
fn direct_bytes_are_the_devices_bytes() {
    let _alone = alone();
    let dir = folder();
    let path = dir.path().join("direct");
    let sampler = Sampler::new(std::slice::from_ref(&path), HarnessShare::OwnProcess);
    if !has_device(&sampler, &path) {
        return;
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::DIRECT | OFlags::CLOEXEC;
    let file = match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => File::from(file),
        Err(error) => {
            println!("not checked: the file system refuses O_DIRECT: {error}");
            return;
        }
    };
    let mut buffer = Aligned::new();
    let offset = |n: usize| (n * BLOCK) as u64;

    let write = |buffer: &mut Aligned| {
        let t = measured(&sampler, || (0..BLOCKS).for_each(|n| file.write_all_at(buffer.block(), offset(n)).unwrap()));
        let seen = t.device_write_bytes.unwrap();
        assert!(seen >= FILE_BYTES, "wrote {FILE_BYTES}, the devices say {seen}");
        assert!(t.process_write_bytes.unwrap() >= FILE_BYTES);
        assert!(t.device_write_ops.unwrap() >= 1 && t.io.write_iops.unwrap() > 0.0);
        let rate = t.io.write_mib_per_s.unwrap() * t.seconds;
        assert!((rate - seen as f64 / BLOCK as f64).abs() < 1e-6 * rate);
        seen
    };
    let written: Vec<u64> = (0..ATTEMPTS).map(|_| write(&mut buffer)).collect();
    assert!(written.iter().any(|seen| within_5_pct(*seen, FILE_BYTES)), "wrote {FILE_BYTES}, seen {written:?}");

    let read = |buffer: &mut Aligned| {
        let t = measured(&sampler, || (0..BLOCKS).for_each(|n| file.read_exact_at(buffer.block(), offset(n)).unwrap()));
        let seen = t.device_read_bytes.unwrap();
        assert!(seen >= FILE_BYTES, "read {FILE_BYTES}, the devices say {seen}");
        assert!(t.process_read_bytes.unwrap() >= FILE_BYTES);
        let device = t.io.devices.iter().max_by(|a, b| a.read_mib_per_s.total_cmp(&b.read_mib_per_s)).unwrap();
        assert!(device.busy_pct > 0.0 && device.busy_pct <= 100.0);
        seen
    };
    let read: Vec<u64> = (0..ATTEMPTS).map(|_| read(&mut buffer)).collect();
    assert!(read.iter().any(|seen| within_5_pct(*seen, FILE_BYTES)), "read {FILE_BYTES}, seen {read:?}");

    let sheet = inventory(&[path]);
    let holder = sheet.disks.iter().find(|d| d.holds_database).unwrap();
    assert!(holder.size_bytes.unwrap() > FILE_BYTES, "{holder:?}");
}

#[test]
fn evicted_files_come_from_the_device_again() {
    let _alone = alone();
    let dir = folder();
    let path = dir.path().join("evicted");
    let sampler = Sampler::new(std::slice::from_ref(&path), HarnessShare::OwnProcess);
    if !has_device(&sampler, &path) {
        return;
    }
    let mut file = File::create(&path).unwrap();
    (0..BLOCKS).for_each(|n| file.write_all(&vec![n as u8; BLOCK]).unwrap());
    drop(file);
    let mut content = Vec::with_capacity(FILE_BYTES as usize);
    let mut fetched = || {
        let t = measured(&sampler, || {
            content.clear();
            File::open(&path).unwrap().read_to_end(&mut content).unwrap();
        });
        assert_eq!(content.len() as u64, FILE_BYTES);
        t.process_read_bytes.unwrap()
    };
    // The program's own pages may have to be read, too.
    let slack = FILE_BYTES / 100;
    assert!(fetched() < slack, "just written, so cached");
    Evictor::open(std::slice::from_ref(&path)).unwrap().evict_all(EvictMode::FlushFirst).unwrap();
    let cold = fetched();
    assert!((FILE_BYTES..=FILE_BYTES + slack).contains(&cold), "{cold} of {FILE_BYTES}");
    assert!(fetched() < slack, "read a second time");
    let evictor = Evictor::open(std::slice::from_ref(&path)).unwrap();
    for _ in 0..3 {
        evictor.evict_all(EvictMode::AsIs).unwrap();
        let cold = fetched();
        assert!((FILE_BYTES..=FILE_BYTES + slack).contains(&cold), "{cold} of {FILE_BYTES}");
    }
}

/// Processor ticks of a process by its own account: user and system, with its ended children.
fn ticks(process: &str) -> Option<(u64, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may contain anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let field = |n: usize| fields.get(n - 3)?.parse::<u64>().ok();
    Some((field(14)? + field(15)?, field(16)? + field(17)?))
}

fn online() -> f64 {
    std::fs::read_to_string("/proc/cpuinfo").unwrap().lines().filter(|l| l.starts_with("processor")).count() as f64
}

fn machine_pct(ticks: u64, seconds: f64) -> f64 {
    ticks as f64 / rustix::param::clock_ticks_per_second() as f64 / seconds / online() * 100.0
}

const SPIN: Duration = Duration::from_millis(1_500);

#[test]
fn this_process_weighs_what_the_kernel_says() {
    let _alone = alone();
    for harness in [HarnessShare::OwnProcess, HarnessShare::NotSeparable] {
        let sampler = Sampler::new(&[], harness);
        let before = ticks("self").unwrap().0;
        let t = measured(&sampler, || {
            let end = Instant::now() + SPIN;
            while Instant::now() < end {}
        });
        let truth = machine_pct(ticks("self").unwrap().0 - before, t.seconds);
        let seen = t.process_cpu_pct.unwrap();
        assert!((seen - truth).abs() <= 2.0, "seen {seen} %, by the kernel's account {truth} %");
        assert!(seen > 5.0 / online(), "a spinning thread was given next to nothing: {seen} %");
        match harness {
            HarnessShare::OwnProcess => assert_eq!(t.cpu.harness_pct, Some(seen)),
            HarnessShare::NotSeparable => {
                assert!(t.cpu.harness_pct.is_none() && t.missing.contains_key("cpu.harness_pct"))
            }
        }
    }
}

/// Kills a child process on drop.
struct Spinner(Child);

impl Spinner {
    fn start() -> Self {
        Self(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap())
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Ticks of every process. The ticks of an ended child are in its parent's account, so nothing is lost between two
/// readings.
fn ticks_of_all() -> u64 {
    let processes = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|e| e.file_name().into_string().ok());
    let numbers = processes.filter(|name| name.bytes().all(|b| b.is_ascii_digit()));
    numbers.filter_map(|pid| ticks(&pid)).map(|(own, children)| own + children).sum()
}

#[test]
fn a_spinning_process_is_seen() {
    let _alone = alone();
    let sampler = Sampler::new(&[], HarnessShare::OwnProcess);
    let spinner = Spinner::start();
    let pid = spinner.0.id().to_string();
    let whole_machine_visible = std::fs::read_to_string("/proc/2/comm").is_ok_and(|name| name.trim() == "kthreadd");
    if !whole_machine_visible {
        println!("not checked: other processes of this machine cannot be seen, so there is no upper bound");
    }
    let mut differences = Vec::new();
    for _ in 0..ATTEMPTS {
        let (child, all) = (ticks(&pid).unwrap().0, ticks_of_all());
        let t = measured(&sampler, || std::thread::sleep(SPIN));
        let child = machine_pct(ticks(&pid).unwrap().0 - child, t.seconds);
        let all = machine_pct(ticks_of_all().saturating_sub(all), t.seconds);
        let (user, system) = (t.cpu.user_pct.unwrap(), t.cpu.system_pct.unwrap());
        assert!(t.cpu.busy_pct.unwrap() >= child - 2.0, "busy {:?} %, the child alone {child} %", t.cpu.busy_pct);
        assert!(child > 5.0 / online(), "a spinning process was given next to nothing: {child} %");
        assert!(t.process_cpu_pct.unwrap() <= 5.0, "sleeping is no work: {:?}", t.process_cpu_pct);
        differences.push(user + system - all);
        if !whole_machine_visible || (user + system - all).abs() <= 2.0 {
            return;
        }
    }
    panic!("user and system differ from the processes' own accounts by {differences:?} points");
}

/// Makes a control group, of either version, with a quota of one processor.
fn group_of_one_processor() -> Option<PathBuf> {
    let v1 = Path::new("/sys/fs/cgroup/cpu");
    let (parent, file, one) = if v1.is_dir() {
        (v1, "cpu.cfs_quota_us", "100000")
    } else {
        (Path::new("/sys/fs/cgroup"), "cpu.max", "100000 100000")
    };
    let group = parent.join(format!("dbdyno-probe-{}", std::process::id()));
    std::fs::create_dir(&group).ok()?;
    if std::fs::write(group.join(file), one).is_err() {
        let _ = std::fs::remove_dir(&group);
        return None;
    }
    Some(group)
}

#[test]
fn a_processor_quota_cuts_the_threads_down() {
    if hardware_threads() < 2 {
        println!("not checked: there is one thread only, which no quota cuts down");
        return;
    }
    let Some(group) = group_of_one_processor() else {
        println!("not checked: this user may not make control groups");
        return;
    };
    let me = std::env::current_exe().unwrap();
    let script = format!(
        "echo $$ > {}/cgroup.procs && exec \"$0\" --exact --ignored --nocapture prints_threads",
        group.display()
    );
    let output = Command::new("sh").args(["-c", &script]).arg(me).stdout(Stdio::piped()).output().unwrap();
    std::fs::remove_dir(&group).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("threads=1\n"), "{text}");
}

#[test]
#[ignore = "run by another test, inside a control group"]
fn prints_threads() {
    println!("\nthreads={}", hardware_threads());
}

#[test]
fn a_server_has_limits_of_its_own() {
    if std::thread::available_parallelism().unwrap().get() < 2 {
        return;
    }
    let mut server = std::process::Command::new("taskset").args(["-c", "0", "sleep", "60"]).spawn().unwrap();
    // The process binds itself a moment after it began.
    let mut limits = None;
    for _ in 0..500 {
        limits = dbdyno_probe::cpu_limits(Some(server.id())).unwrap().filter(|l| l.allowed_threads == Some(1));
        if limits.is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let ours = dbdyno_probe::cpu_limits(None).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(limits.is_some(), "the server may use one processor");
    assert_ne!(ours.and_then(|l| l.allowed_threads), Some(1), "and this process more");
}

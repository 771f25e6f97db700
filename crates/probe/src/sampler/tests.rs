//! Clocks that move apart, files of any length, and which devices are summed.

use super::*;
use std::time::Duration;

#[test]
fn clocks_that_move_apart_are_a_jump() {
    let now = Clocks::read();
    let after = |monotonic_s: u64, wall_s: i64, boot_s: u64| Clocks {
        monotonic: now.monotonic + Duration::from_secs(monotonic_s),
        wall: if wall_s < 0 {
            now.wall - Duration::from_secs(wall_s.unsigned_abs())
        } else {
            now.wall + Duration::from_secs(wall_s.unsigned_abs())
        },
        since_boot_ns: now.since_boot_ns + boot_s * 1_000_000_000,
    };
    let jump_s = |later: Clocks| (now.jump_s(&later) * 1e6).round() / 1e6;
    assert_eq!(jump_s(after(10, 10, 10)), 0.0);
    assert_eq!(jump_s(after(10, 3_610, 10)), 3_600.0, "set forward");
    assert_eq!(jump_s(after(10, -50, 10)), 60.0, "set back");
    assert_eq!(jump_s(after(10, 40, 40)), 30.0, "slept");
    assert_eq!(jump_s(after(10, 10, 40)), 30.0, "slept, and the wall clock did not notice");
}

#[test]
fn clocks_stay_together_when_nothing_happens() {
    let sampler = Sampler::new(&[], HarnessShare::OwnProcess);
    let earlier = sampler.snapshot();
    std::thread::sleep(Duration::from_millis(50));
    let later = sampler.snapshot();
    assert!(earlier.clock_jump_s(&later) < 0.05, "{}", earlier.clock_jump_s(&later));
    assert!(later.taken_at() > earlier.taken_at() && later.clocks.wall > earlier.clocks.wall);
}

#[test]
fn shared_memory_is_no_page_cache() {
    let text = "MemAvailable: 100 kB\nBuffers: 4 kB\nCached: 50 kB\nShmem: 20 kB\n";
    assert_eq!(MemoryInUse::of(text), Some(MemoryInUse { available_bytes: 100 << 10, page_cache_bytes: 34 << 10 }));
    assert_eq!(MemoryInUse::of("MemAvailable: 100 kB\n"), None);
}

#[test]
fn files_longer_than_the_buffer_are_read_whole_and_absent_ones_say_why() {
    let text = "x".repeat(10_000);
    let (_dir, root) = crate::root::tests::tree(&[("proc/stat", text.as_str())]);
    let mut buffer = vec![0; 16];
    let length = |text: &str| Some(text.len());
    assert_eq!(KernelFile::open(&root, "proc/stat".to_owned()).read(&mut buffer, length), Ok(10_000));
    assert_eq!(
        KernelFile::open(&root, "proc/stat".to_owned()).read(&mut buffer, parse::cpu_ticks).unwrap_err(),
        "/proc/stat has a form that dbdyno does not know"
    );
    assert_eq!(
        KernelFile::open(&root, "proc/io".to_owned()).read(&mut buffer, length).unwrap_err(),
        "there is no /proc/io here"
    );
}

#[test]
fn devices_are_summed_that_hold_the_database_or_all_when_it_is_elsewhere() {
    let (_dir, root) = crate::devices::tests::machine();
    let scope = Scope::find(&root, &[], HarnessShare::OwnProcess);
    assert_eq!(scope.summed.unwrap().len(), 4);
    assert_eq!(scope.remark, None, "nothing was asked for in particular");
    let unknown = Scope::find(&root, &[PathBuf::from("/proc/self/stat")], HarnessShare::OwnProcess);
    let why = unknown.summed.unwrap_err();
    assert!(why.contains("is proc, which has no block device of its own"), "{why}");
    assert_eq!(unknown.remark, Some(why));
}

#[test]
fn the_time_of_a_standby_is_the_servers() {
    let start = |program: &str| std::process::Command::new("sh").args(["-c", program]).spawn().unwrap();
    let (mut server, mut standby) = (start("exec sleep 60"), start("while :; do :; done"));
    let sampler = || Sampler::new(&[], HarnessShare::OwnProcess).beside(Some(server.id()));
    let both = sampler().with_standby(Some(standby.id()));
    let used = |sampler: &Sampler| sampler.snapshot().server_cpu_ns.unwrap().unwrap();
    let before = used(&both);
    while used(&both) < before + 50_000_000 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(used(&sampler()) < 50_000_000, "without it, it is somebody else's");
    for child in [&mut server, &mut standby] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(both.snapshot().server_cpu_ns.unwrap().is_err(), "one that is gone has no time");
}

use super::*;
use crate::parse::DeviceCounts;
use crate::sampler::Sampler;
use proptest::prelude::*;
use std::time::Duration;

fn scope(data: &[&str]) -> Scope {
    let names = |list: &[&str]| list.iter().map(|n| (*n).to_owned()).collect();
    Scope {
        harness: HarnessShare::OwnProcess,
        whole: names(&["sda", "sdb"]),
        data: names(data),
        summed: Ok(names(if data.is_empty() { &["sda", "sdb"] } else { data })),
        remark: None,
        stacked: names(&["bond0"]),
        cached_below: None,
    }
}

/// Two snapshots two seconds apart, both with known counts.
fn pair() -> (Snapshot, Snapshot) {
    let mut earlier = Sampler::new(&[], HarnessShare::OwnProcess).snapshot();
    let device = |name: &str, n: u64| DeviceCounts {
        name: name.to_owned(),
        reads: 100 * n,
        read_bytes: (8 << 20) * n,
        read_ms: 50 * n,
        writes: 10 * n,
        written_bytes: (1 << 20) * n,
        write_ms: 0,
        busy_ms: 1_000 * n,
    };
    let interface = |name: &str, n: u64| InterfaceBytes { name: name.to_owned(), received: n << 20, sent: n << 21 };
    let ticks =
        |n: u64| CpuTicks { user: 100 * n, system: 40 * n, idle: 200 * n, iowait: 40 * n, steal: 20 * n, online: 2 };
    earlier.process_cpu_ns = 1_000_000_000;
    earlier.cpu = Ok(ticks(1));
    earlier.devices = Ok(vec![device("sda", 1), device("sda1", 1)]);
    earlier.own_io = Ok(OwnIo { read_bytes: 5, written_bytes: 7 });
    earlier.interfaces = Ok(["lo", "eth0", "bond0"].map(|name| interface(name, 1)).into());
    earlier.swapped_pages = Ok(0);
    (earlier.cpu_waits_us, earlier.io_waits_us, earlier.memory_waits_us) = (Ok(0), Ok(5), Err("off".to_owned()));
    let mut later = earlier.after(Duration::from_secs(2));
    later.process_cpu_ns = 2_000_000_000;
    later.cpu = Ok(ticks(2));
    later.devices = Ok(vec![device("sda", 2), device("sda1", 2), device("sdb", 1)]);
    later.own_io = Ok(OwnIo { read_bytes: 4_101, written_bytes: 7 });
    later.interfaces = Ok(["lo", "eth0", "bond0"].map(|name| interface(name, 3)).into());
    later.swapped_pages = Ok(0);
    (later.cpu_waits_us, later.io_waits_us) = (Ok(500_000), Ok(5));
    (earlier, later)
}

fn between(scope: &Scope, earlier: &Snapshot, later: &Snapshot) -> Telemetry {
    Interval { scope, earlier, later }.telemetry()
}

#[test]
fn known_counts_give_known_rates() {
    let (earlier, later) = pair();
    let t = between(&scope(&["sda"]), &earlier, &later);
    assert_eq!(t.seconds, 2.0);
    assert_eq!((t.cpu.busy_pct, t.cpu.user_pct, t.cpu.system_pct), (Some(40.0), Some(25.0), Some(10.0)));
    assert_eq!((t.cpu.iowait_pct, t.cpu.steal_pct), (Some(10.0), Some(5.0)));
    assert_eq!((t.process_cpu_pct, t.cpu.harness_pct), (Some(25.0), Some(25.0)), "1 s of 2 s on 2 processors");
    assert_eq!((t.io.read_iops, t.io.write_iops), (Some(50.0), Some(5.0)));
    assert_eq!((t.io.read_mib_per_s, t.io.write_mib_per_s), (Some(4.0), Some(0.5)));
    assert_eq!((t.io.read_service_time_s, t.io.write_service_time_s), (Some(0.0005), Some(0.0)));
    assert_eq!((t.device_read_ops, t.device_read_bytes), (Some(100), Some(8 << 20)));
    assert_eq!((t.device_write_ops, t.device_write_bytes), (Some(10), Some(1 << 20)));
    let names: Vec<&str> = t.io.devices.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["sda", "sdb"], "active whole devices, no partitions");
    assert_eq!(t.io.devices[0].busy_pct, 50.0);
    assert_eq!(
        (t.network.receive_mib_per_s, t.network.send_mib_per_s),
        (Some(1.0), Some(2.0)),
        "the bond is its parts"
    );
    assert_eq!(t.network.loopback_mib_per_s, Some(1.0));
    assert_eq!((t.pressure.cpu_some_pct, t.pressure.io_some_pct), (Some(25.0), Some(0.0)));
    assert_eq!((t.pressure.memory_some_pct, t.missing["pressure.memory_some_pct"].as_str()), (None, "off"));
    assert_eq!((t.process_read_bytes, t.process_write_bytes), (Some(4_096), Some(0)));
    assert_eq!(t.memory.swap_mib_per_s, Some(0.0));
    assert_eq!(t.missing.len(), 1, "{:?}", t.missing);
}

#[test]
fn without_data_devices_all_are_summed() {
    let (earlier, later) = pair();
    let t = between(&scope(&[]), &earlier, &later);
    assert_eq!(t.device_read_ops, Some(200));
}

#[test]
fn a_database_on_no_known_device_is_credited_with_nothing() {
    let (earlier, later) = pair();
    let why = "/dev/shm is tmpfs, which has no block device of its own";
    let scope = Scope { summed: Err(why.to_owned()), remark: Some(why.to_owned()), ..scope(&[]) };
    let t = between(&scope, &earlier, &later);
    assert_eq!((t.io.read_iops, t.io.write_mib_per_s, t.io.write_service_time_s), (None, None, None));
    let sums = [t.device_read_bytes, t.device_read_ops, t.device_write_bytes, t.device_write_ops];
    assert_eq!(sums, [None; 4]);
    for path in ["io.read_iops", "io.write_mib_per_s", "io.write_service_time_s", "device_read_bytes", "io.devices"] {
        assert_eq!(t.missing.get(path).map(String::as_str), Some(why), "{path}");
    }
    let names: Vec<&str> = t.io.devices.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["sda", "sdb"], "what the machine's devices did is listed all the same");
}

#[test]
fn an_in_process_engine_hides_the_harness() {
    let (earlier, later) = pair();
    let scope = Scope { harness: HarnessShare::NotSeparable, ..scope(&[]) };
    let t = between(&scope, &earlier, &later);
    assert_eq!((t.cpu.harness_pct, t.process_cpu_pct), (None, Some(25.0)));
    assert!(t.missing["cpu.harness_pct"].contains("inside dbdyno's process"));
}

#[test]
fn no_reads_have_no_service_time() {
    let (earlier, mut later) = pair();
    later.devices = earlier.devices.clone();
    let t = between(&scope(&["sda"]), &earlier, &later);
    assert_eq!((t.io.read_iops, t.io.read_service_time_s), (Some(0.0), None));
    assert_eq!(t.missing["io.read_service_time_s"], "no read reached the devices");
    assert_eq!(t.io.devices.len(), 1, "the database's device is listed even when it rests");
}

#[test]
fn counters_that_ran_backwards_are_missing_and_times_may_wrap() {
    let (mut earlier, later) = pair();
    earlier.own_io = Ok(OwnIo { read_bytes: 9_999, written_bytes: 0 });
    earlier.devices.as_mut().unwrap()[0].read_ms = u64::from(u32::MAX) - 99;
    let t = between(&scope(&["sda"]), &earlier, &later);
    assert_eq!(t.process_read_bytes, None);
    assert!(t.missing["process_read_bytes"].contains("ran backwards"));
    assert_eq!(t.io.read_service_time_s, Some(0.002), "100 ms up to the wrap and 100 after it, over 100 reads");
    earlier.devices.as_mut().unwrap()[0].reads = 1_000;
    let t = between(&scope(&["sda"]), &earlier, &later);
    assert_eq!((t.io.read_iops, t.device_read_bytes), (None, None));
    assert!(t.missing["io.read_iops"].contains("sda"));
}

#[test]
fn no_time_no_rates_but_no_nonsense() {
    let (earlier, _) = pair();
    let t = between(&scope(&[]), &earlier, &earlier);
    assert_eq!((t.seconds, t.cpu.busy_pct, t.io.read_iops, t.process_cpu_pct), (0.0, None, None, None));
    assert!(t.missing["io.read_iops"].contains("no time passed"));
    assert!(t.missing["cpu.busy_pct"].contains("shorter than a tick"));
}

#[test]
fn unreadable_files_say_so_everywhere() {
    let (earlier, mut later) = pair();
    let why = "may not be read".to_owned();
    later.cpu = Err(why.clone());
    later.devices = Err(why.clone());
    later.memory = Err(why.clone());
    later.interfaces = Err(why.clone());
    let t = between(&scope(&[]), &earlier, &later);
    for path in [
        "cpu.busy_pct",
        "cpu.user_pct",
        "cpu.system_pct",
        "cpu.iowait_pct",
        "cpu.steal_pct",
        "cpu.harness_pct",
        "process_cpu_pct",
        "io.read_iops",
        "io.write_iops",
        "io.read_mib_per_s",
        "io.write_mib_per_s",
        "io.read_service_time_s",
        "io.write_service_time_s",
        "memory.available_bytes",
        "memory.page_cache_bytes",
        "network.receive_mib_per_s",
        "network.send_mib_per_s",
        "network.loopback_mib_per_s",
    ] {
        assert_eq!(t.missing.get(path), Some(&why), "{path}");
    }
}

proptest! {
    #[test]
    fn shares_are_shares(before in any::<[u32; 5]>(), steps in any::<[u16; 5]>()) {
        let ticks = |n: [u64; 5]| CpuTicks { user: n[0], system: n[1], idle: n[2], iowait: n[3], steal: n[4], online: 4 };
        let before = before.map(u64::from);
        let mut after = before;
        after.iter_mut().zip(steps).for_each(|(n, step)| *n += u64::from(step));
        let shares = shares(&ticks(before), &ticks(after));
        prop_assert_eq!(shares.is_err(), steps.iter().all(|s| *s == 0));
        if let Ok([busy, user, system, iowait, steal]) = shares {
            prop_assert!((user + system + steal - busy).abs() < 1e-9);
            prop_assert!(busy + iowait <= 100.0 + 1e-9 && [user, system, iowait, steal].iter().all(|s| *s >= 0.0));
        }
    }
}

#[test]
fn what_quotas_held_back_is_the_difference_of_all_groups() {
    use crate::parse::Throttling;
    let (mut earlier, mut later) = pair();
    assert_eq!(between(&scope(&[]), &earlier, &later).throttled, None, "nothing has a quota");
    let count = |periods, throttled, ns| Throttling { periods, throttled, ns };
    earlier.throttling = Some(Ok(vec![count(10, 1, 500), count(5, 0, 0)]));
    later.throttling = Some(Ok(vec![count(30, 13, 1_000_000_500), count(25, 1, 0)]));
    let throttled = between(&scope(&[]), &earlier, &later).throttled;
    assert_eq!(throttled, Some(Throttled { periods: 40, throttled: 13, seconds: 1.0 }));
    later.throttling = Some(Err("gone".to_owned()));
    let t = between(&scope(&[]), &earlier, &later);
    assert_eq!((t.throttled, t.missing["throttled"].as_str()), (None, "gone"));
}

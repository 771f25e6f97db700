//! The cumulative counters of `/proc`, whose difference over a window is reported.

/// Processor time of the whole machine since it started, in clock ticks. The time of guests is included in `user`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CpuTicks {
    /// User code, nice included.
    pub(crate) user: u64,
    /// Kernel, interrupts included.
    pub(crate) system: u64,
    /// Nothing to do.
    pub(crate) idle: u64,
    /// Nothing to do but wait for I/O.
    pub(crate) iowait: u64,
    /// Taken by the hypervisor.
    pub(crate) steal: u64,
    /// Processors online.
    pub(crate) online: u32,
}

/// `/proc/stat`, of all processors together.
pub(crate) fn cpu_ticks(text: &str) -> Option<CpuTicks> {
    let online =
        text.lines().filter(|l| l.strip_prefix("cpu").is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit())));
    let all = text.lines().find(|line| line.starts_with("cpu "))?;
    Some(CpuTicks { online: u32::try_from(online.count()).ok()?, ..ticks_of_line(all)? })
}

/// `/proc/stat`, of some processors together.
pub(crate) fn cpu_ticks_of(text: &str, cpus: &[u32]) -> Option<CpuTicks> {
    let of = |cpu: &u32| {
        let head = format!("cpu{cpu} ");
        ticks_of_line(text.lines().find(|line| line.starts_with(&head))?)
    };
    cpus.iter().try_fold(CpuTicks::default(), |sum, cpu| {
        let ticks = of(cpu)?;
        Some(CpuTicks {
            user: sum.user + ticks.user,
            system: sum.system + ticks.system,
            idle: sum.idle + ticks.idle,
            iowait: sum.iowait + ticks.iowait,
            steal: sum.steal + ticks.steal,
            online: sum.online + 1,
        })
    })
}

/// A line of a processor, or of all together, without how many there are.
fn ticks_of_line(line: &str) -> Option<CpuTicks> {
    let mut fields = line.split_ascii_whitespace().skip(1).map(|f| f.parse::<u64>().ok());
    let mut next = || fields.next().flatten();
    let (user, nice, system, idle) = (next()?, next()?, next()?, next()?);
    // Kernels before 2.6.11 have fewer columns.
    let (iowait, irq, softirq, steal) = (next(), next(), next(), next());
    Some(CpuTicks {
        user: user.checked_add(nice)?,
        system: system.checked_add(irq.unwrap_or(0))?.checked_add(softirq.unwrap_or(0))?,
        idle,
        iowait: iowait.unwrap_or(0),
        steal: steal.unwrap_or(0),
        online: 0,
    })
}

/// `/proc/loadavg`: tasks that run or could run, the reader included.
pub(crate) fn runnable(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(3)?.split('/').next()?.parse().ok()
}

/// The counts of a block device since it appeared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeviceCounts {
    /// Kernel name.
    pub(crate) name: String,
    /// Reads completed.
    pub(crate) reads: u64,
    /// Bytes read.
    pub(crate) read_bytes: u64,
    /// Milliseconds that reads took, added up.
    pub(crate) read_ms: u64,
    /// Writes completed.
    pub(crate) writes: u64,
    /// Bytes written.
    pub(crate) written_bytes: u64,
    /// Milliseconds that writes took, added up.
    pub(crate) write_ms: u64,
    /// Milliseconds with any I/O in flight.
    pub(crate) busy_ms: u64,
}

/// The sector of `/proc/diskstats`, whatever the device's own sector is (kernel:
/// Documentation/admin-guide/iostats.rst).
const SECTOR_BYTES: u64 = 512;

/// `/proc/diskstats`: devices and partitions with any activity.
pub(crate) fn devices(text: &str) -> Vec<DeviceCounts> {
    text.lines().filter_map(device).filter(|d| d.reads > 0 || d.writes > 0).collect()
}

fn device(line: &str) -> Option<DeviceCounts> {
    let mut words = line.split_ascii_whitespace().skip(2);
    let name = words.next()?;
    let mut fields = [0u64; 10];
    for field in &mut fields {
        *field = words.next()?.parse().ok()?;
    }
    let [reads, _, sectors_read, read_ms, writes, _, sectors_written, write_ms, _in_flight, busy_ms] = fields;
    Some(DeviceCounts {
        name: name.to_owned(),
        reads,
        read_bytes: sectors_read.checked_mul(SECTOR_BYTES)?,
        read_ms,
        writes,
        written_bytes: sectors_written.checked_mul(SECTOR_BYTES)?,
        write_ms,
        busy_ms,
    })
}

/// The bytes of a network interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InterfaceBytes {
    /// Name.
    pub(crate) name: String,
    /// Received.
    pub(crate) received: u64,
    /// Sent.
    pub(crate) sent: u64,
}

/// `/proc/net/dev`.
pub(crate) fn interfaces(text: &str) -> Vec<InterfaceBytes> {
    let interface = |line: &str| {
        let (name, counts) = line.split_once(':')?;
        let mut counts = counts.split_ascii_whitespace();
        let received = counts.next()?.parse().ok()?;
        // Eight columns for receiving come before those for sending.
        let sent = counts.nth(7)?.parse().ok()?;
        Some(InterfaceBytes { name: name.trim().to_owned(), received, sent })
    };
    text.lines().filter_map(interface).collect()
}

/// What this process moved to and from devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnIo {
    /// Fetched from devices, in bytes.
    pub(crate) read_bytes: u64,
    /// Bytes sent to devices, or dirtied and so to be sent.
    pub(crate) written_bytes: u64,
}

/// `/proc/self/io`.
pub(crate) fn own_io(text: &str) -> Option<OwnIo> {
    let bytes = |name| super::text::value(text, name)?.parse().ok();
    Some(OwnIo { read_bytes: bytes("read_bytes")?, written_bytes: bytes("write_bytes")? })
}

/// `/proc/pressure/*`: microseconds in which some task waited.
pub(crate) fn pressure_some_us(text: &str) -> Option<u64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    some.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

/// `/proc/self/statm`: resident pages.
pub(crate) fn resident_pages(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// `/proc/vmstat`: pages swapped in and out.
pub(crate) fn swapped_pages(text: &str) -> Option<u64> {
    let count = |name: &str| text.lines().find_map(|l| l.strip_prefix(name)?.trim().parse::<u64>().ok());
    count("pswpin ")?.checked_add(count("pswpout ")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_could_run() {
        assert_eq!(runnable("0.41 1.20 2.02 3/234 51234\n"), Some(3));
        assert_eq!((runnable(""), runnable("0.41 1.20 2.02 x/234 5"), runnable("1 2 3")), (None, None, None));
    }

    #[test]
    fn ticks_of_some_processors_are_added_up() {
        let text = "cpu  10 0 10 80 0 0 0 0 0 0\ncpu0 6 1 4 30 2 1 0 3 0 0\ncpu1 4 0 6 50 0 0 0 0 0 0\ncpu10 1 1 1 1\nintr 5\n";
        let one = cpu_ticks_of(text, &[0]).unwrap();
        assert_eq!((one.user, one.system, one.idle, one.iowait, one.steal, one.online), (7, 5, 30, 2, 3, 1));
        let both = cpu_ticks_of(text, &[0, 10]).unwrap();
        assert_eq!((both.user, both.idle, both.online), (9, 31, 2));
        assert_eq!(cpu_ticks_of(text, &[0, 7]), None, "one of them is off");
        assert_eq!(cpu_ticks(text).unwrap().online, 3);
    }

    #[test]
    fn processor_time() {
        let text = "cpu  14513 7 2920 460790 822 3 62 25 9 0\ncpu0 8752 0 1259 229320 118 0 28 11 0 0\n\
                    cpu1 5760 0 1661 231470 704 0 33 14 0 0\nintr 220945 0 0\nctxt 343995\n";
        let ticks = cpu_ticks(text).unwrap();
        let expected = CpuTicks { user: 14_520, system: 2_985, idle: 460_790, iowait: 822, steal: 25, online: 2 };
        assert_eq!(ticks, expected);
        assert_eq!(cpu_ticks("cpu  1 2 3 4\ncpu0 1 2 3 4\n").unwrap().online, 1, "a very old kernel");
        assert_eq!(cpu_ticks("cpu  1 2 x 4\n"), None);
        assert_eq!(cpu_ticks("intr 5\n"), None);
    }

    #[test]
    fn devices_of_every_kernel() {
        let text = "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n \
                    254       0 vda 39247 10975 10305586 29866 7674 17833 2371640 4535 0 9584 35085 3826 51 515432 658 373 24\n \
                    259       0 nvme0n1 10 0 80 2 1 0 8 1 0 3 3\n   8       1 sda1 5 40 6 48\n";
        let found = devices(text);
        let names: Vec<&str> = found.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["vda", "nvme0n1"], "idle devices and the four-column lines of old partitions are left out");
        assert_eq!(found[0].reads, 39_247);
        assert_eq!(found[0].read_bytes, 10_305_586 * 512);
        assert_eq!((found[0].read_ms, found[0].write_ms, found[0].busy_ms), (29_866, 4_535, 9_584));
        assert_eq!((found[0].writes, found[0].written_bytes), (7_674, 2_371_640 * 512));
        assert_eq!(found[1].written_bytes, 4_096);
    }

    #[test]
    fn interfaces_with_and_without_a_space_after_the_colon() {
        let text = "Inter-|   Receive                                                |  Transmit\n \
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n\
                lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0\n\
              eth0:70085564    3295    0    0    0     0          0         0   295117    2365    0    0    0     0       0          0\n";
        let found = interfaces(text);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].name.as_str(), found[0].received, found[0].sent), ("lo", 3_193, 3_193));
        assert_eq!((found[1].name.as_str(), found[1].received, found[1].sent), ("eth0", 70_085_564, 295_117));
    }

    #[test]
    fn the_rest() {
        let io = "rchar: 6976\nwchar: 0\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n";
        assert_eq!(own_io(io), Some(OwnIo { read_bytes: 4_096, written_bytes: 8_192 }));
        assert_eq!(own_io("rchar: 1\n"), None);
        let psi =
            "some avg10=0.53 avg60=0.54 avg300=0.32 total=8460164\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(pressure_some_us(psi), Some(8_460_164));
        assert_eq!(pressure_some_us("full total=7\n"), None);
        assert_eq!(resident_pages("765 407 378 5 0 123 0\n"), Some(407));
        assert_eq!(resident_pages(""), None);
        assert_eq!(swapped_pages("pgpgin 5\npswpin 3\npswpout 4\npswpout_more 9\n"), Some(7));
        assert_eq!(swapped_pages("pswpin 3\n"), None);
    }
}

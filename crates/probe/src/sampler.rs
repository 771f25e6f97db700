//! Reads every counter at one moment, cheaply: files are opened once and read again from the start into one buffer.
//!
//! The meaning of counters is not decided here. A [`Snapshot`] contains what the kernel said, and [`Telemetry`] the
//! difference of two snapshots.

use crate::devices::{BlockDevices, DeviceNames, directory};
use crate::limits::Throttles;
use crate::missing::Reading;
use crate::os;
use crate::parse::{self, CpuTicks, DeviceCounts, InterfaceBytes, OwnIo, Throttling};
use crate::root::{Root, linux, unreadable};
use crate::telemetry::{Interval, Telemetry};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Whose work this process's processor time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnessShare {
    /// Only dbdyno's: the engine runs elsewhere.
    OwnProcess,
    /// dbdyno's and the engine's, which runs inside the process; they cannot be separated.
    NotSeparable,
}

/// Takes snapshots.
#[derive(Debug)]
pub struct Sampler {
    sources: KernelFiles,
    /// The buffer for the kernel's files. Its lock also keeps two readers from sharing a file.
    buffer: Mutex<Vec<u8>>,
    scope: Scope,
    /// The main process of a server on this machine.
    server_pid: Option<u32>,
    /// The processor quotas of this process and of that server.
    throttles: Throttles,
    /// Whether the writes of all processes are read, too.
    everybody: bool,
}

/// Which of the machine's counters count.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Whose work the process's processor time is.
    pub(crate) harness: HarnessShare,
    /// Whole devices; all others are partitions, whose counts are included in theirs.
    pub(crate) whole: DeviceNames,
    /// Devices that hold the database.
    pub(crate) data: DeviceNames,
    /// Devices that are summed: those of the database, or all physical ones where none of its files are on this
    /// machine. Or why none are summed: a file on an unknown device must not be credited with the work of other
    /// devices.
    pub(crate) summed: Reading<DeviceNames>,
    /// Why reads of processes from devices may have come from the page cache nevertheless.
    pub(crate) cached_below: Option<String>,
    /// A remark on the devices' figures.
    pub(crate) remark: Option<String>,
    /// Interfaces that are made of others (bonds, bridges, VLANs); their bytes are already counted on those.
    pub(crate) stacked: DeviceNames,
}

impl Sampler {
    /// Opens the kernel's files and finds the devices below `data_files`. For a remote database there are no files, and
    /// all physical devices of this machine are summed. For files on no known device, such as tmpfs, NFS or ZFS, sums
    /// are absent. A file that cannot be opened is absent from every difference, with the reason.
    #[must_use]
    pub fn new(data_files: &[PathBuf], harness: HarnessShare) -> Self {
        let root = Root::machine();
        let scope = Scope::find(&root, data_files, harness);
        let throttles = Throttles::open(&root, None);
        Self {
            sources: KernelFiles::open(&root),
            buffer: Mutex::new(vec![0; 64 << 10]),
            scope,
            server_pid: None,
            throttles,
            everybody: false,
        }
    }

    /// The same sampler, which also reads the processor time and I/O of a server on this machine, given its main
    /// process.
    #[must_use]
    pub fn beside(self, server_pid: Option<u32>) -> Self {
        Self { server_pid, throttles: Throttles::open(&Root::machine(), server_pid), ..self }
    }

    /// The same sampler, which also reads what others than the server write to devices; this reads files of every
    /// process.
    #[must_use]
    pub fn watching_others(self, everybody: bool) -> Self {
        Self { everybody, ..self }
    }

    /// Reads all counters now. It costs tens of microseconds on a small machine; the kernel's own work for `/proc/stat`
    /// grows with processors and interrupts. With [`Sampler::watching_others`] it also reads two files of each process.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        let server_cpu_ns = self.server_pid.map(crate::server::cpu_ns);
        let throttling = self.throttles.read();
        let snapshot = self.sources.read(&mut buffer);
        let server_io = self.server_pid.map(crate::server_io::of_server);
        let everybody_io = self.everybody.then(crate::server_io::of_everybody);
        Snapshot { server_cpu_ns, server_io, everybody_io, throttling, ..snapshot }
    }

    /// The difference of two snapshots.
    #[must_use]
    pub fn difference(&self, earlier: &Snapshot, later: &Snapshot) -> Telemetry {
        Interval { scope: &self.scope, earlier, later }.telemetry()
    }
}

impl Scope {
    fn find(root: &Root, data_files: &[PathBuf], harness: HarnessShare) -> Self {
        let devices = BlockDevices::read(root);
        let (data, mut remarks) = devices.of_files(data_files);
        let cached_below = data_files.iter().find_map(|file| devices.cached_below(file));
        let summed = match (data_files, data.is_empty()) {
            _ if cached_below.is_some() => Err(cached_below.clone().unwrap_or_default()),
            ([], _) => Ok(devices.physical()),
            (_, false) => Ok(data.clone()),
            (_, true) => Err(match remarks.is_empty() {
                true => "no device is known that holds the database".to_owned(),
                false => remarks.join("; "),
            }),
        };
        for name in summed.iter().flatten() {
            if root.word(&format!("{}/queue/iostats", directory(name))).is_ok_and(|on| on == "0") {
                remarks.push(format!("{name} does not count (its queue/iostats is 0; write 1 to it)"));
            }
        }
        let interfaces = root.names("sys/class/net").into_iter();
        let stacked = interfaces.filter(|name| {
            root.names(&format!("sys/class/net/{name}")).iter().any(|entry| entry.starts_with("lower_"))
        });
        Self {
            harness,
            whole: devices.whole(),
            data,
            summed,
            cached_below,
            remark: (!remarks.is_empty()).then(|| remarks.join("; ")),
            stacked: stacked.collect(),
        }
    }
}

/// All counters at one moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    clocks: Clocks,
    pub(crate) process_cpu_ns: Reading<u64>,
    /// `None` where no server on this machine was named.
    pub(crate) server_cpu_ns: Option<Reading<u64>>,
    /// One for each group with a quota; `None` where no group has one.
    pub(crate) throttling: Option<Reading<Vec<Throttling>>>,
    /// What the server moved to and from devices.
    pub(crate) server_io: Option<Reading<OwnIo>>,
    /// What all processes moved; `None` where this was not asked for.
    pub(crate) everybody_io: Option<Reading<OwnIo>>,
    pub(crate) cpu: Reading<CpuTicks>,
    pub(crate) devices: Reading<Vec<DeviceCounts>>,
    pub(crate) own_io: Reading<OwnIo>,
    pub(crate) memory: Reading<MemoryInUse>,
    pub(crate) own_pages: Reading<u64>,
    pub(crate) swapped_pages: Reading<u64>,
    pub(crate) interfaces: Reading<Vec<InterfaceBytes>>,
    pub(crate) cpu_waits_us: Reading<u64>,
    pub(crate) io_waits_us: Reading<u64>,
    pub(crate) memory_waits_us: Reading<u64>,
}

/// Main memory in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryInUse {
    pub(crate) available_bytes: u64,
    pub(crate) page_cache_bytes: u64,
}

impl MemoryInUse {
    /// The page cache contains cached files and devices. The kernel also counts shared memory (for instance a
    /// database's own cache) in `Cached`, but that is not a copy of a file.
    fn of(text: &str) -> Option<Self> {
        let read = |name| parse::kilobytes(text, name);
        let cached = read("Cached")?.saturating_add(read("Buffers")?).saturating_sub(read("Shmem")?);
        Some(Self { available_bytes: read("MemAvailable")?, page_cache_bytes: cached })
    }
}

impl Snapshot {
    /// When it was taken, by the monotonic clock.
    #[must_use]
    pub fn taken_at(&self) -> Instant {
        self.clocks.monotonic
    }

    /// When it was taken, by the wall clock.
    #[must_use]
    pub fn wall_time(&self) -> SystemTime {
        self.clocks.wall
    }

    /// The same counts later, with all clocks moved forward together.
    #[cfg(test)]
    pub(crate) fn after(&self, time: Duration) -> Self {
        let clocks = Clocks {
            monotonic: self.clocks.monotonic + time,
            wall: self.clocks.wall + time,
            since_boot_ns: self.clocks.since_boot_ns.map(|ns| ns + u64::try_from(time.as_nanos()).unwrap()),
        };
        Self { clocks, ..self.clone() }
    }

    /// Seconds by which the clocks moved apart until `later`: how far the wall clock was set, or how long the machine
    /// slept, whichever is more. NTP may slew the clock by up to 0.5 ms a second; reading the clocks takes some
    /// microseconds.
    #[must_use]
    pub fn clock_jump_s(&self, later: &Self) -> f64 {
        self.clocks.jump_s(&later.clocks)
    }
}

#[derive(Debug, Clone, Copy)]
struct Clocks {
    monotonic: Instant,
    wall: SystemTime,
    since_boot_ns: Option<u64>,
}

impl Clocks {
    /// Reads the clocks together. A thread that loses its processor in between would see them apart, so the closest of
    /// several readings counts.
    fn read() -> Self {
        const CLOSE: Duration = Duration::from_micros(50);
        const ATTEMPTS: u32 = 5;
        let read = || {
            let monotonic = Instant::now();
            let clocks = Self { monotonic, wall: SystemTime::now(), since_boot_ns: os::since_boot_ns() };
            (monotonic.elapsed(), clocks)
        };
        let mut closest = read();
        for _ in 1..ATTEMPTS {
            if closest.0 <= CLOSE {
                break;
            }
            let next = read();
            if next.0 < closest.0 {
                closest = next;
            }
        }
        closest.1
    }

    fn jump_s(&self, later: &Self) -> f64 {
        let passed_s = later.monotonic.saturating_duration_since(self.monotonic).as_secs_f64();
        let wall_s = match later.wall.duration_since(self.wall) {
            Ok(forward) => forward.as_secs_f64(),
            Err(backward) => -backward.duration().as_secs_f64(),
        };
        let boot_ns = later.since_boot_ns.zip(self.since_boot_ns).map(|(l, e)| l.saturating_sub(e));
        let slept_s = boot_ns.map_or(0.0, |ns| (ns as f64 / 1e9 - passed_s).abs());
        (wall_s - passed_s).abs().max(slept_s)
    }
}

/// The kernel's files, opened.
#[derive(Debug)]
struct KernelFiles {
    stat: KernelFile,
    diskstats: KernelFile,
    own_io: KernelFile,
    meminfo: KernelFile,
    own_statm: KernelFile,
    vmstat: KernelFile,
    net_dev: KernelFile,
    cpu_pressure: KernelFile,
    io_pressure: KernelFile,
    memory_pressure: KernelFile,
}

impl KernelFiles {
    fn open(root: &Root) -> Self {
        let open = |path| KernelFile::open(root, path);
        Self {
            stat: open("proc/stat"),
            diskstats: open("proc/diskstats"),
            own_io: open("proc/self/io"),
            meminfo: open("proc/meminfo"),
            own_statm: open("proc/self/statm"),
            vmstat: open("proc/vmstat"),
            net_dev: open("proc/net/dev"),
            cpu_pressure: open("proc/pressure/cpu"),
            io_pressure: open("proc/pressure/io"),
            memory_pressure: open("proc/pressure/memory"),
        }
    }

    fn read(&self, buffer: &mut Vec<u8>) -> Snapshot {
        // Counters that are compared with the clock are read next to it; sizes, which change slowly, come last.
        let clocks = Clocks::read();
        Snapshot {
            clocks,
            process_cpu_ns: os::process_cpu_ns().ok_or_else(|| crate::root::NOT_LINUX.to_owned()),
            server_cpu_ns: None,
            throttling: None,
            server_io: None,
            everybody_io: None,
            cpu: self.stat.read(buffer, parse::cpu_ticks),
            devices: self.diskstats.read(buffer, |text| Some(parse::devices(text))),
            own_io: self.own_io.read(buffer, parse::own_io),
            cpu_waits_us: self.cpu_pressure.read(buffer, parse::pressure_some_us),
            io_waits_us: self.io_pressure.read(buffer, parse::pressure_some_us),
            memory_waits_us: self.memory_pressure.read(buffer, parse::pressure_some_us),
            interfaces: self.net_dev.read(buffer, |text| Some(parse::interfaces(text))),
            swapped_pages: self.vmstat.read(buffer, parse::swapped_pages),
            memory: self.meminfo.read(buffer, MemoryInUse::of),
            own_pages: self.own_statm.read(buffer, parse::resident_pages),
        }
    }
}

/// One kernel file, opened, or why it is not.
#[derive(Debug)]
struct KernelFile {
    path: &'static str,
    file: Reading<File>,
}

impl KernelFile {
    fn open(root: &Root, path: &'static str) -> Self {
        let open = || File::open(root.path(path)).map_err(|e| unreadable(Path::new("/").join(path), &e));
        Self { path, file: linux().and_then(|()| open()) }
    }

    /// Reads the file from its start, into a buffer that grows as needed.
    fn read<T>(&self, buffer: &mut Vec<u8>, parse: impl FnOnce(&str) -> Option<T>) -> Reading<T> {
        let file = self.file.as_ref().map_err(String::clone)?;
        let mut filled = 0;
        loop {
            if filled == buffer.len() {
                buffer.resize(buffer.len() * 2, 0);
            }
            match os::read_at(file, &mut buffer[filled..], filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(Path::new("/").join(self.path), &error)),
            }
        }
        let text = String::from_utf8_lossy(&buffer[..filled]);
        parse(&text).ok_or_else(|| format!("/{} has a form that dbdyno does not know", self.path))
    }
}

#[cfg(test)]
mod tests;

//! Reads every counter at one moment, cheaply: files are opened once and read again from the start into one buffer.
//!
//! What a counter means is not decided here: a [`Snapshot`] holds what the kernel said, and [`Telemetry`] what lies
//! between two of them.

use crate::devices::{BlockDevices, Names, directory};
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

/// Whose cycles this process's processor time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnessShare {
    /// dbdyno's alone: the engine works elsewhere.
    OwnProcess,
    /// dbdyno's and the engine's, which runs inside the process: nobody can tell them apart.
    NotSeparable,
}

/// Takes snapshots.
#[derive(Debug)]
pub struct Sampler {
    sources: Sources,
    /// Kernel files are read into it one after the other; the lock also keeps two readers from sharing a file.
    buffer: Mutex<Vec<u8>>,
    scope: Scope,
    /// The main process of a server on this machine.
    server_pid: Option<u32>,
    /// The quotas of this process and of that server.
    throttles: Throttles,
    /// Whether what all processes write is wanted, too.
    everybody: bool,
}

/// What of the machine's counters is meant.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Whose the process's time is.
    pub(crate) harness: HarnessShare,
    /// Whole devices; all others are partitions, whose counts are within theirs.
    pub(crate) whole: Names,
    /// Devices that hold the database.
    pub(crate) data: Names,
    /// Devices whose sum is reported: those of the database; all physical ones where no files of it are on this
    /// machine. Or why nothing is: what lies on no known device must not be credited with the work of others.
    pub(crate) summed: Reading<Names>,
    /// Why what processes read of devices may have come from the page cache all the same.
    pub(crate) cached_below: Option<String>,
    /// What a reader of the devices' figures must know.
    pub(crate) remark: Option<String>,
    /// Interfaces that are made of others (bonds, bridges, VLANs): their bytes are counted below them already.
    pub(crate) stacked: Names,
}

impl Sampler {
    /// Opens the kernel's files and finds the devices below `data_files` (none for a remote database: then all physical
    /// devices of this machine are summed; where files are given that lie on no known device, such as tmpfs, NFS or
    /// ZFS, sums are absent). What cannot be opened is absent from every difference, with the reason.
    #[must_use]
    pub fn new(data_files: &[PathBuf], harness: HarnessShare) -> Self {
        let root = Root::machine();
        let scope = Scope::find(&root, data_files, harness);
        let throttles = Throttles::open(&root, None);
        Self {
            sources: Sources::open(&root),
            buffer: Mutex::new(vec![0; 64 << 10]),
            scope,
            server_pid: None,
            throttles,
            everybody: false,
        }
    }

    /// The same sampler with processor time and I/O of a server whose main process this is, where it runs on this
    /// machine.
    #[must_use]
    pub fn beside(self, server_pid: Option<u32>) -> Self {
        Self { server_pid, throttles: Throttles::open(&Root::machine(), server_pid), ..self }
    }

    /// The same sampler with what others than the server write to devices, which costs a look at every process.
    #[must_use]
    pub fn watching_others(self, everybody: bool) -> Self {
        Self { everybody, ..self }
    }

    /// Reads all counters now. Costs tens of microseconds on a small machine; the kernel's own work for `/proc/stat`
    /// grows with processors and interrupts. With [`Sampler::watching_others`] two files of each process are read
    /// besides.
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

    /// What happened between two snapshots.
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
    /// None where no server on this machine was named.
    pub(crate) server_cpu_ns: Option<Reading<u64>>,
    /// One for each group that has a quota; none where nothing has.
    pub(crate) throttling: Option<Reading<Vec<Throttling>>>,
    /// The same of what it moved to and from devices.
    pub(crate) server_io: Option<Reading<OwnIo>>,
    /// What all processes moved; none where nobody asked.
    pub(crate) everybody_io: Option<Reading<OwnIo>>,
    pub(crate) cpu: Reading<CpuTicks>,
    pub(crate) devices: Reading<Vec<DeviceCounts>>,
    pub(crate) own_io: Reading<OwnIo>,
    pub(crate) memory: Reading<Memory>,
    pub(crate) own_pages: Reading<u64>,
    pub(crate) swapped_pages: Reading<u64>,
    pub(crate) interfaces: Reading<Vec<InterfaceBytes>>,
    pub(crate) cpu_waits_us: Reading<u64>,
    pub(crate) io_waits_us: Reading<u64>,
    pub(crate) memory_waits_us: Reading<u64>,
}

/// Main memory in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) available_bytes: u64,
    pub(crate) page_cache_bytes: u64,
}

impl Memory {
    /// The page cache is what is cached of files and devices; shared memory (a database's own cache, for one) is
    /// counted among `Cached` by the kernel but is nobody's copy.
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

    /// The same counts so much later, all clocks together.
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
    /// slept, whichever is more. Slewing by NTP makes up to 0.5 ms a second; reading the clocks itself some
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
    /// a few readings counts.
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

/// The kernel's files, open.
#[derive(Debug)]
struct Sources {
    stat: Source,
    diskstats: Source,
    own_io: Source,
    meminfo: Source,
    own_statm: Source,
    vmstat: Source,
    net_dev: Source,
    cpu_pressure: Source,
    io_pressure: Source,
    memory_pressure: Source,
}

impl Sources {
    fn open(root: &Root) -> Self {
        let open = |path| Source::open(root, path);
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
        // What is set against the clock is read next to it; sizes, which move slowly, come last.
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
            memory: self.meminfo.read(buffer, Memory::of),
            own_pages: self.own_statm.read(buffer, parse::resident_pages),
        }
    }
}

/// One kernel file, open, or why it is not.
#[derive(Debug)]
struct Source {
    path: &'static str,
    file: Reading<File>,
}

impl Source {
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

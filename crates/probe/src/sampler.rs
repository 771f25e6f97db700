//! Reads every counter at one moment, cheaply: files are opened once and read again from the start into one buffer.
//!
//! The meaning of counters is not decided here. A [`Snapshot`] contains what the kernel said, and [`Telemetry`] the
//! difference of two snapshots.

use crate::limits::Throttles;
use crate::missing::Reading;
use crate::os;
use crate::parse;
use crate::root::{Root, linux, unreadable};
use crate::scope::{HarnessShare, Scope};
use crate::snapshot::{Clocks, MemoryInUse, Snapshot};
use crate::telemetry::{Interval, Telemetry};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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

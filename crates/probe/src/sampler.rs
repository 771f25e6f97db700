//! Reads every counter at one moment, cheaply: files are opened once and read again from the start into one buffer.
//!
//! The meaning of counters is not decided here. A [`Snapshot`] contains what the kernel said, and [`Telemetry`] the
//! difference of two snapshots.

use crate::limits::Throttles;
use crate::os;
use crate::parse;
use crate::root::{KernelFile, Root};
use crate::scope::{HarnessShare, Scope};
use crate::snapshot::{Clocks, MemoryInUse, Snapshot};
use crate::telemetry::{Interval, Telemetry};
use rustix::time::ClockId;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The files of a snapshot, in the order in which they are read.
const FILES: [&str; 11] = [
    "proc/stat",
    "proc/diskstats",
    "proc/self/io",
    "proc/pressure/cpu",
    "proc/pressure/io",
    "proc/pressure/memory",
    "proc/net/dev",
    "proc/vmstat",
    "proc/meminfo",
    "proc/self/statm",
    "proc/loadavg",
];

/// Takes snapshots.
#[derive(Debug)]
pub struct Sampler {
    /// The files of [`FILES`], opened.
    files: [KernelFile; FILES.len()],
    /// The buffer for the kernel's files. Its lock also keeps two readers from sharing a file.
    buffer: Mutex<Vec<u8>>,
    scope: Scope,
    /// The main process of a server on this machine.
    server_pid: Option<u32>,
    /// That of its standby on this machine.
    standby_pid: Option<u32>,
    /// Other processes of dbdyno's that do its work on this machine.
    agents: Vec<u32>,
    /// The processor quotas of this process and of that server.
    throttles: Throttles,
    /// Whether the writes of all processes are read, too.
    everybody: bool,
    /// The processors that the server is held to; none where it is held to none.
    held_cpus: Vec<u32>,
}

impl Sampler {
    /// Opens the kernel's files and finds the devices below `data_files`. For a remote database there are no files, and
    /// all physical devices of this machine are summed. For files on no known device, such as tmpfs, NFS or ZFS, sums
    /// are absent. A file that cannot be opened is absent from every difference, with the reason.
    #[must_use]
    pub fn new(data_files: &[PathBuf], harness: HarnessShare) -> Self {
        let root = Root::machine();
        Self {
            files: FILES.map(|path| KernelFile::open(&root, path.to_owned())),
            buffer: Mutex::new(vec![0; 64 << 10]),
            scope: Scope::find(&root, data_files, harness),
            server_pid: None,
            standby_pid: None,
            agents: Vec::new(),
            throttles: Throttles::open(&root, None),
            everybody: false,
            held_cpus: Vec::new(),
        }
    }

    /// The same sampler, which also reads the processor time and I/O of a server on this machine, given its main
    /// process.
    #[must_use]
    pub fn beside(self, server_pid: Option<u32>) -> Self {
        Self { server_pid, throttles: Throttles::open(&Root::machine(), server_pid), ..self }
    }

    /// The same sampler, which counts the processor time of the server's standby on this machine as the server's, given
    /// its main process: it works because the server does, and is nobody else's.
    #[must_use]
    pub fn with_standby(self, standby_pid: Option<u32>) -> Self {
        Self { standby_pid, ..self }
    }

    /// The same sampler, which counts other processes of dbdyno's on this machine as dbdyno's own.
    #[must_use]
    pub fn with_agents(self, agents: Vec<u32>) -> Self {
        Self { agents, ..self }
    }

    /// The processor time of those that are there; one that has ended is a lost agent, which others notice.
    fn agents_cpu_ns(&self) -> u64 {
        self.agents.iter().filter_map(|pid| crate::server::cpu_ns(*pid).ok()).sum()
    }

    /// The same sampler, which also reads how busy the processors are that the server is held to.
    #[must_use]
    pub fn held_to(self, cpus: Vec<u32>) -> Self {
        Self { held_cpus: cpus, ..self }
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
        let servers = self.server_pid.into_iter().chain(self.standby_pid);
        let server_cpu_ns = self.server_pid.map(|_| servers.map(crate::server::cpu_ns).sum());
        let throttling = self.throttles.read(&mut buffer);
        let [stat, diskstats, own_io, cpu_waits, io_waits, memory_waits, net_dev, vmstat, meminfo, statm, loadavg] =
            &self.files;
        // Counters that are compared with the clock are read next to it; sizes, which change slowly, come last.
        Snapshot {
            clocks: Clocks::read(),
            process_cpu_ns: os::clock_ns(ClockId::ProcessCPUTime) + self.agents_cpu_ns(),
            cpu: stat.read(&mut buffer, parse::cpu_ticks),
            held_cpu: (!self.held_cpus.is_empty())
                .then(|| stat.read(&mut buffer, |text| parse::cpu_ticks_of(text, &self.held_cpus))),
            devices: diskstats.read(&mut buffer, |text| Some(parse::devices(text))),
            own_io: own_io.read(&mut buffer, parse::own_io),
            cpu_waits_us: cpu_waits.read(&mut buffer, parse::pressure_some_us),
            io_waits_us: io_waits.read(&mut buffer, parse::pressure_some_us),
            memory_waits_us: memory_waits.read(&mut buffer, parse::pressure_some_us),
            interfaces: net_dev.read(&mut buffer, |text| Some(parse::interfaces(text))),
            swapped_pages: vmstat.read(&mut buffer, parse::swapped_pages),
            memory: meminfo.read(&mut buffer, MemoryInUse::of),
            own_pages: statm.read(&mut buffer, parse::resident_pages),
            runnable: loadavg.read(&mut buffer, parse::runnable),
            server_cpu_ns,
            throttling,
            server_io: self.server_pid.map(crate::server_io::of_server),
            everybody_io: self.everybody.then(crate::server_io::of_everybody),
        }
    }

    /// The difference of two snapshots.
    #[must_use]
    pub fn difference(&self, earlier: &Snapshot, later: &Snapshot) -> Telemetry {
        Interval { scope: &self.scope, earlier, later }.telemetry()
    }
}

#[cfg(test)]
mod tests;

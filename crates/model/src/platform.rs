//! The platform sheet: what decides a platform's figures, as the operating system tells it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Hardware, virtualisation and operating system. What cannot be read is absent, with the reason in `missing`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Platform {
    /// Host name.
    pub host: Option<String>,
    /// Processors.
    pub cpu: Cpu,
    /// Main memory.
    pub memory: Memory,
    /// Number of NUMA nodes.
    pub numa_nodes: Option<u32>,
    /// Name and version of the distribution.
    pub os: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Hypervisor, container runtime, or both (`docker on kvm`); `none` on bare metal.
    pub virtualisation: Option<String>,
    /// Server vendor and product.
    pub product: Option<String>,
    /// What it is one of, as a platform file says: its lines in charts look alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Block devices.
    pub disks: Vec<Disk>,
    /// Versions of firmware and microcode, by what they are of: `BIOS`, `microcode`, or the kernel name of a disk.
    /// Empty where none is shown, and in older documents.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub firmware: BTreeMap<String, String>,
    /// What could not be read, and why.
    pub missing: BTreeMap<String, String>,
}

/// Processors.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// Model name.
    pub model: Option<String>,
    /// Number of sockets.
    pub sockets: Option<u32>,
    /// Physical cores on all sockets.
    pub cores: Option<u32>,
    /// Hardware threads that dbdyno may use, on all cores.
    pub threads: Option<u32>,
    /// Nominal or highest clock in MHz.
    pub clock_mhz: Option<f64>,
    /// Frequency governor.
    pub governor: Option<String>,
    /// What dbdyno or the server may use of the processors, where that is less than all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<CpuLimits>,
}

/// What the database may use of the processors: the limits of the server or, for an engine that runs inside dbdyno, of
/// dbdyno.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CpuLimits {
    /// Physical cores that the CPU affinity (and the cpuset) allows.
    pub allowed_cores: Option<u32>,
    /// Hardware threads that the CPU affinity (and the cpuset) allows.
    pub allowed_threads: Option<u32>,
    /// Hardware threads of the machine.
    pub machine_threads: Option<u32>,
    /// The smallest quota of processor time among the process's control groups up to the root, in processors.
    pub quota_processors: Option<f64>,
}

/// How many cores or hardware threads the database may use, and how many the machine has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usable {
    /// The number that may be used, by which reports divide a throughput. A quota can make it a fraction.
    pub n: f64,
    /// The machine's number, if not all may be used.
    pub of: Option<u32>,
}

impl Cpu {
    /// Cores that the database may use.
    #[must_use]
    pub fn usable_cores(&self) -> Option<Usable> {
        self.usable(self.cores, self.limits.as_ref().and_then(|l| l.allowed_cores))
    }

    /// Hardware threads that the database may use.
    #[must_use]
    pub fn usable_threads(&self) -> Option<Usable> {
        let Some(limits) = &self.limits else { return self.usable(self.threads, None) };
        self.usable(limits.machine_threads.or(self.threads), limits.allowed_threads)
    }

    fn usable(&self, machine: Option<u32>, allowed: Option<u32>) -> Option<Usable> {
        let machine = machine.filter(|n| *n > 0)?;
        let n = f64::from(allowed.filter(|n| *n > 0).unwrap_or(machine).min(machine));
        let quota = self.limits.as_ref().and_then(|l| l.quota_processors).filter(|q| *q > 0.0);
        let n = quota.map_or(n, |quota| quota.min(n));
        Some(Usable { n, of: (n < f64::from(machine)).then_some(machine) })
    }
}

/// Main memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// Total bytes.
    pub total_bytes: Option<u64>,
    /// Bytes set aside as huge pages.
    pub huge_pages_bytes: Option<u64>,
    /// Transparent huge pages: `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
    /// Swap bytes.
    pub swap_bytes: Option<u64>,
}

/// One block device, and what is mounted from it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Disk {
    /// Kernel name: `nvme0n1`.
    pub name: String,
    /// Model.
    pub model: Option<String>,
    /// Bytes.
    pub size_bytes: Option<u64>,
    /// Whether it has rotating disks.
    pub rotational: Option<bool>,
    /// I/O scheduler in force.
    pub scheduler: Option<String>,
    /// Write cache: `write back` or `write through`.
    pub write_cache: Option<String>,
    /// File systems mounted from it or its partitions: mount point, type and options.
    pub mounts: Vec<String>,
    /// Whether the database's files lie on it.
    pub holds_database: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(limits: Option<CpuLimits>) -> Cpu {
        Cpu { cores: Some(64), threads: Some(4), limits, ..Cpu::default() }
    }

    #[test]
    fn affinity_and_quota_reduce_the_usable_number() {
        let whole = cpu(None);
        assert_eq!(whole.usable_cores(), Some(Usable { n: 64.0, of: None }));
        let affinity = CpuLimits {
            allowed_cores: Some(2),
            allowed_threads: Some(4),
            machine_threads: Some(128),
            quota_processors: None,
        };
        let bound = cpu(Some(affinity.clone()));
        assert_eq!(bound.usable_cores(), Some(Usable { n: 2.0, of: Some(64) }));
        assert_eq!(bound.usable_threads(), Some(Usable { n: 4.0, of: Some(128) }));
        let quota = cpu(Some(CpuLimits { quota_processors: Some(1.5), ..affinity }));
        assert_eq!(quota.usable_cores(), Some(Usable { n: 1.5, of: Some(64) }));
        assert_eq!(quota.usable_threads(), Some(Usable { n: 1.5, of: Some(128) }));
        let wide = cpu(Some(CpuLimits { quota_processors: Some(500.0), ..CpuLimits::default() }));
        assert_eq!(wide.usable_cores(), Some(Usable { n: 64.0, of: None }), "a quota of more than there is");
        assert_eq!(Cpu::default().usable_cores(), None);
    }

    #[test]
    fn older_documents_have_no_limits_and_none_are_written_where_there_are_none() {
        let old: Cpu = serde_json::from_str(r#"{"cores": 8, "threads": 16}"#).unwrap();
        assert_eq!((old.limits.clone(), old.usable_threads()), (None, Some(Usable { n: 16.0, of: None })));
        assert!(!serde_json::to_string(&old).unwrap().contains("limits"));
    }
}

//! The sheet of a platform: what decides its figures, as the operating system tells it.

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
    /// NUMA nodes.
    pub numa_nodes: Option<u32>,
    /// Name and version of the distribution.
    pub os: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Hypervisor or container, `none` on bare metal.
    pub virtualisation: Option<String>,
    /// Server vendor and product.
    pub product: Option<String>,
    /// Block devices.
    pub disks: Vec<Disk>,
    /// What could not be read, and why.
    pub missing: BTreeMap<String, String>,
}

/// Processors.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// Model name.
    pub model: Option<String>,
    /// Sockets.
    pub sockets: Option<u32>,
    /// Physical cores on all sockets.
    pub cores: Option<u32>,
    /// Hardware threads on all cores that this process may use.
    pub threads: Option<u32>,
    /// Nominal or highest clock in MHz.
    pub clock_mhz: Option<f64>,
    /// Frequency governor.
    pub governor: Option<String>,
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
    /// Whether it spins.
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

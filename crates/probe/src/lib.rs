//! What the operating system says: the platform sheet, and the use of processors, devices, memory and network by a
//! point, from Linux's `/proc`, `/sys` and a few system calls.
//!
//! [`inventory`] is read once a run and may take its time. [`Sampler`] is read at both ends of a window and must cost
//! next to nothing. Pure functions (`parse`) interpret the kernel's texts, so that recordings of other machines can be
//! tested.

mod cpu;
mod devices;
mod disks;
mod firmware;
mod flushes;
mod inventory;
mod libc;
mod limits;
mod missing;
mod names;
mod os;
mod pace;
pub mod page_cache;
mod parse;
mod process;
mod root;
mod sampler;
mod scope;
mod server;
mod server_io;
mod snapshot;
mod space;
mod telemetry;
mod virtualisation;

pub use cpu::hardware_threads;
pub use devices::share_in_memory;
pub use flushes::{Flushes, Persisted, why_volatile};
pub use inventory::inventory;
pub use libc::{CLibrary, c_library};
pub use limits::cpu_limits;
pub use os::{process_cpu_ns, thread_cpu_ns};
pub use pace::Pacer;
pub use sampler::Sampler;
pub use scope::HarnessShare;
pub use server_io::server_io_bytes;
pub use snapshot::Snapshot;
pub use space::{free_bytes, is_memory, peak_rss_bytes};
pub use telemetry::{Telemetry, Throttled};

//! What the operating system says: the sheet of the platform, and what a point cost it in processor, device, memory and
//! network terms. Linux only, from `/proc`, `/sys` and a few system calls; elsewhere every value is missing and says
//! why.
//!
//! Two speeds: [`inventory`] is read once a run and may take its time; [`Sampler`] is read at both ends of a window and
//! must cost next to nothing there. Texts of the kernel are taken apart by pure functions (`parse`), so that machines
//! which no developer owns can be tested from recordings.

mod cpu;
mod devices;
mod disks;
mod flushes;
mod inventory;
mod libc;
mod limits;
mod missing;
mod os;
mod pace;
pub mod page_cache;
mod parse;
mod process;
mod root;
mod sampler;
mod server;
mod server_io;
mod space;
mod telemetry;
mod virtualisation;

pub use cpu::hardware_threads;
pub use flushes::{Brought, Flushes, forgetful};
pub use inventory::inventory;
pub use libc::{CLibrary, c_library};
pub use limits::cpu_limits;
pub use pace::Pacer;
pub use sampler::{HarnessShare, Sampler, Snapshot};
pub use space::{free_bytes, is_memory, peak_rss_bytes, share_in_memory};
pub use telemetry::{Telemetry, Throttled};

//! Raw I/O below the database. It shows what the storage itself can do, for comparison with a database's figures.
//!
//! [`Luns`] are the devices and files of a measurement, [`IoLoad`] is the load, and [`measure`] runs it. A constant
//! number of small and large I/Os is kept outstanding, by io_uring where the kernel allows it and by threads elsewhere,
//! and every I/O is recorded.

mod arena;
mod arrivals;
mod backend;
mod breakdown;
mod cache;
mod claims;
pub mod create;
mod error;
mod fits;
mod hosts;
mod io_generator;
mod io_loop;
mod io_threads;
mod last_writes;
mod layout;
mod load;
mod lun;
mod mark;
mod measure;
pub mod orion;
mod prints;
mod record;
pub mod safety;
mod shared_state;
mod signatures;
mod stamps;
mod thread_count;
mod verify;

pub use backend::BackendKind;
pub use breakdown::{Breakdown, BreakdownStep, LunTimes};
pub use cache::warm_cache;
pub use error::{IoError, StorageError};
pub use layout::SECTOR_BYTES;
pub use load::{IoLoad, IoRate, IoShare, Layout, Pattern};
pub use lun::{Lun, LunAccess, LunKind, Luns};
pub use measure::{Completed, PreparedLoad, StorageMeasurement, WindowEdge, measure};
pub use prints::{LunLikeness, LunPrint};
pub use record::{Ios, ReadWrite};
pub use stamps::provable;
pub use verify::{Mismatch, Stamp, stamp};

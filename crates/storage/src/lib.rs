//! Raw I/O below the database: what the storage itself can do, so that the database's figures can be put beside it.
//!
//! [`Luns`] are the devices and files of a measurement, [`Load`] says what is put on them, and [`measure`] does it: a
//! number of small and large I/Os is kept outstanding, exactly, by io_uring where the kernel lets us and by threads
//! where not, and every single one is recorded.

mod arena;
mod arrivals;
mod backend;
mod cache;
mod claims;
pub mod create;
mod crew;
mod error;
mod layout;
mod load;
mod lun;
mod mark;
mod measure;
mod memory;
mod moments;
mod muster;
pub mod orion;
mod proofs;
mod record;
pub mod safety;
mod signatures;
mod turns;
mod verify;
mod work;
mod written;

pub use backend::BackendKind;
pub use cache::{Warmed, warm_cache};
pub use error::{IoError, StorageError};
pub use load::{Layout, Load, OpenLoop, Pattern};
pub use lun::{Access, Lun, LunKind, Luns};
pub use measure::{Completed, Edge, Measured, measure};
pub use moments::{LunTimes, Moments, Step};
pub use proofs::{Stamps, provable, stamps};
pub use record::{Ios, ReadWrite};
pub use verify::{Mismatch, SECTOR_BYTES, Stamp, stamp};

//! The panels, one file each. A panel draws into the area that it gets, and into nothing else.

pub(crate) mod cpu;
pub(crate) mod database;
pub(crate) mod devices;
pub(crate) mod frame;
pub(crate) mod help;
pub(crate) mod load;
pub(crate) mod waits;

/// How much room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// What matters most, in rows.
    Little,
    /// Charts over time, cells for all figures, several tables.
    Much,
}

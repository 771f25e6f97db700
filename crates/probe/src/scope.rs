//! Which of the machine's counters count.

use crate::devices::{BlockDevices, DeviceNames, uncounted};
use crate::missing::Reading;
use crate::root::Root;
use std::path::PathBuf;

/// Whose work this process's processor time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnessShare {
    /// Only dbdyno's: the engine runs elsewhere.
    OwnProcess,
    /// dbdyno's and the engine's, which runs inside the process; they cannot be separated.
    NotSeparable,
}

/// Which of the machine's counters count.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Whose work the process's processor time is.
    pub(crate) harness: HarnessShare,
    /// Whole devices; all others are partitions, whose counts are included in theirs.
    pub(crate) whole: DeviceNames,
    /// Devices that hold the database.
    pub(crate) data: DeviceNames,
    /// Devices that are summed: those of the database, or all physical ones where none of its files are on this
    /// machine. Or why none are summed: a file on an unknown device must not be credited with the work of other
    /// devices.
    pub(crate) summed: Reading<DeviceNames>,
    /// Why reads of processes from devices may have come from the page cache nevertheless.
    pub(crate) cached_below: Option<String>,
    /// A remark on the devices' figures.
    pub(crate) remark: Option<String>,
    /// Interfaces that are made of others (bonds, bridges, VLANs); their bytes are already counted on those.
    pub(crate) stacked: DeviceNames,
}

impl Scope {
    pub(crate) fn find(root: &Root, data_files: &[PathBuf], harness: HarnessShare) -> Self {
        let devices = BlockDevices::read(root);
        let (data, mut remarks) = devices.of_files(data_files);
        let cached_below = data_files.iter().find_map(|file| devices.cached_below(file));
        let summed = match (&cached_below, data_files) {
            (Some(why), _) => Err(why.clone()),
            (None, []) => Ok(devices.physical()),
            _ if !data.is_empty() => Ok(data.clone()),
            _ if remarks.is_empty() => Err("no device is known that holds the database".to_owned()),
            _ => Err(remarks.join("; ")),
        };
        remarks.extend(summed.iter().flatten().filter_map(|name| uncounted(root, name)));
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

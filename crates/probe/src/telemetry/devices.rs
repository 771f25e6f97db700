//! What block devices did between two snapshots.

use super::{Interval, MIB, Telemetry, since};
use crate::devices::DeviceNames;
use crate::missing::{Missing, Reading};
use crate::parse::DeviceCounts;
use dbdyno_model::{DeviceIo, IoRates};

impl Interval<'_> {
    /// Fills in the figures of each device, and of all devices that are summed.
    pub(super) fn devices(&self, telemetry: &mut Telemetry, missing: &mut Missing) {
        if let Some(remark) = &self.scope.remark {
            missing.note("io.devices", remark);
        }
        let deltas = self.device_deltas();
        if let Ok(deltas) = &deltas {
            telemetry.io.devices = deltas.iter().filter_map(|delta| self.device_io(delta)).collect();
        }
        let sum = deltas.and_then(|deltas| {
            let names = self.scope.summed.as_ref().map_err(String::clone)?;
            let summed: Vec<DeviceCounts> = deltas.into_iter().filter(|delta| names.contains(&delta.name)).collect();
            Ok(move |count: fn(&DeviceCounts) -> u64| summed.iter().map(count).fold(0, u64::saturating_add))
        });
        match sum {
            Ok(sum) => {
                let (reads, read_bytes) = (sum(|d| d.reads), sum(|d| d.read_bytes));
                let (writes, written_bytes) = (sum(|d| d.writes), sum(|d| d.written_bytes));
                let read_s = mean_s("read", sum(|d| d.read_ms), reads);
                let write_s = mean_s("write", sum(|d| d.write_ms), writes);
                telemetry.device_read_ops = Some(reads);
                telemetry.device_read_bytes = Some(read_bytes);
                telemetry.device_write_ops = Some(writes);
                telemetry.device_write_bytes = Some(written_bytes);
                let mut rate = |name: &str, amount: f64| missing.keep(&format!("io.{name}"), self.per_s(amount));
                telemetry.io = IoRates {
                    read_iops: rate("read_iops", reads as f64),
                    write_iops: rate("write_iops", writes as f64),
                    read_mib_per_s: rate("read_mib_per_s", read_bytes as f64 / MIB),
                    write_mib_per_s: rate("write_mib_per_s", written_bytes as f64 / MIB),
                    read_service_time_s: missing.keep("io.read_service_time_s", read_s),
                    write_service_time_s: missing.keep("io.write_service_time_s", write_s),
                    devices: std::mem::take(&mut telemetry.io.devices),
                    ..IoRates::default()
                };
            }
            Err(why) => {
                let rates = ["read_iops", "write_iops", "read_mib_per_s", "write_mib_per_s"];
                for name in rates.iter().chain(&["read_service_time_s", "write_service_time_s"]) {
                    missing.note(&format!("io.{name}"), why.clone());
                }
                for name in ["device_read_bytes", "device_read_ops", "device_write_bytes", "device_write_ops"] {
                    missing.note(name, why.clone());
                }
            }
        }
    }

    /// What each whole device did in the interval. A device without activity is left out, unless it holds the database.
    fn device_deltas(&self) -> Reading<Vec<DeviceCounts>> {
        let earlier = self.earlier.devices.as_ref().map_err(String::clone)?;
        let later = self.later.devices.as_ref().map_err(String::clone)?;
        let scope = self.scope;
        let is_summed = |name: &String| scope.summed.as_ref().is_ok_and(|summed| summed.contains(name));
        if scope.summed.as_ref().is_ok_and(DeviceNames::is_empty) {
            return Err("no block device can be seen from here".to_owned());
        }
        let mut deltas = Vec::new();
        for name in scope.whole.union(&scope.data) {
            // A device that is not listed has had no activity yet.
            let counts = |list: &[DeviceCounts]| list.iter().find(|d| d.name == *name).cloned().unwrap_or_default();
            match device_delta(name, &counts(earlier), &counts(later)) {
                Ok(delta) if delta.reads + delta.writes > 0 || scope.data.contains(name) => deltas.push(delta),
                Ok(_) => {}
                Err(why) if is_summed(name) => return Err(why),
                // The sum does not need the device, so it is only left out of the list.
                Err(_) => {}
            }
        }
        Ok(deltas)
    }

    fn device_io(&self, delta: &DeviceCounts) -> Option<DeviceIo> {
        let rate = |amount: f64| self.per_s(amount).ok();
        Some(DeviceIo {
            name: delta.name.clone(),
            read_iops: rate(delta.reads as f64)?,
            write_iops: rate(delta.writes as f64)?,
            read_mib_per_s: rate(delta.read_bytes as f64 / MIB)?,
            write_mib_per_s: rate(delta.written_bytes as f64 / MIB)?,
            busy_pct: rate(delta.busy_ms as f64 / 1e3 * 100.0)?.min(100.0),
            service_time_s: mean_s("I/O", delta.read_ms + delta.write_ms, delta.reads + delta.writes).ok(),
            // Little's law: the time of all I/Os together, over the time that passed.
            depth: rate((delta.read_ms + delta.write_ms) as f64 / 1e3),
        })
    }
}

/// Mean time of an operation. Operations shorter than a millisecond count, too: the kernel sums times in nanoseconds,
/// and converts only the sum to milliseconds.
fn mean_s(what: &str, ms: u64, operations: u64) -> Reading<f64> {
    if operations == 0 {
        return Err(format!("no {what} reached the devices"));
    }
    Ok(ms as f64 / 1e3 / operations as f64)
}

/// What one device did between two snapshots.
fn device_delta(name: &str, earlier: &DeviceCounts, later: &DeviceCounts) -> Reading<DeviceCounts> {
    let counted = |count: fn(&DeviceCounts) -> u64| since(name, count(earlier), count(later));
    // The kernel shows times in 32 bits, which overflow within days on a busy device.
    let ms = |time: fn(&DeviceCounts) -> u64| time(later).wrapping_sub(time(earlier)) & u64::from(u32::MAX);
    Ok(DeviceCounts {
        name: name.to_owned(),
        reads: counted(|d| d.reads)?,
        read_bytes: counted(|d| d.read_bytes)?,
        read_ms: ms(|d| d.read_ms),
        writes: counted(|d| d.writes)?,
        written_bytes: counted(|d| d.written_bytes)?,
        write_ms: ms(|d| d.write_ms),
        busy_ms: ms(|d| d.busy_ms),
    })
}

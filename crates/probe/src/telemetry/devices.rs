//! What block devices did between two snapshots.

use super::{Interval, MIB, Telemetry, since};
use crate::devices::DeviceNames;
use crate::missing::{Missing, Reading};
use crate::parse::DeviceCounts;
use dbdyno_model::{DeviceIo, IoRates};

impl Interval<'_> {
    pub(super) fn devices(&self, telemetry: &mut Telemetry, missing: &mut Missing) {
        if let Some(remark) = &self.scope.remark {
            missing.note("io.devices", remark);
        }
        let uses = self.device_use();
        if let Ok(uses) = &uses {
            telemetry.io.devices = uses.iter().filter_map(|u| self.device_io(u)).collect();
        }
        let sum = uses.and_then(|uses| {
            let summed = self.scope.summed.as_ref().map_err(String::clone)?;
            let summed: Vec<DeviceCounts> = uses.into_iter().filter(|u| summed.contains(&u.name)).collect();
            Ok(move |of: fn(&DeviceCounts) -> u64| summed.iter().map(of).fold(0, u64::saturating_add))
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

    /// What each whole device did that was active, or holds the database.
    fn device_use(&self) -> Reading<Vec<DeviceCounts>> {
        let earlier = self.earlier.devices.as_ref().map_err(String::clone)?;
        let later = self.later.devices.as_ref().map_err(String::clone)?;
        let scope = self.scope;
        let summed = |name: &String| scope.summed.as_ref().is_ok_and(|summed| summed.contains(name));
        if scope.summed.as_ref().is_ok_and(DeviceNames::is_empty) {
            return Err("no block device can be seen from here".to_owned());
        }
        let mut uses = Vec::new();
        for name in scope.whole.union(&scope.data) {
            // A device that is not listed has had no activity yet.
            let of = |list: &[DeviceCounts]| list.iter().find(|d| d.name == *name).cloned().unwrap_or_default();
            match between(name, &of(earlier), &of(later)) {
                Ok(used) if used.reads + used.writes > 0 || scope.data.contains(name) => uses.push(used),
                Ok(_) => {}
                Err(why) if summed(name) => return Err(why),
                Err(_) => {}
            }
        }
        Ok(uses)
    }

    fn device_io(&self, used: &DeviceCounts) -> Option<DeviceIo> {
        let rate = |amount: f64| self.per_s(amount).ok();
        Some(DeviceIo {
            name: used.name.clone(),
            read_iops: rate(used.reads as f64)?,
            write_iops: rate(used.writes as f64)?,
            read_mib_per_s: rate(used.read_bytes as f64 / MIB)?,
            write_mib_per_s: rate(used.written_bytes as f64 / MIB)?,
            busy_pct: rate(used.busy_ms as f64 / 1e3 * 100.0)?.min(100.0),
        })
    }
}

/// Mean time: milliseconds over operations. The kernel sums operations' times in nanoseconds and shows milliseconds.
fn mean_s(what: &str, ms: u64, operations: u64) -> Reading<f64> {
    if operations == 0 {
        return Err(format!("no {what} reached the devices"));
    }
    Ok(ms as f64 / 1e3 / operations as f64)
}

/// What one device did in an interval.
fn between(name: &str, earlier: &DeviceCounts, later: &DeviceCounts) -> Reading<DeviceCounts> {
    let count = |of: fn(&DeviceCounts) -> u64| since(name, of(earlier), of(later));
    // Times are shown in 32 bits, which overflow within days on a busy device.
    let ms = |of: fn(&DeviceCounts) -> u64| of(later).wrapping_sub(of(earlier)) & u64::from(u32::MAX);
    Ok(DeviceCounts {
        name: name.to_owned(),
        reads: count(|d| d.reads)?,
        read_bytes: count(|d| d.read_bytes)?,
        read_ms: ms(|d| d.read_ms),
        writes: count(|d| d.writes)?,
        written_bytes: count(|d| d.written_bytes)?,
        write_ms: ms(|d| d.write_ms),
        busy_ms: ms(|d| d.busy_ms),
    })
}

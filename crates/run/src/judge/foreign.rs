//! What others wrote to the devices of the database while a test wrote. Doublewrite, page images, journal and mirrors
//! are the server's own doing, so this is not a difference of devices and server: it is what other processes wrote.

use super::Evidence;
use dbdyno_model::{Flag, Point};

/// Share of what the devices wrote from which others count.
const FOREIGN_WRITES: f64 = 0.2;
/// Less than this is housekeeping of the machine.
const FLOOR_BYTES_PER_S: f64 = 1_048_576.0;
const MIB: f64 = 1_048_576.0;

/// Flags what other processes wrote, where that can be told.
pub(super) fn writes(point: &mut Point, evidence: &Evidence<'_>) {
    let telemetry = evidence.telemetry;
    let own = if evidence.features.in_process { telemetry.process_write_bytes } else { telemetry.server_write_bytes };
    let (Some(others), Some(device), Some(own)) = (telemetry.others_write_bytes, telemetry.device_write_bytes, own)
    else {
        let why = ["others_write_bytes", "device_write_bytes", "server_write_bytes"];
        let why = why.iter().find_map(|path| telemetry.missing.get(*path)).map_or("nobody says", String::as_str);
        return point.lacks("proof.foreign_writes", format!("what others wrote cannot be told: {why}"));
    };
    let (others, device, own) = (others as f64, device as f64, own as f64);
    // What others wrote may have gone to other devices: then the database's did not write more than the database.
    let beyond = device - own;
    if others > FOREIGN_WRITES * device && others > FLOOR_BYTES_PER_S * telemetry.seconds && beyond > others / 2.0 {
        let rate = |bytes: f64| bytes / MIB / telemetry.seconds;
        let text = format!("the devices wrote {:.0} MiB/s, and other processes {:.0}", rate(device), rate(others));
        point.flag(Flag::ForeignLoad, text);
    }
}

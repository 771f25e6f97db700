//! What others wrote to the devices of the database while a test wrote. The server itself writes more than the test
//! (doublewrite, page images, journals, mirrors). So this is not the difference of devices and server, but what other
//! processes wrote.

use super::evidence::Evidence;
use crate::figures::MIB;
use dbdyno_model::{Flag, Point};

/// Share of the devices' writes above which the writes of others are flagged.
const FOREIGN_WRITES: f64 = 0.2;
/// Fewer bytes than this per second count as housekeeping of the machine.
const FLOOR_BYTES_PER_S: f64 = 1_048_576.0;

/// Flags what other processes wrote, where that is known.
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
    // Other processes may have written to other devices; then the database's devices did not write more than the
    // database.
    let beyond = device - own;
    if others > FOREIGN_WRITES * device && others > FLOOR_BYTES_PER_S * telemetry.seconds && beyond > others / 2.0 {
        let rate = |bytes: f64| bytes / MIB / telemetry.seconds;
        let text = format!("the devices wrote {:.0} MiB/s, and other processes {:.0}", rate(device), rate(others));
        point.flag(Flag::ForeignLoad, text);
    }
}

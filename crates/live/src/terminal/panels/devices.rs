//! Devices: all together, then each, the busiest first.

use super::Room;
use crate::terminal::figure::reason;
use crate::terminal::figures;
use crate::terminal::pen::{Pen, below, row};
use crate::terminal::text::{left, right};
use dbdyno_model::{DeviceIo, Reading};
use dbdyno_report::numbers;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Columns of each figure of a device, with the blank before it.
const FIGURES: [usize; 5] = [7, 7, 6, 6, 6];
/// Columns of the time of an I/O and of those in flight, where there is room.
const MORE: usize = 16;
/// The most columns of a name.
const NAME: usize = 24;

/// Times at the devices, and a row for each device.
pub(crate) fn draw(pen: &mut Pen<'_>, area: Rect, reading: &Reading, room: Room) {
    let io = &reading.machine.io;
    let (rule, area) = pen.panel(area, "Devices");
    let why = reason(reading, "io").filter(|_| io.devices.is_empty() && io.read_iops.is_none());
    if let Some(why) = why {
        return pen.paragraph(area, &format!("not read: {why}"));
    }
    let mut rest = rule;
    for figure in figures::device_times(reading) {
        rest = pen.figure(rest, &figure, 0);
    }
    let figures = FIGURES.iter().sum::<usize>() + if room == Room::Much { MORE } else { 0 };
    let name = usize::from(area.width).saturating_sub(figures).min(NAME);
    // What one I/O takes, and how many are in flight, where there is room.
    let more = |each: &str, depth: &str| match room {
        Room::Much => format!(" {} {}", right(each, 8), right(depth, 6)),
        _ => String::new(),
    };
    let line = |name_text: &str, figures: [String; FIGURES.len()]| {
        let figures = figures.iter().zip(FIGURES).map(|(figure, width)| format!(" {}", right(figure, width - 1)));
        left(name_text, name) + &figures.collect::<String>()
    };
    let headings = ["r/s", "w/s", "rMiB", "wMiB", "busy"].map(str::to_owned);
    pen.text(row(area, 0), &(line("", headings) + &more("each", "depth")), pen.colours.quiet());
    let mut area = below(area, 1);
    // The sum says nothing where there is one device, and all of them say more than their sum where they have no room.
    if io.devices.len() != 1 && (room == Room::Much || io.devices.len() > usize::from(area.height)) {
        let [reads, writes, read, written] = figures::devices(reading).map(|figure| numbers::short(figure.value));
        pen.text(
            row(area, 0),
            &line(&format!("all {}", io.devices.len()), [reads, writes, read, written, String::new()]),
            Style::new(),
        );
        area = below(area, 1);
    }
    if room == Room::Much {
        let mut rest = row(area, 0);
        for figure in figures::server_io(reading) {
            rest = pen.figure(rest, &figure, 0);
        }
        area = below(area, 1);
    }
    let mut devices: Vec<&DeviceIo> = io.devices.iter().collect();
    devices.sort_by(|a, b| b.busy_pct.total_cmp(&a.busy_pct));
    for (device, place) in devices.into_iter().zip(area.rows()) {
        let rates = [device.read_iops, device.write_iops, device.read_mib_per_s, device.write_mib_per_s];
        let [reads, writes, read, written] = rates.map(numbers::short);
        let busy = numbers::percent(device.busy_pct);
        let each = device.service_time_s.map_or_else(|| "-".to_owned(), numbers::duration);
        let depth = device.depth.map_or_else(|| "-".to_owned(), numbers::short);
        let line = line(&device.name, [reads, writes, read, written, busy]) + &more(&each, &depth);
        pen.text(place, &line, Style::new());
    }
}

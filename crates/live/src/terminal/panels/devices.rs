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

/// Columns of a figure.
const FIGURE: usize = 6;
/// Figures of a device.
const FIGURES: usize = 5;

/// Times at the devices, and a row for each device.
pub(crate) fn draw(pen: &mut Pen<'_>, area: Rect, reading: &Reading, room: Room) {
    let io = &reading.machine.io;
    let title = if io.devices.len() > 1 { format!("Devices ({})", io.devices.len()) } else { "Devices".to_owned() };
    let (rule, area) = pen.panel(area, &title);
    let why = reason(reading, "io").filter(|_| io.devices.is_empty() && io.read_iops.is_none());
    if let Some(why) = why {
        return pen.paragraph(area, &format!("not read: {why}"));
    }
    let mut rest = rule;
    for figure in figures::device_times(reading) {
        rest = pen.figure(rest, &figure, 0);
    }
    let name = usize::from(area.width).saturating_sub(FIGURES * (FIGURE + 1));
    let line = |name_text: &str, figures: [String; FIGURES]| {
        let figures: String = figures.iter().map(|figure| format!(" {}", right(figure, FIGURE))).collect();
        left(name_text, name) + &figures
    };
    let headings = ["r/s", "w/s", "rMiB/s", "wMiB/s", "busy"].map(str::to_owned);
    pen.text(row(area, 0), &line("", headings), pen.colours.quiet());
    let mut area = below(area, 1);
    if io.devices.len() != 1 {
        let [reads, writes, read, written] = figures::devices(reading).map(|figure| numbers::short(figure.value));
        pen.text(row(area, 0), &line("all", [reads, writes, read, written, String::new()]), Style::new());
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
        pen.text(place, &line(&device.name, [reads, writes, read, written, busy]), Style::new());
    }
}

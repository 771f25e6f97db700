//! Charts of signs: bars over time, bars in parts, and parts over time. A column is a span of time on the clock, so
//! bars keep their height while they move.

use super::style::Colours;
use dbdyno_model::Reading;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::sync::Arc;

const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// What was zero. Nothing is drawn where there is no figure.
const ZERO: char = '_';

/// How readings of one column become one figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joined {
    /// Their mean: rates.
    Mean,
    /// The largest: percentiles, which have no mean.
    Largest,
}

/// The readings of each column of a chart, the newest in the last one. A column is this many seconds wide.
pub(crate) fn columns(readings: &[Arc<Reading>], width: usize, seconds: u32) -> Vec<&[Arc<Reading>]> {
    let column = |reading: &Reading| reading.at.as_second().div_euclid(i64::from(seconds.max(1)));
    let Some(newest) = readings.last().map(|reading| column(reading)) else { return vec![&[]; width] };
    let place = |n: usize| readings.partition_point(|reading| column(reading) < newest - n as i64);
    let mut end = readings.len();
    let mut columns: Vec<&[Arc<Reading>]> = (0..width)
        .map(|n| {
            let begin = place(n).min(end);
            let of = &readings[begin..end];
            end = begin;
            of
        })
        .collect();
    columns.reverse();
    columns
}

/// One figure for each column.
pub(crate) fn values(
    columns: &[&[Arc<Reading>]],
    joined: Joined,
    figure: impl Fn(&Reading) -> Option<f64>,
) -> Vec<Option<f64>> {
    let of_one = |readings: &&[Arc<Reading>]| {
        let values: Vec<f64> = readings.iter().filter_map(|r| figure(r)).filter(|value| value.is_finite()).collect();
        (!values.is_empty()).then(|| match joined {
            Joined::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Joined::Largest => values.iter().copied().fold(f64::MIN, f64::max),
        })
    };
    columns.iter().map(of_one).collect()
}

/// The largest of some figures.
pub(crate) fn largest(values: &[Option<f64>]) -> Option<f64> {
    values.iter().flatten().copied().reduce(f64::max)
}

/// Draws bars over time. The highest bar fills the height, or the limit does where that is higher.
pub(crate) fn bars(buffer: &mut Buffer, area: Rect, values: &[Option<f64>], limit: Option<f64>, colours: Colours) {
    let top = largest(values).unwrap_or(0.0).max(limit.unwrap_or(0.0));
    let rows = usize::from(area.height);
    let limit_row = limit.filter(|_| rows > 1 && top > 0.0).map(|limit| {
        // The row from the bottom in which the limit's height lies.
        ((limit / top * rows as f64).ceil() as usize).clamp(1, rows) - 1
    });
    for row in 0..rows {
        let y = area.bottom() - 1 - row as u16;
        for x in 0..usize::from(area.width) {
            let value = values.get(x).copied().flatten();
            let (sign, style) = match value.map(|value| height(value, top, rows).saturating_sub(8 * row)) {
                Some(0) if row == 0 => (ZERO, colours.bar()),
                Some(eighths) if eighths > 0 => (EIGHTHS[eighths.min(8) - 1], colours.bar()),
                _ if limit_row == Some(row) => ('╌', colours.limit()),
                _ => continue,
            };
            put(buffer, area.x + x as u16, y, sign, style);
        }
    }
}

/// The height of a bar in eighths of a row; only zero has none.
fn height(value: f64, top: f64, rows: usize) -> usize {
    if value <= 0.0 || top <= 0.0 { 0 } else { ((value / top * (8 * rows) as f64).round() as usize).max(1) }
}

/// Draws one bar in parts, which together with what is left over are `whole`.
pub(crate) fn parts(buffer: &mut Buffer, area: Rect, parts: &[(f64, (char, Style))], whole: f64) {
    let width = f64::from(area.width);
    let mut until = 0.0;
    for x in 0..area.width {
        put(buffer, area.x + x, area.y, '·', Style::new());
    }
    for (part, (sign, style)) in parts.iter().filter(|(part, _)| part.is_finite() && whole > 0.0) {
        let begin = (until / whole * width).round() as u16;
        until += part.max(0.0);
        let end = ((until / whole * width).round() as u16).min(area.width);
        (begin..end).for_each(|x| put(buffer, area.x + x, area.y, *sign, *style));
    }
}

/// Draws parts over time, the first one at the bottom of each column; the highest column fills the height.
pub(crate) fn stacks(buffer: &mut Buffer, area: Rect, columns: &[Option<Vec<f64>>], signs: &[(char, Style)]) {
    let top = columns.iter().flatten().map(|parts| parts.iter().sum::<f64>()).fold(0.0, f64::max);
    for (x, parts) in (0..area.width).zip(columns).filter_map(|(x, parts)| parts.as_ref().map(|parts| (x, parts))) {
        for row in 0..area.height {
            // A cell shows the part in whose range its middle lies.
            let middle = (f64::from(row) + 0.5) / f64::from(area.height) * top;
            let mut until = 0.0;
            let found = parts.iter().position(|part| {
                until += part;
                middle < until
            });
            let y = area.bottom() - 1 - row;
            match found.and_then(|part| signs.get(part)) {
                Some((sign, style)) => put(buffer, area.x + x, y, *sign, *style),
                None if row == 0 => put(buffer, area.x + x, y, ZERO, Style::new()),
                None => {}
            }
        }
    }
}

fn put(buffer: &mut Buffer, x: u16, y: u16, sign: char, style: Style) {
    if let Some(cell) = buffer.cell_mut((x, y)) {
        cell.set_char(sign).set_style(style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(second: i64) -> Arc<Reading> {
        Arc::new(Reading {
            at: jiff::Timestamp::from_second(second).unwrap(),
            seconds: second as f64,
            ..Reading::default()
        })
    }

    #[test]
    fn columns_are_spans_of_the_clock() {
        let readings: Vec<_> = [100, 101, 103, 108, 109].into_iter().map(reading).collect();
        let columns = columns(&readings, 6, 2);
        assert_eq!(columns.iter().map(|column| column.len()).collect::<Vec<_>>(), [0, 2, 1, 0, 0, 2]);
        let seconds = |reading: &Reading| Some(reading.seconds);
        assert_eq!(values(&columns, Joined::Mean, seconds), [None, Some(100.5), Some(103.0), None, None, Some(108.5)]);
        assert_eq!(values(&columns, Joined::Largest, seconds)[5], Some(109.0));
        assert_eq!(super::columns(&[], 3, 2).len(), 3);
    }

    fn drawn(width: u16, height: u16, draw: impl FnOnce(&mut Buffer, Rect)) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        draw(&mut buffer, area);
        (0..height).map(|y| (0..width).map(|x| buffer[(x, y)].symbol()).collect()).collect()
    }

    #[test]
    fn zero_and_absent_differ() {
        let values = [Some(0.0), None, Some(0.001), Some(4.0), Some(8.0), Some(16.0)];
        assert_eq!(drawn(6, 1, |b, a| bars(b, a, &values, None, Colours::Off)), ["_ ▁▂▄█"]);
        assert_eq!(drawn(6, 2, |b, a| bars(b, a, &values, None, Colours::Off)), ["     █", "_ ▁▄██"]);
        assert_eq!(drawn(6, 2, |b, a| bars(b, a, &values, Some(32.0), Colours::Off)), ["╌╌╌╌╌╌", "_ ▁▂▄█"]);
    }

    #[test]
    fn parts_fill_what_they_are_of_the_whole() {
        let signs: Vec<_> = (0..2).map(|n| Colours::Off.kind(n)).collect();
        let both = [(25.0, signs[0]), (50.0, signs[1])];
        assert_eq!(drawn(8, 1, |b, a| parts(b, a, &both, 100.0)), ["██▓▓▓▓··"]);
        assert_eq!(drawn(4, 1, |b, a| parts(b, a, &both, 0.0)), ["····"]);
        let columns = [Some(vec![1.0, 1.0]), None, Some(vec![0.0, 4.0]), Some(vec![0.0, 0.0])];
        assert_eq!(drawn(4, 4, |b, a| stacks(b, a, &columns, &signs)), ["  ▓ ", "  ▓ ", "▓ ▓ ", "█ ▓_"]);
    }
}

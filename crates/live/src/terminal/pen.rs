//! Writes onto the screen: titles with a rule, texts, figures in rows or in cells. Every text goes through
//! [`shown`], so that none of them controls the terminal or leaves its place.

use super::figure::{Figure, Row};
use super::style::Colours;
use super::tables::{Column, Keep, Table, Width};
use super::text::{left, right, shown, wrapped};
use dbdyno_report::columns;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The least width of a figure's cell.
const CELL: u16 = 28;
/// Columns between cells.
const GAP: u16 = 2;
/// Columns of a figure in a row, with the blank before it.
const IN_ROW: usize = 9;
/// Columns between those of a table.
const BETWEEN: u16 = 2;
/// The last column of a table has at least so much.
const LEAST_REST: u16 = 20;
/// It has so much before others get more.
const ENOUGH_REST: u16 = 44;
/// So much more at most.
const MOST_WIDER: u16 = 12;

/// Writes onto the screen.
pub(crate) struct Pen<'b> {
    pub(crate) buffer: &'b mut Buffer,
    pub(crate) colours: Colours,
}

/// The area without its first rows.
pub(crate) fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

/// One row of an area.
pub(crate) fn row(area: Rect, number: u16) -> Rect {
    Rect { height: u16::from(number < area.height), ..below(area, number) }
}

impl Pen<'_> {
    /// Writes a text at the beginning of an area's first row; returns its columns.
    pub(crate) fn text(&mut self, area: Rect, text: &str, style: Style) -> u16 {
        if area.height == 0 {
            return 0;
        }
        let text = shown(text, usize::from(area.width));
        let (end, _) = self.buffer.set_stringn(area.x, area.y, &text, usize::from(area.width), style);
        end - area.x
    }

    /// Writes a text at the end of an area's first row; returns its columns.
    pub(crate) fn text_at_end(&mut self, area: Rect, text: &str, style: Style) -> u16 {
        let text = shown(text, usize::from(area.width));
        let width = columns(&text) as u16;
        self.text(Rect { x: area.right() - width, width, ..area }, &text, style)
    }

    /// Fills a row with a text in a style, to be seen.
    pub(crate) fn banner(&mut self, area: Rect, text: &str) {
        self.text(area, &left(&format!(" {text}"), usize::from(area.width)), self.colours.alarm());
    }

    /// Begins a panel: a rule with its title, and what is said beside that. Returns the place on the rule that is still
    /// free, and the area below it.
    pub(crate) fn panel(&mut self, area: Rect, title: &str) -> (Rect, Rect) {
        self.text(area, &"─".repeat(usize::from(area.width)), self.colours.quiet());
        let after = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(1), ..row(area, 0) };
        let width = self.text(after, &format!(" {title} "), self.colours.title());
        (Rect { x: after.x + width, width: after.width - width, ..after }, below(area, 1))
    }

    /// Blanks on a rule.
    pub(crate) fn blank(&mut self, area: Rect) {
        self.text(area, &" ".repeat(usize::from(area.width)), Style::new());
    }

    /// Says something behind a title, if anything; returns what is left of the rule.
    pub(crate) fn said(&mut self, rule: Rect, said: &str) -> Rect {
        if said.is_empty() {
            return rule;
        }
        let width = self.text(rule, &format!("{said} "), Style::new());
        Rect { x: rule.x + width, width: rule.width - width, ..rule }
    }

    /// Label and figure, the figure in so many columns. Returns what is left of the row.
    pub(crate) fn figure(&mut self, area: Rect, figure: &Figure, columns: usize) -> Rect {
        self.styled_figure(area, figure, columns, self.colours.strong())
    }

    /// The same in a style.
    pub(crate) fn styled_figure(&mut self, area: Rect, figure: &Figure, columns: usize, style: Style) -> Rect {
        let label = self.text(area, &format!("{} ", figure.label), self.colours.quiet());
        let rest = Rect { x: area.x + label, width: area.width - label, ..area };
        let text = figure.text();
        let width = self.text(rest, &right(&text, columns.max(text.len())), style);
        let gap = 2.min(rest.width - width);
        self.blank(Rect { x: rest.x + width, width: gap, ..rest });
        let width = width + gap;
        Rect { x: rest.x + width, width: rest.width - width, ..rest }
    }

    /// Rows of figures under one label. No figure is cut: a label gives way.
    pub(crate) fn rows(&mut self, area: Rect, rows: &[Row]) {
        for (of, place) in rows.iter().zip(area.rows()) {
            let figures: String = of
                .figures
                .iter()
                .map(|f| format!(" {}", right(&f.text(), (IN_ROW - 1).max(columns(&f.text())))))
                .collect();
            let width = (columns(&figures) as u16).min(place.width);
            self.text(Rect { width: place.width - width, ..place }, of.label, self.colours.quiet());
            self.text_at_end(place, &figures, self.colours.strong());
        }
    }

    /// Figures in cells, as many beside each other as fit, from top to bottom.
    pub(crate) fn cells(&mut self, area: Rect, figures: &[Figure]) {
        let beside = cells_beside(area.width);
        let rows = figures.len().div_ceil(usize::from(beside)) as u16;
        let width = (area.width + GAP) / beside - GAP.min(area.width);
        for (n, figure) in (0_u16..).zip(figures) {
            let place = row(area, n % rows);
            let place = Rect { x: area.x + n / rows * (width + GAP), width, ..place };
            let value = self.text_at_end(place, &figure.text(), self.colours.strong());
            let room = Rect { width: width.saturating_sub(value + 1), ..place };
            self.text(room, figure.label, self.colours.quiet());
        }
    }

    /// A paragraph.
    pub(crate) fn paragraph(&mut self, area: Rect, text: &str) {
        for (line, place) in wrapped(text, usize::from(area.width), usize::from(area.height)).iter().zip(area.rows()) {
            self.text(place, line, Style::new());
        }
    }

    /// Headings and rows of a table, from the row on that is the first one shown. Columns that do not fit are left out,
    /// as a figure that is cut would be another figure.
    pub(crate) fn table(&mut self, area: Rect, table: &Table, first: usize) {
        if table.rows.is_empty() {
            return self.paragraph(area, &table.empty);
        }
        let widths = widths(&table.columns, area.width);
        let headings: Vec<String> = table.columns.iter().map(|column| column.heading.to_owned()).collect();
        // A row says more than the headings where there is room for one of them.
        let headings = (area.height > 1).then_some((&headings, self.colours.quiet()));
        let rows = table.rows.iter().skip(first).map(|row| (row, Style::new()));
        for ((line, style), place) in headings.into_iter().chain(rows).zip(area.rows()) {
            let mut x = area.x;
            for ((column, text), width) in table.columns.iter().zip(line).zip(&widths) {
                let Some(width) = width.map(|width| width.min(area.right().saturating_sub(x))) else { continue };
                let aligned = if matches!(column.width, Width::Figure(_)) { right } else { left };
                self.text(Rect { x, width, ..place }, &aligned(text, usize::from(width)), style);
                x = (x + width + BETWEEN).min(area.right());
            }
        }
    }
}

/// The widths of a table's columns; none for those that are left out.
fn widths(columns: &[Column], width: u16) -> Vec<Option<u16>> {
    let least = |column: &Column| match column.width {
        Width::Figure(width) | Width::Text(width) => width,
        Width::Rest => LEAST_REST,
    };
    let mut widths: Vec<Option<u16>> = columns.iter().map(|column| Some(least(column))).collect();
    let used = |widths: &[Option<u16>]| widths.iter().flatten().map(|width| width + BETWEEN).sum::<u16>();
    // Those that may give way do so first, then whatever is last, but for the first column.
    let order = (1..columns.len()).rev();
    let spare = order.clone().filter(|n| columns[*n].room == Keep::WithRoom);
    let others = order.filter(|n| columns[*n].room == Keep::Always && columns[*n].width != Width::Rest);
    for n in spare.chain(others) {
        if used(&widths) > width + BETWEEN {
            widths[n] = None;
        }
    }
    let mut more = (width + BETWEEN).saturating_sub(used(&widths));
    let Some(rest) = columns.iter().position(|column| column.width == Width::Rest) else { return widths };
    // Where there is much room, texts get their part of it.
    let is_text = |n: &usize| matches!(columns[*n].width, Width::Text(_)) && widths[*n].is_some();
    let texts: Vec<usize> = (0..columns.len()).filter(is_text).collect();
    let wider = (more.saturating_sub(ENOUGH_REST - LEAST_REST) / 2 / (texts.len() as u16).max(1)).min(MOST_WIDER);
    for n in texts {
        widths[n] = widths[n].map(|width| width + wider);
        more -= wider;
    }
    widths[rest] = Some(LEAST_REST + more);
    widths
}

/// Cells of figures that fit beside each other.
pub(crate) fn cells_beside(width: u16) -> u16 {
    ((width + GAP) / (CELL + GAP)).max(1)
}

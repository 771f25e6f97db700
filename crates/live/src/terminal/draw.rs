//! The screen: a function of what is seen, with no clock and no terminal. Panels get their places here.

use super::panels::{Room, cpu, database, devices, frame, help, load, waits};
use super::pen::{Pen, below, cells_beside, row};
use super::tables;
use super::view::{Help, Tab, View};
use dbdyno_model::Reading;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;

/// The least screen.
const LEAST: (u16, u16) = (80, 24);
/// From this size on there is much room.
const MUCH: (u16, u16) = (120, 40);

/// Draws the screen.
pub(crate) fn draw(drawn: &mut Frame<'_>, view: &View) {
    let screen = drawn.area();
    let mut pen = Pen { buffer: drawn.buffer_mut(), colours: view.options.colours };
    if screen.width < LEAST.0 || screen.height < LEAST.1 {
        let text = format!("needs {}x{}, has {}x{}", LEAST.0, LEAST.1, screen.width, screen.height);
        pen.text(screen, &text, pen.colours.strong());
        return;
    }
    frame::draw_title(&mut pen, row(screen, 0), view);
    frame::draw_progress(&mut pen, row(screen, 1), view);
    let mut body = Rect { height: screen.height - 3, ..below(screen, 2) };
    for banner in frame::banners(view) {
        pen.banner(row(body, 0), &banner);
        body = below(body, 1);
    }
    if let Some(line) = frame::line(view) {
        body.height -= 1;
        pen.text(Rect { y: body.bottom(), height: 1, ..body }, &line, Style::new());
    }
    if screen.width >= MUCH.0 && screen.height >= MUCH.1 {
        much(&mut pen, body, view);
    } else {
        little(&mut pen, body, view);
    }
    frame::draw_keys(&mut pen, row(screen, screen.height - 1), view);
    if view.help == Help::Shown {
        help::draw(&mut pen, screen, view);
    }
}

/// Two columns with a line between them.
fn halves(pen: &mut Pen<'_>, area: Rect) -> (Rect, Rect) {
    let width = (area.width - 1) / 2;
    let between = Rect { x: area.x + width, width: 1, ..area };
    for place in between.rows() {
        pen.text(place, "│", pen.colours.quiet());
    }
    (Rect { width, ..area }, Rect { x: between.right(), width: area.width - width - 1, ..area })
}

fn rows_of<const N: usize>(area: Rect, rows: [Constraint; N]) -> [Rect; N] {
    Layout::vertical(rows).areas(area)
}

/// What matters most, and one table.
fn little(pen: &mut Pen<'_>, body: Rect, view: &View) {
    let nothing = Reading::default();
    let reading = view.last().unwrap_or(&nothing);
    // Rows beyond the least screen go to charts, to waits and devices, and to the table.
    let more = body.height.saturating_sub(21);
    let (charts, middle) = ((more / 4).min(6), (more / 3).min(8));
    let [upper, both, lower] =
        rows_of(body, [Constraint::Length(4 + charts), Constraint::Length(12 + middle), Constraint::Fill(1)]);
    load::draw(pen, upper, view);
    let (left, right) = halves(pen, both);
    let [counts, machine] = rows_of(left, [Constraint::Fill(1), Constraint::Length(4 + (middle / 4))]);
    database::draw(pen, counts, view, Room::Little);
    database::draw_machine(pen, machine, reading, Room::Little);
    let [processors, waiting, disks] =
        rows_of(right, [Constraint::Length(4), Constraint::Length(4 + middle / 2), Constraint::Fill(1)]);
    cpu::draw(pen, processors, view, Room::Little);
    waits::draw(pen, waiting, view, Room::Little);
    devices::draw(pen, disks, reading, Room::Little);
    chosen_table(pen, lower, view);
}

/// Charts over time, all figures, several tables.
fn much(pen: &mut Pen<'_>, body: Rect, view: &View) {
    let nothing = Reading::default();
    let reading = view.last().unwrap_or(&nothing);
    let roomy = body.height >= 50;
    let [upper, both] =
        rows_of(body, [Constraint::Length(if roomy { body.height / 4 } else { 8 }), Constraint::Fill(1)]);
    load::draw(pen, upper, view);
    let (left, right) = halves(pen, both);
    let cells = |figures: u16| figures.div_ceil(cells_beside(left.width));
    let [counts, machine, tables_left] =
        rows_of(left, [Constraint::Length(2 + cells(18)), Constraint::Length(1 + cells(10)), Constraint::Fill(1)]);
    database::draw(pen, counts, view, Room::Much);
    database::draw_machine(pen, machine, reading, Room::Much);
    let disks = (reading.machine.io.devices.len() as u16).clamp(1, if roomy { 6 } else { 2 });
    let [processors, waiting, devices_place, tables_right] = rows_of(
        right,
        [
            Constraint::Length(if roomy { 6 } else { 4 }),
            Constraint::Length(if roomy { 13 } else { 9 }),
            Constraint::Length(4 + disks),
            Constraint::Fill(1),
        ],
    );
    cpu::draw(pen, processors, view, Room::Much);
    waits::draw(pen, waiting, view, Room::Much);
    devices::draw(pen, devices_place, reading, Room::Much);
    let others = [Tab::Points, Tab::Types, Tab::Nodes, Tab::Absent, Tab::Notes];
    if view.tabs().iter().any(|tab| others.contains(tab)) {
        stacked_tables(pen, tables_left, view, &others);
        stacked_tables(pen, tables_right, view, &[Tab::Statements, Tab::Sessions]);
    } else {
        stacked_tables(pen, tables_left, view, &[Tab::Statements]);
        stacked_tables(pen, tables_right, view, &[Tab::Sessions]);
    }
}

/// The tables of these that there may be anything in, one above the other. The chosen one scrolls.
fn stacked_tables(pen: &mut Pen<'_>, area: Rect, view: &View, tabs: &[Tab]) {
    let there = view.tabs();
    let shown: Vec<Tab> = tabs.iter().copied().filter(|tab| there.contains(tab)).collect();
    // A short table needs no more than its rows; those that are long share what is left.
    let rows = |tab: Tab| (tables::table(view, tab).rows.len().max(1) + 2).min(usize::from(area.height)) as u16;
    let share = area.height / (shown.len() as u16).max(1);
    let constraints: Vec<Constraint> = shown
        .iter()
        .map(|tab| if rows(*tab) <= share { Constraint::Length(rows(*tab)) } else { Constraint::Fill(1) })
        .collect();
    for (tab, place) in shown.iter().zip(Layout::vertical(constraints).split(area).iter()) {
        let table = tables::table(view, *tab);
        let (rule, inside) = pen.panel(*place, tab.title());
        let chosen = *tab == view.tab;
        let rule = if chosen { pen.said(rule, "◂") } else { rule };
        pen.said(rule, &table.said);
        pen.table(inside, &table, if chosen { view.scrolled.min(table.rows.len().saturating_sub(1)) } else { 0 });
    }
}

/// The chosen table, with the names of all on its rule.
fn chosen_table(pen: &mut Pen<'_>, area: Rect, view: &View) {
    let table = tables::table(view, view.tab);
    let (mut rule, inside) = pen.panel(area, view.tab.title());
    rule = pen.said(rule, &table.said);
    let others: Vec<&str> = view.tabs().into_iter().filter(|tab| *tab != view.tab).map(Tab::title).collect();
    pen.text_at_end(rule, &format!(" tab: {}", others.join(", ")), pen.colours.quiet());
    pen.table(inside, &table, view.scrolled.min(table.rows.len().saturating_sub(1)));
}

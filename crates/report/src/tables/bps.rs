//! The Benchware tables: 8.0 for every test, 8.4 for load and OLTP tests. Every point is a row; a point without figures
//! has its reason instead.

use super::columns::{BPS80, BPS84_LOAD, BPS84_OLTP, KEYS, PointColumn, SYNCS, SYNCS_COUNTED, keys};
use crate::figures::bracketed;
use crate::groups::{grouped, unique};
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{self, marks, refusal};
use crate::numbers::MISSING;
use crate::text::{clip, hanging, push_line};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Flag, Point, RunJson, Status};

/// JSON paths of the figures of a point's own work.
const OF_THE_WORK: [&str; 4] = ["ops_per_s", "rows_per_s", "tx_per_s", "service_time_s.mean"];
/// Characters of a run's id in a table; a prefix identifies a run.
const SHORT_ID: usize = 8;

/// The Benchware 8.0 table of each test class, with its notes below. `width` is the terminal's; `None` drops nothing.
#[must_use]
pub fn bps80(run: &RunJson, catalogue: &Catalogue, width: Option<u16>) -> String {
    let all: Vec<usize> = (0..run.points.len()).collect();
    let legend = "#N nodes, #J jobs, #T threads; [rps] rows/s, [ops] operations/s, [iops] I/O operations/s at the \
                  devices, [MBps] 2^20 bytes/s; time is the window that the rates are of.";
    tables(run, catalogue, &all, &BPS80, legend, width)
}

/// The Benchware 8.4 table of the load tests (T3xx, DBL).
#[must_use]
pub fn bps84_load(run: &RunJson, catalogue: &Catalogue, width: Option<u16>) -> String {
    let loads = of_classes(run, &["T300", "DBL"]);
    let legend = "#N nodes, #J jobs, #T threads; [rpt] rows per transaction, [rps] rows/s, [tps] transactions/s, [iops] \
                  I/O operations/s, [bps] blocks/s, [MBps] 2^20 bytes/s; svc is service time, sync the wait until redo \
                  is on the device.";
    let mut figures = BPS84_LOAD;
    if run.points.iter().any(|p| p.redo.sync_writes.is_some()) {
        figures[SYNCS] = SYNCS_COUNTED;
    }
    tables(run, catalogue, &loads, &figures, legend, width)
}

/// The Benchware 8.4 table of the select and update tests (T6xx, T7xx, DBX).
#[must_use]
pub fn bps84_oltp(run: &RunJson, catalogue: &Catalogue, width: Option<u16>) -> String {
    let oltp = of_classes(run, &["T600", "T700", "DBX"]);
    let legend = "#N nodes, #J jobs, #T threads; [rps] rows/s, [tps] transactions/s, [iops] I/O operations/s, [MBps] \
                  2^20 bytes/s; svc time is service time.";
    tables(run, catalogue, &oltp, &BPS84_OLTP, legend, width)
}

/// The indexes of the points of some classes.
fn of_classes(run: &RunJson, classes: &[&str]) -> Vec<usize> {
    let points = run.points.iter().enumerate();
    points.filter(|(_, p)| classes.contains(&p.subject.name().class().as_str())).map(|(at, _)| at).collect()
}

fn tables(
    run: &RunJson,
    catalogue: &Catalogue,
    places: &[usize],
    figures: &[PointColumn],
    legend: &str,
    width: Option<u16>,
) -> String {
    if places.is_empty() {
        return hanging("", "This run has no such points.", width);
    }
    let mut out = String::new();
    for (_, members) in grouped(places.iter().map(|at| (run.points[*at].subject.name().class(), *at))) {
        // Repeats go through the class again, so the points of one test are grouped, each with its own number.
        let by_test = grouped(members.into_iter().map(|at| (run.points[at].subject.name(), at)));
        let members: Vec<usize> = by_test.into_iter().flat_map(|(_, places)| places).collect();
        out.push_str(&class_table(run, catalogue, &members, figures, width));
        out.push('\n');
    }
    out.push_str(&hanging("", legend, width));
    out.push_str(&legend::source(run, width));
    out
}

/// Figures of the point's own work stand in parentheses where they are doubtful; counts beside them do not.
fn figure(column: &PointColumn, point: &Point) -> String {
    let text = (column.text)(point);
    match OF_THE_WORK.contains(&column.path) {
        true => bracketed(text, &point.flags),
        false => text,
    }
}

fn class_table(
    run: &RunJson,
    catalogue: &Catalogue,
    members: &[usize],
    figures: &[PointColumn],
    width: Option<u16>,
) -> String {
    let marks_column = Column::left("marks", &[], Keep::Always);
    let columns = KEYS.into_iter().chain(figures.iter().map(|c| c.column)).chain([marks_column]);
    let id = clip(run.run.id.as_str(), SHORT_ID);
    let rows = members.iter().enumerate().map(|(i, at)| {
        let point = &run.points[*at];
        // As in the documents, the run's number is printed once.
        let mut texts = vec![if i == 0 { id.to_string() } else { String::new() }, (at + 1).to_string()];
        texts.extend(keys(point.subject.name(), point.dop, point.rows_per_tx).into_iter().take(4));
        match refusal(point) {
            Some(text) => Row::Remark { keys: texts, text },
            None => {
                texts.extend(figures.iter().map(|column| figure(column, point)).chain([marks([point], &point.flags)]));
                Row::Figures(texts)
            }
        }
    });
    let sheet = Sheet { columns: columns.collect(), rows: rows.collect(), gap: 2 };

    let points: Vec<&Point> = members.iter().map(|at| &run.points[*at]).collect();
    let ok: Vec<&Point> = points.iter().copied().filter(|p| p.status == Status::Ok).collect();
    let flags: Vec<Flag> = ok.iter().flat_map(|p| p.flags.iter().copied()).collect();
    let shown: Vec<&str> = sheet.shown_columns(width).iter().map(|c| sheet.columns[*c].name).collect();
    let measured = unique(ok.iter().map(|p| p.subject.name())).len();
    let gaps: Vec<(&Point, &str, &str)> = ok
        .iter()
        .flat_map(|p| figures.iter().filter(|f| (f.text)(p) == MISSING).map(|f| (*p, f.column.name, f.path)))
        .filter(|(_, name, _)| shown.contains(name))
        .collect();
    let mut out = String::new();
    if let Some(first) = points.first() {
        let title = catalogue.class_title(first.subject.name());
        push_line(&mut out, &format!("{}  {title}", first.subject.name().class()), width);
        out.push('\n');
    }
    out.push_str(&sheet.render(width));
    out.push('\n');
    out.push_str(&legend::titles(&points, catalogue, width));
    out.push_str(&legend::mappings(&points, width));
    out.push_str(&legend::commits(&points, width));
    out.push_str(&legend::gaps(&gaps, measured, width));
    out.push_str(&legend::flags(&ok, &flags, width));
    out
}

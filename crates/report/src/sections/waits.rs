//! What sessions waited for: the events that took longest, as databases report them themselves, with the time on a
//! processor among them. What an engine counts and what was seen by looking at sessions stand apart, because both may
//! be the same time.

mod events;

pub(super) use events::within;

use super::latency::{place, words};
use crate::document::{Block, Caption, Cell, Column, Form, Keep, Note, Part, Row, Section, Table};
use crate::groups::{grouped, unique};
use crate::legend::{Legend, refusal, source, suspect_mark, title};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{CellKey, Drive, Point, Published, PublishedWait, RunJson, Status, SubjectName, Wait};
use events::{COLUMNS, cells, is_cpu, key, longest, name, row, samples, sessions_s, share_pct, together};

/// The most events in a table: counted ones, and as many sampled ones.
const MOST: usize = 8;
/// The same along a ramp.
const MOST_ALONG: usize = 6;

/// The report: the events of every cell, by test.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    let mut section = Section::new("waits", "Waits");
    if let Some(published) = &run.published {
        let mut legend = Legend::default();
        for waits in &published.waits {
            waits.suspect.iter().for_each(|suspect| legend.doubts.add(waits.title.clone(), suspect));
        }
        section.blocks = self::published(published);
        if section.blocks.is_empty() {
            section.push(Note::plain("The source prints no wait events."));
        }
        return vec![section.with(legend.blocks()).with(source(run))];
    }
    let points: Vec<&Point> = run.points.iter().filter(|p| p.subject.storage().is_none()).collect();
    let cells = grouped(points.iter().map(|point| (CellKey::of(point), *point)));
    let mut without = Vec::new();
    for (code, cells) in grouped(cells.iter().map(|(key, points)| (key.subject.name(), (key, points)))) {
        let events: Vec<(String, Result<Vec<Row>, String>)> =
            cells.into_iter().map(|(key, points)| (of_cell(key), events_of(points))).collect();
        if events.iter().all(|(_, events)| events.is_err()) {
            without.extend(events.into_iter().filter_map(|(_, events)| Some((events.err()?, code))));
            continue;
        }
        let rows = events.into_iter().flat_map(|(cell, events)| {
            let rows = events.unwrap_or_else(|why| vec![Row::Remark(Vec::new(), why)]);
            [Row::Group(cell)].into_iter().chain(rows)
        });
        let table = Table::new(Caption::Page(format!("{code}: top events")), COLUMNS.to_vec(), rows.collect());
        let title = title(code, catalogue).to_owned();
        section.push(Part { id: String::new(), code: code.to_string(), title, blocks: vec![table.into()] });
    }
    if points.is_empty() {
        section.push(Note::plain("This run has no points of a database yet."));
    }
    for (why, codes) in grouped(unique(without)) {
        let codes: Vec<&str> = codes.iter().map(|code| code.name).collect();
        section.push(Note::led("- ", format!("{}: {why}", codes.join(", "))));
    }
    vec![section.with(legend(&points))]
}

/// The waits of one test: the events where it was fastest, and the shares of the longest along its ramp. A cell has a
/// label, as `1x8x1`, and the points that count. Empty if no wait was seen.
pub(crate) fn of_test<'a>(
    code: SubjectName<'_>,
    cells: impl IntoIterator<Item = (String, Vec<&'a Point>)>,
) -> Vec<Block> {
    let mut cells: Vec<(String, Vec<&Point>)> = cells.into_iter().collect();
    cells.retain(|(_, points)| !together(points).is_empty());
    let rate = |points: &[&Point]| points.iter().filter_map(|p| p.ops_per_s.or(p.work_mib_per_s)).fold(0.0, f64::max);
    let Some((label, points)) = cells.iter().max_by(|a, b| rate(&a.1).total_cmp(&rate(&b.1))) else {
        return Vec::new();
    };
    let caption = |what: String, left_out: usize| {
        let left_out = if left_out > 0 { format!(" ({left_out} smaller ones are left out)") } else { String::new() };
        Caption::Page(format!("{code}: {what}{left_out}"))
    };
    let waits = together(points);
    let longest = longest(&waits, MOST);
    let left_out = waits.len() - longest.len();
    let rows = longest.iter().map(|wait| row(wait, sessions_s(points))).collect();
    let top = Table::new(caption(format!("top events at {label}"), left_out), COLUMNS.to_vec(), rows);
    if cells.len() == 1 {
        return vec![top.into()];
    }
    let all: Vec<&Point> = cells.iter().flat_map(|(_, points)| points.iter().copied()).collect();
    let waits = together(&all);
    let longest = self::longest(&waits, MOST_ALONG);
    let shares: Vec<_> = cells.iter().map(|(_, points)| (together(points), sessions_s(points))).collect();
    let rows = longest.iter().map(|event| {
        let share = |(waits, all_s): &(Vec<Wait>, Option<f64>)| {
            let same = waits.iter().find(|wait| key(wait) == key(event));
            // Where some of its kind were seen, an event that was not took no time.
            let none = waits.iter().any(|wait| wait.sampled == event.sampled).then_some(0.0);
            Cell::figure(share_pct(same.map_or(none, |wait| wait.time_s), *all_s), Form::Short)
        };
        let class = if event.sampled { format!("{}, samples", event.class) } else { event.class.clone() };
        Row::Cells([Cell::words(name(event)), Cell::words(class)].into_iter().chain(shares.iter().map(share)).collect())
    });
    let mut columns = COLUMNS[..2].to_vec();
    columns.extend(cells.iter().map(|(label, _)| Column::made(format!("{label}\n[%]"), Keep::Always)));
    let what = "shares of database time, of the seconds that all sessions had together".to_owned();
    let along = Table::new(caption(what, waits.len() - longest.len()), columns, rows.collect());
    vec![top.into(), along.into()]
}

/// The printed wait events: a table for each list, with the source's remark.
pub(super) fn published(published: &Published) -> Vec<Block> {
    let row = |wait: &PublishedWait| {
        let share = Cell::figure(wait.share_pct, Form::Printed);
        let class = wait.class.clone().unwrap_or_default();
        cells([wait.event.clone(), class], [wait.count, None], [wait.time_s, wait.mean_s], share, String::new())
    };
    let mut blocks: Vec<Block> = Vec::new();
    for list in &published.waits {
        let jobs = list.jobs.map(|n| format!("{n} jobs"));
        let of: String = list.test.clone().into_iter().chain(jobs).map(|of| format!(", {of}")).collect();
        let doubt = if list.suspect.is_some() { format!(" {}", suspect_mark(true)) } else { String::new() };
        let caption = Caption::Shown(format!("Top {} events{of}: {}{doubt}", list.group, list.title));
        blocks.push(Table::new(caption, COLUMNS.to_vec(), list.events.iter().map(row).collect()).into());
    }
    if !blocks.is_empty() {
        let text = "Share is of the sessions' time in the database, as the source prints it; a background's is of all \
                    background processes.";
        blocks.push(Note::plain(text).into());
    }
    blocks
}

/// What the columns mean, as far as these points have them; empty where no waits were seen.
pub(crate) fn legend(points: &[&Point]) -> Vec<Block> {
    let waits: Vec<&Wait> = points.iter().flat_map(|p| &p.waits).collect();
    if waits.is_empty() {
        return Vec::new();
    }
    let has_histogram = |wait: &Wait| !wait.histogram_us.is_empty();
    let any = |is: fn(&Wait) -> bool| waits.iter().any(|wait| is(wait));
    let says = [
        (true, "The longest events are shown, counted ones before sampled ones."),
        (
            any(|wait| !wait.sampled && wait.count > 0),
            "Waits and their times are the engine's own counts. A server counts those of its background processes with \
             those of its sessions.",
        ),
        (
            any(|wait| wait.sampled),
            "Samples are how often sessions were seen in the event by looking ten times a second. dbdyno's own looking \
             is left out, and so are fewer than ten samples in all.",
        ),
        (
            true,
            "Share is of database time: of the seconds that all sessions had together, parallel workers on top of that; \
             for samples it is what they stand for. A session of the client drive has its client's time in it, too.",
        ),
        (any(is_cpu), "CPU is no wait: it is the time of sessions on a processor."),
        (
            !any(is_cpu),
            "There is no line for CPU: the engine does not tell the processor time of its sessions, and what the \
             machine's processors did is not theirs alone.",
        ),
        (any(has_histogram), "How long waits were is the engine's histogram; 1 ms is 1,024 µs there."),
        (!any(has_histogram), "Histograms of waits: none kept by the engine."),
    ];
    let text: Vec<&str> = says.into_iter().filter(|(is, _)| *is).map(|(_, text)| text).collect();
    vec![Note::plain(text.join(" ")).into()]
}

/// A cell in words.
fn of_cell(key: &CellKey) -> String {
    let load = (key.drive == Drive::Client).then(|| format!(", client drive, {}", words(&key.load)));
    let again = if key.again { ", measured again" } else { "" };
    format!("{}{}{again}", place(key), load.unwrap_or_default())
}

/// The events of a cell's points together, or why there are none.
fn events_of(points: &[&Point]) -> Result<Vec<Row>, String> {
    let ok: Vec<&Point> = points.iter().copied().filter(|p| p.status == Status::Ok).collect();
    let points = if ok.is_empty() { points } else { &ok };
    let waits = together(points);
    if waits.is_empty() {
        let few = Some(samples(points)).filter(|n| *n > 0);
        let few = few.map(|n| format!("only {n} samples of what sessions waited for: too few to tell"));
        let why = few.or_else(|| points.iter().find_map(|p| p.missing.get("waits").cloned()));
        let refused = points.iter().rev().find_map(|p| refusal(p));
        return Err(refused.or(why).unwrap_or_else(|| "no wait event was seen".to_owned()));
    }
    Ok(longest(&waits, MOST).into_iter().map(|wait| row(wait, sessions_s(points))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::TestCode;

    fn wait(event: &str, count: u64, sampled: bool) -> Wait {
        let (class, event) = ("state".to_owned(), event.to_owned());
        Wait { event, class, count, time_s: Some(0.1), sampled, histogram_us: [].into() }
    }

    fn events(waits: Vec<Wait>) -> Vec<String> {
        let mut point = Point::new(TestCode::new("T611").unwrap(), "2026-03-14T09:26:53Z".parse().unwrap());
        (point.waits, point.counters_s) = (waits, Some(2.0));
        let text = |row: Row| match row {
            Row::Cells(cells) => cells.iter().map(Cell::text).collect::<Vec<_>>().join("|"),
            Row::Remark(_, text) | Row::Group(text) => text,
        };
        events_of(&[&point]).map_or_else(|why| vec![why], |rows| rows.into_iter().map(text).collect())
    }

    #[test]
    fn a_handful_of_samples_is_no_table() {
        let few = events(vec![wait("Opening", 5, true), wait("Sending", 4, true)]);
        assert_eq!(few, ["only 9 samples of what sessions waited for: too few to tell"]);
        let counted = events(vec![wait("Opening", 9, true), wait("fsync", 4, false)]);
        assert_eq!(counted, ["fsync|state|4||100 ms|25.0 ms|5|"]);
        assert_eq!(events(vec![wait("Opening", 10, true)]), ["Opening|state||10|||5|"]);
    }

    #[test]
    fn counted_and_sampled_events_stand_apart_and_the_processor_is_always_there() {
        let class = |class: &str, wait: Wait| Wait { class: class.to_owned(), ..wait };
        let mut waits: Vec<Wait> = (0..20).map(|n| wait(&format!("lock {n}"), 30 - n, false)).collect();
        waits.push(Wait { time_s: Some(0.01), ..class("CPU", wait("DB CPU", 0, false)) });
        waits.push(class("IO", wait("WalSync", 12, true)));
        waits.push(Wait { time_s: Some(0.2), ..class("CPU", wait("running", 20, true)) });
        let names: Vec<String> = events(waits).iter().map(|row| row.split('|').next().unwrap().to_owned()).collect();
        assert_eq!(names.len(), MOST + 3);
        assert_eq!(names[MOST..], ["DB CPU", "CPU (running)", "WalSync"]);
    }

    #[test]
    fn a_page_has_the_events_of_the_fastest_cell_and_their_shares_along_the_ramp() {
        let points = [(1, 10.0), (2, 15.0), (4, 12.0)].map(|(jobs, ops_per_s)| {
            let mut point = Point::new(TestCode::new("T711").unwrap(), "2026-03-14T09:26:53Z".parse().unwrap());
            (point.dop.jobs, point.ops_per_s, point.counters_s) = (jobs, Some(ops_per_s), Some(2.0));
            point.waits = vec![wait("fsync", 10, false)];
            point
        });
        let mut points = points.to_vec();
        points[2].waits.push(Wait { time_s: Some(0.8), ..wait("row lock", 5, false) });
        let code = points[0].subject.name();
        let of = |points: &[Point]| {
            let blocks = of_test(code, points.iter().map(|p| (p.dop.to_string(), vec![p])));
            let texts = |block: Block| match block {
                Block::Table(table) => (table.name().to_owned(), table.rows),
                other => panic!("{other:?}"),
            };
            blocks.into_iter().map(texts).collect::<Vec<_>>()
        };
        let [(top, events), (_, along)] = &of(&points)[..] else { panic!("two tables") };
        assert_eq!((top.as_str(), events.len()), ("T711: top events at 1x2x1", 1));
        let text = |row: &Row| match row {
            Row::Cells(cells) => cells.iter().map(Cell::text).collect::<Vec<_>>().join("|"),
            other => panic!("{other:?}"),
        };
        assert_eq!(along.iter().map(text).collect::<Vec<_>>(), ["row lock|state|0|0|10", "fsync|state|5|2.5|1.2"]);
        assert_eq!((of(&points[..1]).len(), of(&[]).len()), (1, 0));
    }
}

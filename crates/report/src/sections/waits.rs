//! What sessions waited for: the events that took longest, as databases report them themselves, with the time on a
//! processor among them. What an engine counts and what was seen by looking at sessions stand apart, because both may
//! be the same time.

mod events;

pub(super) use events::within;

use super::latency::{load_words, place};
use crate::sections::prelude::*;
use dbdyno_model::{Drive, Published, PublishedWait, PublishedWaits, Wait};
use events::{Waits, is_cpu, name, samples};

/// The most events in a table: counted ones, and as many sampled ones.
const MOST: usize = 8;
/// The same along a ramp.
const MOST_ALONG: usize = 6;

/// The report: the events of every cell, by test.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    let mut section = words::section("waits");
    if let Some(published) = &run.published {
        let mut legend = Legend::default();
        for waits in &published.waits {
            legend.doubts.add(waits.title.clone(), &waits.suspect);
        }
        let section = alone(section.with(self::published(published)));
        return vec![section.with(legend.blocks()).with(source(run))];
    }
    let points: Vec<&Point> = run.points.iter().filter(|p| p.subject.storage().is_none()).collect();
    let cells = grouped(points.iter().map(|point| (CellKey::of(point), *point)));
    let mut without = Vec::new();
    let events = cells.iter().map(|(key, points)| (key.subject.name(), (key, events_of(points))));
    for (code, cells) in grouped(events) {
        if cells.iter().all(|(_, events)| events.is_err()) {
            without.extend(cells.into_iter().filter_map(|(_, events)| Some((events.err()?, code))));
            continue;
        }
        let rows = cells.into_iter().flat_map(|(key, events)| {
            let rows = events.unwrap_or_else(|why| vec![Row::Remark(Vec::new(), why)]);
            [Row::Group(of_cell(key))].into_iter().chain(rows)
        });
        let table = words::table("waits", "events", rows.collect()).called(format!("{code}: top events"));
        section.push(part(String::new(), code, catalogue, vec![table.into()]));
    }
    for (why, codes) in grouped(unique(without)) {
        section.push(Note::led("- ", format!("{}: {why}", join(&codes))));
    }
    vec![alone(section).with(legend(&points))]
}

/// The waits of one test: the events where it was fastest, and the shares of the longest along its ramp. A cell has a
/// label, as `1x8x1`, and the points that count. Empty if no wait was seen.
pub(crate) fn of_test(code: SubjectName<'_>, cells: Vec<(String, Vec<&Point>)>) -> Vec<Block> {
    let cells = cells.into_iter().filter_map(|(label, points)| Some((label, Waits::of(&points)?, points)));
    let cells: Vec<(String, Waits, Vec<&Point>)> = cells.collect();
    let rate = |points: &[&Point]| points.iter().filter_map(|p| p.ops_per_s.or(p.work_mib_per_s)).fold(0.0, f64::max);
    let fastest = cells.iter().max_by(|(.., a), (.., b)| rate(a).total_cmp(&rate(b)));
    let Some((label, waits, _)) = fastest else { return Vec::new() };
    let longest = waits.longest(MOST);
    let caption = format!("{code}: top events at {label}{}", waits.left_out(&longest));
    let top = words::table("waits", "events", waits.rows(&longest)).called(caption);
    let all: Vec<&Point> = cells.iter().flat_map(|(.., points)| points.iter().copied()).collect();
    let Some(waits) = Waits::of(&all).filter(|_| cells.len() > 1) else { return vec![top.into()] };
    let longest: Vec<&Wait> = waits.longest(MOST_ALONG).into_iter().filter(|wait| !wait.background).collect();
    let rows = longest.iter().map(|event| {
        let class = if event.sampled { format!("{}, samples", event.class) } else { event.class.clone() };
        Row::led([name(event), class], cells.iter().map(|(_, waits, _)| waits.share(event)))
    });
    let what = "shares of database time, of the seconds that all sessions had together";
    let caption = format!("{code}: {what}{}", waits.left_out(&longest));
    let mut along = words::table("waits", "shares", rows.collect()).called(caption);
    along.columns.extend(cells.iter().map(|(label, ..)| Column::figures(format!("{label}\n[%]"))));
    vec![top.into(), along.into()]
}

/// The printed wait events: a table for each list, with the source's remark.
pub(super) fn published(published: &Published) -> Vec<Block> {
    let row = |wait: &PublishedWait| {
        // Rounded, or a time that went through seconds may have more digits than were printed.
        let mean_ms = wait.mean_s.map(|s| (s * 1e9).round() / 1e6);
        let count = wait.count.map(|n| n as f64);
        let figures = [count, wait.timeout_pct, wait.time_s, mean_ms, wait.waits_per_tx, wait.share_pct];
        let words = [&wait.event, wait.class.as_deref().unwrap_or_default()];
        Row::led(words, figures.map(|figure| Cell::known(figure, Form::Printed)))
    };
    let table = |list: &PublishedWaits| {
        let jobs = list.jobs.map(|n| format!("{n} jobs"));
        let of: String = list.test.clone().into_iter().chain(jobs).map(|of| format!(", {of}")).collect();
        let title = joined([&list.title, &suspect_mark(list.suspect.is_some())], " ");
        let caption = format!("Top {} events{of}: {title}", list.group);
        captioned("waits", "printed", caption, list.events.iter().map(row).collect()).into()
    };
    let note = published.waits.first().map(|_| note("waits", "printed").into());
    published.waits.iter().map(table).chain(note).collect()
}

/// What the columns mean, as far as these points have them; `None` where no waits were seen.
pub(crate) fn legend(points: &[&Point]) -> Option<Block> {
    let waits: Vec<&Wait> = points.iter().flat_map(|p| &p.waits).collect();
    waits.first()?;
    let any = |is: fn(&Wait) -> bool| waits.iter().any(|wait| is(wait));
    let says = [
        (true, "longest"),
        (any(|wait| !wait.sampled && wait.count > 0), "counted"),
        (any(|wait| !wait.sampled && wait.count > 0) && !any(|wait| !wait.sampled && wait.background), "together"),
        (any(|wait| wait.sampled), "sampled"),
        (any(|wait| wait.background), "background"),
        (true, "share"),
        (true, if any(is_cpu) { "cpu" } else { "no_cpu" }),
        (true, if any(|wait| !wait.histogram_us.is_empty()) { "histogram" } else { "no_histogram" }),
    ];
    let said = says.into_iter().filter(|(is, _)| *is).map(|(_, name)| text("waits", name));
    Some(Note::plain(joined(said, " ")).into())
}

/// A cell in words.
fn of_cell(key: &CellKey) -> String {
    let load = (key.drive == Drive::Client).then(|| format!(", client drive, {}", load_words(&key.load)));
    let again = if key.again { ", measured again" } else { "" };
    format!("{}{}{again}", place(key), load.unwrap_or_default())
}

/// The events of a cell's points together, or why there are none.
fn events_of(points: &[&Point]) -> Result<Vec<Row>, String> {
    let ok: Vec<&Point> = points.iter().copied().filter(|p| p.status == Status::Ok).collect();
    let points = if ok.is_empty() { points } else { &ok };
    let Some(waits) = Waits::of(points) else {
        let few = Some(samples(points, false)).filter(|n| *n > 0);
        let few = few.map(|n| format!("only {n} samples of what sessions waited for: too few to tell"));
        let why = few.or_else(|| points.iter().find_map(|p| p.missing.get("waits").cloned()));
        let refused = points.iter().rev().find_map(|p| refusal(p));
        return Err(refused.or(why).unwrap_or_else(|| "no wait event was seen".to_owned()));
    };
    Ok(waits.rows(&waits.longest(MOST)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::TestCode;

    fn wait(event: &str, count: u64, sampled: bool) -> Wait {
        let (class, event) = ("state".to_owned(), event.to_owned());
        Wait { event, class, count, time_s: Some(0.1), sampled, ..Wait::default() }
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
    fn the_servers_own_processes_stand_apart_and_have_no_share() {
        let own = |wait: Wait| Wait { background: true, ..wait };
        let waits = vec![own(wait("fsync", 9, false)), wait("fsync", 4, false), own(wait("Flushing", 3, true))];
        let heading = "Background: the server's own processes";
        assert_eq!(events(waits), ["fsync|state|4||100 ms|25.0 ms|5|", heading, "fsync|state|9||100 ms|11.1 ms||"]);
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
            let blocks = of_test(code, points.iter().map(|p| (p.dop.to_string(), vec![p])).collect());
            let texts = |block: Block| match block {
                Block::Table(table) => (table.caption, table.rows),
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

//! The waits of each point's sessions: the event, how often, and its share of the jobs' time.

use super::columns::keys;
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{self, Doubts, SUSPECT, refusal};
use crate::numbers::{MISSING, count, duration, percent};
use crate::text::{hanging, push_line};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Point, Published, RunJson, Wait};

use Keep::{Always, Drop};

const COLUMNS: [Column; 11] = [
    Column::left("code", &["Code"], Always),
    Column::right("#N", &["#N"], Drop(2)),
    Column::right("#J", &["#J"], Always),
    Column::right("#T", &["#T"], Always),
    Column::right("TX size", &["TX", "size"], Drop(3)),
    Column::left("class", &["Class"], Drop(1)),
    Column::left("event", &["Event"], Always),
    Column::right("count", &["Count"], Always),
    Column::right("time", &["Time"], Drop(4)),
    Column::right("samples", &["Samples"], Always),
    Column::right("share", &["Share", "[%]"], Always),
];
/// The most events of a point.
const MOST: usize = 8;
/// With fewer samples a point's waits mean nothing.
const FEWEST_SAMPLES: u64 = 10;

/// The waits of a point that mean something. Samples are left out if the point has too few of them.
pub(crate) fn meaningful_waits(point: &Point) -> impl Iterator<Item = &Wait> {
    let enough = samples(point) >= FEWEST_SAMPLES;
    point.waits.iter().filter(move |wait| !wait.sampled || enough)
}

fn samples(point: &Point) -> u64 {
    point.waits.iter().filter(|wait| wait.sampled).map(|wait| wait.count).sum()
}

/// The events of each point, the longest first.
#[must_use]
pub fn waits(run: &RunJson, _: &Catalogue, width: Option<u16>) -> String {
    if let Some(published) = &run.published {
        return published_waits(published, run, width);
    }
    let rows: Vec<Row> = run.points.iter().flat_map(rows).collect();
    if rows.is_empty() {
        return hanging("", "This run has no points yet.", width);
    }
    let sheet = Sheet { columns: COLUMNS.to_vec(), rows, gap: 2 };
    let legend = "Count and time are the engine's own. Where it has none, samples are how often sessions were seen in the event by \
                  looking ten times a second; dbdyno's own looking is left out, and so are the samples of points with fewer than \
                  ten. Share is the time, or what the samples stand for, in percent of the seconds that all jobs had together, \
                  parallel workers on top of that. CPU running is no wait.";
    format!("{}\n{}", sheet.render(width), hanging("", legend, width))
}

fn rows(point: &Point) -> Vec<Row> {
    let keys = || keys(point.subject.name(), point.dop, point.rows_per_tx);
    let mut longest: Vec<&Wait> = meaningful_waits(point).collect();
    longest.sort_by(|a, b| b.time_s.unwrap_or(0.0).total_cmp(&a.time_s.unwrap_or(0.0)).then(b.count.cmp(&a.count)));
    if longest.is_empty() {
        let few = Some(samples(point)).filter(|n| *n > 0);
        let few = few.map(|n| format!("only {n} samples of what sessions waited for: too few to tell"));
        let why = few.or_else(|| point.missing.get("waits").cloned());
        let text = refusal(point).or(why).unwrap_or_else(|| "no wait event was seen".to_owned());
        return vec![Row::Remark { keys: keys(), text }];
    }
    let jobs_s = point.counters_s.map(|s| s * f64::from(point.dop.jobs)).filter(|s| *s > 0.0);
    let row = |wait: &Wait| {
        let share_pct = wait.time_s.zip(jobs_s).map(|(time, all)| time / all * 100.0);
        let mut texts = keys();
        texts.extend([wait.class.clone(), wait.event.clone()]);
        let none = || MISSING.to_owned();
        texts.extend(match wait.sampled {
            true => [none(), none(), wait.count.to_string()],
            false => [wait.count.to_string(), duration(wait.time_s), none()],
        });
        texts.push(share_pct.map_or(MISSING.to_owned(), |share| percent(Some(share))));
        Row::Figures(texts)
    };
    longest.into_iter().take(MOST).map(row).collect()
}

/// The printed wait events, each list with the source's remark.
fn published_waits(published: &Published, run: &RunJson, width: Option<u16>) -> String {
    const COLUMNS: [Column; 6] = [
        Column::left("event", &["Event"], Always),
        Column::left("class", &["Class"], Drop(2)),
        Column::right("count", &["Waits"], Always),
        Column::right("time", &["Time"], Always),
        Column::right("mean", &["Mean"], Drop(1)),
        Column::right("share", &["Share", "[%]"], Always),
    ];
    let mut out = String::new();
    let mut doubts = Doubts::default();
    for list in &published.waits {
        let row = |w: &dbdyno_model::PublishedWait| {
            Row::Figures(vec![
                w.event.clone(),
                w.class.clone().unwrap_or_default(),
                w.count.map_or_else(|| MISSING.to_owned(), count),
                duration(w.time_s),
                duration(w.mean_s),
                w.share_pct.map_or_else(|| MISSING.to_owned(), |pct| pct.to_string()),
            ])
        };
        let jobs = list.jobs.map(|n| format!("{n} jobs"));
        let parts: Vec<String> = list.test.clone().into_iter().chain(jobs).chain([list.group.clone()]).collect();
        let mut title = format!("{}: {}", parts.join(", "), list.title);
        if let Some(suspect) = &list.suspect {
            title.push_str(&format!(" {SUSPECT}"));
            doubts.add(list.title.clone(), suspect);
        }
        out.push_str(&hanging("", &title, width));
        let sheet = Sheet { columns: COLUMNS.to_vec(), rows: list.events.iter().map(row).collect(), gap: 2 };
        out.push_str(&sheet.render(width));
        push_line(&mut out, "", width);
    }
    if out.is_empty() {
        out = hanging("", "The source prints no wait events.", width);
    } else {
        let legend = "Share is of the sessions' time in the database, as the source prints it; a background's is of all \
                      background processes.";
        out.push_str(&hanging("", legend, width));
    }
    format!("{out}{}{}", doubts.render(width), legend::source(run, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::TestCode;

    #[test]
    fn a_handful_of_samples_is_no_table() {
        let wait = |event: &str, count, sampled| Wait {
            event: event.to_owned(),
            class: "state".to_owned(),
            count,
            time_s: Some(0.1),
            sampled,
            histogram_us: [].into(),
        };
        let told = |waits: Vec<Wait>| {
            let mut point = Point::new(TestCode::new("T611").unwrap(), "2026-03-14T09:26:53Z".parse().unwrap());
            point.waits = waits;
            let rows = rows(&point);
            let texts = |row: &Row| match row {
                Row::Figures(texts) => texts[6..].join(" "),
                Row::Remark { text, .. } | Row::Section(text) => text.clone(),
            };
            rows.iter().map(texts).collect::<Vec<_>>()
        };
        assert_eq!(
            told(vec![wait("Opening", 5, true), wait("Sending", 4, true)]),
            ["only 9 samples of what sessions waited for: too few to tell"]
        );
        assert_eq!(told(vec![wait("Opening", 9, true), wait("fsync", 1, false)]), ["fsync 1 100 ms - -"]);
        assert_eq!(told(vec![wait("Opening", 10, true)]), ["Opening - - 10 -"]);
    }
}

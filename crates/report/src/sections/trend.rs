//! A trend: the answer, each change with what of the platform changed there, outliers, every series, and charts of
//! those that changed.

use crate::sections::measured::shown;
use crate::sections::prelude::*;
use crate::terminal::lines::clip;
use crate::trend::{ChangedFact, SeriesChange, Trend, TrendChange, TrendRun, TrendSeries};
use dbdyno_stats::Changes;

/// So many series that ended are named.
const MOST_ENDED: usize = 8;
/// So many facts of a change are named in its sentence; its table has all.
const MOST_FACTS: usize = 3;
/// A value is not wider than this there.
const MOST_COLUMNS: usize = 60;
/// From so many on, changes by chance are spoken of.
const CHANCE_SAID: f64 = 0.5;
/// More charts than this make a page that nobody reads.
const MOST_CHARTS: usize = 60;
/// More outliers than this are counted and not listed.
const MOST_OUTLIERS: usize = 40;

/// The report on a trend of what was asked for.
#[must_use]
pub fn trend_document(trend: &Trend, asked: &str) -> Document {
    let sections = vec![answer(trend), changes(trend), charts(trend), outliers(trend), series(trend)];
    Document::new("dbdyno trend", format!("Trend of {asked}"), head(trend), sections)
}

fn head(trend: &Trend) -> Vec<(&'static str, String)> {
    let steps = if trend.steps.len() == trend.runs.len() { ", each a step" } else { ", in steps by label" };
    let too_short = trend.series.iter().filter(|series| series.not_judged.is_some()).count();
    let short = if too_short > 0 { format!(", {too_short} of them too short to judge") } else { String::new() };
    let runs = counted(trend.runs.len() as u64, "run");
    let days = trend.runs.iter().map(|run| day(run.started_at));
    let (first, last) = (days.clone().min().unwrap_or_default(), days.max().unwrap_or_default());
    let when = if first == last { format!("of {first}") } else { format!("from {first} to {last}") };
    let facts = [("Runs", format!("{runs} {when}{steps}")), ("Series", format!("{}{short}", trend.series.len()))];
    let left_out = joined(trend.left_out.iter().map(|(why, n)| format!("{n} {why}")), ", ");
    let left_out = (!left_out.is_empty()).then_some(("Left out", format!("figures that do not count: {left_out}")));
    facts.into_iter().chain(left_out).collect()
}

/// A day, in UTC.
fn day(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

fn answer(trend: &Trend) -> Section {
    let judged = trend.series.iter().filter(|series| series.is_judged()).count();
    let long_enough = trend.series.iter().filter(|series| series.not_judged.is_none()).count();
    let changed = trend.series.iter().filter(|series| !series.changes.is_empty()).count();
    let mut section = words::section("answer");
    if let Some(losses) = &trend.new_losses {
        // As it was given: rounded, 99.95 would be another limit.
        let limit = losses.limit_pct;
        let (kind, text) = match losses.broken.len() {
            0 if judged == 0 => (NoteKind::Plain, format!("Whether anything lost {limit} % cannot be told yet.")),
            0 => (NoteKind::Met, format!("No series lost {limit} % or more without a note, of {judged} judged.")),
            n => (NoteKind::NotMet, format!("{n} series lost {limit} % or more, and nobody has noted why.")),
        };
        section.push(Note { kind, ..Note::plain(text) });
        for loss in &losses.broken {
            let of = &trend.series[loss.series];
            let ended = of.missing_since.map(|step| format!("at the end, since {}", step_name(trend, step)));
            let when = ended.unwrap_or_else(|| "now".to_owned());
            let [newest, best] = [loss.newest, loss.best].map(|level| shown(level, &of.unit));
            let share = crate::numbers::percent(loss.ratio * 100.0);
            let since = step_name(trend, loss.since_step);
            section.push(Note::plain(format!("{}: {newest} {when}, {share} of the {best} before {since}.", of.name)));
        }
        let ended = losses.ended.len();
        let text = format!("{ended} {}", words::text("trend", "failing"));
        section.blocks.extend((ended > 0).then(|| Note { kind: NoteKind::NotMet, ..Note::plain(text) }.into()));
    }
    section.push(Note::plain(match (judged, trend.changes.len()) {
        (0, 0) if long_enough == 0 => "Nothing can be said: every series is too short.".to_owned(),
        (0, 0) => "Nothing can be said of now: no series that is long enough goes on.".to_owned(),
        (_, 0) => format!("No level changed in {judged} series."),
        (_, n) => format!("{} in {changed} of {long_enough} series, the newest first:", counted(n as u64, "change")),
    }));
    let warnings = [missing(trend), places_ended(trend)].into_iter().flatten();
    section.push(Block::Warnings(warnings.collect()));
    section.push(Block::List(trend.changes.iter().map(|change| sentence(trend, change)).collect()));
    let [about, one_in] = [trend.by_chance, 1.0 / Changes::MOST_BY_CHANCE].map(short);
    let by_chance = text("trend", "by_chance").replace("{about}", &about).replace("{one_in}", &one_in);
    section.push_notes([(trend.by_chance >= CHANCE_SAID, by_chance)]);
    section
}

/// Series that ended: what is no longer measured cannot become slower.
fn missing(trend: &Trend) -> Option<String> {
    let ended = trend.series.iter().filter_map(|series| {
        let why = series.missing_why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        Some(format!("{} since {}{why}", series.name, step_name(trend, series.missing_since?)))
    });
    let ended: Vec<String> = ended.collect();
    let named = joined(ended.iter().take(MOST_ENDED), "; ");
    let unnamed = ended.len().saturating_sub(MOST_ENDED);
    let more = if unnamed > 0 { format!("; and {unnamed} more") } else { String::new() };
    (!ended.is_empty()).then(|| format!("No figure any more: {named}{more}. `dbdyno show RUN` says why."))
}

/// Series of places where nothing is measured any more, such as a host that has another name now.
fn places_ended(trend: &Trend) -> Option<String> {
    let ended = trend.series.iter().filter_map(|series| Some((series, series.place_ended_since?)));
    let (first, since) = ended.clone().next()?;
    Some(format!(
        "No run any more on the host, engine, target and amount of data of {} series since {}, such as {}: nothing is \
         said of them now. Another name of the host begins other series; give it a fixed one.",
        ended.count(),
        step_name(trend, since),
        first.name
    ))
}

/// A change in a sentence. A loss is named before a gain.
fn sentence(trend: &Trend, change: &TrendChange) -> String {
    let of = change.series.iter().map(|(series, at)| (&trend.series[*series], &trend.series[*series].changes[*at]));
    let of: Vec<(&TrendSeries, &SeriesChange)> = of.collect();
    let size = |of: &SeriesChange| of.ratio.ln().abs();
    let largest = of.iter().max_by(|(_, a), (_, b)| a.is_worse.cmp(&b.is_worse).then(size(a).total_cmp(&size(b))));
    let worse = of.iter().filter(|(_, change)| change.is_worse).count();
    let largest = largest.map_or_else(String::new, |(series, change)| {
        format!("{} {} % ({})", series.name, percent(change.ratio), direction(change))
    });
    let n = of.len();
    let more = if n > 1 { format!(" and {} more ({worse} of {n} worse)", n - 1) } else { String::new() };
    let named = joined(change.facts.iter().take(MOST_FACTS).map(fact), "; ");
    let others = change.facts.len().saturating_sub(MOST_FACTS) as u64;
    let others = if others > 0 { format!("; and {}", counted(others, "more fact")) } else { String::new() };
    let facts = match change.facts.first() {
        None => "; no known fact of the platform changed there".to_owned(),
        Some(fact) if fact.steps_later == 0 => format!("; what changed there: {named}{others}"),
        Some(_) => format!("; no known fact changed there; nearby: {named}{others}"),
    };
    let noted = change.notes.first().map_or_else(String::new, |noted| format!("; noted: {}", noted.note.text));
    format!("{}: {largest}{more}{facts}{noted}", between(trend, change))
}

/// How far a fact changed from the figures; nothing at the place itself.
fn away(fact: &ChangedFact) -> String {
    let steps = counted(fact.steps_later.unsigned_abs(), "step");
    match fact.steps_later {
        0 => String::new(),
        ..0 => format!("{steps} earlier"),
        1.. => format!("{steps} later"),
    }
}

fn fact(of: &ChangedFact) -> String {
    let away = if of.steps_later == 0 { String::new() } else { format!(" ({})", away(of)) };
    let [before, after] = [&of.before, &of.after].map(|value| clip(known(value), MOST_COLUMNS));
    format!("{} from {before} to {after}{away}", of.name)
}

fn known(value: &Option<String>) -> &str {
    value.as_deref().unwrap_or("not known")
}

fn direction(change: &SeriesChange) -> &'static str {
    if change.is_worse { "worse" } else { "better" }
}

/// A ratio as a change in percent, with its sign.
fn percent(ratio: f64) -> String {
    format!("{:+.1}", (ratio - 1.0) * 100.0)
}

fn between(trend: &Trend, change: &TrendChange) -> String {
    let [before, after] = [change.before_step, change.after_step].map(|step| step_name(trend, step));
    format!("{}, between {before} and {after}", change.at.strftime("%Y-%m-%d %H:%M UTC"))
}

/// A step by its name; a run that has a label of its own has that, too.
fn step_name(trend: &Trend, step: usize) -> String {
    let name = &trend.steps[step].name;
    let label = first_run(trend, step).and_then(|run| run.label.as_ref());
    let label = label.filter(|of| *of != name && trend.runs.iter().any(|run| run.label.as_ref() != Some(*of)));
    label.map_or_else(|| name.clone(), |label| format!("{name} ({label})"))
}

fn first_run(trend: &Trend, step: usize) -> Option<&TrendRun> {
    trend.steps[step].runs.first().map(|run| &trend.runs[*run])
}

/// A part for each change.
fn changes(trend: &Trend) -> Section {
    let parts = trend.changes.iter().map(|change| {
        let notes = change.notes.iter().map(|noted| {
            let text = format!("{} (of run {}, {})", noted.note.text, noted.run, day(noted.note.at));
            Block::from(Note::led("Noted     ", text))
        });
        let row = |of: &ChangedFact| Row::words([of.name.as_str(), known(&of.before), known(&of.after), &away(of)]);
        let facts = words::table("trend", "facts", change.facts.iter().map(row).collect()).look(Look::Prose);
        let blocks = notes.chain([facts.into(), changed_table(trend, change).into()]).collect();
        Part { title: between(trend, change), blocks, ..Part::default() }.into()
    });
    words::section("changes").with(parts)
}

fn changed_table(trend: &Trend, change: &TrendChange) -> Table {
    let pct = |ratio: f64| Cell::words(percent(ratio));
    let row = |(series, at): &(usize, usize)| {
        let series = &trend.series[*series];
        let of = &series.changes[*at];
        let level = |at: usize| Cell::known(series.levels.get(at).map(|level| level.mean), Form::Thousands);
        let tone = if of.is_worse { Tone::Worse } else { Tone::Better };
        let figures = [level(*at), level(at + 1), pct(of.ratio).tone(tone), pct(of.low), pct(of.high)];
        let p_value = if of.p_value < 0.001 { "<0.001".to_owned() } else { format!("{:.3}", of.p_value) };
        let last = [direction(of), &p_value].map(Cell::words);
        Row::led([&series.name, &series.unit], figures.into_iter().chain(last))
    };
    words::table("trend", "changes", change.series.iter().map(row).collect())
}

/// A chart of each series that changed: its figures, and its levels.
fn charts(trend: &Trend) -> Section {
    let changed: Vec<&TrendSeries> = trend.series.iter().filter(|series| !series.changes.is_empty()).collect();
    let drawn: Vec<LineChart> = changed.iter().take(MOST_CHARTS).filter_map(|series| chart(trend, series)).collect();
    let left_out = changed.len().saturating_sub(MOST_CHARTS);
    let about = if left_out > 0 { format!(" {left_out} further series have no chart") } else { String::new() };
    Section { about, ..words::section("charts") }.with([drawn.into()])
}

fn chart(trend: &Trend, series: &TrendSeries) -> Option<LineChart> {
    let mark = |step: usize, value: f64| {
        let day = first_run(trend, step).map_or_else(String::new, |run| day(run.started_at));
        let text = format!("{}, {day}: {}", step_name(trend, step), shown(value, &series.unit));
        Mark { x: step as f64 + 1.0, y: value, band: None, doubtful: false, text }
    };
    let is_outlier = |step: usize| series.outliers.iter().any(|outlier| outlier.step == step);
    let figures = series.figures.iter().map(|of| Mark { doubtful: is_outlier(of.step), ..mark(of.step, of.value) });
    let edge = |step: usize, value: f64| Mark { text: String::new(), ..mark(step, value) };
    let levels = series.levels.iter().flat_map(|level| [edge(level.from, level.mean), edge(level.to, level.mean)]);
    let changes = series.levels.iter().skip(1).map(|level| {
        let mark = mark(level.from, level.mean);
        Mark { text: format!("change: {}", mark.text), ..mark }
    });
    let lines = vec![
        ChartSeries::new("figures (hollow: outliers)", 0, figures.collect()).drawn(SeriesShape::Marks),
        ChartSeries::new("levels", 1, levels.collect()).drawn(SeriesShape::Line),
        ChartSeries::new("changes", 2, changes.collect()).drawn(SeriesShape::Marks),
    ];
    let mut chart = LineChart::of(series.name.clone(), "", "steps", [Axis::places, Axis::around], lines)?;
    chart.unit = series.unit.clone() + if chart.y.from > 0.0 { ", not from zero" } else { "" };
    Some(chart)
}

fn outliers(trend: &Trend) -> Section {
    let all = trend.series.iter().flat_map(|series| series.outliers.iter().map(move |outlier| (series, outlier)));
    let all: Vec<_> = all.collect();
    let rows = all.iter().take(MOST_OUTLIERS).map(|(series, outlier)| {
        let is_first = series.levels.first().is_some_and(|level| outlier.step < level.from);
        let since = match outlier.has_returned {
            true => "back at it",
            false if is_first => "the first: not known before",
            false => "the newest: not known yet",
        };
        Row::words([series.name.as_str(), &step_name(trend, outlier.step), &percent(outlier.ratio), since])
    });
    let table = words::table("trend", "outliers", rows.collect());
    let more = all.len().saturating_sub(MOST_OUTLIERS);
    let more = (more > 0).then(|| Note::plain(format!("{more} more are in the JSON document (--json).")).into());
    words::section("outliers").with([table.into()]).with(more)
}

/// Every series in a line.
fn series(trend: &Trend) -> Section {
    let row = |series: &TrendSeries| {
        let newest = series.levels.last();
        let steps: BTreeSet<usize> = series.figures.iter().map(|figure| figure.step).collect();
        let cells = [
            Cell::count(steps.len() as u64),
            Cell::known(newest.map(|level| level.mean), Form::Thousands),
            Cell::known(newest.map(|level| level.spread_pct), Form::Decimals(1)),
            Cell::known(newest.map(|_| series.changes.len() as f64), Form::Count),
            Cell::words(series.not_judged.as_deref().unwrap_or_default()),
        ];
        Row::led([&series.name, &series.unit], cells)
    };
    let table = words::table("trend", "series", trend.series.iter().map(row).collect());
    words::section("series").with([table.into()])
}

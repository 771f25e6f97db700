//! A trend: the answer, each change with what of the platform changed there, outliers, every series, and charts of
//! those that changed.

use crate::charts::{Axis, ChartSeries, LineChart, Mark, SeriesShape};
use crate::document::{Block, Caption, Cell, Column, Document, Facts, Form, Keep, Look, Note, NoteKind, Part, Row};
use crate::document::{Section, Table, Tone};
use crate::groups::joined;
use crate::numbers::short;
use crate::sections::measured::shown;
use crate::summary::head::counted;
use crate::terminal::lines::clip;
use crate::trend::{ChangedFact, SeriesChange, Trend, TrendChange, TrendSeries, TrendStep};
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
    Document {
        kind: "dbdyno trend",
        title: format!("Trend of {asked}"),
        head: vec![Facts { title: String::new(), facts: head(trend) }.into()],
        sections: sections.into_iter().filter(|section| !section.blocks.is_empty()).collect(),
    }
}

fn head(trend: &Trend) -> Vec<(String, String)> {
    let day = |at: Option<&jiff::Timestamp>| at.map_or_else(String::new, |at| at.strftime("%Y-%m-%d").to_string());
    let times = || trend.runs.iter().map(|run| &run.started_at);
    let is_of_runs = trend.steps.len() == trend.runs.len();
    let steps = if is_of_runs { ", each a step" } else { ", in steps by label" };
    let too_short = trend.series.iter().filter(|series| series.not_judged.is_some()).count();
    let short = match too_short {
        0 => String::new(),
        n => format!(", {n} of them too short to judge"),
    };
    let runs = counted(trend.runs.len() as u64, "run");
    let (first, last) = (day(times().min()), day(times().max()));
    let when = if first == last { format!("of {first}") } else { format!("from {first} to {last}") };
    let facts = [("Runs", format!("{runs} {when}{steps}")), ("Series", format!("{}{short}", trend.series.len()))];
    let left_out = trend.left_out.iter().map(|(why, n)| format!("{n} {why}"));
    let left_out = joined(left_out, ", ");
    let left_out = (!left_out.is_empty()).then_some(("Left out", format!("figures that do not count: {left_out}")));
    facts.into_iter().chain(left_out).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn answer(trend: &Trend) -> Section {
    let judged = trend.series.iter().filter(|series| series.is_judged()).count();
    let mut notes = Vec::new();
    if let Some(losses) = &trend.new_losses {
        // As it was given: rounded, 99.95 would be another limit.
        let limit = losses.limit_pct;
        notes.push(match losses.broken.as_slice() {
            [] if judged == 0 => Note::plain(format!("Whether anything lost {limit} % cannot be told yet.")),
            [] => Note {
                kind: NoteKind::Met,
                ..Note::plain(format!("No series lost {limit} % or more without a note, of {judged} judged."))
            },
            broken => Note {
                kind: NoteKind::NotMet,
                ..Note::plain(format!("{} series lost {limit} % or more, and nobody has noted why.", broken.len()))
            },
        });
        notes.extend(losses.broken.iter().filter_map(|loss| {
            let (of, since) = (trend.series.get(loss.series)?, trend.steps.get(loss.since_step)?);
            let ended = of.missing_since.and_then(|step| trend.steps.get(step));
            let when =
                ended.map_or_else(|| "now".to_owned(), |step| format!("at the end, since {}", step_name(trend, step)));
            Some(Note::plain(format!(
                "{}: {} {when}, {} of the {} before {}.",
                of.name,
                shown(loss.newest, &of.unit),
                crate::numbers::percent(loss.ratio * 100.0),
                shown(loss.best, &of.unit),
                step_name(trend, since)
            )))
        }));
    }
    if let Some(ended) = trend.new_losses.as_ref().map(|losses| losses.ended.len()).filter(|n| *n > 0) {
        let text =
            format!("{ended} series have no figure any more because their points fail, and nobody has noted why.");
        notes.push(Note { kind: NoteKind::NotMet, ..Note::plain(text) });
    }
    notes.push(Note::plain(match (judged, trend.changes.len()) {
        (0, 0) if trend.series.iter().any(|series| series.not_judged.is_none()) => {
            "Nothing can be said of now: no series that is long enough goes on.".to_owned()
        }
        (0, 0) => "Nothing can be said: every series is too short.".to_owned(),
        (_, 0) => format!("No level changed in {judged} series."),
        (_, n) => {
            let changed = trend.series.iter().filter(|series| !series.changes.is_empty()).count();
            let all = trend.series.iter().filter(|series| series.not_judged.is_none()).count();
            format!("{} in {changed} of {all} series, the newest first:", counted(n as u64, "change"))
        }
    }));
    notes.extend(missing(trend));
    notes.extend(places_ended(trend));
    let mut section = Section::new("answer", "Answer").titled("Answer", "").with(notes.into_iter().map(Block::from));
    section.push(Block::List(trend.changes.iter().map(|change| sentence(trend, change)).collect()));
    if trend.by_chance >= CHANCE_SAID {
        section.push(Note::plain(format!(
            "In so many series chance alone shows about {} changes: one in {} series without any.",
            short(trend.by_chance),
            short(1.0 / Changes::MOST_BY_CHANCE)
        )));
    }
    section
}

/// Series that ended: what is no longer measured cannot become slower.
fn missing(trend: &Trend) -> Option<Note> {
    let ended: Vec<(&TrendSeries, usize)> =
        trend.series.iter().filter_map(|series| Some((series, series.missing_since?))).collect();
    let named = ended.iter().take(MOST_ENDED).filter_map(|(series, since)| {
        let why = series.missing_why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        Some(format!("{} since {}{why}", series.name, step_name(trend, trend.steps.get(*since)?)))
    });
    let named = joined(named, "; ");
    let more = match ended.len().saturating_sub(MOST_ENDED) {
        0 => String::new(),
        n => format!("; and {n} more"),
    };
    let text = format!("No figure any more: {named}{more}. `dbdyno show RUN` says why.");
    (!ended.is_empty()).then(|| Note { kind: NoteKind::Warning, ..Note::plain(text) })
}

/// Series of places where nothing is measured any more, such as a host that has another name now.
fn places_ended(trend: &Trend) -> Option<Note> {
    let ended: Vec<(&TrendSeries, usize)> =
        trend.series.iter().filter_map(|series| Some((series, series.place_ended_since?))).collect();
    let (first, since) = ended.first()?;
    let text = format!(
        "No run any more on the host, engine, target and amount of data of {} series since {}, such as {}: nothing is \
         said of them now. Another name of the host begins other series; give it a fixed one.",
        ended.len(),
        step_name(trend, trend.steps.get(*since)?),
        first.name
    );
    Some(Note { kind: NoteKind::Warning, ..Note::plain(text) })
}

/// A change in a sentence. A loss is named before a gain.
fn sentence(trend: &Trend, change: &TrendChange) -> String {
    let of = of_change(trend, change);
    let size = |of: &SeriesChange| of.ratio.ln().abs();
    let is_before = |a: &SeriesChange, b: &SeriesChange| a.is_worse.cmp(&b.is_worse).then(size(a).total_cmp(&size(b)));
    let largest = of.iter().max_by(|(_, a), (_, b)| is_before(a, b));
    let worse = of.iter().filter(|(_, change)| change.is_worse).count();
    let largest = largest.map_or_else(String::new, |(series, change)| {
        format!("{} {} % ({})", series.name, percent(change.ratio), direction(change))
    });
    let more = match of.len() {
        0 | 1 => String::new(),
        n => format!(" and {} more ({worse} of {n} worse)", n - 1),
    };
    let named = joined(change.facts.iter().take(MOST_FACTS).map(fact), "; ");
    let others = match change.facts.len().saturating_sub(MOST_FACTS) {
        0 => String::new(),
        n => format!("; and {}", counted(n as u64, "more fact")),
    };
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
    let away = match of.steps_later {
        0 => String::new(),
        _ => format!(" ({})", away(of)),
    };
    let [before, after] = [&of.before, &of.after].map(|value| clip(known(value.as_ref()), MOST_COLUMNS));
    format!("{} from {before} to {after}{away}", of.name)
}

fn known(value: Option<&String>) -> &str {
    value.map_or("not known", String::as_str)
}

fn direction(change: &SeriesChange) -> &'static str {
    if change.is_worse { "worse" } else { "better" }
}

/// A ratio as a change in percent, with its sign.
fn percent(ratio: f64) -> String {
    format!("{:+.1}", (ratio - 1.0) * 100.0)
}

fn between(trend: &Trend, change: &TrendChange) -> String {
    let name = |step: usize| trend.steps.get(step).map_or_else(String::new, |step| step_name(trend, step));
    let day = change.at.strftime("%Y-%m-%d %H:%M UTC");
    format!("{day}, between {} and {}", name(change.before_step), name(change.after_step))
}

/// A step by its name; a run that has a label of its own has that, too.
fn step_name(trend: &Trend, step: &TrendStep) -> String {
    let label = step.runs.first().and_then(|run| trend.runs.get(*run)?.label.as_ref());
    let alike = trend.runs.iter().all(|run| run.label.as_ref() == label);
    match label {
        Some(label) if *label != step.name && !alike => format!("{} ({label})", step.name),
        _ => step.name.clone(),
    }
}

/// The series that changed at a place, with their changes.
fn of_change<'t>(trend: &'t Trend, change: &TrendChange) -> Vec<(&'t TrendSeries, &'t SeriesChange)> {
    let of = |(series, at): &(usize, usize)| {
        let series = trend.series.get(*series)?;
        Some((series, series.changes.get(*at)?))
    };
    change.series.iter().filter_map(of).collect()
}

/// A part for each change.
fn changes(trend: &Trend) -> Section {
    let parts = trend.changes.iter().map(|change| {
        let mut blocks: Vec<Block> = Vec::new();
        blocks.extend(change.notes.iter().map(|noted| {
            let day = noted.note.at.strftime("%Y-%m-%d");
            Note::led("Noted     ", format!("{} (of run {}, {day})", noted.note.text, noted.run)).into()
        }));
        blocks.push(facts_table(change).into());
        blocks.push(changed_table(trend, change).into());
        Part { title: between(trend, change), blocks, ..Part::default() }.into()
    });
    Section::new("changes", "Changes").titled("Change by change", "").with(parts)
}

fn facts_table(change: &TrendChange) -> Table {
    let columns = vec![
        Column::words("fact", "What changed", Keep::Always),
        Column::words("before", "Before", Keep::Always),
        Column::words("after", "After", Keep::Always),
        Column::words("when", "When", Keep::Always).optional(),
    ];
    let row = |of: &ChangedFact| {
        let [before, after] = [&of.before, &of.after].map(|value| known(value.as_ref()).to_owned());
        Row::words([of.name.clone(), before, after, away(of)])
    };
    let caption = Caption::Page("What is known to have changed".to_owned());
    Table::new(caption, columns, change.facts.iter().map(row).collect()).look(Look::Prose)
}

fn changed_table(trend: &Trend, change: &TrendChange) -> Table {
    let columns = vec![
        Column::words("series", "Series", Keep::Always),
        Column::words("unit", "Unit", Keep::Drop(4)),
        Column::figures("level before", "Before", Keep::Drop(2)),
        Column::figures("level after", "After", Keep::Drop(3)),
        Column::figures("change", "Change\n[%]", Keep::Always),
        Column::figures("from", "from\n[%]", Keep::Always),
        Column::figures("to", "to\n[%]", Keep::Always),
        Column::words("direction", "Is", Keep::Always),
        Column::figures("p value", "p", Keep::Drop(1)),
    ];
    let pct = |ratio: f64| Cell::words(percent(ratio));
    let row = |(series, of): (&TrendSeries, &SeriesChange)| {
        let level = |of: Option<&crate::trend::SeriesLevel>| Cell::known(of.map(|level| level.mean), Form::Thousands);
        let at = series.changes.iter().position(|change| change == of).unwrap_or_default();
        let tone = if of.is_worse { Tone::Worse } else { Tone::Better };
        Row::Cells(vec![
            Cell::words(&series.name),
            Cell::words(&series.unit),
            level(series.levels.get(at)),
            level(series.levels.get(at + 1)),
            pct(of.ratio).tone(tone),
            pct(of.low),
            pct(of.high),
            Cell::words(direction(of)),
            Cell::words(if of.p_value < 0.001 { "<0.001".to_owned() } else { format!("{:.3}", of.p_value) }),
        ])
    };
    let rows = of_change(trend, change).into_iter().map(row).collect();
    Table::new(Caption::Page("Figures that changed, with their 95 % intervals".to_owned()), columns, rows)
}

/// A chart of each series that changed: its figures, and its levels.
fn charts(trend: &Trend) -> Section {
    let changed: Vec<&TrendSeries> = trend.series.iter().filter(|series| !series.changes.is_empty()).collect();
    let drawn: Vec<LineChart> = changed.iter().take(MOST_CHARTS).filter_map(|series| chart(trend, series)).collect();
    if drawn.is_empty() {
        return Section::default();
    }
    let left_out = changed.len().saturating_sub(MOST_CHARTS);
    let about = if left_out > 0 { format!(" {left_out} further series have no chart") } else { String::new() };
    Section::new("charts", "Charts").titled("", about).with([Block::Charts(drawn)])
}

fn chart(trend: &Trend, series: &TrendSeries) -> Option<LineChart> {
    let x = |step: usize| step as f64 + 1.0;
    let mark = |step: usize, value: f64| {
        let (name, day) = trend.steps.get(step).map_or_else(Default::default, |of| {
            let run = of.runs.first().and_then(|run| trend.runs.get(*run));
            (step_name(trend, of), run.map(|run| run.started_at.strftime("%Y-%m-%d").to_string()).unwrap_or_default())
        });
        Mark {
            x: x(step),
            y: value,
            band: None,
            doubtful: false,
            text: format!("{name}, {day}: {}", shown(value, &series.unit)),
        }
    };
    let is_outlier = |step: usize| series.outliers.iter().any(|outlier| outlier.step == step);
    let figures = series.figures.iter().map(|of| Mark { doubtful: is_outlier(of.step), ..mark(of.step, of.value) });
    let edge =
        |step: usize, value: f64| Mark { x: x(step), y: value, band: None, doubtful: false, text: String::new() };
    let levels = series.levels.iter().flat_map(|level| [edge(level.from, level.mean), edge(level.to, level.mean)]);
    let changes = series.levels.iter().skip(1).map(|level| {
        let mut mark = mark(level.from, level.mean);
        mark.text = format!("change: {}", mark.text);
        mark
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
    let columns = vec![
        Column::words("series", "Series", Keep::Always),
        Column::words("step", "Step", Keep::Always),
        Column::figures("off its level", "Off its\nlevel [%]", Keep::Always),
        Column::words("since", "Since", Keep::Always),
    ];
    let all = trend.series.iter().flat_map(|series| series.outliers.iter().map(move |outlier| (series, outlier)));
    let all: Vec<_> = all.collect();
    let rows = all.iter().take(MOST_OUTLIERS).map(|(series, outlier)| {
        let step = trend.steps.get(outlier.step).map_or_else(String::new, |step| step_name(trend, step));
        let is_first = series.levels.first().is_some_and(|level| outlier.step < level.from);
        let since = match outlier.has_returned {
            true => "back at it",
            false if is_first => "the first: not known before",
            false => "the newest: not known yet",
        };
        Row::words([series.name.clone(), step, percent(outlier.ratio), since.to_owned()])
    });
    let caption = "Single steps off their level, which are no changes";
    let table = Table::new(Caption::Page(caption.to_owned()), columns, rows.collect());
    let more = all.len().saturating_sub(MOST_OUTLIERS);
    let more = (more > 0).then(|| Note::plain(format!("{more} more are in the JSON document (--json).")).into());
    Section::new("outliers", "Outliers")
        .titled("Outliers: single steps, and no changes", "")
        .with([table.into()])
        .with(more)
}

/// Every series in a line.
fn series(trend: &Trend) -> Section {
    let columns = vec![
        Column::words("series", "Series", Keep::Always),
        Column::words("unit", "Unit", Keep::Drop(3)),
        Column::figures("steps", "Steps", Keep::Drop(2)),
        Column::figures("newest level", "Newest\nlevel", Keep::Always),
        Column::figures("spread between steps", "Spread\n[%]", Keep::Always),
        Column::figures("changes", "Changes", Keep::Always),
        Column::words("remark", "Remark", Keep::Drop(1)).optional(),
    ];
    let row = |series: &TrendSeries| {
        let newest = series.levels.last();
        let steps: std::collections::BTreeSet<usize> = series.figures.iter().map(|figure| figure.step).collect();
        Row::Cells(vec![
            Cell::words(&series.name),
            Cell::words(&series.unit),
            Cell::count(steps.len() as u64),
            Cell::known(newest.map(|level| level.mean), Form::Thousands),
            Cell::known(newest.map(|level| level.spread_pct), Form::Decimals(1)),
            Cell::known(newest.map(|_| series.changes.len() as f64), Form::Count),
            Cell::words(series.not_judged.clone().unwrap_or_default()),
        ])
    };
    let rows = trend.series.iter().map(row).collect();
    let table = Table::new(Caption::Page("All series".to_owned()), columns, rows);
    Section::new("series", "Series").titled("Every series", "").with([table.into()])
}

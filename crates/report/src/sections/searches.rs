//! What the searches of a run found: how many users saturate the platform, and the highest rate within limits.

use super::words::{self, alone, note};
use crate::document::{Block, Cell, Form, Note, Row, Section};
use crate::legend::part;
use crate::numbers::{count, thousands};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{RunJson, SearchFinding, SearchKind, SearchOutcome, SearchPoint, SearchVerdict};

/// A section for each kind of search; without blocks where the run has none.
pub(crate) fn sections(run: &RunJson, catalogue: &Catalogue) -> [Section; 2] {
    let of_kind = |kind| run.searches.iter().filter(move |search| search.kind == kind);
    // Its table alone says on a terminal, too, what it is about.
    let titled = |section: Section| {
        let name = section.name.clone();
        section.titled(name, "")
    };
    let mut saturation = titled(words::section("saturation"));
    for search in of_kind(SearchKind::Saturation) {
        saturation.push(of_search(search, run, catalogue));
    }
    if !saturation.blocks.is_empty() {
        saturation.push(note("saturation", "points"));
    }
    let mut limits = titled(words::section("limits"));
    for search in of_kind(SearchKind::Limits) {
        limits.push(of_search(search, run, catalogue));
    }
    if !limits.blocks.is_empty() {
        limits.push(note("limits", "points"));
    }
    [saturation, limits]
}

/// The report of it alone.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    match sections(run, catalogue) {
        [saturation, limits] if limits.blocks.is_empty() => vec![alone(saturation)],
        [saturation, limits] if saturation.blocks.is_empty() => vec![limits],
        both => both.into(),
    }
}

fn of_search(search: &SearchOutcome, run: &RunJson, catalogue: &Catalogue) -> Block {
    let code = search.subject.name();
    let mut blocks = vec![Note::led("Found     ", found(search, catalogue)).into()];
    if let Some(reason) = search.reason.as_ref().filter(|_| search.finding.is_some()) {
        blocks.push(Note::plain(format!("{reason}.")).into());
    }
    blocks.extend(trust(search));
    let max_per_s = search.finding.as_ref().and_then(|finding| finding.max_per_s);
    let rows = search.points.iter().map(|point| match search.kind {
        SearchKind::Saturation => of_users(point, max_per_s),
        SearchKind::Limits => of_rate(point),
    });
    let table = match search.kind {
        SearchKind::Saturation => words::table("saturation", "points", rows.collect()),
        SearchKind::Limits => words::table("limits", "points", rows.collect()),
    };
    blocks.push(table.into());
    let place = run.searches.iter().position(|other| std::ptr::eq(other, search)).unwrap_or(0);
    part(format!("s-{place}-{code}"), code, catalogue, blocks).into()
}

/// The finding in one sentence.
fn found(search: &SearchOutcome, catalogue: &Catalogue) -> String {
    let unit = catalogue.metric(&search.metric).map_or("1/s", |metric| metric.unit.as_str());
    let reached = |value: Option<f64>| match unit {
        "1/s" => format!("{}/s", thousands(value)),
        unit => format!("{} {unit}", thousands(value)),
    };
    let Some(finding) = &search.finding else {
        let why = search.reason.as_deref().unwrap_or("the search has not ended");
        return format!("nothing: {why}.");
    };
    let SearchFinding { value, low, high, confirmed, per_s, max_per_s, .. } = finding;
    let sure = if *confirmed { "confirmed by repeats" } else { "not confirmed by repeats" };
    match search.kind {
        SearchKind::Saturation => format!(
            "{} users saturate it (the knee lies between {} and {}; {sure}); they reach {} of at most {}.",
            whole(*value),
            whole(*low),
            whole(high.unwrap_or(*value)),
            reached(*per_s),
            reached(*max_per_s)
        ),
        SearchKind::Limits => {
            let limits: Vec<String> = search.limits.iter().map(ToString::to_string).collect();
            let above = match high {
                Some(high) => format!("{}/s breaks them", thousands(*high)),
                None => "no higher rate broke them".to_owned(),
            };
            format!(
                "{}/s is the highest rate that holds {} with {} users ({above}; {sure}).",
                thousands(*value),
                limits.join(" and "),
                count(search.users.unwrap_or(1).into())
            )
        }
    }
}

fn whole(value: f64) -> String {
    count(value.max(0.0).round() as u64)
}

/// What limits the trust in a finding: the flags of the points at both of its ends.
fn trust(search: &SearchOutcome) -> Option<Block> {
    let flags = &search.finding.as_ref()?.flags;
    let flags: Vec<String> = flags.iter().map(|flag| format!("{} ({})", flag.name(), flag.advice())).collect();
    (!flags.is_empty())
        .then(|| Note::led("Trust     ", format!("points that decide have flags: {}.", flags.join("; "))).into())
}

fn of_users(point: &SearchPoint, max_per_s: Option<f64>) -> Row {
    let share_pct = point.per_s.zip(max_per_s).map(|(per_s, max_per_s)| per_s / max_per_s * 100.0);
    let share = share_pct.map_or_else(|| Cell::words(""), |pct| Cell::figure(pct, Form::Percent));
    Row::Cells(vec![
        Cell::count(point.place as u64 + 1),
        Cell::count(point.users),
        Cell::figure(point.per_s, Form::Thousands),
        share,
        Cell::figure(point.window_s, Form::Short),
        Cell::words(point.why.clone().unwrap_or_default()),
    ])
}

fn of_rate(point: &SearchPoint) -> Row {
    let verdict = match point.verdict {
        SearchVerdict::Holds => "hold",
        SearchVerdict::Breaks => "broken",
        SearchVerdict::TooFew => "too few to judge",
        SearchVerdict::Measured => "closed loop",
        SearchVerdict::NoFigure => "no figure",
    };
    Row::Cells(vec![
        Cell::count(point.place as u64 + 1),
        Cell::figure(point.asked_per_s, Form::Thousands),
        Cell::figure(point.per_s, Form::Thousands),
        Cell::figure(point.window_s, Form::Short),
        Cell::words(verdict),
        Cell::words(point.why.clone().unwrap_or_default()),
    ])
}

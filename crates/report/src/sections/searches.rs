//! What the searches of a run found: how many users saturate the platform, and the highest rate within limits.

use super::words::{self, alone, note};
use crate::document::{Block, Cell, Form, Note, Row, Section};
use crate::groups::joined;
use crate::legend::part;
use crate::numbers::{count, thousands};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{RunJson, SearchFinding, SearchKind, SearchOutcome, SearchPoint, SearchVerdict};

/// A section for each kind of search; without blocks where the run has none.
pub(crate) fn sections(run: &RunJson, catalogue: &Catalogue) -> [Section; 2] {
    [SearchKind::Saturation, SearchKind::Limits].map(|kind| {
        let of_kind = run.searches.iter().enumerate().filter(|(_, search)| search.kind == kind);
        let id = id(kind);
        let mut section = words::section(id).with(of_kind.map(|(place, search)| of_search(place, search, catalogue)));
        if !section.blocks.is_empty() {
            section.push(note(id, "points"));
        }
        // Its table alone says on a terminal, too, what it is about.
        let name = section.name.clone();
        section.titled(name, "")
    })
}

/// The section of a kind of search.
fn id(kind: SearchKind) -> &'static str {
    match kind {
        SearchKind::Saturation => "saturation",
        SearchKind::Limits => "limits",
    }
}

/// The report of it alone.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    match sections(run, catalogue) {
        [saturation, limits] if limits.blocks.is_empty() => vec![alone(saturation)],
        [saturation, limits] if saturation.blocks.is_empty() => vec![limits],
        both => both.into(),
    }
}

fn of_search(place: usize, search: &SearchOutcome, catalogue: &Catalogue) -> Block {
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
    blocks.push(words::table(id(search.kind), "points", rows.collect()).into());
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
    let flags = joined(flags.iter().map(|flag| format!("{} ({})", flag.name(), flag.advice())), "; ");
    (!flags.is_empty()).then(|| Note::led("Trust     ", format!("points that decide have flags: {flags}.")).into())
}

fn of_users(point: &SearchPoint, max_per_s: Option<f64>) -> Row {
    let share_pct = point.per_s.zip(max_per_s).map(|(per_s, max_per_s)| per_s / max_per_s * 100.0);
    Row::Cells(vec![
        Cell::count(point.place as u64 + 1),
        Cell::count(point.users),
        Cell::figure(point.per_s, Form::Thousands),
        Cell::known(share_pct, Form::Percent),
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

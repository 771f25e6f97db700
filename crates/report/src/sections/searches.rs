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
    [(SearchKind::Saturation, "saturation"), (SearchKind::Limits, "limits")].map(|(kind, id)| {
        let of_kind = run.searches.iter().enumerate().filter(|(_, search)| search.kind == kind);
        let section = words::section(id).with(of_kind.map(|(place, search)| of_search(id, place, search, catalogue)));
        let note = (!section.blocks.is_empty()).then(|| note(id, "points").into());
        section.with(note)
    })
}

/// The report of it alone.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    let [saturation, limits] = sections(run, catalogue);
    if limits.blocks.is_empty() { vec![alone(saturation)] } else { vec![saturation, limits] }
}

fn of_search(id: &str, place: usize, search: &SearchOutcome, catalogue: &Catalogue) -> Block {
    let code = search.subject.name();
    let mut blocks: Vec<Block> = vec![Note::led("Found     ", found(search, catalogue)).into()];
    let reason = search.reason.as_ref().filter(|_| search.finding.is_some());
    blocks.extend(reason.map(|reason| Note::plain(format!("{reason}.")).into()));
    // The flags of the points at both ends of what was found limit the trust in it.
    let flags = search.finding.iter().flat_map(|finding| &finding.flags);
    let flags = joined(flags.map(|flag| format!("{} ({})", flag.name(), flag.advice())), "; ");
    let trust = || Note::led("Trust     ", format!("points that decide have flags: {flags}."));
    blocks.extend((!flags.is_empty()).then(|| trust().into()));
    let rows = search.points.iter().map(|point| row(search, point)).collect();
    blocks.push(words::table(id, "points", rows).into());
    part(format!("s-{place}-{code}"), code, catalogue, blocks).into()
}

/// The finding in one sentence.
fn found(search: &SearchOutcome, catalogue: &Catalogue) -> String {
    let Some(finding) = &search.finding else {
        let why = search.reason.as_deref().unwrap_or("the search has not ended");
        return format!("nothing: {why}.");
    };
    let SearchFinding { value, low, high, confirmed, per_s, max_per_s, .. } = finding;
    let sure = if *confirmed { "confirmed by repeats" } else { "not confirmed by repeats" };
    match search.kind {
        SearchKind::Saturation => {
            let unit = catalogue.metric(&search.metric).map_or("1/s", |metric| metric.unit.as_str());
            let unit = if unit == "1/s" { "/s".to_owned() } else { format!(" {unit}") };
            let whole = |users: f64| count(users.max(0.0).round() as u64);
            let [users, low, high] = [*value, *low, high.unwrap_or(*value)].map(whole);
            let [reached, most] = [per_s, max_per_s].map(|rate| thousands(*rate) + &unit);
            let knee = format!("the knee lies between {low} and {high}; {sure}");
            format!("{users} users saturate it ({knee}); they reach {reached} of at most {most}.")
        }
        SearchKind::Limits => {
            let limits = joined(search.limits.iter().map(ToString::to_string), " and ");
            let above = high.map(|high| format!("{}/s breaks them", thousands(high)));
            let above = above.unwrap_or_else(|| "no higher rate broke them".to_owned());
            let (rate, users) = (thousands(*value), count(search.users.unwrap_or(1).into()));
            format!("{rate}/s is the highest rate that holds {limits} with {users} users ({above}; {sure}).")
        }
    }
}

/// A point in the table of its search.
fn row(search: &SearchOutcome, point: &SearchPoint) -> Row {
    let number = Cell::count(point.place as u64 + 1);
    let reached = Cell::figure(point.per_s, Form::Thousands);
    let window = Cell::figure(point.window_s, Form::Short);
    let why = Cell::words(point.why.clone().unwrap_or_default());
    Row::Cells(match search.kind {
        SearchKind::Saturation => {
            let max_per_s = search.finding.as_ref().and_then(|finding| finding.max_per_s);
            let share_pct = point.per_s.zip(max_per_s).map(|(per_s, max_per_s)| per_s / max_per_s * 100.0);
            vec![number, Cell::count(point.users), reached, Cell::known(share_pct, Form::Percent), window, why]
        }
        SearchKind::Limits => {
            let verdict = match point.verdict {
                SearchVerdict::Holds => "hold",
                SearchVerdict::Breaks => "broken",
                SearchVerdict::TooFew => "too few to judge",
                SearchVerdict::Measured => "closed loop",
                SearchVerdict::NoFigure => "no figure",
            };
            let asked = Cell::figure(point.asked_per_s, Form::Thousands);
            vec![number, asked, reached, window, Cell::words(verdict), why]
        }
    })
}

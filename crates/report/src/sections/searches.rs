//! What the searches of a run found: how many users saturate the platform, and the highest rate within limits.

use super::measured::metric_words;
use crate::sections::prelude::*;
use dbdyno_model::{SearchFinding, SearchKind, SearchOutcome, SearchPoint, SearchVerdict};

/// The section of a run; without blocks where it searched for nothing.
pub(crate) fn section(run: &RunJson, catalogue: &Catalogue) -> Section {
    let searches = run.searches.iter().enumerate();
    let mut section =
        words::section("searches").with(searches.map(|(place, search)| of_search(place, search, catalogue)));
    let has = |kind: SearchKind| run.searches.iter().any(|search| search.kind == kind);
    section.push_notes([
        (has(SearchKind::Saturation), text("searches", "saturation")),
        (has(SearchKind::Limits), text("searches", "limits")),
    ]);
    section
}

/// The report of it alone.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    vec![alone(section(run, catalogue))]
}

fn of_search(place: usize, search: &SearchOutcome, catalogue: &Catalogue) -> Block {
    let code = search.subject.name();
    let sought = if search.kind == SearchKind::Saturation { "Saturation  " } else { "Limits      " };
    let mut blocks: Vec<Block> = vec![Note::led(sought, found(search, catalogue)).into()];
    // The flags of the points at both ends of what was found limit the trust in it.
    let flags = search.finding.iter().flat_map(|finding| &finding.flags);
    let flags = joined(flags.map(|flag| format!("{} ({})", flag.name(), flag.advice())), "; ");
    let trust = || Note::led("Trust       ", format!("points that decide have flags: {flags}."));
    blocks.extend((!flags.is_empty()).then(|| trust().into()));
    let rows = search.points.iter().map(|point| row(search, point)).collect();
    blocks.push(words::table("searches", "points", rows).into());
    part(format!("s-{place}-{code}"), code, catalogue, blocks).into()
}

/// The finding, and what limits it.
fn found(search: &SearchOutcome, catalogue: &Catalogue) -> String {
    let Some(finding) = &search.finding else {
        let why = search.reason.as_deref().unwrap_or("the search has not ended");
        return format!("nothing: {why}.");
    };
    let reason = search.reason.as_ref().map_or_else(String::new, |reason| format!(" {reason}."));
    let SearchFinding { value, low, high, confirmed, per_s, max_per_s, .. } = finding;
    let sure = if *confirmed { "confirmed by repeats" } else { "not confirmed by repeats" };
    match search.kind {
        SearchKind::Saturation => {
            let (_, unit) = metric_words(&search.metric, catalogue);
            let whole = |users: f64| count(users.max(0.0).round() as u64);
            let [users, low, high] = [*value, *low, high.unwrap_or(*value)].map(whole);
            let [reached, most] = [per_s, max_per_s].map(|rate| format!("{} {unit}", thousands(*rate)));
            let knee = format!("the knee lies between {low} and {high}; {sure}");
            format!("{users} users saturate it ({knee}); they reach {reached} of at most {most}.{reason}")
        }
        SearchKind::Limits => {
            let limits = joined(search.limits.iter().map(ToString::to_string), " and ");
            let above = high.map(|high| format!("{}/s breaks them", thousands(high)));
            let above = above.unwrap_or_else(|| "no higher rate broke them".to_owned());
            let (rate, users) = (thousands(*value), count(search.users.unwrap_or(1).into()));
            format!("{rate}/s is the highest rate that holds {limits} with {users} users ({above}; {sure}).{reason}")
        }
    }
}

/// A point in the table of its search.
fn row(search: &SearchOutcome, point: &SearchPoint) -> Row {
    let max_per_s = search.finding.as_ref().and_then(|finding| finding.max_per_s);
    let share_pct = point.per_s.zip(max_per_s).map(|(per_s, max_per_s)| per_s / max_per_s * 100.0);
    let verdict: &str = match point.verdict {
        // Its figure says so.
        SearchVerdict::Measured => "",
        judged => judged.into(),
    };
    Row::Cells(vec![
        Cell::count(point.place as u64 + 1),
        Cell::count(point.users),
        Cell::known(point.asked_per_s, Form::Thousands),
        Cell::figure(point.per_s, Form::Thousands),
        Cell::known(share_pct, Form::Percent),
        Cell::figure(point.window_s, Form::Short),
        Cell::words(verdict.replace('_', " ")),
        Cell::words(point.why.clone().unwrap_or_default()),
    ])
}

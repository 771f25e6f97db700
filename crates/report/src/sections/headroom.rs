//! Headroom: the answer, every layer with its share and its multiple, what the processors' figure rests on, the scaling
//! law, and what may not be compared.

use crate::groups::capital;
use crate::headroom::{
    Headroom, HeadroomBound, HeadroomCurve, HeadroomLayer, HeadroomOutcome, KnownHeadroom, LayerStanding, ProductionUse,
};
use crate::numbers::factor;
use crate::sections::measured::shown;
use crate::sections::prelude::*;
use crate::watched::{minute, second};

/// The report on headroom.
#[must_use]
pub fn headroom_document(headroom: &Headroom) -> Document {
    let sections = vec![answer(headroom), layers(headroom), processors(headroom), law(headroom), unlike(headroom)];
    let title = format!("Headroom of {} on {}", headroom.profile, headroom.run_name);
    Document::new("dbdyno headroom", title, head(headroom), sections)
}

fn head(headroom: &Headroom) -> Vec<(&'static str, String)> {
    let [from, to] = headroom.watched;
    let (name, id) = (&headroom.run_name, headroom.run.as_str());
    let run = if name == id { id.to_owned() } else { format!("{name} ({id})") };
    vec![
        ("Profile", format!("{}: {}", headroom.profile, headroom.production)),
        ("", format!("watched from {} to {} UTC", second(from), second(to))),
        ("Run", format!("{run}: {}", headroom.measured)),
        ("Platform", headroom.platforms_words.clone()),
    ]
}

fn answer(headroom: &Headroom) -> Section {
    // What is unknown is never good news, so only a whole answer has a sign of its own.
    let kind = match headroom.outcome {
        HeadroomOutcome::Carries => NoteKind::Met,
        HeadroomOutcome::DoesNotCarry => NoteKind::NotMet,
        HeadroomOutcome::CarriesAsFarAsKnown | HeadroomOutcome::NotKnown => NoteKind::Plain,
    };
    let kinds = std::iter::once(kind).chain(std::iter::repeat(NoteKind::Plain));
    let notes = headroom.answer.iter().zip(kinds).map(|(text, kind)| Note { kind, ..Note::plain(text) }.into());
    words::section("answer").with(notes)
}

/// A row for each layer; a layer that is unknown has its reason.
fn layers(headroom: &Headroom) -> Section {
    let rows = headroom.layers.iter().filter(|layer| !layer.is_unknown()).map(row);
    let table = words::table("headroom", "layers", rows.collect());
    let rests = headroom.layers.iter().filter_map(|layer| {
        let basis = layer.known().map(|known| &known.basis);
        let said = joined(basis.into_iter().chain(&layer.remarks), "; ");
        let lead = format!("{}: ", capital(layer.layer.words()));
        (!said.is_empty()).then(|| Note::led(lead, said).into())
    });
    let rests = Part { title: "What they rest on".to_owned(), blocks: rests.collect(), ..Part::default() };
    let blocks = [table.into(), unknown(headroom).into(), rests.into()];
    Section::new("layers", "Layers").titled("Layer by layer", "").with(blocks)
}

fn row(layer: &HeadroomLayer) -> Row {
    let form = if layer.unit == "%" { Form::Short } else { Form::Thousands };
    let production = |value: fn(ProductionUse) -> f64| Cell::known(layer.production.map(value), form);
    let known = layer.known();
    let cells = [
        production(|used| used.peak_minute).because(layer.production.map(|used| minute(used.peak_minute_at))),
        production(|used| used.highest_second).because(layer.production.map(|used| second(used.highest_second_at))),
        Cell::known(layer.shown.as_ref().map(|shown| shown.value), form),
        Cell::known(known.map(|known| known.share_pct), Form::Short),
        Cell::known(known.and_then(|known| known.highest_second_share_pct), Form::Short),
        known.map_or_else(|| Cell::words("not used"), multiple),
    ];
    Row::led([capital(layer.layer.words()).as_str(), layer.unit], cells)
}

fn multiple(known: &KnownHeadroom) -> Cell {
    let tone = match known.bound {
        _ if known.multiple < 1.0 => Tone::Worse,
        HeadroomBound::About => Tone::Plain,
        HeadroomBound::AtLeast => Tone::Unknown,
    };
    let range = known.range.map(|[low, high]| format!(" ({} to {})", factor(low), factor(high))).unwrap_or_default();
    Cell::words(format!("{} {}{range}", known.bound.words(), factor(known.multiple))).tone(tone)
}

/// What is unknown, and why: never free.
fn unknown(headroom: &Headroom) -> Table {
    let row = |layer: &HeadroomLayer| {
        let LayerStanding::Unknown { why } = &layer.standing else { return None };
        let production = layer.production.map(|used| shown(used.peak_minute, layer.unit)).unwrap_or_default();
        let most = layer.shown.as_ref().map(|most| shown(most.value, layer.unit)).unwrap_or_default();
        Some(Row::words([capital(layer.layer.words()), production, most, why.clone()]))
    };
    words::table("headroom", "unknown", headroom.layers.iter().filter_map(row).collect()).look(Look::Prose)
}

/// The curve of the processors, and the CPU tests that compare platforms.
fn processors(headroom: &Headroom) -> Section {
    let mut section = words::section("processors");
    if let Some(of) = &headroom.factor {
        let [mean, low, high] = [of.factor, of.range[0], of.range[1]].map(factor);
        section.push(Note::plain(format!(
            "The run's platform does {mean} times the CPU tests of production's own (run {}), {low} to {high}.",
            of.own
        )));
        let rows = of.tests.iter().map(|test| Row::led([&test.test], [Cell::figure(test.factor, Form::Factor)]));
        section.push(words::table("headroom", "tests", rows.collect()));
    }
    if let Some(curve) = &headroom.curve {
        section.push(chart(headroom, curve).into_iter().collect::<Vec<_>>());
        section.push(steps(curve));
        section.push(note("headroom", "curve"));
    }
    section
}

fn steps(curve: &HeadroomCurve) -> Table {
    let best = curve.points.last().map_or(1.0, |point| point.ops_per_s);
    let rows = curve.points.iter().map(|point| {
        let [busy, share] = [point.busy_pct, point.ops_per_s / best * 100.0].map(|pct| Cell::figure(pct, Form::Short));
        Row::Cells(vec![busy, Cell::figure(point.ops_per_s, Form::Thousands), share])
    });
    let caption = format!("The curve of the processors: {}", curve.ramp);
    captioned("headroom", "curve", caption, rows.collect())
}

/// The curve, and where production is on it.
fn chart(headroom: &Headroom, curve: &HeadroomCurve) -> Option<LineChart> {
    let best = curve.points.last()?.ops_per_s;
    let mark = |x: f64, share: f64, text: String| Mark { x, y: share, band: None, doubtful: false, text };
    let marks = curve.points.iter().map(|point| {
        let text = format!("{} busy: {}", percent(point.busy_pct), shown(point.ops_per_s, "1/s"));
        mark(point.busy_pct, point.ops_per_s / best * 100.0, text)
    });
    let mut series = vec![ChartSeries::new(&curve.subject, 0, marks.collect())];
    let known = headroom.layers.first().and_then(HeadroomLayer::known);
    if let Some(known) = known.filter(|_| headroom.factor.is_none() && curve.is_saturated) {
        let (busy, share) = (curve.production_busy_pct, known.share_pct);
        let text = format!("production, {} busy: {}", percent(busy), percent(share));
        series.push(ChartSeries::new("production", 1, vec![mark(busy, share, text)]));
    }
    let (unit, along) = ("% of the best rate", "percent of the processors busy");
    LineChart::of(&curve.ramp, unit, along, [Axis::percent, Axis::percent], series)
}

fn law(headroom: &Headroom) -> Section {
    let note = headroom.law.as_ref().map(|law| Note::plain(format!("{}.", capital(&law.text))).into());
    words::section("law").with(note)
}

fn unlike(headroom: &Headroom) -> Section {
    words::section("not-compared").with([headroom.not_compared.clone().into()])
}

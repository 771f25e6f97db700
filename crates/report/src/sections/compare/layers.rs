//! By which factor the layers differ, in figures and as bars.

use super::sides::{self, baseline, letter, styles, without_ratio};
use crate::compare::{Comparison, LayerFactor, LayerFactors};
use crate::document::Bar;
use crate::numbers::factor;
use crate::sections::prelude::*;
use dbdyno_model::Layer;

/// The section; without blocks where no layer has a test that all sides share.
pub(super) fn section(comparison: &Comparison) -> Section {
    let about = format!(": throughput as a multiple of {}", baseline(comparison));
    let mut section = Section { about, ..words::section("layers") };
    if comparison.layers.is_empty() {
        return section;
    }
    let styles = styles(comparison);
    let groups = comparison.layers.iter().map(|layer| (layer_words(layer.layer).to_owned(), bars(layer, &styles)));
    section.push(Block::Bars(groups.collect()));
    section.push(table(comparison));
    let mut factors = comparison.layers.iter().flat_map(|layer| layer.sides.iter().flatten());
    let ends = if factors.all(|factor| factor.is_interval) { "interval" } else { "range" };
    let [mean, ends] = ["mean", ends].map(|name| text("layers", name));
    section.push(Note::plain(format!("{mean} {ends} {}.", extremes(comparison).join("; "))));
    section
}

/// What a layer is called.
pub(crate) fn layer_words(layer: Layer) -> &'static str {
    match layer {
        Layer::Cpu => "CPU",
        Layer::Server => "Server",
        Layer::Storage => "Storage",
        Layer::Database => "Database",
    }
}

/// A factor with its interval or range: `1.83 (1.20 to 2.70)`.
fn shown(of: &LayerFactor) -> String {
    match of.factors.len() {
        1 if !of.is_interval => factor(of.mean),
        _ => format!("{} ({} to {})", factor(of.mean), factor(of.low), factor(of.high)),
    }
}

fn bars(layer: &LayerFactors, styles: &[u8]) -> Vec<Bar> {
    let sides = layer.sides.iter().enumerate().filter_map(|(at, side)| Some((at, side.as_ref()?)));
    let bar = |(at, side): (usize, &LayerFactor)| Bar {
        name: letter(at).to_owned(),
        style: styles[at],
        factor: side.mean,
        text: format!("{} {}: {}", letter(at), layer_words(layer.layer), shown(side)),
    };
    sides.map(bar).collect()
}

fn table(comparison: &Comparison) -> Table {
    let row = |layer: &LayerFactors| {
        let tests = [Cell::count(layer.tests.len() as u64), Cell::words(layer.tests.join(" "))];
        let factors = layer.sides.iter().map(|side| Some(Cell::words(shown(side.as_ref()?)))).enumerate();
        let sides = factors.map(|(at, factor)| factor.unwrap_or_else(|| without_ratio(comparison, at)));
        Row::led([layer_words(layer.layer)], tests.into_iter().chain(sides))
    };
    sides::table(comparison, words::table("layers", "factors", comparison.layers.iter().map(row).collect()))
}

/// The biggest gain and the biggest loss of each side: `B: most T141 2.81, least T711 0.52`.
fn extremes(comparison: &Comparison) -> Vec<String> {
    let of_side = |side: usize| {
        let layers = comparison.layers.iter();
        let tests = layers.filter_map(|layer| Some(layer.tests.iter().zip(&layer.sides[side].as_ref()?.factors)));
        let mut all: Vec<(&String, &f64)> = tests.flatten().collect();
        all.sort_by(|a, b| a.1.total_cmp(b.1));
        let (least, most) = (all.first()?, all.last()?);
        let end = |word: &str, (test, value): &(&String, &f64)| format!("{word} {test} {}", factor(**value));
        Some(format!("{}: {}, {}", letter(side), end("most", most), end("least", least)))
    };
    (0..comparison.sides.len()).filter_map(of_side).collect()
}

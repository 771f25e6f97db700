//! A comparison as text. Sides have letters, so that twenty of them fit beside each other. The meaning of the letters
//! comes first, then what does not compare, then the differences, then the figures.

use super::side_marks::{BEST, LIMIT, UNUSED, WORST, head, letter, sources};
use super::{
    ComparedCell, ComparedRow, Comparison, Efficiency, KeyFigure, Per, Rank, Ratio, RatioVerdict, Regression, SideInfo,
    layers, notes,
};
use crate::groups::grouped;
use crate::layout::{Column, Keep, Row as Line, Sheet};
use crate::legend::{EQUIVALENT, SUSPECT};
use crate::numbers::{MISSING, printed, short, thousands};
use crate::text::{columns, hanging, push_line};
use dbdyno_model::UsableFor;

use Keep::{Always, Drop};

/// Tests whose efficiency is shown unless others are asked for: the key figures of each layer.
pub(crate) const KEY_TESTS: [&str; 12] =
    ["T141", "T331", "T311", "T421", "T611", "T616", "T626", "T711", "T716", "DBL-11", "DBX-12", "DBX-22"];

/// The whole comparison. `all` shows the efficiency of every test, not only of the key tests.
#[must_use]
pub fn page(comparison: &Comparison, all: bool, width: Option<u16>) -> String {
    let mut out = first_lines(comparison, width);
    out.push_str(&settings(comparison, width));
    if let Some((heading, sheet, below)) = layers::section(comparison, width) {
        out.push_str(&titled(&heading, &sheet, width));
        out.push_str(&below);
    }
    for (which, title) in [
        (KeyFigure::Speed, "Speed (1 node x 1 job x 1 thread)"),
        (KeyFigure::Throughput, "Throughput (best at any parallelism)"),
    ] {
        out.push_str(&figures(comparison, which, title, width));
    }
    out.push_str(&others(comparison, width));
    out.push_str(&notes::below_figures(comparison, width));
    out.push_str(&ratios(comparison, width));
    for efficiency in &comparison.efficiency {
        out.push_str(&divided(comparison, efficiency, all, width));
    }
    if !comparison.efficiency.is_empty() {
        out.push_str(&prices(comparison, all, width));
    }
    if let Some(regression) = &comparison.regression {
        out.push_str(&judgement(comparison, regression, width));
    }
    out
}

fn title(out: &mut String, text: &str, width: Option<u16>) {
    out.push('\n');
    push_line(out, text, width);
    push_line(out, &"-".repeat(columns(text)), width);
}

fn titled(text: &str, sheet: &Sheet, width: Option<u16>) -> String {
    let mut out = String::new();
    title(&mut out, text, width);
    out + &sheet.render(width)
}

fn first_lines(comparison: &Comparison, width: Option<u16>) -> String {
    let mut out = String::new();
    let widest = comparison.sides.iter().map(|s| columns(&s.name)).max().unwrap_or(0);
    for (at, side) in comparison.sides.iter().enumerate() {
        let base = if at == comparison.baseline { " (baseline)" } else { "" };
        let runs = if side.runs.len() > 1 { format!(", {} runs", side.runs.len()) } else { String::new() };
        let lead = format!("{}  {:widest$}  ", letter(at), side.name);
        out.push_str(&hanging(&lead, &format!("{}{runs}{base}", side.title), width));
    }
    for (source, letters) in sources(comparison) {
        out.push_str(&hanging(&format!("Source of {}: ", letters.join(", ")), source, width));
    }
    for notice in &comparison.notices {
        out.push_str(&hanging("Notice    ", notice, width));
    }
    if !comparison.warnings.is_empty() {
        title(&mut out, "NOT LIKE WITH LIKE", width);
        for warning in &comparison.warnings {
            out.push_str(&hanging("! ", &warning.text, width));
        }
    }
    out
}

fn settings(comparison: &Comparison, width: Option<u16>) -> String {
    let mut out = String::new();
    title(&mut out, "What differs", width);
    for setting in &comparison.settings {
        // Sides with the same value are listed together.
        let values = grouped(setting.values.iter().enumerate().map(|(at, value)| (value.as_deref(), letter(at))));
        let parts =
            values.iter().map(|(value, letters)| format!("{} {}", letters.concat(), value.unwrap_or("not known")));
        out.push_str(&hanging(&format!("{}: ", setting.name), &parts.collect::<Vec<_>>().join("; "), width));
    }
    if comparison.settings.is_empty() {
        push_line(&mut out, "Nothing that is recorded.", width);
    }
    out
}

/// The columns of the sides. On a narrow terminal the last ones are dropped first, the baseline never.
fn side_columns(comparison: &Comparison) -> impl Iterator<Item = Column> + '_ {
    (0..comparison.sides.len()).map(|at| {
        let last_first = u8::try_from(comparison.sides.len() - at).unwrap_or(u8::MAX).saturating_add(4);
        let keep = if at == comparison.baseline || at < 2 { Always } else { Drop(last_first) };
        Column::right(letter(at), head(at), keep)
    })
}

fn key_columns(title_there: bool) -> Vec<Column> {
    let title = if title_there { Column::left("title", &["Title"], Drop(1)) } else { Column::left("", &[], Drop(1)) };
    vec![Column::left("test", &["Test"], Always), title, Column::left("unit", &["Unit"], Drop(2))]
}

fn figures(comparison: &Comparison, which: KeyFigure, heading: &str, width: Option<u16>) -> String {
    let mut columns = key_columns(true);
    columns.extend(side_columns(comparison));
    let of_which = comparison.rows.iter().filter(|r| r.which == which);
    let line = |row: &ComparedRow| {
        let mut texts = vec![row.test.clone(), row.heading(), row.shown_unit.clone()];
        texts.extend(row.cells.iter().map(cell_text));
        Line::Figures(texts)
    };
    let sheet = Sheet { columns, rows: of_which.map(line).collect(), gap: 1 };
    if sheet.rows.is_empty() {
        return String::new();
    }
    titled(heading, &sheet, width)
}

/// A figure with its marks, in a fixed number of columns.
fn cell_text(cell: &ComparedCell) -> String {
    let rank = match cell.rank {
        Rank::Best => BEST,
        Rank::Worst => WORST,
        Rank::Between | Rank::None => ' ',
    };
    let doubt = match (&cell.suspect, cell.usable_for, &cell.equivalent) {
        (Some(_), UsableFor::LowerLimit, _) => LIMIT,
        (Some(_), UsableFor::Nothing | UsableFor::NotForComparison, _) => UNUSED,
        (Some(_), UsableFor::Value, _) => SUSPECT,
        (None, _, Some(_)) => EQUIVALENT,
        (None, _, None) => ' ',
    };
    // A blank that is not trimmed at the end of a line.
    format!("{}{rank}{doubt}", cell.text)
}

fn others(comparison: &Comparison, width: Option<u16>) -> String {
    let mut out = String::new();
    for other in &comparison.others {
        let mut columns = vec![Column::right("place", &[""], Always)];
        columns.extend(side_columns(comparison));
        let line = |row: &super::OtherSeriesRow| {
            let mut texts = vec![format!("{} {}", printed(row.at), other.by)];
            texts.extend(row.values.iter().zip(&row.suspects).map(|(value, suspect)| {
                let mark = if suspect.is_some() { SUSPECT } else { ' ' };
                format!("{}{mark}", printed(*value))
            }));
            Line::Figures(texts)
        };
        let sheet = Sheet { columns, rows: other.rows.iter().map(line).collect(), gap: 2 };
        out.push_str(&titled(&format!("{}: {}", other.test, other.key), &sheet, width));
    }
    out
}

fn ratios(comparison: &Comparison, width: Option<u16>) -> String {
    if comparison.ratios().next().is_none() {
        return String::new();
    }
    let mut columns = key_columns(false);
    columns[2] = Column::left("figure", &["Of"], Always);
    columns.extend(side_columns(comparison));
    let base = comparison.baseline;
    let line = |row: &ComparedRow| {
        let which = if row.which == KeyFigure::Speed { "speed" } else { "throughput" };
        let mut texts = vec![row.test.clone(), String::new(), which.to_owned()];
        texts.extend(row.cells.iter().enumerate().map(|(at, cell)| match &cell.ratio {
            _ if at == base => "1".to_owned(),
            Some(ratio) => ratio_text(ratio),
            None => MISSING.to_owned(),
        }));
        Line::Figures(texts)
    };
    let rows = comparison.rows.iter().filter(|row| row.cells.iter().any(|c| c.ratio.is_some())).map(line).collect();
    let heading = format!("Ratio to {} ({})", letter(base), comparison.sides[base].name);
    let mut out = titled(&heading, &Sheet { columns, rows, gap: 2 }, width);
    out.push('\n');
    for why in comparison.unknown_spreads() {
        let text = format!("{why}. Where that is so no ratio is a difference that was shown: --label names a sample.");
        out.push_str(&hanging("", &text, width));
    }
    if comparison.ratios().any(|r| r.low.is_some()) {
        let text = "In parentheses the 95 % interval over runs; = no difference shown, as it holds 1. Of 20 rows without any \
                    difference one is called different.";
        out.push_str(&hanging("", text, width));
    }
    let text =
        "n/a: a figure that is doubted, a limit or not of the same kind is not divided (--json says which and why).";
    if comparison.ratios().any(|r| r.value.is_none()) {
        out.push_str(&hanging("", text, width));
    }
    out
}

/// A ratio with its interval and conclusion.
pub(crate) fn ratio_text(ratio: &Ratio) -> String {
    let Some(value) = ratio.value else { return "n/a".to_owned() };
    let word = match ratio.verdict {
        RatioVerdict::Better => " better",
        RatioVerdict::Worse => " worse",
        RatioVerdict::NoDifferenceShown => " =",
        RatioVerdict::SpreadUnknown | RatioVerdict::NoRatio => "",
    };
    let digits = |v: f64| if v < 10.0 { format!("{v:.3}") } else { thousands(v) };
    match ratio.low.zip(ratio.high) {
        Some((low, high)) => format!("{} ({}..{}){word}", digits(value), digits(low), digits(high)),
        None => format!("{}{word}", digits(value)),
    }
}

fn divided(comparison: &Comparison, efficiency: &Efficiency, all: bool, width: Option<u16>) -> String {
    let mut columns = key_columns(false);
    columns.extend(side_columns(comparison));
    let shown = efficiency.rows.iter().filter(|r| all || KEY_TESTS.contains(&r.test.as_str()));
    let line = |row: &super::EfficiencyRow| {
        let mut texts = vec![row.test.clone(), String::new(), row.unit.clone()];
        texts.extend(row.values.iter().map(|value| {
            // Equal figures are all the best.
            let best = row.best.and_then(|best| row.values[best]);
            let mark = if value.is_some() && *value == best { BEST } else { ' ' };
            format!("{}{mark}", thousands(*value))
        }));
        Line::Figures(texts)
    };
    let mut rows: Vec<Line> = shown.map(line).collect();
    if rows.is_empty() {
        return String::new();
    }
    let what = match efficiency.per {
        Per::Core => "core",
        Per::Thread => "hardware thread",
        Per::Licence => "licence (cores x core factor)",
        Per::ThousandUsd => "1,000 US dollars of all prices",
    };
    let mut texts = vec!["of".to_owned(), String::new(), String::new()];
    texts.extend(
        efficiency.divisors.iter().map(|n| n.map_or_else(|| MISSING.to_owned(), |n| format!("{} ", printed(n)))),
    );
    rows.insert(0, Line::Figures(texts));
    titled(&format!("Throughput per {what}"), &Sheet { columns, rows, gap: 1 }, width)
}

/// What the prices cover, and that there are more rows.
fn prices(comparison: &Comparison, all: bool, width: Option<u16>) -> String {
    let mut out = String::from("\n");
    let term = |(at, side): (usize, &SideInfo)| {
        let usd = side.price_usd?;
        let terms = side.price_terms.as_ref().map_or_else(String::new, |t| format!(" ({t})"));
        Some(format!("{} costs {} US dollars{terms}", letter(at), printed(usd)))
    };
    for text in comparison.sides.iter().enumerate().filter_map(term) {
        out.push_str(&hanging("", &text, width));
    }
    if comparison.sides.iter().all(|s| s.price_usd.is_none()) {
        let text = "No prices: a platform file gives them (list_price_..._usd, see the catalogue's platforms).";
        out.push_str(&hanging("", text, width));
    }
    for (at, side) in comparison.sides.iter().enumerate() {
        if let Some(may_use) = &side.may_use {
            out.push_str(&hanging("", &format!("{} could use {may_use}: these divide.", letter(at)), width));
        }
    }
    let more = comparison.efficiency.iter().flat_map(|e| &e.rows).any(|r| !KEY_TESTS.contains(&r.test.as_str()));
    if more && !all {
        out.push_str(&hanging("", "Tests that are not named here: --test '*' or --json.", width));
    }
    out
}

fn judgement(comparison: &Comparison, regression: &Regression, width: Option<u16>) -> String {
    let mut out = String::new();
    let limit = short(regression.limit_pct);
    title(&mut out, &format!("Regression limit: {limit} % worse than {}", letter(comparison.baseline)), width);
    for broken in &regression.broken {
        let which = if broken.which == KeyFigure::Speed { "speed" } else { "throughput" };
        let text = format!(
            "{} {which} of {} is {:.3} of the baseline, corrected interval {:.3}..{:.3}, wholly beyond the limit",
            broken.test, comparison.sides[broken.side].name, broken.ratio, broken.low, broken.high
        );
        out.push_str(&hanging("- ", &text, width));
    }
    let (judged, broken) = (regression.judged, regression.broken.len());
    let text = format!("{broken} of {judged} rows broke the limit; judged together by Holm's correction.");
    out.push_str(&hanging("", &text, width));
    if regression.not_judged > 0 {
        let text = format!(
            "{} rows could not be judged: run-to-run spread unknown (it takes 3 runs of a label on each side) or the figures do not \
             compare.",
            regression.not_judged
        );
        out.push_str(&hanging("", &text, width));
    }
    out
}

//! An acceptance: the answer, the results of all variants side by side, what is behind them, the curves, what crashes
//! lost, what a variant costs in pairs, and where all of it is kept.

mod curves;

use crate::acceptance::{
    Acceptance, AcceptanceOutcome, AcceptanceResult, AcceptedRequirement, AcceptedStep, Left, ratio_words,
};
use crate::compare::{PairedRow, RatioVerdict};
use crate::sections::prelude::*;
use dbdyno_model::DurabilityJson;

impl Acceptance {
    /// How it came out: `met, all 3 requirements`, `not met, 2 of 3 requirements: 1 missed, 1 undecided`.
    #[must_use]
    pub fn summary(&self) -> String {
        use AcceptanceOutcome::{Met, Missed, NotMeasured, Refused, Undecided};
        let all = self.requirements.len();
        let unmet = all - self.count(Met);
        let lost = if self.lost_something { "; a crash lost what was acknowledged" } else { "" };
        if unmet == 0 {
            let all = if all == 1 { "the only requirement".to_owned() } else { format!("all {all} requirements") };
            return format!("met, {all}{lost}");
        }
        let kinds = [Missed, Undecided, Refused, NotMeasured].map(|kind| (self.count(kind), kind));
        let kinds = kinds.into_iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {}", kind.words()));
        format!("not met, {unmet} of {}: {}{lost}", counted(all as u64, "requirement"), joined(kinds, ", "))
    }

    /// The report.
    #[must_use]
    pub fn document(&self, catalogue: &Catalogue) -> Document {
        let sections = vec![results(self), curves::section(self, catalogue), crashes(self), pairs(self), steps(self)];
        Document::new("dbdyno acceptance", self.title.clone(), head(self), sections)
    }
}

fn head(acceptance: &Acceptance) -> Vec<(&'static str, String)> {
    let variants = acceptance.variants.iter().map(|variant| {
        let target = variant.target.as_ref().map(|target| format!(" ({target})")).unwrap_or_default();
        let role = match variant.role {
            "baseline" => "Baseline",
            "candidate" => "Candidate",
            _ => "Beside",
        };
        (role, format!("{}{target}", variant.title))
    });
    let at = acceptance.judged_at.strftime("%Y-%m-%d %H:%M UTC");
    let judged = ("Judged", format!("{at}, dbdyno {}", acceptance.tool_version));
    variants.chain([judged]).collect()
}

fn answer(acceptance: &Acceptance) -> Note {
    let is_met = acceptance.outcome == AcceptanceOutcome::Met && !acceptance.lost_something;
    let kind = if is_met { NoteKind::Met } else { NoteKind::NotMet };
    Note { kind, lead: "Verdict   ".to_owned(), text: acceptance.summary() }
}

fn tone(outcome: AcceptanceOutcome) -> Tone {
    match outcome {
        AcceptanceOutcome::Met => Tone::Better,
        AcceptanceOutcome::Missed => Tone::Worse,
        _ => Tone::Unknown,
    }
}

/// The slide with all variants side by side, and what is behind each figure.
fn results(acceptance: &Acceptance) -> Section {
    let row = |of: &AcceptedRequirement| {
        let cells = acceptance.variants.iter().map(|variant| {
            // Where a variant has several, the worst stands for them.
            let results = of.results.iter().filter(|result| result.variant == variant.name);
            let worst = results.max_by_key(|result| result.outcome);
            worst.map_or_else(Cell::empty, |result| beside(result, of.is_decided_by_one()))
        });
        let outcome = Cell::words(of.outcome.words()).tone(tone(of.outcome));
        Row::led([&of.title, &of.asked, &of.limit], std::iter::once(outcome).chain(cells))
    };
    let rows = acceptance.requirements.iter().map(row).collect();
    let mut slide = words::table("acceptance", "results", rows).look(Look::Verdict);
    slide.columns.extend(acceptance.variants.iter().enumerate().map(|(n, variant)| {
        let role = if variant.role == "other" { String::new() } else { format!("\n({})", variant.role) };
        Column::words(format!("{}{role}", variant.title)).last_first(n)
    }));
    let blocks = [answer(acceptance).into(), slide.into(), behind(acceptance).into()];
    let said = acceptance.requirements.iter().filter_map(|requirement| said(acceptance, requirement));
    words::section("results").with(blocks).with(said)
}

/// A figure with its longest time, and its outcome where that is not good and the row does not say it.
fn beside(result: &AcceptanceResult, is_said: bool) -> Cell {
    let is_figure = result.value.is_some() && !(result.decides && is_said);
    let bad = is_figure && result.outcome != AcceptanceOutcome::Met;
    let more = if bad { format!(", {}", result.outcome.words()) } else { String::new() };
    let tone = if result.decides { tone(result.outcome) } else { Tone::Plain };
    Cell::words(format!("{}{more}", result.found)).tone(tone).because(Some(result.remarks.join("; ")))
}

/// Mean, p99 and peak beside each requirement, on each variant.
fn behind(acceptance: &Acceptance) -> Table {
    let time = |seconds: Option<f64>| Cell::figure(seconds, Form::Duration);
    let row = |(of, result): (&AcceptedRequirement, &AcceptanceResult)| {
        let variant = titled(acceptance, &result.variant);
        let margin = Cell::figure(result.margin_pct, Form::Signed);
        let [mean, p99, peak] = [result.times.mean_s, result.times.p99_s, result.times.peak_s].map(time);
        Row::led([&of.title, &variant, &result.found], [margin, mean, p99, peak, Cell::words(&result.place)])
    };
    let results = acceptance.requirements.iter().flat_map(|of| of.results.iter().map(move |result| (of, result)));
    let caption = "What is behind them: mean, 99th percentile and longest time of a transaction or I/O there";
    captioned("acceptance", "behind", caption, results.map(row).collect()).look(Look::Verdict)
}

/// What is to be said of a requirement; once for all variants of which it is the same.
fn said(acceptance: &Acceptance, requirement: &AcceptedRequirement) -> Option<Block> {
    let remarks = requirement
        .results
        .iter()
        .flat_map(|result| result.remarks.iter().map(move |remark| (remark, titled(acceptance, &result.variant))));
    let note = |(remark, variants): (&String, Vec<String>)| {
        Note::led(format!("  {}: ", unique(variants).join(", ")), remark).into()
    };
    let blocks: Vec<Block> = grouped(remarks).into_iter().map(note).collect();
    (!blocks.is_empty()).then(|| Part { title: requirement.title.clone(), blocks, ..Part::default() }.into())
}

/// The title of a variant by its name.
fn titled(acceptance: &Acceptance, name: &str) -> String {
    let variant = acceptance.variants.iter().find(|variant| variant.name == name);
    variant.map_or_else(|| name.to_owned(), |variant| variant.title.clone())
}

/// What crashes lost, with the bound that so many cuts give.
fn crashes(acceptance: &Acceptance) -> Section {
    let rows = acceptance.left.iter().filter_map(|result| match &result.left {
        Left::Durability(test) => Some(crash(&acceptance.title_of(result.variant), test)),
        _ => None,
    });
    let table = words::table("acceptance", "crashes", rows.collect()).look(Look::Verdict);
    let note = (!table.rows.is_empty()).then(|| note("acceptance", "crashes").into());
    words::section("crash").with([table.into()]).with(note)
}

fn crash(variant: &str, test: &DurabilityJson) -> Row {
    let cuts = &test.report.cuts;
    let tone = if test.lossy_cuts > 0 { Tone::Worse } else { Tone::Plain };
    let bound = match test.at_most_lossy_pct {
        Some(pct) => format!("at most {pct:.1} %"),
        None => format!("{} of {}", test.lossy_cuts, cuts.len()),
    };
    let control = test.control.as_ref().map(|control| {
        let (lost, cuts) = (count(control.lost), control.report.cuts.len());
        format!("{}: {lost} lost in {} of {cuts} cuts", control.name, control.lossy_cuts)
    });
    let cells = [
        Cell::count(cuts.len() as u64),
        Cell::count(test.acknowledged),
        Cell::count(test.lost).tone(tone),
        Cell::words(bound),
        Cell::figure(median_of(cuts.iter().map(|cut| cut.recovery_s)), Form::Duration),
        Cell::words(control.unwrap_or_else(|| "none".to_owned())),
    ];
    Row::led([variant, &test.cut_by], cells)
}

/// What a variant costs: ratios of pairs.
fn pairs(acceptance: &Acceptance) -> Section {
    let mut rows = Vec::new();
    for result in &acceptance.left {
        if let Left::Pair(_, pairs) = &result.left {
            let step = &acceptance.project.steps[result.step];
            let [base, other] = [0, 1].map(|side| acceptance.title_of(step.variants[side]));
            rows.extend(pairs.iter().map(|row| pair(row, &format!("{other} / {base}"))));
        }
    }
    let table = words::table("acceptance", "pairs", rows).look(Look::Verdict);
    Section::new("pairs", "Pairs").titled("What it costs", "").with([table.into()])
}

fn pair(row: &PairedRow, sides: &str) -> Row {
    let ratio = match (row.ratio.value, row.ratio.low, row.ratio.high) {
        (Some(ratio), Some(low), Some(high)) => ratio_words(ratio, low, high),
        (Some(ratio), ..) => format!("{ratio:.3}"),
        _ => row.ratio.why.clone().unwrap_or_default(),
    };
    let conclusion = match row.ratio.verdict {
        RatioVerdict::Better | RatioVerdict::Worse => "differ",
        RatioVerdict::NoRatio => "were not compared",
        _ => "were not shown to differ",
    };
    let last = [Cell::count(row.pairs as u64), Cell::words(conclusion)];
    Row::led([row.test.as_str(), &row.unit, &row.dop, sides, &ratio], last)
}

/// What was done, and where it is kept.
fn steps(acceptance: &Acceptance) -> Section {
    let row = |step: &AcceptedStep| {
        let state = match step.bad_points {
            0 => step.state.to_owned(),
            n => format!("{}, {n} bad points", step.state),
        };
        let id = step.id.as_ref().map_or_else(String::new, ToString::to_string);
        Row::words([&step.title, &step.variant_title, &state, &id, &step.command])
    };
    let caption = "What was done; `dbdyno show ID` and `dbdyno report ID` have all of it";
    let rows = acceptance.steps.iter().map(row).collect();
    let table = captioned("acceptance", "steps", caption, rows).look(Look::Verdict);
    words::section("steps").with([table.into()])
}

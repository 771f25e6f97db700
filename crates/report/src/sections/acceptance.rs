//! An acceptance: the answer, the results of all variants side by side, what is behind them, the curves, what crashes
//! lost, what a variant costs in pairs, and where all of it is kept.

mod curves;

use crate::acceptance::{
    Acceptance, AcceptanceOutcome, AcceptanceResult, AcceptedRequirement, AcceptedStep, Left, ratio_words,
};
use crate::compare::{PairedRow, RatioVerdict};
use crate::document::{Block, Caption, Cell, Column, Document, Facts, Field, Form, Keep, Look};
use crate::document::{Note, NoteKind, Part, Row, Section, Table, Tone};
use crate::groups::{grouped, joined, unique};
use crate::numbers;
use crate::sections::words;
use crate::summary::head::counted;
use dbdyno_catalogue::Catalogue;
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
        let sections = sections.into_iter().filter(|section| !section.blocks.is_empty()).collect();
        Document { kind: "dbdyno acceptance", title: self.title.clone(), head: head(self), sections }
    }
}

fn head(acceptance: &Acceptance) -> Vec<Block> {
    let variants = acceptance.variants.iter().map(|variant| {
        let target = variant.target.as_ref().map(|target| format!(" ({target})")).unwrap_or_default();
        let role = match variant.role {
            "baseline" => "Baseline",
            "candidate" => "Candidate",
            _ => "Beside",
        };
        (role.to_owned(), format!("{}{target}", variant.title))
    });
    let at = acceptance.judged_at.strftime("%Y-%m-%d %H:%M UTC");
    let judged = ("Judged".to_owned(), format!("{at}, dbdyno {}", acceptance.tool_version));
    vec![Facts { title: String::new(), facts: variants.chain([judged]).collect() }.into()]
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
        Column { figures: false, ..Column::made(format!("{}{role}", variant.title), Keep::last_first(n)) }
    }));
    let blocks = [answer(acceptance).into(), slide.into(), behind(acceptance).into()];
    let said = acceptance.requirements.iter().filter_map(|requirement| said(acceptance, requirement));
    Section::new("results", "Results").titled("Results", "").with(blocks).with(said)
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
    type Line = (String, AcceptanceResult, String);
    const FIELDS: [Field<Line>; 8] = [
        (Column::words("requirement", "Requirement", Keep::Always), |(title, ..)| Cell::words(title)),
        (Column::words("variant", "Variant", Keep::Always), |(.., variant)| Cell::words(variant)),
        (Column::words("figure", "Figure", Keep::Always), |(_, result, _)| Cell::words(&result.found)),
        (Column::figures("margin", "Margin\n[%]", Keep::Drop(2)), |(_, result, _)| {
            let sign = if result.margin_pct.is_some_and(|pct| pct > 0.0) { "+" } else { "" };
            Cell::words(format!("{sign}{}", Form::Short.text(result.margin_pct)))
        }),
        (Column::figures("mean", "Mean", Keep::Drop(5)), |(_, result, _)| time(result.times.mean_s)),
        (Column::figures("p99", "p99", Keep::Drop(6)), |(_, result, _)| time(result.times.p99_s)),
        (Column::figures("peak", "Peak", Keep::Drop(7)), |(_, result, _)| time(result.times.peak_s)),
        (Column::words("place", "Where", Keep::Drop(1)), |(_, result, _)| Cell::words(&result.place)),
    ];
    let lines = acceptance.requirements.iter().flat_map(|of| {
        let results = of.results.iter();
        results.map(move |result| (of.title.clone(), result.clone(), titled(acceptance, &result.variant)))
    });
    let lines: Vec<Line> = lines.collect();
    let caption = "What is behind them: mean, 99th percentile and longest time of a transaction or I/O there";
    Table::of(Caption::Shown(caption.to_owned()), &FIELDS, &lines).look(Look::Verdict)
}

fn time(seconds: Option<f64>) -> Cell {
    Cell::figure(seconds, Form::Duration)
}

/// What is to be said of a requirement; once for all variants of which it is the same.
fn said(acceptance: &Acceptance, requirement: &AcceptedRequirement) -> Option<Block> {
    let remarks = requirement.results.iter().flat_map(|result| {
        let remarks = result.remarks.iter();
        remarks.map(move |remark| (remark, titled(acceptance, &result.variant)))
    });
    let note = |(remark, variants): (&String, Vec<String>)| {
        let lead = format!("  {}: ", unique(variants).join(", "));
        Note::led(lead, remark).into()
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
    type Crash = (String, DurabilityJson);
    const FIELDS: [Field<Crash>; 8] = [
        (Column::words("variant", "Variant", Keep::Always), |(variant, _)| Cell::words(variant)),
        (Column::words("way", "Cut by", Keep::Drop(4)), |(_, test)| Cell::words(&test.cut_by)),
        (Column::figures("cuts", "Cuts", Keep::Always), |(_, test)| Cell::count(test.report.cuts.len() as u64)),
        (Column::figures("commits", "Commits", Keep::Drop(5)), |(_, test)| Cell::count(test.acknowledged)),
        (Column::figures("lost commits", "Lost", Keep::Always), |(_, test)| {
            let tone = if test.lossy_cuts > 0 { Tone::Worse } else { Tone::Plain };
            Cell::count(test.lost).tone(tone)
        }),
        (Column::words("bound", "Cuts that lose (95 %)", Keep::Always), |(_, test)| {
            Cell::words(match test.at_most_lossy_pct {
                Some(pct) => format!("at most {pct:.1} %"),
                None => format!("{} of {}", test.lossy_cuts, test.report.cuts.len()),
            })
        }),
        (Column::figures("recovery", "Recovery", Keep::Drop(3)), |(_, test)| {
            let all = test.report.cuts.iter().map(|cut| cut.recovery_s);
            time(crate::figures::median_of(all))
        }),
        (Column::words("control", "Control", Keep::Drop(2)), |(_, test)| {
            let Some(control) = &test.control else { return Cell::words("none") };
            let (lost, cuts) = (numbers::count(control.lost), control.report.cuts.len());
            Cell::words(format!("{}: {lost} lost in {} of {cuts} cuts", control.name, control.lossy_cuts))
        }),
    ];
    let tests = acceptance.left.iter().filter_map(|result| match &result.left {
        Left::Durability(test) => Some((acceptance.title_of(result.variant), (**test).clone())),
        _ => None,
    });
    let tests: Vec<Crash> = tests.collect();
    let caption = "Commits that were acknowledged, and lost when everything was cut off";
    let table = Table::of(Caption::Page(caption.to_owned()), &FIELDS, &tests).look(Look::Verdict);
    let why = "Losses cluster, so the bound is of cuts: of so many that lose nothing, at most this share of all cuts \
               does. A control makes commits unsafe on purpose, and must lose something where such a cut can show it.";
    let note = (!tests.is_empty()).then(|| Note::plain(why).into());
    Section::new("crash", "Crash").titled("What a crash loses", "").with([Block::from(table)].into_iter().chain(note))
}

/// What a variant costs: ratios of pairs.
fn pairs(acceptance: &Acceptance) -> Section {
    type Pair = ([String; 2], PairedRow);
    const FIELDS: [Field<Pair>; 7] = [
        (Column::words("test", "Test", Keep::Always), |(_, row)| Cell::words(&row.test)),
        (Column::words("unit", "Unit", Keep::Drop(1)), |(_, row)| Cell::words(&row.unit)),
        (Column::figures("DOP", "DOP\n[n×j×t]", Keep::Drop(3)), |(_, row)| Cell::words(&row.dop)),
        (Column::words("sides", "Ratio of", Keep::Drop(2)), |([a, b], _)| Cell::words(format!("{b} / {a}"))),
        (Column::figures("ratio", "Ratio (95 %)", Keep::Always), |(_, row)| {
            Cell::words(match (row.ratio.value, row.ratio.low, row.ratio.high) {
                (Some(ratio), Some(low), Some(high)) => ratio_words(ratio, low, high),
                (Some(ratio), ..) => format!("{ratio:.3}"),
                _ => row.ratio.why.clone().unwrap_or_default(),
            })
        }),
        (Column::figures("pairs", "Pairs", Keep::Drop(4)), |(_, row)| Cell::count(row.pairs as u64)),
        (Column::words("conclusion", "They", Keep::Always), |(_, row)| {
            Cell::words(match row.ratio.verdict {
                RatioVerdict::Better | RatioVerdict::Worse => "differ",
                RatioVerdict::NoRatio => "were not compared",
                _ => "were not shown to differ",
            })
        }),
    ];
    let mut tests: Vec<Pair> = Vec::new();
    for result in &acceptance.left {
        if let Left::Pair(_, rows) = &result.left {
            let step = &acceptance.project.steps[result.step];
            let sides = [0, 1].map(|side| acceptance.title_of(step.variants[side]));
            tests.extend(rows.iter().map(|row| (sides.clone(), row.clone())));
        }
    }
    let caption = "Points of both in alternation: the ratio of their figures, with its interval";
    let table = Table::of(Caption::Page(caption.to_owned()), &FIELDS, &tests).look(Look::Verdict);
    Section::new("pairs", "Pairs").titled("What it costs", "").with([table.into()])
}

/// What was done, and where it is kept.
fn steps(acceptance: &Acceptance) -> Section {
    const FIELDS: [Field<AcceptedStep>; 5] = [
        (Column::words("step", "Step", Keep::Always), |step| Cell::words(&step.title)),
        (Column::words("variant", "Variant", Keep::Always), |step| Cell::words(&step.variant_title)),
        (Column::words("state", "State", Keep::Always), |step| {
            Cell::words(match step.bad_points {
                0 => step.state.to_owned(),
                n => format!("{}, {n} bad points", step.state),
            })
        }),
        (Column::words("id", "Kept as", Keep::Always), |step| {
            Cell::words(step.id.as_ref().map_or_else(String::new, ToString::to_string))
        }),
        (Column::words("command", "Command", Keep::Drop(1)), |step| Cell::words(&step.command)),
    ];
    let caption = "What was done; `dbdyno show ID` and `dbdyno report ID` have all of it";
    let table = Table::of(Caption::Shown(caption.to_owned()), &FIELDS, &acceptance.steps).look(Look::Verdict);
    Section::new("steps", "Steps").titled("Steps", "").with([table.into()])
}

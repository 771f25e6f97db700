//! The page of comparisons beside comparisons: for any two it has the same rows, figures and ratios, and the same reasons
//! where there is no ratio.

use crate::browser::Browser;
use crate::{catalogue, fixture, gallery, mutants, references, with_id, write};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Layer, RunJson};
use dbdyno_report::compare::{
    CompareError, CompareOptions, ComparedCell, ComparedRow, Comparison, KeyFigure, Ratio, Side, WarningKind, compare,
};
use dbdyno_report::gallery::Entry;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What the page shows of two, once it shows them.
const SHOWN: &str = "new Promise((done) => {
  const texts = (all) => [...all].map((one) => one.textContent);
  const rows = (id) => [...document.querySelectorAll(`${id} tbody tr:not(.group)`)].map((row) => [...row.cells]);
  let looks = 0;
  const look = () => {
    looks += 1;
    if (looks > 5000) { done({ problem: document.getElementById('problem').textContent || document.title }); return; }
    if (!document.title.startsWith(TITLE) || !document.getElementById('problem').hidden) { setTimeout(look, 1); return; }
    done({
      rows: rows('#figures').map((cells) => [
        ...texts(cells.slice(0, 4)), ...cells.slice(4, 6).map((cell) => cell.firstChild.textContent),
        ...cells.slice(4, 6).map((cell) => cell.querySelector('.m')?.textContent ?? ''), cells[6].textContent, cells[6].title,
      ]),
      layers: rows('#factors').map(texts),
      warnings: texts(document.querySelectorAll('.warnings li')),
      settings: rows('#settings').map(texts),
      series: [...document.querySelectorAll('#others table')].map((table) => [table.caption.textContent, [...table.tBodies[0].rows].map((row) => texts(row.cells))]),
      alone: [...document.querySelectorAll('#rows > p.note')].map((p) => p.textContent).filter((text) => /^[AB] alone: /.test(text)),
    });
  };
  look();
})";

/// What is said of figures that are not divided, or of whose spread too little is known.
const BARS: [&str; 12] = [
    "depends on the amount of data",
    "of transactions of",
    "of users with",
    "is not the figure that it seems to be",
    "does not compare",
    "is a lower limit only",
    "is no figure of the test: ",
    "a bound is no value",
    "commits of one are durable, of the other as the engine's default",
    "commits of one are as the engine's default, of the other durable",
    "a figure is not above zero",
    "run-to-run spread unknown",
];

fn runs(catalogue: &Catalogue) -> Vec<RunJson> {
    // Some of the seven of one publication are enough.
    let alike = ["hpe_dl380_rv_2016", "hpe_dl380_vm_2016", "hpe_dl580_rv_2016", "hpe_dl580_vm_2016"];
    let mut references = references(catalogue);
    references.retain(|run| !alike.contains(&run.run.id.as_str()));
    let rich: Vec<&RunJson> =
        references.iter().filter(|run| run.published.as_ref().unwrap().figures.len() > 5).collect();
    let mutants = (0..7).map(|seed| mutants::run(seed, catalogue));
    let published = (20..25).map(|seed| mutants::published(seed, rich[usize::try_from(seed).unwrap() % rich.len()]));
    let mut slower = with_id(fixture::storage::run(), "stor4ge2");
    slower.points.retain(|point| point.subject.storage().is_some_and(|storage| storage.load.write_pct == 0));
    let own = [fixture::run(), fixture::storage::run(), slower, with_id(fixture::workload(), "workload1")];
    let own = own.into_iter().chain([mutants::of_size("sized1", "D"), mutants::of_size("sized2", "N")]);
    let own = own.chain([with_id(fixture::slob(), "slob1"), with_id(fixture::pooled(), "pooled1")]);
    references.clone().into_iter().chain(own).chain(mutants).chain(published).chain(mutants::in_turn()).collect()
}

fn words(which: KeyFigure) -> &'static str {
    match which {
        KeyFigure::Speed => "speed",
        KeyFigure::Throughput => "throughput",
        KeyFigure::Time | KeyFigure::Scaling => "neither",
    }
}

/// A figure as the page has it.
fn figure(row: &ComparedRow, cell: &ComparedCell) -> String {
    let apart = cell.doubtful || cell.unlike.is_some() || row.unlike_sizes;
    if apart { format!("({})", cell.text) } else { cell.text.clone() }
}

/// Whether a text is a number to its last digit: ties may be rounded either way.
fn is_number(text: &str, value: f64) -> bool {
    let digits = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let shown: f64 = text.replace(',', "").parse().unwrap_or(f64::NAN);
    // Of whole numbers three or four digits are shown.
    let whole = if shown < 1_000.0 { 1.0 } else { shown * 1e-3 };
    let step = if digits > 0 { 10_f64.powi(-i32::try_from(digits).unwrap()) } else { whole };
    (shown - value).abs() <= step * 0.500_001
}

fn is_ratio(text: &str, why: &str, ratio: &Ratio) -> bool {
    let reason = ratio.why.as_deref().unwrap_or_default();
    match (ratio.value, ratio.low) {
        (None, _) => text == "n/a" && why == reason,
        (Some(value), None) => is_number(text, value) && why == reason,
        (Some(value), Some(_)) => {
            text.split_once(" (").is_some_and(|(text, _)| is_number(text, value)) && why.is_empty()
        }
    }
}

/// What the page says otherwise than the comparison does.
fn differences(shown: &Value, expected: &Comparison) -> Vec<String> {
    let mut wrong = Vec::new();
    let texts = |row: &Value| -> Vec<String> { serde_json::from_value(row.clone()).unwrap() };
    let rows: BTreeMap<(String, String), Vec<String>> = shown["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(texts)
        .map(|row| ((row[0].clone(), row[2].clone()), row))
        .collect();
    let wanted: BTreeMap<(String, String), &ComparedRow> =
        expected.rows.iter().map(|row| ((row.test.clone(), words(row.which).to_owned()), row)).collect();
    for key in rows.keys().chain(wanted.keys()).collect::<BTreeSet<_>>() {
        let (Some(row), Some(wanted)) = (rows.get(key), wanted.get(key)) else {
            wrong.push(format!("{key:?}: page {:?}, comparison {}", rows.get(key), wanted.contains_key(key)));
            continue;
        };
        let [base, other] = wanted.cells.as_slice() else { panic!("{wanted:?}") };
        let unit = row[3].trim_end_matches(" less is better");
        let figures = [figure(wanted, base), figure(wanted, other)];
        let ratio = other.ratio.as_ref().unwrap();
        let heading =
            wanted.rows_per_tx.map_or_else(|| wanted.title.clone(), |n| format!("{}, {n} rows each", wanted.title));
        if row[1] != heading || unit != wanted.shown_unit || row[4..6] != figures || !is_ratio(&row[8], &row[9], ratio)
        {
            wrong.push(format!("{row:?} is {heading} {} {figures:?} {ratio:?}", wanted.shown_unit));
        }
    }
    let layers: Vec<Vec<String>> = shown["layers"].as_array().unwrap().iter().map(texts).collect();
    let name = |layer: Layer| if layer == Layer::Cpu { "CPU".to_owned() } else { format!("{layer:?}") };
    let factors: Vec<(String, String, f64)> = expected
        .layers
        .iter()
        .map(|of| (name(of.layer), of.tests.join(" "), of.sides[1].as_ref().unwrap().mean))
        .collect();
    let same = layers.len() == factors.len()
        && layers
            .iter()
            .zip(&factors)
            .all(|(is, (layer, tests, mean))| is[0] == *layer && is[3] == *tests && is_number(&is[1], *mean));
    if !same {
        wrong.push(format!("{layers:?} is {factors:?}"));
    }
    let said: BTreeSet<String> = texts(&shown["warnings"]).into_iter().collect();
    for warning in &expected.warnings {
        let is_said = match warning.kind {
            WarningKind::Floor => said.iter().any(|text| text.contains("shows no time below a limit")),
            WarningKind::Published => said.iter().any(|text| text.starts_with("figures of different programs")),
            // A sentence of several kinds is one for each kind here.
            WarningKind::Pace if warning.text.starts_with("machines") => {
                said.iter().any(|text| text.starts_with("machines"))
            }
            _ => said.contains(&warning.text),
        };
        if !is_said {
            wrong.push(format!("not said: {} in {said:#?}", warning.text));
        }
    }
    if said.len() < expected.warnings.len() || (!said.is_empty() && expected.warnings.is_empty()) {
        wrong.push(format!("{said:#?} for {:#?}", expected.warnings));
    }
    let settings: Vec<Vec<String>> = shown["settings"].as_array().unwrap().iter().map(texts).collect();
    let known = |value: &Option<String>| dbdyno_report::clean(value.as_deref().unwrap_or("not known")).into_owned();
    let differing: Vec<Vec<String>> = expected
        .settings
        .iter()
        .map(|of| std::iter::once(of.name.clone()).chain(of.values.iter().map(known)).collect())
        .collect();
    if settings != differing {
        wrong.push(format!("{settings:?} is {differing:?}"));
    }
    if shown["series"].as_array().unwrap().len() != expected.others.len() {
        wrong.push(format!("{} for {:?}", shown["series"], expected.others));
    }
    for (test, side) in &expected.alone {
        let of_side = ["A alone: ", "B alone: "][*side];
        let named = texts(&shown["alone"]).iter().any(|text| text.starts_with(of_side) && text.contains(test.as_str()));
        if !named {
            wrong.push(format!("{test} of {of_side} not named in {}", shown["alone"]));
        }
    }
    wrong
}

#[test]
fn any_two_on_the_page_are_as_a_comparison_of_them_says() {
    let catalogue = catalogue();
    let runs = runs(&catalogue);
    let (entries, files) = gallery(&runs, &catalogue);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &files);
    let mut browser = Browser::start();
    browser.open(&folder.path().join("compare.html"), 1_280);
    let names: BTreeMap<String, String> = serde_json::from_value(
        browser.value("Object.fromEntries([...document.getElementById('a').options].map((option) => [option.value, option.textContent]))"),
    ).unwrap();
    let (mut pairs, mut rows, mut ratios, mut barred) = (0, 0, 0, BTreeSet::new());
    let mut wrong = Vec::new();
    let mut t = [std::time::Duration::ZERO; 2];
    let all: Vec<(&Entry, &RunJson)> = entries.iter().zip(&runs).collect();
    for (n, one) in all.iter().enumerate() {
        for (m, other) in all.iter().enumerate().skip(n + 1) {
            // Each two in one order, or in the other.
            let ((a, of_a), (b, of_b)) = if (n + m) % 2 == 0 { (one, other) } else { (other, one) };
            let t0 = std::time::Instant::now();
            let title = json!(format!("{} and {} –", names[a.key()], names[b.key()]));
            browser.value(&format!("location.replace('#a={}&b={}')", a.key(), b.key()));
            let shown = browser.value(&SHOWN.replace("TITLE", &title.to_string()));
            t[0] += t0.elapsed();
            let t0 = std::time::Instant::now();
            assert!(shown["problem"].is_null(), "{title}: {}", shown["problem"]);
            let sides = [Side::new("A", vec![(*of_a).clone()]), Side::new("B", vec![(*of_b).clone()])];
            let expected = match compare(&sides, &CompareOptions::default(), &catalogue) {
                Err(CompareError::NothingInCommon { .. }) => {
                    assert_eq!(shown["rows"], json!([]), "{title}");
                    continue;
                }
                expected => expected.unwrap(),
            };
            t[1] += t0.elapsed();
            pairs += 1;
            rows += expected.rows.len();
            for ratio in expected.rows.iter().filter_map(|row| row.cells[1].ratio.as_ref()) {
                ratios += usize::from(ratio.value.is_some());
                barred.extend(ratio.why.clone());
            }
            wrong.extend(differences(&shown, &expected).into_iter().map(|what| format!("{title}: {what}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {rows} rows of {pairs} pairs:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n\n")
    );
    assert!(pairs > 200 && ratios > 1_000, "{pairs} pairs, {ratios} ratios");
    // Every way in which figures do not compare is among them.
    let lacking: Vec<&&str> = BARS.iter().filter(|bar| barred.iter().all(|why| !why.contains(**bar))).collect();
    assert!(lacking.is_empty(), "nothing is not divided for these reasons: {lacking:?}");
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
}

//! The page of comparisons beside comparisons: for any two it has the same rows, figures and ratios, and the same
//! reasons where there is no ratio.

use crate::browser::Browser;
use crate::{catalogue, fixture, gallery, mutants, references, with_id, write};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Flag, Layer, RunJson, Suspect, UsableFor};
use dbdyno_report::compare::{
    CompareError, CompareOptions, ComparedCell, ComparedRow, Comparison, KeyFigure, OtherSeries, OtherSeriesRow, Ratio,
    Side, WarningKind, compare,
};
use dbdyno_report::gallery::Entry;
use dbdyno_report::numbers::printed;
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

/// The marks of a figure: those of a doubt, of another test, of other means, and the letters of flags.
fn marks(cell: &ComparedCell) -> String {
    let doubt = cell.suspect.as_ref().map(|suspect| match suspect.usable_for() {
        UsableFor::LowerLimit => '>',
        UsableFor::Nothing | UsableFor::NotForComparison => '#',
        UsableFor::Value => '?',
    });
    let other = cell.test.is_some().then_some('&');
    let equivalent = cell.equivalent.is_some().then_some('~');
    let place = |flag: &Flag| Flag::ALL.iter().position(|other| other == flag).unwrap();
    let letters = cell.flags.iter().map(|flag| char::from(b'a' + u8::try_from(place(flag)).unwrap()));
    doubt.into_iter().chain(other).chain(equivalent).chain(letters).collect()
}

/// A series over something other than jobs and threads, as the page has it: what it is of, and its lines.
fn series_of(of: &OtherSeries) -> (String, Vec<Vec<String>>) {
    let line = |row: &OtherSeriesRow| {
        let doubt = |suspect: &Option<Suspect>| if suspect.is_some() { "?" } else { "" };
        let value = |(value, suspect): (&Option<f64>, &Option<Suspect>)| {
            value.map_or_else(String::new, |value| printed(value) + doubt(suspect))
        };
        std::iter::once(printed(row.at)).chain(row.values.iter().zip(&row.suspects).map(value)).collect()
    };
    (format!("{}: {}", of.test, of.key.replace('_', " ")), of.rows.iter().map(line).collect())
}

/// Whether a text is the range of the factors of several tests; nothing for a single one.
fn is_range(text: &str, factors: &[f64], tests: usize) -> bool {
    if tests < 2 {
        return text.is_empty();
    }
    let ends = [factors.iter().copied().fold(f64::MAX, f64::min), factors.iter().copied().fold(f64::MIN, f64::max)];
    text.split_once(" to ").is_some_and(|(least, most)| is_number(least, ends[0]) && is_number(most, ends[1]))
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
        let marks = [marks(base), marks(other)];
        let same = row[1] == heading && unit == wanted.shown_unit && row[4..6] == figures && row[6..8] == marks;
        if !same || !is_ratio(&row[8], &row[9], ratio) {
            wrong.push(format!("{row:?} is {heading} {} {figures:?} {marks:?} {ratio:?}", wanted.shown_unit));
        }
    }
    let layers: Vec<Vec<String>> = shown["layers"].as_array().unwrap().iter().map(texts).collect();
    let name = |layer: Layer| if layer == Layer::Cpu { "CPU".to_owned() } else { format!("{layer:?}") };
    let same = layers.len() == expected.layers.len()
        && layers.iter().zip(&expected.layers).all(|(is, of)| {
            let factor = of.sides[1].as_ref().unwrap();
            let is_named = is[0] == name(of.layer) && is[3] == of.tests.join(" ");
            is_named && is_number(&is[1], factor.mean) && is_range(&is[2], &factor.factors, of.tests.len())
        });
    if !same {
        wrong.push(format!("{layers:?} is {:?}", expected.layers));
    }
    let mut said = texts(&shown["warnings"]);
    for warning in &expected.warnings {
        let is_it = |text: &String| match warning.kind {
            WarningKind::Floor => text.contains("shows no time below a limit"),
            WarningKind::Published => text.starts_with("figures of different programs"),
            // A sentence of several kinds is one for each kind here.
            WarningKind::Pace if warning.text.starts_with("machines") => text.starts_with("machines"),
            _ => *text == warning.text,
        };
        let before = said.len();
        said.retain(|text| !is_it(text));
        if said.len() == before {
            wrong.push(format!("not said: {}", warning.text));
        }
    }
    wrong.extend(said.iter().map(|text| format!("said as well: {text}")));
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
    let series: BTreeSet<(String, Vec<Vec<String>>)> = serde_json::from_value(shown["series"].clone()).unwrap();
    let others: BTreeSet<(String, Vec<Vec<String>>)> = expected.others.iter().map(series_of).collect();
    if series != others {
        wrong.push(format!("{series:?} is {others:?}"));
    }
    let named = texts(&shown["alone"]);
    let of_side = |(side, start): (usize, &str)| {
        let tests = named.iter().find_map(|text| text.strip_prefix(start)).map(|tests| tests.split("; "));
        tests.into_iter().flatten().map(move |test| (test.to_owned(), side)).collect::<Vec<_>>()
    };
    let mut alone: BTreeSet<(String, usize)> =
        ["A alone: ", "B alone: "].into_iter().enumerate().flat_map(of_side).collect();
    let expected_alone: BTreeSet<(String, usize)> = expected.alone.iter().cloned().collect();
    // Where two have a test by different metrics, a comparison names it once.
    let of_both = |(test, side): &(String, usize)| alone.contains(&(test.clone(), 1 - side));
    let twice: Vec<_> = alone.iter().filter(|of| of_both(of) && !expected_alone.contains(of)).cloned().collect();
    alone.retain(|of| !twice.contains(of));
    if alone != expected_alone {
        wrong.push(format!("{alone:?} alone is {expected_alone:?}"));
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
    let all: Vec<(&Entry, &RunJson)> = entries.iter().zip(&runs).collect();
    for (n, one) in all.iter().enumerate() {
        for (m, other) in all.iter().enumerate().skip(n + 1) {
            // Each two in one order, or in the other.
            let ((a, of_a), (b, of_b)) = if (n + m) % 2 == 0 { (one, other) } else { (other, one) };
            let title = json!(format!("{} and {} –", names[a.key()], names[b.key()]));
            browser.value(&format!("location.replace('#a={}&b={}')", a.key(), b.key()));
            let shown = browser.value(&SHOWN.replace("TITLE", &title.to_string()));
            assert!(shown["problem"].is_null(), "{title}: {}", shown["problem"]);
            let sides = [Side::new("A", vec![(*of_a).clone()]), Side::new("B", vec![(*of_b).clone()])];
            let expected = match compare(&sides, &CompareOptions::default(), &catalogue) {
                Err(CompareError::NothingInCommon { .. }) => {
                    assert_eq!(shown["rows"], json!([]), "{title}");
                    continue;
                }
                expected => expected.unwrap(),
            };
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

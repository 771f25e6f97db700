//! Reports of reference platforms, from the platform files alone: summaries, and what a narrow terminal shows. The
//! tables of the documents are in `printed`.
//! `DBDYNO_BLESS=1` writes the golden files again; read the difference before you commit it.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, FigureKind, UsableFor};
use dbdyno_report::figures::{self, FigureQuery};
use dbdyno_report::{Reported, report};
use std::path::Path;

fn golden(name: &str, text: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_platforms").join(format!("{name}.txt"));
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    if expected == text { Ok(()) } else { Err(format!("{name} differs from its golden file. It is now:\n{text}")) }
}

#[test]
fn reports_come_out_of_the_platform_files() {
    let catalogue = Catalogue::embedded().unwrap();
    let cases = [
        ("summary", "hp_dl980_violin_2012", None),
        ("summary", "hp_dl980_violin_2012", Some(80)),
        ("platform", "hp_dl980_violin_2012", Some(100)),
        ("published", "hp_dl980_violin_2012", Some(100)),
        ("summary", "hds_ucp_flash_2013", Some(80)),
        ("published", "ibm_p8_e870_2016", Some(100)),
        ("published", "recoverpoint_2021", Some(100)),
        ("published", "sunlight_on_aws", Some(100)),
        ("summary", "sunlight_on_aws", Some(80)),
    ];
    let mut wrong = Vec::new();
    for (name, id, width) in cases {
        let run = catalogue.platform(id).unwrap();
        let text = report(name).unwrap().of(&Reported::of(run), &catalogue).text(width);
        assert!(text.contains("Source"), "{name} of {id} does not name its source:\n{text}");
        let suffix = width.map_or_else(String::new, |w: u16| format!(".{w}"));
        wrong.extend(golden(&format!("{id}.{name}{suffix}"), &text).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The summaries of the documents' authors agree with their series, wherever there is no doubt.
#[test]
fn summaries_and_series_of_a_document_agree() {
    let catalogue = Catalogue::embedded().unwrap();
    let mut compared = 0;
    for id in ["hp_dl980_violin_2012", "hds_ucp_flash_2013"] {
        let run = catalogue.platform(id).unwrap();
        for printed in &run.published.as_ref().unwrap().figures {
            let metric = printed.metric.as_ref().unwrap();
            let found = figures::find(&FigureQuery::new(&printed.test, metric.as_str()), &run, &catalogue).unwrap();
            let figure = match printed.kind {
                FigureKind::Speed => found.speed().unwrap(),
                FigureKind::Throughput => found.throughput().unwrap(),
                FigureKind::Value => continue,
            };
            let doubted = printed
                .suspect
                .as_ref()
                .is_some_and(|s| s.usable_for() == UsableFor::Nothing || s.names() == "inconsistent");
            if figure.points.is_empty() || doubted {
                continue;
            }
            compared += 1;
            let off = (figure.value() / printed.value - 1.0).abs();
            assert!(off < 0.0005, "{id} {} {metric}: {} and {}", printed.test, figure.value(), printed.value);
        }
    }
    assert!(compared >= 20, "{compared}");
}

#[test]
fn every_report_of_every_platform_holds_its_width() {
    let catalogue = Catalogue::embedded().unwrap();
    for id in catalogue.platform_ids() {
        let run = Reported::of(catalogue.platform(id).unwrap());
        for report in dbdyno_report::REPORTS {
            for width in [60, 80, 132] {
                let text = report.of(&run, &catalogue).text(Some(width));
                let widest = text.lines().map(|l| l.chars().count()).max().unwrap_or(0);
                assert!(widest <= usize::from(width), "{} of {id} in {width} columns:\n{text}", report.name);
            }
        }
    }
}

#[test]
fn times_are_better_when_they_are_shorter() {
    let catalogue = Catalogue::embedded().unwrap();
    let violin = catalogue.platform("hp_dl980_violin_2012").unwrap();
    let index = figures::find(&FigureQuery::new("T512", "elapsed_s"), &violin, &catalogue).unwrap();
    assert_eq!((index.better, index.throughput().map(|f| f.value())), (Better::Lower, Some(226.0)));
    assert_eq!(index.speed().map(|f| f.value()), None);
}

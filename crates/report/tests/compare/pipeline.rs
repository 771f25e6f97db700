//! What a pipeline shows of a comparison: Markdown and JUnit.

use super::{catalogue, compared, golden, platforms, sample};
use dbdyno_model::{RunJson, Subject};
use dbdyno_report::Extent;
use dbdyno_report::compare::{CompareOptions, Comparison, Side};
use quick_xml::events::Event;

const LIMIT: CompareOptions<'_> = CompareOptions { baseline: None, tests: None, max_regression_pct: Some(5.0) };

fn markdown(comparison: &Comparison) -> String {
    comparison.document(&[], &[], &catalogue(), Extent::Summary).markdown()
}

fn against(rates: &[f64]) -> Comparison {
    compared(&[sample("base", &[100.0, 101.0, 99.0]), sample("changed", rates)], &LIMIT)
}

/// How many elements of this name there are.
fn elements(xml: &str, name: &str) -> usize {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut n = 0;
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return n,
            Event::Start(tag) | Event::Empty(tag) => n += usize::from(tag.name().as_ref() == name),
            _ => {}
        }
    }
}

#[test]
fn a_loss_reads_well_and_fails() {
    let lost = against(&[80.0, 81.0, 79.0]);
    golden("compare.pipeline.markdown", &markdown(&lost));
    golden("compare.pipeline.junit", &lost.junit().unwrap());
}

#[test]
fn the_conclusion_comes_first_and_the_rest_is_folded() {
    for (rates, conclusion) in [
        (&[80.0, 81.0, 79.0][..], "**✗** 2 rows of 2 are shown to be worse than A (base) by more than 5 %."),
        (&[100.0, 99.0, 101.0], "**✓** No row is shown to be worse than A (base) by more than 5 %."),
        (&[10.0], "**✗** No row could be judged, so nothing is known of a loss."),
    ] {
        let text = markdown(&against(rates));
        let first: Vec<&str> = text.lines().filter(|line| !line.is_empty()).take(2).collect();
        assert_eq!(first, ["# base and changed", conclusion], "{text}");
        let [rows, folded] = ["## Figures and their ratios", "<details>"].map(|part| text.find(part).unwrap());
        assert!(rows < folded, "{text}");
    }
    let sides: Vec<Side> = platforms(&["hpe_dl580_bm_2016", "ibm_p8_e870_2016"], &catalogue());
    let without = markdown(&compared(&sides, &CompareOptions::default()));
    assert!(without.contains("\n\nWithout a limit: 0 shown worse, 0 shown better, "), "{without}");
}

/// What was not judged has not passed.
#[test]
fn a_figure_that_was_not_judged_is_skipped() {
    for (rates, failures, skipped) in [(&[80.0, 81.0, 79.0][..], 2, 0), (&[100.0, 99.0, 101.0], 0, 0), (&[10.0], 0, 2)]
    {
        let xml = against(rates).junit().unwrap();
        let found = ["testcase", "failure", "skipped"].map(|name| elements(&xml, name));
        assert_eq!(found, [2, failures, skipped], "{xml}");
    }
}

/// A test that the changed side has lost is no row, but it is told whatever the others do, and has passed nothing.
#[test]
fn a_test_of_the_baseline_alone_is_not_forgotten() {
    const LOST: &str = "only A (base) has figures of T621.";
    for (rates, said, found) in [
        (&[100.0, 99.0, 101.0][..], "No row is shown to be worse than A (base) by more than 5 %, but ", [3, 0, 1]),
        (&[80.0, 81.0, 79.0], "2 rows of 2 are shown to be worse than A (base) by more than 5 %, and ", [3, 2, 1]),
        (&[10.0], "No row could be judged, so nothing is known of a loss, and ", [3, 0, 3]),
    ] {
        let mut sides = [sample("base", &[100.0, 101.0, 99.0]), sample("changed", rates)];
        for run in &mut sides[0].runs {
            let mut lost = run.points.clone();
            lost.iter_mut().for_each(|point| point.subject = Subject::of_database("T621").unwrap());
            run.points.extend(lost);
            *run = RunJson::new(run.run.clone(), run.platform.clone(), run.database.clone(), run.points.clone());
        }
        let compared = compared(&sides, &LIMIT);
        let conclusion = format!("**✗** {said}{LOST}\n");
        assert!(markdown(&compared).contains(&conclusion), "{}", markdown(&compared));
        let xml = compared.junit().unwrap();
        assert_eq!(["testcase", "failure", "skipped"].map(|name| elements(&xml, name)), found, "{xml}");
    }
}

#[test]
fn a_junit_file_is_sound_xml_whatever_the_names_hold() {
    let mut sides = [sample("base", &[100.0, 101.0, 99.0]), sample("changed", &[80.0, 81.0, 79.0])];
    sides[1].name = "a\u{1b}[2J \"<&>' \u{0}\n]]>".to_owned();
    let compared = compared(&sides, &LIMIT);
    let xml = compared.junit().unwrap();
    assert_eq!(elements(&xml, "failure"), 2);
    assert!(xml.chars().all(|c| c == '\n' || !c.is_control()), "{xml}");
    let text = markdown(&compared);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()) && !text.contains("\"<"), "{text}");
}

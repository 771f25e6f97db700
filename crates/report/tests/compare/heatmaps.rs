//! The documents' heatmaps, series and layers, from the platform files alone.

use super::{catalogue, compared, fixture, folder, golden, platforms, sample, text, throughput};
use dbdyno_model::{Layer, UsableFor};
use dbdyno_report::Extent;
use dbdyno_report::compare::{CompareOptions, KeyFigure, Rank, Side};

pub(crate) const ORABENCH: [&str; 7] = [
    "ibm_p8_e870_2016",
    "hpe_dl580_bm_2016",
    "hpe_dl580_vm_2016",
    "hpe_dl580_rv_2016",
    "hpe_dl380_bm_2016",
    "hpe_dl380_vm_2016",
    "hpe_dl380_rv_2016",
];

/// The golden file has the cells as the document prints them: 65 lines of 7.
#[test]
fn the_heatmaps_of_the_document_come_out_cell_by_cell() {
    let catalogue = catalogue();
    let comparison = compared(&platforms(&ORABENCH, &catalogue), &CompareOptions::default());
    let text = std::fs::read_to_string(folder().join("orabench_heatmaps.tsv")).unwrap();
    let mut lines = text.lines();
    let ids: Vec<&str> = lines.next().unwrap().split('\t').skip(2).collect();
    assert_eq!(ids, ORABENCH);
    let (mut cells, mut doubted) = (0, 0);
    for line in lines {
        let parts: Vec<&str> = line.split('\t').collect();
        let which = if parts[0] == "speed" { KeyFigure::Speed } else { KeyFigure::Throughput };
        let row = comparison.rows.iter().find(|r| r.which == which && r.test == parts[1]).unwrap();
        for (cell, printed) in row.cells.iter().zip(&parts[2..]) {
            assert_eq!(cell.text.replace(',', "").parse::<f64>().unwrap(), printed.parse::<f64>().unwrap(), "{line}");
            cells += 1;
            doubted += usize::from(cell.suspect.is_some());
        }
    }
    assert_eq!((cells, comparison.rows.len()), (65 * 7, 65));
    // As many as the platform files flag: no doubt is lost.
    let flagged = ORABENCH.iter().map(|id| catalogue.platform(id).unwrap().published.unwrap());
    let flagged: usize = flagged.map(|p| p.figures.iter().filter(|f| f.suspect.is_some()).count()).sum();
    assert_eq!(doubted, flagged);
    assert!(comparison.warnings.is_empty(), "{:?}", comparison.warnings);
}

#[test]
fn a_comparison_reads_well_wide_and_narrow() {
    let catalogue = catalogue();
    let comparison = compared(&platforms(&ORABENCH, &catalogue), &CompareOptions::default());
    golden("compare.orabench.80", &text(&comparison, Extent::Screen, Some(80)));
    let sides = platforms(&["hp_dl980_violin_2012", "ibm_p8_e870_2016"], &catalogue);
    let unlike = compared(&sides, &CompareOptions { tests: Some("T1*,T6*"), ..CompareOptions::default() });
    golden("compare.unlike.100", &text(&unlike, Extent::Screen, Some(100)));
    let samples = [sample("before", &[100.0, 101.0, 99.0]), sample("after", &[88.0, 89.0, 90.0])];
    let options = CompareOptions { max_regression_pct: Some(5.0), ..CompareOptions::default() };
    let virtual_machines = platforms(&["hpe_dl580_bm_2016", "hpe_dl580_vm_2016", "ibm_p8_e870_2016"], &catalogue);
    let compared_platforms = compared(&virtual_machines, &CompareOptions::default());
    golden("compare.layers.100", &text(&compared_platforms, Extent::Screen, Some(100)));
    golden("compare.samples.100", &text(&compared(&samples, &options), Extent::ScreenAllTests, Some(100)));
}

#[test]
fn values_that_are_none_take_no_part() {
    let catalogue = catalogue();
    let comparison = compared(&platforms(&ORABENCH, &catalogue), &CompareOptions::default());
    let row = |test: &str, which| comparison.rows.iter().find(|r| r.test == test && r.which == which).unwrap();
    // The elapsed seconds that are printed in the throughput column.
    let float = row("T133", KeyFigure::Throughput);
    assert!(float.cells[1..].iter().all(|c| c.usable_for == UsableFor::Nothing && c.rank == Rank::None));
    assert!(float.cells[1..].iter().all(|c| c.ratio.as_ref().is_some_and(|r| r.value.is_none() && r.why.is_some())));
    // A shorter time is better.
    let fibonacci = row("T151", KeyFigure::Speed);
    assert_eq!((fibonacci.cells[0].rank, fibonacci.cells[1].rank), (Rank::Worst, Rank::Best));
    // A lower limit is never the worst, and is never divided.
    let floored = row("T615", KeyFigure::Speed);
    assert!(floored.cells.iter().all(|c| c.rank == Rank::Between && c.heat.is_none()));
    // The colour is the share of the best, of times too.
    let loops = row("T111", KeyFigure::Speed);
    let values: Vec<f64> = loops.cells.iter().filter_map(|c| c.value).collect();
    let best = values.iter().copied().fold(f64::MIN, f64::max);
    assert_eq!(loops.cells[0].heat, loops.cells[0].value.map(|value| value / best));
    let (slow, quick) = (fibonacci.cells[0].value.unwrap(), fibonacci.cells[1].value.unwrap());
    assert_eq!((fibonacci.cells[0].heat, fibonacci.cells[1].heat), (Some(quick / slow), Some(1.0)));
}

#[test]
fn series_over_cores_stand_side_by_side() {
    let slob = ["aws_r5", "sunlight_on_aws", "vmware_on_aws", "sunlight_onprem_optane", "sunlight_onprem_p4610"];
    let comparison = compared(&platforms(&slob, &catalogue()), &CompareOptions::default());
    let first = &comparison.others[0];
    assert_eq!((first.test.as_str(), first.by.as_str(), first.key.as_str()), ("SLOB", "cores", "read_write_per_s"));
    assert_eq!(first.rows[0].values[..2], [Some(18_724.4), Some(131_870.3)]);
    golden("compare.slob.80", &text(&comparison, Extent::Screen, Some(80)));
    // A run of one's own over cores stands in the same tables.
    let own = Side::new("own", vec![fixture::slob()]);
    let sides: Vec<Side> = std::iter::once(own).chain(platforms(&slob, &catalogue())).collect();
    golden("compare.slob_own.100", &text(&compared(&sides, &CompareOptions::default()), Extent::Screen, Some(100)));
}

#[test]
fn layers_differ_by_the_mean_of_the_tests_that_all_sides_share() {
    // What the documents conclude: virtual machines cost next to nothing in the processor and some in storage, and
    // POWER is ahead of both.
    let catalogue = catalogue();
    let sides = platforms(&["hpe_dl580_bm_2016", "hpe_dl580_vm_2016", "ibm_p8_e870_2016"], &catalogue);
    let comparison = compared(&sides, &CompareOptions::default());
    let names: Vec<Layer> = comparison.layers.iter().map(|layer| layer.layer).collect();
    assert_eq!(names, [Layer::Cpu, Layer::Server, Layer::Storage, Layer::Database]);
    for layer in &comparison.layers {
        assert!(layer.sides[0].is_none(), "the baseline");
        for side in layer.sides.iter().flatten() {
            assert_eq!(side.factors.len(), layer.tests.len());
            let mean = (side.factors.iter().map(|f| f.ln()).sum::<f64>() / side.factors.len() as f64).exp();
            assert!((side.mean / mean - 1.0).abs() < 1e-12 && side.low <= mean && mean <= side.high, "{side:?}");
            assert!(!side.is_interval, "single runs have a range");
        }
    }
    // Three runs a side have an interval: the only test's own.
    let samples = [sample("before", &[100.0, 101.0, 99.0]), sample("after", &[88.0, 89.0, 90.0])];
    let compared = compared(&samples, &CompareOptions::default());
    let (factor, ratio) =
        (compared.layers[0].sides[1].clone().unwrap(), throughput(&compared).cells[1].ratio.clone().unwrap());
    assert!(factor.is_interval && (factor.mean - ratio.value.unwrap()).abs() < 1e-12, "{factor:?}");
    let half = (ratio.high.unwrap() / ratio.low.unwrap()).ln() / 2.0;
    assert!(((factor.high / factor.mean).ln() - half).abs() < 1e-9, "{factor:?} {ratio:?}");
}

#[test]
fn lines_of_a_family_share_a_stroke_and_no_two_sides_a_style() {
    let catalogue = catalogue();
    let sides = platforms(&ORABENCH, &catalogue);
    let comparison = compared(&sides, &CompareOptions::default());
    let families: Vec<Option<&str>> = comparison.sides.iter().map(|side| side.family.as_deref()).collect();
    let three = [Some("bare metal"), Some("VMware ESX"), Some("RHV")];
    assert_eq!(families, [&[None][..], &three, &three].concat());
    let page = comparison.document(&sides, &[], &catalogue, Extent::Page).page();
    let styles: Vec<u8> =
        page.split("badge s").skip(1).map(|rest| rest[..2].trim_end_matches('"').parse().unwrap()).collect();
    assert_eq!(styles, [0, 25, 10, 19, 28, 13, 22]);
}

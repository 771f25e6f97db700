//! Conclusions about samples: ratios, limits, efficiency, and what is refused.

use super::{catalogue, compared, platforms, sample, text, verdict};
use crate::heatmaps::ORABENCH;
use dbdyno_model::Costs;
use dbdyno_report::Extent;
use dbdyno_report::compare::{self, CompareError, CompareOptions, Comparison, Per, RatioVerdict, Side};

#[test]
fn another_baseline_turns_ratios_around() {
    let sides = platforms(&ORABENCH[..2], &catalogue());
    let ratio = |comparison: &Comparison, at: usize| comparison.rows[0].cells[at].ratio.as_ref().and_then(|r| r.value);
    let first = compared(&sides, &CompareOptions::default());
    let second = compared(&sides, &CompareOptions { baseline: Some("hpe_dl580_bm_2016"), ..CompareOptions::default() });
    let product = ratio(&first, 1).unwrap() * ratio(&second, 0).unwrap();
    assert!((product - 1.0).abs() < 1e-12 && ratio(&first, 0).is_none(), "{product}");
    let wrong = CompareOptions { baseline: Some("elsewhere"), ..CompareOptions::default() };
    assert!(matches!(compare::compare(&sides, &wrong, &catalogue()), Err(CompareError::Baseline { .. })));
}

#[test]
fn two_single_runs_prove_nothing_and_samples_may() {
    let single = compared(&[sample("a", &[100.0]), sample("b", &[50.0])], &CompareOptions::default());
    assert_eq!(verdict(&single), RatioVerdict::SpreadUnknown);
    assert!(text(&single, Extent::Screen, None).contains("run-to-run spread unknown"));
    let base = [100.0, 101.0, 99.0];
    for (rates, expected) in [
        ([100.5, 99.5, 101.0], RatioVerdict::NoDifferenceShown),
        ([90.0, 91.0, 89.0], RatioVerdict::Worse),
        ([110.0, 111.0, 109.0], RatioVerdict::Better),
    ] {
        let both = compared(&[sample("a", &base), sample("b", &rates)], &CompareOptions::default());
        assert_eq!(verdict(&both), expected);
        assert_eq!(both.rows[0].cells[0].value, Some(100.0), "the median of the runs");
    }
}

#[test]
fn a_limit_is_broken_only_where_the_whole_interval_lies_beyond_it() {
    let limit = |rates: &[f64]| {
        let options = CompareOptions { max_regression_pct: Some(5.0), ..CompareOptions::default() };
        compared(&[sample("a", &[100.0, 101.0, 99.0]), sample("b", rates)], &options).regression.unwrap()
    };
    let far = limit(&[80.0, 81.0, 79.0]);
    assert_eq!((far.judged, far.broken.len()), (2, 2));
    assert!(far.broken.iter().all(|b| b.high < 0.95 && b.side == 1));
    // Worse by 7 %, but not certainly by more than 5 %; better; and a single run.
    assert!(limit(&[94.0, 93.0, 92.0]).broken.is_empty());
    assert!(limit(&[120.0, 121.0, 119.0]).broken.is_empty());
    let single = limit(&[10.0]);
    assert_eq!((single.judged, single.not_judged, single.broken.len()), (0, 2, 0));
}

#[test]
fn settings_that_differ_are_listed_and_no_others() {
    let mut other = sample("b", &[100.0]);
    other.runs[0].database.parameters.insert("cache_size".into(), "-1".into());
    let settings = compared(&[sample("a", &[100.0]), other], &CompareOptions::default()).settings;
    let names: Vec<&str> = settings.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["cache_size"]);
    assert_eq!(settings[0].values, [Some("-65536".to_owned()), Some("-1".to_owned())]);
}

#[test]
fn throughput_is_divided_by_what_is_known() {
    let mut priced = sample("b", &[100.0]);
    priced.runs[0].costs =
        Some(Costs { licences_per_core: Some(0.5), prices_usd: [("server".to_owned(), 4_000.0)].into(), terms: None });
    let efficiency = compared(&[sample("a", &[100.0]), priced], &CompareOptions::default()).efficiency;
    let of = |per: Per| efficiency.iter().find(|e| e.per == per).map(|e| e.rows[0].values.clone()).unwrap();
    assert_eq!(of(Per::Core), [Some(100.0), Some(100.0)]);
    assert_eq!(of(Per::Thread), [Some(100.0), Some(100.0)]);
    assert_eq!(of(Per::Licence), [None, Some(200.0)]);
    assert_eq!(of(Per::ThousandUsd), [None, Some(50.0)]);
}

#[test]
fn bad_input_is_refused() {
    let catalogue = catalogue();
    let error = |sides: &[Side]| compare::compare(sides, &CompareOptions::default(), &catalogue).unwrap_err();
    assert_eq!(error(&[sample("a", &[1.0])]), CompareError::Sides(1));
    let many: Vec<Side> = (0..21).map(|n| sample(&format!("s{n}x"), &[1.0])).collect();
    assert_eq!(error(&many), CompareError::Sides(21));
    assert!(compare::compare(&many[..20], &CompareOptions::default(), &catalogue).is_ok());
    assert_eq!(error(&[sample("a", &[1.0]), sample("a", &[1.0])]), CompareError::Twice("a".into()));
    let nothing = error(&platforms(&["aws_r5", "ibm_p8_e870_2016"], &catalogue));
    assert!(matches!(nothing, CompareError::NothingInCommon { .. }), "{nothing}");
}

//! Runs that were measured in turn: what pairs show, and what they do not.

use super::{compared, fixture, golden, text};
use dbdyno_model::{Flag, MetricValue, PairSide, Pairing, Point, RunId, RunJson, Status};
use dbdyno_report::Extent;
use dbdyno_report::compare::{CompareOptions, Comparison, RatioVerdict, Side};

/// How much each pair differs from the middle: geometrically symmetric.
const NOISE: [f64; 8] = [1.0, 1.01, 1.0 / 1.01, 1.02, 1.0 / 1.02, 1.0, 1.01, 1.0 / 1.01];

/// Has a side's point of a pair begin when it is due: A B, B A, A B.
fn begin(point: &mut Point, side: PairSide) {
    let is_second = (side == PairSide::A) == point.repeat.is_multiple_of(2);
    let seconds = 5 * u32::from(is_second);
    point.started_at = format!("2026-01-01T00:{:02}:{seconds:02}Z", point.repeat).parse().unwrap();
}

fn point(side: PairSide, repeat: u32, jobs: u32, tx_per_s: f64) -> Point {
    let mut point = fixture::bare("T611", (1, jobs, 1));
    point.repeat = repeat;
    begin(&mut point, side);
    point.tx_per_s = Some(tx_per_s);
    point.metric = Some(MetricValue { id: "tx_per_s".into(), value: tx_per_s, unit: "1/s".to_owned() });
    point
}

fn paired(name: &str, (side, with): (PairSide, &str), points: Vec<Point>) -> Side {
    let whole = fixture::run();
    let header = dbdyno_model::Run { id: RunId::new(name).unwrap(), ..whole.run };
    let mut run = RunJson::new(header, whole.platform, whole.database, points);
    run.pairing = Some(Pairing { with: RunId::new(with).unwrap(), side, most_pairs: 60, before: None });
    Side::new(name, vec![run])
}

/// Two sides that were measured in turn on a machine that became slower; B is by this factor faster.
fn pair(factor: f64, change: impl Fn(PairSide, &mut Vec<Point>)) -> [Side; 2] {
    let points = |side: PairSide| {
        let rate = |repeat: usize| {
            let slower = 1_000.0 / (1.0 + repeat as f64);
            if side == PairSide::A { slower } else { slower * factor * NOISE[repeat] }
        };
        let jobs =
            |jobs: u32| (0..NOISE.len()).map(move |n| point(side, n as u32 + 1, jobs, rate(n) * f64::from(jobs)));
        let mut all: Vec<Point> = jobs(1).chain(jobs(2)).collect();
        change(side, &mut all);
        all
    };
    [paired("a0", (PairSide::A, "b0"), points(PairSide::A)), paired("b0", (PairSide::B, "a0"), points(PairSide::B))]
}

fn ratios(comparison: &Comparison) -> Vec<(RatioVerdict, Option<f64>)> {
    comparison.pairs.iter().map(|row| (row.ratio.verdict, row.ratio.value)).collect()
}

#[test]
fn pairs_tell_what_runs_cannot() {
    for (factor, expected) in
        [(1.03, RatioVerdict::Better), (0.97, RatioVerdict::Worse), (1.0, RatioVerdict::NoDifferenceShown)]
    {
        let both = compared(&pair(factor, |_, _| {}), &CompareOptions::default());
        let found = ratios(&both);
        assert_eq!(found.len(), 2);
        for (verdict, ratio) in found {
            assert_eq!(verdict, expected, "{factor}");
            assert!((ratio.unwrap() - factor).abs() < 1e-2, "{ratio:?}");
        }
        // The rows of tests say the same: they are of the same points.
        let ratio = both.rows[0].cells[1].ratio.as_ref().unwrap();
        assert_eq!((ratio.verdict, ratio.value), (expected, both.pairs[0].ratio.value));
    }
    let shown = compared(&pair(1.03, |_, _| {}), &CompareOptions::default());
    golden("in_turn", &(text(&shown, Extent::Screen, Some(120)) + "\n" + &shown.document_of_pairs().text(Some(80))));
}

#[test]
fn the_other_side_may_be_the_baseline() {
    let sides = pair(1.03, |_, _| {});
    let turned = compared(&sides, &CompareOptions { baseline: Some("b0"), ..CompareOptions::default() });
    let found = ratios(&turned);
    assert!(found.iter().all(|(verdict, _)| *verdict == RatioVerdict::Worse), "{found:?}");
    assert!((found[0].1.unwrap() - 1.0 / 1.03).abs() < 1e-2);
}

#[test]
fn a_point_that_is_not_valid_takes_its_pair_with_it() {
    let sides = pair(1.1, |side, points| {
        if side == PairSide::A {
            points[2].status = Status::Invalid;
            points[2].reason = Some("the other side's server did not rest".to_owned());
        }
    });
    let both = compared(&sides, &CompareOptions::default());
    assert_eq!((both.pairs[0].pairs, both.pairs[0].measured), (7, 8));
    assert_eq!(both.pairs[0].ratio.verdict, RatioVerdict::NoRatio, "a pilot has eight");
    assert_eq!(both.pairs[1].ratio.verdict, RatioVerdict::Better);
    let shown = both.document_of_pairs().text(None);
    assert!(shown.contains("not compared: it takes 8 pairs for a conclusion, and there are 7"), "{shown}");
    assert!(shown.contains("7 of 8 pairs count: the other side's server did not rest"), "{shown}");
}

#[test]
fn what_is_no_figure_of_the_test_is_not_divided() {
    let doubted = pair(1.1, |side, points| {
        if side == PairSide::B {
            points[0].flags.push(Flag::NotProved);
        }
    });
    let both = compared(&doubted, &CompareOptions::default());
    assert_eq!((both.pairs[0].pairs, both.pairs[0].ratio.verdict), (7, RatioVerdict::NoRatio));
    assert_eq!(both.pairs[0].left_out, ["no figure of the test: not_proved"]);
    assert_eq!(both.pairs[1].ratio.verdict, RatioVerdict::Better);
    let all = pair(1.1, |_, points| points.iter_mut().for_each(|point| point.flags.push(Flag::TooShort)));
    let both = compared(&all, &CompareOptions::default());
    assert_eq!(both.pairs[0].ratio.why.as_deref(), Some("no figure of the test: too_short"));
}

#[test]
fn runs_of_other_pairs_are_no_pair() {
    let [a, _] = pair(1.1, |_, _| {});
    let [_, mut b] = pair(1.1, |_, _| {});
    let of = |side: &Side| compared(&[a.clone(), side.clone()], &CompareOptions::default());
    assert_eq!(of(&b).pairs.len(), 2);
    // It says that it was measured with a third one, or that it is the same side.
    b.runs[0].pairing.as_mut().unwrap().with = RunId::new("c0").unwrap();
    assert!(of(&b).pairs.is_empty() && of(&b).rows[0].cells[1].ratio.as_ref().unwrap().low.is_none());
    let [_, mut b] = pair(1.1, |_, _| {});
    b.runs[0].pairing.as_mut().unwrap().side = PairSide::A;
    assert!(of(&b).pairs.is_empty());
    // It says so, and the times of its points say something else; or it had more data.
    let [_, mut b] = pair(1.1, |_, points| {
        points.iter_mut().for_each(|point| begin(point, PairSide::A));
    });
    let not_in_turn = |b: &Side| {
        let of = of(b);
        assert_eq!(of.pairs[0].ratio.verdict, RatioVerdict::NoRatio);
        assert!(of.pairs[0].ratio.why.as_deref().is_some_and(|why| why.starts_with("they were not measured in turn")));
        assert_eq!(of.rows[0].cells[1].ratio.as_ref().unwrap().verdict, RatioVerdict::SpreadUnknown);
    };
    not_in_turn(&b);
    let [_, more] = pair(1.1, |_, _| {});
    b = more;
    b.runs[0].run.size = "S".to_owned();
    assert_eq!(of(&b).pairs[0].ratio.verdict, RatioVerdict::NoRatio);
}

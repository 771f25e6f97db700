//! Verdicts over several runs: storage, workloads and their transactions, and variants side by side.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod fixture;

use dbdyno_catalogue::{Catalogue, Requirements};
use dbdyno_model::{ResponseTime, RunId, RunJson, Status, Subject, TransactionType};
use dbdyno_report::verdict::{RequirementOutcome, Variant, Verdict, VerdictLine};

fn requirements(text: &str) -> Requirements {
    Requirements::parse("needs.toml", &format!("title = \"Warehouse\"\n{text}"), &Catalogue::embedded().unwrap())
        .unwrap()
}

/// A requirement of storage.
fn of_storage(title: &str, metric: &str, keys: &str) -> String {
    format!("[[requirement]]\ntitle = \"{title}\"\nstorage = \"8K random reads\"\nmetric = \"{metric}\"\n{keys}\n")
}

/// A storage run with a label whose small reads took as long as this at most.
fn labelled(label: &str, id: &str, longest_s: f64) -> RunJson {
    let mut run = fixture::storage::run();
    run.run.id = RunId::new(id).unwrap();
    run.run.label = Some(label.to_owned());
    for point in
        run.points.iter_mut().filter(|p| p.subject.storage().is_some_and(|s| s.load.work() == "8K random reads"))
    {
        for times in [&mut point.service_time_s, &mut point.response_time_s].into_iter().flatten() {
            times.max = Some(longest_s);
        }
    }
    RunJson::new(run.run, run.platform, run.database, run.points)
}

fn variant(name: &str, runs: Vec<RunJson>) -> Variant {
    Variant { name: name.to_owned(), runs }
}

fn outcomes(verdict: &Verdict) -> Vec<(&str, RequirementOutcome)> {
    verdict.lines.iter().map(|line| (line.title.as_str(), line.outcome)).collect()
}

#[test]
fn the_table_of_results_shows_what_a_mean_hides() {
    let outstanding = fixture::storage::run().points.iter().find_map(|p| {
        let load = &p.subject.storage()?.load;
        (load.work() == "8K random reads" && p.load.rate.is_none()).then_some(load.small_outstanding)
    });
    let at = format!("small_outstanding = {}\n", outstanding.unwrap());
    let needs = requirements(
        &(of_storage("I/O rate", "small_iops", "minimum = 10000")
            + &of_storage("I/O latency", "service_time_s", &format!("{at}maximum = 0.005"))
            + &of_storage("Longest", "service_time_s.max", &format!("{at}maximum = 0.1"))),
    );
    let variants = [
        variant("baseline", vec![labelled("baseline", "base1", 0.005)]),
        variant("replicated", vec![labelled("replicated", "repl1", 0.8)]),
    ];
    let [base, replicated] = <[Verdict; 2]>::try_from(Verdict::of_variants(&variants, &needs, &[])).unwrap();
    assert!(base.met, "{base:?}");
    assert_eq!(
        outcomes(&replicated),
        [
            ("I/O rate", RequirementOutcome::Met),
            ("I/O latency", RequirementOutcome::Met),
            ("Longest", RequirementOutcome::Missed)
        ]
    );
    let peak = |line: &VerdictLine| line.figure.as_ref().unwrap().peak;
    assert_eq!((peak(&base.lines[1]), peak(&replicated.lines[1])), (Some(0.005), Some(0.8)));
    assert!(replicated.lines[1].remarks.iter().any(|r| r == "the longest was 800 ms, 160 times the limit"));
    let text = Verdict::document(&[base, replicated]).text(None);
    let latency = text.lines().find(|line| line.starts_with("I/O latency")).unwrap();
    assert!(latency.contains("peak 5.00 ms") && latency.contains("peak 800 ms"), "{text}");
}

#[test]
fn a_requirement_is_judged_on_the_newest_run_of_a_label_that_measured_it() {
    let needs = requirements(
        &(of_storage("I/O rate", "small_iops", "minimum = 10000")
            + "[[requirement]]\ntitle = \"Orders\"\ntest = \"T711\"\nmetric = \"tx_per_s\"\nminimum = 1\n"),
    );
    let mut tests = fixture::run();
    tests.run.label = Some("baseline".to_owned());
    let runs = vec![tests, labelled("baseline", "base1", 0.005)];
    let verdict = &Verdict::of_variants(&[variant("baseline", runs)], &needs, &[])[0];
    assert_eq!(verdict.lines[0].outcome, RequirementOutcome::Met, "{verdict:?}");
    assert_eq!(verdict.lines[0].run.as_ref().map(RunId::as_str), Some("base1"));
    assert_eq!((verdict.lines[1].outcome, &verdict.lines[1].run), (RequirementOutcome::Met, &None));
}

#[test]
fn a_requirement_of_one_variant_is_judged_there_alone_and_never_dropped() {
    let needs = requirements(&of_storage("I/O rate", "small_iops", "minimum = 10000\nvariant = \"replicated\""));
    let both = [
        variant("baseline", vec![labelled("baseline", "base1", 0.005)]),
        variant("replicated", vec![labelled("replicated", "repl1", 0.8)]),
    ];
    let verdicts = Verdict::of_variants(&both, &needs, &[]);
    let judged: Vec<(&str, usize)> = verdicts.iter().map(|v| (v.name.as_str(), v.lines.len())).collect();
    assert_eq!(judged, [("replicated", 1)], "of the other nothing was asked");
    let alone = &Verdict::of_variants(&both[..1], &needs, &[])[0];
    assert_eq!(outcomes(alone), [("I/O rate", RequirementOutcome::NotMeasured)]);
    assert!(alone.lines[0].reason.as_ref().unwrap().contains("nothing that was judged is called 'replicated'"));
}

#[test]
fn a_time_at_another_load_or_of_another_kind_of_io_is_not_taken() {
    for (keys, words) in [
        ("small_outstanding = 7777\nmaximum = 0.005", "not like this: 8K random reads was measured"),
        ("rate_per_s = 1e9\nmaximum = 0.005", "not like this"),
    ] {
        let verdict = Verdict::of(&fixture::storage::run(), &requirements(&of_storage("x", "service_time_s", keys)));
        assert!(verdict.lines[0].reason.as_ref().unwrap().starts_with(words), "{verdict:?}");
    }
    let other = of_storage("x", "small_iops", "minimum = 1").replace("8K random reads", "4K random reads");
    let verdict = Verdict::of(&fixture::storage::run(), &requirements(&other));
    assert!(verdict.lines[0].reason.as_ref().unwrap().contains("no points of 4K random reads; it has "), "{verdict:?}");
}

#[test]
fn the_transactions_of_a_workload_are_judged_by_type() {
    let mut run = fixture::run();
    run.points.retain(|p| p.status == Status::Ok && p.flags.is_empty());
    run.points.truncate(1);
    run.points[0].subject = Subject::of_database("tpcb").unwrap();
    let times = |p99: f64, max: f64| ResponseTime {
        mean: Some(0.001),
        p99: Some(p99),
        max: Some(max),
        ..ResponseTime::default()
    };
    let of_type = |name: &str, ops: u64, p99: f64| TransactionType {
        name: name.to_owned(),
        weight: 1,
        ops: Some(ops),
        ops_per_s: Some(ops as f64 / 10.0),
        service_time_s: Some(times(p99, 2.0 * p99)),
        response_time_s: None,
        outcomes: dbdyno_model::Outcomes::default(),
    };
    run.points[0].transactions = vec![of_type("transfer", 40_000, 0.02), of_type("balance", 400, 0.001)];
    let of = |transaction: &str, metric: &str, limit: &str| {
        let text = format!(
            "[[requirement]]\ntitle = \"x\"\nworkload = \"tpcb\"\ntransaction = \"{transaction}\"\nmetric = \"{metric}\"\n{limit}\n"
        );
        Verdict::of(&run, &requirements(&text)).lines.remove(0)
    };
    assert_eq!(of("transfer", "tx_per_s", "minimum = 4000").outcome, RequirementOutcome::Met);
    assert_eq!(of("transfer", "tx_per_s", "minimum = 4001").outcome, RequirementOutcome::Missed);
    assert_eq!(of("transfer", "service_time_s.p99", "maximum = 0.01").outcome, RequirementOutcome::Missed);
    let few = of("balance", "service_time_s.p99", "maximum = 0.01");
    assert_eq!(few.outcome, RequirementOutcome::Refused, "400 are too few for a 99th percentile: {few:?}");
    assert_eq!(of("nobody", "tx_per_s", "minimum = 1").outcome, RequirementOutcome::NotMeasured);
}

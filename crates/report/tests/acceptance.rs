//! Acceptances: every outcome, as text, page, JUnit and JSON. `DBDYNO_BLESS=1` writes the golden files again; read the
//! difference before you commit it.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test file uses its part")]
mod fixture;

use dbdyno_catalogue::{Catalogue, Project};
use dbdyno_model::{
    CrashReport, Cut, DURABILITY_VERSION, DurabilityControl, DurabilityJson, Judged, MetricId, RunId, RunJson,
    most_lossy_pct,
};
use dbdyno_report::acceptance::{Acceptance, AcceptanceOutcome, Left, StepResult};
use dbdyno_report::compare::{PairedRow, Ratio, RatioVerdict};
use std::collections::BTreeMap;
use std::path::Path;

const PROJECT: &str = r#"
name = "shop"
title = "Shop <of> \"things\" & more"
[[variant]]
name = "alone"
title = "One server"
role = "baseline"
target = "sqlite:alone.db"
[[variant]]
name = "standby"
title = "<b>With</b> a standby"
role = "candidate"
target = "sqlite:standby.db"
[[variant]]
name = "most"
title = "At most"
[[step]]
name = "tests"
title = "Tests"
run = "baseline"
variants = ["alone", "standby"]
[[step]]
name = "disk"
orion = "--reference --file /data/x"
variants = ["most"]
[[step]]
name = "crash"
title = "Crashes"
durability = "--cuts 3"
variants = ["alone", "standby"]
[[step]]
name = "cost"
title = "Pairs"
pair = "T711"
[[requirement]]
title = "Lookups"
step = "tests"
test = "T611"
metric = "tx_per_s"
minimum = 100
[[requirement]]
title = "Updates"
test = "T711"
metric = "tx_per_s"
minimum = 1_000_000
[[requirement]]
title = "Updates of the baseline"
variant = "alone"
test = "T711"
metric = "tx_per_s"
minimum = 1
[[requirement]]
title = "Many lookups"
test = "T611"
metric = "tx_per_s"
jobs = 64
minimum = 1
[[requirement]]
title = "Nothing is lost"
lost = 0
[[requirement]]
title = "Hardly any crash loses"
step = "crash"
lost = 0
at_most_lossy_pct = 3
[[requirement]]
title = "What it costs"
test = "T711"
ratio_at_least = 0.8
[[requirement]]
title = "What it costs, strictly"
step = "cost"
ratio_at_least = 0.84
[[requirement]]
title = "What it costs, too strictly"
ratio_at_least = 0.9
"#;

fn project() -> Project {
    Project::parse("shop.toml", PROJECT, &Catalogue::embedded().unwrap()).unwrap()
}

/// The run of a variant, with rates times a factor.
fn run(id: &str, factor: f64) -> RunJson {
    let mut run = fixture::run();
    run.run.id = RunId::new(id).unwrap();
    for point in &mut run.points {
        for rate in [&mut point.ops_per_s, &mut point.tx_per_s, &mut point.rows_per_s].into_iter().flatten() {
            *rate *= factor;
        }
        if let Some(metric) = &mut point.metric {
            metric.value *= factor;
        }
    }
    RunJson::new(run.run, run.platform, run.database, run.points)
}

/// A crash test with so many lost commits in each of three cuts.
fn crashes(id: &str, lost: u64) -> DurabilityJson {
    let judged = Judged { acknowledged: 400, lost, ..Judged::default() };
    let cut = |cut| Cut { cut, recovery_s: Some(0.25), judged: judged.clone(), ..Cut::default() };
    let report = CrashReport { cuts: (1..=3).map(cut).collect(), ..CrashReport::default() };
    let lossy_cuts = report.losses();
    let control = DurabilityControl {
        name: "fsync_off".to_owned(),
        means: "fsync off".to_owned(),
        can_be_seen: true,
        acknowledged: 1_200,
        lost: 900,
        lossy_cuts: 3,
        report: report.clone(),
    };
    DurabilityJson {
        schema_version: DURABILITY_VERSION,
        id: RunId::new(id).unwrap(),
        label: None,
        started_at: "2026-03-14T09:26:53Z".parse().unwrap(),
        tool_version: "0.1.0".to_owned(),
        target: "private:sqlite".to_owned(),
        engine: "sqlite".to_owned(),
        version: None,
        cut_by: "kill".to_owned(),
        loses: "what the processes had in memory".to_owned(),
        not_stronger: None,
        standby: None,
        link_held_s: None,
        replication_log: false,
        sessions: 1,
        seed: 42,
        planned_cuts: 3,
        ended_early: None,
        acknowledged: 1_200,
        lost: 3 * lost,
        lossy_cuts,
        at_most_lossy_pct: (lossy_cuts == 0).then(|| most_lossy_pct(3)),
        report,
        control_asked: true,
        control: Some(control),
    }
}

fn pair() -> Vec<PairedRow> {
    let ratio = Ratio {
        value: Some(0.843),
        low: Some(0.821),
        high: Some(0.866),
        p_value: Some(0.000_1),
        verdict: RatioVerdict::Worse,
        why: None,
    };
    vec![PairedRow {
        test: "T711".to_owned(),
        title: "Updates".to_owned(),
        dop: "1x4x1".to_owned(),
        load: String::new(),
        rows_per_tx: 1,
        metric: Some(MetricId::from("tx_per_s")),
        unit: "tx/s".to_owned(),
        pairs: 12,
        measured: 12,
        left_out: Vec::new(),
        equivalents: [None, None],
        flags: BTreeMap::new(),
        medians: [Some(1_000.0), Some(843.0)],
        ratio,
    }]
}

/// Everything that the steps leave.
fn left(lost: u64) -> Vec<StepResult> {
    let of = |step, variant, left| StepResult { step, variant, label: format!("label-{step}-{variant}"), left };
    vec![
        of(0, 0, Left::Run(Box::new(run("a10ne000", 1.0)))),
        of(0, 1, Left::Run(Box::new(run("standby0", 0.8)))),
        of(1, 2, Left::Run(Box::new(fixture::storage::run()))),
        of(2, 0, Left::Durability(Box::new(crashes("cras00na", 0)))),
        of(2, 1, Left::Durability(Box::new(crashes("cras00nb", lost)))),
        of(3, 1, Left::Pair(RunId::new("pa1r0000").unwrap(), pair())),
    ]
}

fn judged(left: Vec<StepResult>) -> Acceptance {
    Acceptance::of(&project(), left, "2026-03-14T10:00:00Z".parse().unwrap(), "0.1.0")
}

fn outcomes(acceptance: &Acceptance) -> Vec<(&str, AcceptanceOutcome)> {
    acceptance.requirements.iter().map(|of| (of.title.as_str(), of.outcome)).collect()
}

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance").join(name);
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

#[test]
fn it_is_shown_as_the_golden_files_say() {
    let acceptance = judged(left(0));
    let document = acceptance.document(&Catalogue::embedded().unwrap());
    golden("page.txt", &document.text(None));
    golden("page.80.txt", &document.text(Some(80)));
    golden("page.md", &document.markdown());
    golden("junit.xml", &acceptance.junit().unwrap());
    golden("acceptance.json", &format!("{}\n", serde_json::to_string_pretty(&acceptance).unwrap()));
    let page = document.page();
    let body = page.split_once("<body").map_or("", |(_, body)| body);
    let body = body.split("<script>").next().unwrap_or_default();
    golden("page.html", &body.replace('<', "\n<").replace("\n</", "</"));
    assert!(page.contains("&lt;b&gt;With&lt;/b&gt; a standby") && !page.contains("<b>With"), "names are no markup");
    assert!(page.contains("Lookups: &gt;= 100/s"), "what is required is drawn in");
}

#[test]
fn each_kind_of_requirement_is_met_missed_or_undecided() {
    use AcceptanceOutcome::{Met, Missed, NotMeasured, Undecided};
    let acceptance = judged(left(0));
    assert_eq!(
        outcomes(&acceptance),
        [
            ("Lookups", Met),
            ("Updates", Missed),
            ("Updates of the baseline", Met),
            ("Many lookups", NotMeasured),
            ("Nothing is lost", Met),
            ("Hardly any crash loses", Undecided),
            ("What it costs", Met),
            ("What it costs, strictly", Undecided),
            ("What it costs, too strictly", Missed),
        ]
    );
    assert_eq!((acceptance.outcome, acceptance.lost_something), (Missed, false));
    let lost = judged(left(2));
    assert_eq!(outcomes(&lost)[4], ("Nothing is lost", Missed));
    assert!(
        lost.lost_something && lost.summary().ends_with("a crash lost what was acknowledged"),
        "{}",
        lost.summary()
    );
}

#[test]
fn what_is_not_there_is_not_believed() {
    use AcceptanceOutcome::{NotMeasured, Undecided};
    let mut nothing = left(0);
    nothing.iter_mut().for_each(|result| result.left = Left::Nothing);
    let nothing = judged(nothing);
    assert!(outcomes(&nothing).iter().all(|(_, outcome)| *outcome == NotMeasured), "{:?}", outcomes(&nothing));
    assert!(nothing.steps.iter().all(|step| step.state == "missing"));
    let of_crash = |change: &dyn Fn(&mut DurabilityJson)| {
        let mut left = left(0);
        for result in &mut left {
            if let Left::Durability(test) = &mut result.left {
                change(test);
            }
        }
        outcomes(&judged(left))[4].1
    };
    assert_eq!(of_crash(&|test| test.ended_early = Some("stopped".to_owned())), Undecided);
    assert_eq!(of_crash(&|test| test.control.as_mut().unwrap().lossy_cuts = 0), Undecided, "it would see no loss");
    assert_eq!(of_crash(&|test| test.report.cuts.clear()), NotMeasured);
    let mut without = left(0);
    if let Some(Left::Pair(_, rows)) = without.last_mut().map(|result| &mut result.left) {
        (rows[0].ratio.low, rows[0].ratio.high) = (None, None);
    }
    assert_eq!(outcomes(&judged(without))[6].1, NotMeasured, "a ratio without an interval shows nothing");
}

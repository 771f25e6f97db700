#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;
use crate::slob_conf::option;
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Value};
use dbdyno_engine::program::{Act, TypeId};
use std::collections::BTreeMap;

fn settings(assignments: &[&str]) -> Settings {
    let assignments: Vec<Assignment> = assignments.iter().map(|text| option(text).unwrap()).collect();
    Slob.settings(&assignments).unwrap()
}

/// A user of so many, on eight schemas.
fn user((number, of): (u32, u32), settings: &Settings) -> User {
    let data = DataSpec { parameters: settings.data.clone(), ..DataSpec::new(Scale::units(8), 42) };
    User { number, of, seed: 7, data, parameters: settings.work.clone(), form: Drive::Client }
}

/// An operation: its type, its statement, and its values.
#[derive(Debug, Clone, PartialEq)]
struct Done {
    type_id: TypeId,
    statement: usize,
    numbers: Vec<i64>,
    text: String,
    pause_ns: Option<u64>,
}

fn operations(program: &mut dyn Program, n: usize) -> Vec<Done> {
    let one = |_| {
        let type_id = program.begin();
        let mut act = program.act(None);
        let pause_ns = if let Act::Think(pause_ns) = act {
            act = program.act(None);
            Some(pause_ns)
        } else {
            None
        };
        let Act::Execute { statement, times: 1, opens: false } = act else { panic!("{act:?}") };
        let (mut numbers, mut text) = (Vec::new(), String::new());
        for value in program.values().iter() {
            match value {
                Value::Int(number) => numbers.push(number),
                Value::Text(written) => written.clone_into(&mut text),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(program.changes(), type_id == TypeId::new(1));
        let mut answer = Answer::default();
        answer.begin_row().push(63);
        assert_eq!(program.act(Some((&ChunkResult { rows: 63, ..ChunkResult::default() }, &answer))), Act::Ended);
        assert_eq!((program.did().rows, program.did().checksum), (63, 63));
        Done { type_id, statement, numbers, text, pause_ns }
    };
    (0..n).map(one).collect()
}

fn of(assignments: &[&str], n: usize) -> Vec<Done> {
    let settings = settings(assignments);
    let user = user((3, 8), &settings);
    let types = Slob.types_of(None, &settings.work);
    operations(Slob.program(user, types).as_mut(), n)
}

#[test]
fn each_hundred_operations_have_the_shares_that_were_asked_for() {
    for (updates, scans) in [(0, 0), (10, 0), (50, 0), (100, 0), (20, 30)] {
        let done = of(&[&format!("UPDATE_PCT={updates}"), &format!("SCAN_PCT={scans}")], 1_000);
        for hundred in done.chunks_exact(100) {
            let count = |number| hundred.iter().filter(|done| done.type_id == TypeId::new(number)).count();
            assert_eq!([count(0), count(1), count(2)], [100 - updates - scans, updates, scans]);
        }
        let order = |hundred: &[Done]| hundred.iter().map(|done| done.type_id).collect::<Vec<_>>();
        let is_mixed = updates + scans > 0 && updates < 100;
        assert_eq!(order(&done[..100]) != order(&done[100..200]), is_mixed, "the order is drawn for each hundred");
    }
}

#[test]
fn an_operation_lies_between_two_keys_that_are_a_unit_apart() {
    let done = of(&["WORK_UNIT=64", "UPDATE_PCT=50"], 20_000);
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for Done { numbers, text, type_id, .. } in &done {
        let [low, high] = numbers[..] else { panic!("{numbers:?}") };
        assert_eq!(high - low, 64);
        (least, most) = (least.min(low), most.max(high));
        assert_eq!(text.len(), if *type_id == TypeId::new(1) { 128 } else { 0 });
    }
    assert!(least >= 1 && most <= 10_240 - 64, "{least} {most}");
    assert!(least <= 5 && most >= 10_240 - 64 - 5, "every key can come: {least} {most}");
    let texts: Vec<&str> = done.iter().map(|done| done.text.as_str()).filter(|text| !text.is_empty()).collect();
    let distinct: std::collections::BTreeSet<&&str> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len(), "each update writes something else");
}

#[test]
fn the_hot_spot_and_the_hot_schema_come_with_every_so_many_operations() {
    let done = of(&["DO_HOTSPOT=TRUE", "HOTSPOT_MB=8", "HOTSPOT_OFFSET_MB=16", "HOTSPOT_FREQUENCY=3"], 9_000);
    // 16 MiB are 2,048 blocks, and 8 MiB 1,024.
    let in_spot = |done: &Done| done.numbers[0] > 2_048 && done.numbers[1] <= 2_048 + 1_024;
    assert!(done.iter().skip(2).step_by(3).all(in_spot));
    let others = done.iter().enumerate().filter(|(n, _)| n % 3 != 2);
    let by_chance = others.filter(|(_, done)| in_spot(done)).count() as f64 / 6_000.0;
    assert!((0.06..0.13).contains(&by_chance), "{by_chance}");
    let done = of(&["HOT_SCHEMA_FREQUENCY=4"], 4_000);
    let hot = done.iter().filter(|done| done.statement >= Sent::VARIANTS.len()).count();
    assert_eq!(hot, 1_000);
    let cold = of(&[], 1_000);
    assert!(cold.iter().all(|done| done.statement < Sent::VARIANTS.len()));
}

#[test]
fn pauses_come_with_every_so_many_operations() {
    let done = of(&["THINK_TM_FREQUENCY=5", "THINK_TM_MIN=.1", "THINK_TM_MAX=.5"], 1_000);
    let pauses: BTreeMap<usize, u64> =
        done.iter().enumerate().filter_map(|(n, done)| Some((n + 1, done.pause_ns?))).collect();
    assert!(pauses.len() == 200 && pauses.keys().all(|n| n % 5 == 0));
    assert!(pauses.values().all(|ns| (100_000_000..=500_000_000).contains(ns)));
    let mean = pauses.values().sum::<u64>() as f64 / 200.0;
    assert!((2.7e8..3.3e8).contains(&mean), "{mean}");
}

#[test]
fn sessions_are_dealt_out_to_schemas_and_draw_keys_of_their_own() {
    let settings = settings(&["THREADS_PER_SCHEMA=2", "REDO_STRESS=HEAVY", "UPDATE_PCT=100"]);
    let unit = |number, statement| Slob.unit(statement, &user((number, 8), &settings));
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|number| unit(number, 0)), [1, 2, 3, 4, 1, 2, 3, 4]);
    assert_eq!(unit(3, Sent::VARIANTS.len()), 1, "the hot schema is the first");
    let keys = |number| {
        let types = Slob.types_of(None, &settings.work);
        let done = operations(Slob.program(user((number, 8), &settings), types).as_mut(), 100);
        assert!(done.iter().all(|done| Slob.statements(Drive::Client)[done.statement] == "update_heavy"));
        done.into_iter().map(|done| done.numbers[0]).collect::<Vec<_>>()
    };
    assert_eq!(keys(1), keys(1));
    assert_ne!(keys(1), keys(5), "two sessions on one schema do not follow each other");
}

#[test]
fn what_parameters_say_is_kept_and_read_back() {
    let given =
        settings(&["SCALE=160M", "WORK_LOOP=1000", "RUN_TIME=30", "THREADS_PER_SCHEMA=4", "EXTERNAL_SCRIPT=/x"]);
    assert_eq!((given.data.get("SCALE"), given.data_named), (Some("20480"), vec!["SCALE".to_owned()]));
    assert_eq!((given.transactions_each, given.duration_s, given.users_per_unit), (Some(1_000), Some(30.0), 4));
    assert_eq!(given.script.as_deref(), Some("/x"));
    let plain = settings(&[]);
    assert_eq!((plain.transactions_each, plain.duration_s, plain.users_per_unit), (None, None, 1));
    let words = |schemas| {
        Slob.data_words(&DataSpec { parameters: plain.data.clone(), ..DataSpec::new(Scale::units(schemas), 42) })
    };
    assert_eq!([words(1), words(8)], ["1 schema of 10240 blocks", "8 schemas of 10240 blocks"]);
    let refused = Slob.settings(&[option("UPDATE_PCT=60").unwrap()]).unwrap_err();
    assert!(refused.contains("--set UPDATE_PCT") && refused.contains("60"), "{refused}");
}

#[test]
fn a_schema_that_lacks_rows_or_has_them_elsewhere_is_found() {
    let data = DataSpec { parameters: settings(&[]).data, ..DataSpec::new(Scale::units(2), 42) };
    assert_eq!(Slob.misloaded(&data, &[10_240, 128, 10_240, 128]), [""; 0]);
    assert!(Slob.misloaded(&data, &[10_240, 128, 10_239, 128])[0].contains("schema 2 has"));
    assert!(Slob.misloaded(&data, &[10_240, 128])[0].contains("for 2 schemas"));
    assert_eq!(Slob.misplaced(&data, &[10_240, 10_240, 0, 4_000, 10_240, 10_240, 0, -49_000]), [""; 0]);
    for (figures, why) in [
        ([10_240, 10_239, 0, 0], "alone in its block"),
        ([10_240, 10_240, 3, 0], "stored elsewhere"),
        ([10_240, 10_240, 0, 60_000], "correlation 0.060"),
        ([10_240, 10_240, 0, -60_000], "correlation -0.060"),
    ] {
        let one = DataSpec { scale: Scale::ONE, ..data.clone() };
        let said = Slob.misplaced(&one, &figures);
        assert!(said.len() == 1 && said[0].contains(why), "{said:?}");
    }
    for figures in [&[][..], &[1, 1], &[10_240, 10_240, 0, 4_000]] {
        assert!(Slob.misplaced(&data, figures)[0].contains("statistics of the tables are missing"), "{figures:?}");
    }
}

#[test]
fn operations_that_found_other_rows_are_found() {
    let settings = settings(&["WORK_UNIT=11", "SCAN_TABLE_SZ=16"]);
    let data = DataSpec { parameters: settings.data.clone(), ..DataSpec::new(Scale::ONE, 42) };
    let ended = |acknowledged, sum| Ended { acknowledged, sum, ..Ended::default() };
    let wrong = |ended: &[Ended]| Slob.miscounted((&[], &[]), ended, (&data, &settings.work));
    assert_eq!(wrong(&[ended(10, 100), ended(3, 30), ended(2, 32)]), [""; 0]);
    let said = wrong(&[ended(10, 99), ended(3, 33), ended(2, 30)]);
    assert_eq!(
        said,
        [
            "10 select operations found 99 rows, and not 10 each",
            "3 update operations found 33 rows, and not 10 each",
            "2 scan operations found 30 rows, and not 16 each"
        ]
    );
}

#[test]
fn the_proof_of_commits_changes_two_rows_of_a_few_blocks_again_and_again() {
    let settings =
        settings(&["UPDATE_PCT=10", "SCAN_PCT=20", "SCALE=200M", "THINK_TM_FREQUENCY=1", "REDO_STRESS=HEAVY"]);
    let data = user((0, 1), &settings).data;
    let committing = Slob.committing(&data, &settings.work);
    let user = User { parameters: committing.clone(), ..user((0, 1), &settings) };
    let done = operations(Slob.program(user, Slob.types_of(None, &committing)).as_mut(), 1_000);
    let is_small = |done: &Done| done.numbers[1] <= 128 && done.numbers[1] - done.numbers[0] == 3;
    assert!(done.iter().all(|done| done.type_id == TypeId::new(1) && done.pause_ns.is_none() && is_small(done)));
}

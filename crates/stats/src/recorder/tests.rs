//! The recorder compared with plain histograms and counts of the same operations, in any order of flushes; and its
//! parts.

use super::*;
use crate::Histogram;
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000;
/// More steps than are open at once.
const STEPS: usize = 7;
const TYPES: usize = 3;

fn three() -> Types {
    Types::new(TYPES).unwrap()
}

fn id(number: usize) -> TypeId {
    three().ids().nth(number).unwrap()
}

fn sample(number: usize, ended_ns: u64, service_ns: u64) -> Sample {
    Sample { type_id: id(number), ended_ns, service_ns, response_ns: 2 * service_ns, rows: 3 }
}

/// What a session did: type, moment and time.
#[derive(Debug, Clone, Copy)]
enum Did {
    Succeeded,
    Failed,
    TriedAgain,
    NotEnded,
}

type Event = (Did, usize, u64, u64);

fn sessions(most: usize) -> impl Strategy<Value = Vec<Vec<Event>>> {
    let did = prop_oneof![
        12 => Just(Did::Succeeded),
        1 => Just(Did::Failed),
        1 => Just(Did::TriedAgain),
        1 => Just(Did::NotEnded)
    ];
    let deed = (did, 0..TYPES, 0..STEPS as u64 * SECOND, 1..10_000_000u64);
    proptest::collection::vec(proptest::collection::vec(deed, 0..300), 1..most)
}

/// Plays one session after the other. All but the first flush into steps that are already closed.
fn play(recorder: &Recorder, sessions: &[Vec<Event>]) {
    for deeds in sessions {
        let mut deeds = deeds.clone();
        deeds.sort_unstable_by_key(|(_, _, at_ns, _)| *at_ns);
        let mut local = recorder.local();
        for (did, number, at_ns, service_ns) in deeds {
            match did {
                Did::Succeeded => local.record(sample(number, at_ns, service_ns)),
                Did::Failed => local.error(id(number), at_ns),
                Did::TriedAgain => local.retry(id(number), at_ns),
                Did::NotEnded => recorder.unfinished(id(number), service_ns),
            }
        }
    }
}

/// The same operations, counted plainly.
fn counted(sessions: &[Vec<Event>]) -> Vec<TypeRecording> {
    let empty = || TypeRecording {
        service: Histogram::new(),
        response: Some(Histogram::new()),
        steps: vec![StepCounts::default(); STEPS],
    };
    let mut types: Vec<TypeRecording> = (0..TYPES).map(|_| empty()).collect();
    for (did, number, at_ns, service_ns) in sessions.iter().flatten() {
        let TypeRecording { service, response, steps } = &mut types[*number];
        let (response, step) = (response.as_mut().unwrap(), &mut steps[(at_ns / SECOND) as usize]);
        match did {
            Did::Succeeded => {
                service.record_ns(*service_ns);
                response.record_ns(2 * service_ns);
                step.ops += 1;
                step.rows += 3;
            }
            Did::Failed => step.errors += 1,
            Did::TriedAgain => step.retries += 1,
            Did::NotEnded => response.record_ns(*service_ns),
        }
    }
    types
}

/// Percentiles of the times of each step.
fn told(sessions: &[Vec<Event>]) -> Vec<(Option<u64>, Option<u64>)> {
    let mut steps = vec![Histogram::new(); STEPS];
    for (did, _, at_ns, service_ns) in sessions.iter().flatten() {
        if matches!(did, Did::Succeeded) {
            steps[(at_ns / SECOND) as usize].record_ns(2 * service_ns);
        }
    }
    steps.iter().map(|step| (step.percentile_ns(50.0), step.percentile_ns(99.0))).collect()
}

const WINDOW: u64 = STEPS as u64 * SECOND;

fn part_of(sessions: &[Vec<Event>]) -> RecordingPart {
    let recorder = Recorder::for_part(RecordedTimes::ServiceAndResponse, three(), WINDOW, SECOND);
    play(&recorder, sessions);
    recorder.into_part().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn nothing_is_lost_whoever_pours_when(sessions in sessions(5)) {
        let recorder = Recorder::new(RecordedTimes::ServiceAndResponse, three(), WINDOW, SECOND);
        play(&recorder, &sessions);
        let recorded = recorder.finish();
        let types = counted(&sessions);
        for (step, summary) in recorded.steps.iter().enumerate() {
            let sum = |count: fn(&StepCounts) -> u64| types.iter().map(|of_type| count(&of_type.steps[step])).sum::<u64>();
            prop_assert_eq!((summary.ops, summary.rows), (sum(|s| s.ops), sum(|s| s.rows)));
            prop_assert_eq!((summary.errors, summary.retries), (sum(|s| s.errors), sum(|s| s.retries)));
        }
        prop_assert_eq!(recorded.types, types);
    }

    #[test]
    fn parts_that_were_stored_merge_to_what_one_recorder_has(
        sessions in sessions(5),
        parts in 1usize..4,
        order in Just([0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let share = |part: usize| sessions.iter().skip(part).step_by(parts).cloned().collect::<Vec<_>>();
        let in_turn = order.into_iter().filter(|part| *part < parts);
        let stored: Vec<String> = in_turn.map(|part| serde_json::to_string(&part_of(&share(part))).unwrap()).collect();
        let read = |text: &String| serde_json::from_str::<RecordingPart>(text).unwrap();
        let mut merged = read(&stored[0]);
        for text in &stored[1..] {
            merged.merge(read(text)).unwrap();
        }
        let one = Recorder::for_part(RecordedTimes::ServiceAndResponse, three(), WINDOW, SECOND);
        play(&one, &sessions);
        prop_assert_eq!(&merged, &part_of(&sessions));
        let recorded = merged.finish().unwrap();
        prop_assert_eq!(&recorded, &one.finish());
        // Late operations are in the percentiles, too.
        let percentiles: Vec<_> = recorded.steps.iter().map(|step| (step.p50_ns, step.p99_ns)).collect();
        prop_assert_eq!(percentiles, told(&sessions));
        prop_assert_eq!(recorded.types, counted(&sessions));
    }
}

#[test]
fn a_step_has_its_own_percentiles_and_counts() {
    let recorder = Recorder::new(RecordedTimes::Service, three(), 6 * SECOND, SECOND);
    let mut local = recorder.local();
    for step in [0, 1, 5] {
        for n in 1..=100 {
            local.record(sample(n as usize % TYPES, step * SECOND + n, (step + 1) * n * 1_000));
        }
        local.error(id(1), step * SECOND + 500);
        local.retry(id(2), step * SECOND + 501);
    }
    drop(local);
    let recorded = recorder.finish();
    assert_eq!(recorded.steps.len(), 6);
    assert!(recorded.types.iter().all(|of_type| of_type.response.is_none()) && recorded.together().1.is_none());
    for (step, summary) in recorded.steps.iter().enumerate() {
        let near = |ns: Option<u64>, aimed: u64| ns.is_some_and(|ns| ns.abs_diff(aimed) * 500 <= aimed);
        let counts: Vec<[u64; 4]> = recorded.types.iter().map(|of_type| of_type.steps[step].into()).collect();
        if [0, 1, 5].contains(&step) {
            let times = step as u64 + 1;
            assert_eq!((summary.ops, summary.errors, summary.retries), (100, 1, 1));
            assert!(near(summary.p50_ns, times * 50_000) && near(summary.p99_ns, times * 99_000), "{summary:?}");
            assert_eq!(counts, [[33, 99, 0, 0], [34, 102, 1, 0], [33, 99, 0, 1]]);
        } else {
            assert_eq!(*summary, StepSummary::default());
            assert_eq!(counts, [[0; 4]; TYPES]);
        }
    }
}

#[test]
fn what_has_not_ended_is_in_the_response_times_of_its_type_alone() {
    let recorder = Recorder::new(RecordedTimes::ServiceAndResponse, three(), SECOND, SECOND);
    recorder.local().record(sample(0, 5, 10));
    recorder.unfinished(id(2), 500);
    let recorded = recorder.finish();
    assert_eq!((recorded.together().0.count(), recorded.steps[0].ops), (1, 1));
    let counts = |number: usize| {
        let of_type = &recorded.types[number];
        (of_type.service.count(), of_type.response.as_ref().unwrap().count(), of_type.steps[0].ops)
    };
    assert_eq!([0, 1, 2].map(counts), [(1, 1, 1), (0, 0, 0), (0, 1, 0)]);
    let response = recorded.together().1.unwrap();
    assert_eq!((response.count(), response.max_ns()), (2, Some(500)));
}

#[test]
fn the_steps_of_a_day_are_bounded_and_what_comes_after_belongs_to_the_last() {
    let recorder = Recorder::new(RecordedTimes::Service, Types::ONE, 86_400 * SECOND, SECOND);
    let mut local = recorder.local();
    for ended_ns in [86_400 * SECOND - 1, 86_400 * SECOND, u64::MAX] {
        local.record(sample(0, ended_ns, 1));
    }
    drop(local);
    let recorded = recorder.finish();
    assert_eq!((recorded.steps.len(), recorded.step_ns), (3_600, 24 * SECOND));
    assert_eq!((recorded.steps[3_599].ops, recorded.types[0].service.count()), (3, 3));
}

#[test]
fn a_type_takes_less_than_three_megabytes_with_its_share_of_the_steps() {
    for types in [1, 9, MOST_TYPES] {
        for (times, most_bytes) in [(RecordedTimes::Service, 390_000), (RecordedTimes::ServiceAndResponse, 660_000)] {
            // The longest series possible, with as many open steps as possible.
            let recorder = Recorder::new(times, Types::new(types).unwrap(), 3_600 * SECOND, SECOND);
            let mut local = recorder.local();
            (0..10).for_each(|step| local.record(sample(0, step * SECOND, 1_000)));
            drop(local);
            let shared = recorder.into_shared();
            let recording = shared.bytes();
            assert!(recording <= types * most_bytes + 1_500_000, "{types}: {recording}");
            assert!(recording <= types * 3_000_000, "{types}: {recording}");
            let recorded = shared.finish();
            let of_type = |of_type: &TypeRecording| {
                let histograms = of_type.service.bytes() + of_type.response.as_ref().map_or(0, Histogram::bytes);
                histograms + size_of_val(&*of_type.steps)
            };
            let told = recorded.types.iter().map(of_type).sum::<usize>() + size_of_val(&*recorded.steps);
            assert!(told <= types * 3_000_000, "{types}: {told}");
        }
    }
}

#[test]
fn what_a_part_keeps_of_a_step_goes_by_how_many_times_there_are() {
    // A million operations a second, over four doublings.
    let mut step = Histogram::new();
    (0..1_000_000).for_each(|n| step.record_ns(100_000 + n * 3 / 2));
    let bytes = step.encode().unwrap().len();
    assert!((4_096..4 * 1_024 * 3).contains(&bytes), "{bytes}");
}

#[test]
fn types_are_one_to_thirty_two() {
    assert_eq!(Types::new(1), Ok(Types::ONE));
    assert_eq!(Types::new(MOST_TYPES).unwrap().ids().last().map(TypeId::number), Some(31));
    for none in [0, 33, 256, 257] {
        assert_eq!(
            Types::new(none).unwrap_err().to_string(),
            format!("there are 1 to 32 transaction types, not {none}")
        );
    }
}

#[test]
fn a_plain_recorder_gives_no_part() {
    let refused = Recorder::new(RecordedTimes::Service, Types::ONE, SECOND, SECOND).into_part().unwrap_err();
    assert_eq!(refused.to_string(), "the recorder was not made for a part");
}

#[test]
fn parts_of_different_recordings_do_not_merge() {
    let part =
        |times, types, window_ns, step_ns| Recorder::for_part(times, types, window_ns, step_ns).into_part().unwrap();
    let ours = part(RecordedTimes::Service, Types::ONE, 2 * SECOND, SECOND);
    for theirs in [
        part(RecordedTimes::ServiceAndResponse, Types::ONE, 2 * SECOND, SECOND),
        part(RecordedTimes::Service, three(), 2 * SECOND, SECOND),
        part(RecordedTimes::Service, Types::ONE, 2 * SECOND - 1, SECOND),
        part(RecordedTimes::Service, Types::ONE, 2 * SECOND, SECOND / 2),
    ] {
        let mut merged = ours.clone();
        let refused = merged.merge(theirs).unwrap_err().to_string();
        let begins = "parts of different recordings: one has service times of 1 types, a window of 2000000000 ns";
        assert!(refused.starts_with(begins), "{refused}");
        assert_eq!(merged, ours);
    }
}

#[test]
fn a_part_that_does_not_fit_together_is_refused() {
    let recorder = Recorder::for_part(RecordedTimes::ServiceAndResponse, Types::new(2).unwrap(), 2 * SECOND, SECOND);
    let mut local = recorder.local();
    for n in 0..10 {
        local.record(sample(n as usize % 2, n * SECOND / 5, 1_000 * (n + 1)));
    }
    drop(local);
    let sound = serde_json::to_value(recorder.into_part().unwrap()).unwrap();
    let read =
        |part: &serde_json::Value| serde_json::from_value::<RecordingPart>(part.clone()).map_err(|e| e.to_string());
    assert!(read(&sound).is_ok());
    let changed = |at: &str, to: serde_json::Value| {
        let mut part = sound.clone();
        *part.pointer_mut(at).unwrap() = to;
        read(&part).unwrap_err()
    };
    let other = sound["types"][1]["service"].clone();
    let many = vec![sound["types"][0].clone(); 33];
    let one_step = sound["types"][0]["steps"][0].clone();
    let mut none = sound["types"][0].clone();
    none.as_object_mut().unwrap().remove("response");
    for (at, to, says) in [
        ("/version", 2.into(), "the part is of version 2, and this dbdyno reads version 1"),
        ("/types", "?".into(), "the part does not have the fields of version 1"),
        ("/times", "mean".into(), "the part does not have the fields of version 1"),
        ("/types", many.into(), "there are 1 to 32 transaction types, not 33"),
        ("/types", Vec::<u8>::new().into(), "there are 1 to 32 transaction types, not 0"),
        ("/step_ns", 0.into(), "a window of 2000000000 ns is not recorded in steps of 0 ns"),
        ("/window_ns", u64::MAX.into(), "is not recorded in steps of 1000000000 ns"),
        ("/window_ns", SECOND.into(), "the part has 2 steps, and its window has 1"),
        ("/types/1/steps", vec![one_step].into(), "type 1 has 1 steps, and its window has 2"),
        ("/times", "service".into(), "type 0 does not have the times that the part says"),
        ("/types/1", none, "type 1 does not have the times that the part says"),
        ("/types/0/steps/0/0", 4.into(), "type 0 counts 6 operations and has 5 service times"),
        ("/types/0/steps/0/0", u64::MAX.into(), "operations and has 5 service times"),
        ("/types/0/response", empty(), "type 0 counts 5 operations and has 0 response times"),
        ("/types/0/service", "*".into(), "type 0: a histogram is not in base64"),
        ("/types/0/service", "".into(), "type 0: the stored histogram cannot be read: it ends in its head"),
        ("/steps/1", other, "the steps contain times that no type has"),
        ("/steps/0", "".into(), "step 0 counts 5 operations and has 0 times"),
        ("/steps/0", "AAAA".into(), "step 0: the stored histogram cannot be read"),
    ] {
        let refused = changed(at, to);
        assert!(refused.contains(says), "{at}: {refused}");
    }
    assert!(read(&serde_json::json!({"steps": []})).is_err());
}

fn empty() -> serde_json::Value {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(Histogram::new().encode().unwrap()).into()
}

/// What a follower sees in any number of looks is what was recorded, each operation once.
#[test]
fn a_follower_sees_each_operation_once_and_outlives_the_recorder() {
    let recorder = Recorder::new(RecordedTimes::ServiceAndResponse, three(), STEPS as u64 * SECOND, SECOND);
    let mut follower = recorder.follow();
    let mut seen: Vec<FollowedType> = follower.since_last();
    assert!(seen.iter().all(|of| of.counts == StepCounts::default() && of.service.count() == 0));
    let mut add = |looked: Vec<FollowedType>| {
        for (all, of) in seen.iter_mut().zip(looked) {
            all.counts.add(&of.counts);
            all.service.merge(&of.service);
            if let (Some(all), Some(of)) = (&mut all.response, &of.response) {
                all.merge(of);
            }
        }
    };
    let mut local = recorder.local();
    for n in 0..1_000u64 {
        local.record(sample((n % 3) as usize, n * 6_000_000, 1_000 + n));
        if n % 100 == 50 {
            add(follower.since_last());
        }
    }
    local.error(id(2), 6 * SECOND);
    local.retry(id(1), 6 * SECOND);
    drop(local);
    add(follower.since_last());
    let recording = recorder.finish();
    for (of, recorded) in seen.iter().zip(&recording.types) {
        let mut counts = StepCounts::default();
        recorded.steps.iter().for_each(|step| counts.add(step));
        assert_eq!((of.counts, &of.service, &of.response), (counts, &recorded.service, &recorded.response));
    }
    assert!(follower.since_last().is_empty(), "nothing is left to see");
}

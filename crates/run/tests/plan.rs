//! From a wish to points: order, repeats, sweeps, what a single-writer engine does with ramps of writers.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use dbdyno_catalogue::Catalogue;
use dbdyno_engine::Features;
use dbdyno_model::{Drive, Plan, Queue, Ramp};
use dbdyno_run::{Ground, PlanError, Wish, resolve};

const MANY_WRITERS: Features = Features {
    in_process: false,
    local: true,
    loads_on_demand: true,
    single_writer: false,
    nodes: 1,
    block_bytes: 8_192,
};

fn plan(wish: &Wish, features: Features) -> Result<Plan, PlanError> {
    let catalogue = Catalogue::embedded().unwrap();
    let size = catalogue.size("D").unwrap();
    let engine = &dbdyno_null::INFO;
    resolve(wish, Ground { catalogue: &catalogue, engine, features, size, seed: 42, hardware_threads: 4 })
}

fn wish(what: &str) -> Wish {
    Wish { what: what.split(' ').map(str::to_owned).collect(), ..Wish::default() }
}

/// `jobs x threads / rows per transaction` of each point; `best` stands for the best of them, measured again.
fn shape(plan: &Plan) -> Vec<String> {
    let place = |p: &dbdyno_model::PlannedPoint| match p.again {
        true => format!("best/{}", p.rows_per_tx),
        false => format!("{}x{}/{}", p.dop.jobs, p.dop.threads, p.rows_per_tx),
    };
    plan.points.iter().map(place).collect()
}

#[test]
fn repeats_go_up_and_down_in_turn() {
    let ramp = Some(Ramp::List(vec![1, 2, 4]));
    let plan = plan(&Wish { ramp, repeat: Some(3), ..wish("T611") }, MANY_WRITERS).unwrap();
    let jobs: Vec<u32> = plan.points.iter().filter(|p| !p.again).map(|p| p.dop.jobs).collect();
    assert_eq!(jobs, [1, 2, 4, 4, 2, 1, 1, 2, 4]);
    let repeats: Vec<u32> = plan.points.iter().map(|p| p.repeat).collect();
    assert_eq!(repeats, [1, 1, 1, 2, 2, 2, 3, 3, 3, 1, 2, 3]);
    let again: Vec<bool> = plan.points.iter().map(|p| p.again).collect();
    assert_eq!(again, [[false; 9].as_slice(), &[true; 3]].concat(), "the best of all repeats, once for each");
}

#[test]
fn inserts_end_with_a_step_of_larger_transactions_and_dbl_11_begins_with_a_sweep() {
    let ramp = Some(Ramp::List(vec![1, 2]));
    let t311 = plan(&Wish { ramp: ramp.clone(), ..wish("T311") }, MANY_WRITERS).unwrap();
    assert_eq!(shape(&t311), ["1x1/2", "2x1/2", "2x1/10", "best/2"]);
    let dbl = plan(&Wish { ramp, ..wish("DBL-11") }, MANY_WRITERS).unwrap();
    let sweep = ["1x1/1", "1x1/4", "1x1/5", "1x1/10", "1x1/20", "1x1/50", "1x1/100"];
    assert_eq!(shape(&dbl), [&sweep[..], &["1x1/2", "2x1/2", "best/2"]].concat());
    // Without DOP 1 in the ramp nothing else measures 2 rows there.
    let high = plan(&Wish { ramp: Some(Ramp::List(vec![4])), ..wish("DBL-11") }, MANY_WRITERS).unwrap();
    assert!(shape(&high).contains(&"1x1/2".to_owned()), "{:?}", shape(&high));
}

#[test]
fn writers_that_would_only_queue_are_one_unless_asked_for() {
    let one_writer = Features { single_writer: true, ..MANY_WRITERS };
    assert_eq!(shape(&plan(&wish("T711"), one_writer).unwrap()), ["1x1/1"]);
    assert_eq!(shape(&plan(&wish("T711"), MANY_WRITERS).unwrap()), ["1x1/1", "2x1/1", "4x1/1", "best/1"]);
    assert_eq!(shape(&plan(&wish("T211"), one_writer).unwrap()), ["1x1/0", "2x1/0", "4x1/0", "best/0"]);
    let asked = plan(&Wish { ramp: Some(Ramp::List(vec![2])), ..wish("T711") }, one_writer).unwrap();
    assert_eq!(shape(&asked), ["2x1/1"]);
}

#[test]
fn a_fixed_dimension_is_fixed_and_a_ramp_without_use_is_refused() {
    let threads =
        plan(&Wish { jobs: Some(3), ramp: Some(Ramp::List(vec![1, 2])), ..wish("T512") }, MANY_WRITERS).unwrap();
    assert_eq!(shape(&threads), ["3x1/0", "3x2/0", "best/0"]);
    let unused = plan(&Wish { jobs: Some(3), ramp: Some(Ramp::List(vec![1, 2])), ..wish("T611") }, MANY_WRITERS);
    assert!(matches!(unused, Err(PlanError::UnusedRamp)), "{unused:?}");
}

#[test]
fn a_suite_decides_what_the_user_left_open() {
    let quick = plan(&wish("quick"), MANY_WRITERS).unwrap();
    assert!(quick.points.iter().all(|p| p.repeat == 1 && p.duration_s == 2.0));
    let longer = plan(&Wish { duration_s: Some(5.0), repeat: Some(2), ..wish("quick") }, MANY_WRITERS).unwrap();
    assert_eq!(longer.points.len(), 2 * quick.points.len());
    assert!(longer.points.iter().all(|p| p.duration_s == 5.0));
    let baseline = plan(&wish("baseline"), MANY_WRITERS).unwrap();
    assert!(baseline.points.iter().filter(|p| p.subject.as_str() == "T721").all(|p| p.duration_s >= 60.0));
}

/// A first look stays one of minutes: two and a half on two processors where the engine can do all of it, less where
/// writers queue.
#[test]
fn what_is_measured_again_costs_a_window_a_ramp() {
    let catalogue = Catalogue::embedded().unwrap();
    let quick = plan(&Wish { ramp: Some(Ramp::List(vec![1, 2])), ..wish("quick") }, MANY_WRITERS).unwrap();
    let (again, ramp): (Vec<_>, Vec<_>) = quick.points.into_iter().partition(|p| p.again);
    let mut tests: Vec<_> = ramp.iter().map(|p| p.subject.clone()).collect();
    tests.dedup();
    assert_eq!(again.len(), tests.len(), "one for each ramp");
    let (again_s, ramp_s) = (dbdyno_run::estimate_s(&again, &catalogue), dbdyno_run::estimate_s(&ramp, &catalogue));
    assert!(again_s > 0.0 && again_s + ramp_s < 155.0, "{ramp_s} s and {again_s} s");
    let one = plan(&Wish { ramp: Some(Ramp::List(vec![2])), ..wish("T611") }, MANY_WRITERS).unwrap();
    assert_eq!(shape(&one), ["2x1/1"], "nothing was selected");
}

#[test]
fn the_plan_knows_its_definitions() {
    let a = plan(&wish("T611 T621"), MANY_WRITERS).unwrap();
    let b = plan(&wish("T611 T621"), MANY_WRITERS).unwrap();
    assert_eq!(a, b);
    assert_ne!(a.definitions, plan(&wish("T611 T622"), MANY_WRITERS).unwrap().definitions);
    assert!(plan(&wish("T661"), MANY_WRITERS).unwrap_err().to_string().contains("T611"));
    assert!(plan(&wish("quikc"), MANY_WRITERS).unwrap_err().to_string().contains("quick"));
    assert!(matches!(plan(&Wish::default(), MANY_WRITERS), Err(PlanError::Nothing)));
}

fn client(what: &str) -> Wish {
    Wish { drive: Drive::Client, ..wish(what) }
}

/// `test jobs rate repeat` of each point.
fn loads(plan: &Plan) -> Vec<String> {
    let rate = |p: &dbdyno_model::PlannedPoint| p.load.rate.map_or("closed".to_owned(), |rate| rate.to_string());
    let jobs = |p: &dbdyno_model::PlannedPoint| if p.again { "best".to_owned() } else { p.dop.jobs.to_string() };
    plan.points.iter().map(|p| format!("{} {} {} {}", p.subject.name(), jobs(p), rate(p), p.repeat)).collect()
}

#[test]
fn shares_come_after_the_maximum_that_they_are_of() {
    let (ramp, rates) = (Some(Ramp::List(vec![1, 2])), Some("50%,100%".parse().unwrap()));
    let plan = plan(&Wish { ramp, rates, repeat: Some(2), ..client("T611") }, MANY_WRITERS).unwrap();
    let up = ["1 closed 1", "1 50% 1", "1 100% 1", "2 closed 1", "2 50% 1", "2 100% 1"];
    let down = ["2 closed 2", "2 100% 2", "2 50% 2", "1 closed 2", "1 100% 2", "1 50% 2"];
    // The best of the closed loops; rates that were set have none.
    let again = ["best closed 1", "best closed 2"];
    let expected: Vec<String> = up.iter().chain(&down).chain(&again).map(|point| format!("T611 {point}")).collect();
    assert_eq!(loads(&plan), expected);
    assert!(plan.points.iter().all(|p| p.drive == Drive::Client));
}

#[test]
fn rates_need_no_maximum() {
    let rates = Some("500/s,1000/s".parse().unwrap());
    let plan = plan(&Wish { rates, jobs: Some(4), ..client("T711") }, MANY_WRITERS).unwrap();
    assert_eq!(loads(&plan), ["T711 4 500/s 1", "T711 4 1000/s 1"]);
    assert!(plan.points.iter().all(|p| p.load.arrivals == Some(dbdyno_model::Arrivals::Poisson)));
}

#[test]
fn a_client_drives_what_it_can_and_says_so_of_what_was_named() {
    let named = plan(&Wish { jobs: Some(1), ..client("T111 T611") }, MANY_WRITERS).unwrap();
    assert_eq!(loads(&named), ["T111 1 closed 1", "T611 1 closed 1"]);
    let suite = plan(&Wish { jobs: Some(1), ..client("quick") }, MANY_WRITERS).unwrap();
    assert!(!suite.points.is_empty());
    assert!(suite.points.iter().all(|p| !p.subject.as_str().starts_with("T1")), "{:?}", loads(&suite));
    for what in ["T111", "T1*", "T331 T512"] {
        assert!(matches!(plan(&client(what), MANY_WRITERS), Err(PlanError::NoClientForm)), "{what}");
    }
}

#[test]
fn options_that_say_nothing_together_are_refused() {
    let rates: Option<dbdyno_model::Rates> = Some("500/s".parse().unwrap());
    let think = Some("5ms".parse().unwrap());
    let refused = |wish: Wish| plan(&wish, MANY_WRITERS).unwrap_err().to_string();
    assert!(refused(Wish { rates: rates.clone(), ..wish("T611") }).contains("add --drive client"));
    assert!(refused(Wish { think, ..wish("T611") }).starts_with("--think is for the client drive"));
    assert!(refused(Wish { rates, think, ..client("T611") }).contains("leave one of them away"));
    let arrivals = Some(dbdyno_model::Arrivals::Constant);
    assert!(refused(Wish { arrivals, ..client("T611") }).contains("add --rate"));
}

#[test]
fn a_ramp_has_one_mode_of_the_client_and_open_loops_one_timetable() {
    let from = |wish: &Wish| -> Vec<Option<u32>> {
        plan(wish, MANY_WRITERS).unwrap().points.iter().map(|p| p.may_follow_from_jobs).collect()
    };
    let ramp = |jobs: &[u32]| Some(Ramp::List(jobs.to_vec()));
    let client = client("T611");
    // Each ramp ends with its best, measured again.
    assert_eq!(from(&Wish { ramp: ramp(&[1, 8, 64]), ..client.clone() }), [Some(1); 4]);
    assert_eq!(from(&Wish { ramp: ramp(&[16, 64]), ..client.clone() }), [Some(16); 3]);
    assert_eq!(from(&Wish { ramp: ramp(&[16]), follow: Some(false), ..client.clone() }), [None]);
    assert_eq!(from(&Wish { ramp: ramp(&[16]), ..wish("T611") }), [None], "the server drive has no client");
    let rates = Some("50%".parse().unwrap());
    let queues = |queue| -> Vec<Option<Queue>> {
        let plan = plan(&Wish { rates: rates.clone(), jobs: Some(4), queue, ..client.clone() }, MANY_WRITERS).unwrap();
        plan.points.iter().map(|p| p.load.queue).collect()
    };
    assert_eq!(queues(None), [None, Some(Queue::Shared)], "in a closed loop nothing queues");
    assert_eq!(queues(Some(Queue::Session)), [None, Some(Queue::Session)]);
}

#[test]
fn connections_are_shared_where_there_are_more_jobs() {
    let wish = |jobs: &[u32], connections| Wish {
        ramp: Some(Ramp::List(jobs.to_vec())),
        connections: Some(connections),
        ..client("T611")
    };
    let shared = |wish: &Wish| -> Vec<Option<u32>> {
        let plan = plan(wish, MANY_WRITERS).unwrap();
        plan.points.iter().filter(|p| !p.again).map(|p| p.load.connections).collect()
    };
    let up_and_down = [None, None, Some(4), Some(4), None, None];
    assert_eq!(shared(&Wish { repeat: Some(2), ..wish(&[1, 4, 64], 4) }), up_and_down);
    let rates = Some("50%,100%".parse().unwrap());
    assert_eq!(shared(&Wish { rates, ..wish(&[64], 4) }), [Some(4); 3]);
    assert_eq!(shared(&wish(&[8], 8)), [None], "each has one");
    // Threads and sessions of a client are told by connections.
    let may_follow: Vec<Option<u32>> =
        plan(&wish(&[16, 64], 4), MANY_WRITERS).unwrap().points.iter().map(|p| p.may_follow_from_jobs).collect();
    assert_eq!(may_follow, [Some(4); 3]);
    let refused = |wish: Wish| plan(&wish, MANY_WRITERS).unwrap_err().to_string();
    assert!(refused(wish(&[1, 8], 9)).starts_with("--connections 9 is more than the 8 jobs"));
    assert!(refused(Wish { drive: Drive::Server, ..wish(&[8], 2) }).contains("add --drive client"));
}

/// On a server with other work a limit cuts ramps off; what was asked for by its number is refused above it.
#[test]
fn a_limit_of_jobs_cuts_ramps_off() {
    let limited = |max_jobs, wish: Wish| plan(&Wish { max_jobs: Some(max_jobs), ..wish }, MANY_WRITERS);
    let ramp = Some(Ramp::List(vec![1, 2, 4, 8]));
    let listed = limited(4, Wish { ramp: ramp.clone(), ..wish("T611") }).unwrap();
    assert_eq!(shape(&listed), ["1x1/1", "2x1/1", "4x1/1", "best/1"]);
    // Up to the processors, by default.
    assert_eq!(shape(&limited(2, wish("T611")).unwrap()), ["1x1/1", "2x1/1", "best/1"]);
    // Jobs and the threads of each count together.
    let both = limited(6, Wish { threads: Some(2), ramp, ..wish("T611") }).unwrap();
    assert_eq!(shape(&both), ["1x2/1", "2x2/1", "best/1"]);
    let above = limited(3, Wish { ramp: Some(Ramp::List(vec![8, 16])), ..wish("T611") }).unwrap();
    assert_eq!(shape(&above), ["3x1/1"]);
    let refused = limited(4, Wish { jobs: Some(8), ..wish("T611") });
    assert!(matches!(refused, Err(PlanError::OverLimit { asked: 8, limit: 4 })), "{refused:?}");
    // The larger transactions at the end of a ramp are measured at what is left of it.
    assert_eq!(shape(&limited(2, wish("T311")).unwrap()), ["1x1/2", "2x1/2", "2x1/10", "best/2"]);
}

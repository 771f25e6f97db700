//! From a request to points: order, repeats, sweeps, and single-writer engines with ramps of writers.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{EngineInfo, Features};
use dbdyno_model::{Dimension, Drive, Mapping, Plan, Queue, Ramp, SearchGoal};
use dbdyno_run::{PlanContext, PlanError, RunRequest, SearchRequest, resolve};

const MANY_WRITERS: Features = Features {
    in_process: false,
    local: true,
    loads_on_demand: true,
    single_writer: false,
    nodes: 1,
    block_bytes: 8_192,
};

fn plan(request: &RunRequest, features: Features) -> Result<Plan, PlanError> {
    let catalogue = Catalogue::embedded().unwrap();
    let size = catalogue.size("D").unwrap();
    let engine = &dbdyno_null::INFO;
    resolve(request, PlanContext { catalogue: &catalogue, engine, features, size, seed: 42, hardware_threads: 4 })
}

fn request(what: &str) -> RunRequest {
    RunRequest { what: what.split(' ').map(str::to_owned).collect(), ..RunRequest::default() }
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
    let plan = plan(&RunRequest { ramp, repeat: Some(3), ..request("T611") }, MANY_WRITERS).unwrap();
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
    let t311 = plan(&RunRequest { ramp: ramp.clone(), ..request("T311") }, MANY_WRITERS).unwrap();
    assert_eq!(shape(&t311), ["1x1/2", "2x1/2", "2x1/10", "best/2"]);
    let dbl = plan(&RunRequest { ramp, ..request("DBL-11") }, MANY_WRITERS).unwrap();
    let sweep = ["1x1/1", "1x1/4", "1x1/5", "1x1/10", "1x1/20", "1x1/50", "1x1/100"];
    assert_eq!(shape(&dbl), [&sweep[..], &["1x1/2", "2x1/2", "best/2"]].concat());
    // Without DOP 1 in the ramp, only the sweep measures 2 rows there.
    let high = plan(&RunRequest { ramp: Some(Ramp::List(vec![4])), ..request("DBL-11") }, MANY_WRITERS).unwrap();
    assert!(shape(&high).contains(&"1x1/2".to_owned()), "{:?}", shape(&high));
}

#[test]
fn writers_that_would_only_queue_are_one_unless_asked_for() {
    let one_writer = Features { single_writer: true, ..MANY_WRITERS };
    assert_eq!(shape(&plan(&request("T711"), one_writer).unwrap()), ["1x1/1"]);
    assert_eq!(shape(&plan(&request("T711"), MANY_WRITERS).unwrap()), ["1x1/1", "2x1/1", "4x1/1", "best/1"]);
    assert_eq!(shape(&plan(&request("T211"), one_writer).unwrap()), ["1x1/0", "2x1/0", "4x1/0", "best/0"]);
    let asked = plan(&RunRequest { ramp: Some(Ramp::List(vec![2])), ..request("T711") }, one_writer).unwrap();
    assert_eq!(shape(&asked), ["2x1/1"]);
}

#[test]
fn a_fixed_dimension_is_fixed_and_a_ramp_without_use_is_refused() {
    let threads =
        plan(&RunRequest { jobs: Some(3), ramp: Some(Ramp::List(vec![1, 2])), ..request("T512") }, MANY_WRITERS)
            .unwrap();
    assert_eq!(shape(&threads), ["3x1/0", "3x2/0", "best/0"]);
    let unused =
        plan(&RunRequest { jobs: Some(3), ramp: Some(Ramp::List(vec![1, 2])), ..request("T611") }, MANY_WRITERS);
    assert!(matches!(unused, Err(PlanError::UnusedRamp)), "{unused:?}");
}

#[test]
fn a_scan_from_storage_can_ramp_its_threads_or_its_jobs() {
    let ramp = Some(Ramp::List(vec![1, 2]));
    let of = |request: RunRequest| shape(&plan(&request, MANY_WRITERS).unwrap());
    assert_eq!(of(request("T426")), ["1x1/0", "1x2/0", "1x4/0", "best/0"], "the default is the threads");
    assert_eq!(of(RunRequest { ramp: ramp.clone(), ..request("T426") }), ["1x1/0", "1x2/0", "best/0"]);
    let threads = |n, ramp: &Option<Ramp>| RunRequest { threads: Some(n), ramp: ramp.clone(), ..request("T426") };
    assert_eq!(of(threads(1, &ramp)), ["1x1/0", "2x1/0", "best/0"]);
    assert_eq!(of(threads(4, &ramp)), ["1x4/0", "2x4/0", "best/0"]);
    assert_eq!(of(RunRequest { max_jobs: Some(4), ..threads(4, &ramp) }), ["1x4/0"], "jobs times threads count");
    assert_eq!(of(threads(4, &None)), ["1x4/0"], "nobody asked for a ramp");
    assert_eq!(of(RunRequest { jobs: Some(2), ramp: ramp.clone(), ..request("T426") }), ["2x1/0", "2x2/0", "best/0"]);
    let both = RunRequest { jobs: Some(2), ..threads(1, &ramp) };
    assert!(matches!(plan(&both, MANY_WRITERS), Err(PlanError::UnusedRamp)));
    // What builds an index, or sorts, has threads alone.
    let index = RunRequest { what: vec!["T512".to_owned()], ..threads(1, &ramp) };
    assert!(matches!(plan(&index, MANY_WRITERS), Err(PlanError::UnusedRamp)));
}

#[test]
fn an_engine_with_one_thread_a_statement_ramps_jobs_alone() {
    fn one_thread(request: &RunRequest) -> Result<Plan, PlanError> {
        let catalogue = Catalogue::embedded().unwrap();
        let engine = &EngineInfo { mapping: |_| Mapping::Native { ramp: Some(Dimension::Jobs) }, ..dbdyno_null::INFO };
        let (size, features) = (catalogue.size("D").unwrap(), MANY_WRITERS);
        resolve(request, PlanContext { catalogue: &catalogue, engine, features, size, seed: 42, hardware_threads: 4 })
    }
    let ramp = Some(Ramp::List(vec![1, 2]));
    let jobs = one_thread(&RunRequest { ramp: ramp.clone(), ..request("T426") }).unwrap();
    assert_eq!(shape(&jobs), ["1x1/0", "2x1/0", "best/0"]);
    let threads = one_thread(&RunRequest { jobs: Some(2), ramp, ..request("T426") });
    assert!(matches!(threads, Err(PlanError::UnusedRamp)), "it has no threads to ramp: {threads:?}");
}

#[test]
fn a_suite_decides_what_the_user_left_open() {
    let quick = plan(&request("quick"), MANY_WRITERS).unwrap();
    assert!(quick.points.iter().all(|p| p.repeat == 1 && p.duration_s == 2.0));
    let longer =
        plan(&RunRequest { duration_s: Some(5.0), repeat: Some(2), ..request("quick") }, MANY_WRITERS).unwrap();
    assert_eq!(longer.points.len(), 2 * quick.points.len());
    assert!(longer.points.iter().all(|p| p.duration_s == 5.0));
    let baseline = plan(&request("baseline"), MANY_WRITERS).unwrap();
    assert!(baseline.points.iter().filter(|p| p.subject.as_str() == "T721").all(|p| p.duration_s >= 60.0));
}

/// A first look takes a few minutes: two and a half on two processors where the engine can do everything, less where
/// writers queue.
#[test]
fn what_is_measured_again_costs_a_window_a_ramp() {
    let catalogue = Catalogue::embedded().unwrap();
    let quick = plan(&RunRequest { ramp: Some(Ramp::List(vec![1, 2])), ..request("quick") }, MANY_WRITERS).unwrap();
    let (again, ramp): (Vec<_>, Vec<_>) = quick.points.into_iter().partition(|p| p.again);
    let mut tests: Vec<_> = ramp.iter().map(|p| p.subject.clone()).collect();
    tests.dedup();
    assert_eq!(again.len(), tests.len(), "one for each ramp");
    let (again_s, ramp_s) = (dbdyno_run::estimate_s(&again, &catalogue), dbdyno_run::estimate_s(&ramp, &catalogue));
    assert!(again_s > 0.0 && again_s + ramp_s < 155.0, "{ramp_s} s and {again_s} s");
    let one = plan(&RunRequest { ramp: Some(Ramp::List(vec![2])), ..request("T611") }, MANY_WRITERS).unwrap();
    assert_eq!(shape(&one), ["2x1/1"], "nothing was selected");
}

#[test]
fn the_plan_knows_its_definitions() {
    let a = plan(&request("T611 T621"), MANY_WRITERS).unwrap();
    let b = plan(&request("T611 T621"), MANY_WRITERS).unwrap();
    assert_eq!(a, b);
    assert_ne!(a.definitions, plan(&request("T611 T622"), MANY_WRITERS).unwrap().definitions);
    assert!(plan(&request("T661"), MANY_WRITERS).unwrap_err().to_string().contains("T611"));
    assert!(plan(&request("quikc"), MANY_WRITERS).unwrap_err().to_string().contains("quick"));
    assert!(matches!(plan(&RunRequest::default(), MANY_WRITERS), Err(PlanError::Nothing)));
}

fn client(what: &str) -> RunRequest {
    RunRequest { drive: Drive::Client, ..request(what) }
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
    let plan = plan(&RunRequest { ramp, rates, repeat: Some(2), ..client("T611") }, MANY_WRITERS).unwrap();
    let up = ["1 closed 1", "1 50% 1", "1 100% 1", "2 closed 1", "2 50% 1", "2 100% 1"];
    let down = ["2 closed 2", "2 100% 2", "2 50% 2", "1 closed 2", "1 100% 2", "1 50% 2"];
    // The best of the closed loops; set rates have no best.
    let again = ["best closed 1", "best closed 2"];
    let expected: Vec<String> = up.iter().chain(&down).chain(&again).map(|point| format!("T611 {point}")).collect();
    assert_eq!(loads(&plan), expected);
    assert!(plan.points.iter().all(|p| p.drive == Drive::Client));
}

#[test]
fn rates_need_no_maximum() {
    let rates = Some("500/s,1000/s".parse().unwrap());
    let plan = plan(&RunRequest { rates, jobs: Some(4), ..client("T711") }, MANY_WRITERS).unwrap();
    assert_eq!(loads(&plan), ["T711 4 500/s 1", "T711 4 1000/s 1"]);
    assert!(plan.points.iter().all(|p| p.load.arrivals == Some(dbdyno_model::Arrivals::Poisson)));
}

#[test]
fn a_client_drives_what_it_can_and_says_so_of_what_was_named() {
    let named = plan(&RunRequest { jobs: Some(1), ..client("T111 T611") }, MANY_WRITERS).unwrap();
    assert_eq!(loads(&named), ["T111 1 closed 1", "T611 1 closed 1"]);
    let suite = plan(&RunRequest { jobs: Some(1), ..client("quick") }, MANY_WRITERS).unwrap();
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
    let refused = |request: RunRequest| plan(&request, MANY_WRITERS).unwrap_err().to_string();
    assert!(refused(RunRequest { rates: rates.clone(), ..request("T611") }).contains("add --drive client"));
    assert!(refused(RunRequest { think, ..request("T611") }).starts_with("--think is for the client drive"));
    assert!(refused(RunRequest { rates, think, ..client("T611") }).contains("leave one of them away"));
    let arrivals = Some(dbdyno_model::Arrivals::Constant);
    assert!(refused(RunRequest { arrivals, ..client("T611") }).contains("add --rate"));
}

#[test]
fn a_ramp_has_one_mode_of_the_client_and_open_loops_one_timetable() {
    let from = |request: &RunRequest| -> Vec<Option<u32>> {
        plan(request, MANY_WRITERS).unwrap().points.iter().map(|p| p.may_follow_from_jobs).collect()
    };
    let ramp = |jobs: &[u32]| Some(Ramp::List(jobs.to_vec()));
    let client = client("T611");
    // Each ramp ends with its best, measured again.
    assert_eq!(from(&RunRequest { ramp: ramp(&[1, 8, 64]), ..client.clone() }), [Some(1); 4]);
    assert_eq!(from(&RunRequest { ramp: ramp(&[16, 64]), ..client.clone() }), [Some(16); 3]);
    assert_eq!(from(&RunRequest { ramp: ramp(&[16]), follow: Some(false), ..client.clone() }), [None]);
    assert_eq!(from(&RunRequest { ramp: ramp(&[16]), ..request("T611") }), [None], "the server drive has no client");
    let rates = Some("50%".parse().unwrap());
    let queues = |queue| -> Vec<Option<Queue>> {
        let plan =
            plan(&RunRequest { rates: rates.clone(), jobs: Some(4), queue, ..client.clone() }, MANY_WRITERS).unwrap();
        plan.points.iter().map(|p| p.load.queue).collect()
    };
    assert_eq!(queues(None), [None, Some(Queue::Shared)], "in a closed loop nothing queues");
    assert_eq!(queues(Some(Queue::Session)), [None, Some(Queue::Session)]);
}

#[test]
fn connections_are_shared_where_there_are_more_jobs() {
    let request = |jobs: &[u32], connections| RunRequest {
        ramp: Some(Ramp::List(jobs.to_vec())),
        connections: Some(connections),
        ..client("T611")
    };
    let shared = |request: &RunRequest| -> Vec<Option<u32>> {
        let plan = plan(request, MANY_WRITERS).unwrap();
        plan.points.iter().filter(|p| !p.again).map(|p| p.load.connections).collect()
    };
    let up_and_down = [None, None, Some(4), Some(4), None, None];
    assert_eq!(shared(&RunRequest { repeat: Some(2), ..request(&[1, 4, 64], 4) }), up_and_down);
    let rates = Some("50%,100%".parse().unwrap());
    assert_eq!(shared(&RunRequest { rates, ..request(&[64], 4) }), [Some(4); 3]);
    assert_eq!(shared(&request(&[8], 8)), [None], "each has one");
    // The numbers of threads and sessions of the client drive are those of the connections.
    let may_follow: Vec<Option<u32>> =
        plan(&request(&[16, 64], 4), MANY_WRITERS).unwrap().points.iter().map(|p| p.may_follow_from_jobs).collect();
    assert_eq!(may_follow, [Some(4); 3]);
    let refused = |request: RunRequest| plan(&request, MANY_WRITERS).unwrap_err().to_string();
    assert!(refused(request(&[1, 8], 9)).starts_with("--connections 9 is more than the 8 jobs"));
    assert!(refused(RunRequest { drive: Drive::Server, ..request(&[8], 2) }).contains("add --drive client"));
}

/// A limit cuts ramps off, but a fixed number above the limit is refused.
#[test]
fn a_limit_of_jobs_cuts_ramps_off() {
    let limited =
        |max_jobs, request: RunRequest| plan(&RunRequest { max_jobs: Some(max_jobs), ..request }, MANY_WRITERS);
    let ramp = Some(Ramp::List(vec![1, 2, 4, 8]));
    let listed = limited(4, RunRequest { ramp: ramp.clone(), ..request("T611") }).unwrap();
    assert_eq!(shape(&listed), ["1x1/1", "2x1/1", "4x1/1", "best/1"]);
    // The default ramp goes up to the number of processors.
    assert_eq!(shape(&limited(2, request("T611")).unwrap()), ["1x1/1", "2x1/1", "best/1"]);
    // Jobs times threads count.
    let both = limited(6, RunRequest { threads: Some(2), ramp, ..request("T611") }).unwrap();
    assert_eq!(shape(&both), ["1x2/1", "2x2/1", "best/1"]);
    let above = limited(3, RunRequest { ramp: Some(Ramp::List(vec![8, 16])), ..request("T611") }).unwrap();
    assert_eq!(shape(&above), ["3x1/1"]);
    let refused = limited(4, RunRequest { jobs: Some(8), ..request("T611") });
    assert!(matches!(refused, Err(PlanError::OverLimit { asked: 8, limit: 4 })), "{refused:?}");
    // The larger transactions at the end of a ramp are measured at the highest remaining step.
    assert_eq!(shape(&limited(2, request("T311")).unwrap()), ["1x1/2", "2x1/2", "2x1/10", "best/2"]);
}

#[test]
fn a_search_plans_its_first_point_alone() {
    let saturation = |what: &str| RunRequest { search: Some(SearchRequest::Saturation), ..request(what) };
    let of = plan(&RunRequest { max_jobs: Some(12), ..saturation("T611 T626") }, MANY_WRITERS).unwrap();
    assert_eq!(of.points.len(), 2, "without the sweep and the last step: {:?}", shape(&of));
    assert!(of.points.iter().all(|point| point.dop.jobs == 1 && !point.again));
    let most = |plan: &Plan| match plan.searches[0].goal {
        SearchGoal::Saturation { most_users, .. } => most_users,
        SearchGoal::Limits { .. } => 0,
    };
    assert_eq!((of.searches.len(), most(&of)), (2, 12));
    let threads = plan(&RunRequest { max_jobs: Some(12), threads: Some(4), ..saturation("T426") }, MANY_WRITERS);
    assert_eq!(threads.map(|plan| most(&plan)).unwrap(), 3, "jobs times threads count");
    assert!(matches!(plan(&saturation("T512"), MANY_WRITERS), Err(PlanError::OneJob { .. })));
    assert!(matches!(plan(&saturation("quick"), MANY_WRITERS), Err(PlanError::SearchOfSuite { .. })));
    let limits = SearchRequest::Limits { limits: vec!["p99<5ms".parse().unwrap()], users: 32 };
    let server = RunRequest { search: Some(limits), ..request("T711") };
    assert!(matches!(plan(&server, MANY_WRITERS), Err(PlanError::NoPercentiles)));
    let client = plan(&RunRequest { drive: Drive::Client, ..server }, MANY_WRITERS).unwrap();
    assert_eq!(
        (client.points[0].dop.jobs, client.points[0].load.rate),
        (32, None),
        "a closed loop says where to begin"
    );
    let SearchGoal::Limits { least_transactions, .. } = client.searches[0].goal else { panic!() };
    assert_eq!(least_transactions, 2_000, "62.5 for each session");
}

use super::*;
use crate::arena::Arena;
use crate::backend::test_queues::{QueueLog, ReorderingQueue, StallingQueue};
use crate::backend::{CompletedPiece, IoQueue, NullQueue, QueuedPiece, sleep_until};
use crate::layout::Piece;
use crate::{IoRate, Layout, Pattern};
use dbdyno_model::Arrivals;
use dbdyno_stats::SplitMix64;
use std::io;

const DURATION_S: f64 = 1.0;

fn load() -> IoLoad {
    IoLoad {
        small: 4,
        large: 0,
        small_bytes: 8192,
        large_bytes: 1 << 20,
        pattern: Pattern::Random,
        write_pct: 0,
        layout: Layout::Concat,
        warm_up_s: 0.1,
        duration_s: DURATION_S,
        rate: None,
        verify: false,
        huge_pages: true,
        seed: 1,
        share: None,
    }
}

fn luns() -> Luns {
    Luns::imagined(&[1 << 30, 3 << 30])
}

/// Measures with queues of the test.
fn by(run: Arc<ThreadBody>, backend: BackendKind, load: &IoLoad) -> StorageMeasurement {
    measure_by(&run, &luns(), load, backend, &AtomicBool::new(false), &mut |_| (), None).unwrap()
}

/// Measures with a queue that stalls for 200 ms, this long after the window's beginning; also the length of the stall
/// in nanoseconds.
fn stalled(load: &IoLoad, after_ns: u64) -> (StorageMeasurement, u64) {
    let stalled = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&stalled);
    let run: Arc<ThreadBody> = Arc::new(move |io_loop, ready, _| {
        let Some(schedule) = ready(vec![]) else { return Ok(()) };
        let (at_ns, stall) = (schedule.begin_ns + after_ns, Duration::from_millis(200));
        io_loop.run(
            &schedule,
            &mut StallingQueue { inner: NullQueue::default(), at_ns, stall, stalled: Arc::clone(&seen) },
        )
    });
    let measured = by(run, BackendKind::Null, load);
    let (from_ns, to_ns) = stalled.lock().unwrap().unwrap();
    (measured, to_ns - from_ns)
}

/// In the middle of the window.
const MIDDLE_NS: u64 = 300_000_000;

/// Requires that a check succeeds in one of several attempts, because other work on the machine may stall an attempt.
fn is_so(play: impl Fn() -> Result<(), String>) {
    let wrong: Vec<String> = (0..10).map_while(|_| play().err()).collect();
    assert!(wrong.len() < 10, "{wrong:#?}");
}

/// The error message, unless the condition holds.
fn is(so: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if so { Ok(()) } else { Err(otherwise()) }
}

#[test]
fn an_open_loop_sees_all_that_waited_for_a_stall() {
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        is_so(|| sees_all_that_waited(arrivals));
    }
}

fn sees_all_that_waited(arrivals: Arrivals) -> Result<(), String> {
    let iops = 10_000.0;
    let (measured, stall_ns) = stalled(&IoLoad { rate: Some(IoRate { iops, arrivals }), ..load() }, MIDDLE_NS);
    let ios = &measured.small.read;
    let response = ios.response_time.as_ref().unwrap();
    assert_eq!(response.count(), ios.count);
    // I/Os that are due during the stall wait for its end. So the share of the stall in the window waits, some long and
    // some short. Of the one in a thousand that waits longest, the shortest waits the stall less a thousandth of the
    // window.
    let implied_ns = stall_ns as f64 - 0.001 * DURATION_S * 1e9;
    let seen_ns = response.percentile_ns(99.9).unwrap() as f64;
    is((seen_ns / implied_ns - 1.0).abs() < 0.05, || {
        format!("{arrivals:?}: {seen_ns} ns, implied are {implied_ns} ns")
    })?;
    let waited = 1.0 - response.counts_between_ns(&[2_000_000])[0] as f64 / ios.count as f64;
    let share = stall_ns as f64 / 1e9 / DURATION_S;
    is(waited > 0.9 * share, || format!("{arrivals:?}: {waited} waited, the stall's share is {share}"))?;
    // The backlog was worked off, so everything due was done, except what was under way at the edges.
    let due = measured.due.unwrap();
    is(due.abs_diff(ios.count) <= due / 50, || format!("{} of {due}", ios.count))?;
    // Service times only see the four I/Os that were under way.
    let service = &ios.service_time;
    is(service.percentile_ns(99.9).unwrap() < stall_ns / 4, || format!("{service:?}, the stall took {stall_ns} ns"))
}

#[test]
fn an_open_loop_sees_a_stall_that_reaches_over_the_end() {
    is_so(sees_a_stall_over_the_end);
}

fn sees_a_stall_over_the_end() -> Result<(), String> {
    // So few I/Os that the one under way is one in a thousand.
    let rate = Some(IoRate { iops: 1000.0, arrivals: Arrivals::Constant });
    let (measured, stall_ns) = stalled(&IoLoad { rate, ..load() }, 900_000_000);
    let ios = &measured.small.read;
    let response = ios.response_time.as_ref().unwrap();
    for seen_ns in [response.percentile_ns(99.9), response.max_ns(), ios.service_time.max_ns()] {
        is(seen_ns.unwrap() >= stall_ns / 1000 * 999, || format!("{seen_ns:?}, the stall took {stall_ns} ns"))?;
    }
    // I/Os that were due during the stall and could not begin are missing.
    let (due, missing) = (measured.due.unwrap(), measured.due.unwrap() - ios.count);
    is((0.08..0.12).contains(&(missing as f64 / due as f64)), || format!("{missing} of {due}"))
}

#[test]
fn a_closed_loop_does_not_see_a_stall() {
    let (measured, stall_ns) = stalled(&load(), MIDDLE_NS);
    let ios = &measured.small.read;
    assert!(ios.response_time.is_none() && measured.due.is_none());
    assert!(ios.service_time.percentile_ns(99.9).unwrap() < stall_ns / 10);
    assert!(ios.service_time.max_ns().unwrap() >= stall_ns / 1000 * 999, "but for its longest times");
    // It is known when they were, and on which device.
    let longest = measured.breakdown.luns.iter().max_by_key(|lun| lun.max_ns).unwrap();
    assert!(longest.max_ns >= stall_ns / 1000 * 999 && longest.max_at_ns >= MIDDLE_NS, "{longest:?}");
    assert_eq!(measured.breakdown.steps[0].max_ns, longest.max_ns);
}

#[test]
fn a_rate_that_is_too_high_is_seen() {
    let rate = Some(IoRate { iops: 1e8, arrivals: Arrivals::Constant });
    let measured = by(body(BackendKind::Null), BackendKind::Null, &IoLoad { rate, duration_s: 0.2, ..load() });
    let (due, done) = (measured.due.unwrap(), measured.small.read.count);
    assert!(due.abs_diff(20_000_000) < 3 && done < due, "{done} of {due}");
    // What the storage completed is separate from what was due in the window.
    let completed = measured.completed.unwrap();
    assert!(completed.ios > 0 && completed.on_time <= completed.ios.min(done), "{completed:?}");
}

#[test]
fn as_many_are_outstanding_as_asked_small_and_large() {
    for threads in [1, 3] {
        let all: Arc<Mutex<Vec<Arc<Mutex<QueueLog>>>>> = Arc::default();
        let made = Arc::clone(&all);
        let run: Arc<ThreadBody> = Arc::new(move |io_loop, ready, _| {
            let seen = Arc::<Mutex<QueueLog>>::default();
            made.lock().unwrap().push(Arc::clone(&seen));
            let mut queue = ReorderingQueue { mixer: SplitMix64::new(7), under_way: vec![], seen };
            ready(vec![]).map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut queue))
        });
        let load = IoLoad { small: 13, large: 5, write_pct: 30, duration_s: 0.2, ..load() };
        let shared = Arc::new(SharedState::new(&luns(), &load, 1).unwrap());
        let io_threads = IoThreads::new(&shared, threads, &run).unwrap();
        let measured = run_schedule(
            &shared,
            &io_threads,
            (now_ns(), &AtomicBool::new(false)),
            &mut |_| (),
            BackendKind::Null,
            None,
        );
        let mut outstanding = BTreeMap::new();
        let (mut ios, mut writes) = (0, 0);
        for seen in all.lock().unwrap().iter() {
            let seen = seen.lock().unwrap();
            (ios, writes) = (ios + seen.ios, writes + seen.writes);
            assert!(seen.calls > 100, "{} calls", seen.calls);
            for (bytes, n) in &seen.under_way[0] {
                *outstanding.entry(*bytes).or_insert(0) += n;
            }
            // The same number at each call until the end; from there on it only falls.
            for pair in seen.under_way.windows(2) {
                let fewer = pair[1].iter().all(|(bytes, n)| pair[0].get(bytes).is_some_and(|before| n <= before));
                assert!(fewer, "{:?}", seen.under_way);
            }
            assert!(seen.under_way.len() as u32 <= 1 + 18, "{:?}", seen.under_way);
        }
        assert_eq!(outstanding, BTreeMap::from([(8192, 13), (1 << 20, 5)]));
        assert_eq!(measured.total, ios);
        assert!((writes as f64 - 0.3 * ios as f64).abs() <= 2.0 * f64::from(threads), "{writes} of {ios}");
    }
}

#[test]
fn counts_are_those_of_the_histograms() {
    let load = IoLoad { large: 2, write_pct: 50, duration_s: 0.1, ..load() };
    let measured = by(body(BackendKind::Null), BackendKind::Null, &load);
    let kinds = [&measured.small, &measured.large].map(|both| [&both.read, &both.write]);
    for ios in kinds.into_iter().flatten() {
        assert!(ios.count > 0 && ios.count == ios.service_time.count());
        assert_eq!(ios.service_time.counts_between_ns(&[100, 10_000]).iter().sum::<u64>(), ios.count);
    }
    let inside: u64 = kinds.into_iter().flatten().map(|ios| ios.count).sum();
    assert!(inside < measured.total, "warm-up and tail are in the total alone");
    assert_eq!(measured.breakdown.steps.iter().map(|step| step.ios).sum::<u64>(), inside);
    assert_eq!(measured.breakdown.luns.iter().map(|lun| lun.reads + lun.writes).sum::<u64>(), inside);
    assert_eq!(measured.small.read.bytes, measured.small.read.count * 8192);
    assert!((measured.window_s - 0.1).abs() < 1e-9 && !measured.stopped && measured.errors.is_empty());
}

#[test]
fn a_device_that_never_answers_holds_nothing_up() {
    // A queue that never returns, like a call into a dead device.
    let run: Arc<ThreadBody> = Arc::new(|_, ready, _| {
        let _ = ready(vec![]);
        loop {
            std::thread::park();
        }
    });
    let stop = AtomicBool::new(true);
    let measured = measure_by(&run, &luns(), &load(), BackendKind::Threads, &stop, &mut |_| (), None).unwrap();
    assert!(measured.stopped);
    assert_eq!(measured.errors, BTreeMap::from([(IoError::Timeout, 4)]));
    assert!(measured.first_error.unwrap().contains("no answer"));
}

#[test]
fn a_queue_that_breaks_ends_the_point_with_the_reason() {
    let run: Arc<ThreadBody> = Arc::new(|_, ready, _| {
        let _ = ready(vec![]);
        Err(io::Error::other("the ring broke"))
    });
    let measured = by(run, BackendKind::Null, &load());
    assert!(measured.ended_early.unwrap().contains("the ring broke"));
    assert!(measured.window_s < 0.01, "{}", measured.window_s);
}

#[test]
fn loads_that_are_none_are_refused() {
    let refused = |load: &IoLoad| {
        let stop = AtomicBool::new(false);
        measure(&luns(), load, BackendKind::Null, &stop, &mut |_| ()).unwrap_err().to_string()
    };
    assert!(refused(&IoLoad { small: 0, ..load() }).contains("no load"));
    assert!(refused(&IoLoad { write_pct: 101, ..load() }).contains("more than all"));
    assert!(refused(&IoLoad { small_bytes: 1000, ..load() }).contains("does not fit blocks of 512"));
    let crowded = IoLoad { small: 1100, large: 1, write_pct: 50, verify: true, ..load() };
    assert!(refused(&crowded).contains("in each other's way on 4294967296 bytes"), "few bytes, but in the way of many");
    assert!(refused(&IoLoad { duration_s: 0.0, ..load() }).contains("makes no measurement"));
    let large = IoLoad { small: 0, large: 1, large_bytes: 1 << 30, ..load() };
    let all_memory = IoLoad { large: 60_000, write_pct: 50, ..large.clone() };
    let error = all_memory.fits(&Luns::imagined(&[1 << 50])).unwrap_err().to_string();
    assert!(error.contains("60000 I/Os outstanding need 128849018880000 bytes of memory"), "{error}");
    let tiny = Luns::imagined(&[1 << 29]);
    assert!(large.fits(&tiny).unwrap_err().to_string().contains("less than one I/O"));
    assert!(load().fits(&tiny).is_ok());
    let error = measure(&tiny, &large, BackendKind::Null, &AtomicBool::new(false), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("less than one I/O"), "{error}");
}

#[test]
fn what_is_in_the_way_of_all_is_waited_for() {
    for rate in [None, Some(IoRate { iops: 500.0, arrivals: Arrivals::Constant })] {
        let load = IoLoad { large: 1, write_pct: 100, verify: true, duration_s: 0.5, rate, ..load() };
        let shared = Arc::new(SharedState::new(&luns(), &load, 1).unwrap());
        let claims = shared.claims.as_ref().unwrap();
        let all = (0..2).flat_map(|lun| (0..3).map(move |n| Piece { lun, offset: n << 30, bytes: 1 << 30 }));
        assert!(claims.claim(u64::MAX, true, all));
        let io_threads = IoThreads::new(&shared, 1, &body(BackendKind::Null)).unwrap();
        let mut before = None;
        let mut released = |edge| {
            if edge == WindowEdge::WindowBegins {
                before = Some(shared.counts());
                claims.release(u64::MAX, None);
            }
        };
        let measured = run_schedule(
            &shared,
            &io_threads,
            (now_ns(), &AtomicBool::new(false)),
            &mut released,
            BackendKind::Null,
            None,
        );
        assert_eq!(before, Some(([0; 4], 0)));
        assert!(measured.errors.is_empty() && measured.ended_early.is_none(), "{measured:?}");
        assert!(measured.small.write.count > 0 && measured.large.write.count > 0, "{measured:?}");
    }
}

/// A queue whose I/Os never complete, and which may fail.
struct Deaf {
    breaks: bool,
    /// Calls that were to end before they began.
    hurried: Arc<AtomicU64>,
}

impl IoQueue for Deaf {
    fn push(&mut self, _: QueuedPiece) -> io::Result<()> {
        Ok(())
    }

    fn submit_and_wait(&mut self, _: &mut Arena, until_ns: Option<u64>, _: &mut Vec<CompletedPiece>) -> io::Result<()> {
        self.hurried.fetch_add(u64::from(until_ns.is_some_and(|until_ns| until_ns < now_ns())), Relaxed);
        sleep_until(until_ns);
        if self.breaks { Err(io::Error::other("the ring broke")) } else { Ok(()) }
    }
}

/// Whether there is memory at an address.
fn is_mapped(address: usize) -> bool {
    std::fs::read_to_string("/proc/self/maps").unwrap().lines().any(|line| {
        let (from, to) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
        let [from, to] = [from, to].map(|hex| usize::from_str_radix(hex, 16).unwrap());
        (from..to).contains(&address)
    })
}

#[test]
fn memory_of_ios_that_never_ended_stays_mapped() {
    for breaks in [true, false] {
        let at = Arc::new(Mutex::new(0));
        let seen = Arc::clone(&at);
        let run: Arc<ThreadBody> = Arc::new(move |io_loop, ready, _| {
            *seen.lock().unwrap() = io_loop.arena.raw().0.addr();
            ready(vec![])
                .map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut Deaf { breaks, hurried: Arc::default() }))
        });
        let stop = AtomicBool::new(false);
        let mut stops = |_| stop.store(true, Relaxed);
        let load = IoLoad { small: 0, large: 64, ..load() };
        let measured = measure_by(&run, &luns(), &load, BackendKind::Null, &stop, &mut stops, None).unwrap();
        assert_eq!((measured.ended_early.is_some(), measured.stopped), (breaks, !breaks));
        assert!(is_mapped(*at.lock().unwrap()));
    }
}

#[test]
fn nobody_hurries_after_the_end() {
    let hurried = Arc::<AtomicU64>::default();
    let seen = Arc::clone(&hurried);
    let run: Arc<ThreadBody> = Arc::new(move |io_loop, ready, _| {
        let hurried = Arc::clone(&seen);
        ready(vec![]).map_or(Ok(()), |schedule| io_loop.run(&schedule, &mut Deaf { breaks: false, hurried }))
    });
    let stop = AtomicBool::new(false);
    let mut stops = |edge| stop.store(edge == WindowEdge::WindowEnds, Relaxed);
    // Two are due until the end, and a third at the end.
    let rate = Some(IoRate { iops: 10.0, arrivals: Arrivals::Constant });
    let load = IoLoad { rate, duration_s: 0.09, ..load() };
    let measured = measure_by(&run, &luns(), &load, BackendKind::Null, &stop, &mut stops, None).unwrap();
    assert_eq!(measured.errors, BTreeMap::from([(IoError::Timeout, 2)]));
    assert!(hurried.load(Relaxed) < 10, "{hurried:?}");
}

#[test]
fn threads_that_break_off_end_the_point_with_the_reason() {
    let run: Arc<ThreadBody> = Arc::new(|_, ready, _| {
        let _ = ready(vec![]);
        panic!("a fault of the test's own")
    });
    let measured = by(run, BackendKind::Threads, &IoLoad { duration_s: 60.0, ..load() });
    assert!(measured.ended_early.unwrap().contains("broke off"));
    assert!(measured.window_s < 30.0 && measured.errors.is_empty(), "{} {:?}", measured.window_s, measured.errors);
}

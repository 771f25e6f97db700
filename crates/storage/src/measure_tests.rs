use super::*;
use crate::arena::Arena;
use crate::backend::stall::{Any, Seen, Stall};
use crate::backend::{Ended, Null, Queue, Task, sleep_until};
use crate::layout::Piece;
use crate::{Layout, OpenLoop, Pattern};
use dbdyno_model::Arrivals;

const DURATION_S: f64 = 1.0;

fn load() -> Load {
    Load {
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
    }
}

fn luns() -> Luns {
    Luns::imagined(&[1 << 30, 3 << 30])
}

/// Measures with queues of the test's own.
fn by(run: Arc<Body>, backend: BackendKind, load: &Load) -> Measured {
    measure_by(&run, &luns(), load, backend, &AtomicBool::new(false), &mut |_| (), None).unwrap()
}

/// What is measured by a queue that stalls for 200 ms, so long after the window's beginning, and how long it did, in
/// nanoseconds.
fn stalled(load: &Load, after_ns: u64) -> (Measured, u64) {
    let stalled = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&stalled);
    let run: Arc<Body> = Arc::new(move |turns, ready, _| {
        let Some(course) = ready(vec![]) else { return Ok(()) };
        let (at_ns, stall) = (course.begin_ns + after_ns, Duration::from_millis(200));
        turns.run(&course, &mut Stall { inner: Null::default(), at_ns, stall, stalled: Arc::clone(&seen) })
    });
    let measured = by(run, BackendKind::Null, load);
    let (from_ns, to_ns) = stalled.lock().unwrap().unwrap();
    (measured, to_ns - from_ns)
}

/// In the middle of the window.
const MIDDLE_NS: u64 = 300_000_000;

/// Insists that something is so in one of several plays: others that keep the machine busy stall a play by themselves.
fn is_so(play: impl Fn() -> Result<(), String>) {
    let wrong: Vec<String> = (0..10).map_while(|_| play().err()).collect();
    assert!(wrong.len() < 10, "{wrong:#?}");
}

/// What is wrong, unless it is so.
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
    let (measured, stall_ns) = stalled(&Load { rate: Some(OpenLoop { iops, arrivals }), ..load() }, MIDDLE_NS);
    let ios = &measured.small.read;
    let response = ios.response_time.as_ref().unwrap();
    assert_eq!(response.count(), ios.count);
    // What is due while it stalls waits for its end, so that of all I/Os the share of the stall in the window waits,
    // some long and some short: of one in a thousand that waits longest the shortest waits the stall less a thousandth
    // of the window.
    let implied_ns = stall_ns as f64 - 0.001 * DURATION_S * 1e9;
    let seen_ns = response.percentile_ns(99.9).unwrap() as f64;
    is((seen_ns / implied_ns - 1.0).abs() < 0.05, || {
        format!("{arrivals:?}: {seen_ns} ns, implied are {implied_ns} ns")
    })?;
    let waited = 1.0 - response.counts_between_ns(&[2_000_000])[0] as f64 / ios.count as f64;
    let share = stall_ns as f64 / 1e9 / DURATION_S;
    is(waited > 0.9 * share, || format!("{arrivals:?}: {waited} waited, the stall's share is {share}"))?;
    // The backlog was worked off, so all that was due was done, but for what was under way at the edges.
    let due = measured.due.unwrap();
    is(due.abs_diff(ios.count) <= due / 50, || format!("{} of {due}", ios.count))?;
    // Service times know of the four I/Os alone that were under way.
    let service = &ios.service_time;
    is(service.percentile_ns(99.9).unwrap() < stall_ns / 4, || format!("{service:?}, the stall took {stall_ns} ns"))
}

#[test]
fn an_open_loop_sees_a_stall_that_reaches_over_the_end() {
    is_so(sees_a_stall_over_the_end);
}

fn sees_a_stall_over_the_end() -> Result<(), String> {
    // So few that the one under way is one in a thousand of all that count.
    let rate = Some(OpenLoop { iops: 1000.0, arrivals: Arrivals::Constant });
    let (measured, stall_ns) = stalled(&Load { rate, ..load() }, 900_000_000);
    let ios = &measured.small.read;
    let response = ios.response_time.as_ref().unwrap();
    for seen_ns in [response.percentile_ns(99.9), response.max_ns(), ios.service_time.max_ns()] {
        is(seen_ns.unwrap() >= stall_ns / 1000 * 999, || format!("{seen_ns:?}, the stall took {stall_ns} ns"))?;
    }
    // What was due after it began and could not be begun is missing.
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
    // Of which it is known when they were, and on which device.
    let longest = measured.moments.luns.iter().max_by_key(|lun| lun.max_ns).unwrap();
    assert!(longest.max_ns >= stall_ns / 1000 * 999 && longest.max_at_ns >= MIDDLE_NS, "{longest:?}");
    assert_eq!(measured.moments.steps[0].max_ns, longest.max_ns);
}

#[test]
fn a_rate_that_is_too_high_is_seen() {
    let rate = Some(OpenLoop { iops: 1e8, arrivals: Arrivals::Constant });
    let measured = by(body(BackendKind::Null), BackendKind::Null, &Load { rate, duration_s: 0.2, ..load() });
    let (due, done) = (measured.due.unwrap(), measured.small.read.count);
    assert!(due.abs_diff(20_000_000) < 3 && done < due, "{done} of {due}");
    // What the storage did all the same is told apart from what of it was due in the window.
    let completed = measured.completed.unwrap();
    assert!(completed.ios > 0 && completed.on_time <= completed.ios.min(done), "{completed:?}");
}

#[test]
fn as_many_are_outstanding_as_asked_small_and_large() {
    for threads in [1, 3] {
        let all: Arc<Mutex<Vec<Arc<Mutex<Seen>>>>> = Arc::default();
        let made = Arc::clone(&all);
        let run: Arc<Body> = Arc::new(move |turns, ready, _| {
            let seen = Arc::<Mutex<Seen>>::default();
            made.lock().unwrap().push(Arc::clone(&seen));
            ready(vec![]).map_or(Ok(()), |course| turns.run(&course, &mut Any::new(7, seen)))
        });
        let load = Load { small: 13, large: 5, write_pct: 30, duration_s: 0.2, ..load() };
        let shared = Arc::new(Shared::new(&luns(), &load, 1).unwrap());
        let crew = Crew::new(&shared, threads, &run).unwrap();
        let measured = course(&shared, &crew, &AtomicBool::new(false), &mut |_| (), BackendKind::Null, None);
        let mut outstanding = BTreeMap::new();
        let (mut ios, mut writes) = (0, 0);
        for seen in all.lock().unwrap().iter() {
            let seen = seen.lock().unwrap();
            (ios, writes) = (ios + seen.ios, writes + seen.writes);
            assert!(seen.turns > 100, "{} turns", seen.turns);
            for (bytes, n) in &seen.under_way[0] {
                *outstanding.entry(*bytes).or_insert(0) += n;
            }
            // The same at each turn until the end, from where on they only become fewer.
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
    let load = Load { large: 2, write_pct: 50, duration_s: 0.1, ..load() };
    let measured = by(body(BackendKind::Null), BackendKind::Null, &load);
    let kinds = [&measured.small, &measured.large].map(|both| [&both.read, &both.write]);
    for ios in kinds.into_iter().flatten() {
        assert!(ios.count > 0 && ios.count == ios.service_time.count());
        assert_eq!(ios.service_time.counts_between_ns(&[100, 10_000]).iter().sum::<u64>(), ios.count);
    }
    let inside: u64 = kinds.into_iter().flatten().map(|ios| ios.count).sum();
    assert!(inside < measured.total, "warm-up and tail are in the total alone");
    assert_eq!(measured.moments.steps.iter().map(|step| step.ios).sum::<u64>(), inside);
    assert_eq!(measured.moments.luns.iter().map(|lun| lun.reads + lun.writes).sum::<u64>(), inside);
    assert_eq!(measured.small.read.bytes, measured.small.read.count * 8192);
    assert!((measured.window_s - 0.1).abs() < 1e-9 && !measured.stopped && measured.errors.is_empty());
}

#[test]
fn a_device_that_never_answers_holds_nothing_up() {
    // A queue whose turn never ends, as a call into a dead device.
    let run: Arc<Body> = Arc::new(|_, ready, _| {
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
    let run: Arc<Body> = Arc::new(|_, ready, _| {
        let _ = ready(vec![]);
        Err(io::Error::other("the ring broke"))
    });
    let measured = by(run, BackendKind::Null, &load());
    assert!(measured.ended_early.unwrap().contains("the ring broke"));
    assert!(measured.window_s < 0.01, "{}", measured.window_s);
}

#[test]
fn loads_that_are_none_are_refused() {
    let refused = |load: &Load| {
        let stop = AtomicBool::new(false);
        measure(&luns(), load, BackendKind::Null, &stop, &mut |_| ()).unwrap_err().to_string()
    };
    assert!(refused(&Load { small: 0, ..load() }).contains("no load"));
    assert!(refused(&Load { write_pct: 101, ..load() }).contains("more than all"));
    assert!(refused(&Load { small_bytes: 1000, ..load() }).contains("does not fit blocks of 512"));
    let crowded = Load { small: 1100, large: 1, write_pct: 50, verify: true, ..load() };
    assert!(refused(&crowded).contains("in each other's way on 4294967296 bytes"), "few bytes, but in the way of many");
    assert!(refused(&Load { duration_s: 0.0, ..load() }).contains("makes no measurement"));
    let large = Load { small: 0, large: 1, large_bytes: 1 << 30, ..load() };
    let all_memory = Load { large: 60_000, write_pct: 50, ..large.clone() };
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
    for rate in [None, Some(OpenLoop { iops: 500.0, arrivals: Arrivals::Constant })] {
        let load = Load { large: 1, write_pct: 100, verify: true, duration_s: 0.5, rate, ..load() };
        let shared = Arc::new(Shared::new(&luns(), &load, 1).unwrap());
        let claims = shared.claims.as_ref().unwrap();
        let all = (0..2).flat_map(|lun| (0..3).map(move |n| Piece { lun, offset: n << 30, bytes: 1 << 30 }));
        assert!(claims.claim(u64::MAX, true, all));
        let crew = Crew::new(&shared, 1, &body(BackendKind::Null)).unwrap();
        let mut before = None;
        let mut released = |edge| {
            if edge == Edge::WindowBegins {
                before = Some(shared.counts());
                claims.release(u64::MAX, None);
            }
        };
        let measured = course(&shared, &crew, &AtomicBool::new(false), &mut released, BackendKind::Null, None);
        assert_eq!(before, Some(([0; 4], 0)));
        assert!(measured.errors.is_empty() && measured.ended_early.is_none(), "{measured:?}");
        assert!(measured.small.write.count > 0 && measured.large.write.count > 0, "{measured:?}");
    }
}

/// A queue whose I/Os never end, and which may break.
struct Deaf {
    breaks: bool,
    /// Turns that were to end before they began.
    hurried: Arc<AtomicU64>,
}

impl Queue for Deaf {
    fn push(&mut self, _: Task) -> io::Result<()> {
        Ok(())
    }

    fn turn(&mut self, _: &mut Arena, until_ns: Option<u64>, _: &mut Vec<Ended>) -> io::Result<()> {
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
        let run: Arc<Body> = Arc::new(move |turns, ready, _| {
            *seen.lock().unwrap() = turns.arena().raw().0.addr();
            ready(vec![]).map_or(Ok(()), |course| turns.run(&course, &mut Deaf { breaks, hurried: Arc::default() }))
        });
        let stop = AtomicBool::new(false);
        let mut stops = |_| stop.store(true, Relaxed);
        let load = Load { small: 0, large: 64, ..load() };
        let measured = measure_by(&run, &luns(), &load, BackendKind::Null, &stop, &mut stops, None).unwrap();
        assert_eq!((measured.ended_early.is_some(), measured.stopped), (breaks, !breaks));
        assert!(is_mapped(*at.lock().unwrap()));
    }
}

#[test]
fn nobody_hurries_after_the_end() {
    let hurried = Arc::<AtomicU64>::default();
    let seen = Arc::clone(&hurried);
    let run: Arc<Body> = Arc::new(move |turns, ready, _| {
        let hurried = Arc::clone(&seen);
        ready(vec![]).map_or(Ok(()), |course| turns.run(&course, &mut Deaf { breaks: false, hurried }))
    });
    let stop = AtomicBool::new(false);
    let mut stops = |edge| stop.store(edge == Edge::WindowEnds, Relaxed);
    // Two are due until the end, and a third with it.
    let rate = Some(OpenLoop { iops: 10.0, arrivals: Arrivals::Constant });
    let load = Load { rate, duration_s: 0.09, ..load() };
    let measured = measure_by(&run, &luns(), &load, BackendKind::Null, &stop, &mut stops, None).unwrap();
    assert_eq!(measured.errors, BTreeMap::from([(IoError::Timeout, 2)]));
    assert!(hurried.load(Relaxed) < 10, "{hurried:?}");
}

#[test]
fn threads_that_break_off_end_the_point_with_the_reason() {
    let run: Arc<Body> = Arc::new(|_, ready, _| {
        let _ = ready(vec![]);
        panic!("a fault of the test's own")
    });
    let measured = by(run, BackendKind::Threads, &Load { duration_s: 60.0, ..load() });
    assert!(measured.ended_early.unwrap().contains("broke off"));
    assert!(measured.window_s < 30.0 && measured.errors.is_empty(), "{} {:?}", measured.window_s, measured.errors);
}

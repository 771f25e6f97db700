//! kill -9 at random moments, and `resume` of what is left; and refusals of `resume`.

use crate::dice::{Dice, complete, kept};
use crate::support::{Room, Running, points, text};
use rustix::process::Signal;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A run that is killed again and again.
struct KilledRun {
    command: &'static str,
    planned: usize,
    /// About how long a point takes, for moments throughout it.
    point_us: u64,
}

impl KilledRun {
    /// Starts dbdyno and kills it some time after a point was recorded.
    fn kill(&self, room: &Room, line: &str, from: usize, dice: &mut Dice) {
        let run = room.start(line);
        let point = from as u64 + dice.throw((self.planned - from) as u64);
        if point > from as u64 {
            let digits = self.planned.to_string().len();
            run.until(&format!("[{point:>digits$}/{}]", self.planned));
        }
        std::thread::sleep(Duration::from_micros(dice.throw(self.point_us)));
        let ending = run.kill();
        assert!(ending.code.is_none_or(|code| code == 0), "it was to be killed or to be done: {ending:?}");
    }

    /// Kills a run, checks what is left, resumes it, and checks again. Returns the number of points that the kill left.
    fn suffer(&self, room: &Room, dice: &mut Dice) -> usize {
        self.kill(room, self.command, 0, dice);
        let Some(kept) = self.kept(room) else {
            // Killed before the plan was stored: nothing was begun, and nothing prevents a new run.
            room.run(self.command).expect(0);
            complete(room, self.planned);
            return 0;
        };
        if kept < self.planned && dice.throw(3) == 0 {
            self.kill(room, "resume last", kept, dice);
            assert!(self.kept(room).is_some_and(|more| more >= kept), "a killed resume loses nothing");
        }
        room.run("resume last --quiet").expect(0);
        complete(room, self.planned);
        kept
    }

    /// The number of points that are kept, each of them complete; `None` where there is no run yet.
    fn kept(&self, room: &Room) -> Option<usize> {
        let document = kept(room)?;
        assert!(points(&document).iter().all(|p| p["status"] == "ok"), "{document:#}");
        assert!(["interrupted", "done"].contains(&text(&document, "/run/status")));
        Some(points(&document).len())
    }
}

#[test]
fn fifty_kills_leave_no_half_point_and_every_run_can_be_resumed() {
    const KILLS: u64 = 50;
    const AT_ONCE: u64 = 10;
    const ORDEAL: KilledRun = KilledRun {
        command: "run T512 T211 --jobs 1 --threads 1 --repeat 12 --duration 10ms --target null:?delay_us=20000",
        planned: 24,
        point_us: 30_000,
    };
    let cut = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for worker in 0..AT_ONCE {
            let cut = &cut;
            scope.spawn(move || {
                let mut dice = Dice(2 + worker);
                for _ in 0..KILLS / AT_ONCE {
                    let kept = ORDEAL.suffer(&Room::new(), &mut dice);
                    cut.fetch_add(usize::from((1..ORDEAL.planned).contains(&kept)), Ordering::Relaxed);
                }
            });
        }
    });
    let cut = cut.into_inner();
    assert!(cut >= 30, "only {cut} runs were killed in their middle, so little was proved");
}

#[test]
fn kills_of_runs_on_a_database_can_be_resumed() {
    const ORDEAL: KilledRun = KilledRun {
        command: "run T711 T512 T621 --ramp 1 --duration 20ms --target sqlite:x.sqlite",
        planned: 3,
        point_us: 1_200_000,
    };
    std::thread::scope(|scope| {
        for worker in 0..5 {
            scope.spawn(move || ORDEAL.suffer(&Room::with_data(), &mut Dice(100 + worker)));
        }
    });
}

#[test]
fn a_killed_load_goes_on_where_it_was() {
    std::thread::scope(|scope| {
        for worker in 0..4 {
            scope.spawn(move || {
                let room = Room::new();
                let mut dice = Dice(200 + worker);
                let load = room.start("load --target sqlite:x.sqlite --size D");
                load.until("small_heap: 32,000");
                std::thread::sleep(Duration::from_micros(dice.throw(1_000_000)));
                load.kill();
                let answer = room.run("load --target sqlite:x.sqlite --size D --json").expect(0).json();
                assert_eq!(answer["verified"], true, "{answer:#}");
                if answer["resumed"] == true {
                    assert_eq!(answer["tables"][0]["rows_written"], 0, "the first table was there: {answer:#}");
                }
            });
        }
    });
}

/// A run that lost its target at its second point.
fn broken_off(room: &Room) -> String {
    let line = "run T512 T511 T611 --jobs 1 --threads 1 --duration 10ms \
                --target null:?delay_us=50000&error_at=2&error_class=connection_lost";
    room.run(line).expect(3);
    text(&room.show("last"), "/run/id").to_owned()
}

#[track_caller]
fn refuses(room: &Room, line: &str, words: &str) {
    let before = room.run("show last --json").stdout;
    let ending = room.run(line);
    assert_eq!(ending.stderr, words);
    assert_eq!((ending.code, ending.stdout.as_str()), (Some(2), ""));
    assert_eq!(room.run("show last --json").stdout, before, "a refusal changes nothing");
}

fn changed(id: &str, changes: &str) -> String {
    format!(
        "dbdyno: run {id} cannot be resumed: {changes}; its points would not be comparable: start a new run, `dbdyno show \
         {id}` shows what was measured\n"
    )
}

#[test]
fn changed_definitions_are_refused() {
    let room = Room::new();
    let id = broken_off(&room);
    let file = "tests/T600_select.toml";
    let original = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("catalogue").join(file)).unwrap();
    let other = original.replacen("rows_per_tx = 1\n", "rows_per_tx = 2\n", 1);
    assert_ne!(original, other);
    std::fs::create_dir_all(room.path("mine/tests")).unwrap();
    std::fs::write(room.path("mine").join(file), other).unwrap();
    refuses(
        &room,
        "resume last --catalogue mine",
        &changed(&id, "the definition of T611 has changed (catalogue entry or SQL)")
            .replace("` shows", " --catalogue mine` shows"),
    );
    // The same definitions from a folder count as the same.
    std::fs::write(room.path("mine").join(file), original).unwrap();
    room.run("resume last --catalogue mine --target null:").expect(0);
}

#[test]
fn other_data_is_refused() {
    let room = Room::with_data();
    room.run("run T512 --target sqlite:x.sqlite --ramp 1 --duration 50ms --label data").expect(0);
    let id = text(&room.show("last"), "/run/id").to_owned();
    let again = |size_and_seed: &str| {
        room.run("drop --target sqlite:x.sqlite").expect(0);
        room.run(&format!("load --target sqlite:x.sqlite --no-verify {size_and_seed}")).expect(0);
    };
    again("--size T --seed 7");
    refuses(&room, "resume data", &changed(&id, "the target's seed was 42 and is 7 now"));
    again("--size D");
    refuses(&room, "resume data", &changed(&id, "the target's size was T and is D now"));
}

#[test]
fn another_database_or_other_settings_are_refused() {
    let room = Room::with_data();
    room.run("run T512 --target sqlite:x.sqlite --ramp 1 --duration 50ms").expect(0);
    let document = room.show("last");
    let id = text(&document, "/run/id").to_owned();
    refuses(
        &room,
        "resume last --target sqlite:x.sqlite?synchronous=normal",
        &changed(&id, "the setting synchronous was full and is normal now"),
    );
    let version = text(&document, "/database/version");
    let sql = "UPDATE runs SET database = json_set(database, '$.version', '3.0.0')";
    assert_eq!(room.results().execute(sql, []).unwrap(), 1);
    refuses(&room, "resume last", &changed(&id, &format!("the version was 3.0.0 and is {version} now")));
    refuses(&room, "resume last --target null:", &changed(&id, "the engine was sqlite and is null now"));
}

#[test]
fn a_run_that_is_being_measured_is_left_to_its_process() {
    let room = Room::new();
    let run: Running = room.start("run T512 T611 --jobs 8 --threads 1 --duration 5s --target null:");
    run.until("[1/2]");
    run.until_threads(8);
    let id = text(&room.show("last"), "/run/id").to_owned();
    let words = format!(
        "dbdyno: run {id} is being measured by process {}: wait until it is done, or stop it, and resume then\n",
        run.id()
    );
    refuses(&room, "resume last", &words);
    run.signal(Signal::INT);
    run.end().expect(3);
}

/// The result of checking the tables is in the run's record, also after `resume`.
#[test]
fn a_resumed_run_says_what_looking_at_the_tables_has_shown() {
    let room = Room::with_data();
    room.run("run T611 --target sqlite:x.sqlite --ramp 1 --duration 50ms").expect(0);
    let sql = "DELETE FROM histograms; DELETE FROM points; UPDATE runs SET database = json_remove(database, '$.facts.tables')";
    room.results().execute_batch(sql).unwrap();
    assert!(room.show("last")["database"]["facts"].get("tables").is_none());
    room.run("resume last").expect(0);
    let document = room.show("last");
    let tables = text(&document, "/database/facts/tables");
    assert!(tables.contains("looked at before the first point: definitions as loaded"), "{tables}");
}

#[test]
fn a_run_that_is_done_has_nothing_to_resume() {
    let room = Room::new();
    room.run("run T512 --jobs 1 --threads 1 --duration 20ms --target null:").expect(0);
    let before = room.show("last");
    room.run("resume last").expect(0);
    assert_eq!(room.show("last"), before);
}

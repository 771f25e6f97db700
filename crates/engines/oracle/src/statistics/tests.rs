//! Rows as the views of a server of release 19 give them (written by hand, not recorded), and what becomes of them.

use super::counters::{all, nothing, of_instance, of_point};
use super::*;
use dbdyno_model::{Counter, Counters};

fn rows(text: &str) -> Rows {
    let row = |line: &str| line.split('|').map(|v| Some(v.trim().to_owned()).filter(|v| !v.is_empty())).collect();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(row).collect()
}

fn named(text: &str) -> Named {
    Named::read(&rows(text))
}

const SYSTEM: &str = "
    user commits | 5000
    session logical reads | 900000
    gc cr blocks received | 5000
    gc current blocks received | 300
    physical reads | 4000
    physical writes | 700
    redo size | 123456789
    redo writes | 210
    redo write time | 33
    redo write time (usec) | 334567
    redo synch writes | 5100
    redo synch time | 140
    redo synch time (usec) | 1412345
    physical read flash cache hits | 0
    cell flash cache read hits | 12
    physical read total IO requests | 3000
    physical read total multi block requests | 900
    physical read total bytes | 40960000
    physical write total IO requests | 800
    physical write total bytes | 8192000
    background checkpoints completed | 3";

const SESSION: &str = "
    user commits | 100
    execute count | 350
    session logical reads | 8000
    gc cr blocks received | 30
    gc current blocks received | 12
    physical reads | 5
    redo size | 54321
    redo synch writes | 100
    redo synch time | 2
    redo synch time (usec) | 23456
    physical read flash cache hits | 0
    cell flash cache read hits | 4
    queries parallelized | 0
    DDL statements parallelized | 0
    DML statements parallelized | 0
    Parallel operations not downgraded | 0
    Parallel operations downgraded to serial | 0
    Parallel operations downgraded 1 to 25 pct | 0
    Parallel operations downgraded 25 to 50 pct | 0
    Parallel operations downgraded 50 to 75 pct | 0
    Parallel operations downgraded 75 to 99 pct | 0
    table scan rows gotten | 6400
    cell physical IO bytes eligible for predicate offload | 0";

fn read() -> Read {
    let events = rows(
        "log file sync | Commit | 5100 | 1400000 | 5100 | 1400000
         log file parallel write | System I/O | 0 | 0 | 4800 | 960000
         db file sequential read | User I/O | 2100 | 630000 | 2140 | 650000
         latch: shared pool | Concurrency | 3 | | 3 |",
    );
    let histogram = rows(
        "log file sync | 256 | 4000
         log file sync | 512 | 1100
         db file sequential read | 512 | 2100",
    );
    Read {
        system: Ok(named(SYSTEM)),
        times: Ok(named("DB time | 9000000\nDB CPU | 7000000\nbackground cpu time | 400000")),
        machine: Ok(named("NUM_CPUS | 8\nBUSY_TIME | 4000\nIDLE_TIME | 6000\nUSER_TIME | 3000\nSYS_TIME | 900")),
        files: files(&rows("reads | 2103\nread ms | 1211\nwrites | 357\nwrite ms | 265")),
        dirty: dirty(&rows("321")),
        waits: Ok(waits(&events, &histogram)),
        cursors: Ok(Cursors::read(&rows(
            "7ws837zynp1zv | 0 | 320 | 320 | 123456\n9babjv8yq8ru3 | 0 | 10 | 10 | 654321",
        ))),
    }
}

const ALONE: Watched =
    Watched { threads: 1, changes: true, scans: true, builds: false, marked: true, rows: None, room_rows: None };

fn base() -> Base {
    let mut empty = read();
    empty.cursors = Ok(Cursors::read(&rows("7ws837zynp1zv | 0 | 20 | 20 | 123456")));
    Base::new("1 2026-01-31 12:00:00".to_owned(), &empty)
}

fn told(read: &Read, ours: &Named, watched: &Watched) -> Counters {
    of_point(read, ours, watched, &base())
}

#[test]
fn every_counter_has_a_value_or_a_reason() {
    for (read, ours) in [(read(), named(SESSION)), (broken(), Named::default()), (broken(), named(""))] {
        let counters = told(&read, &ours, &ALONE);
        // Commits of others are told by the difference of two readings.
        for counter in all().filter(|counter| *counter != Counter::ForeignCommits) {
            let (value, why) = (counters.values.get(&counter), counters.missing.get(&counter));
            assert!(value.is_some() != why.is_some(), "{counter:?}: {value:?} {why:?}");
            assert!(why.is_none_or(|why| !why.is_empty()), "{counter:?}");
        }
    }
    let nothing = nothing("the instance was started again");
    assert!(nothing.values.is_empty() && all().all(|counter| nothing.missing.contains_key(&counter)));
}

/// A server that shows nothing.
fn broken() -> Read {
    let why = || "this user may not read it".to_owned();
    Read {
        system: Err(why()),
        times: Err(why()),
        machine: Err(why()),
        files: Err(why()),
        dirty: Err(why()),
        waits: Err(why()),
        cursors: Err(why()),
    }
}

#[test]
fn what_a_session_did_is_its_own_and_what_the_server_did_is_everybodys() {
    let counters = told(&read(), &named(SESSION), &ALONE);
    for (counter, value) in [
        (Counter::Commits, 100),
        (Counter::LogicalReads, 8_000),
        (Counter::PhysicalReads, 5),
        (Counter::RemoteBlocks, 42),
        (Counter::RedoBytes, 54_321),
        (Counter::RedoSyncs, 100),
        (Counter::RedoSyncNs, 23_456_000),
        (Counter::CellFlashHits, 4),
        (Counter::FlashHits, 0),
        (Counter::RowsScanned, 6_400),
        (Counter::WorkersLaunched, 0),
        (Counter::RedoWrites, 210),
        (Counter::RedoWriteNs, 334_567_000),
        (Counter::PhysicalWrites, 700),
        (Counter::BlocksDirtied, 1_021),
        (Counter::Checkpoints, 3),
        (Counter::ReadRequests, 3_000),
        (Counter::MultiBlockReads, 900),
        (Counter::WriteBytes, 8_192_000),
        (Counter::FileReads, 2_103),
        (Counter::FileReadNs, 1_211_000_000),
        (Counter::FileWrites, 357),
        (Counter::HostBusyNs, 40_000_000_000),
        (Counter::HostIdleNs, 60_000_000_000),
        (Counter::DbCpuNs, 7_000_000_000),
        (Counter::DbTimeNs, 9_000_000_000),
    ] {
        assert_eq!(counters.get(counter), Some(value), "{counter:?}");
    }
    // This machine's server does not tell of waiting for I/O.
    assert!(counters.missing[&Counter::HostIowaitNs].contains("'IOWAIT_TIME'"));
    assert!(counters.missing[&Counter::RedoPageImages].contains("changes, not pages"));
}

#[test]
fn parallel_workers_are_sessions_of_their_own() {
    let watched = Watched { threads: 4, changes: false, ..ALONE };
    let session = SESSION.replace("queries parallelized | 0", "queries parallelized | 3");
    let counters = told(&read(), &named(&session), &watched);
    assert_eq!(counters.get(Counter::WorkersLaunched), Some(12));
    assert_eq!(counters.get(Counter::LogicalReads), Some(900_000), "the server's");
    assert_eq!(counters.get(Counter::RedoBytes), Some(123_456_789));
    assert!(counters.missing[&Counter::RowsScanned].contains("sessions of their own"));
    assert!(counters.missing[&Counter::RowsChanged].contains("changes no rows"));
    // One of the three had fewer workers than it asked for, and counts as if it had none.
    let fewer = session.replace("downgraded 25 to 50 pct | 0", "downgraded 25 to 50 pct | 1");
    assert_eq!(told(&read(), &named(&fewer), &watched).get(Counter::WorkersLaunched), Some(8));
    // Workers of a session that was to work alone are seen.
    let alone = Watched { threads: 1, ..watched };
    assert_eq!(told(&read(), &named(&session), &alone).get(Counter::WorkersLaunched), Some(6));
    let built = SESSION.replace("DDL statements parallelized | 0", "DDL statements parallelized | 1");
    let builds = Watched { builds: true, ..watched };
    assert_eq!(told(&read(), &named(&built), &builds).get(Counter::WorkersLaunched), Some(4));
}

#[test]
fn executions_are_those_since_the_point_began() {
    let counters = told(&read(), &named(SESSION), &ALONE);
    assert_eq!((counters.get(Counter::Executions), counters.get(Counter::RowsChanged)), (Some(310), Some(310)));
    // A cursor that was thrown out and came back began anew.
    let mut again = read();
    again.cursors = Ok(Cursors::read(&rows("7ws837zynp1zv | 0 | 7 | 7 | 123456")));
    assert_eq!(told(&again, &named(SESSION), &ALONE).get(Counter::Executions), Some(7));
    // More rows than a hash cluster was made for.
    let full = |room| told(&read(), &named(SESSION), &Watched { room_rows: Some(room), ..ALONE });
    assert_eq!(full(310).get(Counter::RowsChanged), Some(310));
    assert!(full(309).missing[&Counter::RowsChanged].contains("made for 309"));
    let unmarked = Watched { marked: false, ..ALONE };
    let counters = told(&read(), &named(SESSION), &unmarked);
    assert!(counters.missing[&Counter::Executions].contains("no statement of its own"));
}

#[test]
fn the_cursor_that_ran_is_the_one_whose_executions_rose() {
    let before = Cursors::read(&rows("a | 0 | 1000 | 1000 | 1\nb | 0 | 5 | 5 | 2"));
    let after = Cursors::read(&rows("a | 0 | 1000 | 1000 | 1\nb | 0 | 5 | 5 | 2\nb | 1 | 3 | 3 | 7"));
    assert_eq!(after.executed_since(&before), [("b", 1)]);
    assert!(before.executed_since(&before).is_empty());
    let more = Cursors::read(&rows("a | 0 | 1007 | 1000 | 1\nb | 0 | 6 | 5 | 2"));
    assert_eq!(more.executed_since(&before), [("a", 0), ("b", 0)], "the most executed first");
    let damaged = Cursors::read(&rows("a | 0 | many | 1 | 1\n | 0 | 1 | 1 | 1\nc"));
    assert_eq!(damaged, Cursors::default());
}

#[test]
fn a_statistic_that_a_release_lacks_is_missing_and_named() {
    let older = SYSTEM.replace("redo write time (usec) | 334567", "");
    let mut read = read();
    read.system = Ok(named(&older));
    let session = SESSION.replace("redo synch time (usec) | 23456", "").replace("cell flash cache read hits | 4", "");
    let counters = told(&read, &named(&session), &ALONE);
    // The coarser one of both is taken.
    assert_eq!(counters.get(Counter::RedoWriteNs), Some(330_000_000));
    assert_eq!(counters.get(Counter::RedoSyncNs), Some(20_000_000));
    assert_eq!(counters.get(Counter::CellFlashHits), None);
    assert!(counters.missing[&Counter::CellFlashHits].contains("'cell flash cache read hits'"));
    // The Standard Edition of older releases does not tell changed blocks.
    read.dirty = dirty(&rows(" | "));
    let counters = told(&read, &named(SESSION), &ALONE);
    assert!(counters.missing[&Counter::BlocksDirtied].contains("Standard Edition"));
}

#[test]
fn what_a_pluggable_database_does_not_see_is_not_nothing() {
    let mut read = read();
    let unseen =
        SYSTEM.replace("redo writes | 210", "redo writes | 0").replace("physical writes | 700", "physical writes | 0");
    read.system = Ok(named(&unseen));
    let counters = told(&read, &named(SESSION), &ALONE);
    for counter in [
        Counter::RedoWrites,
        Counter::RedoWriteNs,
        Counter::PhysicalWrites,
        Counter::BlocksDirtied,
        Counter::WriteRequests,
        Counter::WriteBytes,
    ] {
        assert_eq!(counters.get(counter), None);
        assert!(counters.missing[&counter].contains("pluggable"), "{}", counters.missing[&counter]);
    }
    // What sessions do is counted there.
    assert_eq!(counters.get(Counter::RedoBytes), Some(54_321));
}

#[test]
fn what_may_not_be_read_is_missing_for_that_reason() {
    let counters = told(&broken(), &Named::unreadable("v$mystat is not granted".to_owned()), &ALONE);
    assert!(counters.values.is_empty(), "{:?}", counters.values);
    assert_eq!(counters.missing[&Counter::Commits], "v$mystat is not granted");
    assert_eq!(counters.missing[&Counter::RedoWrites], "this user may not read it");
    assert!(counters.waits.is_empty());
}

#[test]
fn counters_that_ran_backwards_are_missing() {
    let before = told(&read(), &named(SESSION), &ALONE);
    let mut restarted = read();
    restarted.system = Ok(named("redo writes | 3\nphysical writes | 800\nuser commits | 5000"));
    let difference = told(&restarted, &named(SESSION), &ALONE).since(&before);
    assert_eq!(difference.get(Counter::RedoWrites), None);
    assert!(difference.missing[&Counter::RedoWrites].contains("reset"));
    assert_eq!(difference.get(Counter::PhysicalWrites), Some(100));
    assert!(difference.missing[&Counter::ReadBytes].contains("'physical read total bytes'"));
    // A session's own, too: the number may have gone to another session.
    let (earlier, now) =
        (named("user commits | 10\nredo size | 50"), named("user commits | 4\nredo size | 70\nphysical reads | 3"));
    let done = now.since(&earlier);
    assert_eq!((done.get("redo size"), done.get("user commits"), done.get("physical reads")), (Some(20), None, None));
    let mut all = named("user commits | 7");
    all.add(&done);
    assert_eq!(all.get("user commits"), None, "what one lacks, all lack");
    assert!(all.told("user commits").unwrap_err().contains("was reset"));
    assert!(all.told("physical reads").unwrap_err().contains("was not there before"));
}

#[test]
fn commits_of_others_are_those_beside_ours() {
    let told = others(&read(), &Ok(4_900)).unwrap();
    assert_eq!((told.commits, told.beside_claims), (100, false));
    // They cannot be told where our own are not known.
    assert_eq!(others(&read(), &Err("why".to_owned())).unwrap_err(), "why");
    assert_eq!(others(&broken(), &Ok(1)).unwrap_err(), "this user may not read it");
}

#[test]
fn what_an_instance_counts_is_everybodys() {
    let mut read = read();
    read.system = Ok(named(&format!("{SYSTEM}\nuser rollbacks | 17")));
    let counters = of_instance(&read);
    for (counter, value) in [
        (Counter::Commits, 5_000),
        (Counter::Rollbacks, 17),
        (Counter::LogicalReads, 900_000),
        (Counter::PhysicalWrites, 700),
        (Counter::RedoBytes, 123_456_789),
        (Counter::RedoSyncs, 5_100),
        (Counter::FileReads, 2_103),
    ] {
        assert_eq!(counters.get(counter), Some(value), "{counter:?}");
    }
    assert!(counters.missing.contains_key(&Counter::RowsChanged) && !counters.waits.is_empty());
    let nothing = of_instance(&broken());
    assert!(nothing.values.is_empty() && nothing.missing[&Counter::Rollbacks] == "this user may not read it");
}

#[test]
fn scans_by_storage_cells_are_not_counted_as_rows() {
    let offloaded = SESSION.replace("predicate offload | 0", "predicate offload | 8192");
    let counters = told(&read(), &named(&offloaded), &ALONE);
    assert!(counters.missing[&Counter::RowsScanned].contains("storage cells"));
    let lookup = Watched { scans: false, ..ALONE };
    assert!(told(&read(), &named(SESSION), &lookup).missing.contains_key(&Counter::RowsScanned));
}

#[test]
fn rows_that_parses_read_are_not_the_tests() {
    // 310 executions of 20 rows.
    let watched = Watched { rows: Some(20), changes: false, ..ALONE };
    let scanned = |rows: u64, parses: u64| {
        let session = SESSION.replace("rows gotten | 6400", &format!("rows gotten | {rows}"));
        let session = format!("{session}\nparse count (hard) | {parses}");
        told(&read(), &named(&session), &watched).get(Counter::RowsScanned)
    };
    assert_eq!(scanned(6_200, 1), Some(6_200));
    assert_eq!(scanned(6_230, 1), Some(6_200), "the dictionary, for a statement that was new");
    assert_eq!(scanned(6_230, 0), Some(6_230), "nothing was parsed");
    assert_eq!(scanned(6_400, 1), Some(6_400), "too many for that");
    assert_eq!(scanned(6_180, 1), Some(6_180), "too few stay too few");
}

#[test]
fn blocks_from_the_memory_of_cells_are_none_of_their_flash() {
    for statistic in ["cell RDMA reads", "cell pmem cache read hits", "cell xrmem cache read hits"] {
        let counters = told(&read(), &named(&format!("{SESSION}\n{statistic} | 900")), &ALONE);
        let why = &counters.missing[&Counter::CellFlashHits];
        assert!(
            why.contains("a memory before their flash") && !counters.values.contains_key(&Counter::CellFlashHits),
            "{why}"
        );
        let mut read = read();
        read.system = Ok(named(&format!("{SYSTEM}\n{statistic} | 7")));
        let parallel = Watched { threads: 4, ..ALONE };
        assert!(
            told(&read, &named(SESSION), &parallel).missing[&Counter::CellFlashHits]
                .contains("a memory before their flash")
        );
    }
    let none = told(&read(), &named(&format!("{SESSION}\ncell pmem cache read hits | 0")), &ALONE);
    assert_eq!(none.get(Counter::CellFlashHits), Some(4));
}

#[test]
fn what_cells_write_by_themselves_is_told() {
    let mut read = read();
    let cells = "cell writes to flash cache | 5\ncell physical IO bytes saved during optimized file creation | 1048576";
    read.system = Ok(named(&format!("{SYSTEM}\n{cells}")));
    let counters = told(&read, &named(SESSION), &ALONE);
    assert_eq!(counters.get(Counter::CellFlashWrites), Some(5));
    assert_eq!(counters.get(Counter::CellMadeBytes), Some(1_048_576));
}

#[test]
fn waits_have_their_times_and_buckets() {
    let waits = read().waits.unwrap();
    let sync = waits.iter().find(|wait| wait.event == "log file sync").unwrap();
    assert_eq!((sync.class.as_str(), sync.count, sync.time_ns), ("Commit", 5_100, Some(1_400_000_000)));
    assert_eq!(sync.buckets_us, BTreeMap::from([(256, 4_000), (512, 1_100)]));
    let of = |event: &str| -> Vec<(u64, Option<u64>, bool)> {
        let waits = waits.iter().filter(|wait| wait.event == event);
        waits.map(|wait| (wait.count, wait.time_ns, wait.background)).collect()
    };
    assert_eq!(of("log file parallel write"), [(4_800, Some(960_000_000), true)]);
    let reads = [(2_100, Some(630_000_000), false), (40, Some(20_000_000), true)];
    assert_eq!(of("db file sequential read"), reads);
    let latch = waits.iter().find(|wait| wait.class == "Concurrency").unwrap();
    assert_eq!((latch.time_ns, latch.buckets_us.len()), (None, 0));
    let history = history(&rows("log file sync | Commit | 4\non processor | CPU | 9\nbroken"));
    assert_eq!((history.len(), history[1].class.as_str(), history[1].time_ns), (2, "ASH CPU", Some(9_000_000_000)));
}

#[test]
fn damaged_rows_are_left_out() {
    let read = named("redo size | 12.00\nuser commits | x\n | 5\nphysical reads |\nredo writes | -3");
    assert_eq!(read.get("redo size"), Some(12));
    for name in ["user commits", "physical reads", "redo writes"] {
        assert_eq!(read.get(name), None, "{name}");
    }
    assert!(files(&rows("reads | |")).is_err() && files(&[]).is_err());
    assert!(dirty(&[]).is_err());
    assert_eq!(waits(&rows("x | y | many | 1"), &rows("x | 1")), []);
}

#[test]
fn an_account_adds_up_what_sessions_tell() {
    let account = Account::default();
    account.add_commits(&named("user commits | 3"));
    account.begin();
    account.add(&named(SESSION));
    account.add(&named(SESSION));
    let (done, commits) = account.read();
    assert_eq!((done.get("user commits"), done.get("redo size"), commits), (Some(200), Some(108_642), 203));
    account.begin();
    assert_eq!(account.read(), (Named::default(), 203));
    account.add(&Named::unreadable("not granted".to_owned()));
    assert_eq!(account.read().0.why_unreadable(), Some("not granted"));
    assert_eq!(account.instance(), None);
    account.counted_in(2);
    assert_eq!(account.instance(), Some(2));
}

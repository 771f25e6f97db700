use super::*;
use crate::FileAccess;
use dbdyno_model::{
    CpuReading, CpuUse, DatabaseRates, DatabaseReading, DeviceIo, Doing, LoadReading, ReadingTimes, Redo,
    SessionReading, SessionState, StatementReading, Top, WaitReading,
};
use std::collections::BTreeMap;

/// A figure that looks like one: it moves, and has digits that nobody needs.
fn figure(second: u64, salt: u64, about: f64) -> Option<f64> {
    let mut n = second.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n ^= n >> 29;
    n = n.wrapping_mul(0x94d0_49bb_1331_11eb);
    Some(about * (0.8 + (n >> 40) as f64 / 4e7))
}

/// A reading with everything that a busy server gives.
fn full(second: u64) -> Reading {
    let f = |salt, about| figure(second, salt, about);
    let times = |salt| Some(ReadingTimes { p50: f(salt, 0.002), p99: f(salt + 1, 0.02) });
    let load = |salt| LoadReading {
        seconds: Some(1.0),
        ops: Some(900),
        ops_per_s: f(salt, 900.0),
        errors_per_s: Some(0.0),
        retries_per_s: Some(0.0),
        service_time_s: times(salt + 2),
        response_time_s: times(salt + 4),
        ..LoadReading::default()
    };
    let types = ["New-Order", "Payment", "Delivery", "Order-Status", "Stock-Level"];
    let transactions = types.iter().zip(10..).map(|(name, n)| ((*name).to_owned(), load(n * 10))).collect();
    let wait = |n: u64| WaitReading {
        class: "IO".to_owned(),
        event: format!("Event number {n}"),
        sessions: f(n, 1.0).unwrap(),
        background: n > 8,
    };
    let statement = |n: u64| StatementReading {
        digest: format!("{}", 7_000_000_000_000_000_000 + n),
        text: format!("SELECT a, b, c FROM some_table_{n} AS t JOIN other USING (id) WHERE t.key = $1 AND t.day > $2"),
        calls_per_s: f(n, 100.0).unwrap(),
        sessions: f(n + 50, 0.3).unwrap(),
    };
    let session = |n: u64| SessionReading {
        session: format!("{}", 40_000 + n),
        user: "app".to_owned(),
        application: "orders".to_owned(),
        wait: "IO: DataFileRead".to_owned(),
        for_s: f(n, 0.01).unwrap(),
        statement: "SELECT".to_owned(),
    };
    let mut reading = Reading {
        at: jiff::Timestamp::from_millisecond(1_700_000_000_003 + second as i64 * 1_000).unwrap(),
        seconds: f(1, 1.0).unwrap(),
        doing: Some(Doing { point: 3, of: 9, subject: "orders".to_owned(), dop: "8".to_owned(), ..Doing::default() }),
        load: Some(LoadReading { transactions, ..load(2) }),
        database: Some(DatabaseReading {
            commits_per_s: f(70, 900.0),
            rollbacks_per_s: Some(0.0),
            executions_per_s: f(71, 9_000.0),
            rows_changed_per_s: f(72, 5_000.0),
            redo: Redo { mib_per_s: f(73, 20.0), writes_per_s: f(74, 500.0), ..Redo::default() },
            rates: DatabaseRates {
                logical_reads_per_s: f(75, 1e5),
                physical_reads_per_s: f(76, 1e3),
                ..DatabaseRates::default()
            },
            sessions: BTreeMap::from([(SessionState::Active, 8), (SessionState::Idle, 20)]),
            waits: (0..10).map(wait).collect(),
            ..DatabaseReading::default()
        }),
        ..Reading::default()
    };
    reading.machine.cpu = CpuReading {
        used: CpuUse { busy_pct: f(80, 70.0), user_pct: f(81, 50.0), system_pct: f(82, 20.0), ..CpuUse::default() },
        server_pct: f(83, 60.0),
        others_pct: f(84, 1.0),
        runnable: Some((second % 5) as f64),
    };
    reading.machine.io.devices = (0..2)
        .map(|n| DeviceIo {
            name: format!("nvme{n}n1"),
            read_iops: f(90 + n, 1_000.0).unwrap(),
            write_iops: f(93 + n, 500.0).unwrap(),
            service_time_s: f(96 + n, 0.0004),
            ..DeviceIo::default()
        })
        .collect();
    if second.is_multiple_of(10) {
        reading.top =
            Some(Top { statements: (0..10).map(statement).collect(), sessions: (0..10).map(session).collect() });
    }
    for n in 0..20 {
        reading.lacks(&format!("database.figure_{n}"), "this version of the server does not count it");
    }
    reading
}

fn repository() -> (tempfile::TempDir, Repository) {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::open(&folder.path().join("dbdyno.db"), FileAccess::ReadWrite).unwrap();
    (folder, repository)
}

#[test]
fn an_hour_of_readings_takes_at_most_a_megabyte_and_comes_back() {
    let (_folder, mut repository) = repository();
    let (keeper, id) = (ReadingsKeeper::default(), RunId::from_random(7));
    (0..3_600).for_each(|second| keeper.push(&full(second)));
    let bytes: usize = keeper.kept().blocks.iter().map(Vec::len).sum();
    assert!(bytes <= 1 << 20, "{bytes} bytes");
    assert!(bytes > 100_000, "{bytes} bytes: these readings are no readings");
    repository.store_readings(&id, &keeper).unwrap();
    let readings = repository.readings(&id).unwrap();
    assert_eq!(readings.len(), 3_600);
    for (second, reading) in (0..).zip(&readings) {
        let given = full(second);
        assert_eq!((reading.at, &reading.doing, &reading.missing), (given.at, &given.doing, &given.missing));
        let near = |now: Option<f64>, given: Option<f64>| (now.unwrap() / given.unwrap() - 1.0).abs() < 5.1e-4;
        let of = |reading: &Reading| reading.load.clone().unwrap().transactions["Payment"].clone();
        assert!(near(of(reading).ops_per_s, of(&given).ops_per_s));
        assert!(near(of(reading).response_time_s.unwrap().p99, of(&given).response_time_s.unwrap().p99));
        assert_eq!(reading.database.as_ref().unwrap().redo.sync_service_time_s, None);
        assert_eq!(reading.top.is_some(), given.top.is_some());
    }
}

#[test]
fn what_is_stored_later_follows_and_others_have_none() {
    let (_folder, mut repository) = repository();
    let (keeper, id, other) = (ReadingsKeeper::default(), RunId::from_random(7), RunId::from_random(8));
    repository.store_readings(&id, &keeper).unwrap();
    assert!(repository.readings(&id).unwrap().is_empty(), "nothing was gathered");
    for seconds in [0..2, 2..65, 65..66] {
        seconds.for_each(|second| keeper.push(&full(second)));
        repository.store_readings(&id, &keeper).unwrap();
    }
    let readings = repository.readings(&id).unwrap();
    assert_eq!(readings.len(), 66);
    assert!(readings.windows(2).all(|pair| pair[0].at < pair[1].at));
    assert!(repository.readings(&other).unwrap().is_empty());
}

#[test]
fn a_reading_with_hostile_keys_and_values_survives() {
    let mut reading = full(1);
    reading.lacks("a.b\u{1}c", "why\u{1b}[2J");
    reading.lacks("", "an empty path");
    let load = reading.load.as_mut().unwrap();
    let some = LoadReading { ops_per_s: Some(1.0), ..LoadReading::default() };
    load.transactions.insert("x.y".to_owned(), some);
    reading.machine.cpu.runnable = Some(f64::NAN);
    let back = columns::unpack(&columns::pack(&[reading]).unwrap()).unwrap().remove(0);
    assert!(back.load.unwrap().transactions.contains_key("x.y"));
    assert_eq!((back.machine.cpu.runnable, back.missing["a.bc"].as_str()), (None, "why\u{1b}[2J"));
}

#[test]
fn what_cannot_be_stored_now_is_stored_the_next_time() {
    let (folder, mut repository) = repository();
    let (keeper, id) = (ReadingsKeeper::default(), RunId::from_random(7));
    (0..70).for_each(|second| keeper.push(&full(second)));
    let other = rusqlite::Connection::open(folder.path().join("dbdyno.db")).unwrap();
    repository.connection.busy_timeout(std::time::Duration::ZERO).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(repository.store_readings(&id, &keeper).is_err());
    other.execute_batch("ROLLBACK").unwrap();
    keeper.push(&full(70));
    repository.store_readings(&id, &keeper).unwrap();
    repository.store_readings(&id, &keeper).unwrap();
    assert_eq!(repository.readings(&id).unwrap().len(), 71);
}

#[test]
fn damaged_and_newer_blocks_are_said() {
    let (_folder, mut repository) = repository();
    let (keeper, id) = (ReadingsKeeper::default(), RunId::from_random(7));
    keeper.push(&full(1));
    repository.store_readings(&id, &keeper).unwrap();
    repository.connection.execute("UPDATE readings SET data = x'0102'", []).unwrap();
    assert!(repository.readings(&id).unwrap_err().to_string().contains("the readings of"));
    repository.connection.execute("UPDATE readings SET form = 99", []).unwrap();
    assert!(repository.readings(&id).unwrap_err().to_string().contains("99"));
}

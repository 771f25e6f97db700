//! Profiles and runs for tests of profiles and headroom. The figures are made up.

// Some test programs use only a part of it.
#![allow(dead_code)]

use dbdyno_model::{
    CommitMode, Commits, Cpu, Database, DatabaseReading, Dop, Drive, Memory, Platform, Point, ProfileCost, ProfileJson,
    ProfileMaker, Reading, Run, RunId, RunJson, RunStatus, SessionState, Storage, StorageLoad, Subject, TestCode,
};
use std::sync::LazyLock;

/// A Saturday morning.
pub(crate) const BEGAN: &str = "2026-11-28T09:30:00Z";

pub(crate) fn platform() -> Platform {
    let cpu =
        Cpu { model: Some("Model 9".to_owned()), sockets: Some(1), cores: Some(8), threads: Some(8), ..Cpu::default() };
    let memory = Memory { total_bytes: Some(64 << 30), ..Memory::default() };
    Platform {
        host: Some("db1".to_owned()),
        cpu,
        memory,
        virtualisation: Some("none".to_owned()),
        ..Platform::default()
    }
}

pub(crate) fn database() -> Database {
    let parameters = [("block_size", "8192"), ("cache_size", "-65536")];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Database { engine: "sqlite".to_owned(), version: "3.50.4".to_owned(), parameters, ..Database::default() }
}

/// A second of production at a share of its peak.
fn reading(second: i64, load: f64) -> Reading {
    let began: jiff::Timestamp = BEGAN.parse().unwrap();
    let at = began + jiff::SignedDuration::from_secs(second + 1);
    let mut reading = Reading { at, seconds: 1.0, ..Reading::default() };
    let mut database = DatabaseReading {
        commits_per_s: Some(900.0 * load),
        rollbacks_per_s: Some(2.0 * load),
        rows_changed_per_s: Some(2_700.0 * load),
        ..DatabaseReading::default()
    };
    database.redo.mib_per_s = Some(6.0 * load);
    database.redo.sync_writes_per_s = Some(450.0 * load);
    database.redo.sync_service_time_s = Some(0.000_4);
    database.rates.logical_reads_per_s = Some(90_000.0 * load);
    database.sessions = [(SessionState::Active, 12), (SessionState::Idle, 40)].into();
    reading.database = Some(database);
    let machine = &mut reading.machine;
    machine.cpu.used.busy_pct = Some(60.0 * load);
    machine.cpu.server_pct = Some(40.0 * load);
    machine.cpu.others_pct = Some(20.0 * load);
    machine.io.read_iops = Some(1_200.0 * load);
    machine.io.write_iops = Some(800.0 * load);
    machine.io.read_mib_per_s = Some(18.75 * load);
    machine.io.write_mib_per_s = Some(12.5 * load);
    machine.network.receive_mib_per_s = Some(3.0 * load);
    machine.network.send_mib_per_s = Some(9.0 * load);
    reading.lacks("database.executions_per_s", "the engine does not count them");
    reading.lacks("database.physical_reads_per_s", "the engine does not count them");
    reading
}

/// Readings as a profile.
pub(crate) fn profile_of(readings: impl IntoIterator<Item = Reading>, platform: Option<Platform>) -> ProfileJson {
    let mut maker = ProfileMaker::default();
    let mut ends = Vec::new();
    for reading in readings {
        maker.add(&reading);
        ends.push(reading.at);
    }
    let cost = ProfileCost { harness_cpu_s: 2.1, server_cpu_s: Some(4.2), seconds: ends.len() as f64 };
    ProfileJson {
        schema_version: dbdyno_model::PROFILE_VERSION,
        name: "black-friday".to_owned(),
        target: "private:sqlite".to_owned(),
        started_at: BEGAN.parse().unwrap(),
        ended_at: ends.last().copied().unwrap_or_default(),
        tool_version: "0.1.0".to_owned(),
        platform,
        database: database(),
        cost,
        seen: maker.figures(),
    }
}

/// An hour and a half; the peak is the minute from 10:14, at `load` times the usual peak.
pub(crate) fn profile_at(load: f64) -> ProfileJson {
    let minute = |second: i64| match second / 60 {
        44 => load,
        n => load * (0.3 + 0.005 * (n % 60) as f64),
    };
    let second = |second: i64| match second {
        4_000..4_003 => Reading { lost: Some("no answer".to_owned()), database: None, ..reading(second, 0.3 * load) },
        2_650 => reading(second, 1.2 * load),
        second => reading(second, minute(second)),
    };
    profile_of((0..5_400).map(second), Some(platform()))
}

pub(crate) fn profile() -> ProfileJson {
    static MADE: LazyLock<ProfileJson> = LazyLock::new(|| profile_at(1.0));
    MADE.clone()
}

/// The same with every figure of its peaks times a factor; no share is above 100 %.
pub(crate) fn scaled(load: f64) -> ProfileJson {
    let mut profile = profile();
    for (path, figure) in &mut profile.seen.figures {
        let most = if path.ends_with("_pct") { 100.0 } else { f64::INFINITY };
        figure.peak_minute = figure.peak_minute.map(|value| (value * load).min(most));
        figure.peak = (figure.peak * load).min(most);
    }
    profile
}

/// Half a minute.
pub(crate) fn short_profile() -> ProfileJson {
    profile_of((0..30).map(|second| reading(second, 1.0)), Some(platform()))
}

/// The same database from another machine: its processors and devices are not seen.
pub(crate) fn remote_profile() -> ProfileJson {
    let seen = |second: i64| {
        let mut reading = reading(second, 1.0);
        reading.machine = Default::default();
        for part in ["cpu", "io", "network", "server_io"] {
            reading.lacks(part, "the database runs on another machine");
        }
        reading
    };
    let mut profile = profile_of((0..120).map(seen), None);
    profile.cost.server_cpu_s = None;
    profile
}

pub(crate) fn test(code: &str, jobs: u32, ops_per_s: f64, busy_pct: f64) -> Point {
    let mut point = Point::new(TestCode::new(code).unwrap(), BEGAN.parse().unwrap());
    point.definition = "0123456789abcdef".to_owned();
    point.mapping = "native".to_owned();
    point.drive = Drive::Client;
    point.dop.jobs = jobs;
    point.ops_per_s = Some(ops_per_s);
    point.cpu.busy_pct = Some(busy_pct);
    point
}

/// Updates with durable commits.
pub(crate) fn update(jobs: u32, tx_per_s: f64, busy_pct: f64) -> Point {
    let mut point = test("T711", jobs, tx_per_s, busy_pct);
    point.commit = Some(CommitMode::Durable);
    point.commits_found = Some(Commits::Durable);
    point.redo.mib_per_s = Some(tx_per_s * 0.01);
    point.redo.sync_writes_per_s = Some(tx_per_s * 0.5);
    point.database.logical_reads_per_s = Some(tx_per_s * 12.0);
    point.io.write_iops = Some(tx_per_s);
    point.io.write_mib_per_s = Some(tx_per_s * 0.015);
    point
}

/// Random I/O of 8 KiB below any database.
pub(crate) fn storage(outstanding: u32, iops: f64, write_pct: u8) -> Point {
    let load = StorageLoad {
        small_outstanding: outstanding,
        small_bytes: 8_192,
        write_pct,
        luns: 1,
        ..StorageLoad::default()
    };
    let subject: Subject<Storage> = Subject::Storage(Storage::requested(load));
    let mut point = Point::new(subject, BEGAN.parse().unwrap());
    point.dop = Dop { jobs: outstanding, ..Dop::ONE };
    let (reads, writes) = if write_pct == 0 { (iops, 0.0) } else { (0.0, iops) };
    (point.io.read_iops, point.io.read_mib_per_s) = (Some(reads), Some(reads / 128.0));
    (point.io.write_iops, point.io.write_mib_per_s) = (Some(writes), Some(writes / 128.0));
    point
}

/// Processor time of a transaction at a share of the best rate: much at little load, as a waking session needs it.
pub(crate) fn cpu_us(share: f64) -> f64 {
    // 124 us at 2 %, 28 us at saturation.
    28.0 + 96.0 * ((1.0 / share).ln() / (1.0_f64 / 0.02).ln()).powi(2)
}

/// How busy processors are at a share of the best rate, in percent.
pub(crate) fn busy_pct(share: f64) -> f64 {
    100.0 * share * cpu_us(share) / 28.0
}

/// Lookups up to the end of the processors, with less processor time a transaction from step to step.
pub(crate) fn curve() -> Vec<Point> {
    let shares = [(1, 0.05), (2, 0.14), (4, 0.33), (8, 0.62), (16, 0.9), (32, 1.0), (64, 0.98)];
    let lookups = |(jobs, share): (u32, f64)| {
        let mut point = test("T611", jobs, 80_000.0 * share, busy_pct(share).min(100.0));
        point.database.logical_reads_per_s = point.ops_per_s.map(|rate| rate * 4.0);
        point
    };
    shares.map(lookups).into()
}

pub(crate) fn run_of(id: &str, points: Vec<Point>) -> RunJson {
    let run = Run {
        id: RunId::new(id).unwrap(),
        label: None,
        suite: "baseline".to_owned(),
        size: "D".to_owned(),
        seed: 42,
        started_at: BEGAN.parse().unwrap(),
        tool_version: "0.1.0".to_owned(),
        target: "private:sqlite".to_owned(),
        status: RunStatus::Done,
    };
    RunJson::new(run, platform(), database(), points)
}

/// CPU tests, lookups, updates, and storage.
pub(crate) fn run() -> RunJson {
    let mut points: Vec<Point> = [("T111", 500.0), ("T121", 900.0), ("T141", 60.0)]
        .into_iter()
        .flat_map(|(code, rate)| [1, 4, 8].map(|jobs| test(code, jobs, rate * f64::from(jobs), 12.5 * f64::from(jobs))))
        .collect();
    points.extend(curve());
    points.extend(
        [(1, 500.0), (2, 900.0), (4, 1_600.0), (8, 2_300.0), (16, 2_340.0)]
            .map(|(jobs, rate)| update(jobs, rate, 2.0 * f64::from(jobs))),
    );
    points.extend([(1, 9_000.0), (4, 30_000.0), (16, 41_000.0), (32, 41_300.0)].map(|(n, iops)| storage(n, iops, 0)));
    points.extend([(1, 6_000.0), (4, 14_000.0)].map(|(n, iops)| storage(n, iops, 100)));
    run_of("headr00m", points)
}

/// The same on another platform: half as many reads of devices, processors that do 1.2 to 1.5 times as much.
pub(crate) fn another_run() -> RunJson {
    let mut run = run();
    run.run.id = RunId::new("an0ther0").unwrap();
    run.run.target = "private:sqlite".to_owned();
    run.database.version = "3.51.0".to_owned();
    run.platform.cpu.model = Some("Model 11".to_owned());
    run.platform.cpu.cores = Some(12);
    run.platform.cpu.threads = Some(12);
    run.platform.memory.total_bytes = Some(128 << 30);
    for point in &mut run.points {
        let factor = match point.subject.as_str() {
            "T111" => 1.2,
            "T121" => 1.5,
            _ => 1.4,
        };
        point.ops_per_s = point.ops_per_s.map(|rate| rate * factor);
        point.io.read_iops = point.io.read_iops.map(|rate| rate / 2.0);
    }
    RunJson::new(run.run, run.platform, run.database, run.points)
}

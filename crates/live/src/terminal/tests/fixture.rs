//! Boards with readings whose figures all differ, so that each can be found on a screen.

use crate::board::{Board, PointMark, RequirementLine, Scene};
use dbdyno_model::{
    DatabaseReading, DeviceIo, Doing, LoadReading, PointStage, Reading, ReadingTimes, SessionReading, SessionState,
    StatementReading, Top, WaitReading,
};

/// When the first reading was taken.
pub(super) fn begin() -> jiff::Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

pub(super) fn at(second: i64) -> jiff::Timestamp {
    begin() + jiff::SignedDuration::from_secs(second)
}

fn times(p50: f64, p99: f64) -> Option<ReadingTimes> {
    Some(ReadingTimes { p50: Some(p50), p99: Some(p99) })
}

fn wait(class: &str, event: &str, sessions: f64) -> WaitReading {
    WaitReading { class: class.to_owned(), event: event.to_owned(), sessions, background: false }
}

fn database(wave: f64) -> DatabaseReading {
    let mut of = DatabaseReading {
        commits_per_s: Some(12_410.0 * wave),
        rollbacks_per_s: Some(3.2),
        executions_per_s: Some(98_760.0),
        rows_changed_per_s: Some(45_670.0),
        foreign_commits_per_s: Some(17.0),
        foreign_sessions: Some(1.25),
        replication_lag_s: Some(1.75),
        ..DatabaseReading::default()
    };
    of.redo.mib_per_s = Some(31.46);
    of.redo.writes_per_s = Some(2_345.0);
    of.redo.write_service_time_s = Some(0.000_412);
    of.redo.sync_writes_per_s = Some(2_221.0);
    of.redo.sync_service_time_s = Some(0.000_873);
    of.rates.logical_reads_per_s = Some(1_234_000.0);
    of.rates.physical_reads_per_s = Some(8_765.0);
    of.rates.physical_writes_per_s = Some(6_543.0);
    of.rates.buffer_hit_pct = Some(99.0);
    of.rates.data_write_service_time_s = Some(0.002_31);
    of.rates.checkpoints = Some(2);
    of.sessions = [(SessionState::Active, 14), (SessionState::IdleInTransaction, 5), (SessionState::Idle, 211)].into();
    of.waits = vec![
        wait("CPU", "on a processor", 5.5 * wave),
        wait("IO", "data file read", 2.25),
        wait("Log", "log file sync", 1.5),
        wait("Lock", "row lock", 0.75),
        wait("IO", "data file write", 0.5),
        wait("Net", "more from client", 0.125),
    ];
    of.waits.push(WaitReading { background: true, ..wait("Writer", "log writer", 0.95) });
    of
}

fn machine(reading: &mut Reading) {
    let machine = &mut reading.machine;
    let used = &mut machine.cpu.used;
    (used.busy_pct, used.user_pct, used.system_pct) = (Some(63.0), Some(47.0), Some(16.0));
    (used.iowait_pct, used.steal_pct, used.harness_pct) = (Some(9.0), Some(1.5), Some(7.0));
    (machine.cpu.server_pct, machine.cpu.others_pct) = (Some(52.0), Some(4.0));
    machine.cpu.runnable = Some(19.0);
    let io = &mut machine.io;
    (io.read_iops, io.write_iops) = (Some(9_012.0), Some(4_321.0));
    (io.read_mib_per_s, io.write_mib_per_s) = (Some(71.0), Some(58.0));
    (io.read_service_time_s, io.write_service_time_s) = (Some(0.000_234), Some(0.001_11));
    let device = |name: &str, share: f64, busy_pct: f64| DeviceIo {
        name: name.to_owned(),
        read_iops: 9_012.0 * share,
        write_iops: 4_321.0 * share,
        read_mib_per_s: 71.0 * share,
        write_mib_per_s: 58.0 * share,
        busy_pct,
        service_time_s: Some(0.000_31),
        depth: Some(busy_pct / 20.0),
    };
    io.devices = vec![device("nvme0n1", 0.25, 38.0), device("nvme1n1", 0.75, 83.0)];
    machine.server_io.read_mib_per_s = Some(69.5);
    machine.server_io.write_mib_per_s = Some(57.25);
    machine.memory.available_bytes = Some(37 << 30);
    machine.memory.page_cache_bytes = Some(23 << 30);
    machine.memory.harness_rss_bytes = Some(61 << 20);
    machine.memory.swap_mib_per_s = Some(0.0);
    machine.network.receive_mib_per_s = Some(11.2);
    machine.network.send_mib_per_s = Some(27.9);
    machine.network.loopback_mib_per_s = Some(3.456);
    machine.pressure.cpu_some_pct = Some(22.0);
    machine.pressure.io_some_pct = Some(13.0);
    machine.pressure.memory_some_pct = Some(0.4);
}

fn top() -> Top {
    let statement = |n: u64, text: &str, sessions: f64| StatementReading {
        digest: format!("{:x}", 0x5ca1_ab1e_u64 * n),
        text: text.to_owned(),
        calls_per_s: 31_000.0 / n as f64,
        sessions,
    };
    let session = |n: u32, wait: &str, for_s: f64, statement: &str| SessionReading {
        session: (4_000 + n).to_string(),
        user: "shop".to_owned(),
        application: "checkout".to_owned(),
        wait: wait.to_owned(),
        for_s,
        statement: statement.to_owned(),
    };
    Top {
        statements: vec![
            statement(1, "SELECT quantity, amount FROM stock WHERE id = ?", 4.75),
            statement(2, "UPDATE stock SET quantity = quantity - ? WHERE id = ?", 3.5),
            statement(3, "INSERT INTO order_line (order_id, item_id, quantity) VALUES (?, ?, ?)", 1.375),
            statement(4, "COMMIT", 0.875),
            statement(5, "DELETE FROM new_order WHERE order_id = ?", 0.25),
        ],
        sessions: vec![
            session(17, "log file sync", 12.5, "COMMIT"),
            session(3, "row lock", 3.25, "UPDATE stock SET quantity = quantity - ? WHERE id = ?"),
            session(8, "on a processor", 0.004, "SELECT quantity, amount FROM stock WHERE id = ?"),
        ],
    }
}

fn load(wave: f64) -> LoadReading {
    let mut load = LoadReading {
        ops: Some(5_500),
        seconds: Some(1.0),
        ops_per_s: Some(12_345.0 * wave),
        errors_per_s: Some(0.5),
        retries_per_s: Some(6.25),
        service_time_s: times(0.000_346, 0.001_42 * wave),
        response_time_s: times(0.000_567, 0.004_21 * wave),
        ..LoadReading::default()
    };
    for (n, name) in [(1.0, "new_order"), (2.0, "payment"), (4.0, "order_status")] {
        let of = LoadReading {
            ops_per_s: Some(5_500.0 / n),
            errors_per_s: Some(0.25 / n),
            retries_per_s: Some(3.0 / n),
            service_time_s: times(0.000_3 * n, 0.001_3 * n),
            ..LoadReading::default()
        };
        load.transactions.insert(name.to_owned(), of);
    }
    load
}

/// A reading with every figure.
pub(super) fn whole(second: i64) -> Reading {
    // The last one is on top of a wave.
    let wave = if second == 300 { 1.0 } else { 0.7 + 0.25 * (second as f64 / 15.0).sin() };
    let mut reading = Reading {
        at: at(second),
        seconds: 1.0,
        doing: Some(Doing {
            point: 4,
            of: 12,
            subject: "order-entry".to_owned(),
            dop: "32 users".to_owned(),
            stage: PointStage::Measuring,
        }),
        load: Some(load(wave)),
        database: Some(database(wave)),
        top: (second % 10 == 0).then(top),
        ..Reading::default()
    };
    machine(&mut reading);
    reading
}

pub(super) fn scene() -> Scene {
    Scene {
        title: "order-entry".to_owned(),
        target: "db://shop@db1.example:7000/shop".to_owned(),
        engine: "ExampleDB 16.2".to_owned(),
        run: Some("7f3a91".to_owned()),
        replayed: false,
        requirements: vec![RequirementLine {
            path: "load.ops_per_s".to_owned(),
            value: 10_000.0,
            words: "at least 10,000 tx/s".to_owned(),
        }],
    }
}

fn mark(index: usize, dop: &str, outcome: Option<&str>) -> PointMark {
    let began = at(60 * index as i64);
    PointMark {
        index,
        of: 12,
        subject: "order-entry".to_owned(),
        dop: dop.to_owned(),
        began,
        ended: outcome.map(|_| began + jiff::SignedDuration::from_secs(58)),
        outcome: outcome.map(str::to_owned),
        left_s: 700.0 - 60.0 * index as f64,
    }
}

/// A run in its fifth point.
pub(super) fn at_work() -> Board {
    let board = Board::new(scene());
    board.begin_point(mark(0, "1 user", Some("1,402 tx/s")));
    board.begin_point(mark(1, "4 users", Some("5,237 tx/s")));
    board.begin_point(mark(2, "8 users", Some("invalid: 3 launched workers, needs 4")));
    board.begin_point(mark(3, "16 users", Some("11,870 tx/s")));
    board.begin_point(mark(4, "32 users", None));
    (0..=300).for_each(|second| board.push(whole(second)));
    board.note("point 3 is invalid".to_owned());
    board
}

/// A monitor, which has no load of its own.
pub(super) fn monitor() -> Board {
    let scene = Scene { title: "monitor".to_owned(), run: None, requirements: Vec::new(), ..scene() };
    let board = Board::new(scene);
    (0..=300).for_each(|second| board.push(Reading { doing: None, load: None, ..whole(second) }));
    board
}

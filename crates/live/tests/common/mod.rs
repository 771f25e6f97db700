//! Readings as a run would take them, and requests as bytes, so that those that break the rules can be sent, too.

#![allow(dead_code, reason = "each test program uses a part")]

pub(crate) mod openmetrics;

use dbdyno_live::{Board, PlainText, PointMark, RequirementLine, Scene, ServeOptions, Serving, Token, serve};
use dbdyno_model::{
    CpuReading, CpuUse, DatabaseRates, DatabaseReading, DeviceIo, Doing, IoRates, LoadReading, MachineReading,
    MemoryUse, NetworkUse, PointStage, Pressure, Reading, ReadingTimes, Redo, ServerIo, SessionReading, SessionState,
    StatementReading, Top, WaitReading,
};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) const TOKEN: &str = "correct-horse-battery-staple";

pub(crate) fn scene() -> Scene {
    Scene {
        title: "Order Entry, 8 to 64 users".to_owned(),
        target: "db://bench@db1/orders".to_owned(),
        engine: "Engine 17.2".to_owned(),
        run: Some("01JDX3".to_owned()),
        replayed: false,
        requirements: vec![
            requirement("load.ops_per_s", 2_000.0, "at least 2,000 tx/s"),
            requirement("load.service_time_s.p99", 0.02, "p99 at most 20 ms"),
        ],
    }
}

pub(crate) fn requirement(path: &str, value: f64, words: &str) -> RequirementLine {
    RequirementLine { path: path.to_owned(), value, words: words.to_owned() }
}

pub(crate) fn options() -> ServeOptions {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    ServeOptions { address, token: None, tls: None, plain_text: PlainText::Refused }
}

pub(crate) fn with_token() -> ServeOptions {
    ServeOptions { token: Some(Token::new(TOKEN).unwrap()), ..options() }
}

/// A board with readings of the last seconds, and its page.
pub(crate) fn served(seconds: i64, options: ServeOptions) -> (Arc<Board>, Serving) {
    let board = Arc::new(Board::new(scene()));
    run(&board, seconds);
    let serving = serve(Arc::clone(&board), options).unwrap();
    (board, serving)
}

const POINT_S: i64 = 60;

/// Readings of a run that began so many seconds ago: points of a minute each, with 10 s between two.
pub(crate) fn run(board: &Board, seconds: i64) {
    let now = jiff::Timestamp::now();
    let at = |second: i64| now - jiff::SignedDuration::from_secs(seconds - second);
    let points = usize::try_from(seconds / POINT_S).unwrap() + 2;
    for second in 0..seconds {
        let (point, within) = (second / POINT_S, second % POINT_S);
        let index = usize::try_from(point).unwrap();
        let users = 8 << (point % 4);
        if within == 0 {
            let (subject, dop) = ("order-entry".to_owned(), format!("{users} users"));
            #[expect(clippy::cast_precision_loss, reason = "a few points")]
            let left_s = (points - index) as f64 * 60.0;
            let began = at(second);
            board.begin_point(PointMark { index, of: points, subject, dop, began, ended: None, outcome: None, left_s });
        }
        board.push(believable(at(second + 1), second, index, points, users, within >= 10));
        if within == POINT_S - 1 {
            board.end_point(index, at(second + 1), format!("{},{:02}0 tx/s", 1 + point % 4, 37 * point % 100));
        }
    }
    board.note("T611 was measured again: its first attempt was not steady".to_owned());
}

/// A reading as of a machine with 16 processors under such a load.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub(crate) fn believable(
    at: jiff::Timestamp,
    second: i64,
    point: usize,
    of: usize,
    users: i64,
    measuring: bool,
) -> Reading {
    let noise = |seed: i64| (((second * 7_919 + seed * 104_729) % 1_000) as f64 / 1_000.0 - 0.5) * 2.0;
    let share = users as f64 / (users as f64 + 24.0) * if measuring { 1.0 } else { 0.15 };
    let checkpoint = if second % 90 < 6 { 1.0 } else { 0.0 };
    let rate = 3_400.0 * share * (1.0 + 0.04 * noise(1)) * (1.0 - 0.3 * checkpoint);
    let p50 = 0.003 + 0.004 * share + 0.0004 * noise(2);
    let times = |factor: f64| {
        Some(ReadingTimes {
            p50: Some(p50 * factor),
            p99: Some(p50 * factor * (3.0 + 2.5 * checkpoint + 0.5 * noise(3))),
        })
    };
    let load = |share: f64| LoadReading {
        ops_per_s: Some(rate * share),
        errors_per_s: Some(0.0),
        retries_per_s: Some(rate * share * 0.002),
        service_time_s: times(0.5 + share / 2.0),
        ..LoadReading::default()
    };
    let types = [("new order", 0.45), ("payment", 0.43), ("stock level", 0.12)];
    let transactions = types.iter().map(|(name, share)| ((*name).to_owned(), load(*share))).collect();
    let wait = |class: &str, event: &str, sessions: f64, background| WaitReading {
        class: class.to_owned(),
        event: event.to_owned(),
        sessions: sessions.max(0.0),
        background,
    };
    let busy = share * 14.0;
    let mut reading = Reading {
        at,
        seconds: 1.0 + 0.001 * noise(9),
        doing: Some(Doing {
            point,
            of,
            subject: "order-entry".to_owned(),
            dop: format!("{users} users"),
            stage: if measuring { PointStage::Measuring } else { PointStage::Preparing },
        }),
        load: measuring.then(|| LoadReading { transactions, ..load(1.0) }),
        machine: MachineReading {
            cpu: CpuReading {
                used: CpuUse {
                    busy_pct: Some(80.0 * share + 3.0),
                    user_pct: Some(58.0 * share + 2.0 + noise(4)),
                    system_pct: Some(20.0 * share + 1.0),
                    iowait_pct: Some(4.0 + 6.0 * checkpoint),
                    steal_pct: Some(0.4 + 0.3 * noise(5)),
                    harness_pct: Some(5.0 * share),
                    ..CpuUse::default()
                },
                server_pct: Some(72.0 * share),
                others_pct: Some(3.0 + noise(6)),
                runnable: Some((busy + noise(7)).max(0.0).round()),
            },
            io: IoRates {
                read_iops: Some(2_400.0 * share * (1.0 + 0.1 * noise(8))),
                write_iops: Some(5_100.0 * share + 9_000.0 * checkpoint),
                read_mib_per_s: Some(19.0 * share),
                write_mib_per_s: Some(61.0 * share + 140.0 * checkpoint),
                read_service_time_s: Some(0.00021 + 0.0005 * checkpoint),
                write_service_time_s: Some(0.00034 + 0.0021 * checkpoint + 0.00004 * noise(10)),
                devices: vec![
                    device("nvme0n1", 2_400.0 * share, 5_100.0 * share, 41.0),
                    device("nvme1n1", 0.0, 3.0, 0.2),
                ],
                ..IoRates::default()
            },
            server_io: ServerIo { read_mib_per_s: Some(18.0 * share), write_mib_per_s: Some(58.0 * share) },
            memory: MemoryUse {
                available_bytes: Some(41_000_000_000),
                page_cache_bytes: Some(17_500_000_000),
                harness_rss_bytes: Some(88_000_000),
                swap_mib_per_s: Some(0.0),
            },
            network: NetworkUse {
                receive_mib_per_s: Some(3.1 * share),
                send_mib_per_s: Some(9.4 * share),
                loopback_mib_per_s: Some(0.02),
            },
            pressure: Pressure {
                cpu_some_pct: Some(31.0 * share),
                io_some_pct: Some(12.0 * share + 20.0 * checkpoint),
                memory_some_pct: Some(0.0),
            },
        },
        database: Some(DatabaseReading {
            commits_per_s: Some(rate + 4.0),
            rollbacks_per_s: Some(rate * 0.01),
            executions_per_s: Some(rate * 31.0),
            rows_changed_per_s: Some(rate * 14.0),
            redo: Redo {
                mib_per_s: Some(rate * 0.006 + 12.0 * checkpoint),
                writes_per_s: Some(rate * 0.4),
                write_service_time_s: Some(0.0004),
                sync_writes_per_s: Some(rate * 0.38),
                sync_service_time_s: Some(0.0009 + 0.0018 * checkpoint),
                page_images_per_s: Some(40.0 + 1_900.0 * checkpoint),
                ..Redo::default()
            },
            rates: DatabaseRates {
                logical_reads_per_s: Some(rate * 190.0),
                physical_reads_per_s: Some(2_300.0 * share),
                physical_writes_per_s: Some(3_900.0 * share + 8_000.0 * checkpoint),
                buffer_hit_pct: Some(98.7),
                ..DatabaseRates::default()
            },
            sessions: [
                (SessionState::Active, u32::try_from((busy as i64).max(1)).unwrap()),
                (SessionState::IdleInTransaction, u32::try_from(users / 4).unwrap()),
                (SessionState::Idle, u32::try_from(users / 2 + 6).unwrap()),
            ]
            .into(),
            waits: vec![
                wait("CPU", "CPU", busy * 0.55, false),
                wait("IO", "DataFileRead", busy * 0.14 + 0.1 * noise(11), false),
                wait("IO", "WALSync", busy * 0.12 + 3.0 * checkpoint, false),
                wait("Lock", "transactionid", busy * 0.08, false),
                wait("LWLock", "WALWrite", busy * 0.07 + checkpoint, false),
                wait("Client", "ClientRead", busy * 0.03, false),
                wait("IO", "DataFileFlush", checkpoint, true),
            ],
            ..DatabaseReading::default()
        }),
        ..Reading::default()
    };
    if !measuring {
        reading.lacks("load", "no window was open");
    }
    reading.lacks("load.response_time_s", "no rate was set");
    reading.lacks("database.replication_lag_s", "there is no standby");
    if second % 10 == 0 {
        reading.top = Some(top(rate, busy));
    }
    reading
}

fn device(name: &str, reads: f64, writes: f64, busy_pct: f64) -> DeviceIo {
    DeviceIo {
        name: name.to_owned(),
        read_iops: reads,
        write_iops: writes,
        read_mib_per_s: reads / 128.0,
        write_mib_per_s: writes / 84.0,
        busy_pct,
        service_time_s: Some(0.000_2),
        depth: Some((reads + writes) * 0.000_2),
    }
}

fn top(rate: f64, busy: f64) -> Top {
    let statement = |digest: &str, text: &str, share: f64| StatementReading {
        digest: digest.to_owned(),
        text: text.to_owned(),
        calls_per_s: rate * share,
        sessions: busy * share / 3.0,
    };
    let session = |n: u32, wait: &str, for_s: f64, text: &str| SessionReading {
        session: n.to_string(),
        user: "bench".to_owned(),
        application: "dbdyno".to_owned(),
        wait: wait.to_owned(),
        for_s,
        statement: text.to_owned(),
    };
    let update =
        "UPDATE stock SET quantity = quantity - $1, ordered = ordered + $1 WHERE item_id = $2 AND warehouse_id = $3";
    let insert = "INSERT INTO order_lines (order_id, line, item_id, quantity, amount) VALUES ($1, $2, $3, $4, $5)";
    Top {
        statements: vec![
            statement("8123", update, 1.2),
            statement("77", insert, 0.9),
            statement("91", "SELECT price, name FROM items WHERE id = $1", 0.4),
            statement("4", "COMMIT", 0.3),
        ],
        sessions: vec![
            session(41_022, "Lock: transactionid", 0.84, update),
            session(41_007, "IO: DataFileRead", 0.011, "SELECT price, name FROM items WHERE id = $1"),
            session(41_019, "CPU", 0.002, insert),
        ],
    }
}

/// An answer: its status, its head as it came, its body with any chunks put together.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.clone().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }

    pub(crate) fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text:?}"));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap();
        let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { joined(body.as_bytes()) } else { body.to_owned() };
        Self { status, head: head.to_owned(), body }
    }
}

fn joined(mut rest: &[u8]) -> String {
    let mut all = Vec::new();
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        all.extend(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
    String::from_utf8(all).unwrap()
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect_timeout(&address, Duration::from_secs(10)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Sends bytes and reads until the server ends the connection.
pub(crate) fn raw(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = connect(address);
    _ = stream.write_all(request);
    let mut bytes = Vec::new();
    _ = stream.read_to_end(&mut bytes);
    Answer::of(&bytes)
}

/// A request with these headers besides the host, each line with its end.
pub(crate) fn get(address: SocketAddr, path: &str, headers: &str) -> Answer {
    raw(address, format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n").as_bytes())
}

pub(crate) fn post(address: SocketAddr, path: &str, headers: &str, body: &str) -> Answer {
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n");
    raw(address, format!("{head}{headers}\r\n{body}").as_bytes())
}

/// Reads a stream of events until its text satisfies, at most for ten seconds.
pub(crate) fn events(address: SocketAddr, path: &str, headers: &str, enough: impl Fn(&str) -> bool) -> String {
    let mut stream = connect(address);
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n").as_bytes()).unwrap();
    let (mut bytes, mut buffer, begun) = (Vec::new(), [0; 65_536], Instant::now());
    while begun.elapsed() < Duration::from_secs(10) {
        if let Ok(read) = stream.read(&mut buffer) {
            bytes.extend(&buffer[..read]);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if enough(&text) {
            return text;
        }
    }
    panic!("not enough: {}", String::from_utf8_lossy(&bytes))
}

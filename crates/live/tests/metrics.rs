//! The newest reading as metrics, and the dashboard that is made of them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod common;

use common::openmetrics::{Sample, read};
use common::{believable, get, options, scene};
use dbdyno_live::{Board, Contact, MetricsFormat, metrics, serve};
use dbdyno_model::{
    CpuReading, CpuUse, DatabaseRates, DatabaseReading, DeviceIo, Doing, IoRates, LoadReading, MachineReading,
    MemoryUse, NetworkUse, PointStage, Pressure, Reading, ReadingTimes, Redo, ServerIo, SessionState, WaitReading,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Figures that are all different.
struct Next(u32);

impl Next {
    fn n(&mut self) -> f64 {
        self.0 += 1;
        f64::from(self.0) + 0.5
    }

    fn some(&mut self) -> Option<f64> {
        Some(self.n())
    }

    fn whole(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    fn times(&mut self) -> Option<ReadingTimes> {
        Some(ReadingTimes { p50: self.some(), p99: self.some() })
    }

    fn load(&mut self) -> LoadReading {
        LoadReading {
            // No figure of the platform: what the others are divided by.
            seconds: None,
            ops: None,
            ops_per_s: self.some(),
            errors_per_s: self.some(),
            retries_per_s: self.some(),
            service_time_s: self.times(),
            response_time_s: self.times(),
            transactions: Default::default(),
            hosts: Default::default(),
        }
    }

    fn device(&mut self, name: &str) -> DeviceIo {
        DeviceIo {
            name: name.to_owned(),
            read_iops: self.n(),
            write_iops: self.n(),
            read_mib_per_s: self.n(),
            write_mib_per_s: self.n(),
            busy_pct: self.n(),
            service_time_s: self.some(),
            depth: self.some(),
        }
    }

    fn wait(&mut self, event: &str, background: bool) -> WaitReading {
        WaitReading { class: "I\\O \"x\"\n".to_owned(), event: event.to_owned(), sessions: self.n(), background }
    }

    fn database(&mut self) -> DatabaseReading {
        DatabaseReading {
            commits_per_s: self.some(),
            rollbacks_per_s: self.some(),
            executions_per_s: self.some(),
            rows_changed_per_s: self.some(),
            foreign_commits_per_s: self.some(),
            foreign_sessions: self.some(),
            redo: Redo {
                mib_per_s: self.some(),
                writes_per_s: self.some(),
                write_service_time_s: self.some(),
                sync_writes_per_s: self.some(),
                sync_writes: self.some(),
                sync_service_time_s: self.some(),
                page_images_per_s: self.some(),
            },
            rates: DatabaseRates {
                logical_reads_per_s: self.some(),
                physical_reads_per_s: self.some(),
                physical_writes_per_s: self.some(),
                data_writes_per_s: self.some(),
                data_write_mib_per_s: self.some(),
                data_write_service_time_s: self.some(),
                buffer_hit_pct: self.some(),
                device_read_pct: self.some(),
                remote_blocks_per_s: self.some(),
                write_blocks_per_s: self.some(),
                flash_hit_pct: self.some(),
                cell_flash_hit_pct: self.some(),
                checkpoints: Some(self.whole().into()),
                read_mib_per_s: self.some(),
            },
            replication_lag_s: self.some(),
            sessions: [SessionState::Active, SessionState::IdleInTransaction, SessionState::Idle]
                .map(|state| (state, self.whole()))
                .into(),
            waits: vec![self.wait("read", false), self.wait("read", true), self.wait("write", false)],
        }
    }
}

/// A reading without anything absent. There is no default in it: what is added to readings is added here.
fn full(at: jiff::Timestamp) -> Reading {
    let mut of = Next(100);
    let mut load = of.load();
    load.hosts.insert("left".to_owned(), of.load());
    load.transactions.insert("new \"order\"".to_owned(), of.load());
    Reading {
        at,
        // Contact has a family of its own.
        lost: None,
        seconds: of.n(),
        doing: Some(Doing {
            point: of.whole() as usize,
            of: of.whole() as usize,
            subject: "order-entry".to_owned(),
            dop: "8 users".to_owned(),
            stage: PointStage::Measuring,
        }),
        load: Some(load),
        machine: MachineReading {
            cpu: CpuReading {
                used: CpuUse {
                    busy_pct: of.some(),
                    held_busy_pct: of.some(),
                    user_pct: of.some(),
                    system_pct: of.some(),
                    iowait_pct: of.some(),
                    steal_pct: of.some(),
                    harness_pct: of.some(),
                },
                server_pct: of.some(),
                others_pct: of.some(),
                runnable: of.some(),
            },
            io: IoRates {
                read_iops: of.some(),
                write_iops: of.some(),
                read_mib_per_s: of.some(),
                write_mib_per_s: of.some(),
                read_service_time_s: of.some(),
                write_service_time_s: of.some(),
                total_iops: of.some(),
                total_mib_per_s: of.some(),
                devices: vec![of.device("nvme0n1"), of.device("dm-\"3\"")],
            },
            server_io: ServerIo { read_mib_per_s: of.some(), write_mib_per_s: of.some() },
            memory: MemoryUse {
                available_bytes: Some(of.whole().into()),
                page_cache_bytes: Some(of.whole().into()),
                harness_rss_bytes: Some(of.whole().into()),
                swap_mib_per_s: of.some(),
            },
            network: NetworkUse {
                receive_mib_per_s: of.some(),
                send_mib_per_s: of.some(),
                loopback_mib_per_s: of.some(),
            },
            pressure: Pressure { cpu_some_pct: of.some(), io_some_pct: of.some(), memory_some_pct: of.some() },
        },
        database: Some(of.database()),
        nodes: [("db1".to_owned(), of.database()), ("db2".to_owned(), of.database())].into(),
        top: None,
        missing: Default::default(),
    }
}

fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(number) => found.extend(number.as_f64()),
        Value::Array(all) => all.iter().for_each(|one| numbers(one, found)),
        Value::Object(all) => all.values().for_each(|one| numbers(one, found)),
        _ => {}
    }
}

fn board(reading: Reading) -> Board {
    let board = Board::new(scene());
    board.set_scene(|scene| scene.title = "a \"title\" \\ of\ntwo lines".to_owned());
    board.push(reading);
    board
}

fn of<'s>(samples: &'s [Sample], name: &str) -> Vec<&'s Sample> {
    samples.iter().filter(|sample| sample.name == name).collect()
}

#[test]
fn every_figure_of_a_reading_is_there_once() {
    let now = jiff::Timestamp::now();
    let (reading, mut figures) = (full(now), Vec::new());
    numbers(&serde_json::to_value(&reading).unwrap(), &mut figures);
    assert!(figures.len() > 150, "{}", figures.len());
    let samples = read(&metrics(&board(reading), now, MetricsFormat::OpenMetrics)).unwrap();
    for figure in figures {
        let found: Vec<_> = samples.iter().filter(|sample| (sample.value - figure).abs() < 1e-9).collect();
        assert_eq!(found.len(), 1, "{figure}: {found:?}");
    }
    let info = of(&samples, "dbdyno_monitor_info")[0];
    assert_eq!((info.labels["run"].as_str(), info.labels["title"].contains("\\ of")), ("01JDX3", true));
    assert_eq!(of(&samples, "dbdyno_reading_age_seconds")[0].value.to_bits(), 0.0_f64.to_bits());
    // Names are those of the exporter.
    for name in [
        "dbdyno_ops_per_second",
        "dbdyno_read_ios_per_second",
        "dbdyno_redo_mebibytes_per_second",
        "dbdyno_cpu_busy_percent",
    ] {
        assert_eq!(of(&samples, name).len(), 1, "{name}");
    }
    let quantiles = of(&samples, "dbdyno_service_time_quantile_seconds");
    assert_eq!(quantiles.iter().map(|sample| sample.labels["quantile"].as_str()).collect::<Vec<_>>(), ["0.5", "0.99"]);
}

#[test]
fn what_is_old_is_left_out() {
    let now = jiff::Timestamp::now();
    let at = |seconds: i64| {
        metrics(&board(full(now)), now + jiff::SignedDuration::from_secs(seconds), MetricsFormat::OpenMetrics)
    };
    let (new, old) = (read(&at(10)).unwrap(), read(&at(11)).unwrap());
    assert!(new.len() > 150);
    let names: BTreeSet<&str> = old.iter().map(|sample| sample.name.as_str()).collect();
    assert_eq!(names, ["dbdyno_monitor_info", "dbdyno_contact", "dbdyno_reading_age_seconds"].into());
    let empty = Board::default();
    empty.set_contact(Contact::Lost { since: now, why: "gone".to_owned() });
    let samples = read(&metrics(&empty, now, MetricsFormat::OpenMetrics)).unwrap();
    assert_eq!(of(&samples, "dbdyno_contact")[0].value.to_bits(), 0.0_f64.to_bits());
    assert_eq!(samples.len(), 2);
}

#[test]
fn absent_figures_have_no_sample() {
    let now = jiff::Timestamp::now();
    let samples =
        read(&metrics(&board(Reading { at: now, ..Reading::default() }), now, MetricsFormat::OpenMetrics)).unwrap();
    assert_eq!(samples.len(), 4, "{samples:?}");
}

#[test]
fn it_is_served_in_the_format_that_is_asked_for() {
    let board = Arc::new(Board::new(scene()));
    board.push(believable(jiff::Timestamp::now(), 70, 1, 12, 16, true));
    let serving = serve(Arc::clone(&board), options()).unwrap();
    let prometheus =
        "Accept: application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n";
    for accept in ["", "Accept: */*\r\n", prometheus] {
        let answer = get(serving.address(), "/metrics", accept);
        assert_eq!(answer.header("content-type"), Some("application/openmetrics-text; version=1.0.0; charset=utf-8"));
        assert!(read(&answer.body).unwrap().len() > 60);
    }
    let answer = get(serving.address(), "/metrics", "Accept: text/plain;version=0.0.4\r\n");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert!(!answer.body.contains("# EOF") && !answer.body.contains("# UNIT"));
}

/// What Prometheus' own checker says, where it is installed. It knows the older format alone.
#[test]
fn promtool_has_no_complaint() {
    let now = jiff::Timestamp::now();
    let text = metrics(&board(full(now)), now, MetricsFormat::Text);
    let started = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        eprintln!("promtool is not installed: not checked by it");
        return;
    };
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
}

#[test]
fn the_validator_is_strict() {
    let fine =
        "# TYPE a_seconds gauge\n# UNIT a_seconds seconds\n# HELP a_seconds x\na_seconds{b=\"c\\\"\"} 1\n# EOF\n";
    assert_eq!(read(fine).unwrap().len(), 1);
    for (good, bad) in [
        ("# EOF\n", "# EOF"),
        ("a_seconds seconds", "a_seconds minutes"),
        ("a_seconds{", "b_seconds{"),
        ("c\\\"", "c\""),
        ("c\\\"", "c\\x"),
        ("b=\"c\\\"\"", "b=\"\""),
        (" 1\n", "  1\n"),
        (" 1\n", " one\n"),
        (" 1\n", " 1\na_seconds{b=\"c\\\"\"} 2\n"),
        (" 1\n", " 1\n# TYPE a_seconds gauge\n"),
        (" 1\n", " 1\n\n"),
    ] {
        assert!(read(&fine.replacen(good, bad, 1)).is_err(), "{bad}");
    }
}

/// Names of metrics in the queries of a dashboard.
fn queried(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(all) => {
            for (key, value) in all {
                match value.as_str() {
                    Some(text) if ["expr", "query", "definition"].contains(&key.as_str()) => {
                        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                        found.extend(words.filter(|word| word.starts_with("dbdyno_")).map(str::to_owned));
                    }
                    _ => queried(value, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|value| queried(value, found)),
        _ => {}
    }
}

#[test]
fn the_dashboard_asks_for_metrics_that_there_are() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grafana/dbdyno.json");
    let dashboard: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let now = jiff::Timestamp::now();
    let samples = read(&metrics(&board(full(now)), now, MetricsFormat::OpenMetrics)).unwrap();
    let names: BTreeSet<&str> = samples.iter().map(|sample| sample.name.as_str()).collect();
    let mut asked = BTreeSet::new();
    queried(&dashboard, &mut asked);
    assert!(asked.len() > 30, "{asked:?}");
    assert!(
        asked.iter().all(|name| names.contains(name.as_str())),
        "{:?}",
        asked.iter().filter(|n| !names.contains(n.as_str())).collect::<Vec<_>>()
    );
    // It asks the data source that its reader chooses.
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    assert!(variables.iter().any(|variable| variable["type"] == "datasource" && variable["name"] == "datasource"));
    let (mut ids, panels) = (BTreeSet::new(), dashboard["panels"].as_array().unwrap());
    for panel in panels {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "an id comes twice");
        if panel["type"] != "row" {
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
        }
    }
}

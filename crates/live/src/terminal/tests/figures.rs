//! Every figure on the screen is that of the reading: found by its path in the reading's JSON, formatted as in reports.

use super::{fixture, screen, text, view};
use crate::terminal::figure::Figure;
use crate::terminal::figures;
use dbdyno_model::Reading;

fn all(reading: &Reading) -> Vec<Figure> {
    let mut all = Vec::new();
    all.extend(figures::load(reading));
    all.extend(figures::times(reading).into_iter().flat_map(|row| row.figures));
    all.extend(figures::database(reading).into_iter().flat_map(|row| row.figures));
    all.extend(figures::sessions(reading));
    all.extend(figures::cpu_kinds(reading));
    all.extend(figures::cpu_users(reading));
    all.extend([figures::cpu_busy(reading), figures::run_queue(reading)]);
    all.extend(figures::device_times(reading));
    all.extend(figures::server_io(reading));
    all.extend(figures::machine(reading).into_iter().flat_map(|row| row.figures));
    all
}

fn stored(json: &serde_json::Value, path: &str) -> f64 {
    let pointer = format!("/{}", path.replace('.', "/"));
    json.pointer(&pointer).and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("{path} is not in a reading"))
}

/// Figures that are on the least screen.
const ESSENTIAL: [&str; 38] = [
    "load.ops_per_s",
    "load.errors_per_s",
    "load.retries_per_s",
    "load.service_time_s.p50",
    "load.service_time_s.p99",
    "load.response_time_s.p50",
    "load.response_time_s.p99",
    "database.commits_per_s",
    "database.rollbacks_per_s",
    "database.logical_reads_per_s",
    "database.physical_reads_per_s",
    "database.redo.mib_per_s",
    "database.redo.sync_service_time_s",
    "database.checkpoints",
    "database.replication_lag_s",
    "database.executions_per_s",
    "database.rows_changed_per_s",
    "database.sessions.active",
    "database.sessions.idle_in_transaction",
    "database.sessions.idle",
    "cpu.busy_pct",
    "cpu.user_pct",
    "cpu.system_pct",
    "cpu.iowait_pct",
    "cpu.steal_pct",
    "cpu.server_pct",
    "cpu.harness_pct",
    "cpu.others_pct",
    "cpu.runnable",
    "io.read_service_time_s",
    "io.write_service_time_s",
    "memory.available_bytes",
    "memory.page_cache_bytes",
    "network.receive_mib_per_s",
    "network.send_mib_per_s",
    "pressure.cpu_some_pct",
    "pressure.io_some_pct",
    "database.buffer_hit_pct",
];

#[test]
fn every_figure_on_the_screen_is_that_of_the_reading() {
    let board = fixture::at_work();
    let reading = board.last().unwrap();
    let json = serde_json::to_value(reading.as_ref()).unwrap();
    let view = view(&board);
    let (small, large) = (text(&screen(&view, (80, 24))), text(&screen(&view, (200, 60))));
    let figures = all(&reading);
    for figure in &figures {
        let expected = figure.kind.text(Some(stored(&json, figure.path)));
        assert_eq!(figure.text(), expected, "{}", figure.path);
        let shown = |screen: &str| {
            screen.match_indices(&expected).any(|(at, _)| {
                let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.' || c == ',');
                !digit(screen[..at].chars().last()) && !digit(screen[at + expected.len()..].chars().next())
            })
        };
        assert!(shown(&large), "{} = {expected} is not in\n{large}", figure.path);
        if ESSENTIAL.contains(&figure.path) {
            assert!(shown(&small), "{} = {expected} is not in\n{small}", figure.path);
        }
    }
    assert!(ESSENTIAL.iter().all(|path| figures.iter().any(|figure| figure.path == *path)));
}

#[test]
fn a_figure_is_beside_its_own_label() {
    let board = fixture::at_work();
    let view = view(&board);
    let large = text(&screen(&view, (200, 60)));
    let reading = board.last().unwrap();
    for figure in figures::database(&reading).into_iter().flat_map(|row| row.figures) {
        let found = large.lines().any(|line| {
            line.match_indices(figure.label).any(|(at, _)| {
                let after = line[at + figure.label.len()..].trim_start();
                after.strip_prefix(&figure.text()).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '│']))
            })
        });
        assert!(found, "{} {} in\n{large}", figure.label, figure.text());
    }
}

#[test]
fn what_is_absent_is_a_dash_and_never_zero() {
    let nothing = Reading::default();
    assert!(all(&nothing).iter().all(|figure| figure.text() == "-"));
}

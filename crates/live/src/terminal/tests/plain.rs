//! Plain lines.

use super::fixture;
use crate::board::{Board, Contact, Scene};
use crate::terminal::lines::{line, lines};
use dbdyno_model::Reading;
use std::time::Duration;

#[test]
fn a_line_has_the_figures_of_the_screen() {
    let line = line(&fixture::scene(), &Contact::Good, &fixture::whole(300));
    assert_eq!(
        line,
        "12:05:00 UTC, point 5 of 12: order-entry at 32 users, measuring, ops/s 12,340, errors/s 0.5000, \
         retries/s 6.250, service p50 0.346 ms p99 1.42 ms, response p50 0.567 ms p99 4.21 ms, commits/s 12,410, \
         rollbacks/s 3.200, logical reads/s 1,234,000, physical reads/s 8,765, redo MiB/s 31.46, redo sync 0.873 ms, \
         checkpoints 2, replication lag 1.75 s, sessions at work 10.6, cpu busy 63 %, server 52 %, dbdyno 7 %, \
         others 4 %, reads/s 9,012, writes/s 4,321, read MiB/s 71.00, write MiB/s 58.00, device read 0.234 ms write \
         1.11 ms"
    );
}

#[test]
fn what_is_absent_is_left_out_or_a_dash() {
    let lost = Contact::Lost { since: fixture::at(0), why: "refused\u{1b}[2J".to_owned() };
    let reading = Reading { at: fixture::at(3), ..Reading::default() };
    let scene = Scene { replayed: true, ..Scene::default() };
    assert_eq!(
        line(&scene, &lost, &reading),
        "12:00:03 UTC (replay), no answer since 12:00:00 UTC: refused\\u{1b}[2J, cpu busy -, device read - write -"
    );
}

#[test]
fn lines_end_with_the_board() {
    let board = Board::default();
    board.note("first\u{7}".to_owned());
    board.push(fixture::whole(1));
    let mut printed = Vec::new();
    let mut said = 0;
    lines(&board, Duration::from_millis(20), &mut |line| {
        printed.push(line.to_owned());
        said += 1;
        match said {
            2 => board.set_contact(Contact::Lost { since: fixture::at(2), why: "gone".to_owned() }),
            3 => {
                board.note("second".to_owned());
                board.push(fixture::whole(2));
                board.end("the run is done".to_owned());
            }
            _ => {}
        }
    });
    let begins: Vec<&str> = printed.iter().map(|line| line.split(", ").next().unwrap()).collect();
    assert_eq!(
        begins,
        [
            "note: first\\u{7}",
            "12:00:01 UTC",
            "no answer since 12:00:02 UTC: gone",
            "note: second",
            "12:00:02 UTC",
            "over: the run is done"
        ]
    );
}

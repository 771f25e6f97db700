//! Readings of a run say the same as its points.

use super::servers::Watched;
use super::{Place, figure, kept};
use crate::on_servers::stories;
use crate::support::{number, points, text};
use serde_json::Value;

stories!(readings_say_what_points_say; of_one_product: a_run_without_readings_cannot_be_played);

/// The readings that tell of work inside the window of a point.
fn of_point(readings: &[Value], point: usize) -> Vec<&Value> {
    let of = |reading: &&Value| reading["load"].is_object() && reading["doing"]["point"] == point;
    readings.iter().filter(of).collect()
}

fn readings_say_what_points_say<S: Watched>() {
    let place = Place::<S>::with_tpcb();
    place.room.run(&place.at("run tpcb --users 2 --repeat 2 --duration 2s")).expect(0);
    let (document, readings) = (place.room.show("last"), kept(&place.room, "last"));
    assert_eq!(points(&document).len(), 2);
    for (n, point) in points(&document).iter().enumerate() {
        let of_point = of_point(&readings, n);
        let seconds: f64 = of_point.iter().map(|reading| number(reading, "/load/seconds")).sum();
        let ops: f64 = of_point.iter().map(|reading| number(reading, "/load/ops")).sum();
        let (window, all) = (number(point, "/window_s"), number(point, "/ops"));
        // Figures are kept in four digits.
        assert!((seconds - window).abs() < 0.02 * window, "{seconds} s of {window}: {of_point:#?}");
        assert!((ops - all).abs() <= 0.002 * all, "{ops} operations of {all}: {of_point:#?}");
        let worst = number(point, "/service_time_s/max");
        for reading in of_point.iter().filter(|reading| number(reading, "/load/ops") > 0.0) {
            if let Some(rate) = figure(reading, "/load/ops_per_s") {
                let ops = rate * number(reading, "/load/seconds");
                assert!((ops - number(reading, "/load/ops")).abs() <= 0.002 * ops, "{reading:#}");
            }
            let [p50, p99] = ["p50", "p99"].map(|p| number(reading, &format!("/load/service_time_s/{p}")));
            assert!(0.0 < p50 && p50 <= p99 && p99 <= 1.01 * worst, "{p50} {p99} {worst}");
        }
        // Wholly inside the window the server counts the same commits, though late by up to a second.
        let inside: Vec<&&Value> = of_point.iter().filter(|r| number(r, "/load/seconds") > 0.9).collect();
        assert!(!inside.is_empty(), "{of_point:#?}");
        let commits: f64 =
            inside.iter().map(|r| number(r, "/database/commits_per_s")).sum::<f64>() / inside.len() as f64;
        let tx = number(point, "/tx_per_s");
        assert!((0.3 * tx..=3.0 * tx * S::COMMITS).contains(&commits), "{commits} commits/s of {tx} transactions");
        // Other work is on this machine, too, so both are high or both are low, and no more.
        let busy: f64 = inside.iter().map(|r| number(r, "/cpu/busy_pct")).sum::<f64>() / inside.len() as f64;
        assert!((busy - number(point, "/cpu/busy_pct")).abs() < 50.0, "{busy} {point:#}");
    }
    for reading in &readings {
        assert_eq!(silent(reading), Vec::<String>::new(), "absent without a reason: {reading:#}");
    }

    place.room.run(&place.at("load --size T")).expect(0);
    place.room.run(&place.at("run T611 --jobs 1 --duration 2s")).expect(0);
    let (document, readings) = (place.room.show("last"), kept(&place.room, "last"));
    let of_point: Vec<&Value> =
        of_point(&readings, 0).into_iter().filter(|reading| figure(reading, "/load/ops_per_s").is_some()).collect();
    let seconds: f64 = of_point.iter().map(|reading| number(reading, "/load/seconds")).sum();
    let ops: f64 = of_point.iter().map(|r| number(r, "/load/ops_per_s") * number(r, "/load/seconds")).sum();
    let rate = number(&points(&document)[0], "/ops_per_s");
    assert!((ops / seconds - rate).abs() < 0.1 * rate, "{} operations/s of {rate}", ops / seconds);
    // Chunks are timed there, so there are no percentiles.
    assert!(of_point.iter().all(|r| figure(r, "/load/service_time_s/p99").is_none()), "{of_point:#?}");
}

/// Paths of nulls that nothing is said of, neither of them nor of what they are a part of.
fn silent(reading: &Value) -> Vec<String> {
    let mut silent = Vec::new();
    let mut open = vec![(String::new(), reading)];
    while let Some((path, value)) = open.pop() {
        let told = path.match_indices('.').map(|(at, _)| &path[..at]).chain([path.as_str()]);
        if value.is_null() && !told.into_iter().any(|part| reading["missing"][part].is_string()) {
            silent.push(path.clone());
        }
        for (name, part) in value.as_object().into_iter().flatten().filter(|(name, _)| *name != "missing") {
            open.push((format!("{path}{}{name}", if path.is_empty() { "" } else { "." }), part));
        }
    }
    silent
}

fn a_run_without_readings_cannot_be_played<S: Watched>() {
    let place = Place::<S>::with_tpcb();
    place.room.run(&place.at("run tpcb --users 1 --duration 300ms --no-readings --label dark")).expect(0);
    let id = text(&place.room.show("dark"), "/run/id").to_owned();
    let ending = place.room.run("replay dark --json").expect(2);
    let words = format!("dbdyno: run {id} has no readings: runs keep them unless --no-readings is given");
    assert!(ending.stderr.starts_with(&words) && ending.stdout.is_empty(), "{}", ending.stderr);
}

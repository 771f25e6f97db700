//! Searches on servers agree with a full sweep. Both are noisy on a busy machine, so what is compared is generous.

use super::{Product, stories};
use crate::document::check_document;
use crate::support::{Room, number, points, text};
use serde_json::Value;

stories!(saturation_agrees_with_a_full_sweep, the_highest_rate_agrees_with_rates_beside_it,);

fn saturation_agrees_with_a_full_sweep<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let target = database.target();
    room.run(&format!("load tpcb --scale 8 --target {target}")).expect(0);
    let run = format!("run tpcb --target {target} --duration 500ms --json");
    let document = room.run(&format!("{run} --until-saturated --max-jobs 16")).expect(0).json();
    check_document(&document);
    let search = &document["searches"][0];
    assert!(points(&document).len() <= 12, "{search:#}");
    let sweep = room.run(&format!("{run} --users 1,2,4,8,16 --repeat 2")).expect(0).json();
    let cells: Vec<&Value> = sweep["cells"].as_array().unwrap().iter().filter(|c| c["again"].is_null()).collect();
    // What the sweep reached with this many users or more, at the best of its interval.
    let best_of = |users: &dyn Fn(f64) -> bool| {
        let there = cells.iter().filter(|cell| users(number(cell, "/jobs")));
        let high = |cell: &&Value| cell["high"].as_f64().unwrap_or_else(|| number(cell, "/median"));
        there.map(high).fold(0.0, f64::max)
    };
    let best = cells.iter().map(|cell| number(cell, "/median")).fold(0.0, f64::max);
    if search["finding"].is_null() {
        let reason = text(search, "/reason");
        assert!(reason.starts_with("still rising at "), "{reason}");
        assert!(best_of(&|users| users >= 8.0) >= 0.8 * best, "the sweep falls where the search rises: {cells:#?}");
        return;
    }
    let [knee, max_per_s] = ["/finding/value", "/finding/max_per_s"].map(|path| number(search, path));
    assert!(max_per_s >= 0.5 * best && max_per_s <= 2.0 * best, "{max_per_s} of {best}");
    assert!(best_of(&|users| users >= knee) >= 0.75 * best, "{knee}: {cells:#?}");
    // As many users as the sweep needs at least: with half of the knee it reaches clearly less, or nearly the same.
    assert!(best_of(&|users| users <= knee) >= 0.6 * best, "{knee}: {cells:#?}");
}

fn the_highest_rate_agrees_with_rates_beside_it<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().empty());
    let target = database.target();
    room.run(&format!("load tpcb --scale 4 --target {target}")).expect(0);
    let run = format!("run tpcb --target {target} --users 4 --arrivals constant --duration 500ms --json");
    let document = room.run(&format!("{run} --until p90<100ms,errors<1%")).expect(0).json();
    let search = &document["searches"][0];
    let [low, high] = ["/finding/low", "/finding/high"].map(|path| number(search, path));
    assert!(low < high, "{search:#}");
    // Well below the interval the limit holds, well above it does not.
    let p90_s = |per_s: f64| {
        let run = format!("run tpcb --target {target} --users 4 --arrivals constant --duration 2s --rate {per_s:.0}/s");
        let ending = room.run(&format!("{run} --json"));
        assert!(matches!(ending.code, Some(0 | 4)), "{}", ending.stderr);
        let document = ending.json();
        let point = points(&document)[0].clone();
        (text(&point, "/status").to_owned(), point["response_time_s"]["p90"].as_f64())
    };
    // A server may stall for a moment at any rate.
    let holds = |(status, p90_s): &(String, Option<f64>)| status == "ok" && p90_s.is_some_and(|p90_s| p90_s < 0.1);
    let mut below = Vec::new();
    let one_holds = (0..3).any(|_| {
        below.push(p90_s(low * 0.4));
        below.last().is_some_and(holds)
    });
    assert!(one_holds, "{below:?} below {low}");
    let (status, above) = p90_s(high * 2.5);
    assert!(status == "invalid" || above.is_none_or(|p90| p90 >= 0.1), "{status} {above:?} above {high}");
}

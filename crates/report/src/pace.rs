//! The machine's own pace in words: how uneven it was, how many repeats that asks for, and where two sides differ in it. No
//! figure is corrected by it.

use crate::compare::Side;
use crate::numbers::{count, short};
use dbdyno_model::{CellKey, FEWEST_PACES, PaceKind, PaceSpread, Point, RunJson, Status};

/// The difference that the sentence is about.
const DIFFERENCE: f64 = 1.05;
/// Normal deviates of 95 % confidence, two-sided, and of finding a difference in 80 of 100 comparisons.
const DEVIATES: f64 = 1.96 + 0.84;
/// An interval needs as many.
const FEWEST_REPEATS: f64 = 3.0;
/// Repeats beyond the first of each cell from which their own spread is known.
const FEWEST_FREE: usize = 4;
/// Medians of two sides that are as far apart are of machines of unlike pace.
const UNLIKE: f64 = 1.15;

/// In one sentence: what the machine's own unevenness was, and how many repeats a difference of 5 % needs here. None where no pace was
/// taken.
pub(crate) fn sentence(run: &RunJson) -> Option<String> {
    let spreads = spreads(&run.points);
    let beyond = |(kind, spread): &(PaceKind, PaceSpread)| spread.unevenness() / kind.bound();
    let (kind, worst) = spreads.iter().copied().max_by(|a, b| beyond(a).total_cmp(&beyond(b)))?;
    if worst.n < FEWEST_PACES {
        return Some("Pace: it was taken around too few points to say how even this machine was.".to_owned());
    }
    let times = worst.unevenness();
    let uneven = if times > kind.bound() { "was uneven" } else { "was even" };
    let (by, log_sd) = match repeats_log_sd(&run.points) {
        Some(sd) => ("by the spread of this run's repeats", sd),
        None => {
            ("if figures vary as the pace does", spreads.iter().map(|(_, spread)| spread.log_sd).fold(0.0, f64::max))
        }
    };
    Some(format!(
        "Pace: this machine {uneven} (a step of {} took {times:.2} times its best at the 90th percentile); to show a difference of 5 % \
         takes about {} repeats a side here, {by}.",
        kind.name(),
        count(repeats(log_sd))
    ))
}

fn spreads<'a>(points: impl IntoIterator<Item = &'a Point> + Clone) -> Vec<(PaceKind, PaceSpread)> {
    PaceKind::ALL.into_iter().filter_map(|kind| Some((kind, PaceSpread::of(points.clone(), kind)?))).collect()
}

/// Repeats a side with which a difference of 5 % is found, of values whose logarithms vary so.
fn repeats(log_sd: f64) -> u64 {
    let needed = 2.0 * (DEVIATES * log_sd / DIFFERENCE.ln()).powi(2);
    needed.ceil().clamp(FEWEST_REPEATS, 1e9) as u64
}

/// The standard deviation of repeats around their own cell, on the logarithm, all cells together.
fn repeats_log_sd(points: &[Point]) -> Option<f64> {
    let mut cells: Vec<(CellKey, &dbdyno_model::MetricId, Vec<f64>)> = Vec::new();
    for point in points.iter().filter(|p| p.status == Status::Ok) {
        let Some(metric) = point.metric.as_ref().filter(|m| m.value > 0.0) else { continue };
        let key = CellKey::of(point);
        match cells.iter_mut().find(|(k, id, _)| *k == key && **id == metric.id) {
            Some((.., logs)) => logs.push(metric.value.ln()),
            None => cells.push((key, &metric.id, vec![metric.value.ln()])),
        }
    }
    let free: usize = cells.iter().map(|(.., logs)| logs.len() - 1).sum();
    let squares = |logs: &Vec<f64>| {
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
    };
    let sum: f64 = cells.iter().map(|(.., logs)| squares(logs)).sum();
    (free >= FEWEST_FREE).then(|| (sum / free as f64).sqrt())
}

/// Sides whose machines were of unlike pace, and sides whose machine was uneven: sentences, none where there is nothing to say.
pub(crate) fn warnings(sides: &[Side]) -> Vec<String> {
    let of: Vec<Vec<(PaceKind, PaceSpread)>> =
        sides.iter().map(|side| spreads(side.runs.iter().flat_map(|run| &run.points).collect::<Vec<_>>())).collect();
    let mut all = Vec::new();
    let mut kinds = Vec::new();
    for kind in PaceKind::ALL {
        let medians: Vec<(&str, f64, u64)> = sides
            .iter()
            .zip(&of)
            .filter_map(|(side, spreads)| {
                let (_, spread) = spreads.iter().find(|(k, _)| *k == kind)?;
                Some((side.name.as_str(), spread.median_ns, table_bytes(side, kind)?))
            })
            .collect();
        // Tables of unlike sizes are unlike work.
        let same = medians.windows(2).all(|pair| pair[0].2 == pair[1].2);
        let least = medians.iter().map(|m| m.1).fold(f64::INFINITY, f64::min);
        let most = medians.iter().map(|m| m.1).fold(0.0, f64::max);
        if same && medians.len() > 1 && most > UNLIKE * least {
            let each: Vec<String> = medians.iter().map(|(name, ns, _)| format!("{name} {} ns", short(*ns))).collect();
            kinds.push(format!("{} ({})", kind.name(), each.join(", ")));
        }
    }
    if !kinds.is_empty() {
        all.push(format!("machines of unlike pace, by the median step of {}", kinds.join("; ")));
    }
    for (side, spreads) in sides.iter().zip(&of) {
        let uneven =
            |(kind, spread): &&(PaceKind, PaceSpread)| spread.n >= FEWEST_PACES && spread.unevenness() > kind.bound();
        let times: Vec<String> = spreads
            .iter()
            .filter(uneven)
            .map(|(kind, spread)| format!("{} {:.2}", kind.name(), spread.unevenness()))
            .collect();
        if !times.is_empty() {
            all.push(format!(
                "the machine of {} was uneven while it was measured; times its best at the 90th percentile: {}",
                side.name,
                times.join(", ")
            ));
        }
    }
    all
}

/// What a side's chases of a kind went through; none where its runs differ in that.
fn table_bytes(side: &Side, kind: PaceKind) -> Option<u64> {
    let paces = side.runs.iter().flat_map(|run| &run.points).filter_map(|p| p.pace.as_ref());
    let mut sizes = paces.map(|pace| match kind {
        PaceKind::Alu => 0,
        PaceKind::L2 => pace.l2_bytes,
        PaceKind::Llc => pace.llc_bytes,
        PaceKind::Memory => pace.memory_bytes,
    });
    let first = sizes.next()?;
    sizes.all(|size| size == first).then_some(first)
}

#[cfg(test)]
mod tests;

//! When the longest I/O of storage points was, and on which device or file: shared by text and page.

use crate::groups::grouped;
use crate::numbers::{MISSING, duration, percent, short};
use dbdyno_model::{LunFigures, Point, Storage, StorageSeries};

/// A storage point with its number in the run.
pub(crate) type NumberedPoint<'a> = (usize, &'a Point, &'a Storage);

/// The point with the longest I/O, with its series.
pub(crate) fn slowest<'a>(points: &[NumberedPoint<'a>]) -> Option<(NumberedPoint<'a>, &'a StorageSeries)> {
    let with = points.iter().filter_map(|at| Some((*at, at.2.series.as_ref()?)));
    let longest = |series: &StorageSeries| series.longest().map(|(_, max_s, _)| max_s);
    with.filter(|(_, s)| longest(s).is_some())
        .max_by(|(_, a), (_, b)| longest(a).unwrap_or(0.0).total_cmp(&longest(b).unwrap_or(0.0)))
}

/// The moment and place of the longest I/O, in words.
pub(crate) fn longest(points: &[NumberedPoint<'_>]) -> Option<String> {
    let ((number, _, storage), series) = slowest(points)?;
    let (at_s, max_s, lun) = series.longest()?;
    let path = lun.and_then(|lun| storage.paths.get(lun as usize)).map_or(MISSING, |lun| lun.path.as_str());
    Some(format!(
        "The longest I/O took {}: at {} s of point {number} ({}), on {path}.",
        duration(Some(max_s)),
        short(Some(at_s)),
        storage.load
    ))
}

/// What each device or file did over several points, as texts: the path, its share of all I/Os, their mean time, the
/// longest time, when that was, and the errors. Empty without several.
pub(crate) fn luns(points: &[NumberedPoint<'_>]) -> Vec<[String; 6]> {
    let figures = points.iter().flat_map(|(number, _, storage)| {
        storage.paths.iter().filter_map(move |lun| Some((lun.path.as_str(), (lun.figures.as_ref()?, *number))))
    });
    let sum = |(path, of): (_, Vec<_>)| (path, of.into_iter().fold(LunSums::default(), LunSums::with));
    let all: Vec<(&str, LunSums)> = grouped(figures).into_iter().map(sum).collect();
    let ios_per_s: f64 = all.iter().map(|(_, sum)| sum.ios_per_s).sum();
    if all.len() < 2 || ios_per_s <= 0.0 {
        return Vec::new();
    }
    let line = |(path, sum): (&str, LunSums)| {
        [
            path.to_owned(),
            percent(sum.ios_per_s / ios_per_s * 100.0),
            duration((sum.ios_per_s > 0.0).then(|| sum.time_s / sum.ios_per_s)),
            duration(sum.longest.map(|(max_s, _, _)| max_s)),
            sum.longest.map_or_else(String::new, |(_, n, at_s)| format!("{} s of point {n}", short(Some(at_s)))),
            if sum.errors > 0 { sum.errors.to_string() } else { String::new() },
        ]
    };
    all.into_iter().map(line).collect()
}

#[derive(Default)]
struct LunSums {
    ios_per_s: f64,
    /// Rates times their mean times.
    time_s: f64,
    /// The longest I/O, its point, and when it was.
    longest: Option<(f64, usize, f64)>,
    errors: u64,
}

impl LunSums {
    fn with(mut self, (figures, number): (&LunFigures, usize)) -> Self {
        let ios_per_s = figures.reads_per_s + figures.writes_per_s;
        self.ios_per_s += ios_per_s;
        self.time_s += ios_per_s * figures.mean_s.unwrap_or(0.0);
        self.errors += figures.errors;
        if let (Some(max_s), Some(at_s)) = (figures.max_s, figures.max_at_s)
            && self.longest.is_none_or(|(longest_s, _, _)| max_s > longest_s)
        {
            self.longest = Some((max_s, number, at_s));
        }
        self
    }
}

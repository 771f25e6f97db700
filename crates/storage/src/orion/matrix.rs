//! The points of a run: how many small and how many large I/Os are kept outstanding at each, as ORION's users know
//! them.

use super::typed::MatrixKind;

/// Number of levels in a range of small I/Os alone, or up to a number that was asked for.
const LEVELS: u32 = 20;
/// Large I/Os for each disk where there are no small ones.
const DSS_PER_DISK: u32 = 15;

/// What is kept outstanding at one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Outstanding {
    /// Small random I/Os.
    pub small: u32,
    /// Large I/Os, or streams where they are sequential.
    pub large: u32,
}

/// The levels of the two axes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixLevels {
    /// Numbers of small I/Os, ascending.
    pub small: Vec<u32>,
    /// Numbers of large ones.
    pub large: Vec<u32>,
}

impl MatrixLevels {
    /// The levels for a number of disks. Steps of a quarter and of an eighth of the number fit every known run.
    #[must_use]
    pub fn of_disks(num_disks: u32) -> Self {
        let to = |times: u32, part: u32| levels(num_disks.saturating_mul(times), (num_disks / part).max(1));
        Self { small: to(5, 4), large: to(2, 8) }
    }

    /// The same with enough small I/Os to find the highest rate of a device.
    #[must_use]
    pub fn of_disks_oltp(num_disks: u32) -> Self {
        Self { small: about_twenty(num_disks.saturating_mul(20)), ..Self::of_disks(num_disks) }
    }

    /// The same with enough large I/Os to find the highest throughput of a device.
    #[must_use]
    pub fn of_disks_dss(num_disks: u32) -> Self {
        let large = (1..=DSS_PER_DISK).map(|n| n.saturating_mul(num_disks)).collect();
        Self { large, ..Self::of_disks(num_disks) }
    }
}

/// The points of a run and the axes of its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    /// Whether small and large I/Os are measured apart from each other.
    pub apart: bool,
    /// Whether (0, 0) belongs to it. ORION counts it among the points, though nothing can be measured there.
    idle: bool,
    /// Columns: numbers of small I/Os, ascending. 0 is among them where a point has none.
    pub small: Vec<u32>,
    /// Rows: numbers of large I/Os, ascending. 0 is among them where a point has none.
    pub large: Vec<u32>,
    /// The points in order.
    pub points: Vec<Outstanding>,
}

/// The levels up to `max`: each number up to the step, then its multiples.
fn levels(max: u32, step: u32) -> Vec<u32> {
    let single = (1..step).take_while(|level| *level <= max);
    single.chain((1..=max / step).map(|n| n * step)).collect()
}

/// The same with a step for about 20 levels.
fn about_twenty(max: u32) -> Vec<u32> {
    levels(max, max.div_ceil(LEVELS).max(1))
}

impl Matrix {
    /// The matrix of a kind. `asked` has the numbers that the kind takes, and 0 for those that it varies by itself.
    #[must_use]
    pub fn new(kind: MatrixKind, asked: Outstanding, range: &MatrixLevels) -> Self {
        let (small, large) = match kind {
            MatrixKind::Basic | MatrixKind::Detailed => (from_none(&range.small), from_none(&range.large)),
            MatrixKind::Point => (vec![asked.small], vec![asked.large]),
            // There is no point with neither small nor large I/Os.
            MatrixKind::Row if asked.large == 0 => (range.small.clone(), vec![0]),
            MatrixKind::Row => (from_none(&range.small), vec![asked.large]),
            MatrixKind::Col if asked.small == 0 => (vec![0], range.large.clone()),
            MatrixKind::Col => (vec![asked.small], from_none(&range.large)),
            MatrixKind::Max => (from_none(&up_to(asked.small)), from_none(&up_to(asked.large))),
        };
        let apart = kind == MatrixKind::Basic;
        let idle = match kind {
            MatrixKind::Row => asked.large == 0,
            MatrixKind::Col => asked.small == 0,
            MatrixKind::Point => false,
            MatrixKind::Basic | MatrixKind::Detailed | MatrixKind::Max => true,
        };
        let all = large.iter().flat_map(|l| small.iter().map(|s| Outstanding { small: *s, large: *l }));
        let points = all
            .filter(|at| at.small > 0 || at.large > 0)
            .filter(|at| !apart || at.small == 0 || at.large == 0)
            .collect();
        Self { apart, idle, small, large, points }
    }

    /// The number of points that ORION announces; it includes the idle point.
    #[must_use]
    pub fn announced(&self) -> usize {
        self.points.len() + usize::from(self.idle)
    }
}

fn from_none(levels: &[u32]) -> Vec<u32> {
    std::iter::once(0).chain(levels.iter().copied()).collect()
}

/// Levels that end at a number that was asked for.
fn up_to(max: u32) -> Vec<u32> {
    let mut levels = about_twenty(max);
    if levels.last().is_some_and(|last| *last < max) {
        levels.push(max);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(kind: MatrixKind, asked: Outstanding, num_disks: u32) -> Matrix {
        Matrix::new(kind, asked, &MatrixLevels::of_disks(num_disks))
    }

    fn at(small: u32, large: u32) -> Outstanding {
        Outstanding { small, large }
    }

    /// Levels as in published runs, and the number of points that such runs announce.
    #[test]
    fn levels_are_those_that_are_known_of_orion() {
        let every = |step: usize, last: u32| (step as u32..=last).step_by(step).collect::<Vec<_>>();
        let cases: [(u32, Vec<u32>, Vec<u32>, usize); 7] = [
            (1, every(1, 5), every(1, 2), 8),
            (2, every(1, 10), every(1, 4), 15),
            (6, every(1, 30), every(1, 12), 43),
            (4, every(1, 20), every(1, 8), 29),
            (8, [vec![1], every(2, 40)].concat(), every(1, 16), 38),
            (16, [vec![1, 2, 3], every(4, 80)].concat(), [vec![1], every(2, 32)].concat(), 41),
            (20, [vec![1, 2, 3, 4], every(5, 100)].concat(), [vec![1], every(2, 40)].concat(), 46),
        ];
        for (num_disks, small, large, announced) in cases {
            let matrix = of(MatrixKind::Basic, at(0, 0), num_disks);
            assert_eq!(matrix.small, from_none(&small), "{num_disks}");
            assert_eq!(matrix.large, from_none(&large), "{num_disks}");
            assert_eq!(matrix.announced(), announced, "{num_disks}");
            assert_eq!(matrix.points.len(), announced - 1, "nothing is measured where nothing is outstanding");
            let detailed = of(MatrixKind::Detailed, at(0, 0), num_disks);
            assert_eq!(detailed.announced(), matrix.small.len() * matrix.large.len());
        }
    }

    /// Numbers for which a twentieth of the range, rounded up, would be another step.
    #[test]
    fn steps_are_a_quarter_and_an_eighth_of_the_disks() {
        for (num_disks, small, large) in [(5, 1, 1), (7, 1, 1), (9, 2, 1), (12, 3, 1), (40, 10, 5)] {
            let MatrixLevels { small: smalls, large: larges } = MatrixLevels::of_disks(num_disks);
            assert!(smalls.contains(&(2 * small)) && !smalls.contains(&(2 * small + 1)) || small == 1, "{smalls:?}");
            let last = |levels: &[u32]| levels[levels.len() - 1] - levels[levels.len() - 2];
            assert_eq!((last(&smalls), last(&larges)), (small, large), "{num_disks}");
        }
    }

    /// One disk: with 240 s a point, the 64 point-minutes of published runs.
    #[test]
    fn large_ios_alone_go_as_far_as_finds_their_maximum() {
        let dss = |disks| Matrix::new(MatrixKind::Col, at(0, 0), &MatrixLevels::of_disks_dss(disks));
        assert_eq!((dss(1).points.len(), dss(1).announced()), (15, 16));
        assert_eq!(dss(1).large, (1..=15).collect::<Vec<_>>());
        assert_eq!((dss(4).large[0], dss(4).large.last()), (4, Some(&60)));
        assert!(dss(4).points.iter().all(|p| p.small == 0));
    }

    #[test]
    fn sixteen_disks_are_measured_in_the_order_of_the_published_run() {
        let points = of(MatrixKind::Basic, at(0, 0), 16).points;
        let small: Vec<u32> = points.iter().take(23).map(|p| p.small).collect();
        assert_eq!(small[..6], [1, 2, 3, 4, 8, 12]);
        assert_eq!(small[22], 80);
        assert!(points[..23].iter().all(|p| p.large == 0));
        let large: Vec<u32> = points[23..].iter().map(|p| p.large).collect();
        assert_eq!(large, [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32]);
        assert!(points[23..].iter().all(|p| p.small == 0));
    }

    #[test]
    fn transactions_go_further() {
        let oltp = |disks| Matrix::new(MatrixKind::Row, at(0, 0), &MatrixLevels::of_disks_oltp(disks));
        assert_eq!((oltp(1).points.len(), oltp(1).announced()), (20, 21));
        assert_eq!(oltp(1).small, (1..=20).collect::<Vec<_>>());
        assert_eq!(oltp(16).small.last(), Some(&320));
        assert!(oltp(16).points.iter().all(|p| p.large == 0 && p.small > 0));
    }

    #[test]
    fn rows_columns_and_points_keep_what_is_fixed() {
        assert_eq!(of(MatrixKind::Point, at(3, 2), 9).points, [at(3, 2)]);
        let row = of(MatrixKind::Row, at(0, 2), 1);
        assert_eq!(row.points, [at(0, 2), at(1, 2), at(2, 2), at(3, 2), at(4, 2), at(5, 2)]);
        let col = of(MatrixKind::Col, at(3, 0), 1);
        assert_eq!(col.points, [at(3, 0), at(3, 1), at(3, 2)]);
        assert_eq!(of(MatrixKind::Col, at(0, 0), 1).points, [at(0, 1), at(0, 2)]);
    }

    #[test]
    fn max_ends_at_what_was_asked_for() {
        let matrix = of(MatrixKind::Max, at(25, 3), 1);
        assert_eq!(matrix.small[matrix.small.len() - 2..], [24, 25]);
        assert_eq!(matrix.large, [0, 1, 2, 3]);
        assert_eq!(matrix.points.last(), Some(&at(25, 3)));
        assert_eq!(matrix.announced(), matrix.small.len() * matrix.large.len());
    }

    proptest! {
        #[test]
        fn levels_ascend_and_are_few(max in 0u32..200_000) {
            let levels = about_twenty(max);
            prop_assert!(levels.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(levels.iter().all(|l| (1..=max).contains(l)));
            prop_assert_eq!(levels.is_empty(), max == 0);
            let step = max.div_ceil(LEVELS).max(1);
            let most = (max / step + step) as usize;
            prop_assert!(levels.len() <= most, "{} levels up to {}", levels.len(), max);
        }
    }
}

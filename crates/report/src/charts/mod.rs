//! Charts before they are drawn: lines over an axis, with intervals, and a text for each figure.

mod axis;

pub(crate) use axis::{Axis, AxisOf};

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// Its position along the horizontal axis.
    pub(crate) x: f64,
    /// Its value.
    pub(crate) y: f64,
    /// Its interval.
    pub(crate) band: Option<(f64, f64)>,
    /// Whether it is doubtful: then the mark is hollow, as the figure stands in parentheses.
    pub(crate) doubtful: bool,
    /// The text for readers who point at it; empty for positions without a mark.
    pub(crate) text: String,
}

/// The figures under one name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChartSeries {
    /// The name.
    pub(crate) name: String,
    /// Its style: colour, dashes and marks.
    pub(crate) style: u8,
    /// Its figures, in the order of `x`.
    pub(crate) marks: Vec<Mark>,
    pub(crate) drawn: SeriesShape,
}

/// Number of styles before they repeat.
const STYLES: u8 = 32;
impl ChartSeries {
    pub(crate) fn new(name: impl Into<String>, place: usize, mut marks: Vec<Mark>) -> Self {
        let style = u8::try_from(place % usize::from(STYLES)).unwrap_or_default();
        marks.sort_by(|a, b| a.x.total_cmp(&b.x));
        Self { name: name.into(), style, marks, drawn: SeriesShape::Both }
    }

    /// The same series, drawn in another way.
    pub(crate) fn drawn(self, drawn: SeriesShape) -> Self {
        Self { drawn, ..self }
    }
}

/// All values and ends of intervals, for the range of an axis.
pub(crate) fn extent(series: &[ChartSeries]) -> impl Iterator<Item = f64> {
    // A wide interval of few repeats is cut, so that it does not flatten the curve.
    let high = |m: &Mark| m.band.map_or(m.y, |(_, high)| high.min(m.y * 1.5));
    series.iter().flat_map(|s| &s.marks).flat_map(move |m| [m.y, high(m)])
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeriesShape {
    /// A line, and a mark at each figure.
    Both,
    /// A line without marks, for many figures; pointing at it still shows each figure.
    Line,
    /// Marks alone: measured figures beside a line that was not measured.
    Marks,
}

/// A chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LineChart {
    /// What it shows.
    pub(crate) title: String,
    /// The unit, and what it is over.
    pub(crate) unit: String,
    /// What the horizontal axis counts.
    pub(crate) along: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<ChartSeries>,
    /// A value that is asked for, and its words: a line across the chart.
    pub(crate) limit: Option<(f64, String)>,
}

impl LineChart {
    /// A chart of these lines, with axes over their values: the horizontal one and the vertical one. `None` where no
    /// line has two points: for one the table is enough.
    pub(crate) fn of(
        title: impl Into<String>,
        unit: impl Into<String>,
        along: &str,
        [x, y]: [AxisOf; 2],
        series: Vec<ChartSeries>,
    ) -> Option<Self> {
        let places = series.iter().flat_map(|s| &s.marks).map(|m| m.x).collect();
        let (x, y) = (x(places), y(extent(&series).collect()));
        let (title, unit, along) = (title.into(), unit.into(), along.to_owned());
        let has_line = series.iter().any(|s| s.marks.len() > 1);
        has_line.then_some(Self { title, unit, along, x, y, series, limit: None })
    }

    /// The chart in words: where each line begins and ends, and its maximum.
    pub(crate) fn description(&self) -> String {
        let line = |series: &ChartSeries| {
            let (first, last) = (series.marks.first()?, series.marks.last()?);
            let most = series.marks.iter().max_by(|a, b| a.y.total_cmp(&b.y))?;
            Some(format!(" {}: first {}; highest {}; last {}.", series.name, first.text, most.text, last.text))
        };
        let told = self.series.iter().filter(|s| s.marks.iter().all(|m| !m.text.is_empty()));
        let limit = self.limit.iter().map(|(_, words)| format!(" Required: {words}."));
        let lines: String = told.filter_map(line).chain(limit).collect();
        format!("Over {}.{lines}", self.along)
    }

    pub(crate) fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.x.scale.place(x)?, self.y.scale.place(y)?))
    }

    /// The outline of the intervals: along their upper ends and back along the lower ones.
    pub(crate) fn band(&self, series: &ChartSeries) -> Vec<(f64, f64)> {
        let with: Vec<(f64, (f64, f64))> = series.marks.iter().filter_map(|m| Some((m.x, m.band?))).collect();
        // An interval that leaves the chart is cut at its edge.
        let within = |x, y| self.place(x, y).map(|(x, y)| (x, y.clamp(self.y.from, self.y.to)));
        let upper = with.iter().filter_map(|(x, (_, high))| within(*x, *high));
        let lower = with.iter().rev().filter_map(|(x, (low, _))| within(*x, *low));
        upper.chain(lower).collect()
    }
}

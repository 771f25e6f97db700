//! Charts as SVG: lines over an axis, with intervals as bands and a mark at every figure. plotters makes the layout.
//! Every mark has a text that is shown when a reader points at it.

mod axis;
mod canvas;

use crate::text::clean;
pub(crate) use axis::Axis;
use canvas::{AXIS, Canvas, FONT_SIZE, GRID, NUMBER};
use maud::{Markup, PreEscaped, html};
use plotters::chart::ChartBuilder;
use plotters::drawing::{DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Polygon};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, TRANSPARENT, TextStyle};
use std::convert::Infallible;
use std::fmt::Write;

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
const STYLES: u8 = 24;
/// Number of mark shapes; each has its own colour, too.
const SHAPES: u8 = 8;

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

/// The sample of a series' style in a legend.
fn swatch(series: &ChartSeries) -> Markup {
    html! {
        svg.k viewBox="0 0 52 24" aria-hidden="true" {
            @if series.drawn != SeriesShape::Marks { path class={ "l s" (series.style) } d="M2 12H50" {} }
            @if series.drawn != SeriesShape::Line { (mark(26, 12, series.style, false, None)) }
        }
    }
}

fn mark(x: i32, y: i32, style: u8, doubtful: bool, text: Option<&str>) -> Markup {
    let class = if doubtful { "o" } else { "p" };
    let shape = style % SHAPES;
    html! {
        use class={ (class) " s" (style) } href={ "#m" (shape) } x=(x) y=(y) {
            @if let Some(text) = text { title { (clean(text)) } }
        }
    }
}

/// The shapes that all marks of a page refer to.
pub(crate) fn shapes() -> Markup {
    const SHAPE: [&str; SHAPES as usize] = [
        "M-7 0A7 7 0 1 0 7 0A7 7 0 1 0-7 0Z",
        "M-6.5-6.5H6.5V6.5H-6.5Z",
        "M0-9L8 6H-8Z",
        "M0-9L9 0L0 9L-9 0Z",
        "M0 9L8-6H-8Z",
        "M-3-9H3V-3H9V3H3V9H-3V3H-9V-3H-3Z",
        "M-9 0L-4-8H4L9 0L4 8H-4Z",
        "M-9-4L0 0L9-4V5L0 9L-9 5Z",
    ];
    html! {
        svg.defs width="0" height="0" aria-hidden="true" {
            defs { @for (n, shape) in SHAPE.iter().enumerate() { path id={ "m" (n) } d=(shape) {} } }
        }
    }
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
}

const WIDTH: u32 = 560;
const HEIGHT: u32 = 350;

impl LineChart {
    /// A chart over degrees of parallelism, or what else doubles from step to step.
    pub(crate) fn over_dops(
        title: impl Into<String>,
        unit: impl Into<String>,
        along: &str,
        y: Axis,
        series: Vec<ChartSeries>,
    ) -> Self {
        let x = Axis::dops(series.iter().flat_map(|s| s.marks.iter().map(|m| m.x)));
        Self { title: title.into(), unit: unit.into(), along: along.to_owned(), x, y, series }
    }

    /// The chart with its caption. `id` is unique on the page.
    pub(crate) fn figure(&self, id: &str) -> Markup {
        html! {
            figure.chart {
                figcaption { b { (clean(&self.title)) } " " span.unit { (clean(&self.unit)) } }
                (self.svg(id))
                p.along aria-hidden="true" { (self.along) }
                @if self.series.len() > 1 { (self.legend()) }
            }
        }
    }

    /// The legend; each line can be switched off.
    fn legend(&self) -> Markup {
        html! {
            ul.legend {
                @for series in &self.series {
                    li {
                        button type="button" aria-pressed="true" data-s=(series.style) {
                            (swatch(series)) (clean(&series.name))
                        }
                    }
                }
            }
        }
    }

    fn svg(&self, id: &str) -> Markup {
        let (title, description) = (format!("{id}t"), format!("{id}d"));
        html! {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-labelledby={ (title) " " (description) } {
                title id=(title) { (clean(&self.title)) ", " (clean(&self.unit)) }
                desc id=(description) { (clean(&self.description())) }
                (PreEscaped(self.drawing()))
            }
        }
    }

    /// The chart in words: where each line begins and ends, and its maximum.
    fn description(&self) -> String {
        let mut text = format!("Over {}.", self.along);
        for series in self.series.iter().filter(|s| s.marks.iter().all(|m| !m.text.is_empty())) {
            let most = series.marks.iter().max_by(|a, b| a.y.total_cmp(&b.y));
            if let (Some(first), Some(last), Some(most)) = (series.marks.first(), series.marks.last(), most) {
                _ = write!(text, " {}: first {}; highest {}; last {}.", series.name, first.text, most.text, last.text);
            }
        }
        text
    }

    fn drawing(&self) -> String {
        let mut out = String::new();
        // The canvas accepts everything and has a size, so drawing cannot fail.
        match self.draw(&mut out) {
            Ok(marks) => out + &marks,
            Err(why) => html! { text { "cannot be drawn: " (why) } }.into_string(),
        }
    }

    fn draw(&self, out: &mut String) -> Result<String, DrawingAreaErrorKind<Infallible>> {
        let area = Canvas::new((WIDTH, HEIGHT), out).into_drawing_area();
        let widest = self.y.ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(1);
        let mut chart = ChartBuilder::on(&area)
            .margin_top(14)
            .margin_right(16)
            .x_label_area_size(40)
            .y_label_area_size(22 + 13 * u32::try_from(widest).unwrap_or(4))
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let numbers = |anchor| TextStyle::from(("sans-serif", FONT_SIZE).into_font()).color(&NUMBER).pos(anchor);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(AXIS)
            .set_all_tick_mark_size(6)
            .x_label_style(numbers(Pos::new(HPos::Center, VPos::Top)))
            .y_label_style(numbers(Pos::new(HPos::Right, VPos::Center)))
            .draw()?;
        let mut marks = String::new();
        for series in &self.series {
            let band = self.band(series);
            if band.len() > 2 {
                chart.draw_series([Polygon::new(band, canvas::band(series.style).filled())])?;
            }
        }
        for series in &self.series {
            let line: Vec<(f64, f64)> = series.marks.iter().filter_map(|m| self.place(m.x, m.y)).collect();
            if line.len() > 1 && series.drawn != SeriesShape::Marks {
                chart.draw_series([PathElement::new(line, canvas::line(series.style))])?;
            }
            for one in &series.marks {
                let Some(place) = self.place(one.x, one.y).filter(|_| !one.text.is_empty()) else { continue };
                let (x, y) = chart.backend_coord(&place);
                let text = mark(x, y, series.style, one.doubtful, Some(&one.text)).into_string();
                let text =
                    if series.drawn == SeriesShape::Line { text.replacen("class=\"p", "class=\"h", 1) } else { text };
                marks.push_str(&text);
            }
        }
        Ok(marks)
    }

    fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.x.scale.place(x)?, self.y.scale.place(y)?))
    }

    /// The outline of the intervals: along their upper ends and back along the lower ones.
    fn band(&self, series: &ChartSeries) -> Vec<(f64, f64)> {
        let with: Vec<(f64, (f64, f64))> = series.marks.iter().filter_map(|m| Some((m.x, m.band?))).collect();
        // An interval that leaves the chart is cut at its edge.
        let within = |x, y: f64| {
            let (x, y) = self.place(x, y)?;
            Some((x, y.clamp(self.y.from, self.y.to)))
        };
        let upper = with.iter().filter_map(|(x, (_, high))| within(*x, *high));
        let lower = with.iter().rev().filter_map(|(x, (low, _))| within(*x, *low));
        upper.chain(lower).collect()
    }
}

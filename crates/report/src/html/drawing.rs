//! Charts as SVG. plotters makes the layout. Every mark has a text that is shown when a reader points at it.

use super::canvas::{self, AXIS, Canvas, FONT_SIZE, GRID, LIMIT, NUMBER};
use crate::charts::{ChartSeries, LineChart, SeriesShape};
use crate::terminal::lines::clean;
use maud::{Markup, PreEscaped, html};
use plotters::chart::ChartBuilder;
use plotters::drawing::{DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Polygon};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, TRANSPARENT, TextStyle};
use std::convert::Infallible;

/// Number of mark shapes; each has its own colour, too.
const SHAPES: u8 = 8;
const WIDTH: u32 = 560;
const HEIGHT: u32 = 350;

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
pub(super) fn shapes() -> Markup {
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

/// The chart with its caption. `id` is unique on the page.
pub(super) fn figure(chart: &LineChart, id: &str) -> Markup {
    html! {
        figure.chart {
            figcaption { b { (clean(&chart.title)) } " " span.unit { (clean(&chart.unit)) } }
            (svg(chart, id))
            p.along aria-hidden="true" { (chart.along) }
            @if chart.series.len() > 1 || chart.limit.is_some() { (legend(chart)) }
        }
    }
}

/// The legend; each line can be switched off.
fn legend(chart: &LineChart) -> Markup {
    html! {
        ul.legend {
            @for series in &chart.series {
                li {
                    button type="button" aria-pressed="true" data-s=(series.style) {
                        (swatch(series)) (clean(&series.name))
                    }
                }
            }
            @if let Some((_, words)) = &chart.limit {
                li.required { svg.k viewBox="0 0 52 24" aria-hidden="true" { path.q d="M2 12H50" {} } (clean(words)) }
            }
        }
    }
}

fn svg(chart: &LineChart, id: &str) -> Markup {
    let (title, description) = (format!("{id}t"), format!("{id}d"));
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-labelledby={ (title) " " (description) } {
            title id=(title) { (clean(&chart.title)) ", " (clean(&chart.unit)) }
            desc id=(description) { (clean(&chart.description())) }
            (PreEscaped(drawing(chart)))
        }
    }
}

fn drawing(chart: &LineChart) -> String {
    let mut out = String::new();
    // The canvas accepts everything and has a size, so drawing cannot fail.
    match draw(chart, &mut out) {
        Ok(marks) => out + &marks,
        Err(why) => html! { text { "cannot be drawn: " (why) } }.into_string(),
    }
}

fn draw(of: &LineChart, out: &mut String) -> Result<String, DrawingAreaErrorKind<Infallible>> {
    let area = Canvas::new((WIDTH, HEIGHT), out).into_drawing_area();
    let widest = of.y.ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(1);
    let mut chart = ChartBuilder::on(&area)
        .margin_top(14)
        .margin_right(16)
        .x_label_area_size(40)
        .y_label_area_size(22 + 13 * u32::try_from(widest).unwrap_or(4))
        .build_cartesian_2d(of.x.clone(), of.y.clone())?;
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
    if let Some(y) = of.limit.as_ref().and_then(|(limit, _)| of.y.scale.place(*limit)) {
        chart.draw_series([PathElement::new([(of.x.from, y), (of.x.to, y)], LIMIT)])?;
    }
    let mut marks = String::new();
    for series in &of.series {
        let band = of.band(series);
        if band.len() > 2 {
            chart.draw_series([Polygon::new(band, canvas::band(series.style).filled())])?;
        }
    }
    for series in &of.series {
        let line: Vec<(f64, f64)> = series.marks.iter().filter_map(|m| of.place(m.x, m.y)).collect();
        if line.len() > 1 && series.drawn != SeriesShape::Marks {
            chart.draw_series([PathElement::new(line, canvas::line(series.style))])?;
        }
        for one in &series.marks {
            let Some(place) = of.place(one.x, one.y).filter(|_| !one.text.is_empty()) else { continue };
            let (x, y) = chart.backend_coord(&place);
            let text = mark(x, y, series.style, one.doubtful, Some(&one.text)).into_string();
            let text =
                if series.drawn == SeriesShape::Line { text.replacen("class=\"p", "class=\"h", 1) } else { text };
            marks.push_str(&text);
        }
    }
    Ok(marks)
}

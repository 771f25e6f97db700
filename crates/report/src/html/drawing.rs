//! Charts as SVG with classes in place of colours, so that the style sheet decides about light, dark and print. Every
//! mark has a text that is shown when a reader points at it.

use crate::charts::{LineChart, SeriesShape};
use crate::terminal::lines::clean;
use maud::{Markup, PreEscaped, html};

/// The shapes that all marks of a page refer to.
pub(super) const SHAPES: &str = include_str!("shapes.svg");
/// How many there are; each has its own colour, too.
const MOST_SHAPES: u8 = 8;
const WIDTH: i32 = 560;
const HEIGHT: i32 = 350;

fn mark(x: i32, y: i32, class: &str, style: u8, text: Option<&str>) -> Markup {
    let shape = style % MOST_SHAPES;
    html! {
        use class={ (class) " s" (style) } href={ "#m" (shape) } x=(x) y=(y) {
            @if let Some(text) = text { title { (clean(text)) } }
        }
    }
}

/// The chart with its caption, and in words for readers who do not see it.
pub(super) fn figure(chart: &LineChart) -> Markup {
    let words = format!("{}, {}. {}", chart.title, chart.unit, chart.description());
    html! {
        figure.chart {
            figcaption { b { (clean(&chart.title)) } " " span.unit { (clean(&chart.unit)) } }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(clean(&words)) {
                (PreEscaped(drawing(chart)))
            }
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
                        // A sample of its style.
                        svg.k viewBox="0 0 52 24" aria-hidden="true" {
                            @if series.drawn != SeriesShape::Marks { path class={ "l s" (series.style) } d="M2 12H50" {} }
                            @if series.drawn != SeriesShape::Line { (mark(26, 12, "p", series.style, None)) }
                        }
                        (clean(&series.name))
                    }
                }
            }
            @if let Some((_, words)) = &chart.limit {
                li.required { svg.k viewBox="0 0 52 24" aria-hidden="true" { path.q d="M2 12H50" {} } (clean(words)) }
            }
        }
    }
}

/// Height of the numbers at the axes, in units of the drawing.
const FONT_SIZE: f64 = 22.0;
/// Room for the widest number at the left: for all of them, and for each digit. The page chooses the typeface, so it is
/// an estimate.
const LEFT: i32 = 22;
const DIGIT: i32 = 13;
/// The other edges of the plot.
const TOP: i32 = 14;
const RIGHT: i32 = WIDTH - 17;
const BOTTOM: i32 = HEIGHT - 41;
/// The length of the tick at a number.
const TICK: i32 = 6;

/// Grid, axes with their numbers, and series. Whole coordinates keep pages small.
fn drawing(of: &LineChart) -> String {
    let widest = of.y.ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(1);
    let left = LEFT + DIGIT * i32::try_from(widest).unwrap_or(4);
    let to_x = |x: f64| of.x.map(x, (left, RIGHT));
    let to_y = |y: f64| of.y.map(y, (BOTTOM, TOP));
    let to_all = |places: &[(f64, f64)]| places.iter().map(|(x, y)| (to_x(*x), to_y(*y))).collect::<Vec<_>>();
    let mut out = String::new();
    for (y, _) in &of.y.ticks {
        out += &path("g", &[(left, to_y(*y)), (RIGHT, to_y(*y))], "");
    }
    out += &path("x", &[(left - 1, TOP), (left - 1, BOTTOM)], "");
    for (y, text) in of.y.ticks.iter().map(|(y, text)| (to_y(*y), text)) {
        out += &number(text, "end", left - 2 * TICK, f64::from(y) + FONT_SIZE * 0.35);
        out += &path("x", &[(left - 1 - TICK, y), (left - 1, y)], "");
    }
    out += &path("x", &[(left, BOTTOM + 1), (RIGHT, BOTTOM + 1)], "");
    for (x, text) in of.x.ticks.iter().map(|(x, text)| (to_x(*x), text)) {
        out += &number(text, "middle", x, f64::from(BOTTOM + 1 + 2 * TICK) + FONT_SIZE * 0.8);
        out += &path("x", &[(x, BOTTOM + 1), (x, BOTTOM + 1 + TICK)], "");
    }
    if let Some(y) = of.limit.as_ref().and_then(|(limit, _)| of.y.scale.place(*limit)) {
        out += &path("q", &[(left, to_y(y)), (RIGHT, to_y(y))], "");
    }
    for (series, band) in of.series.iter().map(|series| (series, of.band(series))).filter(|(_, band)| band.len() > 2) {
        out += &path(&format!("b s{}", series.style), &to_all(&band), "Z");
    }
    // Marks lie above all lines.
    let mut marks = String::new();
    for series in &of.series {
        let line: Vec<(f64, f64)> = series.marks.iter().filter_map(|m| of.place(m.x, m.y)).collect();
        if line.len() > 1 && series.drawn != SeriesShape::Marks {
            out += &path(&format!("l s{}", series.style), &to_all(&line), "");
        }
        for one in series.marks.iter().filter(|one| !one.text.is_empty()) {
            let Some((x, y)) = of.place(one.x, one.y) else { continue };
            // Those of doubtful figures are hollow, and along a line they are found by pointing at them.
            let on_line = if series.drawn == SeriesShape::Line { "h" } else { "p" };
            let class = if one.doubtful { "o" } else { on_line };
            marks += &mark(to_x(x), to_y(y), class, series.style, Some(&one.text)).into_string();
        }
    }
    out + &marks
}

/// A line through points; `Z` at its end closes it.
fn path(class: &str, points: &[(i32, i32)], end: &str) -> String {
    let mut data = String::new();
    for (n, (x, y)) in points.iter().enumerate() {
        data += &match n.checked_sub(1).map(|before| points[before]) {
            None => format!("M{x} {y}"),
            Some((_, before)) if before == *y => format!("H{x}"),
            Some((before, _)) if before == *x => format!("V{y}"),
            Some(_) => format!("L{x} {y}"),
        };
    }
    format!(r#"<path class="{class}" d="{data}{end}"/>"#)
}

fn number(text: &str, anchor: &str, x: i32, y: f64) -> String {
    format!(r#"<text class="n" x="{x}" y="{y:.0}" text-anchor="{anchor}">{}</text>"#, html! { (text) }.into_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_of_a_mark_has_a_shape() {
        let shapes: Vec<String> = (0..MOST_SHAPES).map(|n| format!("<path id=\"m{n}\" ")).collect();
        assert_eq!(SHAPES.matches("<path ").count(), shapes.len());
        assert!(shapes.iter().all(|shape| SHAPES.contains(shape)), "{SHAPES}");
    }
}

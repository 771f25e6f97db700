//! The canvas for plotters: SVG with classes in place of colours, so that the style sheet decides about light, dark and
//! print, and with short coordinates.

use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;
use std::fmt::Write;

// The kinds of lines and texts. To plotters they are colours, to the page classes.

/// Axes.
pub(super) const AXIS: RGBColor = RGBColor(0, 0, 0);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(1, 0, 0);
/// Numbers at the axes.
pub(super) const NUMBER: RGBColor = RGBColor(2, 0, 0);

/// The line of what is asked for.
pub(super) const LIMIT: RGBColor = RGBColor(5, 0, 0);

/// The line of a series, by its style.
pub(super) fn line(style: u8) -> RGBColor {
    RGBColor(3, style, 0)
}

/// The interval of a series, by its style.
pub(super) fn band(style: u8) -> RGBColor {
    RGBColor(4, style, 0)
}

fn class(colour: BackendColor) -> String {
    let (kind, style, _) = colour.rgb;
    match kind {
        0 => "x".to_owned(),
        1 => "g".to_owned(),
        2 => "n".to_owned(),
        3 => format!("l s{style}"),
        4 => format!("b s{style}"),
        _ => "q".to_owned(),
    }
}

/// Height of the labels at the axes, in units of the drawing.
pub(super) const FONT_SIZE: f64 = 22.0;
/// Mean width of a digit, relative to its height. The page chooses the typeface, so it is an estimate.
const DIGIT_WIDTH: f64 = 0.58;

/// The content of an SVG drawing.
pub(super) struct Canvas<'a> {
    size: (u32, u32),
    out: &'a mut String,
}

impl<'a> Canvas<'a> {
    pub(super) fn new(size: (u32, u32), out: &'a mut String) -> Self {
        Self { size, out }
    }

    /// Writing to a string never fails.
    fn write(&mut self, text: std::fmt::Arguments<'_>) -> Result<(), DrawingErrorKind<Infallible>> {
        _ = self.out.write_fmt(text);
        Ok(())
    }

    fn path(&mut self, points: impl IntoIterator<Item = BackendCoord>, class: &str, end: &str) -> Drawn {
        let mut data = String::new();
        let mut last: Option<BackendCoord> = None;
        for (x, y) in points {
            match last {
                None => _ = write!(data, "M{x} {y}"),
                Some((_, before)) if before == y => _ = write!(data, "H{x}"),
                Some((before, _)) if before == x => _ = write!(data, "V{y}"),
                Some(_) => _ = write!(data, "L{x} {y}"),
            }
            last = Some((x, y));
        }
        self.write(format_args!(r#"<path class="{class}" d="{data}{end}"/>"#))
    }
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Drawn {
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        self.path([from, to], &class(style.color()), "")
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        self.path(path, &class(style.color()), "")
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, vert: I, style: &S) -> Drawn {
        self.path(vert, &class(style.color()), "Z")
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let anchor = match style.anchor().h_pos {
            HPos::Left => "",
            HPos::Center => r#" text-anchor="middle""#,
            HPos::Right => r#" text-anchor="end""#,
        };
        let down = match style.anchor().v_pos {
            VPos::Top => FONT_SIZE * 0.8,
            VPos::Center => FONT_SIZE * 0.35,
            VPos::Bottom => 0.0,
        };
        let class = class(style.color());
        let text = maud::html! { (text) }.into_string();
        self.write(format_args!(
            r#"<text class="{class}" x="{x}" y="{:.0}"{anchor}>{text}</text>"#,
            f64::from(y) + down
        ))
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        _: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok(((text.chars().count() as f64 * FONT_SIZE * DIGIT_WIDTH).ceil() as u32, FONT_SIZE as u32))
    }
}

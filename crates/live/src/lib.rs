//! What happens now: readings as they come, drawn on a terminal, in a browser, and as metrics for a time series
//! database. Nothing here asks a server or the operating system; whoever takes readings puts them on a [`Board`], and
//! views read it there. A view that is slow misses readings, and holds nobody up.

mod board;
mod metrics;
mod required;
mod terminal;
mod web;

pub use board::{Board, Contact, News, PointMark, RequirementLine, Scene};
pub use metrics::{MetricsFormat, STALE_S, metrics};
pub use required::requirement_lines;
pub use terminal::{Colours, Left, TerminalError, ViewOptions, WhenOver, lines, show, terminal_is_there};
pub use web::{PlainText, ServeError, ServeOptions, Serving, TlsFiles, Token, TokenError, serve};

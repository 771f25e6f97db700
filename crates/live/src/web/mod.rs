//! The board in a browser: one page, its data, and metrics, over HTTP/1 on one thread. It is read-only.
//!
//! One room has the questions of safety (`token`, `sessions`, `hosts`, `options`), one the limits (`connections`,
//! `stalled`), one the contents (`page`, `history`, `events`); `site` decides who gets what.

mod connections;
mod content;
mod events;
mod history;
mod hosts;
mod json;
mod options;
mod page;
mod refusal;
mod server;
mod sessions;
mod site;
mod stalled;
mod tls;
mod token;

pub use options::{PlainText, ServeError, ServeOptions, TlsFiles};
pub use server::{Serving, serve};
pub use token::{Token, TokenError};

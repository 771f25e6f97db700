//! The views of what happens: full-screen on a terminal, as lines, and as a page for browsers. All draw the same board.

use crate::cli::{ServeArgs, WatchArgs};
use crate::error::Error;
use crate::output;
use dbdyno_live::{
    Board, Contact, Left, PlainText, PointMark, Scene, ServeOptions, Serving, TlsFiles, Token, ViewOptions, WhenOver,
    lines, serve, show, terminal_is_there,
};
use dbdyno_model::{Point, Reading, Status};
use dbdyno_report::numbers;
use dbdyno_run::{Event, Events, StopSwitch};
use std::path::Path;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// A line about what happens is printed this often.
const LINE_EVERY: Duration = Duration::from_secs(1);
/// More than any token has; a larger file is another one.
const MOST_TOKEN_BYTES: u64 = 1_024;

/// How what happens is shown where the views stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Full-screen; as lines where there is no terminal.
    Screen,
    /// As lines.
    Lines,
    /// Not at all: a page at most.
    Nothing,
}

/// What is shown, and where.
pub(super) struct Views {
    board: Arc<Board>,
    screen: Option<JoinHandle<()>>,
    /// Whether the whole terminal is taken.
    full_screen: bool,
    serving: Option<Serving>,
}

impl Views {
    /// Opens the views. `stop` is requested where the user quits; `quits` says what that does. A full-screen view goes
    /// by itself once there is nothing more to come, unless it `stays`.
    ///
    /// # Errors
    /// The page cannot be served as it was asked for.
    pub(super) fn open(
        board: Arc<Board>,
        (asked, when_over): (Asked, WhenOver),
        page: &ServeArgs,
        (stop, quits): (StopSwitch, &str),
    ) -> Result<Self, Error> {
        let serving = page.serve.map(|address| served(&board, address, page)).transpose()?;
        let full_screen = asked == Asked::Screen && terminal_is_there();
        // What is printed is behind the full screen.
        let page = serving.as_ref().map(|serving| format!("; page {}", serving.url())).unwrap_or_default();
        let options = ViewOptions::from_environment(&format!("{quits}{page}"), when_over);
        let drawn = Arc::clone(&board);
        let spawn = |draw: Box<dyn FnOnce() + Send>| Builder::new().name("view".to_owned()).spawn(draw).ok();
        let screen = match asked {
            Asked::Nothing => None,
            _ if full_screen => spawn(Box::new(move || match show(&drawn, &options) {
                Ok(Left::Quit) => stop.request(),
                Ok(Left::Over) => {}
                // The measuring goes on without a view.
                Err(error) => output::complain(&format!("the live view has ended: {error}")),
            })),
            Asked::Screen | Asked::Lines => {
                spawn(Box::new(move || lines(&drawn, LINE_EVERY, &mut |line| output::note(line))))
            }
        };
        Ok(Self { board, screen, full_screen, serving })
    }

    /// Where readings are put.
    pub(super) fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Whether the whole terminal is taken, so that nothing else may be written there.
    pub(super) fn take_the_terminal(&self) -> bool {
        self.full_screen
    }

    /// Whether a page is served.
    pub(super) fn serve_a_page(&self) -> bool {
        self.serving.is_some()
    }

    /// Nothing more will come, and why. Waits until the terminal is free again.
    pub(super) fn close(mut self, why: &str) {
        self.board.end(why.to_owned());
        self.wait();
    }

    /// Waits until the user has left the view.
    pub(super) fn wait(&mut self) {
        if let Some(screen) = self.screen.take() {
            drop(screen.join());
        }
    }

    /// Whether the user has left the view.
    pub(super) fn is_left(&self) -> bool {
        self.screen.as_ref().is_some_and(JoinHandle::is_finished)
    }
}

/// The views have to give the terminal back, however the command ends.
impl Drop for Views {
    fn drop(&mut self) {
        self.board.end("it has ended".to_owned());
        self.wait();
    }
}

/// The views that a run asks for; none where it asks for none.
///
/// # Errors
/// As for [`Views::open`].
pub(super) fn of_run(args: &WatchArgs, scene: Scene, stop: StopSwitch) -> Result<Option<Views>, Error> {
    if !args.live && args.serve.serve.is_none() {
        return Ok(None);
    }
    let asked = if args.live { Asked::Screen } else { Asked::Nothing };
    let quits = "ends the run; what was measured is kept";
    Views::open(Arc::new(Board::new(scene)), (asked, WhenOver::Close), &args.serve, (stop, quits)).map(Some)
}

/// Serves the board, and says where.
fn served(board: &Arc<Board>, address: std::net::SocketAddr, args: &ServeArgs) -> Result<Serving, Error> {
    let token = match &args.token_file {
        Some(file) => Some(token_in(file)?),
        None if address.ip().is_loopback() => None,
        None => Some(Token::made().map_err(|error| Error::Usage(error.to_string()))?),
    };
    let tls = args.tls_certificate.clone().zip(args.tls_key.clone());
    let tls = tls.map(|(certificate, key)| TlsFiles { certificate, key });
    let plain_text = if args.insecure { PlainText::Allowed } else { PlainText::Refused };
    let options = ServeOptions { address, token, tls, plain_text };
    let serving = serve(Arc::clone(board), options).map_err(|error| Error::Usage(error.to_string()))?;
    output::note(&format!("live page: {}", serving.url()));
    Ok(serving)
}

fn token_in(file: &Path) -> Result<Token, Error> {
    let refused = |why: String| Error::Usage(format!("--token-file {}: {why}", file.display()));
    let bytes = dbdyno_files::read(file, MOST_TOKEN_BYTES).map_err(|error| refused(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refused("it is no text".to_owned()))?;
    Token::new(text.trim()).map_err(|error| refused(error.to_string()))
}

/// Puts up a reading, and whether the server answers.
pub(super) fn put(board: &Board, reading: &Reading) {
    match &reading.lost {
        None => board.set_contact(Contact::Good),
        Some(why) => {
            let since = match board.contact() {
                Contact::Lost { since, .. } => since,
                Contact::Good => reading.at,
            };
            board.set_contact(Contact::Lost { since, why: why.clone() });
        }
    }
    board.push(reading.clone());
}

impl Events for Views {
    fn on(&self, event: &Event<'_>) {
        match event {
            Event::Reading { reading } => put(&self.board, reading),
            Event::PointBegins { index, of, planned, left_s } => self.board.begin_point(PointMark {
                index: *index,
                of: *of,
                subject: planned.subject.name().name.to_owned(),
                dop: planned.dop.to_string(),
                began: jiff::Timestamp::now(),
                ended: None,
                outcome: None,
                left_s: *left_s,
            }),
            Event::PointRecorded { index, point, .. } => {
                self.board.end_point(*index, jiff::Timestamp::now(), outcome(point));
            }
            Event::Told { text } => self.board.note((*text).to_owned()),
            Event::Loading { what, rows, of } => {
                self.board.note(format!("{what}: {} of {}", numbers::count(*rows), numbers::count(*of)));
            }
        }
    }
}

/// How a point ended: its key figure, or its status.
pub(super) fn outcome(point: &Point) -> String {
    match (&point.metric, point.status) {
        (Some(metric), Status::Ok) => format!("{} {}", numbers::scientific(metric.value), metric.unit),
        (_, status) => status.name().to_owned(),
    }
}

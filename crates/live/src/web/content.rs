//! What an answer consists of. Long answers are made piece by piece as the client reads them, so that a slow client
//! takes no memory.

use super::connections::Counted;
use super::events::Events;
use super::history::History;
use hyper::body::{Body, Bytes, Frame};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

pub(super) struct Content {
    pub(super) kind: Kind,
    /// The connection is no idle one while this lives.
    pub(super) answered: Option<Counted>,
}

pub(super) enum Kind {
    Whole(Option<Bytes>),
    History(History),
    Events(Events),
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match &mut self.get_mut().kind {
            Kind::Whole(text) => Poll::Ready(text.take()),
            Kind::History(history) => Poll::Ready(history.piece().map(Bytes::from)),
            Kind::Events(events) => events.poll_piece(context).map(|piece| piece.map(Bytes::from)),
        };
        piece.map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match &self.kind {
            Kind::Whole(text) => hyper::body::SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
            _ => hyper::body::SizeHint::default(),
        }
    }
}

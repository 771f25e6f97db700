//! What is answered to a request that gets nothing: a status and one sentence, never what was sent.

use super::content::{Content, Kind};
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

pub(super) const TEXT: &str = "text/plain; charset=utf-8";

/// Why a request gets nothing.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    status: StatusCode,
    why: &'static str,
    header: Option<(HeaderName, &'static str)>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, why: &'static str) -> Self {
        Self { status, why, header: None }
    }

    pub(super) fn with(self, name: HeaderName, value: &'static str) -> Self {
        Self { header: Some((name, value)), ..self }
    }

    /// The connection ends with it: what is left of the request is not read.
    pub(super) fn closed(self) -> Self {
        self.with(header::CONNECTION, "close")
    }

    /// Whoever looks is not known.
    pub(super) fn unknown() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "The token is needed.").with(header::WWW_AUTHENTICATE, "Bearer")
    }

    pub(super) fn response(self) -> Response<Content> {
        let mut response = with(TEXT, Kind::Whole(Some(Bytes::from_static(self.why.as_bytes()))));
        *response.status_mut() = self.status;
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// An answer of a kind.
pub(super) fn with(kind: &'static str, content: Kind) -> Response<Content> {
    let mut response = Response::new(Content { kind: content, answered: None });
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

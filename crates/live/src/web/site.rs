//! Who gets what. Checks come in this order: whom the request is for, where it comes from, whether there is such a
//! page, who asks.

use super::connections::Counted;
use super::content::{Content, Kind};
use super::events::{Events, From};
use super::history::{History, Range};
use super::hosts::{Hosts, is_own_origin};
use super::page::Page;
use super::refusal::{Refusal, TEXT, with};
use super::sessions::Sessions;
use super::token::Token;
use crate::board::Board;
use crate::metrics::{MetricsFormat, metrics};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Bytes of a request's body.
const BODY: usize = 1_024;
/// A body must be here after this time.
const BODY_TIME: Duration = Duration::from_secs(5);
/// Whoever shows a wrong token waits.
const WRONG: Duration = Duration::from_millis(500);
/// Streams of events at a time. Fewer than connections, so that the page itself is always to be had.
const STREAMS: usize = 32;

pub(super) struct Site {
    pub(super) board: Arc<Board>,
    pub(super) token: Option<Token>,
    pub(super) sessions: Sessions,
    pub(super) hosts: Hosts,
    pub(super) page: Page,
    /// Tells this server from another one that was here before.
    pub(super) life: String,
    pub(super) streams: Arc<AtomicUsize>,
}

/// Where a request leads.
enum Place {
    Page,
    History,
    Events,
    Metrics,
    Session,
}

impl Place {
    fn of(path: &str) -> Option<Self> {
        Some(match path {
            "/" => Self::Page,
            "/history" => Self::History,
            "/events" => Self::Events,
            "/metrics" => Self::Metrics,
            "/session" => Self::Session,
            _ => return None,
        })
    }
}

impl Site {
    /// The answer; `answers` counts those of the connection that are on their way.
    pub(super) async fn answer(&self, request: Request<Incoming>, answers: &Arc<AtomicUsize>) -> Response<Content> {
        let mut response = self.made(request).await.unwrap_or_else(Refusal::response);
        response.body_mut().answered = Some(Counted::new(answers));
        for (name, value) in HEADERS {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        if let Ok(policy) = HeaderValue::from_str(&self.page.policy) {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }

    async fn made(&self, request: Request<Incoming>) -> Result<Response<Content>, Refusal> {
        self.check_origin(&request)?;
        let place = Place::of(request.uri().path())
            .ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "There is no such page."))?;
        let allowed = if matches!(place, Place::Session) { Method::POST } else { Method::GET };
        if *request.method() != allowed {
            let allowed = if allowed == Method::POST { "POST" } else { "GET" };
            let refused = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "This page is only to be looked at.");
            return Err(refused.with(header::ALLOW, allowed));
        }
        if let Place::Session = place {
            return self.begin_session(request).await;
        }
        if !request.body().is_end_stream() {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "A request for a page has no body.").closed());
        }
        if let Place::Page = place {
            return Ok(whole("text/html; charset=utf-8", self.page.text.clone()));
        }
        self.check_viewer(request.headers()).await?;
        let query = request.uri().query().unwrap_or_default();
        match place {
            Place::History => {
                let history = History::new(&self.board, &self.life, range(query)?);
                Ok(with("application/json", Kind::History(history)))
            }
            Place::Metrics => {
                let accept = text(request.headers(), &header::ACCEPT).unwrap_or_default();
                let format = MetricsFormat::accepted(accept);
                let text = metrics(&self.board, jiff::Timestamp::now(), format);
                Ok(whole(format.media_type(), Bytes::from(text)))
            }
            _ => self.events(request.headers(), query),
        }
    }

    /// A foreign name, or a page of a stranger's, gets nothing.
    fn check_origin(&self, request: &Request<Incoming>) -> Result<(), Refusal> {
        let headers = request.headers();
        let mut all = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (all.next().and_then(|host| host.to_str().ok()), all.next()) else {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "A request says once which host it is for."));
        };
        let target = request.uri().authority().is_none_or(|authority| authority.as_str().eq_ignore_ascii_case(host));
        if !target || !self.hosts.are(host) {
            let why =
                "This is dbdyno's monitor. It answers to IP addresses, localhost and the names of its certificate.";
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, why));
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let own = origins.all(|origin| origin.to_str().is_ok_and(|origin| is_own_origin(origin, host)));
        // A page of a stranger's may lead to ours, and may not have its data loaded as a picture or script.
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        let led = request.uri().path() == "/" || matches!(site, None | Some(b"same-origin" | b"none"));
        if !own || !led {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "Pages of other places may not look at this one."));
        }
        Ok(())
    }

    /// Whether the token, or a cookie that was given for it, came with the request.
    async fn check_viewer(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.token else { return Ok(()) };
        if headers.get_all(header::COOKIE).iter().any(|c| c.to_str().is_ok_and(|c| self.sessions.knows(c))) {
            return Ok(());
        }
        let Some(bearer) = text(headers, &header::AUTHORIZATION).and_then(|text| text.strip_prefix("Bearer ")) else {
            return Err(Refusal::unknown());
        };
        if token.is(bearer.trim().as_bytes()) { Ok(()) } else { Err(wrong().await) }
    }

    /// The token against a cookie.
    async fn begin_session(&self, request: Request<Incoming>) -> Result<Response<Content>, Refusal> {
        let large = || Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "A token is shorter.").closed();
        if request.body().size_hint().lower() > BODY as u64 {
            return Err(large());
        }
        let read = tokio::time::timeout(BODY_TIME, Limited::new(request.into_body(), BODY).collect()).await;
        let body = match read {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(_)) => return Err(large()),
            Err(_) => return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "That took too long.").closed()),
        };
        let mut response = with(TEXT, Kind::Whole(None));
        *response.status_mut() = StatusCode::NO_CONTENT;
        let Some(token) = &self.token else { return Ok(response) };
        if !token.is(&body) {
            return Err(wrong().await);
        }
        let cookie = self.sessions.begin().ok().and_then(|cookie| HeaderValue::from_str(&cookie).ok());
        let cookie =
            cookie.ok_or_else(|| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "There are no random bits now."))?;
        response.headers_mut().insert(header::SET_COOKIE, cookie);
        Ok(response)
    }

    fn events(&self, headers: &HeaderMap, query: &str) -> Result<Response<Content>, Refusal> {
        let counted = Counted::new(&self.streams);
        if self.streams.load(Ordering::Relaxed) > STREAMS {
            return Err(Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "Too many pages look at this run. Close one of them.",
            ));
        }
        let from = match headers.get("last-event-id").map(HeaderValue::to_str) {
            Some(Ok(id)) => self.after(id),
            Some(Err(_)) => From::Anew,
            None => match value(query, "from") {
                Some(number) => number.parse().map_or(From::Anew, From::Number),
                None => From::Now,
            },
        };
        let events = Events::new(Arc::clone(&self.board), self.life.clone(), from, counted);
        Ok(with("text/event-stream", Kind::Events(events)))
    }

    /// Where a client goes on that saw this event last.
    fn after(&self, id: &str) -> From {
        let number = id.split_once('-').filter(|(life, _)| *life == self.life);
        let number = number.and_then(|(_, number)| number.parse::<u64>().ok()).and_then(|n| n.checked_add(1));
        number.map_or(From::Anew, From::Number)
    }
}

/// Nothing is kept, guessed, framed, or told to other places.
const HEADERS: [(&str, &str); 6] = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn value<'q>(query: &'q str, key: &str) -> Option<&'q str> {
    query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == key).map(|(_, value)| value)
}

fn range(query: &str) -> Result<Range, Refusal> {
    let wrong = |_| Refusal::new(StatusCode::BAD_REQUEST, "from and to are milliseconds since 1970.");
    let number = |key, none| value(query, key).map_or(Ok(none), str::parse).map_err(wrong);
    Ok(Range { from: number("from", Range::ALL.from)?, to: number("to", Range::ALL.to)? })
}

fn whole(kind: &'static str, text: Bytes) -> Response<Content> {
    with(kind, Kind::Whole(Some(text)))
}

/// The same answer, later.
async fn wrong() -> Refusal {
    tokio::time::sleep(WRONG).await;
    Refusal::unknown()
}

//! Oracle's errors in dbdyno's words: a class (classes.rs), the server's own words, and what to do where that is known
//! (dialect/errors.toml). Here is what is no look-up.

mod classes;

use super::DIALECT;
use super::options::{Options, Place};
use classes::{class_of, class_of_kind, decisive, number, numbers};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::password::FoundPassword;
use dbdyno_engine::server::{Code, Refusal};
use dbdyno_model::ErrorClass;
use oracledb::{Error, ErrorKind};
use std::path::Path;

/// A CREATE of PL/SQL that does not compile.
const COMPILED_WITH_ERRORS: &str = "ORA-24344";

/// An error of a statement in words. A statement that was interrupted counts as ours. The connection knows better,
/// because it knows whether anybody asked.
pub(super) fn engine_error(doing: &str, error: &Error) -> EngineError {
    let error = match error.kind() {
        ErrorKind::DbError(server) => {
            let (class, said) = of_server(server.code(), server.message());
            EngineError::new(class, said).answered()
        }
        kind => EngineError::new(class_of_kind(kind), error.to_string()),
    };
    error.while_doing(doing)
}

/// Class and words of what a server said.
fn of_server(code: usize, message: &str) -> (ErrorClass, String) {
    let (code, class) = decisive(code, message);
    (class, DIALECT.errors.advised(code, class, message, words(message)))
}

/// An error of opening a connection in words. `found` says where the password came from that was used.
pub(super) fn connect_error(options: &Options, place: &Place, found: &FoundPassword, error: &Error) -> EngineError {
    let listener = |code: u32| (Code::Number(code), class_of(code), format!("the listener refused: ORA-{code:05}"));
    let (code, class, said) = match error.kind() {
        ErrorKind::DbError(server) => {
            let (code, class) = decisive(server.code(), server.message());
            (Code::Number(code), class, words(server.message()))
        }
        ErrorKind::InvalidServiceName(..) => listener(12514),
        ErrorKind::InvalidSid(..) => listener(12505),
        ErrorKind::ListenerRefusedConnection(_, _, _, code) => listener(number(*code)),
        ErrorKind::UnexpectedRefuse(_) => {
            let said = "the listener refused, and did not say why".to_owned();
            (Code::Text("closed"), ErrorClass::ConnectionLost, said)
        }
        // The limit for each address: nothing else has one while a connection is opened.
        ErrorKind::CallTimeoutExceeded => (Code::Text(""), ErrorClass::ConnectionLost, advice(options, "silent")),
        kind => (Code::Text(kind_code(kind, error)), class_of_kind(kind), error.to_string()),
    };
    let refusal = Refusal { code, class, said: &said, socket: false, warning: None };
    let value = |name: &str| match name {
        "password_from" => Some(DIALECT.errors.password_from(found.place())),
        name => value_of(options, place, name),
    };
    DIALECT.errors.refused(&refusal, &value).while_doing(&connecting(options, place))
}

/// What a placeholder of errors.toml stands for.
fn value_of(options: &Options, place: &Place, name: &str) -> Option<String> {
    let (host, port) = place.host();
    Some(match name {
        "user" => options.user.clone(),
        "service" => place.service().unwrap_or("of that name").to_owned(),
        "host" => host.to_owned(),
        "port" => port.to_string(),
        "limits" => options.limits.in_words(&DIALECT.errors.limits),
        "seconds" => options.connect_timeout.as_secs().to_string(),
        _ => return None,
    })
}

/// What to do where something came to pass that has this word in errors.toml.
pub(super) fn advice(options: &Options, code: &str) -> String {
    DIALECT.errors.advice(code, &|name| value_of(options, &options.places[0], name))
}

/// The word in errors.toml for an error of the driver's own.
fn kind_code(kind: &ErrorKind, error: &Error) -> &'static str {
    match kind {
        ErrorKind::StreamOperation if error.to_string().contains("certificate") => "tls",
        ErrorKind::StreamOperation => "stream",
        ErrorKind::TlsOperation => "tls",
        ErrorKind::WalletUnreadable(_) => "wallet",
        ErrorKind::WalletPasswordMissingOrInvalid(..) => "wallet_password",
        ErrorKind::ServerVersionNotSupported => "too_old",
        _ => "closed",
    }
}

/// What was being done while a connection was opened.
pub(super) fn connecting(options: &Options, place: &Place) -> String {
    format!("connecting to {place} as {}", options.user)
}

/// The error for a target without a password: this engine has no login without one.
pub(super) fn no_password(options: &Options, place: &Place) -> EngineError {
    let message = DIALECT.errors.password_from(None);
    EngineError::new(ErrorClass::Authentication, message).while_doing(&connecting(options, place))
}

/// Whether it says that a CREATE of PL/SQL was done, but does not compile.
pub(super) fn is_compiled_with_errors(error: &EngineError) -> bool {
    error.message.contains(COMPILED_WITH_ERRORS)
}

/// What the compiler said about an object: rows of line, position and text.
///
/// # Errors
/// There are any.
pub(super) fn of_compiler(doing: &str, object: &str, rows: &[Vec<Option<String>>]) -> Result<(), EngineError> {
    let said: Vec<String> = rows
        .iter()
        .map(|row| {
            let column = |at: usize| row.get(at).and_then(Option::as_deref).unwrap_or("?");
            format!(
                "line {}, column {}: {}",
                column(0),
                column(1),
                column(2).split_whitespace().collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    if said.is_empty() {
        return Ok(());
    }
    let text = said.join("; ");
    // What a statement inside is told stands in the text: ORA-00942, above all.
    let class = numbers(&text).map(class_of).find(|class| *class != ErrorClass::Other);
    let class = class.unwrap_or_else(|| DIALECT.errors.class(0, &text));
    Err(EngineError::new(class, format!("{object} does not compile: {text}")).while_doing(doing))
}

/// The server's message without what newer releases add to it.
fn words(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Help: "));
    lines.collect::<Vec<_>>().join(" / ")
}

/// What to do about a wallet that is not there.
pub(super) fn no_wallet(options: &Options, file: &Path) -> String {
    format!("there is no {}; {}", file.display(), advice(options, "wallet"))
}

#[cfg(test)]
mod tests;

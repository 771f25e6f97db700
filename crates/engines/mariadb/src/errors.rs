//! MariaDB's errors in dbdyno's words: a class from the server's number, the server's own words, and what to do where
//! that is known (dialect/errors.toml). Here is what is no look-up.

use super::options::{Host, Options};
use super::{DIALECT, grants};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::password::FoundPassword;
use dbdyno_engine::server::{Code, Refusal, io_code};
use dbdyno_model::ErrorClass;
use mysql::{DriverError, Error, MySqlError};
use std::error::Error as _;
use std::io;

/// The database is not there, or this account has no right to it.
const UNKNOWN_DATABASE: u16 = 1049;
const NO_RIGHT_TO_DATABASE: u16 = 1044;

/// An error of a statement in words. A statement that was interrupted counts as ours;
/// [`super::connection::MariaDbConnection::error`] knows better, because it knows whether anybody asked.
pub(super) fn engine_error(doing: &str, error: &Error) -> EngineError {
    let class = class(error);
    let error = match error {
        Error::MySqlError(server) => {
            let said = DIALECT.errors.advised(u32::from(server.code), class, &server.message, words(server));
            EngineError::new(class, said).answered()
        }
        error => EngineError::new(class, bare(error)),
    };
    error.while_doing(doing)
}

/// An error of opening a connection in words. `found` says where the password came from that was used.
pub(super) fn connect_error(options: &Options, host: &Host, found: &FoundPassword, error: &Error) -> EngineError {
    let (code, said) = match error {
        Error::MySqlError(server) => (Code::Number(server.code.into()), words(server)),
        error => (Code::Text(code(error)), bare(error)),
    };
    let refusal =
        Refusal { code, class: class(error), said: &said, socket: host.is_socket(), warning: found.warning() };
    let value = |name: &str| match (name, error) {
        ("password_from", _) => Some(DIALECT.errors.password_from(found.place())),
        ("grant", Error::MySqlError(server)) => {
            let account = account(&server.message).unwrap_or_else(|| format!("'{}'@'%'", options.user));
            Some(grants::statement(&grants::required(), &options.database, &account))
        }
        ("login", Error::DriverError(DriverError::UnknownAuthPlugin(login))) => Some(login.clone()),
        (name, _) => value_of(options, host, name),
    };
    DIALECT.errors.refused(&refusal, &value).while_doing(&options.connecting(host))
}

/// What a placeholder of errors.toml stands for.
fn value_of(options: &Options, host: &Host, name: &str) -> Option<String> {
    Some(match name {
        "user" => options.user.clone(),
        "place" => host.to_string(),
        "host" => host.name().unwrap_or("this host").to_owned(),
        "port" => host.port.to_string(),
        "limits" => options.limits.in_words(&DIALECT.errors.limits),
        "seconds" => options.connect_timeout.as_secs().to_string(),
        _ => return None,
    })
}

/// What to do where something came to pass that has this word in errors.toml.
pub(super) fn advice(options: &Options, code: &str) -> String {
    DIALECT.errors.advice(code, &|name| value_of(options, &options.hosts[0], name))
}

/// Whether the database does not exist.
pub(super) fn is_unknown_database(error: &Error) -> bool {
    matches!(error, Error::MySqlError(server) if server.code == UNKNOWN_DATABASE)
}

/// Whether the account has no right to the database, whether that exists or not.
pub(super) fn has_no_right_to_database(error: &Error) -> bool {
    matches!(error, Error::MySqlError(server) if server.code == NO_RIGHT_TO_DATABASE)
}

/// The class of an error.
pub(super) fn class(error: &Error) -> ErrorClass {
    match error {
        Error::MySqlError(server) => class_of(server.code, &server.message),
        error if wants_password(error) => ErrorClass::Authentication,
        // After these nobody knows what the next answer belongs to.
        Error::IoError(_) | Error::CodecError(_) | Error::TlsError(_) => ErrorClass::ConnectionLost,
        Error::DriverError(driver) => match driver {
            DriverError::UnknownAuthPlugin(_)
            | DriverError::OldMysqlPasswordDisabled
            | DriverError::CleartextPluginDisabled => ErrorClass::Unsupported,
            DriverError::Timeout => ErrorClass::Timeout,
            DriverError::PacketTooLarge
            | DriverError::MismatchedStmtParams(..)
            | DriverError::Params(_)
            | DriverError::MixedParams
            | DriverError::BulkExecute(_) => ErrorClass::Other,
            _ => ErrorClass::ConnectionLost,
        },
        Error::UrlError(_) | Error::FromValueError(_) | Error::FromRowError(_) => ErrorClass::Other,
    }
}

/// The class of a server's error.
pub(super) fn class_of(code: u16, message: &str) -> ErrorClass {
    DIALECT.errors.class(u32::from(code), message)
}

/// The server's message and its numbers.
fn words(server: &MySqlError) -> String {
    format!("{} [error {}, SQLSTATE {}]", server.message.trim_end_matches('.'), server.code, server.state)
}

/// The account that a refusal names, as SQL wants it: `... for user 'scott'@'%' to database ...`.
fn account(message: &str) -> Option<String> {
    let (user, rest) = message.split_once("user '")?.1.split_once("'@'")?;
    let (host, _) = rest.split_once('\'')?;
    Some(grants::account(user, host))
}

/// Whether TLS failed, and not what it would have carried.
pub(super) fn is_of_tls(error: &Error) -> bool {
    let by_tls = |error: &io::Error| error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>());
    matches!(error, Error::TlsError(_)) || below(error).is_some_and(by_tls)
}

/// The operating system's error below one of the crate's.
fn below(error: &Error) -> Option<&io::Error> {
    match error {
        Error::IoError(error) => Some(error),
        Error::CodecError(error) => error.source()?.downcast_ref(),
        _ => None,
    }
}

/// Whether the server wants the password by a key of its own, which it must not have without TLS
/// (connection/connect.rs).
fn wants_password(error: &Error) -> bool {
    matches!(error, Error::IoError(error) if error.kind() == io::ErrorKind::NotADirectory)
}

/// An error that no server sent: the crate's words, or what lies below them.
fn bare(error: &Error) -> String {
    match (error, below(error)) {
        (error, _) if wants_password(error) => {
            "the server asks for the password itself, by a key of its own, and nothing is encrypted".to_owned()
        }
        (_, Some(below)) => below.to_string(),
        (Error::CodecError(error), None) => error.to_string(),
        (Error::TlsError(error), None) => error.to_string(),
        (Error::DriverError(DriverError::CouldNotConnect(Some((_, why, _)))), None) => why.clone(),
        (Error::DriverError(error), None) => error.to_string(),
        (error, None) => error.to_string(),
    }
}

/// The word in errors.toml for an error that no server sent.
fn code(error: &Error) -> &'static str {
    match error {
        error if wants_password(error) => "clear_text",
        Error::DriverError(DriverError::ConnectTimeout) => "silent",
        Error::DriverError(DriverError::CouldNotConnect(Some((_, _, kind)))) => io_code(*kind),
        Error::DriverError(DriverError::TlsNotSupported) => "no_tls",
        Error::DriverError(DriverError::UnknownAuthPlugin(_)) => "unknown_login",
        Error::DriverError(DriverError::OldMysqlPasswordDisabled | DriverError::CleartextPluginDisabled) => {
            "readable_login"
        }
        error if is_of_tls(error) => "tls",
        error if below(error).is_some_and(|below| io_code(below.kind()) == "silent") => "silent",
        Error::IoError(_) | Error::CodecError(_) | Error::DriverError(_) => "closed",
        _ => "",
    }
}

/// What to do where something other than a server of ours answers a statement.
pub(super) fn not_understood() -> &'static str {
    "the server's answer is not understood: is it a MariaDB server, and is anything between here and there?"
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::Target;

    #[test]
    fn the_files_of_the_dialect_can_be_read() {
        assert!(DIALECT.faults().is_empty(), "{:?}", DIALECT.faults());
    }

    #[test]
    fn codes_have_classes() {
        for (codes, class) in [
            ("1053 1927 2006 2013 1047 1158 1161 4031", ErrorClass::ConnectionLost),
            ("1045 1698 1130 4151", ErrorClass::Authentication),
            ("1044 1142 1143 1227 1290 1370 1792 1836", ErrorClass::Permission),
            ("1213 1020", ErrorClass::Conflict),
            ("1317", ErrorClass::Cancelled),
            ("1205 1969 3024", ErrorClass::Timeout),
            ("1114 1021", ErrorClass::OutOfSpace),
            ("1049 1146 1305 1054", ErrorClass::UnknownObject),
            ("126 1034 1712", ErrorClass::Corruption),
            ("1235 4166", ErrorClass::Unsupported),
            ("1040 1203 1226 1062 1064 1030 1026 3", ErrorClass::Other),
        ] {
            for code in codes.split(' ') {
                assert_eq!(class_of(code.parse().unwrap(), "what it says"), class, "{code}");
            }
        }
        for message in [
            "Got error 28 \"No space left on device\" from storage engine InnoDB",
            "Error writing file './bl.000001' (Errcode: 28 \"No space left on device\")",
            "Error writing file '/tmp/x' (Errcode: 122 \"Disk quota exceeded\")",
        ] {
            assert_eq!(class_of(1030, message), ErrorClass::OutOfSpace, "{message}");
        }
        assert_eq!(class_of(1030, "Got error 168 \"Unknown (generic) error\""), ErrorClass::Other);
    }

    #[test]
    fn a_refused_database_comes_with_the_statement_that_helps() {
        let options = Options::parse(&Target::parse("mariadb://scott@h/my_db").unwrap()).unwrap();
        let message = "Access denied for user 'sc'ott'@'10.%' to database 'my_db'".to_owned();
        let server = MySqlError { state: "42000".to_owned(), message, code: 1044 };
        let said = connect_error(&options, &options.hosts[0], &FoundPassword::default(), &Error::MySqlError(server));
        assert_eq!(said.class, ErrorClass::Permission);
        assert!(said.message.contains("EXECUTE ON `my\\_db`.* TO 'sc''ott'@'10.%'"), "{said}");
    }
}

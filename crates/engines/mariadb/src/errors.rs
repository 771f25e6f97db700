//! MariaDB's errors in dbdyno's words: a class from the server's number (messages may be in any language), the server's
//! own words, and what to do where that is known.

use super::check::grants;
use super::options::{Host, Options};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::password::FoundPassword;
use dbdyno_model::ErrorClass;
use mysql::{DriverError, Error, MySqlError};
use std::error::Error as _;
use std::io;

/// How passwords can be given.
const PASSWORD_PLACES: &str = "passwords are taken from DBDYNO_PASSWORD, MYSQL_PWD, the [client] groups of ~/.my.cnf, or \
                               asked for on a terminal";
/// Which limit a server may have reached that has not told its own.
const LIMITS: &str = "max_connections, or the MAX_USER_CONNECTIONS of the account, is reached";
/// The database is not there.
const UNKNOWN_DATABASE: u16 = 1049;
/// A statement was ended by KILL QUERY.
const INTERRUPTED: u16 = 1317;
/// Codes that hold an error of the operating system in their message.
const WITH_ERRNO: [u16; 8] = [3, 20, 1005, 1016, 1021, 1026, 1030, 1878];
/// What the operating system calls a full disk and a full quota.
const FULL: [&str; 6] = ["Errcode: 28", "Errcode: 122", "error 28", "error 122", "errno: 28", "errno: 122"];

/// An error of a statement in words. A statement that was interrupted counts as ours;
/// [`super::connection::MariaDbConnection::error`] knows better, because it knows whether anybody asked.
pub(super) fn engine_error(doing: &str, error: &Error) -> EngineError {
    let said = match error {
        Error::MySqlError(server) => format!("{}{}", words(server), advice(server)),
        error => bare(error),
    };
    EngineError::new(class(error), said).while_doing(doing)
}

/// An error of opening a connection in words. `found` says where the password came from that was used.
pub(super) fn connect_error(options: &Options, host: &Host, found: &FoundPassword, error: &Error) -> EngineError {
    let class = class(error);
    let (mut said, advice) = match error {
        Error::MySqlError(server) => (words(server), connect_advice(options, host, found.place(), server)),
        error => (bare(error), bare_advice(options, host, error)),
    };
    let warning = found.warning().filter(|_| class == ErrorClass::Authentication);
    for more in advice.iter().map(String::as_str).chain(warning) {
        said = format!("{said}; {more}");
    }
    EngineError::new(class, said).while_doing(&connecting(options, host))
}

/// What was being done while a connection was opened.
pub(super) fn connecting(options: &Options, host: &Host) -> String {
    format!("connecting to {host} as {}, database {}", options.user, options.database)
}

/// Whether the database does not exist.
pub(super) fn is_unknown_database(error: &Error) -> bool {
    matches!(error, Error::MySqlError(server) if server.code == UNKNOWN_DATABASE)
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
    match code {
        // Also while the server stops, while a Galera node is not ready (1047), and when a session was idle too long
        // (4031).
        1047 | 1053 | 1077 | 1079 | 1080 | 1152 | 1158..=1161 | 1184 | 1927 | 2006 | 2013 | 4031 => {
            ErrorClass::ConnectionLost
        }
        1045 | 1129 | 1130 | 1251 | 1275 | 1698 | 1820 | 1862 | 1873 | 3118 | 3159 | 3955 | 4150 | 4151 => {
            ErrorClass::Authentication
        }
        1044 | 1095 | 1142 | 1143 | 1211 | 1227 | 1290 | 1370 | 1410 | 1419 | 1792 | 1836 | 1874 => {
            ErrorClass::Permission
        }
        1020 | 1213 | 1614 | 3058 => ErrorClass::Conflict,
        INTERRUPTED => ErrorClass::Cancelled,
        1205 | 1613 | 1907 | 1969 | 3024 => ErrorClass::Timeout,
        1021 | 1114 | 4139 => ErrorClass::OutOfSpace,
        1008 | 1049 | 1051 | 1054 | 1091 | 1109 | 1146 | 1176 | 1193 | 1305 | 1360 | 1735 | 1932 => {
            ErrorClass::UnknownObject
        }
        126 | 127 | 144 | 145 | 1034 | 1035 | 1194 | 1195 | 1712 | 1817 | 1877 | 3000 => ErrorClass::Corruption,
        // The last are a file of ours that the server may not ask for.
        1031 | 1178 | 1235 | 1286 | 1295 | 1148 | 3948 | 4166 => ErrorClass::Unsupported,
        code if WITH_ERRNO.contains(&code) && FULL.iter().any(|full| message.contains(full)) => ErrorClass::OutOfSpace,
        // Too many connections (1040, 1203, 1226) is none of these: the point has failed, and works once the limit is
        // raised.
        _ => ErrorClass::Other,
    }
}

/// The server's message and its numbers.
fn words(server: &MySqlError) -> String {
    format!("{} [error {}, SQLSTATE {}]", server.message.trim_end_matches('.'), server.code, server.state)
}

/// What to do about an error of a statement.
fn advice(server: &MySqlError) -> &'static str {
    if class_of(server.code, &server.message) == ErrorClass::OutOfSpace {
        return "; free space where the server writes, or raise the limit of the file that is full, and try again: what was \
                committed is kept";
    }
    match server.code {
        1047 => "; this node of a cluster is not ready: wait, or name another",
        1053 | 1077 | 1079 => "; the server is stopping",
        1927 => "; another session ended this one, or the server is stopping",
        1205 | 1907 => "; another session holds the lock",
        1969 => "; a max_statement_time is set, which dbdyno leaves alone: raise it for the server or this account",
        3024 => "; a max_execution_time is set, which dbdyno leaves alone: raise it for the server",
        1290 if server.message.contains("read-only") => {
            "; the target is a replica, or read_only is on: measure on the primary"
        }
        1792 | 1836 | 1874 => "; the target takes no writes: measure on the primary",
        1044 | 1142 | 1143 | 1227 | 1370 => {
            "; `dbdyno check` says which privilege is missing, `dbdyno sql mariadb` prints a set-up script"
        }
        1148 | 3948 | 4166 => "; SET GLOBAL local_infile = ON lets clients send rows",
        1153 => "; raise max_allowed_packet",
        1197 | 1705 => "; raise max_binlog_cache_size and max_binlog_stmt_cache_size",
        1206 => "; raise innodb_buffer_pool_size, in which locks are kept, or use fewer jobs",
        1461 => "; raise max_prepared_stmt_count, or use fewer jobs",
        1665 => "; SET GLOBAL binlog_format = MIXED (or ROW), and connect again",
        126 | 127 | 144 | 145 | 1034 | 1035 | 1194 | 1195 | 1712 | 1817 | 1877 | 3000 => {
            "; the data is damaged: drop it and load again"
        }
        _ => "",
    }
}

/// What to do about a server that turns us away.
fn connect_advice(options: &Options, host: &Host, tried: Option<&str>, server: &MySqlError) -> Option<String> {
    Some(match server.code {
        1045 | 1698 => {
            let password = match tried {
                Some(place) => format!("the password came from {place}; {PASSWORD_PLACES}, in this order"),
                None => format!("no password was given; {PASSWORD_PLACES}"),
            };
            let by_socket = if host.is_socket() {
                format!(
                    "; an account that logs in by unix_socket wants the operating system's user to be {}",
                    options.user
                )
            } else {
                "; an account may be for other hosts only, or want TLS (sslmode=require)".to_owned()
            };
            format!("{password}{by_socket}")
        }
        1044 => {
            let account = account(&server.message).unwrap_or_else(|| format!("'{}'@'%'", options.user));
            format!(
                "an administrator runs: {}; `dbdyno sql mariadb` prints a set-up script",
                grants::statement(&grants::required(), &options.database, &account)
            )
        }
        1129 => "an administrator runs: FLUSH HOSTS".to_owned(),
        1130 => format!(
            "no account is for this machine; `dbdyno sql mariadb` prints a set-up script: create '{}' for this host or for '%'",
            options.user
        ),
        1040 | 1203 | 1226 => format!("{}: use fewer jobs, or raise what is too low", options.limits.in_words(LIMITS)),
        1053 | 1077 | 1079 | 1927 => "the server is starting or stopping; wait and try again".to_owned(),
        1820 | 1862 => "log in with the mariadb client and set a new password".to_owned(),
        3118 | 4151 => "an administrator runs: ALTER USER ... ACCOUNT UNLOCK".to_owned(),
        4150 => "too many wrong passwords; an administrator runs: FLUSH PRIVILEGES".to_owned(),
        3159 => "use sslmode=require or better".to_owned(),
        _ => return None,
    })
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

/// Whether the server wants the password by a key of its own, which it must not have without TLS (link/connect.rs).
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

fn bare_advice(options: &Options, host: &Host, error: &Error) -> Option<String> {
    let socket = host.is_socket();
    Some(match error {
        error if wants_password(error) => format!(
            "whoever answers in the place of {host} would have it: use TLS (sslmode=verify-full), let the account log in by \
             ed25519 or mysql_native_password, or write sslmode=disable to send it all the same"
        ),
        Error::DriverError(DriverError::ConnectTimeout) => not_reached(options),
        Error::DriverError(DriverError::CouldNotConnect(Some((_, _, kind)))) => match kind {
            io::ErrorKind::ConnectionRefused if socket => {
                "a socket is there, but no server behind it: start the server".to_owned()
            }
            io::ErrorKind::ConnectionRefused => {
                format!("is the server running, is {} its port, and does bind_address cover this address?", host.port)
            }
            io::ErrorKind::NotFound if socket => {
                "is the server running, and is this its socket (socket in its settings)?".to_owned()
            }
            io::ErrorKind::PermissionDenied if socket => "this user may not use that socket".to_owned(),
            io::ErrorKind::TimedOut => not_reached(options),
            _ => return None,
        },
        Error::DriverError(DriverError::TlsNotSupported) => {
            "give the server a certificate (ssl_cert and ssl_key in its settings), or use sslmode=prefer or disable"
                .to_owned()
        }
        Error::DriverError(DriverError::UnknownAuthPlugin(name)) => format!(
            "the account logs in by {name}, which dbdyno cannot; let it log in by mysql_native_password, ed25519, parsec \
             or, through the socket, unix_socket"
        ),
        Error::DriverError(DriverError::OldMysqlPasswordDisabled | DriverError::CleartextPluginDisabled) => {
            "dbdyno does not send passwords that anybody could read; let the account log in by ed25519 or \
             mysql_native_password"
                .to_owned()
        }
        error if is_of_tls(error) => return tls_advice(host, &bare(error)),
        error
            if below(error)
                .is_some_and(|e| matches!(e.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)) =>
        {
            not_reached(options)
        }
        Error::IoError(_) | Error::CodecError(_) | Error::DriverError(_) => closed(),
        _ => return None,
    })
}

/// What to look at where somebody answers and is not understood, or is gone again.
pub(super) fn closed() -> String {
    "the server closed the connection at once, or is not understood: is it a MariaDB server, and what does its log say?"
        .to_owned()
}

/// What to do where something other than a server of ours answers a statement.
pub(super) fn not_understood() -> &'static str {
    "the server's answer is not understood: is it a MariaDB server, and is anything between here and there?"
}

/// What to do where nothing answers.
pub(super) fn not_reached(options: &Options) -> String {
    let seconds = options.connect_timeout.as_secs();
    format!(
        "nothing answered within {seconds} s: is the host up, is it a MariaDB server, does a firewall let the port through? \
         (connect_timeout=S waits longer)"
    )
}

fn tls_advice(host: &Host, cause: &str) -> Option<String> {
    let name = host.name().unwrap_or("this host");
    Some(if cause.contains("not valid for name") || cause.contains("NotValidForName") {
        format!(
            "the certificate is not for {name}; use a name that is among its subject alternative names, or sslmode=verify-ca"
        )
    } else if cause.contains("CaUsedAsEndEntity") {
        "the server's certificate has signed itself and says that it is an authority; make one with basicConstraints=CA:FALSE, \
         or one that an authority signs"
            .to_owned()
    } else if cause.contains("UnknownIssuer") || cause.contains("BadSignature") {
        "nobody trusted has signed the server's certificate; name its authority as sslrootcert=FILE".to_owned()
    } else if cause.contains("UnsupportedCertVersion") {
        "the certificate is of X.509 version 1; make one with extensions (version 3), or use sslmode=require".to_owned()
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::Target;

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

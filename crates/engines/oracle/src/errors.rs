//! Oracle's errors in dbdyno's words: a class from the server's number (messages may be in any language), the server's
//! own words, and what to do where that is known. The driver's own errors have kinds instead of numbers.

mod classes;

use super::options::{Options, Place};
use classes::{class_of, class_of_kind};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::password::FoundPassword;
use dbdyno_model::ErrorClass;
use oracledb::{Error, ErrorKind};
use std::path::Path;

/// How passwords can be given.
const PASSWORD_PLACES: &str = "passwords are taken from DBDYNO_PASSWORD, or asked for on a terminal";
/// A CREATE of PL/SQL that does not compile.
const COMPILED_WITH_ERRORS: &str = "ORA-24344";
/// Numbers that only say where another error came from: recursive SQL, the lines of a block, the block itself, a
/// parallel worker, a trigger, the layers of a bulk statement.
const WRAPPERS: [usize; 7] = [604, 4088, 6512, 6550, 12801, 24381, 39029];

/// An error of a statement in words. A statement that was interrupted counts as ours; the link knows better, because it
/// knows whether anybody asked.
pub(super) fn engine_error(doing: &str, error: &Error) -> EngineError {
    let (class, said) = match error.kind() {
        ErrorKind::DbError(server) => of_server(server.code(), server.message()),
        kind => (class_of_kind(kind), error.to_string()),
    };
    EngineError::new(class, said).while_doing(doing)
}

/// Class and words of what a server said.
fn of_server(code: usize, message: &str) -> (ErrorClass, String) {
    let (code, class) = decisive(code, message);
    (class, format!("{}{}", words(message), advice(code, class)))
}

/// An error of opening a connection in words. `found` says where the password came from that was used.
pub(super) fn connect_error(options: &Options, place: &Place, found: &FoundPassword, error: &Error) -> EngineError {
    let doing = connecting(options, place);
    let listener = |code| {
        (class_of(code), format!("the listener refused: ORA-{code:05}"), connect_advice(options, place, found, code))
    };
    let (class, said, advice) = match error.kind() {
        ErrorKind::DbError(server) => {
            let (code, class) = decisive(server.code(), server.message());
            (class, words(server.message()), connect_advice(options, place, found, code))
        }
        ErrorKind::InvalidServiceName(..) => listener(12514),
        ErrorKind::InvalidSid(..) => listener(12505),
        ErrorKind::ListenerRefusedConnection(_, _, _, code) => listener(*code),
        ErrorKind::UnexpectedRefuse(_) => {
            (ErrorClass::ConnectionLost, "the listener refused, and did not say why".to_owned(), Some(not_understood()))
        }
        // The limit for each address: nothing else has one while a connection is opened.
        ErrorKind::CallTimeoutExceeded => (ErrorClass::ConnectionLost, not_reached(options), None),
        kind => (class_of_kind(kind), error.to_string(), kind_advice(place, kind, error)),
    };
    let said = advice.map_or(said.clone(), |advice| format!("{said}; {advice}"));
    EngineError::new(class, said).while_doing(&doing)
}

/// What was being done while a connection was opened.
pub(super) fn connecting(options: &Options, place: &Place) -> String {
    format!("connecting to {place} as {}", options.user)
}

/// The error for a target without a password: this engine has no login without one.
pub(super) fn no_password(options: &Options, place: &Place) -> EngineError {
    let message = format!("no password was given; {PASSWORD_PLACES}");
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
    let class = class.or_else(|| unknown_name(&text)).unwrap_or(ErrorClass::Other);
    Err(EngineError::new(class, format!("{object} does not compile: {text}")).while_doing(doing))
}

/// The number, and its class, that tells most among those of a message.
fn decisive(code: usize, message: &str) -> (usize, ErrorClass) {
    let all = std::iter::once(code).chain(numbers(message)).filter(|number| !WRAPPERS.contains(number));
    let known = all.map(|number| (number, class_of(number))).find(|(_, class)| *class != ErrorClass::Other);
    known.unwrap_or((code, unknown_name(message).unwrap_or(ErrorClass::Other)))
}

/// Every ORA- number of a message, in order.
fn numbers(message: &str) -> impl Iterator<Item = usize> + '_ {
    message.split("ORA-").skip(1).filter_map(|after| {
        let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    })
}

/// The class of what the compiler of PL/SQL calls an unknown or an unusable name.
fn unknown_name(message: &str) -> Option<ErrorClass> {
    ["PLS-00201", "PLS-00302", "PLS-00904", "PLS-00905"]
        .iter()
        .any(|code| message.contains(code))
        .then_some(ErrorClass::UnknownObject)
}

/// The server's message without what newer releases add to it.
fn words(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Help: "));
    lines.collect::<Vec<_>>().join(" / ")
}

/// What to do about an error of a statement.
fn advice(code: usize, class: ErrorClass) -> &'static str {
    match code {
        257 | 16014 | 16038 => "; nothing can be written until redo is archived: free space where archived logs go",
        1536 => "; an administrator raises the quota: ALTER USER ... QUOTA ... ON ...",
        1950 => "; an administrator grants a quota: ALTER USER ... QUOTA ... ON ...",
        1562 | 1628 | 1650 | 30036 => "; enlarge the undo tablespace, or use fewer jobs",
        1652 => "; enlarge the temporary tablespace, or use fewer jobs",
        19809 => "; enlarge db_recovery_file_dest_size, or free space in it",
        1555 => "; undo was overwritten: enlarge the undo tablespace or undo_retention",
        _ if class == ErrorClass::OutOfSpace => {
            "; free space where the server writes, or enlarge what is full, and try again: what was committed is kept"
        }
        942 => "; it is not there, or this account may not see it: `dbdyno check` says which privilege is missing",
        990 | 1031 | 1720 | 1749 | 13516 | 47306 | 47400..=47999 => {
            "; `dbdyno check` says which privilege is missing, `dbdyno sql oracle` prints a set-up script"
        }
        1219 => "; the database is mounted, but not open",
        16000 => "; the database is open for reading only: measure on the primary",
        28 | 31 => "; another session ended this one",
        1012 | 1014 | 1034 | 1089 | 1090 | 1092 => "; the instance is stopping or has stopped",
        2396 | 2399 => "; a limit of this account's profile ended the session",
        2392..=2395 | 40 => "; a limit of this account's profile or of the Resource Manager ended the statement",
        51 | 54 | 2049 | 4021 | 30006 => "; another session holds the lock",
        439 => "; this edition or installation lacks it; --without PARTS leaves out what is licensed separately",
        406 => "; the COMPATIBLE parameter is lower than the release",
        64307 => "; this storage does not offer it; --without hcc leaves it out",
        1578 | 8102 | 26040 => "; the data is damaged: drop it and load again",
        1000 => "; raise open_cursors",
        4030 | 4031 => "; the server is short of memory: raise its memory targets, or use fewer jobs",
        4068 => "; a package was made anew meanwhile: try again",
        _ => "",
    }
}

/// What to do about a server or a listener that turns us away.
fn connect_advice(options: &Options, place: &Place, found: &FoundPassword, code: usize) -> Option<String> {
    let user = &options.user;
    Some(match code {
        1005 | 1017 => {
            let tried = found.place().unwrap_or("nowhere");
            format!("the password came from {tried}; {PASSWORD_PLACES}, and letters of passwords have a case")
        }
        28000 => format!("an administrator runs: ALTER USER {user} ACCOUNT UNLOCK"),
        28001 | 28002 => {
            format!("the password has expired; an administrator runs: ALTER USER {user} IDENTIFIED BY ...")
        }
        28040 => "the account has a password of an old kind only; an administrator sets it anew".to_owned(),
        1045 => {
            format!("an administrator runs: GRANT CREATE SESSION TO {user}; `dbdyno sql oracle` prints a set-up script")
        }
        12505 => {
            "the listener knows no such SID (`lsnrctl status` on the server lists what it knows); a service is the \
                  better name"
                .to_owned()
        }
        12514 | 12521 => {
            let service = place.service().unwrap_or("of that name");
            format!(
                "the listener knows no service {service} (or its database is down): `lsnrctl status` on the server lists \
                 what it knows; a SID can only be named by ?descriptor=(...)"
            )
        }
        18 | 20 | 2391 | 12516 | 12518..=12520 => {
            format!(
                "{}: use fewer jobs, or raise PROCESSES, SESSIONS or the profile's SESSIONS_PER_USER",
                options.limits.in_words("the server allows no more processes or sessions")
            )
        }
        1033 | 1034 | 1089 | 1090 | 12528 => {
            "the instance is starting, stopping or down; wait and try again".to_owned()
        }
        1035 | 12526 => "the instance is in restricted mode".to_owned(),
        12541 | 12564 => format!("is the listener running, and is {} its port?", place.host().1),
        12537 | 12547 | 3113 => {
            "the server closed the connection: what does the listener's log say (valid node checking?)".to_owned()
        }
        12650 | 12660 => NATIVE_ENCRYPTION.to_owned(),
        _ => return None,
    })
}

/// The driver has TLS, and not what SQLNET.ENCRYPTION_SERVER asks for.
const NATIVE_ENCRYPTION: &str = "a server that requires native network encryption (SQLNET.ENCRYPTION_SERVER=REQUIRED) cannot \
                                 be spoken to by dbdyno's driver; use TLS (protocol=tcps), or let it be REQUESTED";

fn kind_advice(place: &Place, kind: &ErrorKind, error: &Error) -> Option<String> {
    let (name, port) = place.host();
    Some(match kind {
        ErrorKind::StreamOperation => {
            let said = error.to_string();
            if said.contains("refused") {
                format!("is the listener running, and is {port} its port?")
            } else if said.contains("lookup") || said.contains("resolve") {
                format!("is the host's name, {name}, spelt right?")
            } else if said.contains("certificate") {
                tls_advice(name)
            } else if said.contains("InvalidContentType") {
                format!(
                    "nobody speaks TLS at port {port}: TLS has a port of its own, 2484 as a rule (or leave protocol=tcps away)"
                )
            } else {
                not_understood()
            }
        }
        ErrorKind::TlsOperation => tls_advice(name),
        ErrorKind::WalletUnreadable(_) => WALLET.to_owned(),
        ErrorKind::WalletPasswordMissingOrInvalid(..) => "its password is taken from DBDYNO_WALLET_PASSWORD".to_owned(),
        ErrorKind::ServerVersionNotSupported => "dbdyno works with Oracle Database 12.2 and later".to_owned(),
        _ => not_understood(),
    })
}

/// Which of the forms of a wallet the driver reads.
const WALLET: &str = "wallet names the folder that ewallet.pem is in: the text form, not cwallet.sso or ewallet.p12";

/// What to do about a wallet that is not there.
pub(super) fn no_wallet(file: &Path) -> String {
    format!("there is no {}; {WALLET}", file.display())
}

fn tls_advice(name: &str) -> String {
    format!(
        "the certificate must be for {name} and of an authority that browsers trust, or that ewallet.pem in ?wallet=FOLDER has \
         (a wallet with a private key adds none)"
    )
}

/// What to look at where somebody answers and is not understood, or is gone again.
pub(super) fn not_understood() -> String {
    format!("the other side closed the connection, or is not understood: is it an Oracle listener? {NATIVE_ENCRYPTION}")
}

/// What to do where nothing answers.
pub(super) fn not_reached(options: &Options) -> String {
    let seconds = options.connect_timeout.as_secs();
    format!(
        "no whole answer came within {seconds} s: is the host up, is it an Oracle listener, does a firewall let the port through? \
         (connect_timeout=S waits longer)"
    )
}

#[cfg(test)]
mod tests;

//! PostgreSQL's errors in dbdyno's words: a class from the SQLSTATE (messages may be in any language), the server's own
//! words, and what to do where that is known.

mod trouble;

use super::check::identifier;
use super::options::{Address, Host, Options};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::password::FoundPassword;
use dbdyno_model::ErrorClass;
use std::io;
pub(super) use trouble::{Cause, Said, Trouble};

/// How passwords can be given.
const PASSWORD_PLACES: &str = "passwords are taken from DBDYNO_PASSWORD, PGPASSWORD, the file of PGPASSFILE or \
                               ~/.pgpass, or asked for on a terminal";

/// Which limit a server may have reached that has not told its own.
const LIMITS: &str = "max_connections, or a CONNECTION LIMIT of the role or the database, is reached";

/// An error of a statement in words. A statement that was cancelled counts as ours;
/// [`super::connection::ErrorContext`] knows better, because it knows whether anybody asked.
pub(super) fn engine_error(doing: &str, trouble: &Trouble) -> EngineError {
    let said = match &trouble.said {
        Some(said) => format!("{}{}", words(said), advice(said)),
        None => trouble.words.clone(),
    };
    EngineError::new(trouble.class, said).while_doing(doing)
}

/// An error of opening a connection in words. `found` says where the password came from that was used.
pub(super) fn connect_error(options: &Options, host: &Host, found: &FoundPassword, trouble: &Trouble) -> EngineError {
    let (mut told, advice) = match &trouble.said {
        Some(said) => (words(said), connect_advice(options, host, found.place(), said)),
        None if trouble.cause == Cause::Silence => (not_reached(options), None),
        None => (trouble.words.clone(), bare_advice(host, trouble)),
    };
    let warning = found.warning().filter(|_| trouble.class == ErrorClass::Authentication);
    for more in advice.iter().map(String::as_str).chain(warning) {
        told = format!("{told}; {more}");
    }
    EngineError::new(trouble.class, told).while_doing(&connecting(options, host))
}

/// What was being done while a connection was opened.
pub(super) fn connecting(options: &Options, host: &Host) -> String {
    format!("connecting to {host} as {}, database {}", options.user, options.database)
}

/// The class of an SQLSTATE.
pub(super) fn class_of(sqlstate: &str) -> ErrorClass {
    match sqlstate {
        // Also while the server starts, stops, or drops the database under us.
        "57P01" | "57P02" | "57P03" | "57P04" => ErrorClass::ConnectionLost,
        "42501" | "25006" => ErrorClass::Permission,
        "40001" | "40P01" => ErrorClass::Conflict,
        "57014" => ErrorClass::Cancelled,
        // A lock, an idle session or a transaction took too long; the server itself is well.
        "55P03" | "57P05" | "25P03" | "25P04" => ErrorClass::Timeout,
        // 53400 is temp_file_limit.
        "53100" | "53400" => ErrorClass::OutOfSpace,
        "3D000" | "3F000" | "42P01" | "42703" | "42704" | "42883" => ErrorClass::UnknownObject,
        "XX001" | "XX002" => ErrorClass::Corruption,
        "0A000" => ErrorClass::Unsupported,
        // Too many connections (53300) is none of these: the point has failed, and works once the limit is raised.
        _ => match sqlstate.get(..2) {
            Some("08") => ErrorClass::ConnectionLost,
            Some("28") => ErrorClass::Authentication,
            _ => ErrorClass::Other,
        },
    }
}

/// The server's message, detail and hint, and where in a procedure it happened.
fn words(said: &Said) -> String {
    let mut words = said.message.clone();
    if let Some(detail) = &said.detail {
        words.push_str(&format!(" ({detail})"));
    }
    if let Some(hint) = &said.hint {
        words.push_str(&format!("; the server's hint: {hint}"));
    }
    if let Some(place) = said.place.as_ref().and_then(|place| place.lines().next_back()) {
        words.push_str(&format!("; in {place}"));
    }
    format!("{words} [SQLSTATE {}]", said.sqlstate)
}

/// What to do about an error of a statement.
fn advice(said: &Said) -> &'static str {
    match said.sqlstate.as_str() {
        "57P01" | "57P02" => "; the server was stopped, or ended this session",
        "55P03" => "; another session holds the lock",
        "53100" => "; free space where the server writes and try again: what was committed is kept",
        "53400" => "; raise temp_file_limit for this user, or use a smaller size",
        "25006" => "; the target is a standby, or default_transaction_read_only is on: measure on the primary",
        "42501" => "; `dbdyno check` says which privilege is missing, `dbdyno sql postgres` prints a set-up script",
        "XX001" | "XX002" => "; the data is damaged: drop it and load again",
        _ => "",
    }
}

/// What to do about a server that turns us away.
fn connect_advice(options: &Options, host: &Host, tried: Option<&str>, said: &Said) -> Option<String> {
    Some(match said.sqlstate.as_str() {
        "28P01" => match tried {
            Some(place) => format!("the password came from {place}; {PASSWORD_PLACES}, in this order"),
            None => PASSWORD_PLACES.to_owned(),
        },
        "28000" if said.message.contains("pg_hba.conf") => {
            let line = missing_line(options, host, &said.message);
            format!("pg_hba.conf on the server needs a line such as `{line}`, then SELECT pg_reload_conf()")
        }
        "28000" => format!(
            "does the role exist there? `dbdyno sql postgres` prints a set-up script; a `peer` line in pg_hba.conf wants \
             the operating system's user to be {}",
            options.user
        ),
        "3D000" => format!("create it: createdb --host={} --port={} {}", host_word(host), host.port, options.database),
        "42501" => format!(
            "an administrator runs: GRANT CONNECT ON DATABASE {} TO {}",
            identifier(&options.database),
            identifier(&options.user)
        ),
        "57P03" => "the server is starting or stopping; wait and try again".to_owned(),
        "53300" => format!("{}: use fewer jobs, or raise what is too low", options.limits.in_words(LIMITS)),
        _ => return None,
    })
}

/// The line that is missing in pg_hba.conf. The server's message has our address as the server sees it.
fn missing_line(options: &Options, host: &Host, message: &str) -> String {
    let quoted = |name: &str| {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if plain { name.to_owned() } else { format!("\"{name}\"") }
    };
    let (user, database) = (quoted(&options.user), quoted(&options.database));
    if host.is_socket() {
        return format!("local {database} {user} scram-sha-256");
    }
    let ours = message.split('"').find_map(|part| part.parse::<std::net::IpAddr>().ok());
    let ours = match ours {
        Some(ip) => format!("{ip}/{}", if ip.is_ipv4() { 32 } else { 128 }),
        None => "THIS-MACHINE/32".to_owned(),
    };
    format!("host {database} {user} {ours} scram-sha-256")
}

/// A host as `--host=` wants it.
fn host_word(host: &Host) -> String {
    match &host.address {
        Address::Tcp(name) => name.clone(),
        Address::Socket(path) => path.parent().unwrap_or(path).display().to_string(),
    }
}

/// What to do about an error that no server sent.
fn bare_advice(host: &Host, trouble: &Trouble) -> Option<String> {
    let socket = host.is_socket();
    let kind = match trouble.cause {
        Cause::NoPassword => return Some(PASSWORD_PLACES.to_owned()),
        Cause::ClearText => return Some(clear_text(host)),
        Cause::Tls => return tls_advice(host, &trouble.words),
        Cause::NoSuchName => return Some("is the host's name spelt right?".to_owned()),
        Cause::NoServer => return Some(closed()),
        Cause::Io(kind) => kind,
        Cause::Silence | Cause::Other => return None,
    };
    Some(match kind {
        io::ErrorKind::ConnectionRefused if socket => {
            "a socket is there, but no server behind it: start the server".to_owned()
        }
        io::ErrorKind::ConnectionRefused => {
            let port = host.port;
            format!("is the server running, is {port} its port, and does listen_addresses cover this address?")
        }
        io::ErrorKind::NotFound if socket => {
            "is the server running, and are this folder and port its unix_socket_directories and port?".to_owned()
        }
        io::ErrorKind::PermissionDenied if socket => "this user may not use that socket".to_owned(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => closed(),
        _ => return None,
    })
}

/// What to look at where somebody answers and is not understood, or is gone again.
fn closed() -> String {
    "the server closed the connection at once: is it a PostgreSQL server, and what does its log say?".to_owned()
}

/// What to do where nothing answers.
fn not_reached(options: &Options) -> String {
    let seconds = options.connect_timeout.as_secs();
    format!(
        "nothing answered within {seconds} s: is the host up, does a firewall let the port through? (connect_timeout=S waits longer)"
    )
}

/// What to do where somebody elsewhere wants the password as it is.
fn clear_text(host: &Host) -> String {
    format!(
        "anybody between here and {} could read it, or be the one who asks: use TLS (sslmode=verify-full), let pg_hba.conf \
         say scram-sha-256, or write sslmode=disable to send it all the same",
        host_word(host)
    )
}

fn tls_advice(host: &Host, cause: &str) -> Option<String> {
    let name = host_word(host);
    Some(if cause.contains("does not support TLS") {
        "turn on ssl in postgresql.conf, or use sslmode=prefer or disable".to_owned()
    } else if cause.contains("not valid for name") {
        format!(
            "the certificate is not for {name}; use a name that is among its subject alternative names, or sslmode=verify-ca"
        )
    } else if cause.contains("UnknownIssuer") || cause.contains("CaUsedAsEndEntity") {
        "nobody trusted has signed the server's certificate; name its authority as sslrootcert=FILE".to_owned()
    } else if cause.ends_with("end of file") {
        closed()
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
    use std::path::PathBuf;

    #[test]
    fn sqlstates_have_classes() {
        for (codes, class) in [
            ("08000 08006 08P01 57P01 57P02 57P03 57P04", ErrorClass::ConnectionLost),
            ("28000 28P01", ErrorClass::Authentication),
            ("42501 25006", ErrorClass::Permission),
            ("40001 40P01", ErrorClass::Conflict),
            ("57014", ErrorClass::Cancelled),
            ("55P03 25P03 25P04 57P05", ErrorClass::Timeout),
            ("53100 53400", ErrorClass::OutOfSpace),
            ("3D000 3F000 42P01 42703 42704 42883", ErrorClass::UnknownObject),
            ("XX001 XX002", ErrorClass::Corruption),
            ("0A000", ErrorClass::Unsupported),
            ("53300 53200 22012 23505 42601 XX000 P0001 x", ErrorClass::Other),
        ] {
            for code in codes.split(' ') {
                assert_eq!(class_of(code), class, "{code}");
            }
        }
    }

    #[test]
    fn the_missing_line_is_one_that_can_be_pasted() {
        let target = Target::parse("postgres://Scott@h/db").unwrap();
        let options = Options::parse(&target).unwrap();
        let message = "no pg_hba.conf entry for host \"10.0.0.7\", user \"Scott\", database \"db\", no encryption";
        assert_eq!(missing_line(&options, &options.hosts[0], message), "host db Scott 10.0.0.7/32 scram-sha-256");
        let translated = "kein pg_hba.conf-Eintrag für Host »fe80::1«";
        assert_eq!(
            missing_line(&options, &options.hosts[0], translated),
            "host db Scott THIS-MACHINE/32 scram-sha-256"
        );
        let socket = Host { address: Address::Socket(PathBuf::from("/run")), port: 1 };
        assert_eq!(missing_line(&options, &socket, message), "local db Scott scram-sha-256");
    }
}

//! PostgreSQL's errors in dbdyno's words: a class from the SQLSTATE, the server's own words, and what to do where that
//! is known (dialect/errors.toml). Here is what is no look-up.

mod trouble;

use super::DIALECT;
use super::options::{Address, Host, Options};
use dbdyno_engine::EngineError;
use dbdyno_engine::server::Refusal;
use dbdyno_engine::server::password::FoundPassword;
pub(super) use trouble::{Cause, Said, Trouble};

/// An error of a statement in words. A statement that was cancelled counts as ours;
/// [`super::connection::ErrorContext`] knows better, because it knows whether anybody asked.
pub(super) fn engine_error(doing: &str, trouble: &Trouble) -> EngineError {
    let said = match &trouble.said {
        Some(said) => DIALECT.errors.advised(said.sqlstate.as_str(), trouble.class, &said.message, words(said)),
        None => trouble.words.clone(),
    };
    let error = EngineError::new(trouble.class, said).while_doing(doing);
    if trouble.said.is_some() { error.answered() } else { error }
}

/// An error of opening a connection in words. `found` says where the password came from that was used.
pub(super) fn connect_error(options: &Options, host: &Host, found: &FoundPassword, trouble: &Trouble) -> EngineError {
    let (code, said) = match &trouble.said {
        Some(said) => (said.sqlstate.as_str(), words(said)),
        None if trouble.cause == Cause::Silence => {
            ("", DIALECT.errors.advice("silent", &|name| value_of(options, &options.hosts[0], name)))
        }
        None => (trouble.cause.code(&trouble.words), trouble.words.clone()),
    };
    let refusal = Refusal {
        code: code.into(),
        class: trouble.class,
        said: &said,
        socket: host.is_socket(),
        warning: found.warning(),
    };
    let value = |name: &str| match name {
        "password_from" if found.place().is_some() => Some(DIALECT.errors.password_from(found.place())),
        "hba_line" => Some(missing_line(options, host, &said)),
        name => value_of(options, host, name),
    };
    let mut error = DIALECT.errors.refused(&refusal, &value).while_doing(&options.connecting(host));
    if let Some(first) = &trouble.with_tls {
        let words = first.said.as_deref().map_or_else(|| first.words.clone(), words);
        error.message.push_str(&format!("; before, with TLS: {words}"));
    }
    error
}

/// What a placeholder of errors.toml stands for.
fn value_of(options: &Options, host: &Host, name: &str) -> Option<String> {
    Some(match name {
        "passwords" | "password_from" => DIALECT.errors.passwords.clone(),
        "user" => options.user.clone(),
        "user_in_sql" => identifier(&options.user),
        "database" => options.database.clone(),
        "database_in_sql" => identifier(&options.database),
        "host" => host_word(host),
        "port" => host.port.to_string(),
        "limits" => options.limits.in_words(&DIALECT.errors.limits),
        "seconds" => options.connect_timeout.as_secs().to_string(),
        _ => return None,
    })
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

/// A name as SQL wants it.
pub(super) fn identifier(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::Target;
    use dbdyno_model::ErrorClass;
    use std::path::PathBuf;

    #[test]
    fn the_files_of_the_dialect_can_be_read() {
        assert!(DIALECT.faults().is_empty(), "{:?}", DIALECT.faults());
    }

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
                assert_eq!(DIALECT.errors.class(code, ""), class, "{code}");
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

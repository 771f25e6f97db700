//! Nodes that a descriptor names, as typed or as `tnsnames.ora` has it under an alias. The driver reads the text; what
//! it reads is written out again, and in that text are no retries: the driver would sleep between them and beyond the
//! deadline, and who measures a platform wants to know that it was not there. It has no size of packets (SDU) either:
//! the driver's own is the one that it reads well.

use super::place::Place;
use super::tnsnames;
use dbdyno_engine::server::caught;
use oracledb::Config;

/// What dbdyno puts in the place of the retries that a descriptor asks for. The driver sleeps a second after the last
/// attempt, too, where it is not told otherwise.
const NO_DELAY: &str = "(RETRY_DELAY=0)";

/// The node of a descriptor as typed.
///
/// # Errors
/// The driver does not understand it.
pub(super) fn of_text(text: &str) -> Result<Place, String> {
    if !text.trim_start().starts_with('(') {
        return Err(format!("descriptor is (DESCRIPTION=...), not '{text}'; an alias is named by ?tns=ALIAS"));
    }
    of(text, None).map_err(|why| format!("the descriptor is not understood: {why}"))
}

/// The node of an alias in `tnsnames.ora`, in the folder that is named, or else in that of `TNS_ADMIN`, or else in
/// `network/admin` of `ORACLE_HOME`.
///
/// # Errors
/// There is no such file, or nothing of that name in it.
pub(super) fn of_alias(alias: &str, folder: Option<&str>) -> Result<Place, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-$#".contains(c);
    if alias.is_empty() || !alias.chars().all(plain) {
        return Err(format!("'{alias}' is no alias; an alias has letters, digits, '_', '.', '-', '$' and '#'"));
    }
    let text = tnsnames::find(alias, folder)?;
    of(&text, Some(alias)).map_err(|why| format!("what tnsnames.ora has under {alias} is not understood: {why}"))
}

fn of(text: &str, alias: Option<&str>) -> Result<Place, String> {
    if !text.is_ascii() {
        return Err("it has letters beyond ASCII".to_owned());
    }
    let config = || Ok(Config::default().set_connect_string(text)?.get_connect_descriptor());
    // The driver's parser may stop short at what it does not expect.
    let written: Result<String, oracledb::Error> = caught(config).ok_or("it is not written as descriptors are")?;
    let written = written.map_err(|error| error.to_string())?;
    if written.contains("(HTTPS_PROXY") {
        return Err("it goes through a proxy (HTTPS_PROXY), which dbdyno's driver cannot".to_owned());
    }
    let written = pruned(&written);
    let port = value(&written, "PORT").and_then(|port| port.parse().ok()).unwrap_or(0);
    let name = value(&written, "HOST").unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let named = |key| value(&written, key).map(str::to_owned);
    let service = named("SERVICE_NAME");
    let end = service.clone().or_else(|| named("SID").map(|sid| format!("SID {sid}"))).unwrap_or_default();
    let shown = alias.map_or_else(|| format!("{name}:{port}/{end}"), |alias| format!("{alias} ({name}:{port}/{end})"));
    let encrypted = written.to_ascii_lowercase().contains("(protocol=tcps)");
    Ok(Place { descriptor: written, shown, host: (name, port), service, encrypted })
}

/// The first value of a key in a descriptor that the driver has written.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(&format!("({key}="))?;
    after.split(')').next()
}

/// A descriptor that the driver has written, which tries each address once, in packets of the driver's own size.
fn pruned(text: &str) -> String {
    let mut kept = text.to_owned();
    for key in ["(RETRY_COUNT=", "(RETRY_DELAY=", "(SDU="] {
        while let Some((before, after)) = kept.split_once(key) {
            kept = format!("{before}{}", after.split_once(')').map_or("", |(_, after)| after));
        }
    }
    kept.replace("(DESCRIPTION=", &format!("(DESCRIPTION={NO_DELAY}"))
}

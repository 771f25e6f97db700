//! What a target says: `oracle://user@host1:1521,host2/service?without=partitioning`, or `oracle://user@?tns=ALIAS`, or
//! `oracle://user@?descriptor=(DESCRIPTION=...)`. Nothing comes from the environment but the password and, where an
//! alias is named, the folder of `tnsnames.ora`: a load is not put on a server that the command line does not name.

mod descriptor;
mod part;
mod place;
mod tnsnames;

use dbdyno_engine::secret::Secret;
use dbdyno_engine::server::url::{CONNECT_TIMEOUT, connect_timeout};
use dbdyno_engine::server::{ConnectionLimits, Vigil};
use dbdyno_engine::{Target, TargetError};
pub(super) use part::Part;
pub(super) use place::Place;
use place::{FORM, SID_FORM, decoded};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What an option is for, by its name.
const KNOWN: [(&str, &str); 9] = [
    ("protocol", "tcp|tcps"),
    ("wallet", "FOLDER of ewallet.pem"),
    ("connect_timeout", "SECONDS"),
    ("without", "partitioning,advanced_compression,hcc,flash_cache,iot,hash"),
    ("diagnostics_pack", "yes|no"),
    ("tns", "ALIAS[,ALIAS]"),
    ("tns_admin", "FOLDER of tnsnames.ora"),
    ("descriptor", "(DESCRIPTION=...)"),
    ("password", "TEXT"),
];
/// The user whom the set-up script creates, and so the one that is meant where a target names none.
const USER: &str = "dbdyno";
/// Accounts of the server's own, in whose schemas nothing of dbdyno's has a place.
const SERVERS_OWN: [&str; 8] = ["SYS", "SYSTEM", "SYSBACKUP", "SYSDG", "SYSKM", "SYSRAC", "DBSNMP", "OUTLN"];
/// The longest name that the server gives a user.
const NAME_BYTES: usize = 128;

/// A target, understood.
#[derive(Debug, Clone)]
pub(super) struct Options {
    /// The nodes of the cluster, at least one.
    pub(super) places: Vec<Place>,
    /// Who connects, as typed.
    pub(super) user: String,
    /// The password that the target came with; password.rs knows where else to look.
    pub(super) password: Option<Secret>,
    /// The folder of a wallet (ewallet.pem).
    pub(super) wallet: Option<PathBuf>,
    /// How long opening a connection may take, login included.
    pub(super) connect_timeout: Duration,
    /// What is left out.
    pub(super) without: BTreeSet<Part>,
    /// Whether the target claims the Diagnostics Pack (AWR, ASH).
    pub(super) diagnostics_pack: bool,
    /// The connections that are open to it.
    pub(super) limits: Arc<ConnectionLimits>,
    /// What these wait for.
    pub(super) vigil: Arc<Vigil>,
}

impl Options {
    /// Understands a target.
    ///
    /// # Errors
    /// It is not written as it should be, or an option or its value is unknown.
    pub(super) fn parse(target: &Target) -> Result<Self, TargetError> {
        Self::read(target).map_err(|problem| target.invalid(problem))
    }

    fn read(target: &Target) -> Result<Self, String> {
        let rest = target.rest.strip_prefix("//").ok_or_else(|| format!("write {FORM}"))?;
        let (authority, services) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
        let user = Some(decoded("the user", user)?).filter(|user| !user.is_empty()).unwrap_or_else(|| USER.to_owned());
        refuse_user(&user)?;
        let given = Given::read(&target.options)?;
        let places = given.places(hosts, services)?;
        if given.wallet.is_some() && !places.iter().any(Place::is_encrypted) {
            return Err(
                "a wallet is for TLS; write protocol=tcps as well (or PROTOCOL=TCPS in the descriptor)".to_owned()
            );
        }
        Ok(Self {
            places,
            user,
            password: target.password().cloned(),
            wallet: given.wallet,
            connect_timeout: given.connect_timeout.unwrap_or(CONNECT_TIMEOUT),
            without: given.without,
            diagnostics_pack: given.diagnostics_pack,
            limits: Arc::default(),
            vigil: Arc::default(),
        })
    }

    /// The place of a node; nodes beyond the last begin again with the first.
    pub(super) fn place(&self, node: usize) -> &Place {
        &self.places[node % self.places.len()]
    }

    /// Whether a part is left out.
    pub(super) fn leaves_out(&self, part: Part) -> bool {
        self.without.contains(&part)
    }

    /// The schema that is dbdyno's: the user's, as the dictionary writes it.
    pub(super) fn schema(&self) -> String {
        match quoted(&self.user) {
            Some(exact) => exact.to_owned(),
            None => self.user.to_ascii_uppercase(),
        }
    }
}

/// What stands between the quotes of a quoted name.
fn quoted(name: &str) -> Option<&str> {
    name.strip_prefix('"')?.strip_suffix('"').filter(|exact| !exact.is_empty())
}

/// What cannot be a user of dbdyno's own.
fn refuse_user(user: &str) -> Result<(), String> {
    let plain = |c: char| c.is_alphanumeric() || "_$#".contains(c);
    let fits = match quoted(user) {
        Some(exact) => !exact.contains(|c: char| c.is_control() || c == '"'),
        None => user.chars().all(plain) && user.starts_with(char::is_alphabetic),
    };
    if !fits || user.len() > NAME_BYTES {
        return Err(format!(
            "the user '{user}' cannot be: a name is a letter and then letters, digits, _, $ and #, at most {NAME_BYTES} \
             bytes (other names stand in double quotes, %22)"
        ));
    }
    let exact = quoted(user).map_or_else(|| user.to_ascii_uppercase(), str::to_owned);
    if SERVERS_OWN.contains(&exact.as_str()) {
        return Err(format!(
            "{exact} is an account of the server's own; log in as a user that is to be dbdyno's alone, such as {USER}: \
             `dbdyno sql oracle` prints the script that an administrator creates it with"
        ));
    }
    Ok(())
}

/// What the options after `?` say.
#[derive(Default)]
struct Given {
    encrypted: bool,
    wallet: Option<PathBuf>,
    connect_timeout: Option<Duration>,
    without: BTreeSet<Part>,
    diagnostics_pack: bool,
    aliases: Vec<String>,
    tns_admin: Option<String>,
    descriptors: Vec<String>,
    protocol_named: bool,
}

impl Given {
    fn read(options: &[(String, String)]) -> Result<Self, String> {
        let mut given = Self::default();
        for (name, value) in options {
            let value = decoded(&format!("the value of {name},"), value)?;
            match name.as_str() {
                "protocol" => {
                    given.protocol_named = true;
                    given.encrypted = match value.to_ascii_lowercase().as_str() {
                        "tcp" => false,
                        "tcps" => true,
                        _ => return Err("protocol is tcp or tcps".to_owned()),
                    };
                }
                "wallet" => given.wallet = Some(PathBuf::from(value)),
                "connect_timeout" => given.connect_timeout = Some(connect_timeout(&value)?),
                "without" => given.without.extend(Part::list(&value)?),
                "diagnostics_pack" => {
                    given.diagnostics_pack = match value.to_ascii_lowercase().as_str() {
                        "yes" => true,
                        "no" => false,
                        _ => {
                            return Err(
                                "diagnostics_pack is yes (you have a licence of the Diagnostics Pack) or no".to_owned()
                            );
                        }
                    };
                }
                "tns" => given.aliases.extend(value.split(',').map(str::to_owned)),
                "tns_admin" => given.tns_admin = Some(value),
                "descriptor" => given.descriptors.push(value),
                "sid" => return Err(SID_FORM.to_owned()),
                _ => return Err(unknown(name)),
            }
        }
        Ok(given)
    }

    /// The nodes, in whichever of the three ways they are named.
    fn places(&self, hosts: &str, services: &str) -> Result<Vec<Place>, String> {
        let short = !hosts.is_empty() || !services.is_empty();
        let ways = [short, !self.aliases.is_empty(), !self.descriptors.is_empty()];
        match ways {
            [true, false, false] => place::of_hosts(hosts, services, self.encrypted),
            [false, true, false] | [false, false, true] if self.protocol_named => {
                Err("an alias or a descriptor says itself which protocol it wants; leave protocol away".to_owned())
            }
            [false, true, false] => {
                let folder = self.tns_admin.as_deref();
                self.aliases.iter().map(|alias| descriptor::of_alias(alias, folder)).collect()
            }
            [false, false, true] => self.descriptors.iter().map(|text| descriptor::of_text(text)).collect(),
            [false, false, false] => Err(format!("it names no server; write {FORM}, ?tns=ALIAS or ?descriptor=(...)")),
            _ => Err("it names its server twice: by host and service, by tns or by descriptor; keep one".to_owned()),
        }
    }
}

/// An option that there is not, with the nearest that there is.
fn unknown(name: &str) -> String {
    let distance = |known: &str| strsim::damerau_levenshtein(known, &name.to_ascii_lowercase());
    let near = KNOWN.iter().map(|(known, _)| *known).filter(|known| distance(known) <= 3).min_by_key(|k| distance(k));
    let hint = near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
    let known: Vec<String> = KNOWN.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("there is no option '{name}'{hint}; there are {}", known.join(", "))
}

#[cfg(test)]
mod tests;

//! Where one node listens, and what the driver is told about it. The driver understands the short form
//! (`host:port/service`), too, but overlooks what stands behind its `?` and waits a second after each address that
//! turns it down; so it is always given a descriptor.

use dbdyno_engine::percent_decode;
use dbdyno_engine::server::url::{self, BRACKET, two_colons};
use std::fmt;

/// How a target is written.
pub(super) const FORM: &str = "oracle://user@host:port/service";
/// How a SID is named: the thin protocol's short form knows services only, and a SID would be taken for one.
pub(super) const SID_FORM: &str = "a SID can only be named by a descriptor: \
     ?descriptor=(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=h)(PORT=1521))(CONNECT_DATA=(SID=ORCL))); name a service if \
     there is one";
/// Where a listener listens if nothing else is said.
const DEFAULT_PORT: u16 = 1521;
/// How a server process is asked for. A shared one, which a listener may give to whoever does not ask, would make jobs
/// wait for each other.
const DEDICATED: &str = "dedicated";

/// One node of the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// What the driver is given.
    pub(super) descriptor: String,
    /// What people are shown.
    pub(super) shown: String,
    /// The first host and its port.
    pub(super) host: (String, u16),
    /// The service, where one is named.
    pub(super) service: Option<String>,
    /// Whether TLS is wanted.
    pub(super) encrypted: bool,
}

impl Place {
    /// What the driver is given.
    pub(crate) fn descriptor(&self) -> &str {
        &self.descriptor
    }

    /// The host, and the port of its listener; where several addresses are named, the first.
    pub(crate) fn host(&self) -> (&str, u16) {
        (&self.host.0, self.host.1)
    }

    /// The service that is asked for; a descriptor may name a SID instead.
    pub(crate) fn service(&self) -> Option<&str> {
        self.service.as_deref()
    }

    /// Whether the connection is encrypted by TLS.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    /// Whether the listener is on this machine for certain.
    pub(crate) fn is_local(&self) -> bool {
        url::is_this_machine(&self.host.0.to_ascii_lowercase())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// The nodes of `host1:port,host2` and `service1,service2`: one for each host or each service, whichever are more.
/// Several of both belong to each other, in order.
///
/// # Errors
/// A host, a port or a service is none, or their numbers do not fit.
pub(super) fn of_hosts(hosts: &str, services: &str, encrypted: bool) -> Result<Vec<Place>, String> {
    let hosts = hosts.split(',').map(host).collect::<Result<Vec<_>, _>>()?;
    if services.is_empty() {
        return Err(format!("it names no service; write {FORM}. {SID_FORM}"));
    }
    let services = services.split(',').map(Service::read).collect::<Result<Vec<_>, _>>()?;
    if hosts.len() > 1 && services.len() > 1 && hosts.len() != services.len() {
        return Err(format!(
            "it names {} hosts and {} services; name one service for all hosts, one for each, or one host",
            hosts.len(),
            services.len()
        ));
    }
    let nodes = 0..hosts.len().max(services.len());
    Ok(nodes.map(|n| services[n % services.len()].at(&hosts[n % hosts.len()], encrypted)).collect())
}

/// `name`, `name:port` or `[::1]:port`.
fn host(text: &str) -> Result<(String, u16), String> {
    let (name, port) = match text.strip_prefix('[').map(|inner| inner.split_once(']')) {
        Some(None) => return Err(format!("'{text}' has no closing bracket")),
        Some(Some((name, after))) if after.is_empty() || after.starts_with(':') => (name, after.get(1..)),
        Some(Some(_)) => return Err(BRACKET.to_owned()),
        None => text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port))),
    };
    let name = decoded("the host", name)?;
    let port = match port.filter(|port| !port.is_empty()) {
        None => DEFAULT_PORT,
        Some(port) if port.contains(':') && !text.starts_with('[') => {
            // host:port:SID is how other drivers name one.
            let number = port.split(':').next().is_some_and(|first| first.parse::<u16>().is_ok());
            let sid = number && port.split(':').nth(1).is_some_and(|sid| sid.starts_with(|c: char| c.is_alphabetic()));
            return Err(if sid { SID_FORM.to_owned() } else { two_colons(text) });
        }
        Some(number) => url::port(number)?,
    };
    // It becomes a part of a descriptor, and the driver cannot do with letters beyond ASCII.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return Err(format!("'{name}' is no host; a host has a name or a number"));
    }
    Ok((name, port))
}

/// `service`, `service:dedicated`, `service/instance` or `service:dedicated/instance`.
struct Service {
    name: String,
    server: String,
    instance: Option<String>,
}

impl Service {
    fn read(text: &str) -> Result<Self, String> {
        let (first, instance) = text.split_once('/').map_or((text, None), |(first, after)| (first, Some(after)));
        let (name, server) = first.split_once(':').unwrap_or((first, DEDICATED));
        if ![DEDICATED, "shared", "pooled"].contains(&server.to_ascii_lowercase().as_str()) {
            return Err(format!("'{server}' is no kind of server process; there are dedicated, shared and pooled"));
        }
        let instance = instance.map(|instance| plain_name("instance", instance)).transpose()?;
        Ok(Self { name: plain_name("service", name)?, server: server.to_ascii_lowercase(), instance })
    }

    fn at(&self, (name, port): &(String, u16), encrypted: bool) -> Place {
        let protocol = if encrypted { "TCPS" } else { "TCP" };
        let instance = self.instance.as_ref().map(|name| format!("(INSTANCE_NAME={name})")).unwrap_or_default();
        let (service, server) = (&self.name, &self.server);
        let shown =
            if name.contains(':') { format!("[{name}]:{port}/{service}") } else { format!("{name}:{port}/{service}") };
        Place {
            descriptor: format!(
                "(DESCRIPTION=(RETRY_DELAY=0)(ADDRESS=(PROTOCOL={protocol})(HOST={name})(PORT={port}))\
                 (CONNECT_DATA=(SERVICE_NAME={service})(SERVER={server}){instance}))"
            ),
            shown: self.instance.as_ref().map_or(shown.clone(), |instance| format!("{shown}/{instance}")),
            host: (name.clone(), *port),
            service: Some(service.clone()),
            encrypted,
        }
    }
}

/// What a target has percent-encoded.
pub(super) fn decoded(what: &str, text: &str) -> Result<String, String> {
    percent_decode(text).ok_or_else(|| format!("{what} '{text}' is not percent-encoded"))
}

/// A name of the listener's, which becomes a part of a descriptor.
fn plain_name(what: &str, text: &str) -> Result<String, String> {
    let name = decoded(&format!("the {what}"), text)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.$#-".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return Err(format!("'{name}' is no {what}; a name has letters, digits, '_', '.', '$', '#' and '-'"));
    }
    Ok(name)
}

//! By which names this server may be called. A page of a stranger's can make its own name lead to this address (DNS
//! rebinding) and then asks as if it were ours; its name in the `Host` header gives it away. An IP address in that
//! header is safe: there is no name that could lead elsewhere.

use std::net::{IpAddr, Ipv6Addr};

/// Names that are ours.
pub(super) struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// Names in lower case, as of the certificate; `*.` stands for one label.
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Whether a `Host` header is ours. The port is not looked at: it is another one where a port is forwarded.
    pub(super) fn are(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else { return false };
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix('.').unwrap_or(&name);
        name == "localhost" || name.parse::<IpAddr>().is_ok() || self.names.iter().any(|own| matches(own, name))
    }
}

fn matches(own: &str, name: &str) -> bool {
    match own.strip_prefix("*.") {
        Some(rest) => name.split_once('.').is_some_and(|(first, after)| !first.is_empty() && after == rest),
        None => own == name,
    }
}

/// The name without the port; of an IPv6 address without its brackets.
fn name_of(host: &str) -> Option<&str> {
    if let Some(rest) = host.strip_prefix('[') {
        let (inner, after) = rest.split_once(']')?;
        let port = after.is_empty() || after.strip_prefix(':').is_some_and(is_port);
        return (port && inner.parse::<Ipv6Addr>().is_ok()).then_some(inner);
    }
    match host.split_once(':') {
        None => Some(host),
        Some((name, port)) => is_port(port).then_some(name),
    }
}

fn is_port(port: &str) -> bool {
    port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether an `Origin` header is the page of this host.
pub(super) fn is_own_origin(origin: &str, host: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_and_own_names_are_ours() {
        let hosts = Hosts::new(["Db1.example".to_owned(), "*.lab.example".to_owned()]);
        for ours in [
            "localhost",
            "LOCALHOST:80",
            "localhost.:80",
            "127.0.0.1:9",
            "[::1]:9",
            "10.0.0.7",
            "db1.example:443",
            "a.lab.example",
        ] {
            assert!(hosts.are(ours), "{ours}");
        }
        for foreign in [
            "",
            "evil.example",
            "evil.example:80",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:x",
            "127.0.0.1:",
            "[::1",
            "[::1]x",
            "[x]:1",
            "a.b.lab.example",
            ".lab.example",
            "lab.example",
            "localhost:80:80",
        ] {
            assert!(!hosts.are(foreign), "{foreign}");
        }
    }

    #[test]
    fn an_origin_is_the_same_host_and_port() {
        assert!(is_own_origin("http://127.0.0.1:80", "127.0.0.1:80"));
        assert!(is_own_origin("https://Localhost", "localhost"));
        for foreign in ["null", "http://127.0.0.1:81", "http://evil.example", "file://", "http://127.0.0.1:80/", ""] {
            assert!(!is_own_origin(foreign, "127.0.0.1:80"), "{foreign}");
        }
    }
}

//! Opening the connection: within a time, with TLS or rather without, and with settings in the startup message where
//! whoever answers takes them.

use super::super::errors::Trouble;
use super::super::options::{Address, Binding, Host, Options};
use super::super::password::Found;
use super::basics;
use super::connector::{Connector, Encryption};
use dbdyno_engine::server::within;
use postgres::config::{ChannelBinding, SslMode, SslNegotiation};
use postgres::{Client, Config};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_postgres_rustls::MakeRustlsConnect;

/// A host that has gone is noticed by the kernel: when what was sent stays unanswered for so long ...
pub(in super::super) const UNANSWERED: Duration = Duration::from_secs(45);
/// ... or, while an answer is waited for, by probes from here on.
pub(in super::super) const KEEPALIVE_IDLE: Duration = Duration::from_secs(20);
pub(in super::super) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
pub(in super::super) const KEEPALIVE_PROBES: u32 = 5;

/// How a connection is asked for.
#[derive(Clone, Copy)]
struct Manner {
    encryption: Encryption,
    /// With settings in the startup message.
    settings: bool,
}

/// Why there is no connection.
pub(super) enum Refused {
    Error(postgres::Error),
    /// Nothing came back in time.
    Silent,
}

/// Opens a connection. Answers what has made it, too, which makes those of requests to cancel.
pub(super) fn connect(
    options: &Options,
    host: &Host,
    application: &str,
    found: &Found,
    tls: &MakeRustlsConnect,
) -> Result<(Client, Connector), Refused> {
    let refuses_settings = &options.seats.refuses_settings;
    // As in libpq: there is no TLS on sockets, and none is asked for.
    let encryption = if host.is_socket() { Encryption::No } else { options.ssl_mode.into() };
    let mut manner = Manner { encryption, settings: !refuses_settings.load(Ordering::Relaxed) };
    loop {
        match attempt(options, host, application, found, manner, tls) {
            // `prefer` means: rather without TLS than not at all.
            Err(Refused::Error(error))
                if manner.encryption == Encryption::Preferred && Trouble::from(&error).blames_tls() =>
            {
                manner.encryption = Encryption::No;
            }
            // A pooler; they are set afterwards.
            Err(Refused::Error(error)) if manner.settings && Trouble::from(&error).blames_settings() => {
                refuses_settings.store(true, Ordering::Relaxed);
                manner.settings = false;
            }
            connected => return connected,
        }
    }
}

/// One attempt. The crate's own limit covers the TCP connection only, and a server that is stopped, or is none,
/// accepts that and then says nothing; so another thread does it. The kernel ends it.
fn attempt(
    options: &Options,
    host: &Host,
    application: &str,
    found: &Found,
    manner: Manner,
    tls: &MakeRustlsConnect,
) -> Result<(Client, Connector), Refused> {
    let config = config(options, host, application, found, manner);
    let connector = Connector::new(options, host, manner.encryption, tls);
    let opened = within(options.connect_timeout, {
        let connector = connector.clone();
        move || config.connect(connector)
    });
    match opened {
        Ok(connected) => connected.map(|client| (client, connector)).map_err(Refused::Error),
        Err(_) => Err(Refused::Silent),
    }
}

fn config(options: &Options, host: &Host, application: &str, found: &Found, manner: Manner) -> Config {
    let mut config = Config::new();
    match &host.address {
        // The connector sees to TLS.
        Address::Tcp(name) => config.host(name).ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct),
        Address::Socket(folder) => config.host_path(folder).ssl_mode(SslMode::Disable),
    };
    config.port(host.port).user(&options.user).dbname(&options.database).application_name(application);
    if let Some(password) = found.password() {
        config.password(password.reveal());
    }
    if manner.settings {
        config.options(&basics::startup());
    }
    config.connect_timeout(options.connect_timeout).tcp_user_timeout(UNANSWERED);
    config.channel_binding(match options.binding {
        Binding::Disable => ChannelBinding::Disable,
        Binding::Prefer => ChannelBinding::Prefer,
        Binding::Require => ChannelBinding::Require,
    });
    config.keepalives(true).keepalives_idle(KEEPALIVE_IDLE).keepalives_interval(KEEPALIVE_INTERVAL);
    config.keepalives_retries(KEEPALIVE_PROBES);
    // "does not exist, skipping" and the like: whoever wants to know asks the catalogue.
    config.notice_callback(|_| {});
    config
}

//! How the hosts of a fleet are reached, and who they are.

use super::started::{KEY_VARIABLE, running};
use crate::cli::NatsArgs;
use crate::error::Error;
use dbdyno_fleet::{AgentInfo, FleetKey, NatsAccess};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// How the hosts of a fleet are reached: as it is said, or else the fleet that `fleet up` has started here.
pub(super) struct Reach {
    pub(super) access: NatsAccess,
    pub(super) key: FleetKey,
}

impl Reach {
    pub(super) fn of(args: &NatsArgs) -> Result<Self, Error> {
        let local = running();
        let said = (!args.nats.is_empty()).then(|| args.nats.clone());
        let here = local.as_ref().filter(|_| said.is_none());
        let urls =
            said.or_else(|| here.map(|local| vec![local.url()])).unwrap_or_else(|| vec![NatsArgs::DEFAULT.to_owned()]);
        let key = match (&args.fleet_key, std::env::var(KEY_VARIABLE)) {
            (Some(file), _) => key_of(file)?,
            (None, Ok(text)) => text,
            (None, Err(_)) => match here {
                Some(local) => local.key.clone(),
                None => {
                    return Err(Error::Usage(format!(
                        "a fleet needs a key that all its hosts share: make one with `dbdyno fleet key`, and name its file with \
                         --fleet-key, or put it into {KEY_VARIABLE}"
                    )));
                }
            },
        };
        let key = FleetKey::new(&key).map_err(dbdyno_fleet::FleetError::from)?;
        let access = NatsAccess { urls, credentials: args.creds.clone(), authority: args.nats_ca.clone() };
        Ok(Self { access, key })
    }
}

fn key_of(file: &Path) -> Result<String, Error> {
    let unread = |why: String| Error::Usage(format!("--fleet-key {}: {why}", file.display()));
    let mode = std::fs::metadata(file).map_err(|error| unread(error.to_string()))?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(unread(format!("others may read it, so it is no secret: chmod 600 {}", file.display())));
    }
    std::fs::read_to_string(file).map_err(|error| unread(error.to_string()))
}

/// What tells this program from others of its version: a hash of its file.
fn build() -> String {
    let own = std::fs::read("/proc/self/exe").map(|bytes| xxhash_rust::xxh3::xxh3_64(&bytes));
    own.map_or_else(|_| "unknown build".to_owned(), |hash| format!("build {hash:016x}"))
}

/// What tells this machine, and the space of its process numbers, from others.
pub(super) fn machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = std::fs::read_link("/proc/self/ns/pid").map(|link| link.display().to_string()).unwrap_or_default();
    format!("{} {space}", boot.trim())
}

/// Who an agent or a coordinator on this machine is.
pub(super) fn info(weight: f64, node: Option<u32>) -> AgentInfo {
    AgentInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: build(),
        weight,
        node,
        pid: std::process::id(),
        machine: machine(),
        platform: serde_json::to_value(dbdyno_probe::inventory(&[])).unwrap_or_default(),
    }
}

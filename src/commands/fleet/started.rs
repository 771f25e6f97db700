//! What `fleet up` has started on this machine, as it is written down.

use crate::error::Error;
use dbdyno_engine::private::Home;
use dbdyno_engine::servers::Process;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file that tells what was started.
pub(super) const RECORD: &str = "fleet.json";
/// The variable that has a fleet's key.
pub(super) const KEY_VARIABLE: &str = "DBDYNO_FLEET_KEY";

/// A number of agents, in words.
pub(super) fn agents(n: usize) -> String {
    if n == 1 { "1 agent".to_owned() } else { format!("{n} agents") }
}

/// A fleet on this machine.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LocalFleet {
    pub(super) port: u16,
    /// What lets dbdyno in at the server.
    pub(super) password: String,
    /// The fleet's key.
    pub(super) key: String,
    pub(super) server: Process,
    pub(super) agents: Vec<Process>,
}

impl LocalFleet {
    /// Whether anything of it lives.
    pub(super) fn lives(&self) -> bool {
        self.agents.iter().chain([&self.server]).any(Process::lives)
    }

    pub(super) fn url(&self) -> String {
        format!("nats://dbdyno:{}@127.0.0.1:{}", self.password, self.port)
    }
}

pub(super) fn folder() -> Result<PathBuf, Error> {
    let home = Home::from_environment().map_err(|error| Error::Usage(error.to_string()))?;
    Ok(home.path().join("fleet"))
}

/// The fleet that was started here, if its server lives.
pub(super) fn running() -> Option<LocalFleet> {
    recorded(&folder().ok()?).filter(|fleet| fleet.server.lives())
}

pub(super) fn recorded(folder: &Path) -> Option<LocalFleet> {
    let file = folder.join(RECORD);
    // Another user's record names processes and keys of his.
    if dbdyno_files::others_may_write(&file).unwrap_or(true) {
        return None;
    }
    serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()
}

//! Watches the sessions of a point while they work: what they wait for, and who else is at work in the instance. Reads
//! `v$session`, which no pack has to be licensed for; Oracle's own samples of it (ASH) are another matter.

use super::connection::OracleConnection;
use super::options::Options;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Connection as _, Seen, Watch};
use dbdyno_model::ErrorClass;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// A thread that looks, with a connection of its own. Ends when dropped.
pub(super) struct Monitor(Watch<OracleConnection>);

impl Monitor {
    /// Begins to watch a node. `ours` are dbdyno's own sessions there, which may grow.
    ///
    /// # Errors
    /// No connection, no thread, or `v$session` may not be read.
    pub(super) fn start(options: &Options, node: usize, ours: Arc<Mutex<BTreeSet<u64>>>) -> Result<Self, EngineError> {
        let mut connection = OracleConnection::open(options, node, "dbdyno watch")?;
        let sql = &DIALECT.get("statistics/activity")?.text;
        match connection.texts("looking at sessions", sql) {
            Err(error) if error.class == ErrorClass::UnknownObject => {
                let why = "this user may not see sessions; `dbdyno check` says what to grant";
                return Err(EngineError::new(ErrorClass::Permission, why));
            }
            looked => drop(looked?),
        }
        Ok(Self(Watch::start(connection, ours, sql, None, read)?))
    }

    /// What was seen so far.
    pub(super) fn seen(&self) -> Seen {
        self.0.seen()
    }
}

/// A session at work. What is sampled has a class of its own: the server counts and times the same waits itself.
fn read(row: &[Option<String>]) -> Option<(u64, String, String)> {
    let [Some(id), class, event] = row else { return None };
    let class = class.as_deref().unwrap_or("CPU");
    Some((id.parse().ok()?, format!("sampled {class}"), event.clone().unwrap_or_else(|| "on processor".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_not_taken_for_what_the_server_counts() {
        let row = |texts: [&str; 3]| texts.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty())).to_vec();
        let told = |texts| read(&row(texts)).map(|(id, class, event)| format!("{id} {class}: {event}"));
        assert_eq!(
            told(["17", "User I/O", "db file sequential read"]).unwrap(),
            "17 sampled User I/O: db file sequential read"
        );
        assert_eq!(told(["17", "CPU", "on processor"]).unwrap(), "17 sampled CPU: on processor");
        assert_eq!(told(["17", "", ""]).unwrap(), "17 sampled CPU: on processor");
        assert!(told(["", "CPU", ""]).is_none() && told(["x", "CPU", ""]).is_none());
    }
}

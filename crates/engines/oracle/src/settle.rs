//! Bringing an instance to rest: what is changed in memory is on the device, so that writes of one test do not fall
//! into the next. `ALTER SYSTEM CHECKPOINT` does that at once and needs the privilege ALTER SYSTEM. Without it the
//! server's own checkpointing is waited for, as far as it goes: it keeps changed buffers as long as its target for
//! recovery allows.

use super::product::{OracleEngine, OracleProduct};
use super::{snapshot, statistics};
use crate::DIALECT;
use dbdyno_engine::server::{self, Connection as _};
use dbdyno_engine::{EngineError, Settled};
use dbdyno_model::{ErrorClass, TableName};
use std::thread;
use std::time::{Duration, Instant};

/// Changed buffers that the server's housekeeping alone makes.
const AT_REST: u64 = 200;
/// Between two looks at them.
const PAUSE: Duration = Duration::from_millis(200);
/// Looks that find no fewer after which the server will not write them by itself.
const SAME_LOOKS: u32 = 15;

/// Whether there is something to write, and how that is done.
#[derive(Debug)]
pub(super) struct Backlog {
    /// Something was changed since the last checkpoint of ours.
    changed: bool,
    /// Not yet refused.
    may_checkpoint: bool,
    patience: Patience,
}

impl Default for Backlog {
    fn default() -> Self {
        Self { changed: true, may_checkpoint: true, patience: Patience::default() }
    }
}

impl server::Backlog<OracleProduct> for Backlog {
    fn add(&mut self, _: Option<TableName>) {
        self.changed = true;
        self.patience = Patience::default();
    }

    fn settle(&mut self, engine: &OracleEngine, limit: Duration) -> Result<Settled, EngineError> {
        let started = Instant::now();
        if !self.changed {
            return Ok(Settled::AtRest);
        }
        if self.may_checkpoint {
            // A checkpoint is one of all instances of a cluster.
            let sql = &DIALECT.get("statistics/checkpoint")?.text;
            match engine.with(|connection| connection.batch("asking for a checkpoint", sql)) {
                Ok(()) => {
                    self.changed = false;
                    return Ok(Settled::AtRest);
                }
                Err(error) if error.class == ErrorClass::Permission => self.may_checkpoint = false,
                Err(error) => return Err(error),
            }
        }
        loop {
            let mut dirty = 0;
            for node in 0..engine.nodes.len() {
                let rows = engine.on(node, |connection| snapshot::ask(connection, "dirty"))?;
                match rows.and_then(|rows| statistics::dirty(&rows)) {
                    Ok(blocks) => dirty += blocks,
                    Err(why) => {
                        let text = format!(
                            "this user may not ask for a checkpoint, and how many blocks wait to be written is not known: {why}; \
                             GRANT ALTER SYSTEM TO it"
                        );
                        return Ok(Settled::NotAllowed(text));
                    }
                }
            }
            match self.patience.look(dirty) {
                Some(settled) => {
                    self.changed = settled != Settled::AtRest;
                    return Ok(settled);
                }
                None if started.elapsed() >= limit => return Ok(Settled::Busy),
                None => thread::sleep(PAUSE),
            }
        }
    }
}

/// How many changed buffers there were, and for how many looks no fewer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Patience {
    fewest: Option<u64>,
    same: u32,
}

impl Patience {
    /// Takes a look. `None`: worth another one.
    fn look(&mut self, dirty: u64) -> Option<Settled> {
        if dirty <= AT_REST {
            return Some(Settled::AtRest);
        }
        self.same = if self.fewest.is_none_or(|fewest| dirty < fewest) { 0 } else { self.same + 1 };
        self.fewest = Some(self.fewest.map_or(dirty, |fewest| fewest.min(dirty)));
        (self.same >= SAME_LOOKS).then(|| {
            Settled::NotAllowed(format!(
                "{dirty} changed blocks stay in the buffer cache, and this user may not ask for a checkpoint; GRANT ALTER \
                 SYSTEM TO it, or accept that they are written in the middle of a point"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_are_not_written_are_not_waited_for_for_ever() {
        let mut patience = Patience::default();
        assert_eq!(patience.look(50), Some(Settled::AtRest));
        for dirty in (0..40).map(|n| 10_000 - n * 100) {
            assert_eq!(patience.look(dirty), None, "they become fewer");
        }
        let said: Vec<_> = (0..SAME_LOOKS).map(|_| patience.look(6_100)).collect();
        assert!(said[..said.len() - 1].iter().all(Option::is_none));
        assert!(matches!(said.last(), Some(Some(Settled::NotAllowed(why))) if why.contains("6100")), "{said:?}");
    }
}

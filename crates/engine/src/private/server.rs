//! A running private instance, and what is said of it in the record of a run.

use super::cpus::words as cpus_in_words;
use super::{HeldBy, Instance, Pair, held, page_cache};
use crate::Target;
use crate::servers::{Access, Product, ServerError, StandbyKind};
use std::path::PathBuf;

/// A running private instance, as its engine needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateServer {
    /// How to reach it.
    pub target: Target,
    /// Its data folder, on this machine.
    pub data: PathBuf,
    /// The server's main process.
    pub pid: u32,
    /// The size class whose settings it has.
    pub size: String,
    /// The processors that it is held to; none where it may use all.
    pub cpus: Vec<u32>,
    /// What holds it to them.
    pub held_by: Option<HeldBy>,
    /// The control groups that it is in.
    pub cgroups: Vec<PathBuf>,
    /// It and its standby, where it was started with one.
    pub pair: Option<Pair>,
}

impl PrivateServer {
    pub(super) fn of(instance: Instance, product: &dyn Product, pair: Option<Pair>) -> Result<Self, ServerError> {
        let target = product.target(&instance.place(), product.administrator(Access::Own));
        let target = Target::parse(&target).map_err(|e| ServerError::Refused(e.to_string()))?;
        let (pid, Instance { data, size, cpus, held_by, cgroups, .. }) = (instance.pid(), instance);
        Ok(Self { target, pid, data, size, cpus, held_by, cgroups, pair })
    }

    /// The processors that it is held to, for the record of a run, as a name and a text: what its processes show now.
    #[must_use]
    pub fn held_to(&self) -> Option<(String, String)> {
        let by = self.held_by?;
        let exception = self.not_held().map(|why| format!(", but {why}"));
        let text = format!("{} by {}{}", cpus_in_words(&self.cpus), by.word(), exception.unwrap_or_default());
        Some(("held to processors".to_owned(), text))
    }

    /// Its standby, for the record of a run, as a name and a text: what both servers show now.
    #[must_use]
    pub fn standby(&self) -> Option<(String, String)> {
        self.pair.as_ref().map(|pair| ("standby".to_owned(), pair.in_words()))
    }

    /// Refuses a server whose commits wait for a standby that does not replicate.
    ///
    /// # Errors
    /// It does not.
    pub fn refuse_waiting(&self) -> Result<(), ServerError> {
        let Some(pair) = self.pair.as_ref().filter(|pair| pair.kind != StandbyKind::Async) else { return Ok(()) };
        pair.as_asked().map(drop).map_err(|why| {
            ServerError::Refused(format!(
                "its commits wait for a standby, which {why}; stop it (dbdyno down; --keep keeps its data) and start both again \
                 (dbdyno up ... --standby {})",
                pair.kind
            ))
        })
    }

    /// Bytes that the page cache of its files may take, where its memory is limited.
    #[must_use]
    pub fn page_cache_room_bytes(&self) -> Option<u64> {
        page_cache::room_bytes(&self.cgroups)
    }

    /// What of it is not as it was started, in words: it may use other processors, or does not replicate.
    #[must_use]
    pub fn not_as_started(&self) -> Option<String> {
        let to = || format!("the server was to be held to the processors {}", cpus_in_words(&self.cpus));
        let released = self.not_held().map(|why| format!("{}, but {why}", to()));
        released.or_else(|| Some(format!("the server's standby {}", self.pair.as_ref()?.as_asked().err()?)))
    }

    fn not_held(&self) -> Option<String> {
        self.held_by?;
        held::exception(self.pid, &self.cpus)
    }
}

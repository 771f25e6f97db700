//! What is code of a product: connecting, what it says of itself, how it comes to rest, and what a point needs.
//! Everything else of its engine is [`ServerEngine`] and the files of its dialect.

use super::{Connection, NodeOf, ServerEngine, ServerLocation, Told, Vigil};
use crate::data::Sample;
use crate::private::PrivateServer;
use crate::server::loading::LoadRequest;
use crate::{
    BlockWrites, Dialect, Durability, DurablePlaces, EngineError, Finding, Inspection, LoadReport, LoadWatch,
    PointSpec, PointStatistics, ProgramSpec, Pump, Session, Settled, SqlError, ThreadPump,
};
use crate::bookkeeping::{Contents, Meta};
use dbdyno_model::{CommitMode, Counters, Database, Drive, ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A database product, and a target of it.
pub trait Product: Clone + Send + Sync + 'static {
    /// A connection.
    type Connection: Connection + 'static;
    /// What is kept of what dbdyno's own sessions on a node have done, as far as the server's counters hold it, too.
    type Account: Default + Send + Sync + 'static;
    /// A point between its beginning and its end.
    type UnderWay: Send + 'static;
    /// What there is to bring to rest; a new one has everything.
    type Backlog: Default + Send + 'static;
    /// Bytes of a block, unless the server says otherwise.
    const BLOCK_BYTES: u64;

    /// Its files.
    fn dialect() -> &'static Dialect;

    /// How many nodes the target names.
    fn nodes(&self) -> usize;

    /// How long a connection may take.
    fn connect_timeout(&self) -> Duration;

    /// What the target's connections wait for.
    fn vigil(&self) -> &Arc<Vigil>;

    /// The same target with another vigil: for whoever looks after the connections of this one.
    #[must_use]
    fn with_vigil(&self, vigil: Arc<Vigil>) -> Self;

    /// Opens a connection to a node; the server lists it under the name `application`.
    ///
    /// # Errors
    /// The node cannot be reached, or turns us away.
    fn open(&self, node: usize, application: &str) -> Result<Self::Connection, EngineError>;

    /// Finds out where the server is.
    ///
    /// # Errors
    /// The server is lost.
    fn locate(
        &self,
        connection: &mut Self::Connection,
        private: Option<&PrivateServer>,
    ) -> Result<ServerLocation, EngineError>;

    /// What a session that gives no answer is doing, as another connection is told it. The dialect's statement
    /// `sessions/waits_for_us` says so, where the product lets everybody see that.
    ///
    /// # Errors
    /// The server is lost.
    fn session_state(connection: &mut Self::Connection, session: u64) -> Result<Told, EngineError> {
        let sql = match Self::dialect().fill("sessions/waits_for_us", &[("session", &session.to_string())]) {
            Err(SqlError::NoFile { .. }) => return Ok(Told::Working),
            sql => sql?,
        };
        Ok(Told::of(super::first(connection.texts("looking after a session", &sql)?).as_deref()))
    }

    /// The tables that the target has, in loading order.
    fn tables(&self) -> Vec<TableName>;

    /// Version, settings that decide figures, facts.
    ///
    /// # Errors
    /// The server is lost.
    fn describe(engine: &ServerEngine<Self>) -> Result<Database, EngineError>;

    /// How durable commits are.
    ///
    /// # Errors
    /// The server is lost.
    fn durability(
        &self,
        connection: &mut Self::Connection,
        commit: CommitMode,
        drive: Drive,
    ) -> Result<Durability, EngineError>;

    /// What stands in the way of measuring there, and what does not.
    fn findings(&self, size: &Size) -> Vec<Finding>;

    /// Bytes that loading a size and measuring on it take.
    fn space_needed_bytes(&self, size: &Size) -> u64;

    /// What the target holds.
    ///
    /// # Errors
    /// It cannot be read.
    fn contents(&self, connection: &mut Self::Connection) -> Result<Contents, EngineError>;

    /// The book-keeping, which is made where there is none.
    ///
    /// # Errors
    /// What is there is not ours; the server's.
    fn create_books(&self, connection: &mut Self::Connection) -> Result<Meta, EngineError>;

    /// Sets entries of the book-keeping, and commits.
    ///
    /// # Errors
    /// The server's.
    fn set_entries(connection: &mut Self::Connection, entries: &[(String, String)]) -> Result<(), EngineError>;

    /// Loads what is missing.
    ///
    /// # Errors
    /// As for [`crate::Engine::load`].
    fn load(&self, request: &LoadRequest<'_>, watch: &dyn LoadWatch) -> Result<LoadReport, EngineError>;

    /// The checksum over a table's rows as the server gives them back; `rows` is what it should have.
    ///
    /// # Errors
    /// The table cannot be read.
    fn checksum(
        &self,
        table: TableName,
        of: (u64, crate::data::Columns),
        watch: &dyn LoadWatch,
    ) -> Result<crate::data::Checksum, EngineError>;

    /// Looks at a table that was loaded some time ago.
    ///
    /// # Errors
    /// As for [`crate::Engine::inspect`].
    fn inspect(
        connection: &mut Self::Connection,
        table: TableName,
        sample: &mut Sample,
    ) -> Result<Inspection, EngineError>;

    /// Drops everything that is dbdyno's.
    ///
    /// # Errors
    /// As for [`crate::Engine::drop_all`].
    fn drop_all(&self) -> Result<bool, EngineError>;

    /// Takes the lock that measuring, loading and dropping share, and waits for what others have left at work.
    /// `give_up` says when not to wait any longer, and what that is called; `waits` hears that it is waited for.
    ///
    /// # Errors
    /// Another dbdyno is at work; somebody gave up; the server's.
    fn hold(
        &self,
        connection: &mut Self::Connection,
        give_up: &dyn Fn() -> Option<ErrorClass>,
        waits: &dyn Fn(),
    ) -> Result<(), EngineError>;

    /// Whether the session of a connection still has that lock. Whoever can, asks over the node's own connection: what
    /// the one with the lock asks itself would come to be counted in some later point.
    ///
    /// # Errors
    /// The server is lost.
    fn still_holds(&self, node: &NodeOf<Self>, holder: &mut Self::Connection) -> Result<bool, EngineError>;

    /// One slice of settling.
    ///
    /// # Errors
    /// The server is lost.
    fn settle(
        engine: &ServerEngine<Self>,
        backlog: &mut Self::Backlog,
        limit: Duration,
    ) -> Result<Settled, EngineError>;

    /// A point has changed this table, and perhaps others of its own.
    fn changed(backlog: &mut Self::Backlog, table: Option<TableName>);

    /// Prepares a point.
    ///
    /// # Errors
    /// It cannot be prepared.
    fn begin_point(engine: &ServerEngine<Self>, spec: &PointSpec) -> Result<Self::UnderWay, EngineError>;

    /// Cleans up after a point; `begun` says whether it had begun. Nobody watches its sessions any more.
    ///
    /// # Errors
    /// Something is left behind.
    fn end_point(engine: &ServerEngine<Self>, spec: &PointSpec, begun: bool) -> Result<(), EngineError>;

    /// Prepares a point of a program.
    ///
    /// # Errors
    /// It cannot be prepared.
    fn begin_program(engine: &ServerEngine<Self>, spec: &ProgramSpec) -> Result<Self::UnderWay, EngineError>;

    /// Cleans up after a point of a program that had begun.
    ///
    /// # Errors
    /// The server is lost.
    fn end_program(_: &ServerEngine<Self>) -> Result<(), EngineError> {
        Ok(())
    }

    /// What a node counts for everybody.
    ///
    /// # Errors
    /// The node is lost.
    fn statistics(connection: &mut Self::Connection) -> Result<Counters, EngineError>;

    /// What all nodes have counted for a point until now.
    ///
    /// # Errors
    /// A node is lost.
    fn point_statistics(
        engine: &ServerEngine<Self>,
        point: &mut Self::UnderWay,
        earlier: Option<&PointStatistics>,
    ) -> Result<PointStatistics, EngineError>;

    /// Opens a session to a node, for the server drive.
    ///
    /// # Errors
    /// The node refuses.
    fn session(engine: &ServerEngine<Self>, node: usize) -> Result<Box<dyn Session>, EngineError>;

    /// The same for the client drive, where that needs another kind of session.
    ///
    /// # Errors
    /// As for [`Product::session`].
    fn client_session(engine: &ServerEngine<Self>, node: usize) -> Result<Box<dyn Session>, EngineError> {
        Self::session(engine, node)
    }

    /// See [`crate::Engine::pump`].
    fn pump(_: Drive, _may_follow_from_jobs: Option<u32>) -> Box<dyn Pump> {
        Box::new(ThreadPump)
    }

    /// See [`crate::Engine::pace_writes`].
    ///
    /// # Errors
    /// The server is lost.
    fn pace_writes(_: &ServerEngine<Self>) -> Result<BTreeMap<String, String>, EngineError> {
        Ok(BTreeMap::new())
    }

    /// See [`crate::Engine::last_checkpoint`].
    ///
    /// # Errors
    /// The server is lost, or has no checkpoints.
    fn last_checkpoint(_: &ServerEngine<Self>) -> Result<String, EngineError> {
        Err(EngineError::new(ErrorClass::Unsupported, "the engine does not tell of checkpoints"))
    }

    /// See [`crate::Engine::block_writes`].
    ///
    /// # Errors
    /// The server is lost, or does not count them.
    fn block_writes(_: &ServerEngine<Self>) -> Result<BlockWrites, EngineError> {
        Err(EngineError::new(ErrorClass::Unsupported, "the engine does not tell of blocks that wait"))
    }

    /// Files that hold the data now, where they are on this machine.
    fn data_files(engine: &ServerEngine<Self>) -> Vec<PathBuf>;

    /// Where commits and tables lie, as far as that is on this machine.
    fn durable_places(engine: &ServerEngine<Self>) -> DurablePlaces {
        let place: Vec<PathBuf> = engine.data().into_iter().collect();
        DurablePlaces { log: place.clone(), data: place, synced_by_writing: false }
    }
}

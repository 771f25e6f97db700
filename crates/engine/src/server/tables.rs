//! What is code of a product about connections and tables: how to reach a server, the place where tables lie, the lock
//! that loading and measuring share, and how a leaf is filled. The rest of a load is [`super::load`].

use super::{Account, Connection, Leaf, LoaderPool, Node, Rows, ServerLocation, Times, Told, Vigil, first};
use crate::bookkeeping::Meta;
use crate::private::PrivateServer;
use crate::{Dialect, EngineError, LoadWatch, SqlError};
use dbdyno_model::{Size, TableName};
use std::sync::Arc;
use std::time::Duration;

/// The name under which servers list dbdyno's own connections.
pub(super) const OWN: &str = "dbdyno";
/// A node of a product's target.
pub type NodeOf<P> = Node<<P as ProductTarget>::Connection, <P as ProductTarget>::Account>;

/// What is asked of a load.
#[derive(Debug, Clone, Copy)]
pub struct LoadRequest<'r> {
    /// Size class of the data.
    pub size: &'r Size,
    /// Seed of the data.
    pub seed: u64,
    /// Sessions that load at the same time, where the server takes so many.
    pub jobs: u32,
    /// Whether all rows are read back and compared with the generator's.
    pub verify: bool,
}

/// A load at work.
pub struct Load<'l, P: ProductTables> {
    /// The product, and the target.
    pub product: &'l P,
    /// What is asked.
    pub request: LoadRequest<'l>,
    /// Hears how far it has come.
    pub watch: &'l dyn LoadWatch,
    /// The session that keeps others away.
    pub control: P::Connection,
    /// The sessions that load.
    pub pool: LoaderPool<'l, P::Connection>,
    /// The book-keeping, as far as this load has not written more.
    pub meta: Meta,
    /// How long its parts take.
    pub times: Times,
}

/// What it takes to reach a target.
#[derive(Debug)]
pub struct Reach {
    /// How many nodes it names.
    pub nodes: usize,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// What its connections wait for.
    pub vigil: Arc<Vigil>,
}

/// A database product, and how to reach a target of it.
pub trait ProductTarget: Clone + Send + Sync + 'static {
    /// A connection.
    type Connection: Connection + 'static;
    /// What is kept of what dbdyno's own sessions on a node have done, as far as the server's counters hold it, too.
    type Account: Account;
    /// Bytes of a block, unless the server says otherwise.
    const BLOCK_BYTES: u64;

    /// Its files.
    fn dialect() -> &'static Dialect;

    /// What it takes to reach the target.
    fn reach(&self) -> Reach;

    /// The same target with another vigil: for whoever looks after the connections of this one.
    #[must_use]
    fn with_vigil(&self, vigil: Arc<Vigil>) -> Self;

    /// The same target for whoever looks at it all the time: with a vigil of its own, and with connections that take no
    /// longer to open than this.
    #[must_use]
    fn looked_at(&self, connect_timeout: Duration) -> Self;

    /// A node's name, as in the target.
    fn node_name(&self, node: usize) -> String;

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
        Ok(Told::of(first(connection.texts("looking after a session", &sql)?).as_deref()))
    }

    /// The tables that the target has, in loading order.
    fn tables(&self) -> Vec<TableName>;
}

/// What a product does with tables.
pub trait ProductTables: ProductTarget {
    /// Where everything of dbdyno's lies, in words: `the schema dbdyno`.
    fn place(&self) -> String;

    /// What holds the data, in words: `database bench`.
    fn database(&self) -> String;

    /// What helps a user who may not read what is there.
    ///
    /// # Errors
    /// The server is lost.
    fn how_to_read(&self, _: &mut Self::Connection) -> Result<String, EngineError> {
        Ok("connect as its owner".to_owned())
    }

    /// The entry of the book-keeping that says whether a load made the place.
    const CREATED: &'static str;
    /// Whether a book-keeping without entries is what a load leaves that is killed as it begins.
    const EMPTY_BOOKS_ARE_OURS: bool = false;
    /// Whether the parts of a table are tables themselves, with names in the same place.
    const PARTS_ARE_TABLES: bool = false;

    /// Makes the place where dbdyno's tables lie, if it is not there; says whether it was made. Part of the transaction
    /// that makes the book-keeping.
    ///
    /// # Errors
    /// The server's.
    fn create_place(&self, _: &mut Self::Connection) -> Result<bool, EngineError> {
        Ok(false)
    }

    /// Drops that place, which is empty.
    ///
    /// # Errors
    /// The server's.
    fn drop_place(&self, _: &mut Self::Connection) -> Result<(), EngineError> {
        Ok(())
    }

    /// Drops what points have made that is not in that place.
    ///
    /// # Errors
    /// The server's.
    fn before_drop(&self, _: &mut Self::Connection) -> Result<(), EngineError> {
        Ok(())
    }

    /// Tries to take the lock that measuring, loading and dropping share, until the session ends. Says whether nobody
    /// else has it.
    ///
    /// # Errors
    /// The server's.
    fn try_lock(&self, connection: &mut Self::Connection, doing: &str) -> Result<bool, EngineError>;

    /// How to end a session that an earlier load or run has left at work, if there is one. The lock is ours.
    ///
    /// # Errors
    /// The server's.
    fn left_at_work(&self, connection: &mut Self::Connection, doing: &str) -> Result<Option<String>, EngineError>;

    /// Whether the session of a connection still has that lock. It is asked over the node's own connection: what the
    /// one with the lock asks itself would come to be counted in some later point.
    ///
    /// # Errors
    /// The server is lost.
    fn still_holds(&self, node: &NodeOf<Self>, holder: &mut Self::Connection) -> Result<bool, EngineError> {
        let sql = Self::dialect().fill("sessions/holds_lock", &[("session", &holder.session_id().to_string())])?;
        let doing = "asking for the lock of the run";
        let answer = node.with(|| self.open(0, OWN), |connection| connection.texts(doing, &sql))?;
        Ok(matches!(first(answer).as_deref(), Some("t" | "1")))
    }

    /// Prepares a session that loads, beside what the dialect's `load/session` sets.
    ///
    /// # Errors
    /// The server's.
    fn prepare_loader(&self, connection: &mut Self::Connection, doing: &str, job: u32) -> Result<(), EngineError>;

    /// The statements that create a test table with its parts, empty.
    ///
    /// # Errors
    /// The dialect lacks one.
    fn create_table(&self, table: TableName, size: &Size) -> Result<Vec<String>, EngineError>;

    /// How many parts the dialect's `load/objects` tells of a test table that is whole.
    fn parts(table: TableName) -> u64;

    /// How statements name a leaf.
    fn in_sql(leaf: &Leaf) -> String;

    /// Fills a leaf, within a transaction that notes it next; what the leaf holds goes before.
    ///
    /// # Errors
    /// The server's; `Cancelled` once the rows say so.
    fn fill(
        &self,
        connection: &mut Self::Connection,
        doing: &str,
        of: (&Leaf, &Size),
        rows: &mut Rows<'_>,
    ) -> Result<(), EngineError>;

    /// What follows the rows of tables, which have so many rows together: keys, statistics.
    ///
    /// # Errors
    /// The server's.
    fn after_rows(load: &mut Load<'_, Self>, label: &str, of: (&[TableName], &[Leaf], u64)) -> Result<(), EngineError>;

    /// The statements that bring everything onto the device at the end of a load.
    ///
    /// # Errors
    /// The dialect lacks one.
    fn write_out(tables: &[TableName]) -> Result<Vec<String>, EngineError>;

    /// What cannot be seen of tables, and why.
    ///
    /// # Errors
    /// The server is lost.
    fn unseen(_: &mut Self::Connection) -> Result<Vec<String>, EngineError> {
        Ok(Vec::new())
    }
}

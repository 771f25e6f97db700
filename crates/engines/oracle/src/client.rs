//! What a client sends: the statement under test with its values bound, then a commit, which is a round trip of its own. A
//! transaction begins by itself. An insert is sent with the values of its row, as applications do; the procedure reads the row
//! that it copies before.

mod own;
#[cfg(test)]
mod tests;

use super::link::{Bind, Link};
use super::recipe::Recipe;
use dbdyno_engine::client::{Answer, Bound, Statements, Touch};
use dbdyno_engine::data::{Generator, Row, region};
use dbdyno_engine::server::without_variables;
use dbdyno_engine::{ChunkResult, EngineError, Task};
use dbdyno_model::{CommitMode, ErrorClass, Procedure, Shape};
use own::Own;

/// What a parameter is given.
#[derive(Debug, Clone, Copy)]
enum Parameter {
    Key,
    /// The region of the row, in small tables.
    Region,
    /// A column of the row that is inserted.
    Column(for<'r> fn(&Row<'r>) -> Bind<'r>),
}

/// The variables of procedures, and what a client has for each.
const VARIABLES: [(&str, Parameter); 10] = [
    ("v_key", Parameter::Key),
    ("v_region", Parameter::Region),
    ("v_id", Parameter::Column(|row| Bind::Int(row.id))),
    ("v_customer_id", Parameter::Column(|row| Bind::Int(row.customer_id))),
    ("v_ref_id", Parameter::Column(|row| Bind::Int(row.ref_id))),
    ("v_booked_on", Parameter::Column(|row| Bind::day(row.booked_on_days))),
    ("v_quantity", Parameter::Column(|row| Bind::Int(row.quantity))),
    ("v_amount", Parameter::Column(|row| Bind::cents(row.amount_cents))),
    ("v_status", Parameter::Column(|row| Bind::Text(row.status))),
    ("v_filler", Parameter::Column(|row| Bind::Text(row.filler))),
];

/// The settings of a session whose commits are to be durable, whatever the server's are.
const DURABLE: [&str; 2] = ["ALTER SESSION SET commit_logging = IMMEDIATE", "ALTER SESSION SET commit_wait = WAIT"];

/// The statement under test as a client sends it.
#[derive(Debug, Clone)]
pub(super) struct Form {
    sql: String,
    parameters: Vec<Parameter>,
    work: Procedure,
    commit: CommitMode,
}

impl Form {
    /// The form of a test.
    ///
    /// # Errors
    /// `Unsupported` where no client would send the test's work statement by statement.
    pub(super) fn of(recipe: &Recipe, task: &Task) -> Result<Self, EngineError> {
        let work = task.test.procedure;
        let text =
            recipe.tested()?.filter(|_| work.has_client_form()).ok_or_else(dbdyno_engine::client::unsupported)?;
        let mut parameters = Vec::new();
        let sql = without_variables(&text, &VARIABLES, |parameter| {
            parameters.push(parameter);
            format!(":{}", parameters.len())
        })?;
        Ok(Self { sql, parameters, work, commit: task.commit })
    }

    /// The statement.
    pub(super) fn sql(&self) -> &str {
        &self.sql
    }

    /// What a session sets before it sends it.
    pub(super) fn settings(&self) -> &'static [&'static str] {
        if self.work.writes() { settings(self.commit) } else { &[] }
    }

    /// The values that are bound.
    fn values<'r>(&self, touch: Touch, small: &'r mut Generator) -> Vec<Bind<'r>> {
        let row = (self.work == Procedure::Insert).then(|| small.row(touch.other));
        let row = row.map(|row| Row { id: (touch.key + 1).cast_signed(), ..row });
        let value = |parameter: &Parameter| match (parameter, &row) {
            (Parameter::Region, Some(row)) => Bind::Int(row.region),
            (Parameter::Region, None) => Bind::Int(region(Shape::Small, touch.key).cast_signed()),
            (Parameter::Column(of), Some(row)) => of(row),
            (Parameter::Key, _) | (_, None) => Bind::Int(touch.key.cast_signed()),
        };
        self.parameters.iter().map(value).collect()
    }
}

/// What a session sets before it sends what writes.
fn settings(commit: CommitMode) -> &'static [&'static str] {
    if commit == CommitMode::Durable { &DURABLE } else { &[] }
}

/// What a client sends in a session, and the transaction that it is in.
pub(super) struct Client {
    /// What errors call it.
    doing: String,
    sends: Sends,
    /// Whether a transaction of several statements is under way.
    open: bool,
}

/// What a client sends.
enum Sends {
    /// A test's statement.
    Test(Box<Tested>),
    /// Statements of a work's own.
    Own(Own),
}

/// A test's statement.
struct Tested {
    form: Form,
    small: Generator,
}

impl Client {
    /// Prepares a session for a test.
    ///
    /// # Errors
    /// `Unsupported` where no client would send its statement; the server's.
    pub(super) fn prepare(link: &mut Link, recipe: &Recipe, task: &Task, job: u32) -> Result<Self, EngineError> {
        let form = Form::of(recipe, task)?;
        let doing = format!("{} job {}", task.test.code, job + 1);
        form.settings().iter().try_for_each(|sql| link.run_block(&doing, sql, &[]))?;
        let tested = Tested { form, small: Generator::new(&task.size, Shape::Small, task.seed) };
        Ok(Self { doing, sends: Sends::Test(Box::new(tested)), open: false })
    }

    /// Prepares a session for statements of a work's own.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn prepare_own(link: &mut Link, statements: &Statements) -> Result<Self, EngineError> {
        let doing = statements.work.clone();
        settings(statements.commit).iter().try_for_each(|sql| link.run_block(&doing, sql, &[]))?;
        Ok(Self { doing, sends: Sends::Own(Own::new(statements)), open: false })
    }

    /// Executes the statement under test. Where it fails, its whole transaction is rolled back at once: its locks would stay.
    ///
    /// # Errors
    /// The server's; `Cancelled` once somebody has cancelled.
    pub(super) fn touch(&mut self, link: &mut Link, touch: Touch) -> Result<ChunkResult, EngineError> {
        let Sends::Test(tested) = &mut self.sends else { return Err(self.other_requests()) };
        self.open |= touch.opens;
        let (writes, done) = (tested.form.work.writes(), tested.touch(link, touch, &self.doing));
        self.end(link, writes, done)
    }

    /// Executes a statement of the work's own. Where it fails, as for the one under test.
    ///
    /// # Errors
    /// As for [`Client::touch`].
    pub(super) fn statement(&mut self, link: &mut Link, bound: &Bound<'_>) -> Result<ChunkResult, EngineError> {
        let Sends::Own(own) = &mut self.sends else { return Err(self.other_requests()) };
        self.open |= bound.opens;
        let done = own.execute(link, bound, &self.doing);
        // A query may have locked what it found.
        let writes = self.open || !own.asks(bound.statement);
        self.end(link, writes, done)
    }

    /// What the last statement of the work's own answered with.
    pub(super) fn answer(&self) -> &Answer {
        match &self.sends {
            Sends::Own(own) => &own.answer,
            Sends::Test(_) => Answer::NONE,
        }
    }

    fn other_requests(&self) -> EngineError {
        EngineError::new(ErrorClass::Other, format!("{}: this session was prepared for other requests", self.doing))
    }

    /// Commits what is no part of a transaction of several, and rolls back one in which something failed.
    fn end(
        &mut self,
        link: &mut Link,
        writes: bool,
        done: Result<[u64; 2], EngineError>,
    ) -> Result<ChunkResult, EngineError> {
        let done = done.and_then(|done| {
            if writes && !self.open {
                link.commit(&self.doing)?;
            }
            Ok(done)
        });
        let [rows, checksum] = done.inspect_err(|_| {
            if writes {
                self.open = false;
                // A session that cannot do this either is lost, and the server rolls back.
                drop(link.roll_back(&self.doing));
            }
        })?;
        Ok(ChunkResult { rows, checksum, ..ChunkResult::default() })
    }

    /// Commits what is open.
    ///
    /// # Errors
    /// As for [`Client::touch`].
    pub(super) fn commit(&mut self, link: &mut Link) -> Result<ChunkResult, EngineError> {
        if std::mem::take(&mut self.open) {
            link.commit(&self.doing).inspect_err(|_| drop(link.roll_back(&self.doing)))?;
        }
        Ok(ChunkResult::default())
    }

    /// Rolls back what is open.
    ///
    /// # Errors
    /// As for [`Client::touch`].
    pub(super) fn roll_back(&mut self, link: &mut Link) -> Result<ChunkResult, EngineError> {
        if std::mem::take(&mut self.open) {
            link.roll_back(&self.doing)?;
        }
        Ok(ChunkResult::default())
    }
}

impl Tested {
    /// The rows that the statement touches, and what they add up to.
    fn touch(&mut self, link: &mut Link, touch: Touch, doing: &str) -> Result<[u64; 2], EngineError> {
        let Self { form, small } = self;
        let copied = small.quantity(touch.other);
        let values = form.values(touch, small);
        if form.work.writes() {
            let rows = link.change(doing, &form.sql, &values)?;
            let checksum = if form.work == Procedure::Insert { copied } else { touch.key };
            return Ok(if rows > 0 { [rows, checksum] } else { [0, 0] });
        }
        let one = form.work == Procedure::SelectPrimary;
        let touched = link.first_row(doing, &form.sql, &values, |row| {
            let sum = |at: usize| Ok::<_, oracledb::Error>(row.get::<Option<i64>>(at)?.unwrap_or(0).cast_unsigned());
            if one { Ok([1, sum(0)?]) } else { Ok([sum(0)?, sum(1)?]) }
        })?;
        Ok(touched.unwrap_or_default())
    }
}

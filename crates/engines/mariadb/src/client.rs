//! What a client sends: prepared statements, each a round trip of its own; so are START TRANSACTION and COMMIT. What a
//! procedure does by several statements of its own (a search that begins in the middle of the months, a join that looks rows up
//! one by one) takes a round trip for each of them here.

mod own;
#[cfg(test)]
mod tests;

use super::link::Link;
use super::recipe::Recipe;
use super::session::sums;
use dbdyno_engine::client::{Answer, Bound, Statements, Touch, Transactions};
use dbdyno_engine::data::Generator;
use dbdyno_engine::server::{ServerLink as _, without_variables};
use dbdyno_engine::{ChunkResult, EngineError, Task};
use dbdyno_model::{ErrorClass, Procedure, Shape, Size};
use mysql::prelude::Queryable as _;
use mysql::{Params, Statement, Value};
use own::Own;

/// Statements of an example's transaction that stand for all.
pub(super) const SHOWN: u64 = 2;
const BEGIN: &str = "START TRANSACTION";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";

/// What a parameter is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parameter {
    Key,
    Source,
    From,
    To,
}

/// The variables of procedures, and what a client has for each.
const VARIABLES: [(&str, Parameter); 5] = [
    ("v_key", Parameter::Key),
    ("v_id", Parameter::Key),
    ("v_source", Parameter::Source),
    ("v_from", Parameter::From),
    ("v_to", Parameter::To),
];

/// What one execution is given. Months count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Values {
    key: u64,
    source: u64,
    from_month: u64,
    to_month: u64,
}

impl Values {
    fn of(&self, parameter: Parameter) -> Value {
        match parameter {
            Parameter::Key => Value::Int(self.key.cast_signed()),
            Parameter::Source => Value::Int(self.source.cast_signed()),
            Parameter::From => month(self.from_month),
            Parameter::To => month(self.to_month),
        }
    }
}

/// The first day of a month.
fn month(month: u64) -> Value {
    Value::Date(2020 + (month / 12) as u16, 1 + (month % 12) as u8, 1, 0, 0, 0, 0)
}

/// A statement, and what its parameters are given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Text {
    /// As in the procedure.
    variables: String,
    sql: String,
    parameters: Vec<Parameter>,
}

impl Text {
    fn new(variables: String) -> Result<Self, EngineError> {
        let mut parameters = Vec::new();
        let sql = without_variables(&variables, &VARIABLES, |parameter| {
            parameters.push(parameter);
            "?".to_owned()
        })?;
        Ok(Self { variables, sql, parameters })
    }

    /// The statement with values in the place of its parameters.
    fn with(&self, values: &Values) -> Result<String, EngineError> {
        without_variables(&self.variables, &VARIABLES, |parameter| match values.of(parameter) {
            day @ Value::Date(..) => format!("DATE {}", day.as_sql(true)),
            number => number.as_sql(true),
        })
    }

    fn values(&self, values: &Values) -> Params {
        Params::Positional(self.parameters.iter().map(|parameter| values.of(*parameter)).collect())
    }
}

/// What a test's statements are for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// Finds the rows that the statement under test looks for, one after the other.
    finds: Option<Text>,
    test: Text,
    work: Procedure,
    small_rows: u64,
}

impl Form {
    /// The form of a test.
    ///
    /// # Errors
    /// `Unsupported` where no client would send the test's work statement by statement.
    pub(super) fn of(recipe: &Recipe, task: &Task) -> Result<Self, EngineError> {
        let (finds, test) = recipe.sent()?;
        let finds = finds.map(Text::new).transpose()?;
        let (work, small_rows) = (task.test.procedure, task.size.small_rows);
        Ok(Self { finds, test: Text::new(test)?, work, small_rows })
    }

    /// What the statement is given that a client sends for a key.
    fn values(&self, touch: Touch) -> Values {
        // Rows are numbered from 0, and have ids from 1 on.
        let key = if self.work == Procedure::Insert { touch.key + 1 } else { touch.key };
        let from_month = (key - 1) / self.small_rows % Size::RANGES;
        Values { key, source: touch.other, from_month, to_month: from_month + 1 }
    }

    /// Both parts of a search through all months: from one of them on, and then those before it.
    fn halves(&self, touch: Touch) -> Option<[Values; 2]> {
        let half = |from_month, to_month| Values { key: touch.key, source: 0, from_month, to_month };
        let searches = self.test.parameters.contains(&Parameter::To);
        searches.then(|| [half(touch.other, Size::RANGES), half(0, touch.other)])
    }

    /// What the lookup of the partner of a found row is given.
    fn partner(&self, ref_id: u64) -> Values {
        self.values(Touch { key: 32 * ref_id - 16, ..Touch::default() })
    }

    /// A transaction of a task, with its values: the second, as the script's procedure has inserted the rows of the first.
    /// [`SHOWN`] statements stand for all, and one lookup for those of all rows that were found.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub(super) fn example(&self, task: &Task) -> Result<Vec<String>, EngineError> {
        let mut transactions = Transactions::new(task, 0);
        transactions.advance();
        let mut sent: Vec<String> = transactions.commits().then(|| BEGIN.to_owned()).into_iter().collect();
        for i in 0..transactions.statements().min(SHOWN) {
            let touch = transactions.statement(i);
            match (&self.finds, self.halves(touch)) {
                (Some(finds), _) => {
                    sent.extend([finds.with(&self.values(touch))?, self.test.with(&self.partner(1))?]);
                }
                (None, Some(halves)) => {
                    for half in &halves {
                        sent.push(self.test.with(half)?);
                    }
                }
                (None, None) => sent.push(self.test.with(&self.values(touch))?),
            }
        }
        sent.extend(transactions.commits().then(|| COMMIT.to_owned()));
        Ok(sent)
    }
}

/// What a client sends, prepared in a session, and the transaction that it is in.
pub(super) struct Client {
    /// What errors call it.
    doing: String,
    sends: Sends,
    /// Whether a transaction is open.
    open: bool,
}

/// What a client sends.
enum Sends {
    Test(Box<Tested>),
    Own(Own),
}

/// A test's statements.
struct Tested {
    form: Form,
    finds: Option<Statement>,
    test: Statement,
    /// What the rows hold that inserts copy.
    small: Generator,
    /// Keys that were found; kept, so that there is room for them.
    found: Vec<u64>,
}

impl Client {
    /// Prepares a test's statements.
    ///
    /// # Errors
    /// `Unsupported` where no client would send them; the server's.
    pub(super) fn prepare(link: &mut Link, recipe: &Recipe, task: &Task, job: u32) -> Result<Self, EngineError> {
        let form = Form::of(recipe, task)?;
        let doing = format!("{} job {}", task.test.code, job + 1);
        let mut prepare = |text: &Text| {
            let statement = link.control(&doing).prep(&text.sql);
            statement.map_err(|error| link.error(&doing, &error))
        };
        let finds = form.finds.as_ref().map(&mut prepare).transpose()?;
        let test = prepare(&form.test)?;
        let small = Generator::new(&task.size, Shape::Small, task.seed);
        let tested = Tested { form, finds, test, small, found: Vec::new() };
        Ok(Self { doing, sends: Sends::Test(Box::new(tested)), open: false })
    }

    /// Prepares statements of a work's own.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn prepare_own(link: &mut Link, statements: &Statements) -> Result<Self, EngineError> {
        let own = Own::prepare(link, statements, &format!("preparing {}", statements.work))?;
        Ok(Self { doing: statements.work.clone(), sends: Sends::Own(own), open: false })
    }

    /// Executes the statement under test. Where it fails, its whole transaction is rolled back at once: after a deadlock the
    /// server has done so itself, after other errors its locks would stay.
    ///
    /// # Errors
    /// The server's; `Cancelled` once somebody has cancelled.
    pub(super) fn touch(&mut self, link: &mut Link, touch: Touch) -> Result<ChunkResult, EngineError> {
        self.in_transaction(link, touch.opens, |sends, link, doing| match sends {
            Sends::Test(tested) => tested.executions(link, touch, doing),
            Sends::Own(_) => Err(other_requests(doing)),
        })
    }

    /// Executes a statement of the work's own. Where it fails, as for the one under test.
    ///
    /// # Errors
    /// As for [`Client::touch`].
    pub(super) fn statement(&mut self, link: &mut Link, bound: &Bound<'_>) -> Result<ChunkResult, EngineError> {
        self.in_transaction(link, bound.opens, |sends, link, doing| match sends {
            Sends::Own(own) => {
                refuse_when_cancelled(link, doing)?;
                let done = own.execute(link, bound, doing)?;
                refuse_when_cancelled(link, doing)?;
                Ok(done)
            }
            Sends::Test(_) => Err(other_requests(doing)),
        })
    }

    /// What the last statement of the work's own answered with.
    pub(super) fn answer(&self) -> &Answer {
        match &self.sends {
            Sends::Own(own) => &own.answer,
            Sends::Test(_) => Answer::NONE,
        }
    }

    fn in_transaction(
        &mut self,
        link: &mut Link,
        opens: bool,
        work: impl FnOnce(&mut Sends, &mut Link, &str) -> Result<[u64; 2], EngineError>,
    ) -> Result<ChunkResult, EngineError> {
        if opens {
            link.measure(&self.doing, BEGIN)?;
            self.open = true;
        }
        let done = work(&mut self.sends, link, &self.doing);
        let [rows, checksum] = done.inspect_err(|_| self.undo(link))?;
        Ok(ChunkResult { rows, checksum, ..ChunkResult::default() })
    }

    /// Commits what is open.
    ///
    /// # Errors
    /// As for [`Client::touch`].
    pub(super) fn commit(&mut self, link: &mut Link) -> Result<ChunkResult, EngineError> {
        if self.open {
            link.measure(&self.doing, COMMIT).inspect_err(|_| self.undo(link))?;
            self.open = false;
        }
        Ok(ChunkResult::default())
    }

    /// Rolls back what is open.
    ///
    /// # Errors
    /// As for [`Client::touch`].
    pub(super) fn roll_back(&mut self, link: &mut Link) -> Result<ChunkResult, EngineError> {
        if std::mem::take(&mut self.open) {
            link.measure(&self.doing, ROLLBACK)?;
        }
        Ok(ChunkResult::default())
    }

    /// Lets go of a transaction in which something failed. What fails here as well has lost its session.
    fn undo(&mut self, link: &mut Link) {
        if std::mem::take(&mut self.open) && !link.is_closed() {
            drop(link.measured().query_drop(ROLLBACK));
        }
    }
}

impl Tested {
    /// All executions that a request takes: the rows that they touch, and what these add up to.
    fn executions(&mut self, link: &mut Link, touch: Touch, doing: &str) -> Result<[u64; 2], EngineError> {
        let add = |[rows, sum]: [u64; 2], [more, more_sum]: [u64; 2]| [rows + more, sum.wrapping_add(more_sum)];
        if self.finds.is_some() {
            self.find(link, touch, doing)?;
            let found = std::mem::take(&mut self.found);
            let all = found
                .iter()
                .try_fold([0, 0], |all, ref_id| Ok(add(all, self.execute(link, &self.form.partner(*ref_id), doing)?)));
            self.found = found;
            return all;
        }
        if let Some([first, second]) = self.form.halves(touch) {
            return Ok(add(self.execute(link, &first, doing)?, self.execute(link, &second, doing)?));
        }
        self.execute(link, &self.form.values(touch), doing)
    }

    /// Asks for the keys of the rows to look at.
    fn find(&mut self, link: &mut Link, touch: Touch, doing: &str) -> Result<(), EngineError> {
        self.found.clear();
        let (Some(statement), Some(text)) = (&self.finds, &self.form.finds) else { return Ok(()) };
        refuse_when_cancelled(link, doing)?;
        let parameters = text.values(&self.form.values(touch));
        let found = &mut self.found;
        let read = link.measured().exec_iter(statement, parameters).and_then(|rows| {
            for row in rows {
                found.extend(sums(&row?).map(|[ref_id]| ref_id));
            }
            Ok(())
        });
        read.map_err(|error| link.error(doing, &error))?;
        refuse_when_cancelled(link, doing)
    }

    /// One execution of the statement under test.
    fn execute(&self, link: &mut Link, values: &Values, doing: &str) -> Result<[u64; 2], EngineError> {
        refuse_when_cancelled(link, doing)?;
        let writes = self.form.work.writes();
        let done = link.measured().exec_iter(&self.test, self.form.test.values(values)).and_then(|mut answer| {
            let (changed, mut last) = (answer.affected_rows(), None);
            for row in answer.by_ref() {
                last = Some(row?);
            }
            Ok((changed, last))
        });
        let (changed, row) = done.map_err(|error| link.error(doing, &error))?;
        // As in a procedure: what is told to end may do nothing and say that all is well.
        refuse_when_cancelled(link, doing)?;
        if writes {
            let copied = || self.small.quantity(values.source);
            let checksum = if self.form.work == Procedure::Insert { copied() } else { values.key };
            return Ok(if changed > 0 { [changed, checksum] } else { [0, 0] });
        }
        let Some(row) = row else { return Ok([0, 0]) };
        let unclear = || EngineError::new(ErrorClass::Other, format!("{doing}: the answer is not understood"));
        sums(&row).ok_or_else(unclear)
    }
}

fn refuse_when_cancelled(link: &Link, doing: &str) -> Result<(), EngineError> {
    if !link.cancelled() {
        return Ok(());
    }
    Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped")))
}

fn other_requests(doing: &str) -> EngineError {
    EngineError::new(ErrorClass::Other, format!("{doing}: this session was prepared for other requests"))
}

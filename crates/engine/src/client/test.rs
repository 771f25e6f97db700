//! A test as a program: transactions of one type, whose statements an engine has said the form of.

use super::keys::{Touch, Touches};
use super::{Answer, Value, ValueType, Values};
use crate::data::{Generator, Row, first_day, region};
use crate::program::{Act, Outcome, Program, TransactionType, TypeId};
use crate::{ChunkResult, PointSpec};
use dbdyno_model::{ProcedureShape, Size, TableShape};

const MONTHS: usize = Size::RANGES as usize;

/// What a place in a test's statement is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// The key that rows are looked up by; the number of the row that is inserted, from 0 on.
    Key,
    /// The id of the row: the key that it is looked up by; of one that is inserted its number, from 1 on.
    Id,
    /// The last key of a range of keys.
    LastKey,
    /// The id of the row that is copied.
    Source,
    /// The first day that is looked at.
    From,
    /// The first day that is not any more.
    To,
    /// Rows of a small table.
    SmallRows,
    /// The region of the row, in small tables.
    Region,
    /// `customer_id` of the row that is copied, where the client sends all of it.
    CustomerId,
    /// `ref_id` of it.
    RefId,
    /// `booked_on` of it.
    BookedOn,
    /// `quantity` of it.
    Quantity,
    /// `amount` of it.
    Amount,
    /// `status` of it.
    Status,
    /// `filler` of it.
    Filler,
}

impl Parameter {
    /// What kind of value it is.
    #[must_use]
    pub fn value_type(self) -> ValueType {
        match self {
            Self::From | Self::To | Self::BookedOn => ValueType::Day,
            Self::Amount => ValueType::Cents,
            Self::Status | Self::Filler => ValueType::Text,
            _ => ValueType::Int,
        }
    }
}

/// What the answer to a test's statement says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Rows, each with a quantity.
    Quantities,
    /// One row: how many rows there were, and the sum of their quantities.
    Sums,
    /// How many rows were changed.
    Changes,
}

/// How an engine's client does the work of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestForm {
    /// What the statement under test is given, place by place.
    pub parameters: Vec<Parameter>,
    /// What its answer says.
    pub reads: Reads,
    /// Whether it is executed twice, in one request: from a month on, and then for the months before it.
    pub in_two: bool,
    /// Where the rows that it looks up are found by another statement: what that is given. It is statement 0 then, and
    /// answers with one `ref_id` a row; the statement under test is 1, and executed for each.
    pub finds: Option<Vec<Parameter>>,
}

/// A statement that is given a key and answers with rows.
impl Default for TestForm {
    fn default() -> Self {
        Self { parameters: vec![Parameter::Key], reads: Reads::Quantities, in_two: false, finds: None }
    }
}

/// Whether the transactions of a task end with a commit: a single statement is a transaction of its own, and statements
/// that only read need none.
#[must_use]
pub fn commits(spec: &PointSpec) -> bool {
    spec.test.procedure.writes() && spec.test.executions_per_op(spec.rows_per_tx) > 1
}

/// What the transaction is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Beginning,
    Finding,
    LookingUp,
    Testing,
    Committing,
}

/// The transactions of a job of a test.
#[derive(Debug)]
pub struct TestProgram {
    form: TestForm,
    types: [TransactionType; 1],
    touches: Touches,
    giver: Giver,
    commits: bool,
    at: At,
    /// The statement that it is at, and what that touches.
    statement: u64,
    touch: Touch,
    /// Rows that are still to be looked up, the next one last.
    found: Vec<i64>,
    did: ChunkResult,
}

/// What gives statements their values.
#[derive(Debug)]
struct Giver {
    inserts: bool,
    /// The first day of each month, and the first after all of them.
    days: [i32; MONTHS + 1],
    /// What the rows hold that inserts copy.
    small: Generator,
    small_rows: u64,
    /// The values of the statement that the program is at.
    values: Values,
}

impl TestProgram {
    /// The program of a job of a task, in the form that its engine has for it.
    #[must_use]
    pub fn new(spec: &PointSpec, job: u32, form: TestForm) -> Self {
        let touches = Touches::new(spec, job);
        let mut days = [0; MONTHS + 1];
        for (range, day) in (0..).zip(&mut days) {
            *day = i32::try_from(first_day(range)).unwrap_or(i32::MAX);
        }
        let giver = Giver {
            inserts: spec.test.procedure.shape == ProcedureShape::Insert,
            days,
            small: Generator::new(&spec.size, TableShape::Small, spec.seed),
            small_rows: spec.size.small_rows.max(1),
            values: Values::new(),
        };
        Self {
            form,
            types: [TransactionType { name: spec.test.code.to_string(), weight: 1 }],
            commits: commits(spec),
            touches,
            giver,
            at: At::Beginning,
            statement: 0,
            touch: Touch::default(),
            found: Vec::new(),
            did: ChunkResult::default(),
        }
    }

    /// Statements of a transaction, those not counted that look up what one has found.
    #[must_use]
    pub fn statements(&self) -> u64 {
        self.touches.statements()
    }

    /// Begins the statement that it is at.
    #[inline]
    fn test(&mut self) -> Act {
        let Self { form, touches, giver, .. } = self;
        self.touch = touches.statement(self.statement);
        giver.values.clear();
        let opens = self.commits && self.statement == 0;
        if let Some(places) = &form.finds {
            self.at = At::Finding;
            giver.give(places, self.touch, || [0, MONTHS]);
            return Act::Execute { statement: 0, times: 1, opens };
        }
        self.at = At::Testing;
        let times = if form.in_two {
            let begin = self.touch.other as usize % MONTHS;
            giver.give(&form.parameters, self.touch, || [begin, MONTHS]);
            giver.give(&form.parameters, self.touch, || [0, begin]);
            2
        } else {
            giver.give_row(&form.parameters, self.touch);
            1
        };
        Act::Execute { statement: 0, times, opens }
    }

    /// Looks up the next row that was found, if there is one more.
    #[inline]
    fn look_up(&mut self) -> Option<Act> {
        let ref_id = self.found.pop()?;
        self.at = At::LookingUp;
        self.giver.values.clear();
        // As the joins of all engines have it: partners lie all over the large table.
        let partner = Touch { key: (32 * ref_id - 16).cast_unsigned(), ..self.touch };
        self.giver.give_row(&self.form.parameters, partner);
        Some(Act::Execute { statement: 1, times: 1, opens: false })
    }

    /// Adds what a statement has done.
    #[inline]
    fn add(&mut self, done: &ChunkResult, answer: &Answer) {
        let (rows, checksum) = match self.form.reads {
            Reads::Quantities => (done.rows, done.checksum),
            Reads::Sums => {
                let number = |row, column| answer.sum_at(row, column).unwrap_or(0);
                let add =
                    |sum: (u64, u64), row| (sum.0.wrapping_add(number(row, 0)), sum.1.wrapping_add(number(row, 1)));
                (0..answer.rows()).fold((0, 0), add)
            }
            Reads::Changes if done.rows == 0 => (0, 0),
            Reads::Changes if self.giver.inserts => (done.rows, self.giver.small.quantity(self.touch.other)),
            Reads::Changes => (done.rows, self.touch.key),
        };
        self.did.rows += rows;
        self.did.checksum = self.did.checksum.wrapping_add(checksum);
    }
}

impl Giver {
    /// Gives a statement about one row its values: days are those of the month that the row lies in.
    #[inline(always)]
    fn give_row(&mut self, places: &[Parameter], touch: Touch) {
        let id = if self.inserts { touch.key + 1 } else { touch.key };
        let small_rows = self.small_rows;
        let month = move || (id.saturating_sub(1) / small_rows) as usize % MONTHS;
        self.give(places, touch, || [month(), month() + 1]);
    }

    /// Gives a statement its values. `months`, from one to another, are only told where a place asks for days.
    // A call would hand over seven things, most of which a statement about one row does not need.
    #[inline(always)]
    fn give(&mut self, places: &[Parameter], touch: Touch, months: impl Fn() -> [usize; 2]) {
        let Self { small, small_rows, days, values, inserts } = self;
        let Touch { key, other } = touch;
        let copies = *inserts && !places.contains(&Parameter::Source);
        let row = copies.then(|| small.row(other));
        for place in places {
            let value = match (place, &row) {
                (Parameter::Key, _) => Value::Int(key.cast_signed()),
                (Parameter::Id, _) => Value::Int((key + u64::from(*inserts)).cast_signed()),
                (Parameter::LastKey | Parameter::Source, _) => Value::Int(other.cast_signed()),
                (Parameter::SmallRows, _) => Value::Int(small_rows.cast_signed()),
                (Parameter::From, _) => Value::Day(days[months()[0]]),
                (Parameter::To, _) => Value::Day(days[months()[1]]),
                (Parameter::Region, None) => Value::Int(region(TableShape::Small, key).cast_signed()),
                (column, Some(row)) => of_row(row, *column),
                (_, None) => Value::Null,
            };
            values.push(value);
        }
    }
}

/// A column of a row.
fn of_row<'r>(row: &Row<'r>, column: Parameter) -> Value<'r> {
    match column {
        Parameter::Region => Value::Int(row.region),
        Parameter::CustomerId => Value::Int(row.customer_id),
        Parameter::RefId => Value::Int(row.ref_id),
        Parameter::BookedOn => Value::Day(i32::try_from(row.booked_on_days).unwrap_or(i32::MAX)),
        Parameter::Quantity => Value::Int(row.quantity),
        Parameter::Amount => Value::Cents(row.amount_cents),
        Parameter::Status => Value::Text(row.status),
        Parameter::Filler => Value::Text(row.filler),
        _ => Value::Null,
    }
}

impl Program for TestProgram {
    fn types(&self) -> &[TransactionType] {
        &self.types
    }

    #[inline]
    fn begin(&mut self) -> TypeId {
        (self.at, self.statement, self.did) = (At::Beginning, 0, ChunkResult::default());
        TypeId::FIRST
    }

    fn again(&mut self) {
        self.touches.again();
        self.begin();
    }

    #[inline]
    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>) -> Act {
        match (self.at, reply) {
            (At::Beginning, _) | (_, None) => return self.test(),
            (At::Committing, Some(_)) => return Act::Ended,
            (At::Finding, Some((_, answer))) => {
                self.found.clear();
                self.found.extend((0..answer.rows()).rev().filter_map(|row| answer.int(row, 0)));
            }
            (At::LookingUp | At::Testing, Some((done, answer))) => self.add(done, answer),
        }
        if let Some(act) = self.look_up() {
            return act;
        }
        self.statement += 1;
        if self.statement < self.touches.statements() {
            return self.test();
        }
        if self.commits {
            self.at = At::Committing;
            return Act::Commit;
        }
        Act::Ended
    }

    #[inline]
    fn values(&self) -> &Values {
        &self.giver.values
    }

    #[inline]
    fn did(&self) -> ChunkResult {
        self.did
    }

    #[inline]
    fn ended(&mut self, _: Outcome) {
        self.touches.advance();
    }
}

//! A workload on an engine: what the target holds of it, its load, its figures.

use crate::Dialect;
use crate::dialect::Made;
use dbdyno_engine::bookkeeping::{Meta, kept_entry};
use dbdyno_engine::client::{Bound, StatementText, Statements, Values};
use dbdyno_engine::{Engine, EngineError, LoadWatch, Request, Session, TableRows};
use dbdyno_model::{CommitMode, ErrorClass};
use std::collections::BTreeMap;

/// What a target holds of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Nothing.
    Nothing,
    /// A load that did not come to its end.
    Partly {
        /// Its scale.
        scale: u64,
    },
    /// All of it.
    Complete {
        /// Its scale.
        scale: u64,
    },
}

impl Held {
    fn read(entry: &str) -> Self {
        let words: Vec<&str> = entry.split(' ').collect();
        match words.as_slice() {
            ["loading" | "filling", "scale", scale] => {
                scale.parse().map_or(Self::Nothing, |scale| Self::Partly { scale })
            }
            ["complete", "scale", scale] => scale.parse().map_or(Self::Nothing, |scale| Self::Complete { scale }),
            _ => Self::Nothing,
        }
    }

    /// The scale, of whatever is there.
    #[must_use]
    pub fn scale(self) -> Option<u64> {
        match self {
            Self::Nothing => None,
            Self::Partly { scale } | Self::Complete { scale } => Some(scale),
        }
    }
}

/// A workload in its dialect, on an engine.
pub struct TargetWorkload<'e> {
    engine: &'e dyn Engine,
    dialect: &'e Dialect,
}

impl<'e> TargetWorkload<'e> {
    /// A workload on an engine.
    #[must_use]
    pub fn new(engine: &'e dyn Engine, dialect: &'e Dialect) -> Self {
        Self { engine, dialect }
    }

    fn name(&self) -> &'static str {
        self.dialect.workload().name()
    }

    /// What the target holds of it.
    ///
    /// # Errors
    /// The target cannot be reached, or what it holds is not dbdyno's.
    pub fn held(&self) -> Result<Held, EngineError> {
        Ok(Held::read(self.engine.books()?.get(&self.entry())))
    }

    fn entry(&self) -> String {
        format!("workload {}", self.name())
    }

    /// Loads it at a scale, with so many jobs at the same time where the engine can. A load of the same scale that did
    /// not come to its end goes on where it stopped; whatever else is there of an earlier load goes first. Returns the
    /// rows of each table, in order, and whether an earlier load went on. The target is held.
    ///
    /// # Errors
    /// Something of its names is there that dbdyno did not make; the engine's; `Cancelled` once the watch says so; what
    /// was loaded is not what was to be.
    pub fn load(
        &self,
        scale: u64,
        jobs: u32,
        watch: &dyn LoadWatch,
    ) -> Result<(Vec<(String, u64)>, bool), EngineError> {
        // Where nothing is there yet, what is asked for below could not be asked.
        self.engine.note(&[])?;
        let (books, made, fills) = (self.engine.books()?, self.dialect.makes()?, self.dialect.fills(scale)?);
        made.iter().try_for_each(|made| self.refuse_others(made, &books))?;
        let filling = format!("filling scale {scale}");
        let goes_on = books.get(&self.entry()) == filling && self.are_there(&made)?;
        if !goes_on {
            self.make(scale, &made, &fills, &books)?;
            self.engine.note(&[(self.entry(), filling)])?;
        }
        self.engine.fill(&fills, jobs, watch)?;
        let rows = fills.iter().map(|table| (self.short(&table.what).to_owned(), table.rows)).collect();
        for statement in self.dialect.all("finish") {
            self.run(&[statement])?;
        }
        let workload = self.dialect.workload();
        let wrong: Vec<String> = self.recount(scale)?.into_iter().chain(workload.broken(&self.look()?)).collect();
        if !wrong.is_empty() {
            let message = format!("what was loaded for {} is not what was to be: {}", self.name(), wrong.join("; "));
            return Err(EngineError::new(ErrorClass::Corruption, message));
        }
        self.engine.note(&[(self.entry(), format!("complete scale {scale}"))])?;
        Ok((rows, goes_on))
    }

    /// What rows are, without the workload's name.
    fn short<'w>(&self, what: &'w str) -> &'w str {
        what.strip_prefix(self.name()).map_or(what, str::trim_start)
    }

    /// Makes tables and procedures anew, of which nothing is noted as filled.
    fn make(&self, scale: u64, made: &[Made<'_>], fills: &[TableRows], books: &Meta) -> Result<(), EngineError> {
        let filled = |entry: &str| fills.iter().any(|table| table.notes(entry));
        let stale = books.entries().filter(|(entry, value)| *value == "1" && filled(entry));
        let stale: Vec<(String, String)> = stale.map(|(entry, _)| (entry.to_owned(), "0".to_owned())).collect();
        self.engine.note(&stale)?;
        made.iter().filter(|made| books.keeps(made.kind, made.name())).try_for_each(|made| self.clear(made))?;
        let mut notes = vec![(self.entry(), format!("loading scale {scale}"))];
        for made in made {
            let value = if made.columns.is_empty() { "1" } else { made.columns };
            notes.push((kept_entry(made.kind, made.name()), value.to_owned()));
        }
        self.engine.note(&notes)?;
        made.iter().try_for_each(|made| self.run(&[made.sql.to_owned().into()]))
    }

    /// Whether all tables are there.
    fn are_there(&self, made: &[Made<'_>]) -> Result<bool, EngineError> {
        for made in made.iter().filter(|made| made.kind == "table") {
            if !self.is_there(made.called)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Refuses a table that has one of our names and that no earlier load has made so: nobody has noted it, or its
    /// columns are others. A procedure that is in the way is told of by the statement that makes ours.
    fn refuse_others(&self, made: &Made<'_>, books: &Meta) -> Result<(), EngineError> {
        let Made { kind, called, columns, .. } = made;
        if *kind != "table"
            || !self.is_there(called)?
            || (books.keeps(kind, made.name()) && self.has(called, columns)?)
        {
            return Ok(());
        }
        Err(EngineError::other(format!(
            "the target holds the table {called}, which dbdyno did not make and whose name {} needs; rename it or drop it yourself",
            self.name()
        )))
    }

    /// Drops what an earlier load has made.
    fn clear(&self, made: &Made<'_>) -> Result<(), EngineError> {
        let Made { kind, called, .. } = made;
        match self.run(&[format!("DROP {} {called}", kind.to_uppercase()).into()]) {
            // A load that was killed had noted it, and not yet made.
            Err(error) if *kind != "table" || error.class == ErrorClass::UnknownObject => Ok(()),
            done => done,
        }
    }

    fn is_there(&self, table: &str) -> Result<bool, EngineError> {
        match self.run(&[format!("SELECT 1 FROM {table} WHERE 1 = 0").into()]) {
            Ok(()) => Ok(true),
            Err(error) if error.class == ErrorClass::UnknownObject => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a table has these columns, and no more.
    fn has(&self, table: &str, columns: &str) -> Result<bool, EngineError> {
        let columns = columns.replace(' ', ", ");
        let both = format!("SELECT {columns} FROM {table} WHERE 1 = 0 UNION ALL SELECT * FROM {table} WHERE 1 = 0");
        match self.run(&[both.into()]) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.class, ErrorClass::UnknownObject | ErrorClass::Other) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Counts the rows, and says where they are not as many as a load of this scale makes.
    ///
    /// # Errors
    /// The engine's.
    pub fn recount(&self, scale: u64) -> Result<Vec<String>, EngineError> {
        Ok(self.dialect.workload().misloaded(scale, &self.figures("count")?))
    }

    /// The figures that must agree.
    ///
    /// # Errors
    /// The engine's.
    pub fn look(&self) -> Result<Vec<i64>, EngineError> {
        self.figures("look")
    }

    fn figures(&self, statement: &str) -> Result<Vec<i64>, EngineError> {
        let mut session = self.session(vec![self.dialect.text(statement)?])?;
        execute(session.as_mut(), 0, &Values::new())?;
        let answer = session.answer();
        Ok((0..).map_while(|column| answer.int(0, column)).collect())
    }

    /// Brings its tables to rest, as far as the engine does not do so by itself.
    ///
    /// # Errors
    /// The engine's.
    pub fn rest(&self) -> Result<(), EngineError> {
        self.run(&self.dialect.all("rest"))
    }

    fn run(&self, statements: &[StatementText]) -> Result<(), EngineError> {
        for statement in statements {
            let mut session = self.session(vec![statement.clone()])?;
            execute(session.as_mut(), 0, &Values::new())?;
            session.flush()?;
        }
        Ok(())
    }

    fn session(&self, texts: Vec<StatementText>) -> Result<Box<dyn Session>, EngineError> {
        let mut session = self.engine.client_session(0, 1)?;
        session.prepare_statements(&Statements { work: self.name().to_owned(), texts, commit: CommitMode::Durable })?;
        Ok(session)
    }
}

fn execute(session: &mut dyn Session, statement: usize, values: &Values) -> Result<(), EngineError> {
    let request = Request::Statement(Bound { statement, values, times: 1, opens: false });
    session.execute(&request).map(drop).map_err(|failure| failure.error)
}

/// What a target holds of all workloads: their scales, by name.
///
/// # Errors
/// The target cannot be reached, or what it holds is not dbdyno's.
pub fn held_of_all(engine: &dyn Engine) -> Result<BTreeMap<String, Held>, EngineError> {
    let books = engine.books()?;
    let entry = |(name, value): (&str, &str)| Some((name.strip_prefix("workload ")?.to_owned(), Held::read(value)));
    Ok(books.entries().filter_map(entry).collect())
}

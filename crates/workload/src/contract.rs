//! What every workload says of itself: what it is, its transactions, and what proves that they were done.

use crate::{Assignment, DataSpec};
use dbdyno_engine::data::DEFAULT_SEED;
use dbdyno_engine::program::{Program, TransactionType, TypeId};
use dbdyno_model::{Drive, Mix, MixRequest, Parameters, Scale};
use std::fmt;

/// One user of a workload: what its program draws and does follows from this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its number, from 0 on.
    pub number: u32,
    /// Users in all, on whatever hosts.
    pub of: u32,
    /// Seed of what users draw: differs from point to point.
    pub seed: u64,
    /// The data that there is: rows are a function of it.
    pub data: DataSpec,
    /// The workload's parameters that decide what users do.
    pub parameters: Parameters,
    /// Whether it sends each statement, or calls a procedure for a transaction.
    pub form: Drive,
}

/// What became of the transactions of one type, whenever they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ended {
    /// The database has acknowledged them.
    pub acknowledged: u64,
    /// The program has rolled them back, and they have ended as they should.
    pub rolled_back: u64,
    /// The answer never came: the database has them or has them not.
    pub unknown: u64,
    /// The sum of what the program said of those that were acknowledged ([`Program::did`]), modulo 2^64.
    pub sum: u64,
}

impl Ended {
    /// These and others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            acknowledged: self.acknowledged + other.acknowledged,
            rolled_back: self.rolled_back + other.rolled_back,
            unknown: self.unknown + other.unknown,
            sum: self.sum.wrapping_add(other.sum),
        }
    }

    /// Why something that each transaction adds one to cannot have grown by so much, if it cannot.
    #[must_use]
    pub fn misfit(&self, what: &str, growth: i64) -> Option<String> {
        self.outside(what, growth, self.acknowledged, 1)
    }

    /// Why something that each transaction adds what it says to, `most` at the most, cannot have grown by so much, if
    /// it cannot.
    #[must_use]
    pub fn misfit_of_sum(&self, what: &str, growth: i64, most: u64) -> Option<String> {
        self.outside(what, growth, self.sum, most)
    }

    fn outside(&self, what: &str, growth: i64, due: u64, most: u64) -> Option<String> {
        let unknown = self.unknown;
        let fits = u64::try_from(growth).is_ok_and(|growth| (due..=due + unknown * most).contains(&growth));
        let more = match unknown {
            0 => String::new(),
            _ => format!(", and up to {} by {unknown} transactions of which nobody knows", unknown * most),
        };
        (!fits).then(|| format!("{what} grew by {growth}, and by {due} as acknowledged{more}"))
    }
}

/// What a user has set of a workload that has parameters, as far as it decides something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// What users do.
    pub work: Parameters,
    /// What rows the data has.
    pub data: Parameters,
    /// The names of what somebody has set of that: data that is there must have it.
    pub data_named: Vec<String>,
    /// How long a point is measured, in seconds; `None` where nobody has said it.
    pub duration_s: Option<f64>,
    /// Jobs of a load; `None` where nobody has said it.
    pub load_jobs: Option<u32>,
    /// Users at work on each unit of the scale.
    pub users_per_unit: u32,
    /// How many transactions each user does; `None` where users work as long as the window lasts.
    pub transactions_each: Option<u64>,
    /// A program that is to be called before and after.
    pub script: Option<String>,
    /// What asks for the reports of the server's own workload repository, as the user has written it, if anything does.
    pub repository_reports: Option<String>,
}

/// What a workload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Its name, as users type it.
    pub name: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// What it does to the database, in a line.
    pub load_words: &'static str,
    /// What one unit of the scale is.
    pub scale_words: &'static str,
    /// The scale is a whole number of these.
    pub scale_step: Scale,
    /// The scale that is loaded where none is named.
    pub scale_by_default: Scale,
    /// What one unit of the scale is called, where each has tables of its own and users of its own, and a run may use
    /// fewer than are there.
    pub unit: Option<&'static str>,
    /// Whether each row that is read or changed lies in a block of its own, so that it is one visit of a block.
    pub row_is_block: bool,
    /// Another number whenever its programs do something else.
    pub version: u32,
    /// Commits of a transaction of each type that its log must keep, in the order of [`Workload::types`]: none where it
    /// only reads.
    pub commits: &'static [u64],
    /// Whether its transactions send nothing outside of BEGIN and COMMIT: then a server counts no more commits than
    /// these.
    pub nothing_outside: bool,
    /// The tables that a load fills, as TOML: name, rows for a unit of the scale, and columns with what rows have
    /// there.
    pub tables: &'static str,
}

impl About {
    /// Whether transactions of these types, with their weights, write what the log must keep.
    #[must_use]
    pub fn writes(&self, types: &[TransactionType]) -> bool {
        types.iter().zip(self.commits).any(|(of, commits)| of.weight > 0 && *commits > 0)
    }

    /// Commits of a transaction of a type that its log must keep.
    #[must_use]
    pub fn commits_of(&self, type_id: TypeId) -> u64 {
        self.commits.get(type_id.number()).copied().unwrap_or_default()
    }
}

/// What a workload says of itself.
pub trait Workload: Sync {
    /// What it is.
    fn about(&self) -> &'static About;

    /// Its name, as users type it.
    fn name(&self) -> &'static str {
        self.about().name
    }

    /// The types of its transactions, with the weights that they have where no mix is asked for.
    fn types(&self) -> Vec<TransactionType>;

    /// How users name these types in a mix, in the same order; empty where there is one type.
    fn codes(&self) -> &'static [&'static str] {
        &[]
    }

    /// The types of its transactions, with the weights of a mix if there is one, or with those that its parameters say.
    fn types_of(&self, mix: Option<&Mix>, _: &Parameters) -> Vec<TransactionType> {
        let mut types = self.types();
        for (of, code) in types.iter_mut().zip(self.codes()) {
            of.weight = mix.map_or(of.weight, |mix| mix.weight(code));
        }
        types
    }

    /// The mix that a user asks for.
    ///
    /// # Errors
    /// Its types have no weights to choose, a code is none of them, or no type would come.
    fn mix(&self, asked: &MixRequest) -> Result<Mix, String> {
        let types = self.types();
        match self.codes() {
            [] => Err("it has one type of transaction: leave --mix away".to_owned()),
            codes => asked.resolve(&codes.iter().zip(&types).map(|(code, of)| (*code, of.weight)).collect::<Vec<_>>()),
        }
    }

    /// What a user has set.
    ///
    /// # Errors
    /// It has no such parameters, or a value that it cannot have.
    fn settings(&self, assignments: &[Assignment]) -> Result<Settings, String> {
        match assignments {
            [] => Ok(Settings { users_per_unit: 1, ..Settings::default() }),
            [first, ..] => Err(format!("{}: {} has no parameters", first.place, self.name())),
        }
    }

    /// The data that is loaded where nothing else is asked for.
    fn data_by_default(&self) -> DataSpec {
        let parameters = self.settings(&[]).unwrap_or_default().data;
        DataSpec { parameters, ..DataSpec::new(self.about().scale_by_default, DEFAULT_SEED) }
    }

    /// The parameters with which its users commit again and again and bring as little else to the devices as they can,
    /// for the proof that commits are durable.
    fn committing(&self, _: &DataSpec, parameters: &Parameters) -> Parameters {
        parameters.clone()
    }

    /// Refuses parameters that do not go with the data.
    ///
    /// # Errors
    /// What does not go together.
    fn fits(&self, _: &DataSpec, _: &Parameters) -> Result<(), String> {
        Ok(())
    }

    /// How much data that is, in words.
    fn data_words(&self, data: &DataSpec) -> String {
        format!("scale {}", data.scale)
    }

    /// The statements of a form, in the order of the numbers by which a program names them.
    fn statements(&self, form: Drive) -> Vec<&'static str>;

    /// The unit of the scale whose tables a statement of a user names, by the statement's number; the first is 1.
    fn unit(&self, _statement: usize, _: &User) -> u32 {
        1
    }

    /// The program of a user, whose transactions are of these types: those of the workload, perhaps with other weights.
    fn program(&self, user: User, types: Vec<TransactionType>) -> Box<dyn Program>;

    /// What is wrong with the figures of the statement `count` after a load.
    fn misloaded(&self, data: &DataSpec, counted: &[i64]) -> Vec<String>;

    /// What is wrong with the figures of the statement `placed` after a load, where an engine has one.
    fn misplaced(&self, _: &DataSpec, _figures: &[i64]) -> Vec<String> {
        Vec::new()
    }

    /// What is wrong with the figures of the statement `look`, whenever that is asked.
    fn broken(&self, _figures: &[i64]) -> Vec<String> {
        Vec::new()
    }

    /// The figures of the statement `look` that count rows, and which of the statements `keys` names these rows.
    fn traced(&self) -> &'static [(usize, &'static str)] {
        &[]
    }

    /// What is wrong with how the figures have changed, from before to after, while transactions ended so, by type in
    /// the order of [`Workload::types`], on data and with parameters.
    fn miscounted(&self, figures: (&[i64], &[i64]), ended: &[Ended], of: (&DataSpec, &Parameters)) -> Vec<String>;
}

impl fmt::Debug for dyn Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

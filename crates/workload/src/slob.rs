//! Random reads and updates through the database, as users of SLOB know them: each row lies alone in its block, and an
//! operation reads or changes the rows of some neighbouring keys, which lie in unrelated blocks. Parameters have the
//! names and values of a `slob.conf`; statements, data and code are dbdyno's own (docs/slob.md).

mod operations;
mod proof;

use crate::slob_conf::{self, Conf};
use crate::{About, Assignment, DataSpec, Ended, Settings, User, Workload};
use dbdyno_engine::program::{Program, TransactionType};
use dbdyno_model::{Drive, Mix, Parameters, Scale};
use operations::{FIRST_UNIT, Operations, Sent};
use strum::VariantArray as _;

pub(crate) struct Slob;

/// What parameters say. Those of a plan were checked when it was made.
fn conf_of(data: &DataSpec, parameters: &Parameters) -> Conf {
    slob_conf::together(data, parameters).unwrap_or_default()
}

impl Workload for Slob {
    fn about(&self) -> &'static About {
        &About {
            name: "slob",
            title: "random reads and updates, each row in a block of its own, as users of SLOB know them",
            load_words: "reads and changes rows of its own tables all over them; commits again and again",
            scale_words: "1 schema of SCALE blocks (10,240 of 8 KiB), which --schemas counts",
            scale_step: Scale::ONE,
            scale_by_default: Scale::ONE,
            unit: Some("schema"),
            row_is_block: true,
            version: 1,
            commits: &[0, 1, 0],
            nothing_outside: false,
            tables: include_str!("slob.toml"),
        }
    }

    fn types(&self) -> Vec<TransactionType> {
        self.types_of(None, &Parameters::default())
    }

    fn types_of(&self, _: Option<&Mix>, parameters: &Parameters) -> Vec<TransactionType> {
        let of = |(name, weight): (&&str, u32)| TransactionType { name: (*name).to_owned(), weight };
        proof::KINDS.iter().zip(slob_conf::shares(parameters)).map(of).collect()
    }

    fn settings(&self, assignments: &[Assignment]) -> Result<Settings, String> {
        slob_conf::settings(assignments).map_err(|error| error.to_string())
    }

    fn fits(&self, data: &DataSpec, parameters: &Parameters) -> Result<(), String> {
        slob_conf::together(data, parameters).map(drop).map_err(|error| error.to_string())
    }

    fn committing(&self, data: &DataSpec, parameters: &Parameters) -> Parameters {
        Parameters::from_iter(conf_of(data, parameters).committing().work())
    }

    fn data_words(&self, data: &DataSpec) -> String {
        slob_conf::data_words(data)
    }

    fn statements(&self, _: Drive) -> Vec<&'static str> {
        // Those of the own schema, and then those of the first.
        [Sent::VARIANTS, Sent::VARIANTS].concat().into_iter().map(<&str>::from).collect()
    }

    fn unit(&self, statement: usize, user: &User) -> u32 {
        match statement < Sent::VARIANTS.len() {
            true => operations::own_unit(user, &conf_of(&user.data, &user.parameters)),
            false => FIRST_UNIT,
        }
    }

    fn program(&self, user: User, types: Vec<TransactionType>) -> Box<dyn Program> {
        let conf = conf_of(&user.data, &user.parameters);
        Box::new(Operations::new(types, &user, conf))
    }

    fn misloaded(&self, data: &DataSpec, counted: &[i64]) -> Vec<String> {
        proof::misloaded(&conf_of(data, &Parameters::default()), data.scale.whole_units(), counted)
    }

    fn misplaced(&self, data: &DataSpec, figures: &[i64]) -> Vec<String> {
        proof::misplaced(data.scale.whole_units(), figures)
    }

    fn miscounted(
        &self,
        _: (&[i64], &[i64]),
        ended: &[Ended],
        (data, parameters): (&DataSpec, &Parameters),
    ) -> Vec<String> {
        proof::miscounted(&conf_of(data, parameters), ended)
    }
}

#[cfg(test)]
mod tests;

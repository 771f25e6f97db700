//! Order Entry: customers register, browse products, order them and look at their orders, as users of the workload of
//! that name know it. Tables, transactions and their weights are those of its second version; statements, names of what
//! is generated and code are dbdyno's own, so figures are compared with dbdyno's alone (docs/order-entry.md).
//!
//! Each transaction is one transaction of the database, which reads before it opens and ends with its commit, so that
//! its outcome is one fact.

mod kinds;
mod proof;
mod statements;
mod visits;

use crate::{About, DataSpec, Ended, User, Workload};
use dbdyno_engine::program::{Program, TransactionType};
use dbdyno_model::{Drive, Parameters, Scale};
use kinds::{CODES, KINDS, TABLES};
use statements::Sent;
use strum::VariantNames as _;
use visits::Visits;

pub(crate) struct OrderEntry;

impl Workload for OrderEntry {
    fn about(&self) -> &'static About {
        &About {
            name: "order-entry",
            title: "customers register, browse, order and look at orders",
            load_words: "changes and adds rows of its own tables; commits again and again",
            scale_words: "1,000,000 customers with 1,429,790 orders, about 1 GB",
            scale_step: Scale::LEAST,
            scale_by_default: Scale::TENTH,
            unit: None,
            row_is_block: false,
            version: 2,
            commits: &[1, 1, 1, 1, 1, 1, 0, 0, 0],
            nothing_outside: false,
            tables: TABLES,
        }
    }

    fn types(&self) -> Vec<TransactionType> {
        KINDS.iter().map(|of| TransactionType { name: of.name.to_owned(), weight: of.weight }).collect()
    }

    fn codes(&self) -> &'static [&'static str] {
        &CODES
    }

    fn statements(&self, form: Drive) -> Vec<&'static str> {
        match form {
            Drive::Client => Sent::VARIANTS.to_vec(),
            Drive::Server => KINDS.map(|kind| kind.called).to_vec(),
        }
    }

    fn program(&self, user: User, types: Vec<TransactionType>) -> Box<dyn Program> {
        Box::new(Visits::new(types, user))
    }

    fn misloaded(&self, data: &DataSpec, counted: &[i64]) -> Vec<String> {
        proof::misloaded(data, counted)
    }

    fn broken(&self, figures: &[i64]) -> Vec<String> {
        proof::broken(figures)
    }

    fn traced(&self) -> &'static [(usize, &'static str)] {
        &proof::TRACED
    }

    fn miscounted(
        &self,
        (before, after): (&[i64], &[i64]),
        ended: &[Ended],
        _: (&DataSpec, &Parameters),
    ) -> Vec<String> {
        proof::miscounted(before, after, ended)
    }
}

#[cfg(test)]
mod tests;

//! Order Entry: customers register, browse products, order them and look at their orders, as users of the workload of
//! that name know it. Tables, transactions and their weights are those of its second version; statements, names of what
//! is generated and code are dbdyno's own, so figures are compared with dbdyno's alone (docs/order-entry.md).
//!
//! Each transaction is one transaction of the database, which reads before it opens and ends with its commit, so that its
//! outcome is one fact. What is read is not drawn again: a user takes what the database answers.

mod proof;
mod statements;
mod visits;

use crate::{About, Done, User, Workload};
use dbdyno_engine::program::{Program, TransactionType};
use dbdyno_model::{Drive, Scale};
use statements::Sent;
use strum::VariantNames as _;
use visits::Visits;

/// A type of transaction: its place among [`Workload::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Register,
    UpdateCustomer,
    BrowseProducts,
    OrderProducts,
    ProcessOrders,
    BrowseOrders,
}

/// A type of transaction, as users and statements name it.
struct KindFacts {
    kind: Kind,
    name: &'static str,
    /// The procedure that does it.
    called: &'static str,
    weight: u32,
}

const fn facts(kind: Kind, name: &'static str, called: &'static str, weight: u32) -> KindFacts {
    KindFacts { kind, name, called, weight }
}

/// All types, in order.
const KINDS: [KindFacts; 6] = [
    facts(Kind::Register, "customer registration", "register", 15),
    facts(Kind::UpdateCustomer, "update customer details", "update_customer", 10),
    facts(Kind::BrowseProducts, "browse products", "browse_products", 50),
    facts(Kind::OrderProducts, "order products", "order_products", 40),
    facts(Kind::ProcessOrders, "process orders", "process_orders", 5),
    facts(Kind::BrowseOrders, "browse orders", "browse_orders", 5),
];

/// What the tables are filled with.
const TABLES: &str = include_str!("order_entry.toml");

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
            version: 1,
            commits: &[1; KINDS.len()],
            tables: TABLES,
        }
    }

    fn types(&self) -> Vec<TransactionType> {
        KINDS.iter().map(|of| TransactionType { name: of.name.to_owned(), weight: of.weight }).collect()
    }

    fn statements(&self, form: Drive) -> Vec<&'static str> {
        match form {
            Drive::Client => Sent::VARIANTS.to_vec(),
            Drive::Server => KINDS.map(|kind| kind.called).to_vec(),
        }
    }

    fn program(&self, user: User) -> Box<dyn Program> {
        Box::new(Visits::new(self.types(), user))
    }

    fn misloaded(&self, scale: Scale, counted: &[i64]) -> Vec<String> {
        proof::misloaded(scale, counted)
    }

    fn broken(&self, figures: &[i64]) -> Vec<String> {
        proof::broken(figures)
    }

    fn traced(&self) -> &'static [(usize, &'static str)] {
        &proof::TRACED
    }

    fn miscounted(&self, before: &[i64], after: &[i64], done: &Done) -> Vec<String> {
        proof::miscounted(before, after, done)
    }
}

#[cfg(test)]
mod tests;

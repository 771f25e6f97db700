//! What a user of Order Entry does: one visit after the other, each a transaction of a type that is drawn.

mod each_kind;

use super::kinds::{KINDS, Kind, TABLES};
use super::proof::ITEMS;
use super::statements::Sent;
use crate::{DataSpec, User, tables};
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Value, Values};
use dbdyno_engine::data::{Column, DEFAULT_SEED, Keys, RowSource as _, RowsByColumns, mix};
use dbdyno_engine::program::{Act, Program, TransactionType, TypeId};
use dbdyno_model::{Drive, Scale};
use std::sync::LazyLock;

/// Products that are in stock have the ids from 1 to this number.
const STOCKED: u64 = 900;
const CATEGORIES: u64 = 100;
const WAREHOUSES: u64 = 1_000;
const SALES_REPS: u64 = 1_000;
/// Products that somebody looks at who browses.
const LOOKED_AT: u64 = 24;
/// Pieces of an item that is ordered.
const PIECES: u64 = 8;
/// A procedure picks by one of so many numbers.
const PICKS: u64 = 1_000_000;
/// Categories that somebody browses lie so far apart: none comes twice.
const APART: u64 = 13;

/// The columns of a customer; a customer's name is a function of its id.
static CUSTOMER: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let tables = tables::read("order-entry", TABLES, &DataSpec::new(Scale::ONE, DEFAULT_SEED)).unwrap_or_default();
    tables.into_iter().next().map(|table| table.columns).unwrap_or_default()
});
const FIRST_NAME: usize = 1;
const LAST_NAME: usize = 2;

/// An item that is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    product: i64,
    pieces: i64,
}

/// The visits of a user.
pub(super) struct Visits {
    types: Vec<TransactionType>,
    user: User,
    /// Customers that were loaded.
    customers: u64,
    names: RowsByColumns<'static>,
    /// A row of [`CUSTOMER`], for its names.
    name: Values,
    /// How many visits have begun.
    begun: u64,
    /// What this visit draws.
    keys: Keys,
    kind: Kind,
    /// Acts of this visit so far.
    at: usize,
    /// How many things this visit looks at.
    looks: usize,
    customer: i64,
    warehouse: i64,
    sales_rep: i64,
    category: u64,
    /// What a procedure picks by.
    pick: i64,
    /// Keys that the database has given, and others that it has answered with.
    known: [i64; 4],
    items: Vec<Item>,
    orders: Vec<i64>,
    values: Values,
    did: ChunkResult,
}

/// What came of the last act.
type Reply<'r> = Option<(&'r ChunkResult, &'r Answer)>;

fn number(reply: Reply<'_>, row: usize, column: usize) -> Option<i64> {
    reply.and_then(|(_, answer)| answer.int(row, column))
}

impl Visits {
    pub(super) fn new(types: Vec<TransactionType>, user: User) -> Self {
        let tables = tables::read("order-entry", TABLES, &user.data).unwrap_or_default();
        let customers = tables.first().map_or(1, |table| table.rows);
        Self {
            types,
            customers,
            names: RowsByColumns::new(&tables::called("order-entry", "customers"), user.data.seed, &CUSTOMER),
            name: Values::new(),
            begun: 0,
            keys: Keys::at(user.seed, user.number, 0),
            user,
            kind: Kind::BrowseProducts,
            at: 0,
            looks: 0,
            customer: 1,
            warehouse: 1,
            sales_rep: 1,
            category: 0,
            pick: 0,
            known: [0; 4],
            items: Vec::new(),
            orders: Vec::new(),
            values: Values::new(),
            did: ChunkResult::default(),
        }
    }

    /// One of 1 to n.
    fn one_of(&mut self, n: u64) -> i64 {
        1 + self.keys.draw(n).cast_signed()
    }

    fn drawn_kind(&mut self) -> Kind {
        let all: u32 = self.types.iter().map(|of| of.weight).sum();
        let mut left = self.keys.draw(u64::from(all).max(1));
        for (of, facts) in self.types.iter().zip(&KINDS) {
            match left.checked_sub(of.weight.into()) {
                Some(rest) => left = rest,
                None => return facts.kind,
            }
        }
        Kind::BrowseProducts
    }

    fn execute(&mut self, sent: Sent, opens: bool, numbers: &[i64]) -> Act {
        self.values.set(numbers);
        Act::Execute { statement: sent as usize, times: 1, opens }
    }

    fn send(&mut self, sent: Sent, numbers: &[i64]) -> Act {
        self.execute(sent, false, numbers)
    }

    fn open(&mut self, sent: Sent, numbers: &[i64]) -> Act {
        self.execute(sent, true, numbers)
    }

    /// What has no effect is rolled back: there is nothing to order, to process or to raise.
    fn give_up(&mut self) -> Act {
        self.at = usize::MAX - 1;
        self.did.checksum = 0;
        Act::Rollback
    }

    fn name(&self, column: usize) -> Value<'_> {
        self.name.get(column).unwrap_or(Value::Null)
    }

    /// The call that does all. It answers with 0 where there was nothing to do, else with the items or orders.
    fn call(&mut self, reply: Reply<'_>) -> Act {
        match number(reply, 0, 0) {
            Some(0) => return self.give_up(),
            Some(said) => self.did.checksum = said.cast_unsigned(),
            None => {}
        }
        if self.at > 1 {
            return Act::Ended;
        }
        let (customer, category, looks) = (self.customer, self.category.cast_signed(), self.looks as i64);
        let product = self.one_of(STOCKED);
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        match self.kind {
            Kind::Register => values.push(self.name(FIRST_NAME)).push(self.name(LAST_NAME)),
            Kind::UpdateCustomer => values.push(self.name(LAST_NAME)).push(self.name(FIRST_NAME)),
            Kind::BrowseProducts => values.set(&[customer, product, looks]),
            Kind::OrderProducts => values.set(&[customer, self.warehouse, category, looks, self.pick]),
            Kind::ProcessOrders => values.set(&[self.warehouse]),
            Kind::BrowseOrders => values.set(&[customer, self.pick]),
            Kind::SalesRepQuery => values.set(&[self.sales_rep]),
            Kind::WarehouseOrdersQuery | Kind::WarehouseActivityQuery => values.set(&[self.warehouse]),
        };
        self.values = values;
        Act::Execute { statement: self.kind as usize, times: 1, opens: false }
    }
}

impl Program for Visits {
    fn types(&self) -> &[TransactionType] {
        &self.types
    }

    fn begin(&mut self) -> TypeId {
        self.begun += 1;
        self.again();
        TypeId::new(self.kind as u8)
    }

    fn again(&mut self) {
        let User { seed, number, .. } = self.user;
        self.keys = Keys::at(seed ^ mix(self.begun), number, 0);
        self.kind = self.drawn_kind();
        self.customer = self.one_of(self.customers);
        self.warehouse = self.one_of(WAREHOUSES);
        self.category = self.keys.draw(CATEGORIES);
        self.pick = self.one_of(PICKS);
        self.looks = match self.kind {
            Kind::BrowseProducts => self.one_of(LOOKED_AT) as usize,
            Kind::OrderProducts => (ITEMS.0 + self.keys.draw(ITEMS.1 - ITEMS.0 + 1)) as usize,
            _ => 0,
        };
        if self.kind == Kind::SalesRepQuery {
            self.sales_rep = self.one_of(SALES_REPS);
        }
        if matches!(self.kind, Kind::Register | Kind::UpdateCustomer) {
            self.names.row(self.customer.cast_unsigned(), &mut self.name);
        }
        self.items.clear();
        self.orders.clear();
        (self.at, self.did) = (0, ChunkResult::default());
    }

    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>) -> Act {
        self.did.rows += reply.map_or(0, |(done, _)| done.rows);
        self.at = self.at.saturating_add(1);
        if self.at == usize::MAX {
            return Act::Ended;
        }
        if self.user.form == Drive::Server {
            return self.call(reply);
        }
        match self.kind {
            Kind::Register => self.register(reply),
            Kind::UpdateCustomer => self.update_customer(reply),
            Kind::BrowseProducts => self.browse_products(),
            Kind::OrderProducts => self.order_products(reply),
            Kind::ProcessOrders => self.process_orders(reply),
            Kind::BrowseOrders => self.browse_orders(reply),
            Kind::SalesRepQuery => self.query(Sent::SalesRepOrders, self.sales_rep),
            Kind::WarehouseOrdersQuery => self.query(Sent::WarehouseOrders, self.warehouse),
            Kind::WarehouseActivityQuery => self.query(Sent::WarehouseActivity, self.warehouse),
        }
    }

    fn values(&self) -> &Values {
        &self.values
    }

    fn did(&self) -> ChunkResult {
        self.did
    }

    /// Outside a transaction only the visit of somebody who browses is written.
    fn changes(&self) -> bool {
        (self.user.form == Drive::Server && !self.kind.only_reads())
            || (self.kind == Kind::BrowseProducts && self.at >= 2 + self.looks)
    }
}

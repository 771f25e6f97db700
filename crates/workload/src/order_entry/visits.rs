//! What a user of Order Entry does: one visit after the other, each a transaction of a type that is drawn.

use super::kinds::{KINDS, Kind, TABLES};
use super::proof::ITEMS;
use super::statements::Sent;
use crate::{User, tables};
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Value, Values};
use dbdyno_engine::data::{Column, Keys, RowSource as _, RowsByColumns, mix};
use dbdyno_engine::program::{Act, Program, TransactionType, TypeId};
use dbdyno_model::{Drive, Scale};
use std::sync::LazyLock;

/// Products that are in stock have the ids from 1 to this number.
const STOCKED: u64 = 900;
const CATEGORIES: u64 = 100;
const WAREHOUSES: u64 = 1_000;
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
    let tables = tables::read("order-entry", TABLES, Scale::ONE).unwrap_or_default();
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
        let tables = tables::read("order-entry", TABLES, user.scale).unwrap_or_default();
        let customers = tables.first().map_or(1, |table| table.rows);
        Self {
            types,
            user,
            customers,
            names: RowsByColumns::new(&tables::called("order-entry", "customers"), &CUSTOMER),
            name: Values::new(),
            begun: 0,
            keys: Keys::at(user.seed, user.number, 0),
            kind: Kind::BrowseProducts,
            at: 0,
            looks: 0,
            customer: 1,
            warehouse: 1,
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
        };
        self.values = values;
        Act::Execute { statement: self.kind as usize, times: 1, opens: false }
    }

    fn register(&mut self, reply: Reply<'_>) -> Act {
        let [customer, address, card, logon] = self.known;
        match self.at {
            1 => self.open(Sent::NewCustomerKeys, &[]),
            2 => {
                self.known = [0, 1, 2, 3].map(|column| number(reply, 0, column).unwrap_or_default());
                let [customer, address, card, _] = self.known;
                // The name of somebody who was loaded, so that names are as frequent as before.
                let mut values = std::mem::take(&mut self.values);
                values.set(&[customer]).push(self.name(FIRST_NAME)).push(self.name(LAST_NAME)).push(address).push(card);
                self.values = values;
                Act::Execute { statement: Sent::InsertCustomer as usize, times: 1, opens: false }
            }
            3 => self.send(Sent::InsertAddress, &[address, customer]),
            4 => self.send(Sent::InsertCard, &[card, customer]),
            5 => self.send(Sent::InsertLogon, &[logon, customer]),
            6 => self.send(Sent::FindCustomer, &[customer]),
            7 => Act::Commit,
            _ => Act::Ended,
        }
    }

    fn update_customer(&mut self, reply: Reply<'_>) -> Act {
        let [address, customer, ..] = self.known;
        match self.at {
            1 => {
                let mut values = std::mem::take(&mut self.values);
                values.clear();
                values.push(self.name(LAST_NAME)).push(self.name(FIRST_NAME));
                self.values = values;
                Act::Execute { statement: Sent::CustomerByName as usize, times: 1, opens: false }
            }
            2 => match number(reply, 0, 0) {
                Some(customer) => {
                    self.known[1] = customer;
                    self.open(Sent::NewAddressKey, &[])
                }
                None => self.give_up(),
            },
            3 => {
                self.known[0] = number(reply, 0, 0).unwrap_or_default();
                self.send(Sent::InsertAddress, &[self.known[0], customer])
            }
            4 => self.send(Sent::PreferAddress, &[address, customer]),
            5 => Act::Commit,
            _ => Act::Ended,
        }
    }

    fn browse_products(&mut self) -> Act {
        let customer = self.customer;
        match self.at {
            1 => self.send(Sent::FindCustomer, &[customer]),
            at if at < 2 + self.looks => {
                let product = self.one_of(STOCKED);
                self.send(Sent::BrowseProduct, &[product])
            }
            at if at == 2 + self.looks => self.send(Sent::LogVisit, &[customer]),
            _ => Act::Ended,
        }
    }

    fn order_products(&mut self, reply: Reply<'_>) -> Act {
        let (customer, warehouse) = (self.customer, self.warehouse);
        if self.at <= 4 + self.looks {
            return self.choose(reply);
        }
        let ([order, _, address, card], items) = (self.known, self.items.len());
        match self.at - 4 - self.looks {
            1 => {
                self.known[0] = number(reply, 0, 0).unwrap_or_default();
                self.known[1] = number(reply, 0, 1).unwrap_or_default();
                self.send(Sent::InsertLogon, &[self.known[1], customer])
            }
            2 => self.send(Sent::InsertOrder, &[order, customer, warehouse, address, card, address]),
            at if at <= 2 + items => {
                let Item { product, pieces } = self.items[at - 3];
                self.did.checksum += 1;
                self.send(Sent::InsertItem, &[order, at as i64 - 2, pieces, product])
            }
            at if at == 3 + items => self.send(Sent::SetTotal, &[order, order]),
            // Nobody takes what is not there.
            at if at > 4 + items && reply.is_some_and(|(done, _)| done.rows == 0) && at <= 4 + 2 * items => {
                self.give_up()
            }
            at if at <= 3 + 2 * items => {
                let Item { product, pieces } = self.items[at - 4 - items];
                self.send(Sent::TakeStock, &[pieces, product, warehouse, pieces])
            }
            at if at == 4 + 2 * items => Act::Commit,
            _ => Act::Ended,
        }
    }

    /// What precedes an order: it is read, and an item of each category that is browsed is chosen, where there is one.
    fn choose(&mut self, reply: Reply<'_>) -> Act {
        let (customer, warehouse) = (self.customer, self.warehouse);
        match self.at {
            1 => self.send(Sent::FindCustomer, &[customer]),
            2 => self.send(Sent::CustomerAddresses, &[customer]),
            3 => {
                self.known[2] = number(reply, 0, 0).unwrap_or(customer);
                self.send(Sent::CustomerCards, &[customer])
            }
            at => {
                match at {
                    4 => self.known[3] = number(reply, 0, 0).unwrap_or(customer),
                    _ => self.take_one(reply),
                }
                if at < 4 + self.looks {
                    let category = 1 + (self.category + APART * (at as u64 - 4)) % CATEGORIES;
                    return self.send(Sent::BrowseCategory, &[category.cast_signed(), warehouse]);
                }
                if self.items.is_empty() {
                    return self.give_up();
                }
                // Whoever takes stock takes it in this order, so that nobody waits in a circle.
                self.items.sort_unstable();
                self.open(Sent::NewOrderKeys, &[])
            }
        }
    }

    fn take_one(&mut self, reply: Reply<'_>) {
        let rows = reply.map_or(0, |(_, answer)| answer.rows());
        let (row, pieces) = (self.keys.draw(rows.max(1) as u64) as usize, self.one_of(PIECES));
        if let Some((product, stock)) = number(reply, row, 0).zip(number(reply, row, 1))
            && stock >= pieces
        {
            self.items.push(Item { product, pieces });
        }
    }

    fn process_orders(&mut self, reply: Reply<'_>) -> Act {
        if self.at == 1 {
            return self.send(Sent::OpenOrders, &[self.warehouse]);
        }
        if self.at == 2 {
            let rows = reply.map_or(0, |(_, answer)| answer.rows());
            self.orders.extend((0..rows).filter_map(|row| number(reply, row, 0)));
            self.orders.sort_unstable();
            if self.orders.is_empty() {
                return self.give_up();
            }
        }
        if self.at > 2 && self.at <= 2 + self.orders.len() {
            // Somebody else may have processed it for the last time meanwhile.
            self.did.checksum += reply.map_or(0, |(done, _)| done.rows);
        }
        match (self.orders.get(self.at - 2).copied(), self.at - 2 == self.orders.len()) {
            (Some(order), _) => self.execute(Sent::ProcessOrder, self.at == 2, &[order]),
            (None, true) => Act::Commit,
            (None, false) => Act::Ended,
        }
    }

    fn browse_orders(&mut self, reply: Reply<'_>) -> Act {
        let (customer, [order, line, ..]) = (self.customer, self.known);
        match self.at {
            1 => self.send(Sent::FindCustomer, &[customer]),
            2 => self.send(Sent::CustomerAddresses, &[customer]),
            3 => self.send(Sent::CustomerOrders, &[customer]),
            4 => match self.one_row(reply) {
                Some(order) => {
                    self.known[0] = order;
                    self.send(Sent::OrderItems, &[order])
                }
                None => self.give_up(),
            },
            5 => match self.one_row(reply) {
                Some(line) => {
                    self.known[1] = line;
                    self.open(Sent::RaiseQuantity, &[order, line])
                }
                None => self.give_up(),
            },
            6 => self.send(Sent::RaiseTotal, &[order, line, order]),
            7 => Act::Commit,
            _ => Act::Ended,
        }
    }

    /// The key in one of the rows, drawn.
    fn one_row(&mut self, reply: Reply<'_>) -> Option<i64> {
        let rows = reply.map_or(0, |(_, answer)| answer.rows());
        let row = self.keys.draw(rows.max(1) as u64) as usize;
        number(reply, row, 0)
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
        self.user.form == Drive::Server || (self.kind == Kind::BrowseProducts && self.at >= 2 + self.looks)
    }
}

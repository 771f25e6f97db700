//! What a visit of each kind sends, statement after statement. `at` counts its acts from 1 on.

use super::{APART, CATEGORIES, FIRST_NAME, Item, LAST_NAME, PIECES, Reply, STOCKED, Visits, number};
use crate::order_entry::statements::Sent;
use dbdyno_engine::program::Act;

impl Visits {
    pub(super) fn register(&mut self, reply: Reply<'_>) -> Act {
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

    pub(super) fn update_customer(&mut self, reply: Reply<'_>) -> Act {
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

    pub(super) fn browse_products(&mut self) -> Act {
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

    pub(super) fn order_products(&mut self, reply: Reply<'_>) -> Act {
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

    pub(super) fn process_orders(&mut self, reply: Reply<'_>) -> Act {
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

    pub(super) fn browse_orders(&mut self, reply: Reply<'_>) -> Act {
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

    /// One query, and nothing else.
    pub(super) fn query(&mut self, sent: Sent, of: i64) -> Act {
        match self.at {
            1 => self.send(sent, &[of]),
            _ => Act::Ended,
        }
    }
}

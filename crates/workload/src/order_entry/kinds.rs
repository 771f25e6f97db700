//! The types of transactions of Order Entry, and its tables.

/// A type of transaction: its place among [`KINDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Register,
    UpdateCustomer,
    BrowseProducts,
    OrderProducts,
    ProcessOrders,
    BrowseOrders,
}

/// A type of transaction, as users and statements name it.
pub(super) struct KindFacts {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    /// The procedure that does it.
    pub(super) called: &'static str,
    pub(super) weight: u32,
}

const fn facts(kind: Kind, name: &'static str, called: &'static str, weight: u32) -> KindFacts {
    KindFacts { kind, name, called, weight }
}

/// All types, in order.
pub(super) const KINDS: [KindFacts; 6] = [
    facts(Kind::Register, "customer registration", "register", 15),
    facts(Kind::UpdateCustomer, "update customer details", "update_customer", 10),
    facts(Kind::BrowseProducts, "browse products", "browse_products", 50),
    facts(Kind::OrderProducts, "order products", "order_products", 40),
    facts(Kind::ProcessOrders, "process orders", "process_orders", 5),
    facts(Kind::BrowseOrders, "browse orders", "browse_orders", 5),
];

/// What the tables are filled with.
pub(super) const TABLES: &str = include_str!("../order_entry.toml");

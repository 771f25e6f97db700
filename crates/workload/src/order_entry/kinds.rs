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
    SalesRepQuery,
    WarehouseOrdersQuery,
    WarehouseActivityQuery,
}

impl Kind {
    /// Whether it changes nothing.
    pub(super) fn only_reads(self) -> bool {
        matches!(self, Self::SalesRepQuery | Self::WarehouseOrdersQuery | Self::WarehouseActivityQuery)
    }
}

/// A type of transaction, as users and statements name it.
pub(super) struct KindFacts {
    pub(super) kind: Kind,
    /// How users name it in a mix.
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    /// The procedure that does it.
    pub(super) called: &'static str,
    /// Its weight where nothing else is asked for; 0: it does not come.
    pub(super) weight: u32,
}

const fn facts(kind: Kind, code: &'static str, name: &'static str, called: &'static str, weight: u32) -> KindFacts {
    KindFacts { kind, code, name, called, weight }
}

/// All types, in order.
pub(super) const KINDS: [KindFacts; 9] = [
    facts(Kind::Register, "NCR", "customer registration", "register", 15),
    facts(Kind::UpdateCustomer, "UCD", "update customer details", "update_customer", 10),
    facts(Kind::BrowseProducts, "BP", "browse products", "browse_products", 50),
    facts(Kind::OrderProducts, "OP", "order products", "order_products", 40),
    facts(Kind::ProcessOrders, "PO", "process orders", "process_orders", 5),
    facts(Kind::BrowseOrders, "BO", "browse orders", "browse_orders", 5),
    facts(Kind::SalesRepQuery, "SRQ", "sales rep query", "sales_rep_query", 0),
    facts(Kind::WarehouseOrdersQuery, "WOQ", "warehouse orders query", "warehouse_orders_query", 0),
    facts(Kind::WarehouseActivityQuery, "WAQ", "warehouse activity query", "warehouse_activity_query", 0),
];

/// The codes of all types, in order.
pub(super) const CODES: [&str; KINDS.len()] = {
    let mut codes = [""; KINDS.len()];
    let mut at = 0;
    while at < KINDS.len() {
        codes[at] = KINDS[at].code;
        at += 1;
    }
    codes
};

/// What the tables are filled with.
pub(super) const TABLES: &str = include_str!("../order_entry.toml");

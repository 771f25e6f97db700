//! The statements of Order Entry, which the SQL files of the engines have under these names.

use strum::VariantNames;

/// A statement: its place among [`Sent::VARIANTS`], which are the names in the SQL files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Sent {
    FindCustomer,
    CustomerAddresses,
    CustomerCards,
    CustomerByName,
    BrowseProduct,
    BrowseCategory,
    NewCustomerKeys,
    InsertCustomer,
    InsertAddress,
    InsertCard,
    InsertLogon,
    LogVisit,
    NewAddressKey,
    PreferAddress,
    NewOrderKeys,
    InsertOrder,
    InsertItem,
    SetTotal,
    TakeStock,
    OpenOrders,
    ProcessOrder,
    CustomerOrders,
    OrderItems,
    RaiseQuantity,
    RaiseTotal,
    SalesRepOrders,
    WarehouseOrders,
    WarehouseActivity,
}

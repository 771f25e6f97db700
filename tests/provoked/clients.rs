//! Clients: overload, failed transactions, too few to judge.

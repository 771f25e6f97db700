//! SQLite, embedded.

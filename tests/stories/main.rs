//! dbdyno as its users meet it: the binary in a folder of its own, what it prints, what it leaves behind and how it
//! ends, on good days and on bad ones. Nothing here looks inside the rooms.
//!
//! No story asserts how long anything takes, because the machine may be busy with others; where something must have
//! happened first, the story waits for it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod again;
mod bad_input;
mod browser;
mod client;
mod clock;
mod compare;
mod document;
mod faults;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod home;
mod json;
#[cfg(feature = "mariadb")]
mod mariadb;
mod null_engine;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod on_servers;
#[cfg(feature = "oracle")]
mod oracle;
mod ordeal;
mod orion;
mod page;
#[cfg(feature = "postgres")]
mod postgres;
mod resume;
mod run_and_show;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod scratch;
mod small_disk;
mod stops;
mod support;
mod transfer;
#[cfg(feature = "postgres")]
mod two_users;
mod verdict;
mod version_1;
mod workload;

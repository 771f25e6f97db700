//! dbdyno as its users see it: the binary in a folder of its own, its output, the files that it leaves and its exit
//! code, in good cases and in bad ones. No story looks inside the rooms.
//!
//! No story asserts how long anything takes, because the machine may be busy with other work. Where something must
//! happen first, the story waits for it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod acceptance;
mod awr;
mod bad_input;
mod browser;
mod client;
mod clock;
mod compare;
mod completions;
mod crash;
mod describe;
mod dice;
mod document;
mod faults;
mod first_steps;
mod fleet;
mod fleet_losses;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod fleet_on_servers;
mod fleet_storage;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod fleet_tls;
mod gallery;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod home;
mod json;
mod kubernetes;
mod local_fleet;
mod manual;
#[cfg(feature = "mariadb")]
mod mariadb;
mod mixes;
mod null_engine;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod on_servers;
#[cfg(feature = "oracle")]
mod oracle;
mod order_entry;
mod orion;
mod page;
mod pair;
#[cfg(feature = "postgres")]
mod postgres;
mod promotion;
mod remeasure;
mod resume;
mod run_and_show;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod scratch;
mod search;
mod slob;
mod small_disk;
mod stops;
mod support;
mod transfer;
mod trend;
#[cfg(feature = "postgres")]
mod two_users;
mod verdict;
mod version_1;
#[cfg(any(feature = "postgres", feature = "mariadb"))]
mod watching;
mod web_server;
mod workload;

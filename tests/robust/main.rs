//! dbdyno killed by the hundred, and servers under it: at moments that dice choose from fixed seeds, all over loads,
//! settling, points and what lies between. Whatever was measured is kept whole, nothing hangs, nothing stays behind on
//! the server, each command ends with the code that says how, and `resume` comes to its end.
//!
//! A few of each are part of `make test`; `make robust` does all of them, and says what it did in a line for each
//! engine. A failure says with which seed it can be had again: `ROBUST_SEED=N make robust`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what was done is what `make robust` is asked for")]
#![allow(dead_code, reason = "the support was made for all stories")]

#[path = "../stories/document.rs"]
mod document;
mod ground;
#[path = "../stories/home.rs"]
mod home;
mod kills;
#[path = "../stories/ordeal.rs"]
mod ordeal;
mod servers;
#[path = "../stories/support.rs"]
mod support;

use ground::Product;
use std::fmt;
use std::time::Duration;

/// What takes so long after it was told to end, or was left alone by its server, hangs.
const HANG: Duration = Duration::from_secs(10);

/// What was done to an engine, and what came of it.
#[derive(Default)]
struct Tally {
    /// Kills of dbdyno: before the first point was recorded, and after.
    kills: [u32; 2],
    /// Kills of its server.
    server_kills: u32,
    resumes: u32,
    points_kept: usize,
    checks: u32,
    /// The longest that a command took to end after the signal, or after its server was killed.
    slowest: Duration,
    /// The longest that a command took that nobody disturbed.
    slowest_whole: Duration,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [early, late] = self.kills;
        if self.server_kills > 0 {
            write!(f, "{} kills of its server", self.server_kills)?;
        } else {
            write!(f, "{} kills of dbdyno ({early} before its first point was there, {late} later)", early + late)?;
        }
        let Self { resumes, points_kept, checks, slowest, slowest_whole, .. } = self;
        write!(
            f,
            ", {resumes} resumes, {points_kept} points kept, {checks} integrity checks, slowest end after a kill "
        )?;
        write!(f, "{:.1} s, slowest command {:.1} s", slowest.as_secs_f64(), slowest_whole.as_secs_f64())
    }
}

/// Where the dice begin.
fn seed() -> u64 {
    std::env::var("ROBUST_SEED").map_or(16, |text| text.parse().expect("ROBUST_SEED is a number"))
}

/// Says where it was when something was not as it must be.
struct Where<'a> {
    product: &'a Product,
    seed: u64,
    moment: String,
}

impl Drop for Where<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("robust {}: seed {}, {}", self.product.name, self.seed, self.moment);
        }
    }
}

macro_rules! kills {
    ($($feature:literal $name:ident $product:ident $kills:literal)*) => {
        $(#[cfg(feature = $feature)]
        mod $name {
            use crate::{ground, kills};

            #[test]
            fn a_few_kills_leave_no_half_point_and_every_run_can_be_resumed() {
                kills::suffer(&ground::$product, 2, &kills::SHORT);
            }

            #[test]
            #[ignore = "takes minutes: make robust"]
            fn many_kills_leave_no_half_point_and_every_run_can_be_resumed() {
                kills::suffer(&ground::$product, $kills, &kills::LONG);
            }
        })*
    };
}

macro_rules! kills_of_servers {
    ($($feature:literal $name:ident $product:ident $kills:literal)*) => {
        $(#[cfg(feature = $feature)]
        mod $name {
            use crate::{ground, kills, servers};

            #[test]
            fn a_run_outlives_a_kill_of_its_server() {
                servers::suffer(&ground::$product, 1, &kills::SHORT);
            }

            #[test]
            #[ignore = "takes minutes: make robust"]
            fn runs_outlive_many_kills_of_their_server() {
                servers::suffer(&ground::$product, $kills, &kills::LONG);
            }
        })*
    };
}

kills! {
    "sqlite" sqlite SQLITE 68
    "postgres" postgres POSTGRES 66
    "mariadb" mariadb MARIADB 66
}

kills_of_servers! {
    "postgres" postgres_server POSTGRES 10
    "mariadb" mariadb_server MARIADB 10
}

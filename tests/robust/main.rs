//! dbdyno killed by the hundred, and servers under it, at random moments from fixed seeds: during loads, settling,
//! points and between. Everything measured is kept complete, nothing hangs, nothing stays behind on the server, each
//! command returns the right exit code, and `resume` completes.
//!
//! A few kills are part of `make test`; `make robust` does all of them, and prints a line for each engine. A failure
//! prints its seed: `ROBUST_SEED=N make robust` repeats it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what was done is what `make robust` is asked for")]
#![allow(dead_code, reason = "the support was made for all stories")]

#[path = "../stories/dice.rs"]
mod dice;
#[path = "../stories/document.rs"]
mod document;
mod fleets;
#[path = "../stories/home.rs"]
mod home;
mod kills;
#[path = "../stories/local_fleet.rs"]
mod local_fleet;
mod servers;
#[path = "../stories/support.rs"]
mod support;
mod test_target;
mod workloads;

use std::fmt;
use std::time::Duration;

/// A command that takes this long after it was told to end, or after its server was killed, hangs.
const HANG: Duration = Duration::from_secs(10);

/// The kills of an engine, and their results.
#[derive(Default)]
struct KillCounts {
    /// Kills of dbdyno: before the first point was recorded, and after.
    kills: [u32; 2],
    /// Kills of its server.
    server_kills: u32,
    resumes: u32,
    points_kept: usize,
    checks: u32,
    /// The longest time from a signal, or the kill of the server, to the command's end.
    slowest: Duration,
    /// The longest undisturbed command.
    slowest_whole: Duration,
}

impl fmt::Display for KillCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [early, late] = self.kills;
        if self.server_kills > 0 {
            write!(f, "{} kills of its server", self.server_kills)?;
        } else {
            write!(f, "{} kills ({early} before its first point was there, {late} later)", early + late)?;
        }
        let Self { resumes, points_kept, checks, slowest, slowest_whole, .. } = self;
        write!(
            f,
            ", {resumes} resumes, {points_kept} points kept, {checks} integrity checks, slowest end after a kill "
        )?;
        write!(f, "{:.1} s, slowest command {:.1} s", slowest.as_secs_f64(), slowest_whole.as_secs_f64())
    }
}

/// The first seed.
fn seed() -> u64 {
    std::env::var("ROBUST_SEED").map_or(16, |text| text.parse().expect("ROBUST_SEED is a number"))
}

/// Prints the place of a failure.
struct Where {
    name: &'static str,
    seed: u64,
    moment: String,
}

impl Drop for Where {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("robust {}: seed {}, {}", self.name, self.seed, self.moment);
        }
    }
}

macro_rules! kills {
    ($($feature:literal $name:ident $product:ident $kills:literal)*) => {
        $(#[cfg(feature = $feature)]
        mod $name {
            use crate::{test_target, kills};

            #[test]
            fn a_few_kills_leave_no_half_point_and_every_run_can_be_resumed() {
                kills::suffer(&test_target::$product, 2, &kills::SHORT);
            }

            #[test]
            #[ignore = "takes minutes: make robust"]
            fn many_kills_leave_no_half_point_and_every_run_can_be_resumed() {
                kills::suffer(&test_target::$product, $kills, &kills::LONG);
            }
        })*
    };
}

macro_rules! kills_of_servers {
    ($($feature:literal $name:ident $product:ident $kills:literal)*) => {
        $(#[cfg(feature = $feature)]
        mod $name {
            use crate::{test_target, kills, servers, workloads};

            #[test]
            fn acknowledged_orders_outlive_a_kill_of_the_server() {
                workloads::suffer(&test_target::$product, 1);
            }

            #[test]
            #[ignore = "takes minutes: make robust"]
            fn acknowledged_orders_outlive_many_kills_of_the_server() {
                workloads::suffer(&test_target::$product, 20);
            }

            #[test]
            fn a_run_outlives_a_kill_of_its_server() {
                servers::suffer(&test_target::$product, 1, &kills::SHORT);
            }

            #[test]
            #[ignore = "takes minutes: make robust"]
            fn runs_outlive_many_kills_of_their_server() {
                servers::suffer(&test_target::$product, $kills, &kills::LONG);
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

mod fleet {
    use crate::fleets;

    #[test]
    fn a_few_kills_in_a_fleet_lose_nothing() {
        fleets::on_null(0, 3);
    }

    #[test]
    #[ignore = "takes an hour or more: make robust"]
    fn many_kills_in_fleets_lose_nothing() {
        // Fleets wait more than they work.
        std::thread::scope(|scope| (1..=4).for_each(|n| _ = scope.spawn(move || fleets::on_null(n, 250))));
    }

    #[cfg(feature = "postgres")]
    #[test]
    #[ignore = "takes minutes: make robust"]
    fn kills_in_a_fleet_leave_no_session_on_a_server() {
        fleets::on_postgres(20);
    }
}

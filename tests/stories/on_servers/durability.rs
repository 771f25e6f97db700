//! Durability of commits: settings that may lose commits are flagged by name.

use super::{OWN, Product, load, stories};
use crate::support::{Room, flag_note, flagged, points, text};

stories!(settings_that_may_lose_commits_are_flagged, a_server_with_safe_settings_is_not_flagged);

/// The settings that decide about commits.
pub(crate) trait Durability: Product {
    /// A server with safe settings, for one story alone.
    fn safe() -> Self;

    /// The setting for durable commits, with an unsafe and a safe value.
    const COMMITS: [&'static str; 3];

    /// SQL that sets this for a database or its server.
    fn set_commits(database: &str, value: &str) -> String;

    /// Another setting of the shared servers that makes commits unsafe, as a flag names it; empty where there is none.
    const ALSO_UNSAFE: &'static str;
}

/// dbdyno does not change the setting, but reports it everywhere.
fn settings_that_may_lose_commits_are_flagged<S: Durability>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let [name, loose, safe] = S::COMMITS;
    database.sql(&S::set_commits(&database.name, loose));
    let line = "run T711 T611 --jobs 1 --duration 200ms --commit engine_default --json --target";
    let document = room.run(&format!("{line} {}", database.target())).expect(0).json();
    let [update, select] = &points(&document)[..] else { panic!("{document:#}") };
    assert_eq!(text(update, "/commit"), "engine_default");
    assert_eq!(text(update, &format!("/durability/{name}")), loose);
    let (note, setting) = (flag_note(update, "unsafe_durability"), format!("{name}={loose}"));
    assert!(note.contains(&setting) && note.contains(S::ALSO_UNSAFE), "{update:#}");
    assert!(!flagged(select, "unsafe_durability"), "a select commits nothing that could be lost: {select:#}");
    let page = room.run("show last").expect(0).stdout;
    assert!(page.contains("unsafe_durability") && page.contains(&setting), "{page}");
    let check = room.run(&format!("check --target {}", database.target())).expect(0);
    assert!(check.stdout.contains(&setting) && check.stdout.contains(S::ALSO_UNSAFE), "{}", check.stdout);
    database.sql(&S::set_commits(&database.name, safe));
}

fn a_server_with_safe_settings_is_not_flagged<S: Durability>() {
    let server = S::safe();
    server.sql(S::HOME, &format!("CREATE DATABASE {OWN}"));
    load(&server, OWN);
    let (room, target) = (Room::new(), server.socket(S::SUPERUSER, OWN));
    let document = room.run(&format!("run T711 --ramp 1 --duration 200ms --json --target {target}")).expect(0).json();
    let point = &points(&document)[0];
    let in_memory = flag_note(point, "unsafe_durability").contains("lies in memory");
    assert!(!flagged(point, "unsafe_durability") || in_memory, "{point:#}");
    let [name, _, safe] = S::COMMITS;
    assert_eq!(text(point, &format!("/durability/{name}")), safe);
}

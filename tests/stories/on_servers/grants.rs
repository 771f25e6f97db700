//! Least privilege: the grants of the printed set-up are enough. Each optional one is missed as the script says and in
//! no other way. Each required one is asked for before anything is done. The grants are read from the script, so a new
//! one is tested without new code.

use super::privileges::Privileges;
use super::refuses;
use crate::support::{Room, flag_note, points, statuses, text};
use dbdyno_testkit::servers::fixtures::Database;
use serde_json::Value;

/// The end of every reason in a run's record for which a grant would help.
const HELPS: &str = " TO this user";

/// A grant in the script, with its description.
#[derive(Clone, Default)]
struct Printed {
    required: bool,
    without: String,
    /// Tests with the values that their points lack without it: `T611 missing proof.foreign_busy`.
    record: Vec<(String, String)>,
    from: Option<u32>,
    grant: String,
    grantee: String,
}

impl Printed {
    fn all(script: &str, database: &str) -> Vec<Self> {
        let (mut all, mut block, mut key) = (Vec::new(), Self::default(), String::new());
        for line in script.lines().map(str::trim) {
            if line.is_empty() {
                block = Self::default();
            } else if let Some(comment) = line.strip_prefix("-- ") {
                let (name, told) = comment.split_once(": ").unwrap_or((key.as_str(), comment));
                let told = told.trim().trim_end_matches('.');
                match name {
                    "Required" => block.required = true,
                    "Without it" if block.without.is_empty() => block.without = told.to_owned(),
                    "Without it" => block.without = format!("{} {told}", block.without),
                    "In a run's record" => block.record.extend(told.split("; ").filter_map(loss)),
                    "From version" => block.from = told.parse().ok(),
                    _ => {}
                }
                key = name.to_owned();
            } else if let Some((grant, rest)) = line.split_once("GRANT ").and_then(|(_, rest)| rest.split_once(" TO "))
                && rest.starts_with("dbdyno")
                && !block.without.is_empty()
            {
                let end = rest.find([';', ',']).unwrap();
                let grantee = if line.starts_with("GRANT") { &rest[..end] } else { "dbdyno" };
                let (grant, grantee) = (grant.replace("%I", database), grantee.to_owned());
                all.push(Self { grant, grantee, ..block.clone() });
            }
        }
        all
    }

    fn taken(&self) -> String {
        format!("REVOKE {} FROM {}", self.grant, self.grantee)
    }

    fn given(&self) -> String {
        format!("GRANT {} TO {}", self.grant, self.grantee)
    }

    /// Whether a message names the statement, with any quoting of names.
    fn is_named_in(&self, message: &str) -> bool {
        message.replace(['`', '\\'], "").contains(&format!("GRANT {} TO ", self.grant))
    }
}

fn loss(told: &str) -> Option<(String, String)> {
    told.split_once(' ').map(|(test, what)| (test.to_owned(), what.to_owned()))
}

/// All checks, for a user with exactly the script's grants, in a loaded database.
pub(super) fn are_enough_and_each_is_for_what_it_says<S: Privileges>(
    room: &Room,
    database: &Database<S>,
    script: &str,
    target: &str,
) {
    S::let_every_grant_matter(database);
    let printed = Printed::all(script, &database.name);
    let known: Vec<&Printed> =
        printed.iter().filter(|g| g.from.is_none_or(|v| database.server.version() >= v)).collect();
    let lines = script.lines().filter(|line| line.trim().starts_with("GRANT ")).count();
    assert!(lines > 0 && printed.len() >= lines, "a grant without words in {script}");
    enough(room, target, database.server.can_settle());
    let base = of_grants(room, target);
    for grant in known.iter().filter(|grant| !grant.required) {
        database.sql(&grant.taken());
        is_missed(room, target, grant, &base);
        database.sql(&grant.given());
    }
    for grant in known.iter().filter(|grant| grant.required) {
        let before = S::set_up_objects(database);
        database.sql(&grant.taken());
        let check = room.run(&format!("check --target {target}")).expect(2);
        let said = check.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(grant.is_named_in(&said), "{}: {said}", grant.grant);
        let helps = format!("GRANT {} ON ", grant.grant.split(" ON ").next().unwrap());
        for line in ["run T611 --jobs 1", "load --size T"] {
            refuses(room, &format!("{line} --target {target}"), &helps);
        }
        database.sql(&grant.given());
        assert_eq!(S::set_up_objects(database), before, "nothing was done without {}", grant.grant);
    }
    // With all grants again there is no message left.
    assert_eq!(of_grants(room, target), base);
    // Without the optional grants every kind of test is still measured, or reported as left out.
    for grant in known.iter().filter(|grant| !grant.required) {
        database.sql(&grant.taken());
    }
    room.run(&format!("run T211 T311 T426 T512 T611 T721 --ramp 1 --duration 50ms --target {target}")).expect(0);
    let bare = statuses(&room.show("last"));
    let out: Vec<&String> = bare.iter().filter(|status| !status.ends_with(" ok")).collect();
    assert!(out.iter().all(|status| *status == "T211 unsupported") && !out.is_empty(), "{bare:?}");
    for grant in known.iter().filter(|grant| !grant.required) {
        database.sql(&grant.given());
    }
}

/// The messages of `check` about grants.
#[track_caller]
fn of_grants(room: &Room, target: &str) -> Vec<String> {
    let found = room.run(&format!("check --json --target {target}")).expect(0).json();
    let all = found["findings"].as_array().unwrap();
    let wrong = all.iter().filter(|f| ["grants", "privileges"].contains(&text(f, "/subject")) && f["level"] != "ok");
    wrong.map(|f| text(f, "/message").to_owned()).collect()
}

/// All of `quick`, with exactly the grants of the script.
#[track_caller]
fn enough(room: &Room, target: &str, settles: bool) {
    assert!(!settles || of_grants(room, target).is_empty(), "{:?}", of_grants(room, target));
    room.run(&format!("run quick --ramp 1 --duration 50ms --target {target}")).expect(0);
    let document = room.show("last");
    let all = statuses(&document);
    let fits = |status: &String| status.ends_with(" ok") || !settles && status == "T211 unsupported";
    assert!(all.len() > 15 && all.iter().all(fits), "{all:?}");
    let helped = reasons(&document);
    assert!(!settles || helped.is_empty(), "{helped:?}");
}

/// Without one optional grant: `check` says so, and a run's record lacks what the script says, for that reason and no
/// other.
#[track_caller]
fn is_missed(room: &Room, target: &str, grant: &Printed, base: &[String]) {
    let name = &grant.grant;
    let mut found = of_grants(room, target);
    found.retain(|message| !base.contains(message));
    assert_eq!(found.len(), 1, "without {name}: {found:?}");
    assert!(grant.is_named_in(&found[0]) && found[0].contains(&grant.without), "without {name}: {}", found[0]);
    let tests: Vec<&str> = grant.record.iter().map(|(test, _)| test.as_str()).collect();
    assert!(!tests.is_empty(), "the script does not say how {name} is missed");
    let line = format!("run {} --ramp 1 --duration 100ms --json --target {target}", tests.join(" "));
    let document = room.run(&line).expect(0).json();
    for (test, what) in &grant.record {
        let point = points(&document).iter().find(|point| text(point, "/test") == *test).unwrap();
        let told = match what.split_once(' ').unwrap_or((what.as_str(), "")) {
            ("missing", path) => point["missing"][path].as_str().unwrap_or_default(),
            ("flag", flag) => flag_note(point, flag),
            ("fact", fact) => document["database"]["facts"][fact].as_str().unwrap_or_default(),
            ("unsupported", _) if point["status"] == "unsupported" => text(point, "/reason"),
            _ => "",
        };
        assert!(told.contains(&grant.without) && grant.is_named_in(told), "{test} {what} without {name}: {told:?}");
        assert_eq!(point["status"] == "unsupported", is_left_out(grant, test), "{test} without {name}");
    }
    let strange: Vec<String> = reasons(&document).into_iter().filter(|why| !grant.is_named_in(why)).collect();
    assert!(strange.is_empty(), "without {name}: {strange:?}");
}

/// Whether a test is not measured without a grant.
fn is_left_out(grant: &Printed, test: &str) -> bool {
    grant.record.iter().any(|(other, what)| other == test && what == "unsupported")
}

/// Every text in a document that names a grant.
fn reasons(value: &Value) -> Vec<String> {
    match value {
        Value::String(said) if said.contains(HELPS) => vec![said.clone()],
        Value::Array(all) => all.iter().flat_map(reasons).collect(),
        Value::Object(all) => all.values().flat_map(reasons).collect(),
        _ => Vec::new(),
    }
}

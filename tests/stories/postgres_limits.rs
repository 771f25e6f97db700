//! A server that has limits, or may not be written to: time, connections, parallel workers, a standby, a read-only target.

use super::{Database, Session, narrow, refuses, until_called};
use crate::json::check_point;
use crate::servers::{SUPERUSER, Server};
use crate::support::{Room, points, statuses, text, wait_until};
use serde_json::Value;
use std::process::{Child, Stdio};

#[test]
fn a_statement_timeout_fails_the_points_that_it_meets() {
    let (room, database) = (Room::new(), Database::empty());
    let role = database.role();
    database.psql(&format!("CREATE SCHEMA dbdyno AUTHORIZATION {role}"));
    let target = database.target_of(&role);
    room.run(&format!("load --size T --target {target}")).expect(0);
    // The second point cannot begin before the limit is set, and no call is as short as that.
    let mut holder = Session::open(database.server, &database.name);
    let run = room.start(&format!("run T611 T612 --ramp 1 --duration 1s --target {target}"));
    until_called(database.server, &database.name);
    holder.say("BEGIN; LOCK TABLE dbdyno.small_iot");
    run.until("[1/2] T611");
    database.psql(&format!("ALTER ROLE {role} SET statement_timeout = '30ms'"));
    holder.say("ROLLBACK");
    let ending = run.end().expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T612 failed"], "{}", ending.stderr);
    let point = &points(&document)[1];
    check_point(point);
    assert!(text(point, "/reason").starts_with("timeout: "), "{}", point["reason"]);
    assert!(text(point, "/reason").contains("statement_timeout"), "{}", point["reason"]);
    assert!(point["outcomes"]["errors"]["timeout"].is_u64(), "{point:#}");
    // A check says it beforehand, with what helps.
    database.psql(&format!("ALTER ROLE {role} SET statement_timeout = '1h'"));
    let check = room.run(&format!("check --target {target}")).expect(0);
    let helps = format!("ALTER ROLE {role} SET statement_timeout = 0");
    assert!(
        check.stdout.contains("statement_timeout is 3600000 ms") && check.stdout.contains(&helps),
        "{}",
        check.stdout
    );
    database.psql(&helps);
    room.run("resume last").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T611 ok", "T612 ok"]);
    database.psql(&format!("DROP OWNED BY {role} CASCADE"));
}

#[test]
fn too_few_connections_fail_the_point_that_needs_them() {
    let (room, server) = (Room::new(), narrow());
    let target = server.socket(SUPERUSER, "postgres");
    let ending = room.run(&format!("run T611 --ramp 1,2,8 --duration 200ms --target {target}")).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T611 ok", "T611 ok", "T611 failed"], "{}", ending.stderr);
    let point = &points(&document)[2];
    check_point(point);
    assert!(text(point, "/reason").contains("max_connections is 8 (1 reserved)"), "{}", point["reason"]);
    // The run went on: the next one is measured, too.
    room.run(&format!("run T611 --jobs 8 --duration 200ms --target {target}")).expect(4);
    room.run(&format!("run T611 T621 --jobs 2 --duration 200ms --target {target}")).expect(0);
    // A role's own limit is told, too.
    let check = room.run(&format!("check --target {target}")).expect(0);
    assert!(check.stdout.contains("max_connections 8"), "{}", check.stdout);
}

#[test]
fn workers_that_were_not_launched_make_a_point_invalid() {
    let (room, server) = (Room::new(), narrow());
    let target = server.socket(SUPERUSER, "postgres");
    let line = format!("run T426 T512 --ramp 1,3 --duration 200ms --target {target}");
    let ending = room.run(&line).expect(4);
    let document = room.show("last");
    assert_eq!(statuses(&document), ["T426 ok", "T426 invalid", "T512 ok", "T512 invalid"], "{}", ending.stderr);
    for point in points(&document).iter().filter(|p| p["status"] == "invalid") {
        check_point(point);
        // One of three could be launched each time.
        let reason = text(point, "/reason");
        let told = reason.split("; ").find_map(|part| part.strip_prefix("the engine counted ")).unwrap_or_default();
        let (counted, expected) = told.split_once(" WorkersLaunched, dbdyno ").unwrap_or_else(|| panic!("{reason}"));
        let (counted, expected): (u64, u64) = (counted.parse().unwrap(), expected.parse().unwrap());
        assert!(counted < expected && counted > 0 && expected.is_multiple_of(3), "{reason}");
        check_plan(point);
    }
}

#[test]
fn workers_are_launched_as_many_as_there_are_threads() {
    let (room, database) = (Room::new(), Database::loaded());
    let line = format!("run T426 T512 --ramp 1,2,3 --duration 200ms --target {}", database.target());
    room.run(&line).expect(0);
    let document = room.show("last");
    assert_eq!(points(&document).len(), 6);
    for point in points(&document) {
        assert_eq!(text(point, "/status"), "ok", "{point:#}");
        assert!(point["missing"].get("proof.workerslaunched").is_none(), "{point:#}");
        check_plan(point);
    }
}

/// Insists that a point shows the plan of its statement, parallel where it has threads; building an index has none.
#[track_caller]
fn check_plan(point: &Value) {
    if point["test"] == "T426" {
        let parallel = text(point, "/plan").contains("Parallel Seq Scan");
        assert_eq!(parallel, point["threads"].as_u64() > Some(1), "{point:#}");
    } else {
        assert!(point["plan"].is_null(), "{point:#}");
    }
}

/// A copy of a server that follows it.
struct Standby {
    server: Child,
    folder: tempfile::TempDir,
}

impl Standby {
    fn of(primary: &Server) -> Self {
        let folder = tempfile::tempdir_in(primary.socket_folder()).unwrap();
        if let Some((uid, gid)) = crate::servers::server_user() {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        let data = folder.path().join("data");
        // Nobody else is at work there, so what the files hold after a checkpoint is all of it.
        primary.psql("postgres", "CHECKPOINT");
        let mut copy = primary.program("cp");
        copy.arg("--archive").arg(primary.data()).arg(&data);
        let copied = copy.output().unwrap();
        assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
        std::fs::remove_file(data.join("postmaster.pid")).unwrap();
        std::fs::write(data.join("standby.signal"), "").unwrap();
        let (socket, port) = (primary.socket_folder(), primary.port);
        let source = format!("primary_conninfo=host={} port={port} user={SUPERUSER}", socket.display());
        let mut server = primary.program("postgres");
        server.arg("-D").arg(&data).args(["-c", "listen_addresses=", "-c", &source]);
        server.arg("-c").arg(format!("unix_socket_directories={}", folder.path().display()));
        let server = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let standby = Self { server, folder };
        wait_until("the standby", || {
            let mut ready = primary.program("pg_isready");
            ready.arg("--host").arg(standby.folder.path()).args(["--port", &primary.port.to_string(), "--quiet"]);
            ready.status().unwrap().success()
        });
        standby
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        let pid = self.server.id().to_string();
        _ = std::process::Command::new("kill").args(["-QUIT", &pid]).status();
        _ = self.server.wait();
    }
}

#[test]
fn a_standby_is_refused_before_anything_is_touched() {
    let (room, primary) = (Room::new(), narrow());
    let standby = Standby::of(&primary);
    let folder = standby.folder.path().display();
    let target = format!("postgres://{SUPERUSER}@/postgres?host={folder}&port={}", primary.port);
    let words =
        format!("dbdyno: {target} cannot be used: the server is a standby, which takes no writes; name the primary\n");
    for what in ["run T611", "run T111", "run T711 --size T"] {
        refuses(&room, &format!("{what} --target {target}"), &words);
    }
    let check = room.run(&format!("check --target {target}")).expect(2);
    assert!(check.stdout.contains("the server is a standby"), "{}", check.stdout);
    let ending = room.run(&format!("drop --target {target}"));
    assert!(ending.code == Some(2) || ending.code == Some(3), "{ending:?}");
    assert!(ending.stderr.contains("standby") || ending.stderr.contains("read-only"), "{}", ending.stderr);
    // The primary says who follows it.
    let document = room
        .run(&format!("run T611 --ramp 1 --duration 50ms --json --target {}", primary.socket(SUPERUSER, "postgres")));
    let document = document.expect(0).json();
    assert_eq!(text(&document, "/database/facts/standbys"), "0 synchronous, 1 asynchronous");
}

#[test]
fn a_read_only_target_is_refused_before_anything_is_touched() {
    let (room, database) = (Room::new(), Database::loaded());
    database.psql(&format!("ALTER DATABASE {} SET default_transaction_read_only = on", database.name));
    let target = database.target();
    let words = format!(
        "dbdyno: {target} cannot be used: transactions are read-only by default; ALTER ROLE {SUPERUSER} SET \
         default_transaction_read_only = off\n"
    );
    for what in ["run T611", "run T111"] {
        refuses(&room, &format!("{what} --target {target}"), &words);
    }
    let empty = Database::empty();
    empty.psql(&format!("ALTER DATABASE {} SET default_transaction_read_only = on", empty.name));
    refuses(&room, &format!("load --size T --target {}", empty.target()), "transactions are read-only by default");
    let check = room.run(&format!("check --target {target}")).expect(2);
    assert!(check.stdout.contains("BLOCKER"), "{}", check.stdout);
}

//! The server's own vacuums count as foreign work, too.

use crate::on_servers::other_sessions::{SESSIONS, beside};
use crate::on_servers::{OWN, Product as _};
use crate::scratch::postgres::Server;
use crate::support::{Room, wait_until};
use dbdyno_testkit::servers::postgres::SUPERUSER;

#[test]
fn an_automatic_vacuum_is_seen() {
    let (room, server) = (Room::new(), Server::narrow());
    let target = server.socket(SUPERUSER, OWN);
    // A table whose vacuum takes a while.
    server.psql(
        OWN,
        "CREATE TABLE public.notes WITH (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
           autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)
           AS SELECT n, repeat('x', 200) FROM generate_series(1, 20000) n;
         DELETE FROM public.notes;
         ALTER SYSTEM SET autovacuum = on;
         ALTER SYSTEM SET autovacuum_naptime = '1s';
         SELECT pg_reload_conf()",
    );
    let workers =
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND query LIKE '%notes%'";
    wait_until("an automatic vacuum", || server.psql(OWN, workers) == "1");
    let check = room.run(&format!("check --target {target}")).expect(0);
    assert!(check.stdout.contains("automatic vacuums at work now"), "{}", check.stdout);
    let note = beside(&room, &target, || {});
    assert!(note.contains(SESSIONS), "{note}");
    server.psql(OWN, "ALTER SYSTEM RESET autovacuum; ALTER SYSTEM RESET autovacuum_naptime; SELECT pg_reload_conf()");
    // A session that waits for its lock ends it.
    server.psql(OWN, "DROP TABLE public.notes");
}

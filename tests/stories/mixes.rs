//! Order Entry with other weights, with its queries and with pauses, on the embedded engine.

use crate::document::check_document;
use crate::support::{Room, number, points, text};
use serde_json::Value;

const TARGET: &str = "--target sqlite:shop.sqlite";

fn loaded() -> Room {
    Room::with_file("shop.sqlite", "load order-entry --scale 0.01 --target sqlite:shop.sqlite")
}

fn point(room: &Room, options: &str) -> Value {
    let document = room.run(&format!("run order-entry --duration 500ms --json {options} {TARGET}")).expect(0).json();
    check_document(&document);
    points(&document)[0].clone()
}

fn names(point: &Value) -> Vec<&str> {
    point["transactions"].as_array().unwrap().iter().map(|of| text(of, "/type")).collect()
}

#[test]
fn a_mix_decides_which_transactions_come_and_what_is_sent() {
    let room = loaded();
    // One type, whose statements are known: two queries, an insert, an update and a commit.
    let updates = point(&room, "--mix UCD=1");
    assert_eq!((names(&updates), text(&updates, "/mix")), (vec!["update customer details"], "UCD=1"));
    let done = number(&updates, "/outcomes/ok");
    let sent = |kind: &str| number(&updates, &format!("/statements/{kind}"));
    assert!(done > 0.0 && updates["outcomes"]["rolled_back"].is_null(), "{updates:#}");
    // What was under way at the end may have begun and been left.
    for (kind, each) in [("select", 2.0), ("insert", 1.0), ("update", 1.0), ("commit", 1.0)] {
        assert_eq!(sent(kind), each * done, "{kind}");
    }
    assert_eq!(sent("delete") + sent("call") + sent("rollback"), 0.0);
    assert_eq!(number(&updates, "/tx_per_min/mean"), number(&updates, "/tx_per_s") * 60.0);
    assert_eq!(text(&updates, "/missing/tx_per_min.max"), "the window is shorter than a minute");
    // Queries alone write nothing: no commit has to be durable.
    let queries = point(&room, "--mix SRQ=1,WOQ=1,WAQ=2");
    assert_eq!(names(&queries), ["sales rep query", "warehouse orders query", "warehouse activity query"]);
    assert_eq!(number(&queries, "/statements/select"), number(&queries, "/outcomes/ok"));
    assert!(queries["commit"].is_null(), "{queries:#}");
    let own = point(&room, "");
    assert_eq!(names(&own).len(), 6, "the queries are off");
    assert!(own["mix"].is_null());
    let more = point(&room, "--mix default,SRQ=5");
    assert_eq!(names(&more).len(), 7);
    assert_eq!(text(&more, "/mix"), "NCR=15,UCD=10,BP=50,OP=40,PO=5,BO=5,SRQ=5");
    let definitions: std::collections::BTreeSet<&str> =
        [&updates, &queries, &own, &more].iter().map(|point| text(point, "/definition")).collect();
    assert_eq!(definitions.len(), 4, "they are not compared with each other");
    for (mix, said) in [
        ("BP=2,SRQ=1", "adds rows of its own tables; commits again and again; mix BP=2,SRQ=1"),
        ("SRQ=1", "reads its own tables; mix SRQ=1"),
    ] {
        let planned = room.run(&format!("run order-entry --mix {mix} --dry-run --json {TARGET}")).expect(0).json();
        assert!(text(&planned, "/tests/0/load").ends_with(said), "{planned:#}");
    }
    let own = room.run(&format!("run order-entry --duration 200ms --mix default --json {TARGET}")).expect(0).json();
    assert!(points(&own)[0]["mix"].is_null(), "its own weights, however they are written");
    let head = room.run(&format!("run order-entry --duration 300ms --mix WAQ=1 {TARGET}")).expect(0).stdout;
    assert!(head.contains("order-entry with the mix WAQ=1"), "{head}");
    let latency = room.run("show last --table latency").expect(0).stdout;
    assert!(latency.contains("warehouse activity query"), "{latency}");
    room.run(&format!("run order-entry --duration 300ms --mix default,SRQ=5 {TARGET}")).expect(0);
    let table = room.run("show last --table transactions").expect(0).stdout;
    assert!(table.contains("Selects") && table.contains("Rolled"), "{table}");
    let csv = room.run("export last --format csv").expect(0).stdout;
    assert!(csv.contains("statements.insert") && csv.contains("\"NCR=15,UCD=10,BP=50"), "{csv}");
}

#[test]
fn users_pause_within_transactions() {
    let room = loaded();
    let paused = point(&room, "--mix UCD=1 --pause 20ms");
    assert_eq!(text(&paused, "/pause"), "20ms");
    // Four statements, so three pauses, which are part of the transaction.
    assert!(number(&paused, "/service_time_s/mean") >= 0.06, "{:#}", paused["service_time_s"]);
    let latency = room.run("show last --table latency").expect(0).stdout;
    assert!(latency.contains("pauses of 20ms within"), "{latency}");
    let resumed = room.run("show last --json").expect(0).json();
    assert_eq!(text(&points(&resumed)[0], "/mix"), "UCD=1");
}

/// Whoever pauses when the window ends leaves the transaction, and nobody waits for it.
#[test]
fn a_pause_may_be_longer_than_the_window() {
    let room = loaded();
    let short = format!("run order-entry --users 2 --mix UCD=1 --pause 700ms --duration 300ms --json {TARGET}");
    let document = room.run(&short).expect(4).json();
    let reason = text(&points(&document)[0], "/reason");
    assert!(reason.contains("no transaction ended inside the window of 0.3 s"), "{reason}");
    // All that was due and not done is said.
    let rate = format!("run order-entry --users 2 --mix UCD=1 --pause 200ms --rate 20/s --duration 2s --json {TARGET}");
    let document = room.run(&rate).expect(4).json();
    let point = &points(&document)[0];
    let of = |path: &str| number(point, path);
    assert!(of("/open_loop/unfinished") > of("/open_loop/waiting"), "those under way, too: {:#}", point["open_loop"]);
}

/// A run that is killed in its second point, and goes on.
#[test]
fn a_resumed_run_keeps_its_mix_and_its_pauses() {
    let room = loaded();
    let run = room.start(&format!("run order-entry --users 1,2 --mix UCD=1,BP=3 --pause 1ms --duration 1s {TARGET}"));
    run.until("[2/");
    run.kill();
    let document = room.run(&format!("resume last --json {TARGET}")).expect(0).json();
    let points = points(&document);
    assert!(points.len() >= 2, "{document:#}");
    for point in points {
        assert_eq!((text(point, "/mix"), text(point, "/pause")), ("UCD=1,BP=3", "1ms"), "{point:#}");
        assert_eq!(names(point), ["update customer details", "browse products"]);
    }
    let definition = text(&points[0], "/definition");
    assert!(points.iter().all(|point| text(point, "/definition") == definition));
}

/// Each transaction has a session of its own, is proved like any other, and is never taken for one in a session that is
/// kept.
#[test]
fn a_session_for_each_transaction_is_counted_and_kept_apart() {
    let room = loaded();
    let logon = point(&room, "--users 2 --logon transaction --mix default,SRQ=5 --label each");
    assert_eq!((text(&logon, "/logon"), text(&logon, "/status")), ("transaction", "ok"));
    let (opened, done) = (number(&logon, "/statements/logon"), number(&logon, "/outcomes/ok"));
    // One of each user may be under way at the end.
    assert!(done > 0.0 && (done..=done + 2.0).contains(&opened), "{opened} logons for {done} transactions");
    assert_eq!(text(&logon, "/pump/kind"), "threads");
    let latency = room.run("show last --table latency").expect(0).stdout;
    assert!(latency.contains("a logon for each transaction"), "{latency}");
    let kept = point(&room, "--users 2 --logon kept --mix default,SRQ=5 --label kept");
    assert!(kept["logon"].is_null() && kept["statements"]["logon"].is_null(), "{kept:#}");
    let compared = room.run("compare each kept --json").expect(0).json();
    let said = "of users with the mix NCR=15,UCD=10,BP=50,OP=40,PO=5,BO=5,SRQ=5, which is other work than with the mix";
    assert!(compared.to_string().contains(said), "no ratio of unlike work: {compared:#}");
    point(&room, "--users 2 --think 1ms --mix default,SRQ=5 --label thinks");
    let compared = room.run("compare thinks kept --json").expect(0).json();
    assert!(compared.to_string().contains("SRQ=5, think 1ms"), "nor of users who pause between: {compared:#}");
    let again = room.run(&format!("run order-entry --users 1 --logon transaction --duration 300ms {TARGET}")).expect(0);
    assert!(again.stdout.contains("a logon for each transaction"), "{}", again.stdout);
}

#[test]
fn what_no_mix_or_pause_can_be_is_refused() {
    let room = Room::new();
    for (line, said) in [
        (
            "run order-entry --mix XX=1",
            "it has no transaction 'XX': its transactions are NCR, UCD, BP, OP, PO, BO, SRQ",
        ),
        ("run order-entry --mix BP", "a mix is a list of codes and weights"),
        ("run order-entry --mix BP=0", "no transaction would come"),
        ("run tpcb --mix BP=1", "--mix does not fit tpcb: it has one type of transaction"),
        ("run T611 --mix BP=1", "--mix is for workloads"),
        ("run T611 --pause 5ms", "--pause is for workloads"),
        ("run T611 --drive client --logon transaction", "--logon is for workloads"),
        ("run order-entry --users 4 --connections 2 --logon transaction", "none is kept that could be shared"),
        ("run order-entry --drive server --pause 5ms", "with --drive server a transaction is one call"),
    ] {
        let ending = room.run(&format!("{line} {TARGET}")).expect(2);
        assert!(ending.stderr.contains(said), "{line}: {}", ending.stderr);
    }
    let listed = room.run("list workloads --json").expect(0).json();
    assert_eq!(text(&listed, "/1/mix"), "NCR=15,UCD=10,BP=50,OP=40,PO=5,BO=5,SRQ=0,WOQ=0,WAQ=0");
}

//! Tables that differ from what was loaded: altered rows and definitions.

use crate::support::{Ending, Room, points, statuses, text};

/// What is measured on altered tables: a scan that adds up every row, and a lookup that reads a few.
const LOOK: &str = "run T421 T611 --ramp 1 --duration 100ms";

/// A change of a definition, dbdyno's message, and a remedy in addition to the statement that dbdyno names.
struct Change {
    what: &'static str,
    sql: &'static str,
    said: &'static str,
    /// Done after the statement that dbdyno names, if it names one.
    mend: &'static str,
}

const fn change(what: &'static str, sql: &'static str, said: &'static str, mend: &'static str) -> Change {
    Change { what, sql, said, mend }
}

/// The statement in a refusal that undoes a difference.
fn remedy(ending: &Ending) -> Option<String> {
    let complaint = ending.complaints().concat();
    let (_, rest) = complaint.split_once("(`")?;
    rest.split_once("`)").map(|(sql, _)| sql.to_owned())
}

/// Changes definitions one by one: each is refused before anything is measured, and the remedy in the refusal works.
fn definitions(room: &Room, target: &str, changes: &[Change], sql: &dyn Fn(&str)) {
    for Change { what, sql: change, said, mend } in changes {
        sql(change);
        let ending = room.run(&format!("{LOOK} --target {target}")).expect(2);
        let complaint = ending.complaints().concat();
        assert!(complaint.contains(said) && complaint.contains("nothing was measured"), "{what}: {complaint}");
        assert!(
            complaint.contains("dbdyno drop --target") && complaint.contains("dbdyno load --target"),
            "{complaint}"
        );
        assert!(room.runs().is_empty(), "{what}: a run was begun");
        let checked = room.run(&format!("check --target {target}")).expect(2);
        assert!(checked.stdout.contains("BLOCKER") && checked.stdout.contains(said), "{what}: {}", checked.stdout);
        if let Some(remedy) = remedy(&ending) {
            sql(&remedy);
        }
        sql(mend);
    }
    let ending = room.run(&format!("{LOOK} --json --target {target}")).expect(0);
    assert_eq!(statuses(&ending.json()), ["T421 ok", "T611 ok"], "mended");
}

/// Alters rows, each kind of change on restored data.
fn content(room: &Room, target: &str, sql: &dyn Fn(&str)) {
    let kinds = [
        (
            "UPDATE small_heap SET quantity = quantity + 1 WHERE id = 77",
            "UPDATE small_heap SET quantity = quantity - 1 WHERE id = 77",
        ),
        ("UPDATE small_heap SET id = -id WHERE id = 78", "UPDATE small_heap SET id = -id WHERE id = -78"),
    ];
    for (alter, mend) in kinds {
        sql(alter);
        let deep = room.run(&format!("check --deep --target {target}")).expect(2);
        assert!(
            deep.stdout.contains("rows were altered after loading") || deep.stdout.contains("row with id 7"),
            "{}",
            deep.stdout
        );
        sql(mend);
    }
    // The sample or the scan finds an altered quantity. If the sample finds it, the run ends.
    sql(kinds[0].0);
    // A bulk load copies what is there, altered or not.
    for code in ["T421", "T331"] {
        found(room, target, code, &["rows were altered after loading", "is not as it was made"]);
    }
    sql(kinds[0].1);
    // A missing row, and an additional one.
    let copy = "INSERT INTO small_heap SELECT id + 100000, customer_id, ref_id, region, booked_on, quantity, amount, status, filler \
                FROM small_heap WHERE id = 79";
    sql(copy);
    found(room, target, "T421", &["must touch"]);
    let deep = room.run(&format!("check --deep --target {target}")).expect(2);
    assert!(deep.stdout.contains("rows were added or taken away"), "{}", deep.stdout);
    sql("DELETE FROM small_heap WHERE id = 100079");
    let deep = room.run(&format!("check --deep --target {target}")).expect(0);
    assert!(deep.stdout.contains("small_heap: all 3200 rows are as generated"), "{}", deep.stdout);
}

/// Measures on altered rows: refused if the sample has found one, else the point is invalid.
fn found(room: &Room, target: &str, code: &str, said: &[&str]) {
    let ending = room.run(&format!("run {code} --ramp 1 --duration 100ms --json --target {target}"));
    let told = match ending.code {
        Some(2) => ending.complaints().concat(),
        Some(4) => {
            let document = ending.json();
            assert_eq!(statuses(&document), [format!("{code} invalid")]);
            text(&points(&document)[0], "/reason").to_owned()
        }
        _ => panic!("it was believed: {}\n{}", ending.stdout, ending.stderr),
    };
    assert!(said.iter().any(|said| told.contains(said)), "{told}");
}

/// Every kind of work leaves the tables as they were loaded; the run's record says what was checked.
fn control(room: &Room, target: &str, tests: &str) {
    let ending = room.run(&format!("run {tests} --ramp 1 --duration 200ms --json --target {target}")).expect(0);
    assert!(statuses(&ending.json()).contains(&"T711 ok".to_owned()), "{:?}", statuses(&ending.json()));
    let ending = room.run(&format!("{LOOK} --json --target {target}")).expect(0);
    let document = ending.json();
    assert_eq!(statuses(&document), ["T421 ok", "T611 ok"]);
    let tables = text(&document, "/database/facts/tables");
    assert!(
        tables.starts_with("1 looked at before the first point: definitions as loaded, 1000 rows of each"),
        "{tables}"
    );
    assert!(tables.contains("one altered row among 3200 is missed so in 69 % of runs"), "{tables}");
    let deep = room.run(&format!("check --deep --target {target}")).expect(0);
    assert!(deep.stdout.contains("are as generated") && !deep.stdout.contains("BLOCKER"), "{}", deep.stdout);
}

/// Work of every class on the tables.
const EVERYTHING: &str = "T121 T311 T421 T426 T427 T512 T513 T514 T611 T616 T621 T711 T712 T716 T721 T811 T816";

mod sqlite {
    use super::*;

    fn sql(room: &Room) -> impl Fn(&str) + use<'_> {
        |sql: &str| {
            let sql = sql.replace(" small_heap", " dbdyno_small_heap");
            rusqlite::Connection::open(room.path("x.sqlite")).unwrap().execute_batch(&sql).unwrap();
        }
    }

    #[test]
    fn altered_definitions_are_refused() {
        let (_machine, room) = (crate::in_company(), Room::with_data());
        let changes = [
            change(
                "a foreign trigger that writes elsewhere",
                "CREATE TABLE elsewhere (id); CREATE TRIGGER spy AFTER UPDATE ON small_heap BEGIN INSERT INTO elsewhere VALUES (new.id); END",
                "dbdyno_small_heap has the trigger spy",
                "DROP TABLE elsewhere",
            ),
            change("an extra index", "CREATE INDEX quick ON small_heap (ref_id)", "CREATE INDEX quick", ""),
            change(
                "a view in place of the table",
                "ALTER TABLE dbdyno_small_heap RENAME TO mine; CREATE VIEW dbdyno_small_heap AS SELECT * FROM mine",
                "dbdyno_small_heap is a view in place of a table",
                "ALTER TABLE mine RENAME TO dbdyno_small_heap",
            ),
        ];
        // A table that was renamed and back has its text with other quoting, so that comes last and is loaded again.
        definitions(&room, "sqlite:x.sqlite", &changes[..2], &sql(&room));
        sql(&room)(changes[2].sql);
        let ending = Room::run(&room, &format!("{LOOK} --target sqlite:x.sqlite")).expect(2);
        assert!(ending.complaints().concat().contains(changes[2].said), "{:?}", ending.complaints());
    }

    #[test]
    fn altered_rows_are_found() {
        let (_machine, room) = (crate::in_company(), Room::with_data());
        content(&room, "sqlite:x.sqlite", &sql(&room));
    }

    #[test]
    fn tables_that_tests_have_worked_on_are_as_loaded() {
        let (_machine, room) = (crate::in_company(), Room::with_data());
        control(&room, "sqlite:x.sqlite", EVERYTHING);
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::*;
    use crate::scratch::postgres::{Server, ServerOptions};
    use dbdyno_testkit::servers::fixtures::FixturePool;
    use dbdyno_testkit::servers::postgres::SUPERUSER;

    static FIXTURES: FixturePool<Server> = FixturePool::new(start, load);

    fn start() -> Server {
        ServerOptions::default().set("shared_buffers", "64MB").set("autovacuum", "off").set("fsync", "off").start()
    }

    fn load(server: &Server, database: &str) {
        Room::new().run(&format!("load --size T --target {}", server.socket(SUPERUSER, database))).expect(0);
    }

    #[test]
    fn altered_definitions_are_refused() {
        let (_machine, room, database) = (crate::in_company(), Room::new(), FIXTURES.loaded());
        let changes = [
            change(
                "a foreign trigger that writes elsewhere",
                "CREATE TABLE public.elsewhere (id bigint); CREATE FUNCTION public.spy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 INSERT INTO public.elsewhere VALUES (new.id); RETURN new; END $$; \
                 CREATE TRIGGER spy AFTER UPDATE ON dbdyno.small_heap FOR EACH ROW EXECUTE FUNCTION public.spy()",
                "small_heap has the trigger spy",
                "DROP FUNCTION public.spy(); DROP TABLE public.elsewhere",
            ),
            change(
                "an extra index",
                "CREATE INDEX quick ON dbdyno.small_heap (ref_id)",
                "the index quick btree (ref_id)",
                "",
            ),
            change("no log", "ALTER TABLE dbdyno.small_heap SET UNLOGGED", "unlogged in place of logged", ""),
            change(
                "a rule",
                "CREATE RULE silent AS ON DELETE TO dbdyno.small_heap DO INSTEAD NOTHING",
                "small_heap has the rule silent",
                "",
            ),
            change(
                "a view in place of the table",
                "ALTER TABLE dbdyno.small_heap RENAME TO mine; CREATE VIEW dbdyno.small_heap AS SELECT * FROM dbdyno.mine",
                "small_heap is a view in place of a table",
                "ALTER TABLE dbdyno.mine RENAME TO small_heap",
            ),
            change(
                "a column more",
                "ALTER TABLE dbdyno.small_heap ADD extra integer",
                "small_heap has the column extra integer",
                "ALTER TABLE dbdyno.small_heap DROP extra",
            ),
            change(
                "other room in its pages",
                "ALTER TABLE dbdyno.small_heap SET (fillfactor = 100)",
                "the options of small_heap",
                "ALTER TABLE dbdyno.small_heap SET (fillfactor = 90)",
            ),
            change(
                "a table that is scanned with it",
                "CREATE TABLE public.more () INHERITS (dbdyno.small_heap)",
                "small_heap has the partition public.more",
                "",
            ),
        ];
        definitions(&room, &database.target(), &changes, &|sql| _ = database.sql(sql));
        // A leaf of a partitioned table is a table, too.
        database.sql("ALTER TABLE dbdyno.large_heap_range_list_r07_p2 SET UNLOGGED");
        let ending = room.run(&format!("run T616 --ramp 1 --target {}", database.target())).expect(2);
        assert!(
            ending.complaints().concat().contains("large_heap_range_list_r07_p2 is unlogged"),
            "{:?}",
            ending.complaints()
        );
        // Tables that are not used are not checked.
        room.run(&format!("run T121 T611 --ramp 1 --duration 50ms --target {}", database.target())).expect(0);
    }

    #[test]
    fn altered_rows_are_found() {
        let (_machine, room, database) = (crate::in_company(), Room::new(), FIXTURES.loaded());
        content(&room, &database.target(), &|sql| _ = database.sql(&sql.replace(" small_heap", " dbdyno.small_heap")));
    }

    #[test]
    fn tables_that_tests_have_worked_on_are_as_loaded() {
        let (_machine, room, database) = (crate::in_company(), Room::new(), FIXTURES.loaded());
        control(&room, &database.target(), EVERYTHING);
    }
}

#[cfg(feature = "mariadb")]
mod mariadb {
    use super::*;
    use crate::scratch::mariadb::{Server, ServerOptions};
    use dbdyno_testkit::servers::fixtures::FixturePool;
    use dbdyno_testkit::servers::mariadb::SUPERUSER;

    static FIXTURES: FixturePool<Server> = FixturePool::new(start, load);

    fn start() -> Server {
        ServerOptions::default().set("innodb_flush_method", "nosync").set("performance_schema", "ON").start()
    }

    fn load(server: &Server, database: &str) {
        Room::new().run(&format!("load --size T --target {}", server.socket(SUPERUSER, database))).expect(0);
    }

    #[test]
    fn altered_definitions_are_refused() {
        let (_machine, room, database) = (crate::in_company(), Room::new(), FIXTURES.loaded());
        let changes = [
            change(
                "a foreign trigger that writes elsewhere",
                "CREATE DATABASE IF NOT EXISTS elsewhere; CREATE TABLE elsewhere.log (id BIGINT); \
                 CREATE TRIGGER spy AFTER UPDATE ON small_heap FOR EACH ROW INSERT INTO elsewhere.log VALUES (NEW.id)",
                "small_heap has the trigger spy",
                "DROP DATABASE elsewhere",
            ),
            change("an extra index", "CREATE INDEX quick ON small_heap (ref_id)", "the index quick btree (ref_id)", ""),
            change(
                "a view in place of the table",
                "RENAME TABLE small_heap TO mine; CREATE VIEW small_heap AS SELECT * FROM mine",
                "small_heap is a view in place of a table",
                "RENAME TABLE mine TO small_heap",
            ),
            change(
                "another engine",
                "ALTER TABLE small_heap ENGINE = MyISAM",
                "the storage of small_heap is myisam",
                "ALTER TABLE small_heap ENGINE = InnoDB",
            ),
            change(
                "a column more",
                "ALTER TABLE small_heap ADD extra INT",
                "small_heap has the column extra int(11)",
                "ALTER TABLE small_heap DROP extra",
            ),
        ];
        definitions(&room, &database.target(), &changes, &|sql| _ = database.sql(sql));
    }

    #[test]
    fn altered_rows_are_found() {
        let (_machine, room, database) = (crate::in_company(), Room::new(), FIXTURES.loaded());
        content(&room, &database.target(), &|sql| _ = database.sql(sql));
    }

    #[test]
    fn tables_that_tests_have_worked_on_are_as_loaded() {
        let (_machine, room, database) = (crate::in_company(), Room::new(), FIXTURES.loaded());
        control(&room, &database.target(), EVERYTHING);
    }

    #[test]
    fn what_dbdyno_itself_waits_for_is_not_shown() {
        let (_machine, room, database) = (crate::in_company(), Room::new(), FIXTURES.loaded());
        let line = format!("run T121 T611 --ramp 1 --duration 1500ms --json --target {}", database.target());
        let document = room.run(&line).expect(0).json();
        for point in points(&document) {
            let waits = point["waits"].as_array().unwrap();
            let samples: Vec<_> = waits.iter().filter(|wait| wait["class"] == "state").collect();
            assert!(!samples.is_empty() && samples.iter().all(|wait| wait["sampled"] == true), "{waits:#?}");
            assert!(waits.iter().all(|wait| wait["class"] == "state" || wait["sampled"].is_null()), "{waits:#?}");
            assert!(samples.iter().all(|wait| wait["event"] != "Filling schema table"), "{samples:#?}");
        }
    }
}

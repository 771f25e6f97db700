//! The portable part of Oracle's package, run on a real server: MariaDB in `sql_mode = ORACLE` understands PL/SQL, so
//! the row-by-row procedures are executed there, from the very text that `dbdyno sql oracle` prints, after the token
//! substitutions of oracle_portable.toml. Rows and checksums must be those that the contract asks of every engine.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

use dbdyno_engine::{PointSpec, Target, data::Keys};
use dbdyno_model::{TableName, TableShape, Test};
use dbdyno_testkit::conformance::{NoProgress, catalogue, expected, spec};

type Server = dbdyno_testkit::servers::mariadb::Server<dbdyno_mariadb::MariaDb>;
type ServerOptions = dbdyno_testkit::servers::mariadb::ServerOptions<dbdyno_mariadb::MariaDb>;

const SEED: u64 = 42;
const DATABASE: &str = "portable";

/// Tokens and what stands for them on MariaDB, in the order in which they are replaced.
fn substitutions() -> Vec<(String, String)> {
    let list: toml::Table = toml::from_str(include_str!("oracle_portable.toml")).unwrap();
    let text = |entry: &toml::Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let tokens = list["token"].as_array().unwrap();
    tokens.iter().map(|entry| (text(entry, "oracle"), text(entry, "mariadb"))).collect()
}

/// Why the procedure of a test is not portable, if it is not.
fn unportable(test: &Test) -> Option<&'static str> {
    Some(match test.procedure.name() {
        "write_file" | "bulk_load" | "index_unique" | "index_non_unique" => {
            "it is about statements of Oracle's own that are put together when it runs"
        }
        "report" => "CUBE is Oracle's",
        "cpu_fibonacci" => "functions may not call themselves on MariaDB",
        "cpu_quicksort" => "there are no arrays on MariaDB",
        _ => return None,
    })
}

/// The package of a test, outside and inside, as it is printed.
fn package(test: &Test) -> [String; 2] {
    let script = (dbdyno_oracle::INFO.script)(test, &catalogue::size_t()).unwrap();
    let part = |begin: &str| {
        let from = script.find(begin).unwrap_or_else(|| panic!("{}: no {begin}", test.code));
        let text = &script[from..];
        text[..text.find("\n/\n").unwrap()].to_owned()
    };
    [part("CREATE OR REPLACE PACKAGE dbdyno_work AS"), part("CREATE OR REPLACE PACKAGE BODY dbdyno_work AS")]
}

/// The procedure that the printed script calls.
fn procedure(package: &str) -> &str {
    let (_, rest) = package.split_once("PROCEDURE ").unwrap();
    rest.split_once('(').unwrap().0
}

/// The ten numbers of a call.
fn numbers(spec: &PointSpec, job: u32, passes: u64) -> String {
    let shape = spec.test.table.map_or(TableShape::Small, TableName::shape);
    let numbers = [
        0,
        passes,
        Keys::at(spec.key_seed, job, 0).state,
        job.into(),
        spec.jobs.into(),
        spec.rows_per_tx.max(1),
        spec.test.ops_per_pass,
        spec.test.argument.unwrap_or(0),
        spec.size.rows(shape),
        spec.size.small_rows,
    ];
    numbers.map(|number| number.to_string()).join(", ")
}

fn loaded() -> Server {
    let server = ServerOptions::default().set("innodb_flush_log_at_trx_commit", "2").start();
    server.client("", &format!("CREATE DATABASE {DATABASE}"));
    let target = Target::parse(&server.socket("root", DATABASE)).unwrap();
    (dbdyno_mariadb::INFO.open)(&target, &catalogue::size_t())
        .unwrap()
        .load(&catalogue::size_t(), SEED, 2, false, &NoProgress)
        .unwrap();
    // What inserts fill, which a point would make.
    for organisation in ["heap", "iot", "hash", "heap_list", "iot_list"] {
        server.client(DATABASE, &format!("CREATE TABLE load_{organisation} LIKE small_{organisation}"));
    }
    server
}

#[test]
fn row_by_row_procedures_do_on_mariadb_what_the_contract_asks() {
    let substitutions = substitutions();
    assert!(substitutions.len() <= 10);
    for (oracle, mariadb) in &substitutions {
        println!("{oracle} => {mariadb}");
    }
    let (server, mut run, mut used) = (loaded(), 0, vec![false; substitutions.len()]);
    for test in catalogue::tests() {
        if let Some(why) = unportable(&test) {
            println!("{} is not run: {why}", test.code);
            continue;
        }
        let [outside, inside] = package(&test).map(|text| {
            substitutions.iter().zip(&mut used).fold(text, |text, ((oracle, mariadb), used)| {
                *used |= text.contains(oracle);
                text.replace(oracle, mariadb)
            })
        });
        let passes = 7;
        for jobs in [1, 2] {
            let spec = PointSpec { jobs, ..spec(&test, &catalogue::size_t(), SEED, jobs) };
            let mut sql = format!("SET sql_mode = ORACLE;\nDELIMITER //\n{outside}//\n{inside}//\nDELIMITER ;\n");
            for job in 0..jobs {
                let call = format!("CALL dbdyno_work.{}({}", procedure(&outside), numbers(&spec, job, passes));
                sql += &format!("{call}, @ops, @rows, @bytes, @checksum);\n");
                sql += "SELECT CAST(@ops AS SIGNED), CAST(@rows AS SIGNED), CAST(@checksum AS SIGNED);\n";
            }
            if test.procedure == "insert" {
                sql += &format!("DELETE FROM load_{};\n", test.table.unwrap().name().trim_start_matches("small_"));
            }
            let said = server.client(DATABASE, &sql);
            let sums = said.lines().fold([0_i64; 3], |mut sums, line| {
                let values: Vec<i64> = line.split('\t').map(|n| n.parse().unwrap()).collect();
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                sums
            });
            let [ops, rows, checksum] = sums.map(i64::cast_unsigned);
            let what = format!("{} with {jobs} jobs", test.code);
            assert_eq!(ops, u64::from(jobs) * passes * test.ops_per_pass, "operations of {what}");
            let per_op = test.rows_per_op(&spec.size, spec.rows_per_tx).unwrap_or(0);
            assert_eq!(rows, ops * per_op, "rows of {what}");
            if let Some(expected) = expected::checksum(&spec, passes) {
                assert_eq!(checksum, expected, "checksum of {what}");
            }
        }
        run += 1;
    }
    assert!(run > 40, "only {run} tests were run");
    assert!(used.iter().all(|used| *used), "a substitution that nothing needs: {used:?}");
}

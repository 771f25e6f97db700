//! The portable part of Oracle's package, run on a real server: MariaDB in `sql_mode = ORACLE` understands PL/SQL, so
//! the row-by-row procedures are executed there, from the very text that `dbdyno sql oracle` prints, after the token
//! substitutions of oracle_portable.toml. Rows and checksums must be those that the contract asks of every engine. The
//! procedures of Order Entry take the place of MariaDB's own there, and the workload's proof judges what they do.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "helpers of tests fail and speak as tests do"
)]

use dbdyno_engine::client::{Answer, Value};
use dbdyno_engine::program::{Act, Outcome};
use dbdyno_engine::{ChunkResult, Engine, PointSpec, Target, data::Keys};
use dbdyno_model::{Drive, Parameters, Scale, TableName, TableShape, Test};
use dbdyno_testkit::conformance::{NoProgress, catalogue, expected, spec};
use dbdyno_workload::{DataSpec, Dialect, Ended, TargetWorkload, User, workload};

type Server = dbdyno_testkit::servers::mariadb::Server<dbdyno_mariadb::MariaDb>;
type ServerOptions = dbdyno_testkit::servers::mariadb::ServerOptions<dbdyno_mariadb::MariaDb>;

const SEED: u64 = 42;
const DATABASE: &str = "portable";

/// Tokens and what stands for them on MariaDB, in the order in which they are replaced.
struct Substitutions {
    tokens: Vec<(String, String)>,
    used: Vec<bool>,
}

impl Substitutions {
    /// Those of the package, or of a workload.
    fn of(what: &str) -> Self {
        let list: toml::Table = toml::from_str(include_str!("oracle_portable.toml")).unwrap();
        let text = |entry: &toml::Value, key: &str| entry[key].as_str().unwrap().to_owned();
        let tokens = list[what].as_array().unwrap();
        let tokens: Vec<_> = tokens.iter().map(|entry| (text(entry, "oracle"), text(entry, "mariadb"))).collect();
        assert!(tokens.len() <= 10);
        for (oracle, mariadb) in &tokens {
            println!("{what}: {oracle} => {mariadb}");
        }
        Self { used: vec![false; tokens.len()], tokens }
    }

    fn replace(&mut self, text: String) -> String {
        self.tokens.iter().zip(&mut self.used).fold(text, |text, ((oracle, mariadb), used)| {
            *used |= text.contains(oracle);
            text.replace(oracle, mariadb)
        })
    }

    fn refuse_unused(&self) {
        assert!(self.used.iter().all(|used| *used), "a substitution that nothing needs: {:?}", self.used);
    }
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

/// A server with an empty database.
fn started() -> (Server, Box<dyn Engine>) {
    let server = ServerOptions::default().set("innodb_flush_log_at_trx_commit", "2").start();
    server.client("", &format!("CREATE DATABASE {DATABASE}"));
    let target = Target::parse(&server.socket("root", DATABASE)).unwrap();
    let engine = (dbdyno_mariadb::INFO.open)(&target, &catalogue::size_t()).unwrap();
    (server, engine)
}

fn loaded() -> Server {
    let (server, engine) = started();
    engine.load(&catalogue::size_t(), SEED, 2, false, &NoProgress).unwrap();
    // What inserts fill, which a point would make.
    for organisation in ["heap", "iot", "hash", "heap_list", "iot_list"] {
        server.client(DATABASE, &format!("CREATE TABLE load_{organisation} LIKE small_{organisation}"));
    }
    server
}

#[test]
fn row_by_row_procedures_do_on_mariadb_what_the_contract_asks() {
    let (server, mut run, mut substitutions) = (loaded(), 0, Substitutions::of("token"));
    for test in catalogue::tests() {
        if let Some(why) = unportable(&test) {
            println!("{} is not run: {why}", test.code);
            continue;
        }
        let [outside, inside] = package(&test).map(|text| substitutions.replace(text));
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
    substitutions.refuse_unused();
}

/// The server form: each transaction is one call of a procedure from Oracle's file, with what the workload's program
/// draws.
#[test]
fn procedures_of_order_entry_do_on_mariadb_what_the_workload_proves() {
    const TRANSACTIONS: usize = 400;
    let (server, engine) = started();
    let shop = workload("order-entry").unwrap();
    let (mariadb, oracle) = (&dbdyno_mariadb::INFO, &dbdyno_oracle::INFO);
    let [mariadb, oracle] = [mariadb, oracle].map(|engine| Dialect::of(shop, engine).unwrap());
    let loaded = TargetWorkload::new(&*engine, &mariadb);
    let (data, parameters) = (DataSpec::new(Scale::LEAST, SEED), Parameters::default());
    loaded.load(&data, 2, &NoProgress).unwrap();
    let (names, mut substitutions) = (shop.statements(Drive::Server), Substitutions::of("workload"));
    for name in &names {
        let text = substitutions.replace(oracle.text(&format!("make {name}")).unwrap().sql);
        let made = format!("DROP PROCEDURE oe_{name};\nSET sql_mode = ORACLE;\nDELIMITER //\n{text}//\nDELIMITER ;\n");
        server.client(DATABASE, &made);
    }
    substitutions.refuse_unused();
    let types = shop.types_of(Some(&shop.mix(&"default,SRQ=10,WOQ=10,WAQ=10".parse().unwrap()).unwrap()), &parameters);
    let user =
        User { number: 0, of: 1, seed: 7, data: data.clone(), parameters: parameters.clone(), form: Drive::Server };
    let (mut program, mut ended) = (shop.program(user, types.clone()), vec![Ended::default(); types.len()]);
    let before = loaded.read_figures(&data).unwrap();
    for _ in 0..TRANSACTIONS {
        let of = &mut ended[program.begin().number()];
        let (mut answer, mut outcome) = (Answer::default(), Outcome::Committed);
        let mut act = program.act(None);
        while act != Act::Ended {
            match act {
                Act::Execute { statement, .. } => {
                    let values: Vec<String> = program.values().iter().map(literal).collect();
                    let (name, values) = (names[statement], values.join(", "));
                    let call = format!("SET sql_mode = ORACLE;\nCALL oe_{name}({values}, @done);\nSELECT @done;\n");
                    answer.clear();
                    answer.begin_row().push(server.client(DATABASE, &call).trim().parse::<i64>().unwrap());
                }
                Act::Rollback => outcome = Outcome::RolledBack,
                _ => {}
            }
            act = program.act(Some((&ChunkResult { rows: 1, ..ChunkResult::default() }, &answer)));
        }
        match outcome {
            Outcome::Committed => of.acknowledged += 1,
            _ => of.rolled_back += 1,
        }
        of.sum = of.sum.wrapping_add(program.did().checksum);
        program.ended(outcome);
    }
    let after = loaded.read_figures(&data).unwrap();
    assert_eq!(loaded.broken(&data, &after).unwrap(), [""; 0]);
    assert_eq!(shop.miscounted((&before, &after), &ended, (&data, &parameters)), [""; 0], "{ended:?}");
    for (of, ended) in types.iter().zip(&ended) {
        assert!(ended.acknowledged > 0, "{} did nothing: {ended:?}", of.name);
    }
}

/// A value as SQL has it.
fn literal(value: Value<'_>) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Text(text) => format!("'{text}'"),
        other => panic!("no value of a procedure: {other:?}"),
    }
}

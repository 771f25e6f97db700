//! Oracle's views, as tables of a database of MariaDB's, whose `sql_mode = ORACLE` understands the statements that ask
//! them. What the views have is what a test says; that the server's own have the same columns is names.toml's word.

use dbdyno_engine::server::Connection;
use dbdyno_engine::{Canceller, EngineError};
use std::sync::Arc;

type ServerOptions = dbdyno_testkit::servers::mariadb::ServerOptions<dbdyno_mariadb::MariaDb>;
type Server = dbdyno_testkit::servers::mariadb::Server<dbdyno_mariadb::MariaDb>;

const DATABASE: &str = "views";
/// What MariaDB is given in place of functions that it lacks, or understands otherwise.
const FUNCTIONS: [(&str, &str); 2] = [("TO_CHAR(", "CONCAT("), ("TRUNC(", "FLOOR(")];

/// A server with the views.
pub(crate) struct Views(Server);

impl Views {
    /// All views of names.toml, empty.
    pub(crate) fn new() -> Self {
        let server = ServerOptions::default().start();
        let mut sql = format!("CREATE DATABASE {DATABASE}; USE {DATABASE};");
        for (view, columns) in crate::names::views().into_iter().filter(|(view, _)| view != "dual") {
            let kind = |column: &String| if column == "bytes" { "BIGINT" } else { "VARCHAR(200)" };
            let columns: Vec<String> =
                columns.iter().map(|column| format!("`{column}` {} NULL", kind(column))).collect();
            let columns = if columns.is_empty() { "x INT".to_owned() } else { columns.join(", ") };
            sql += &format!("CREATE TABLE `{view}` ({columns});\n");
        }
        sql += "CREATE FUNCTION SYS_CONTEXT(space VARCHAR(30), about VARCHAR(30)) RETURNS VARCHAR(60) DETERMINISTIC \
                RETURN IF(about = 'SID', '1', CONCAT('my ', LOWER(about)));";
        server.client("", &sql);
        Self(server)
    }

    /// Gives a view these rows instead of its own; columns that a row does not have are null.
    pub(crate) fn set(&self, view: &str, rows: &[&[(&str, &str)]]) {
        let mut sql = format!("DELETE FROM `{view}`;\n");
        for row in rows {
            let columns: Vec<String> = row.iter().map(|(column, _)| format!("`{column}`")).collect();
            let values: Vec<String> = row.iter().map(|(_, value)| format!("NULLIF('{value}', '')")).collect();
            sql += &format!("INSERT INTO `{view}` ({}) VALUES ({});\n", columns.join(", "), values.join(", "));
        }
        self.0.client(DATABASE, &sql);
    }
}

impl Connection for Views {
    fn session_id(&self) -> u64 {
        1
    }

    fn batch(&mut self, doing: &str, sql: &str) -> Result<(), EngineError> {
        self.texts(doing, sql).map(drop)
    }

    fn texts(&mut self, _: &str, sql: &str) -> Result<Vec<Vec<Option<String>>>, EngineError> {
        let sql = FUNCTIONS.iter().fold(sql.to_owned(), |sql, (theirs, ours)| sql.replace(theirs, ours));
        let said = self.0.client(DATABASE, &format!("SET sql_mode = ORACLE;\n{sql};"));
        let value = |text: &str| Some(text.to_owned()).filter(|text| text != "NULL");
        Ok(said.lines().map(|line| line.split('\t').map(value).collect()).collect())
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn cancelled(&self) -> bool {
        false
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        Arc::new(Nothing)
    }
}

struct Nothing;

impl Canceller for Nothing {
    fn cancel(&self) {}
}

//! What Oracle says of itself: for the run's record, and for the reader of a figure. A view that may not be read leaves
//! its facts out, and says so.

use super::connection::OracleConnection;
use super::options::{Options, Part};
use super::{DIAGNOSTICS_CLAIM, NOTICE, statistics};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Answers, Connection as _, Questions, describe};
use dbdyno_model::Database;

/// The questions to a server.
pub(super) fn questions(options: &Options) -> Questions {
    Questions::new(&DIALECT, 0).with([("nodes", options.places.len().to_string())])
}

/// Version, settings, facts. Changes nothing.
///
/// # Errors
/// The server is lost.
pub(super) fn database(connection: &mut OracleConnection, options: &Options) -> Result<Database, EngineError> {
    let told = describe::database(connection, &questions(options))?;
    let mut facts = told.facts;
    facts.insert("product".to_owned(), format!("Oracle Database {}", connection.version().product()));
    facts.insert("licences that dbdyno's work needs".to_owned(), licences(options));
    let uses = if options.diagnostics_pack { DIAGNOSTICS_CLAIM } else { "dbdyno uses nothing of it" };
    let pack = facts.entry("management pack".to_owned()).or_default();
    *pack = if pack.is_empty() { uses.to_owned() } else { format!("{pack}; {uses}") };
    Ok(Database { version: connection.version().to_string(), facts, notice: Some(NOTICE.to_owned()), ..told })
}

/// Names and values that a question of describe.sql is answered with; none where it may not be asked.
///
/// # Errors
/// The server is lost.
pub(super) fn ask(connection: &mut OracleConnection, question: &str) -> Result<Answers, EngineError> {
    Questions::new(&DIALECT, 0).answers(connection, &format!("describe/{question}"))
}

/// The last column's texts, in their order, of a question whose names say nothing.
///
/// # Errors
/// The server is lost.
pub(super) fn all(connection: &mut OracleConnection, question: &str) -> Result<Vec<String>, EngineError> {
    let rows = Questions::new(&DIALECT, 0).rows(connection, &format!("describe/{question}"))?;
    Ok(rows.unwrap_or_default().into_iter().filter_map(|mut row| row.pop().flatten()).collect())
}

/// Whether a view can be read.
///
/// # Errors
/// The server is lost.
pub(super) fn may_read(connection: &mut OracleConnection, view: &str) -> Result<bool, EngineError> {
    let sql = DIALECT.get("describe/may_read")?.text.replace("{view}", view);
    Ok(statistics::told(connection.texts("looking at privileges", &sql))?.is_ok())
}

/// What the target's tests use that is licensed apart, or that not every storage has.
fn licences(options: &Options) -> String {
    let named = |part: &Part| match options.leaves_out(*part) {
        true => format!("{}: left out", part.words()),
        false => format!("{}: used where a test needs it (--without {} leaves it out)", part.words(), part.name()),
    };
    let diagnostics =
        if options.diagnostics_pack { "the Diagnostics Pack: used" } else { "the Diagnostics Pack: not used" };
    Part::ALL.iter().map(named).chain([diagnostics.to_owned()]).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::views::Views;
    use dbdyno_engine::Target;
    use dbdyno_engine::server::pairs;
    use dbdyno_model::{CommitMode, Drive};

    fn answers(pairs: &[(&str, &str)]) -> Answers {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_is_licensed_apart_is_said() {
        let options = |target| Options::parse(&Target::parse(target).unwrap()).unwrap();
        let licences = licences(&options("oracle://scott@db1/bench?without=hcc"));
        assert!(licences.contains("--without partitioning leaves it out") && licences.contains("Hybrid Columnar"));
        assert!(licences.contains(": left out") && licences.contains("Diagnostics Pack: not used"), "{licences}");
        let claimed = super::licences(&options("oracle://scott@db1/bench?diagnostics_pack=yes"));
        assert!(claimed.contains("Diagnostics Pack: used"), "{claimed}");
    }

    #[test]
    fn facts_say_what_decides_a_figure() {
        let mut views = Views::new();
        let primary = [
            ("log_mode", "ARCHIVELOG"),
            ("force_logging", "YES"),
            ("flashback_on", "NO"),
            ("database_role", "PRIMARY"),
            ("open_mode", "READ WRITE"),
            ("protection_mode", "MAXIMUM AVAILABILITY"),
        ];
        let banner = "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production";
        let space =
            [("tablespace_name", "DBDYNO"), ("block_size", "8192"), ("logging", "LOGGING"), ("encrypted", "YES")];
        let standby = [
            ("dest_name", "LOG_ARCHIVE_DEST_2"),
            ("status", "VALID"),
            ("target", "STANDBY"),
            ("transmit_mode", "PARALLELSYNC"),
            ("affirm", "YES"),
        ];
        let own = [("dest_name", "LOG_ARCHIVE_DEST_1"), ("status", "VALID"), ("target", "PRIMARY")];
        let group = [("name", "data"), ("type", "EXTERN"), ("total_mb", "102400"), ("free_mb", "51200")];
        let option = |name, value| [("parameter", name), ("value", value)];
        views.set("v$database", &[&primary]);
        let five = [
            banner,
            "PL/SQL Release 12.2.0.1.0 - Production",
            "CORE\t12.2.0.1.0\tProduction",
            "TNS for Linux: Version 12.2.0.1.0 - Production",
            "NLSRTL Version 12.2.0.1.0 - Production",
        ]
        .map(|banner| [("banner", banner)]);
        views.set("v$version", &five.each_ref().map(|row| row.as_slice()));
        views.set("v$instance", &[&[("instance_name", "cdb11"), ("host_name", "db1"), ("parallel", "YES")]]);
        views.set("v$log", &[&[("bytes", "209715200")], &[("bytes", "209715200")], &[("bytes", "209715200")]]);
        views.set("v$archive_dest", &[&standby, &own]);
        views.set("user_users", &[&[("default_tablespace", "DBDYNO")]]);
        views.set("user_tablespaces", &[&space]);
        views.set("v$asm_diskgroup_stat", &[&group]);
        views.set("v$option", &[&option("Partitioning", "TRUE"), &option("Real Application Clusters", "FALSE")]);
        views.set("v$parameter", &[&[("name", "control_management_pack_access"), ("value", "DIAGNOSTIC+TUNING")]]);
        let questions = Questions::new(&DIALECT, 0).with([("nodes", "2".to_owned())]);
        let (rows, refused) = questions.all(&mut views, "facts").unwrap();
        assert!(refused.is_empty());
        let facts = pairs(rows);
        for (fact, said) in [
            ("build", banner),
            ("edition", "Enterprise Edition"),
            ("instance", "cdb11 on db1"),
            ("cluster", "Real Application Clusters, nodes named in the target: 2"),
            ("container", "my con_name"),
            ("role", "PRIMARY, READ WRITE"),
            ("redo", "archivelog, logging forced, flashback no, maximum availability; 3 groups of 200 MiB"),
            ("redo destinations", "LOG_ARCHIVE_DEST_2 standby parallelsync yes"),
            ("tablespace", "DBDYNO, blocks of 8192 bytes, logging, encrypted"),
            ("storage", "ASM data: EXTERN, 102400 MiB, 51200 MiB free"),
            ("options installed", "Partitioning (installed is not licensed)"),
            ("management pack", "the server is set to DIAGNOSTIC+TUNING, which proves no licence"),
        ] {
            assert_eq!(facts.get(fact).map(String::as_str), Some(said), "{fact}");
        }
        for (banner, edition) in [
            ("Oracle Database 19c Standard Edition 2 Release 19.0.0.0.0 - Production", Some("Standard Edition 2")),
            ("Oracle Database 21c Express Edition Release 21.0.0.0.0 - Production", Some("Express Edition")),
            ("Oracle Database 23ai Free Release 23.0.0.0.0", Some("Free")),
            ("Oracle Database 19c EE Extreme Perf Release 19.0.0.0.0 - Production", Some("EE Extreme Perf")),
            ("Oracle AI Database 26ai Free Release 23.26.1.0.0 - Develop, Learn, and Run for Free", Some("Free")),
            ("Personal Oracle Database 19c Release 19.0.0.0.0 - Production", None),
        ] {
            views.set("v$version", &[&[("banner", banner)]]);
            let told = questions.answers(&mut views, "facts/product").unwrap();
            assert_eq!(told.get("edition").map(String::as_str), edition, "{banner}");
            assert_eq!(told.get("build").map(String::as_str), Some(banner));
        }
        let settings = questions.answers(&mut views, "durability/archive_destinations").unwrap();
        assert!(settings["redo destinations"].contains("standby"), "{settings:?}");
    }

    #[test]
    fn settings_that_lose_commits_are_named() {
        let (durable, default) = (CommitMode::Durable, CommitMode::EngineDefault);
        let told = |pairs: &[(&str, &str)], commit, drive| DIALECT.settings.durability(answers(pairs), commit, drive);
        let at_first = told(&[("log_mode", "ARCHIVELOG")], durable, Drive::Server);
        assert_eq!(at_first.unsafe_settings, Vec::<String>::new());
        assert_eq!(at_first.settings["log_mode"], "ARCHIVELOG");
        let by_default = told(&[], default, Drive::Server);
        assert!(by_default.by_default.len() == 1 && by_default.by_default[0].contains("waits once"), "{by_default:?}");
        assert_eq!(by_default.unsafe_settings, Vec::<String>::new());
        // A client's COMMIT waits.
        let client = told(&[], default, Drive::Client);
        assert!(client.unsafe_settings.is_empty() && client.by_default.is_empty(), "{client:?}");
        // What durable work says goes before the settings; other work has them.
        let lazy = [("commit_wait", "NOWAIT"), ("commit_logging", "BATCH"), ("commit_write", "batch,nowait")];
        assert_eq!(told(&lazy, durable, Drive::Server).unsafe_settings.len(), 0);
        assert_eq!(told(&lazy, default, Drive::Server).unsafe_settings.len(), 3);
        let none = told(&[("_disable_logging", "TRUE")], durable, Drive::Server);
        assert!(none.unsafe_settings[0].contains("nothing is logged"));
    }

    #[test]
    fn what_counts_is_kept_and_secrets_are_not() {
        let all = answers(&[("db_block_size", "8192"), ("db_name", "CDB1"), ("trace_enabled", "TRUE")]);
        let changed = answers(&[
            ("_serial_direct_read", "never"),
            ("control_files", "/u01/a.ctl"),
            ("log_archive_dest_1", "LOCATION=/arch"),
            ("nls_territory", "SWITZERLAND"),
            ("open_cursors", "900"),
            ("remote_login_passwordfile", "EXCLUSIVE"),
            ("wallet_root", "/etc/wallet"),
        ]);
        let kept = DIALECT.settings.kept(&all, &changed);
        let kept: Vec<_> = kept.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            kept,
            [
                "_serial_direct_read=never",
                "db_block_size=8192",
                "open_cursors=900",
                "remote_login_passwordfile=EXCLUSIVE",
                "wallet_root=(set)"
            ]
        );
    }
}

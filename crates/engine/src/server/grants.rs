//! The grants that dbdyno asks an administrator for. They stand once, in the set-up script that `dbdyno sql` prints:
//! each line of a `GRANT` belongs to the comment above it, which says whether it is required, what it is for, what is
//! lost without it and where a run's record says so. `check`, points and stories read them there, so that none of them
//! can say anything else than what the administrator has read.
//!
//! ```sql
//! -- Optional: what it is for.
//! -- Without it: what is lost.
//! -- In a run's record: T611 missing proof.foreign_busy; T211 unsupported.
//! GRANT PROCESS ON *.* TO dbdyno@'%';
//! ```

use crate::{Finding, FindingLevel, finding};

/// The key of the comment that says what a required grant is for.
const REQUIRED: &str = "Required";
/// The same of one that can be left out.
const OPTIONAL: &str = "Optional";
/// What is lost without it.
const WITHOUT: &str = "Without it";
/// Where a run's record says so, for readers and for the story that leaves it out: tests with what their points then
/// have.
const RECORD: &str = "In a run's record";
/// The first major version that knows it.
const FROM: &str = "From version";

/// A grant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    /// What stands between `GRANT` and `TO`; `{database}` where the script fills in the database.
    pub grant: String,
    /// Whether nothing can be done without it.
    pub required: bool,
    /// What it is for.
    pub purpose: String,
    /// What is lost without it.
    pub without: String,
    /// The first version that knows it, if not all do.
    pub from: Option<u32>,
}

impl Grant {
    /// The grants of a script, in order.
    pub fn all(script: &str) -> Vec<Self> {
        let mut grants = Vec::new();
        let (mut block, mut key) = (Self::default(), String::new());
        for line in script.lines().map(str::trim) {
            if line.is_empty() {
                (block, key) = (Self::default(), String::new());
            } else if let Some(comment) = line.strip_prefix("--") {
                let comment = comment.trim();
                let known = [REQUIRED, OPTIONAL, WITHOUT, RECORD, FROM];
                match comment.split_once(": ").filter(|(name, _)| known.contains(name)) {
                    Some((name, text)) => {
                        key = name.to_owned();
                        block.say(name, text);
                    }
                    None => block.say(&key, comment),
                }
            } else if let Some(grant) = granted(line) {
                grants.push(Self { grant, ..block.clone() }.tidy());
            }
        }
        grants
    }

    fn say(&mut self, key: &str, text: &str) {
        self.required |= key == REQUIRED;
        let into = match key {
            REQUIRED | OPTIONAL => &mut self.purpose,
            WITHOUT => &mut self.without,
            FROM => {
                self.from = text.trim_end_matches('.').parse().ok();
                return;
            }
            _ => return,
        };
        if !into.is_empty() {
            into.push(' ');
        }
        into.push_str(text);
    }

    /// Clauses without the full stop that they end with in the script.
    fn tidy(mut self) -> Self {
        for text in [&mut self.purpose, &mut self.without] {
            text.truncate(text.trim_end_matches('.').len());
        }
        self
    }

    /// The statement that helps a user.
    pub fn statement(&self, database: &str, user: &str) -> String {
        format!("GRANT {} TO {user}", self.grant.replace("{database}", database))
    }

    /// Whether a server of this major version knows it.
    pub fn is_known_to(&self, version: u32) -> bool {
        self.from.is_none_or(|from| version >= from)
    }

    /// What `check` says where it is missing.
    pub fn missing(&self, user: &str, statement: &str) -> String {
        format!("{user} lacks a grant: {}; an administrator runs: {statement}", self.without)
    }

    /// What a run says where something is missing for want of it.
    pub fn reason(&self, statement: &str) -> String {
        format!("{}; {statement}", self.without)
    }
}

/// What `check` says of grants that can be left out and are missing; those of one comment in the script are one
/// finding. `statement` is the statement that gives one of them, or why there is none. Where none is missing, that is
/// said.
pub fn findings(
    missing: &[&Grant],
    user: &str,
    statement: impl Fn(&Grant) -> Result<String, &'static str>,
) -> Vec<Finding> {
    let text = |alike: &[&Grant]| {
        let statements: Result<Vec<String>, &str> = alike.iter().map(|grant| statement(grant)).collect();
        match statements {
            Ok(statements) => alike[0].missing(user, &statements.join("; ")),
            Err(why) => format!("{why}: {}", alike[0].without),
        }
    };
    if missing.is_empty() {
        let text = format!("{user} has every grant of the set-up that is of use here");
        return vec![finding(FindingLevel::Ok, "grants", text)];
    }
    let alike = missing.chunk_by(|a, b| a.without == b.without);
    alike.map(|alike| finding(FindingLevel::Warning, "grants", text(alike))).collect()
}

/// What a line of a script grants to dbdyno's user.
fn granted(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("GRANT ")?;
    let (grant, _) = rest.split_once(" TO dbdyno")?;
    // A schema that is looked for while the script runs has no name yet.
    (!grant.contains("%s")).then(|| grant.replace("%I", "{database}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "-- A script.\n\n-- Required: reading.\n-- Without it: nothing.\nGRANT SELECT ON dbdyno.* TO dbdyno@'%';\n\
        GRANT INSERT ON dbdyno.* TO dbdyno@'%';\n\n-- Optional: the work of others,\n--   who may be many.\n\
        -- Without it: it is not seen.\n-- In a run's record: T611 missing proof.foreign_busy; T211 unsupported.\n\
        -- From version: 15.\nDO $$\nBEGIN\n    GRANT pg_monitor TO dbdyno;\nEND $$;\n\n\
        -- Not needed:\n--     GRANT ALL TO dbdyno;\nEXECUTE 'GRANT dbdyno TO CURRENT_USER';\n";

    #[test]
    fn each_grant_has_the_words_above_it() {
        let grants = Grant::all(SCRIPT);
        let told: Vec<_> = grants.iter().map(|g| (g.grant.as_str(), g.required, g.purpose.as_str())).collect();
        assert_eq!(
            told,
            [
                ("SELECT ON dbdyno.*", true, "reading"),
                ("INSERT ON dbdyno.*", true, "reading"),
                ("pg_monitor", false, "the work of others, who may be many"),
            ]
        );
        let monitor = &grants[2];
        assert_eq!(monitor.without, "it is not seen");
        assert!(!monitor.is_known_to(14) && monitor.is_known_to(15) && grants[0].is_known_to(1));
        let statement = monitor.statement("db", "scott");
        assert_eq!(
            monitor.missing("scott", &statement),
            "scott lacks a grant: it is not seen; an administrator runs: GRANT pg_monitor TO scott"
        );
        let of_database = granted("EXECUTE format('GRANT CONNECT ON DATABASE %I TO dbdyno', current_database());");
        assert_eq!(of_database.as_deref(), Some("CONNECT ON DATABASE {database}"));
        assert_eq!(granted("EXECUTE format('GRANT USAGE ON SCHEMA %s TO dbdyno', x);"), None);
    }
}

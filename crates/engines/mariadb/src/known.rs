//! What whoever looks at a server again and again need not ask each time.

use dbdyno_engine::server::Answers;

/// What of a server does not change from one look to the next. It is asked again whenever statements are.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// How the server writes its logs.
    pub(super) settings: Answers,
    /// Why files are not told of.
    pub(super) why_no_files: Option<String>,
    /// Whether performance_schema tells of waits.
    pub(super) told_waits: bool,
    /// Why others' sessions are not seen.
    pub(super) hidden: Option<String>,
    /// Why replication is not told of.
    pub(super) why_no_lag: Option<String>,
}

//! What is the same in all of dbdyno's sessions, whatever the server, a logon trigger or the environment has set: what
//! decides how values read. What decides figures is the platform's, and left alone.

/// Language and territory come first: they bring formats of their own along.
pub(super) const SETTINGS: [&str; 2] = [
    "ALTER SESSION SET NLS_LANGUAGE = 'AMERICAN' NLS_TERRITORY = 'AMERICA'",
    "ALTER SESSION SET NLS_NUMERIC_CHARACTERS = '.,' NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS' \
     NLS_TIMESTAMP_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF6' NLS_SORT = 'BINARY' NLS_COMP = 'BINARY' \
     NLS_LENGTH_SEMANTICS = 'BYTE' TIME_ZONE = '+00:00'",
];

/// What a connection asks first: who it is, and where in a cluster.
pub(super) const INTRODUCTION: &str =
    "SELECT SYS_CONTEXT('USERENV', 'SID'), SYS_CONTEXT('USERENV', 'INSTANCE') FROM dual";

/// What the compiler had to say about an object of this schema.
pub(super) const COMPILER: &str = "SELECT line, position, text FROM user_errors WHERE name = :1 AND attribute = 'ERROR' \
     ORDER BY type, sequence FETCH FIRST 5 ROWS ONLY";

-- Tests that are no runs (crash tests): of each its document as it was made, JSON, with the version of its form.

CREATE TABLE experiments (
    id             TEXT PRIMARY KEY NOT NULL,
    kind           TEXT NOT NULL,
    label          TEXT,
    started_at     TEXT NOT NULL,     -- as in `runs`
    target         TEXT NOT NULL,
    complete       INTEGER NOT NULL,  -- whether it ended as it was planned
    schema_version INTEGER NOT NULL,
    document       TEXT NOT NULL      -- JSON
) STRICT;

CREATE INDEX experiments_in_short ON experiments (started_at, id, kind, label, target, complete);

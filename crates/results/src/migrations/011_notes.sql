-- What users note of runs, at any time: an upgrade, an exchange of disks. The oldest first by `id`.

CREATE TABLE notes (
    id       INTEGER PRIMARY KEY,
    run      TEXT NOT NULL REFERENCES runs (id),
    noted_at TEXT NOT NULL,  -- as `started_at` of runs
    text     TEXT NOT NULL
) STRICT;

CREATE INDEX notes_of_runs ON notes (run);

-- Runs, their points, and the histograms of points.
--
-- What reports filter by is a column; what they print is JSON in the shape of the run document, so that a new figure
-- needs no new schema. Columns of a point are computed from its JSON and so cannot contradict it.

CREATE TABLE runs (
    id           TEXT PRIMARY KEY NOT NULL,
    label        TEXT,
    suite        TEXT NOT NULL,
    size         TEXT NOT NULL,
    seed         TEXT NOT NULL,  -- decimal: SQLite's integers end at 2^63 - 1, seeds at 2^64 - 1
    started_at   TEXT NOT NULL,  -- UTC with nine decimals, so that the order of texts is the order of times
    tool_version TEXT NOT NULL,
    target       TEXT NOT NULL,
    status       TEXT NOT NULL,
    plan         TEXT NOT NULL,  -- JSON
    platform     TEXT NOT NULL,  -- JSON
    database     TEXT NOT NULL,  -- JSON
    lease        TEXT            -- JSON: the process that is measuring the run
) STRICT;

CREATE TABLE points (
    id           INTEGER PRIMARY KEY,
    run          TEXT NOT NULL REFERENCES runs (id),
    plan_index   INTEGER NOT NULL,
    attempt      INTEGER NOT NULL,  -- 1, 2, 3 …; a later one supersedes the earlier
    point        TEXT NOT NULL,     -- JSON
    test         TEXT AS (point ->> 'test'),
    drive        TEXT AS (point ->> 'drive'),
    nodes        INTEGER AS (point ->> 'nodes'),
    jobs         INTEGER AS (point ->> 'jobs'),
    threads      INTEGER AS (point ->> 'threads'),
    rows_per_tx  ANY AS (point ->> 'rows_per_tx'),  -- REAL beyond 2^63
    repeat       INTEGER AS (point ->> 'repeat'),
    status       TEXT AS (point ->> 'status'),
    reason       TEXT AS (point ->> 'reason'),
    metric       TEXT AS (point ->> '$.metric.id'),
    value        REAL AS (point ->> '$.metric.value'),
    UNIQUE (run, plan_index, attempt)
) STRICT;

CREATE TABLE histograms (
    point     INTEGER NOT NULL REFERENCES points (id),
    kind      TEXT NOT NULL CHECK (kind IN ('service', 'response')),
    histogram BLOB NOT NULL,  -- HdrHistogram V2, nanoseconds
    PRIMARY KEY (point, kind)
) STRICT;

-- What readers see: of each planned point the newest attempt.
CREATE VIEW newest_points AS
SELECT * FROM points AS p
WHERE attempt = (SELECT max(attempt) FROM points WHERE run = p.run AND plan_index = p.plan_index);

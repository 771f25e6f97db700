-- Readings of runs and profiles: up to a minute of them in each row, compressed. `form` is the version of that form.

CREATE TABLE readings (
    owner   TEXT NOT NULL,     -- id of a run or an experiment
    block   INTEGER NOT NULL,  -- from 1, in the order in which they were taken
    form    INTEGER NOT NULL,
    data    BLOB NOT NULL,
    PRIMARY KEY (owner, block)
) STRICT, WITHOUT ROWID;

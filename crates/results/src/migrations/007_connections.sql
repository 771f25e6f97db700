-- Users may share connections. How long they waited for one is of the transactions of all types together, and so has no type.

CREATE TABLE histograms_of_kinds (
    point     INTEGER NOT NULL REFERENCES points (id),
    type      TEXT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('service', 'response', 'connection_wait')),
    histogram BLOB NOT NULL,  -- HdrHistogram V2, nanoseconds
    PRIMARY KEY (point, type, kind)
) STRICT;

INSERT INTO histograms_of_kinds (point, type, kind, histogram) SELECT point, type, kind, histogram FROM histograms;

DROP TABLE histograms;
ALTER TABLE histograms_of_kinds RENAME TO histograms;

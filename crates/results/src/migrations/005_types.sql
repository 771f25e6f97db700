-- A point may have several types of transactions, each with histograms of its own. What was recorded before this step has one: that of
-- its test. Storage has no transactions, and so no type: an empty text, because a key holds no NULL.

CREATE TABLE histograms_of_types (
    point     INTEGER NOT NULL REFERENCES points (id),
    type      TEXT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('service', 'response')),
    histogram BLOB NOT NULL,  -- HdrHistogram V2, nanoseconds
    PRIMARY KEY (point, type, kind)
) STRICT;

INSERT INTO histograms_of_types (point, type, kind, histogram)
SELECT h.point, iif(p.point -> '$.storage' IS NULL, ifnull(p.test, ''), ''), h.kind, h.histogram
FROM histograms AS h JOIN points AS p ON p.id = h.point;

DROP TABLE histograms;
ALTER TABLE histograms_of_types RENAME TO histograms;

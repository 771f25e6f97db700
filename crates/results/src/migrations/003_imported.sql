-- Runs that came in as a file, from whomever: what they name (a target, a host) is nobody's word here.

ALTER TABLE runs ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;

-- What users say of the platforms of their own runs (JSON), at any time. It may be attached long after a run was measured, by
-- another dbdyno, and so has a version of the document of its own.

ALTER TABLE runs ADD COLUMN described TEXT;
ALTER TABLE runs ADD COLUMN described_version INTEGER;

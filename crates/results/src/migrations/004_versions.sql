-- Which version of the document a plan and a point are written in. What was there before this step is of version 1 and stays as
-- it was written: `in_this_version` of the room `model` reads it.

ALTER TABLE runs ADD COLUMN schema_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE points ADD COLUMN schema_version INTEGER NOT NULL DEFAULT 1;

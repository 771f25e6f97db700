-- How the dbdyno that measured a run was built (JSON); of runs from before this step nobody knows.

ALTER TABLE runs ADD COLUMN tool TEXT;

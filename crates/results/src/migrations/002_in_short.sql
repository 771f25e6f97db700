-- What lists need of runs and points, beside the JSON that is long: lists of a thousand runs read these indexes alone.
-- `ended` is the status once more, as a column of its own: SQLite takes no index for a covering one that holds a computed
-- column.

ALTER TABLE runs ADD COLUMN points_planned INTEGER;
UPDATE runs SET points_planned = json_array_length(plan, '$.points');
CREATE INDEX runs_in_short ON runs
    (started_at, id, label, suite, size, seed, tool_version, target, status, points_planned);

ALTER TABLE points ADD COLUMN ended TEXT;
UPDATE points SET ended = status;
CREATE INDEX points_in_short ON points (run, plan_index, attempt, ended);

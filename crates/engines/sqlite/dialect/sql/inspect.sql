-- What the file says of a table that was loaded some time ago, and rows of it. Nothing here changes anything.

-- name: facts
-- what: the table, and all that hangs on it, with the text that it was made with; indexes that points build are left out
WITH there AS (
  SELECT type, name, sql, printf('DROP %s "%w"', upper(type), name) AS remedy FROM sqlite_schema
  WHERE tbl_name = '{table}' COLLATE NOCASE AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE 'dbdyno\_load\_%' ESCAPE '\')
SELECT '{table}', 'kind', type, CASE type WHEN 'view' THEN remedy END FROM there WHERE type IN ('table', 'view')
UNION ALL SELECT '{table}', 'definition', sql, NULL FROM there WHERE type = 'table'
UNION ALL SELECT '{table}', type, CASE type WHEN 'index' THEN sql ELSE name END, remedy FROM there
WHERE type NOT IN ('table', 'view');

-- name: row
-- what: one row by its key
SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM {table} WHERE id = ?1;

-- name: columns
-- what: the columns of every table named as dbdyno's are, so that none is dropped which dbdyno did not make
SELECT c.name, group_concat(c.called, ' ')
FROM (SELECT s.name, p.name AS called FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS p
      WHERE s.type = 'table' AND s.name LIKE 'dbdyno\_%' ESCAPE '\' ORDER BY s.name, p.cid) AS c
GROUP BY c.name;

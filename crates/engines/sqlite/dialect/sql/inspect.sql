-- What the file says of a table that was loaded some time ago, and rows of it. Nothing here changes anything.

-- name: facts
-- what: the table, and all that hangs on it, with the text that it was made with; indexes that points build are left out
SELECT type, name, sql, printf('DROP %s "%w"', upper(type), name) FROM sqlite_schema
WHERE tbl_name = '{table}' COLLATE NOCASE AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE 'dbdyno\_load\_%' ESCAPE '\';

-- name: row
-- what: one row by its key
SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM {table} WHERE id = ?1;

-- name: columns
-- what: the columns of every table named as dbdyno's are, so that none is dropped which dbdyno did not make
SELECT c.name, group_concat(c.called, ' ')
FROM (SELECT s.name, p.name AS called FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS p
      WHERE s.type = 'table' AND s.name LIKE 'dbdyno\_%' ESCAPE '\' ORDER BY s.name, p.cid) AS c
GROUP BY c.name;

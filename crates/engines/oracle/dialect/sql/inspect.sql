-- What the dictionary says of a table that was loaded some time ago, and rows of it. Nothing here changes anything.

-- name: facts
-- what: relation, kind of fact, fact, and what takes it away: all that decides how a table works; indexes that points build are left out
SELECT LOWER(object_name), 'kind', LOWER(object_type), CASE WHEN object_type = 'VIEW' THEN 'DROP VIEW ' || object_name END
FROM user_objects
WHERE object_name = UPPER('{table}') AND object_type IN ('MATERIALIZED VIEW', 'SYNONYM', 'TABLE', 'VIEW')
UNION ALL
SELECT LOWER(table_name), 'persistence', CASE temporary WHEN 'Y' THEN 'temporary' ELSE 'logged' END, NULL
FROM user_tables WHERE table_name = UPPER('{table}')
UNION ALL
SELECT LOWER(t.table_name), 'storage', CASE WHEN t.iot_type IS NOT NULL THEN 'index-organised'
    WHEN c.cluster_type = 'HASH' THEN 'a hash cluster' WHEN t.cluster_name IS NOT NULL THEN 'a cluster' ELSE 'a heap' END, NULL
FROM user_tables t LEFT JOIN user_clusters c ON c.cluster_name = t.cluster_name WHERE t.table_name = UPPER('{table}')
UNION ALL
SELECT LOWER(table_name), 'column', LOWER(column_name) || ' ' || LOWER(data_type)
    || CASE WHEN data_type = 'NUMBER' THEN '(' || TO_CHAR(data_precision) || ',' || TO_CHAR(data_scale) || ')' END
    || CASE WHEN data_type IN ('CHAR', 'VARCHAR2') THEN '(' || TO_CHAR(char_length) || ')' END
    || CASE WHEN nullable = 'N' THEN ' not null' END, NULL
FROM user_tab_columns WHERE table_name = UPPER('{table}')
UNION ALL
SELECT LOWER(i.table_name), 'index', LOWER(i.index_name) || ' ' || LOWER(MAX(i.uniqueness)) || ' ('
    || LISTAGG(LOWER(c.column_name), ', ') WITHIN GROUP (ORDER BY c.column_position) || ')', 'DROP INDEX ' || i.index_name
FROM user_indexes i JOIN user_ind_columns c ON c.index_name = i.index_name
WHERE i.table_name = UPPER('{table}') AND i.index_name NOT LIKE 'LOAD%'
GROUP BY i.table_name, i.index_name
UNION ALL
SELECT LOWER(table_name), 'parts', TO_CHAR(COUNT(*)), NULL
FROM user_tab_partitions WHERE table_name = UPPER('{table}') GROUP BY table_name
UNION ALL
SELECT LOWER(table_name), 'trigger', owner || '.' || trigger_name, 'DROP TRIGGER ' || owner || '.' || trigger_name
FROM all_triggers WHERE table_owner = USER AND table_name = UPPER('{table}')
UNION ALL
SELECT LOWER(table_name), 'constraint', constraint_name, 'ALTER TABLE {table} DROP CONSTRAINT ' || constraint_name
FROM user_constraints WHERE table_name = UPPER('{table}') AND constraint_type = 'R'

-- name: row
-- what: one row by all that its place follows from
SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM {table}
WHERE id = :1 AND booked_on = :2 AND region = :3

-- name: columns
-- what: the columns of every table in the schema, so that none is dropped which dbdyno did not make
SELECT LOWER(table_name), LISTAGG(LOWER(column_name), ' ') WITHIN GROUP (ORDER BY column_id)
FROM user_tab_columns GROUP BY table_name

-- name: dependents
-- what: tables of others whose foreign keys refer to a table of the schema; each keeps it from being dropped
SELECT DISTINCT 'table ' || owner || '.' || table_name || ', by its foreign key ' || constraint_name
FROM all_constraints WHERE constraint_type = 'R' AND r_owner = USER AND owner <> USER
ORDER BY 1

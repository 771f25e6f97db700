-- What the catalogue says of a table that was loaded some time ago, and rows of it. Nothing here changes anything.

-- name: facts
-- what: relation, kind of fact, fact, and what takes it away: all that decides how a table with its partitions works
-- left out: indexes that points build (load_...), and triggers of the server's own, which come with constraints
WITH ours AS (
  SELECT c.oid, c.relname::text AS name, c.relkind::text AS kind, c.relpersistence::text AS persistence, c.reloptions,
         c.relam, c.relrowsecurity, c.relreplident::text AS replident, c.relpartbound
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'dbdyno' AND c.relname ~ '^{table}(_r[0-9]+)?(_p[0-9]+)?$' AND c.relkind NOT IN ('i', 'I', 't', 'c')
)
SELECT name, 'kind',
       CASE kind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view'
                 WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE kind END,
       CASE kind WHEN 'v' THEN format('DROP VIEW %s', oid::regclass)
                 WHEN 'm' THEN format('DROP MATERIALIZED VIEW %s', oid::regclass)
                 WHEN 'f' THEN format('DROP FOREIGN TABLE %s', oid::regclass) END
FROM ours
UNION ALL
SELECT name, 'persistence', CASE persistence WHEN 'p' THEN 'logged' WHEN 'u' THEN 'unlogged' ELSE 'temporary' END,
       CASE persistence WHEN 'u' THEN format('ALTER TABLE %s SET LOGGED', oid::regclass) END
FROM ours WHERE kind IN ('r', 'p')
UNION ALL
SELECT name, 'options', coalesce((SELECT string_agg(o, ', ' ORDER BY o) FROM unnest(reloptions) o), 'none'), NULL
FROM ours WHERE kind IN ('r', 'p')
UNION ALL
SELECT name, 'access method', CASE WHEN am.amname = current_setting('default_table_access_method') THEN 'the default'
                                   ELSE am.amname::text END, NULL
FROM ours JOIN pg_catalog.pg_am am ON am.oid = relam WHERE kind = 'r'
UNION ALL
SELECT name, 'replica identity', CASE replident WHEN 'd' THEN 'the default' ELSE replident END,
       format('ALTER TABLE %s REPLICA IDENTITY DEFAULT', oid::regclass)
FROM ours WHERE kind IN ('r', 'p')
UNION ALL
SELECT name, 'place', p.relname || ' ' || pg_catalog.pg_get_expr(o.relpartbound, o.oid), NULL
FROM ours o JOIN pg_catalog.pg_inherits i ON i.inhrelid = o.oid JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
UNION ALL
SELECT o.name, 'partition', i.inhrelid::regclass::text, format('DROP TABLE %s', i.inhrelid::regclass)
FROM ours o JOIN pg_catalog.pg_inherits i ON i.inhparent = o.oid WHERE i.inhrelid NOT IN (SELECT oid FROM ours)
UNION ALL
SELECT o.name, 'column',
       a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod)
       || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
       || CASE WHEN a.atthasdef OR a.attidentity <> '' THEN ' with a default' ELSE '' END
       || CASE WHEN a.attstorage <> t.typstorage THEN ' stored in another way' ELSE '' END, NULL
FROM ours o JOIN pg_catalog.pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
UNION ALL
SELECT o.name, 'index',
       x.relname || ' ' || am.amname || CASE WHEN i.indisunique THEN ' unique' ELSE '' END || ' ('
       || (SELECT string_agg(pg_catalog.pg_get_indexdef(i.indexrelid, k, true), ', ' ORDER BY k)
           FROM generate_series(1, i.indnkeyatts::integer) k) || ')'
       || coalesce((SELECT ' include (' || string_agg(pg_catalog.pg_get_indexdef(i.indexrelid, k, true), ', ' ORDER BY k) || ')'
                    FROM generate_series(i.indnkeyatts + 1, i.indnatts::integer) k HAVING count(*) > 0), '')
       || CASE WHEN i.indpred IS NOT NULL THEN ' for some rows' ELSE '' END
       || CASE WHEN i.indoption::text ~ '[1-9]' THEN ' in another order' ELSE '' END
       || CASE WHEN x.reloptions IS NOT NULL THEN ' with options' ELSE '' END
       || CASE WHEN i.indisvalid AND i.indisready AND i.indislive THEN '' ELSE ' that is not valid' END,
       format('DROP INDEX %s', i.indexrelid::regclass)
FROM ours o JOIN pg_catalog.pg_index i ON i.indrelid = o.oid JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
JOIN pg_catalog.pg_am am ON am.oid = x.relam WHERE x.relname NOT LIKE 'load\_%'
UNION ALL
SELECT o.name, 'trigger', t.tgname, format('DROP TRIGGER %I ON %s', t.tgname, o.oid::regclass)
FROM ours o JOIN pg_catalog.pg_trigger t ON t.tgrelid = o.oid AND NOT t.tgisinternal AND t.tgparentid = 0
UNION ALL
SELECT o.name, 'rule', r.rulename, format('DROP RULE %I ON %s', r.rulename, o.oid::regclass)
FROM ours o JOIN pg_catalog.pg_rewrite r ON r.ev_class = o.oid AND r.rulename <> '_RETURN'
UNION ALL
SELECT o.name, 'constraint', k.conname, format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)
FROM ours o JOIN pg_catalog.pg_constraint k
  ON (k.conrelid = o.oid AND k.contype IN ('c', 'f', 'x')) OR (k.confrelid = o.oid AND k.contype = 'f')
UNION ALL
SELECT name, 'security', 'by row', format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', oid::regclass)
FROM ours WHERE relrowsecurity;

-- name: row
-- what: one row by all that its place follows from
COPY (SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM dbdyno.{table}
      WHERE id = $1 AND booked_on = $2 AND region = $3) TO STDOUT (FORMAT binary);

-- name: columns
-- what: the columns of every table in the schema, so that none is dropped which dbdyno did not make
SELECT c.relname, string_agg(a.attname::text, ' ' ORDER BY a.attnum)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'dbdyno'
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') GROUP BY c.relname;

-- name: dependents
-- what: what lies elsewhere and needs something of the schema, or would go with it: views, partitions, functions, foreign keys
WITH ours AS (
  SELECT 'pg_catalog.pg_class'::regclass AS class, c.oid FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'dbdyno'
  UNION ALL
  SELECT 'pg_catalog.pg_type'::regclass, t.oid FROM pg_catalog.pg_type t
  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE n.nspname = 'dbdyno'
  UNION ALL
  SELECT 'pg_catalog.pg_proc'::regclass, p.oid FROM pg_catalog.pg_proc p
  JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'dbdyno'
), found AS (
  SELECT CASE WHEN r.ev_class IS NOT NULL OR f.adrelid IS NOT NULL OR t.tgrelid IS NOT NULL OR l.polrelid IS NOT NULL
              THEN 'pg_catalog.pg_class'::regclass ELSE d.classid END AS class,
         coalesce(r.ev_class, f.adrelid, t.tgrelid, l.polrelid, d.objid) AS object
  FROM ours o JOIN pg_catalog.pg_depend d ON d.refclassid = o.class AND d.refobjid = o.oid AND d.deptype IN ('n', 'a')
  LEFT JOIN pg_catalog.pg_rewrite r ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND r.oid = d.objid
  LEFT JOIN pg_catalog.pg_attrdef f ON d.classid = 'pg_catalog.pg_attrdef'::regclass AND f.oid = d.objid
  LEFT JOIN pg_catalog.pg_trigger t ON d.classid = 'pg_catalog.pg_trigger'::regclass AND t.oid = d.objid
  LEFT JOIN pg_catalog.pg_policy l ON d.classid = 'pg_catalog.pg_policy'::regclass AND l.oid = d.objid
  UNION
  SELECT 'pg_catalog.pg_constraint'::regclass, k.oid FROM pg_catalog.pg_constraint k
  JOIN ours o ON o.class = 'pg_catalog.pg_class'::regclass AND o.oid = k.confrelid
  WHERE k.contype = 'f' AND k.conrelid <> k.confrelid AND k.conparentid = 0
)
SELECT i.type || ' ' || i.identity FROM found, LATERAL pg_catalog.pg_identify_object(class, object, 0) i
WHERE (class, object) NOT IN (SELECT ours.class, ours.oid FROM ours)
  AND (class = 'pg_catalog.pg_constraint'::regclass AND object IN (SELECT oid FROM pg_catalog.pg_constraint WHERE contype = 'f')
       OR class IN ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_type'::regclass, 'pg_catalog.pg_proc'::regclass))
ORDER BY 1;

-- Parts of procedures, named there in braces. The most specific one is taken: access_hash before access where the table is
-- a hash cluster (crates/engine/src/procedure). What is not here stands in tables.sql.

-- name: results
-- what: how every procedure that has done all of its passes ends
p_ops := p_passes * p_ops_per_pass;
    p_rows := v_rows;
    p_bytes := 0;
    p_checksum := v_sum;

-- name: commit
-- what: a commit that waits for the log, as one that a client sends does
COMMIT WRITE IMMEDIATE WAIT

-- name: commit_engine_default
-- what: the engine's own way inside PL/SQL
COMMIT

-- name: access
-- what: the hint for a lookup by the primary key
INDEX({table} {table}_pk)

-- name: access_hash
-- what: the same in a hash cluster
HASH({table})

-- name: scan
-- what: the hint for a full scan
FULL({table})

-- name: scan_iot
-- what: the same of an index-organised table
INDEX_FFS({table} {table}_pk)

-- name: made
-- what: how a bulk load keeps the heap that it makes
{default_pool} {none}

-- name: made_basic
-- what: the same, compressed
{default_pool} {basic}

-- name: made_oltp
-- what: the same, compressed
{default_pool} {oltp}

-- name: made_hcc_query_low
-- what: the same, compressed
{default_pool} {hcc_query_low}

-- name: made_hcc_archive_low
-- what: the same, compressed
{default_pool} {hcc_archive_low}

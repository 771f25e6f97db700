-- What loads by direct path: rows of heaps go into new blocks past the buffer cache, with next to no undo. A segment that is
-- filled so can be neither read nor filled again before the next commit, and is locked until then: each session fills parts of
-- its own, and commits each batch. So an interrupted load can leave half a part, which is emptied before it is filled.

-- name: append_into
-- what: rows of a part of a heap, from dbdyno, by direct path; bound as arrays, a commit follows each
INSERT /*+ APPEND_VALUES */ INTO {leaf} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
VALUES (:1, :2, :3, :4, :5, :6, :7, :8, :9)

-- name: wait_for_locks
-- what: emptying a part waits for what an earlier load has left at work there
BEGIN
  EXECUTE IMMEDIATE 'ALTER SESSION SET ddl_lock_timeout = 600';
END;

-- name: through_the_cache
-- what: what is read back goes through the buffer cache, where blocks are cleaned up; not every server may be told so
ALTER SESSION SET "_serial_direct_read" = NEVER

-- name: any_row_in
-- what: whether a part has rows
SELECT 1 FROM {leaf} WHERE ROWNUM = 1

-- name: truncate_table
-- what: empties a table, and keeps its room
TRUNCATE TABLE {table} REUSE STORAGE

-- name: truncate_partition
-- what: the same for a region
ALTER TABLE {table} TRUNCATE PARTITION {part} REUSE STORAGE

-- name: truncate_subpartition
-- what: the same for a region of a month
ALTER TABLE {table} TRUNCATE SUBPARTITION {part} REUSE STORAGE

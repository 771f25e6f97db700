-- Random reads and writes through the database in the manner of SLOB. Makes for each unit the tables slob_1, slob_scan_1 and
-- four procedures slob_…_1 in the user's schema, and touches nothing else. Proves that each row is alone in its block, that
-- nothing of it is stored elsewhere, that rows of neighbouring keys lie in blocks that have nothing to do with one another, and
-- that as many rows are read and changed as there are keys in the range.
-- A row takes 2.5 KB. A block is kept free but for a hundredth, so it takes one row, and texts of one length never move it.
-- `place` is the order in which rows are stored; its key serves the load, and is dropped when all rows are there.

-- name: make rows
-- makes: table slob_{unit}
-- columns: place id c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
CREATE TABLE slob_{unit} (
  place NUMBER(19) NOT NULL, id NUMBER(19) NOT NULL,
  c1 VARCHAR2(128), c2 VARCHAR2(128), c3 VARCHAR2(128), c4 VARCHAR2(128), c5 VARCHAR2(128), c6 VARCHAR2(128), c7 VARCHAR2(128),
  c8 VARCHAR2(128), c9 VARCHAR2(128), c10 VARCHAR2(128), c11 VARCHAR2(128), c12 VARCHAR2(128), c13 VARCHAR2(128),
  c14 VARCHAR2(128), c15 VARCHAR2(128), c16 VARCHAR2(128), c17 VARCHAR2(128), c18 VARCHAR2(128), c19 VARCHAR2(128),
  CONSTRAINT slob_{unit}_pk PRIMARY KEY (place)
) PCTFREE 99 PCTUSED 1 NOCOMPRESS

-- name: make scan
-- makes: table slob_scan_{unit}
-- columns: place id c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
CREATE TABLE slob_scan_{unit} (
  place NUMBER(19) NOT NULL, id NUMBER(19) NOT NULL,
  c1 VARCHAR2(128), c2 VARCHAR2(128), c3 VARCHAR2(128), c4 VARCHAR2(128), c5 VARCHAR2(128), c6 VARCHAR2(128), c7 VARCHAR2(128),
  c8 VARCHAR2(128), c9 VARCHAR2(128), c10 VARCHAR2(128), c11 VARCHAR2(128), c12 VARCHAR2(128), c13 VARCHAR2(128),
  c14 VARCHAR2(128), c15 VARCHAR2(128), c16 VARCHAR2(128), c17 VARCHAR2(128), c18 VARCHAR2(128), c19 VARCHAR2(128),
  CONSTRAINT slob_scan_{unit}_pk PRIMARY KEY (place)
) PCTFREE 99 PCTUSED 1 NOCOMPRESS

-- name: make select
-- makes: procedure slob_select_{unit}
CREATE PROCEDURE slob_select_{unit} (p_low IN NUMBER, p_high IN NUMBER, p_rows OUT NUMBER) IS
BEGIN
  SELECT /*+ INDEX(s slob_{unit}_key) NO_PARALLEL */ COUNT(c1) INTO p_rows
  FROM slob_{unit} s WHERE id > p_low AND id < p_high;
END;

-- name: make update_lite
-- makes: procedure slob_update_lite_{unit}
CREATE PROCEDURE slob_update_lite_{unit} (p_low IN NUMBER, p_high IN NUMBER, p_text IN VARCHAR2, p_rows OUT NUMBER) IS
BEGIN
  UPDATE /*+ INDEX(s slob_{unit}_key) NO_PARALLEL */ slob_{unit} s SET c1 = p_text, c19 = p_text
  WHERE id > p_low AND id < p_high;
  p_rows := SQL%ROWCOUNT;
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: make update_heavy
-- makes: procedure slob_update_heavy_{unit}
CREATE PROCEDURE slob_update_heavy_{unit} (p_low IN NUMBER, p_high IN NUMBER, p_text IN VARCHAR2, p_rows OUT NUMBER) IS
BEGIN
  UPDATE /*+ INDEX(s slob_{unit}_key) NO_PARALLEL */ slob_{unit} s
  SET c1 = p_text, c2 = p_text, c3 = p_text, c4 = p_text, c5 = p_text, c6 = p_text, c7 = p_text, c8 = p_text, c9 = p_text,
      c10 = p_text, c11 = p_text, c12 = p_text, c13 = p_text, c14 = p_text, c15 = p_text, c16 = p_text, c17 = p_text,
      c18 = p_text, c19 = p_text
  WHERE id > p_low AND id < p_high;
  p_rows := SQL%ROWCOUNT;
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: make scan_all
-- makes: procedure slob_scan_all_{unit}
CREATE PROCEDURE slob_scan_all_{unit} (p_rows OUT NUMBER) IS
BEGIN
  SELECT /*+ FULL(s) NO_PARALLEL */ COUNT(c1) INTO p_rows FROM slob_scan_{unit} s;
END;

-- name: arrange rows
-- what: drops the key that has served the load; no block takes more rows than there are in one now; again changes nothing
DECLARE
  gone EXCEPTION;
  PRAGMA EXCEPTION_INIT(gone, -2443);
BEGIN
  BEGIN
    EXECUTE IMMEDIATE 'ALTER TABLE slob_{unit} DROP CONSTRAINT slob_{unit}_pk';
  EXCEPTION
    WHEN gone THEN
      NULL;
  END;
  EXECUTE IMMEDIATE 'ALTER TABLE slob_{unit} MINIMIZE RECORDS_PER_BLOCK';
END;

-- name: arrange scan
DECLARE
  gone EXCEPTION;
  PRAGMA EXCEPTION_INIT(gone, -2443);
BEGIN
  BEGIN
    EXECUTE IMMEDIATE 'ALTER TABLE slob_scan_{unit} DROP CONSTRAINT slob_scan_{unit}_pk';
  EXCEPTION
    WHEN gone THEN
      NULL;
  END;
  EXECUTE IMMEDIATE 'ALTER TABLE slob_scan_{unit} MINIMIZE RECORDS_PER_BLOCK';
END;

-- name: index key
-- what: where an earlier load has not made it
DECLARE
  there EXCEPTION;
  PRAGMA EXCEPTION_INIT(there, -955);
  v_ours NUMBER;
BEGIN
  EXECUTE IMMEDIATE 'CREATE INDEX slob_{unit}_key ON slob_{unit} (id)';
EXCEPTION
  WHEN there THEN
    -- Something else may have its name.
    SELECT COUNT(*) INTO v_ours FROM user_indexes WHERE index_name = 'SLOB_{unit}_KEY' AND table_name = 'SLOB_{unit}';
    IF v_ours = 0 THEN
      RAISE;
    END IF;
END;

-- name: finish statistics_rows
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'SLOB_{unit}');
END;

-- name: finish statistics_scan
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'SLOB_SCAN_{unit}');
END;

-- name: client select
-- what: :1 the key below the range, :2 the key above it; answers with the number of rows
SELECT /*+ INDEX(s slob_{unit}_key) NO_PARALLEL */ COUNT(c1) FROM slob_{unit} s WHERE id > :1 AND id < :2

-- name: client update_lite
-- what: :1 the key below the range, :2 the key above it, :3 the text
UPDATE /*+ INDEX(s slob_{unit}_key) NO_PARALLEL */ slob_{unit} s SET c1 = :3, c19 = :3 WHERE id > :1 AND id < :2

-- name: client update_heavy
-- what: :1 the key below the range, :2 the key above it, :3 the text
UPDATE /*+ INDEX(s slob_{unit}_key) NO_PARALLEL */ slob_{unit} s
SET c1 = :3, c2 = :3, c3 = :3, c4 = :3, c5 = :3, c6 = :3, c7 = :3, c8 = :3, c9 = :3, c10 = :3, c11 = :3, c12 = :3, c13 = :3,
    c14 = :3, c15 = :3, c16 = :3, c17 = :3, c18 = :3, c19 = :3
WHERE id > :1 AND id < :2

-- name: client scan
-- what: answers with the number of rows
SELECT /*+ FULL(s) NO_PARALLEL */ COUNT(c1) FROM slob_scan_{unit} s

-- name: server select
-- what: :1 the key below the range, :2 the key above it; each call answers with the number of rows
-- outputs: int
BEGIN
  slob_select_{unit}(:1, :2, :3);
END;

-- name: server update_lite
-- what: :1 the key below the range, :2 the key above it, :3 the text
-- outputs: int
BEGIN
  slob_update_lite_{unit}(:1, :2, :3, :4);
END;

-- name: server update_heavy
-- what: :1 the key below the range, :2 the key above it, :3 the text
-- outputs: int
BEGIN
  slob_update_heavy_{unit}(:1, :2, :3, :4);
END;

-- name: server scan
-- outputs: int
BEGIN
  slob_scan_all_{unit}(:1);
END;

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 1
SELECT i.table_name || ' ' || i.index_name || ' ' || i.index_type || ' ' || i.uniqueness || ' '
    || LISTAGG(c.column_name, ',') WITHIN GROUP (ORDER BY c.column_position)
FROM user_indexes i JOIN user_ind_columns c ON c.index_name = i.index_name
WHERE i.status = 'VALID' AND i.visibility = 'VISIBLE' AND i.table_name IN ('SLOB_{unit}', 'SLOB_SCAN_{unit}')
GROUP BY i.table_name, i.index_name, i.index_type, i.uniqueness ORDER BY i.table_name, i.index_name

-- name: count
-- what: rows of both tables
SELECT (SELECT COUNT(*) FROM slob_{unit}), (SELECT COUNT(*) FROM slob_scan_{unit})
FROM dual

-- name: placed
-- what: rows; blocks that hold them; rows that take more than a block, as all do where blocks have 2 KB; how the key goes with
-- also: the block, from -1000000 to 1000000. File and block make one number, in tablespaces of one large file, too
SELECT COUNT(*), COUNT(DISTINCT block_number), NVL(SUM(too_small), 0), NVL(ROUND(1000000 * CORR(id, block_number)), 0)
FROM (SELECT id, DBMS_ROWID.ROWID_RELATIVE_FNO(ROWID) * 4194304 + DBMS_ROWID.ROWID_BLOCK_NUMBER(ROWID) AS block_number
      FROM slob_{unit}) stored
CROSS JOIN (SELECT COUNT(*) AS too_small FROM user_tables t JOIN user_tablespaces s ON s.tablespace_name = t.tablespace_name
            WHERE t.table_name = 'SLOB_{unit}' AND s.block_size < 4096) blocks

-- Random reads and writes through the database in the manner of SLOB. Makes for each unit the tables slob_1, slob_scan_1 and
-- four procedures slob_…_1 in the database that the target names, and touches nothing else. Proves that each row is alone in its
-- page, that nothing of it is stored elsewhere, that rows of neighbouring keys lie in pages that have nothing to do with one
-- another, and that as many rows are read and changed as there are keys in the range.
-- InnoDB puts two rows into a page, however long they are. So every second row of a load is a filler, with a negative key: `pad`
-- makes rows so long that a page of 16 KB takes two and not three, they lie in the order of `place`, and of two that follow one
-- another one is a filler. When all rows are there, fillers are removed. The table's comment says that pages are not merged
-- then. Texts of one length change where they are. Whoever has the table copied (OPTIMIZE TABLE) has two rows in each page.
-- Of pages with one row InnoDB's statistics say that there are no rows, so statements name the index that they go by.

-- name: make rows
-- makes: table slob_{unit}
-- columns: place id c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
-- hidden: pad
-- fillers: 1
CREATE TABLE slob_{unit} (
  place BIGINT NOT NULL PRIMARY KEY, id BIGINT NOT NULL,
  c1 VARCHAR(128), c2 VARCHAR(128), c3 VARCHAR(128), c4 VARCHAR(128), c5 VARCHAR(128), c6 VARCHAR(128), c7 VARCHAR(128),
  c8 VARCHAR(128), c9 VARCHAR(128), c10 VARCHAR(128), c11 VARCHAR(128), c12 VARCHAR(128), c13 VARCHAR(128), c14 VARCHAR(128),
  c15 VARCHAR(128), c16 VARCHAR(128), c17 VARCHAR(128), c18 VARCHAR(128), c19 VARCHAR(128),
  pad VARCHAR(3200) NOT NULL INVISIBLE DEFAULT (REPEAT('-', 3200))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET ascii STATS_PERSISTENT = 1 STATS_AUTO_RECALC = 0
COMMENT = 'MERGE_THRESHOLD=1'

-- name: make scan
-- makes: table slob_scan_{unit}
-- columns: place id c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
-- hidden: pad
-- fillers: 1
CREATE TABLE slob_scan_{unit} (
  place BIGINT NOT NULL PRIMARY KEY, id BIGINT NOT NULL,
  c1 VARCHAR(128), c2 VARCHAR(128), c3 VARCHAR(128), c4 VARCHAR(128), c5 VARCHAR(128), c6 VARCHAR(128), c7 VARCHAR(128),
  c8 VARCHAR(128), c9 VARCHAR(128), c10 VARCHAR(128), c11 VARCHAR(128), c12 VARCHAR(128), c13 VARCHAR(128), c14 VARCHAR(128),
  c15 VARCHAR(128), c16 VARCHAR(128), c17 VARCHAR(128), c18 VARCHAR(128), c19 VARCHAR(128),
  pad VARCHAR(3200) NOT NULL INVISIBLE DEFAULT (REPEAT('-', 3200))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET ascii STATS_PERSISTENT = 1 STATS_AUTO_RECALC = 0
COMMENT = 'MERGE_THRESHOLD=1'

-- name: make select
-- makes: procedure slob_select_{unit}
CREATE PROCEDURE slob_select_{unit}(IN p_low BIGINT, IN p_high BIGINT)
BEGIN
  SELECT COUNT(c1) FROM slob_{unit} FORCE INDEX (slob_{unit}_key) WHERE id > p_low AND id < p_high;
END

-- name: make update_lite
-- makes: procedure slob_update_lite_{unit}
CREATE PROCEDURE slob_update_lite_{unit}(IN p_low BIGINT, IN p_high BIGINT, IN p_text VARCHAR(128) CHARACTER SET ascii)
BEGIN
  DECLARE v_rows BIGINT DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  START TRANSACTION;
  UPDATE slob_{unit} FORCE INDEX (slob_{unit}_key) SET c1 = p_text, c19 = p_text WHERE id > p_low AND id < p_high;
  SET v_rows = ROW_COUNT();
  COMMIT;
  SELECT v_rows;
END

-- name: make update_heavy
-- makes: procedure slob_update_heavy_{unit}
CREATE PROCEDURE slob_update_heavy_{unit}(IN p_low BIGINT, IN p_high BIGINT, IN p_text VARCHAR(128) CHARACTER SET ascii)
BEGIN
  DECLARE v_rows BIGINT DEFAULT 0;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  START TRANSACTION;
  UPDATE slob_{unit} FORCE INDEX (slob_{unit}_key)
  SET c1 = p_text, c2 = p_text, c3 = p_text, c4 = p_text, c5 = p_text, c6 = p_text, c7 = p_text, c8 = p_text, c9 = p_text,
      c10 = p_text, c11 = p_text, c12 = p_text, c13 = p_text, c14 = p_text, c15 = p_text, c16 = p_text, c17 = p_text,
      c18 = p_text, c19 = p_text
  WHERE id > p_low AND id < p_high;
  SET v_rows = ROW_COUNT();
  COMMIT;
  SELECT v_rows;
END

-- name: make scan_all
-- makes: procedure slob_scan_all_{unit}
CREATE PROCEDURE slob_scan_all_{unit}()
BEGIN
  SELECT COUNT(c1) FROM slob_scan_{unit};
END

-- name: arrange rows
-- what: removes the fillers; waits until the server has purged them, for 5 minutes at most; again removes nothing
BEGIN NOT ATOMIC
  DECLARE v_from, v_looks BIGINT DEFAULT 0;
  DECLARE v_last BIGINT DEFAULT (SELECT COALESCE(MAX(place), 0) FROM slob_{unit});
  WHILE v_from < v_last DO
    DELETE FROM slob_{unit} WHERE place > v_from AND place <= v_from + 20000 AND id < 0;
    SET v_from = v_from + 20000;
  END WHILE;
  WHILE v_looks < LEAST(v_last DIV 200, 3000) AND 0 < (
    SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_HISTORY_LIST_LENGTH')
  DO
    SET v_looks = v_looks + 1 + SLEEP(0.1);
  END WHILE;
END

-- name: arrange scan
BEGIN NOT ATOMIC
  DECLARE v_from, v_looks BIGINT DEFAULT 0;
  DECLARE v_last BIGINT DEFAULT (SELECT COALESCE(MAX(place), 0) FROM slob_scan_{unit});
  WHILE v_from < v_last DO
    DELETE FROM slob_scan_{unit} WHERE place > v_from AND place <= v_from + 20000 AND id < 0;
    SET v_from = v_from + 20000;
  END WHILE;
  WHILE v_looks < LEAST(v_last DIV 200, 3000) AND 0 < (
    SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_HISTORY_LIST_LENGTH')
  DO
    SET v_looks = v_looks + 1 + SLEEP(0.1);
  END WHILE;
END

-- name: index key
-- what: never by a copy of the table, which would have two rows in each page
ALTER TABLE slob_{unit} ADD INDEX IF NOT EXISTS slob_{unit}_key (id), ALGORITHM = NOCOPY

-- name: finish
ANALYZE TABLE slob_{unit}, slob_scan_{unit}

-- name: refresh
-- what: has the server count the table's pages, which `placed` reads
ANALYZE TABLE slob_{unit}

-- name: session reads
-- what: rows one by one as the index has them, not sorted by their places first
SET optimizer_switch = 'mrr=off'

-- name: client select
-- what: :1 the key below the range, :2 the key above it; answers with the number of rows
SELECT COUNT(c1) FROM slob_{unit} FORCE INDEX (slob_{unit}_key) WHERE id > :1 AND id < :2

-- name: client update_lite
-- what: :1 the key below the range, :2 the key above it, :3 the text
UPDATE slob_{unit} FORCE INDEX (slob_{unit}_key) SET c1 = :3, c19 = :3 WHERE id > :1 AND id < :2

-- name: client update_heavy
-- what: :1 the key below the range, :2 the key above it, :3 the text
UPDATE slob_{unit} FORCE INDEX (slob_{unit}_key)
SET c1 = :3, c2 = :3, c3 = :3, c4 = :3, c5 = :3, c6 = :3, c7 = :3, c8 = :3, c9 = :3, c10 = :3, c11 = :3, c12 = :3, c13 = :3,
    c14 = :3, c15 = :3, c16 = :3, c17 = :3, c18 = :3, c19 = :3
WHERE id > :1 AND id < :2

-- name: client scan
-- what: answers with the number of rows
SELECT COUNT(c1) FROM slob_scan_{unit}

-- name: server select
-- what: :1 the key below the range, :2 the key above it; each call answers with the number of rows
CALL slob_select_{unit}(:1, :2)

-- name: server update_lite
-- what: :1 the key below the range, :2 the key above it, :3 the text
CALL slob_update_lite_{unit}(:1, :2, :3)

-- name: server update_heavy
-- what: :1 the key below the range, :2 the key above it, :3 the text
CALL slob_update_heavy_{unit}(:1, :2, :3)

-- name: server scan
CALL slob_scan_all_{unit}()

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 3
SELECT CONCAT(TABLE_NAME, ' ', INDEX_NAME, ' ', INDEX_TYPE, ' ', MAX(NON_UNIQUE), ' ',
  GROUP_CONCAT(COLUMN_NAME, IFNULL(CONCAT(' ', SUB_PART), '') ORDER BY SEQ_IN_INDEX))
FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND IGNORED = 'NO' AND TABLE_NAME IN (
  'slob_{unit}', 'slob_scan_{unit}')
GROUP BY TABLE_NAME, INDEX_NAME, INDEX_TYPE ORDER BY TABLE_NAME, INDEX_NAME

-- name: count
-- what: rows of both tables; those of the first are counted in its index
SELECT (SELECT COUNT(*) FROM slob_{unit} FORCE INDEX (slob_{unit}_key)), (SELECT COUNT(*) FROM slob_scan_{unit})

-- name: placed
-- what: rows; leaf pages of the table; rows longer than half a page, of which a part is kept elsewhere; how the key goes with
-- also: the order of storage, from -1000000 to 1000000
-- needs: SELECT on mysql.innodb_index_stats, where ANALYZE TABLE has noted how many pages it has counted
SELECT COUNT(*),
       (SELECT CAST(stat_value AS SIGNED) FROM mysql.innodb_index_stats
        WHERE database_name = DATABASE() AND table_name = 'slob_{unit}' AND index_name = 'PRIMARY'
          AND stat_name = 'n_leaf_pages'),
       CAST(COALESCE(SUM(LENGTH(CONCAT_WS('', c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18,
        c19, pad)) > @@innodb_page_size / 2 - 200), 0) AS SIGNED),
       CAST(COALESCE(ROUND(1000000 * (AVG(1e0 * id * place) - AVG(1e0 * id) * AVG(1e0 * place))
        / (STDDEV_POP(1e0 * id) * STDDEV_POP(1e0 * place))), 0) AS SIGNED)
FROM slob_{unit}

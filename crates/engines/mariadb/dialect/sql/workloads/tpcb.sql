-- The TPC-B-like transaction of pgbench. Makes the four tables tpcb_… and the procedure tpcb_transfer in the database that the target
-- names, one branch for each unit of the scale, and touches nothing else. Proves that the balances of accounts, tellers and branches
-- and the amounts of the history have one sum, and that the history has a row for each transaction that was acknowledged.
-- Rows are made by crossing digits, because the depth of recursion is limited.

-- name: make branches
-- makes: table tpcb_branches
-- columns: bid bbalance filler
CREATE TABLE tpcb_branches (bid INT NOT NULL PRIMARY KEY, bbalance INT NOT NULL, filler CHAR(88) NOT NULL)
ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make tellers
-- makes: table tpcb_tellers
-- columns: tid bid tbalance filler
CREATE TABLE tpcb_tellers (tid INT NOT NULL PRIMARY KEY, bid INT NOT NULL, tbalance INT NOT NULL, filler CHAR(84) NOT NULL)
ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make accounts
-- makes: table tpcb_accounts
-- columns: aid bid abalance filler
CREATE TABLE tpcb_accounts (aid INT NOT NULL PRIMARY KEY, bid INT NOT NULL, abalance INT NOT NULL, filler CHAR(84) NOT NULL)
ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make history
-- makes: table tpcb_history
-- columns: tid bid aid delta mtime filler
CREATE TABLE tpcb_history (
  tid INT NOT NULL, bid INT NOT NULL, aid INT NOT NULL, delta INT NOT NULL, mtime DATETIME NOT NULL, filler CHAR(22)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii

-- name: make transfer
-- makes: procedure tpcb_transfer
CREATE PROCEDURE tpcb_transfer(IN p_aid INT, IN p_tid INT, IN p_bid INT, IN p_delta INT)
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
  START TRANSACTION;
  UPDATE tpcb_accounts SET abalance = abalance + p_delta WHERE aid = p_aid;
  SELECT abalance FROM tpcb_accounts WHERE aid = p_aid;
  UPDATE tpcb_tellers SET tbalance = tbalance + p_delta WHERE tid = p_tid;
  UPDATE tpcb_branches SET bbalance = bbalance + p_delta WHERE bid = p_bid;
  INSERT INTO tpcb_history (tid, bid, aid, delta, mtime) VALUES (p_tid, p_bid, p_aid, p_delta, NOW());
  COMMIT;
END

-- name: finish
ANALYZE TABLE tpcb_branches, tpcb_tellers, tpcb_accounts

-- name: client update_account
UPDATE tpcb_accounts SET abalance = abalance + :1 WHERE aid = :2

-- name: client select_balance
SELECT abalance FROM tpcb_accounts WHERE aid = :1

-- name: client update_teller
UPDATE tpcb_tellers SET tbalance = tbalance + :1 WHERE tid = :2

-- name: client update_branch
UPDATE tpcb_branches SET bbalance = bbalance + :1 WHERE bid = :2

-- name: client insert_history
INSERT INTO tpcb_history (tid, bid, aid, delta, mtime) VALUES (:1, :2, :3, :4, NOW())

-- name: server transfer
-- what: :1 account, :2 teller, :3 branch, :4 amount; answers with the account's balance
CALL tpcb_transfer(:1, :2, :3, :4)

-- name: look
-- what: balances of accounts, tellers and branches, amounts and rows of the history
SELECT (SELECT COALESCE(SUM(abalance), 0) FROM tpcb_accounts),
       (SELECT COALESCE(SUM(tbalance), 0) FROM tpcb_tellers),
       (SELECT COALESCE(SUM(bbalance), 0) FROM tpcb_branches),
       (SELECT COALESCE(SUM(delta), 0) FROM tpcb_history),
       (SELECT COUNT(*) FROM tpcb_history)

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 3
SELECT CONCAT(TABLE_NAME, ' ', INDEX_NAME, ' ', INDEX_TYPE, ' ', MAX(NON_UNIQUE), ' ',
  GROUP_CONCAT(COLUMN_NAME, IFNULL(CONCAT(' ', SUB_PART), '') ORDER BY SEQ_IN_INDEX))
FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND IGNORED = 'NO' AND TABLE_NAME IN (
  'tpcb_branches', 'tpcb_tellers', 'tpcb_accounts', 'tpcb_history')
GROUP BY TABLE_NAME, INDEX_NAME, INDEX_TYPE ORDER BY TABLE_NAME, INDEX_NAME

-- name: count
-- what: rows of branches, tellers and accounts, as loaded
SELECT (SELECT COUNT(*) FROM tpcb_branches), (SELECT COUNT(*) FROM tpcb_tellers), (SELECT COUNT(*) FROM tpcb_accounts)

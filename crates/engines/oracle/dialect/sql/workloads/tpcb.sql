-- The TPC-B-like transaction of pgbench. Makes the four tables tpcb_… and the procedure tpcb_transfer in the user's schema, one branch
-- for each unit of the scale, and touches nothing else. Proves that the balances of accounts, tellers and branches and the amounts of
-- the history have one sum, and that the history has a row for each transaction that was acknowledged.

-- name: make branches
-- makes: table tpcb_branches
-- columns: bid bbalance filler
CREATE TABLE tpcb_branches (
  bid NUMBER(10) NOT NULL, bbalance NUMBER(10) NOT NULL, filler CHAR(88), CONSTRAINT tpcb_branches_pk PRIMARY KEY (bid)
)

-- name: make tellers
-- makes: table tpcb_tellers
-- columns: tid bid tbalance filler
CREATE TABLE tpcb_tellers (
  tid NUMBER(10) NOT NULL, bid NUMBER(10) NOT NULL, tbalance NUMBER(10) NOT NULL, filler CHAR(84),
  CONSTRAINT tpcb_tellers_pk PRIMARY KEY (tid)
)

-- name: make accounts
-- makes: table tpcb_accounts
-- columns: aid bid abalance filler
CREATE TABLE tpcb_accounts (
  aid NUMBER(10) NOT NULL, bid NUMBER(10) NOT NULL, abalance NUMBER(10) NOT NULL, filler CHAR(84),
  CONSTRAINT tpcb_accounts_pk PRIMARY KEY (aid)
)

-- name: make history
-- makes: table tpcb_history
-- columns: tid bid aid delta mtime filler
CREATE TABLE tpcb_history (
  tid NUMBER(10) NOT NULL, bid NUMBER(10) NOT NULL, aid NUMBER(10) NOT NULL, delta NUMBER(10) NOT NULL, mtime DATE NOT NULL,
  filler CHAR(22)
)

-- name: make transfer
-- makes: procedure tpcb_transfer
CREATE OR REPLACE PROCEDURE tpcb_transfer (
  p_aid IN NUMBER, p_tid IN NUMBER, p_bid IN NUMBER, p_delta IN NUMBER, p_abalance OUT NUMBER
) IS
BEGIN
  UPDATE tpcb_accounts SET abalance = abalance + p_delta WHERE aid = p_aid;
  SELECT abalance INTO p_abalance FROM tpcb_accounts WHERE aid = p_aid;
  UPDATE tpcb_tellers SET tbalance = tbalance + p_delta WHERE tid = p_tid;
  UPDATE tpcb_branches SET bbalance = bbalance + p_delta WHERE bid = p_bid;
  INSERT INTO tpcb_history (tid, bid, aid, delta, mtime) VALUES (p_tid, p_bid, p_aid, p_delta, SYSDATE);
  COMMIT WRITE IMMEDIATE WAIT;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;

-- name: finish branches
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'TPCB_BRANCHES');
END;

-- name: finish tellers
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'TPCB_TELLERS');
END;

-- name: finish accounts
BEGIN
  DBMS_STATS.GATHER_TABLE_STATS(ownname => USER, tabname => 'TPCB_ACCOUNTS');
END;

-- name: client update_account
UPDATE tpcb_accounts SET abalance = abalance + :1 WHERE aid = :2

-- name: client select_balance
SELECT abalance FROM tpcb_accounts WHERE aid = :1

-- name: client update_teller
UPDATE tpcb_tellers SET tbalance = tbalance + :1 WHERE tid = :2

-- name: client update_branch
UPDATE tpcb_branches SET bbalance = bbalance + :1 WHERE bid = :2

-- name: client insert_history
INSERT INTO tpcb_history (tid, bid, aid, delta, mtime) VALUES (:1, :2, :3, :4, SYSDATE)

-- name: server transfer
-- what: :1 account, :2 teller, :3 branch, :4 amount; the account's balance stays in the block
DECLARE
  v_balance NUMBER;
BEGIN
  tpcb_transfer(:1, :2, :3, :4, v_balance);
END;

-- name: look
-- what: balances of accounts, tellers and branches, amounts and rows of the history
SELECT (SELECT NVL(SUM(abalance), 0) FROM tpcb_accounts), (SELECT NVL(SUM(tbalance), 0) FROM tpcb_tellers),
       (SELECT NVL(SUM(bbalance), 0) FROM tpcb_branches), (SELECT NVL(SUM(delta), 0) FROM tpcb_history),
       (SELECT COUNT(*) FROM tpcb_history)
FROM dual

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 3
SELECT i.table_name || ' ' || i.index_name || ' ' || i.index_type || ' ' || i.uniqueness || ' '
    || LISTAGG(c.column_name, ',') WITHIN GROUP (ORDER BY c.column_position)
FROM user_indexes i JOIN user_ind_columns c ON c.index_name = i.index_name
WHERE i.status = 'VALID' AND i.visibility = 'VISIBLE' AND i.table_name IN (
  'TPCB_BRANCHES', 'TPCB_TELLERS', 'TPCB_ACCOUNTS', 'TPCB_HISTORY')
GROUP BY i.table_name, i.index_name, i.index_type, i.uniqueness ORDER BY i.table_name, i.index_name

-- name: count
-- what: rows of branches, tellers and accounts, as loaded
SELECT (SELECT COUNT(*) FROM tpcb_branches), (SELECT COUNT(*) FROM tpcb_tellers), (SELECT COUNT(*) FROM tpcb_accounts)
FROM dual

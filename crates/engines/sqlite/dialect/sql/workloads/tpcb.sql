-- The TPC-B-like transaction of pgbench. Makes the four tables dbdyno_tpcb_…, one branch for each unit of the scale, and touches
-- nothing else. Proves that the balances of accounts, tellers and branches and the amounts of the history have one sum, and that
-- the history has a row for each transaction that was acknowledged.
-- There is one writer at a time: a transaction takes its turn with its first statement.

-- name: make branches
-- makes: table dbdyno_tpcb_branches
-- columns: bid bbalance filler
CREATE TABLE dbdyno_tpcb_branches (bid INTEGER PRIMARY KEY, bbalance INTEGER NOT NULL, filler TEXT NOT NULL);

-- name: make tellers
-- makes: table dbdyno_tpcb_tellers
-- columns: tid bid tbalance filler
CREATE TABLE dbdyno_tpcb_tellers (
  tid INTEGER PRIMARY KEY, bid INTEGER NOT NULL, tbalance INTEGER NOT NULL, filler TEXT NOT NULL
);

-- name: make accounts
-- makes: table dbdyno_tpcb_accounts
-- columns: aid bid abalance filler
CREATE TABLE dbdyno_tpcb_accounts (
  aid INTEGER PRIMARY KEY, bid INTEGER NOT NULL, abalance INTEGER NOT NULL, filler TEXT NOT NULL
);

-- name: make history
-- makes: table dbdyno_tpcb_history
-- columns: tid bid aid delta mtime filler
CREATE TABLE dbdyno_tpcb_history (
  tid INTEGER NOT NULL, bid INTEGER NOT NULL, aid INTEGER NOT NULL, delta INTEGER NOT NULL, mtime TEXT NOT NULL, filler TEXT
);

-- name: client update_account
UPDATE dbdyno_tpcb_accounts SET abalance = abalance + :1 WHERE aid = :2;

-- name: client select_balance
SELECT abalance FROM dbdyno_tpcb_accounts WHERE aid = :1;

-- name: client update_teller
UPDATE dbdyno_tpcb_tellers SET tbalance = tbalance + :1 WHERE tid = :2;

-- name: client update_branch
UPDATE dbdyno_tpcb_branches SET bbalance = bbalance + :1 WHERE bid = :2;

-- name: client insert_history
INSERT INTO dbdyno_tpcb_history (tid, bid, aid, delta, mtime) VALUES (:1, :2, :3, :4, CURRENT_TIMESTAMP);

-- name: no server
-- why: SQLite has no stored procedures
SELECT 1;

-- name: look
-- what: balances of accounts, tellers and branches, amounts and rows of the history
SELECT (SELECT coalesce(sum(abalance), 0) FROM dbdyno_tpcb_accounts),
       (SELECT coalesce(sum(tbalance), 0) FROM dbdyno_tpcb_tellers),
       (SELECT coalesce(sum(bbalance), 0) FROM dbdyno_tpcb_branches),
       (SELECT coalesce(sum(delta), 0) FROM dbdyno_tpcb_history),
       (SELECT count(*) FROM dbdyno_tpcb_history);

-- name: indexes
-- what: each index of the tables, besides those that are the table itself, as SQLite keeps it
-- made: 0
SELECT sql FROM sqlite_master
WHERE type = 'index' AND sql IS NOT NULL AND tbl_name LIKE 'dbdyno\_tpcb\_%' ESCAPE '\' ORDER BY name;

-- name: count
-- what: rows of branches, tellers and accounts, as loaded
SELECT (SELECT count(*) FROM dbdyno_tpcb_branches), (SELECT count(*) FROM dbdyno_tpcb_tellers),
       (SELECT count(*) FROM dbdyno_tpcb_accounts);

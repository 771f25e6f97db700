-- The TPC-B-like transaction of pgbench. Makes the four tables dbdyno.tpcb_… and the procedure dbdyno.tpcb_transfer, one branch for
-- each unit of the scale, and touches nothing else. Proves that the balances of accounts, tellers and branches and the amounts of the
-- history have one sum, and that the history has a row for each transaction that was acknowledged.
-- Columns, keys and statements are pgbench's. Autovacuum is the server's, as it is with pgbench.

-- name: make branches
-- makes: table dbdyno.tpcb_branches
-- columns: bid bbalance filler
CREATE TABLE dbdyno.tpcb_branches (bid integer PRIMARY KEY, bbalance integer NOT NULL, filler character(88));

-- name: make tellers
-- makes: table dbdyno.tpcb_tellers
-- columns: tid bid tbalance filler
CREATE TABLE dbdyno.tpcb_tellers (
  tid integer PRIMARY KEY, bid integer NOT NULL, tbalance integer NOT NULL, filler character(84)
);

-- name: make accounts
-- makes: table dbdyno.tpcb_accounts
-- columns: aid bid abalance filler
CREATE TABLE dbdyno.tpcb_accounts (
  aid integer PRIMARY KEY, bid integer NOT NULL, abalance integer NOT NULL, filler character(84)
);

-- name: make history
-- makes: table dbdyno.tpcb_history
-- columns: tid bid aid delta mtime filler
CREATE TABLE dbdyno.tpcb_history (
  tid integer NOT NULL, bid integer NOT NULL, aid integer NOT NULL, delta integer NOT NULL, mtime timestamp NOT NULL,
  filler character(22)
);

-- name: make transfer
-- makes: procedure dbdyno.tpcb_transfer
CREATE PROCEDURE dbdyno.tpcb_transfer(
  p_aid integer, p_tid integer, p_bid integer, p_delta integer, INOUT p_abalance integer DEFAULT NULL
) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dbdyno.tpcb_accounts SET abalance = abalance + p_delta WHERE aid = p_aid;
  SELECT abalance INTO p_abalance FROM dbdyno.tpcb_accounts WHERE aid = p_aid;
  UPDATE dbdyno.tpcb_tellers SET tbalance = tbalance + p_delta WHERE tid = p_tid;
  UPDATE dbdyno.tpcb_branches SET bbalance = bbalance + p_delta WHERE bid = p_bid;
  INSERT INTO dbdyno.tpcb_history (tid, bid, aid, delta, mtime) VALUES (p_tid, p_bid, p_aid, p_delta, CURRENT_TIMESTAMP);
END
$$;

-- name: finish branches
VACUUM ANALYZE dbdyno.tpcb_branches;

-- name: finish tellers
VACUUM ANALYZE dbdyno.tpcb_tellers;

-- name: finish accounts
VACUUM ANALYZE dbdyno.tpcb_accounts;

-- name: rest branches
-- what: as pgbench does before it measures: these rows are changed by every transaction
VACUUM dbdyno.tpcb_branches;

-- name: rest tellers
VACUUM dbdyno.tpcb_tellers;

-- name: client update_account
UPDATE dbdyno.tpcb_accounts SET abalance = abalance + :1 WHERE aid = :2;

-- name: client select_balance
SELECT abalance FROM dbdyno.tpcb_accounts WHERE aid = :1;

-- name: client update_teller
UPDATE dbdyno.tpcb_tellers SET tbalance = tbalance + :1 WHERE tid = :2;

-- name: client update_branch
UPDATE dbdyno.tpcb_branches SET bbalance = bbalance + :1 WHERE bid = :2;

-- name: client insert_history
INSERT INTO dbdyno.tpcb_history (tid, bid, aid, delta, mtime) VALUES (:1, :2, :3, :4, CURRENT_TIMESTAMP);

-- name: server transfer
-- what: :1 account, :2 teller, :3 branch, :4 amount; answers with the account's balance
CALL dbdyno.tpcb_transfer(:1, :2, :3, :4);

-- name: look
-- what: balances of accounts, tellers and branches, amounts and rows of the history
SELECT (SELECT coalesce(sum(abalance), 0) FROM dbdyno.tpcb_accounts),
       (SELECT coalesce(sum(tbalance), 0) FROM dbdyno.tpcb_tellers),
       (SELECT coalesce(sum(bbalance), 0) FROM dbdyno.tpcb_branches),
       (SELECT coalesce(sum(delta), 0) FROM dbdyno.tpcb_history),
       (SELECT count(*) FROM dbdyno.tpcb_history);

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 3
SELECT pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
WHERE s.nspname = 'dbdyno' AND i.indisvalid AND t.relname IN (
  'tpcb_branches', 'tpcb_tellers', 'tpcb_accounts', 'tpcb_history')
ORDER BY 1;

-- name: count
-- what: rows of branches, tellers and accounts, as loaded
SELECT (SELECT count(*) FROM dbdyno.tpcb_branches), (SELECT count(*) FROM dbdyno.tpcb_tellers),
       (SELECT count(*) FROM dbdyno.tpcb_accounts);

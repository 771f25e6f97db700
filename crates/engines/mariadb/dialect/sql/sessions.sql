-- What other sessions are doing. Nothing here changes anything, but for the end of a session that is ours.

-- name: waits_for_us
-- what: whether a session of ours that gives no answer has nothing to do, or waits for dbdyno itself, on both products
-- account: something between may lead the question to another node, where the number is somebody else's
SELECT COMMAND = 'Sleep'
       OR STATE IN ('Reading from net', 'Writing to net', 'Receiving from client', 'Sending to client')
FROM information_schema.PROCESSLIST WHERE ID = {session} AND USER = SUBSTRING_INDEX(USER(), '@', 1);

-- name: holds_lock
-- what: whether a session has the lock that measuring, loading and dropping share
SELECT IS_USED_LOCK(CONCAT('dbdyno.', DATABASE())) = {session}

-- name: is_ours
-- what: whether a session is this user's
SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = {session} AND USER = SUBSTRING_INDEX(USER(), '@', 1);

-- name: end
-- what: ends a session of a host that is lost
KILL CONNECTION {session};

-- Parts of procedures and notes, named there in braces. The most specific one is taken: in_leaves_hash before in_leaves
-- where the table is partitioned by a hash (crates/engine/src/procedure).

-- name: in_leaves
-- what: how a plan names the partitions of a table that has none

-- name: in_leaves_list
-- what: the same of one that has
 in {leaves} partitions

-- name: in_leaves_large
-- what: the same of a large one
 in {leaves} partitions

-- name: in_leaves_hash
-- what: the same of one that is spread by a hash
 in {leaves} partitions

-- name: leaves_hash
-- what: how many these are
8

-- name: columns
-- what: the columns and the storage of a table that a bulk load makes: no keys
(
  id BIGINT NULL, customer_id BIGINT NOT NULL, ref_id BIGINT NOT NULL, region INT NOT NULL, booked_on DATE NOT NULL,
  quantity INT NOT NULL, amount DECIMAL(12,2) NOT NULL, status CHAR(1) NOT NULL, filler VARCHAR(256) NOT NULL
) ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin STATS_PERSISTENT = 1 STATS_AUTO_RECALC = 0 {pages}

-- name: pages
-- what: pages as they are
ROW_FORMAT = DYNAMIC

-- name: pages_basic
-- what: pages of 16 KiB compressed to 8 KiB, both kept in memory
ROW_FORMAT = COMPRESSED KEY_BLOCK_SIZE = 8

-- name: pages_oltp
-- what: pages compressed on their way to the device, which gets holes where they are shorter
ROW_FORMAT = DYNAMIC PAGE_COMPRESSED = 1

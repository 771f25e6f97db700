//! The settings of a size class, each with its reason where that is not plain.

use super::series;
use dbdyno_engine::servers::Sizing;

/// The file of settings, in the data folder.
pub(super) const FILE: &str = "dbdyno.cnf";
/// Written by the server, in the data folder: its process id.
pub(super) const PID_FILE: &str = "mariadbd.pid";

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// The first version with switches of its own for each kind of file.
const SWITCHES_OF_FILES: (u32, u32) = (11, 0);

/// Their text.
pub(super) fn of(sizing: &Sizing<'_>) -> String {
    let cache = sizing.size.engine_cache_bytes;
    // Room for what a point writes between two checkpoints. The server makes it in full, so it is not as large as it
    // might be.
    let log = (16 * cache).clamp(128 * MIB, 16 * GIB) / MIB;
    let unbuffered = if series(sizing.version) < SWITCHES_OF_FILES {
        "innodb_flush_method = O_DIRECT"
    } else {
        "innodb_data_file_buffering = OFF"
    };
    format!(
        "# Written by `dbdyno up` for size {size}; written again at each start. `SET GLOBAL` changes what can be changed until then.
[mariadbd]
# Reached by a socket in a folder of this user's alone, never by a network.
skip_networking
skip_name_resolve
# Newer versions would make a certificate at each start, which takes seconds of processor time.
skip_ssl
max_connections = 300
pid_file = {PID_FILE}
# The data folder: a server that starts removes temporary files, those of others, too, where they share a folder.
tmpdir = .

# The cache of the size class. Small tables fit into it, large ones do not. It begins empty.
innodb_buffer_pool_size = {cache_mib}M
innodb_buffer_pool_load_at_startup = OFF
innodb_buffer_pool_dump_at_shutdown = OFF
# The operating system keeps no second copy, neither of data nor of the log.
{unbuffered}
innodb_log_file_buffering = OFF
# A result that is remembered is no statement that is measured.
query_cache_type = OFF
query_cache_size = 0

# Commits are durable, as on a production server. There is no replica to keep a second log for.
innodb_flush_log_at_trx_commit = 1
innodb_doublewrite = ON
skip_log_bin

# Changed pages are written when dbdyno asks for it, between points, and not in the middle of one: not because the cache
# holds many (up to 90 %, where it must make room anyhow), nor because the log grows (until 70 % of it is needed), nor
# because they lie beside one that is written. What must be written is not held back to the speed of one disk.
innodb_log_file_size = {log}M
innodb_max_dirty_pages_pct = 90
innodb_max_dirty_pages_pct_lwm = 0
innodb_adaptive_flushing_lwm = 70
innodb_flush_neighbors = 0
innodb_io_capacity = 10000
innodb_io_capacity_max = 40000
# dbdyno itself counts again what the tables hold. A count that the server begins by itself would fall into some points
# and not into others, and could change a plan.
innodb_stats_auto_recalc = OFF

# A large table has 128 partitions, each a file: InnoDB keeps all of them open. A session needs a place for each table that
# it works with, and there are that many places eight times.
innodb_open_files = 4096
table_definition_cache = 4096
table_open_cache = 1024

# What dbdyno reads after each point: how often files were read, written and synchronised, and how long that took.
# Everything else would only cost, memory too.
performance_schema = ON
performance_schema_instrument = '%=OFF'
performance_schema_instrument = 'wait/io/file/%=ON'
performance_schema_consumer_global_instrumentation = ON
performance_schema_consumer_thread_instrumentation = OFF
performance_schema_consumer_statements_digest = OFF
performance_schema_consumer_events_statements_current = OFF
performance_schema_max_statement_classes = 0
performance_schema_max_memory_classes = 0
performance_schema_events_statements_history_size = 0
performance_schema_events_statements_history_long_size = 0
performance_schema_digests_size = 0
performance_schema_accounts_size = 0
performance_schema_hosts_size = 0
performance_schema_users_size = 0

# Clients may send rows as well: loads are compared with that.
local_infile = ON
character_set_server = utf8mb4
collation_server = utf8mb4_bin
# The server's standard error is a file beside the data folder.
lc_messages = en_US
",
        size = sizing.size.id,
        cache_mib = cache.div_ceil(MIB),
    )
}

//! The settings under which a session works, so that each statement under test has one plan.

use super::{Counting, ProcedureSpec, kind};
use dbdyno_engine::PointSpec;
use dbdyno_model::{Organisation, Procedure};

/// The most that max_parallel_workers can be.
const MOST_WORKERS: u32 = 1024;
/// The first version that prunes partitions of an UPDATE when it starts, and that has Memoize.
const PRUNES_UPDATES: u32 = 140_000;

impl ProcedureSpec {
    /// The session's settings, so that there is one plan only. Those of [`ProcedureSpec::settings_of_version`] come
    /// after them.
    pub(in super::super) fn settings(&self, spec: &PointSpec) -> Vec<(&'static str, String)> {
        let threads = u64::from(spec.threads);
        let workers = if threads > 1 { threads } else { 0 };
        let on = |on: bool| if on { "on" } else { "off" }.to_owned();
        let mut settings = vec![
            ("client_min_messages", "warning".to_owned()),
            ("default_transaction_isolation", "read committed".to_owned()),
            ("jit", on(false)),
        ];
        if self.work.is_cpu() {
            return settings;
        }
        let builds = matches!(self.work, Procedure::IndexUnique | Procedure::IndexNonUnique);
        let loads = matches!(self.work, Procedure::BulkLoad | Procedure::WriteFile);
        let scans = builds || loads || matches!(self.counting(), Counting::TableScans { .. });
        // Only there is a row found in the index itself; elsewhere rows are to be visited.
        let probes_iot = match self.work {
            Procedure::SelectPrimary => matches!(self.table.organisation(), Organisation::Iot | Organisation::IotList),
            Procedure::Join => true,
            _ => false,
        };
        // What runs through EXECUTE is planned each time, and its partitions are pruned then.
        let generic = if scans { "force_custom_plan" } else { "force_generic_plan" };
        settings.extend([
            ("plan_cache_mode", generic.to_owned()),
            ("enable_partition_pruning", on(true)),
            ("enable_partitionwise_join", on(false)),
            ("enable_partitionwise_aggregate", on(false)),
            ("enable_seqscan", on(scans)),
            ("enable_indexscan", on(!scans)),
            ("enable_indexonlyscan", on(probes_iot)),
            ("enable_bitmapscan", on(false)),
            ("enable_tidscan", on(false)),
            ("enable_nestloop", on(true)),
            ("enable_hashjoin", on(false)),
            ("enable_mergejoin", on(false)),
            ("enable_material", on(false)),
            // Each job is to read what it scans, not what another has just read.
            ("synchronize_seqscans", on(false)),
            ("max_parallel_workers_per_gather", if scans && !builds && !loads { workers } else { 0 }.to_string()),
            ("max_parallel_maintenance_workers", if builds { workers } else { 0 }.to_string()),
            // The server compares this with the workers of all sessions, those that are just ending too: no limit of
            // ours.
            ("max_parallel_workers", MOST_WORKERS.to_string()),
            ("parallel_leader_participation", on(builds || workers == 0)),
            ("enable_parallel_append", on(true)),
            ("enable_gathermerge", on(true)),
            ("enable_sort", on(true)),
            ("enable_hashagg", on(true)),
            ("parallel_setup_cost", "0".to_owned()),
            ("parallel_tuple_cost", "0".to_owned()),
            ("min_parallel_table_scan_size", "0".to_owned()),
        ]);
        if self.work == Procedure::SelectSecondary {
            // By the pages that it would save, the planner may prefer a walk through the whole primary key, which has
            // the partition columns too and lies in the order of the rows.
            settings.extend([("seq_page_cost", "0".to_owned()), ("random_page_cost", "0".to_owned())]);
        }
        settings
    }

    /// Settings that only some versions know, or need: they go after the others.
    pub(in super::super) fn settings_of_version(&self, version_num: u32) -> Vec<(&'static str, String)> {
        let mut settings = Vec::new();
        if self.work.is_cpu() {
            return settings;
        }
        if version_num >= PRUNES_UPDATES {
            settings.push(("enable_memoize", "off".to_owned()));
        } else if self.work == Procedure::UpdatePrimary && kind(self.table) > 0 {
            // An older server prunes an UPDATE only when it plans it.
            settings.push(("plan_cache_mode", "force_custom_plan".to_owned()));
        }
        settings
    }
}

//! Makes a reading of what was counted. The figures are made by the same code as those of a point.

use crate::figures;
use dbdyno_engine::server::observed::STATEMENTS;
use dbdyno_engine::{Observation, StatementCount};
use dbdyno_model::{
    Counter, Counters, CpuReading, DatabaseReading, Reading, ServerIo, StatementReading, Top, WaitReading,
};
use dbdyno_probe::Telemetry;
use std::collections::BTreeMap;
use std::time::Instant;

/// Waits that a reading has: the most frequent ones.
const WAITS: usize = 12;
/// Statements and sessions that a reading has.
const TOP: usize = 10;
/// The parts of a reading that are the machine's.
const OF_MACHINE: [&str; 6] = ["cpu", "io", "memory", "network", "pressure", "server_io"];
/// Why what the server has written is not told.
const MORE_THAN_WRITTEN: &str = "the kernel books more for the server's processes than the devices have written: what was \
                                 made dirty counts when it is, and often with what lies beside it";
/// Average sessions below which a wait is left out.
const LEAST_SESSIONS: f64 = 0.0005;

/// Fills in what the operating system counted. `local`: the database is on this machine.
pub(super) fn machine(reading: &mut Reading, telemetry: &Telemetry, local: bool) {
    if !local {
        return OF_MACHINE.iter().for_each(|path| reading.lacks(path, figures::ON_ANOTHER_MACHINE));
    }
    let Telemetry { cpu, io, memory, network, pressure, .. } = telemetry;
    let mut missing = telemetry.missing.clone();
    let busy_pct = cpu.busy_pct;
    let mib_per_s = |bytes: Option<u64>| {
        bytes.filter(|_| telemetry.seconds > 0.0).map(|bytes| bytes as f64 / figures::MIB / telemetry.seconds)
    };
    let others_pct = || Some((busy_pct? - telemetry.server_cpu_pct? - telemetry.process_cpu_pct?).max(0.0));
    reading.machine.io = io.clone();
    reading.machine.memory = memory.clone();
    reading.machine.network = network.clone();
    reading.machine.pressure = pressure.clone();
    reading.machine.cpu = CpuReading {
        server_pct: telemetry.server_cpu_pct,
        others_pct: others_pct(),
        runnable: telemetry.runnable,
        used: cpu.clone(),
    };
    reading.machine.server_io = ServerIo {
        read_mib_per_s: mib_per_s(telemetry.server_read_bytes),
        write_mib_per_s: mib_per_s(telemetry.server_write_bytes),
    };
    // Kernels may book a whole folio of the page cache for each page of it that was made dirty.
    let written = &mut reading.machine.server_io.write_mib_per_s;
    if written.zip(io.write_mib_per_s).is_some_and(|(server, devices)| server > devices) {
        *written = None;
        missing.insert("server_io.write_mib_per_s".to_owned(), MORE_THAN_WRITTEN.to_owned());
    }
    for (of_telemetry, path) in [
        ("server_cpu_pct", "cpu.server_pct"),
        ("runnable", "cpu.runnable"),
        ("server_read_bytes", "server_io.read_mib_per_s"),
        ("server_write_bytes", "server_io.write_mib_per_s"),
    ] {
        missing.extend(telemetry.missing.get(of_telemetry).map(|why| (path.to_owned(), why.clone())));
    }
    if telemetry.server_cpu_pct.is_none() {
        missing.entry("cpu.server_pct".to_owned()).or_insert_with(|| "the server's processes are not seen".to_owned());
    }
    let is_of_reading = |path: &str| OF_MACHINE.contains(&path.split('.').next().unwrap_or_default());
    reading.missing.extend(missing.into_iter().filter(|(path, _)| is_of_reading(path)));
}

/// What a node counted between two looks.
#[derive(Debug, Clone, Default)]
pub(super) struct Between {
    pub(super) counters: Counters,
    pub(super) seconds: f64,
    /// The later look.
    pub(super) now: Observation,
}

/// What a node counted between two looks, without the commits of whoever looks.
pub(super) fn of_others(now: &Observation, before: &Observation) -> Counters {
    let mut counters = now.counters.since(&before.counters);
    if let Some(commits) = counters.values.get_mut(&Counter::Commits) {
        // Another connection than before has begun at nothing.
        let own = now.own_commits.checked_sub(before.own_commits).unwrap_or(now.own_commits);
        *commits = commits.saturating_sub(own);
    }
    counters
}

/// The figures of a node, and why others are absent, by their paths in a reading.
pub(super) fn database(between: &Between, block_bytes: u64) -> (DatabaseReading, BTreeMap<String, String>) {
    let Between { counters, seconds, now } = between;
    let mut missing = BTreeMap::new();
    let (redo, rates) = figures::database_rates(counters, *seconds, block_bytes, &mut missing);
    let rate = |counter| counters.get(counter).filter(|_| *seconds > 0.0).map(|n| n as f64 / seconds);
    let mut absent: BTreeMap<String, String> = BTreeMap::new();
    for (path, why) in missing {
        match path.split_once('.') {
            Some(("redo", _)) => _ = absent.insert(format!("database.{path}"), why),
            Some(("database", _)) => _ = absent.insert(path, why),
            _ => {}
        }
    }
    let counted = [
        ("commits_per_s", Counter::Commits),
        ("rollbacks_per_s", Counter::Rollbacks),
        ("executions_per_s", Counter::Executions),
        ("rows_changed_per_s", Counter::RowsChanged),
    ];
    for (name, counter) in counted {
        if rate(counter).is_none() {
            let why = counters.missing.get(&counter).map_or("the engine does not count it", String::as_str);
            absent.insert(format!("database.{name}"), why.to_owned());
        }
    }
    absent.extend(
        now.missing
            .iter()
            .filter(|(path, _)| !path.starts_with("top."))
            .map(|(path, why)| (format!("database.{path}"), why.clone())),
    );
    let [commits_per_s, rollbacks_per_s, executions_per_s, rows_changed_per_s] = counted.map(|(_, c)| rate(c));
    let foreign_sessions = rate(Counter::ForeignBusyNs).map(|ns_per_s| ns_per_s / 1e9);
    let reading = DatabaseReading {
        commits_per_s,
        rollbacks_per_s,
        executions_per_s,
        rows_changed_per_s,
        foreign_commits_per_s: None,
        foreign_sessions,
        redo,
        rates,
        replication_lag_s: now.replication_lag_s,
        sessions: now.sessions.clone(),
        waits: waits(counters, *seconds),
    };
    (reading, absent)
}

fn waits(counters: &Counters, seconds: f64) -> Vec<WaitReading> {
    let of = |wait: &dbdyno_model::WaitCount| {
        let sessions = wait.time_ns? as f64 / 1e9 / seconds;
        let (class, event, background) = (wait.class.clone(), wait.event.clone(), wait.background);
        (seconds > 0.0 && sessions >= LEAST_SESSIONS).then_some(WaitReading { class, event, sessions, background })
    };
    let mut waits: Vec<WaitReading> = counters.waits.iter().filter_map(of).collect();
    waits.sort_by(|a, b| b.sessions.total_cmp(&a.sessions));
    waits.truncate(WAITS);
    waits
}

/// All nodes together: what was counted is added up, over the nodes that answered.
pub(super) fn sum(nodes: &[Between]) -> Between {
    let Some((first, others)) = nodes.split_first() else { return Between::default() };
    let mut all = first.clone();
    for node in others {
        all.seconds = all.seconds.max(node.seconds);
        for (counter, n) in &node.counters.values {
            if let Some(sum) = all.counters.values.get_mut(counter) {
                *sum += n;
            }
        }
        // A sum without one of its parts would be a wrong figure.
        for (counter, why) in &node.counters.missing {
            all.counters.values.remove(counter);
            all.counters.missing.entry(*counter).or_insert_with(|| why.clone());
        }
        for wait in &node.counters.waits {
            match all.counters.waits.iter_mut().find(|of| of.is_like(wait)) {
                Some(of) => {
                    of.count += wait.count;
                    of.time_ns = of.time_ns.zip(wait.time_ns).map(|(a, b)| a + b);
                }
                None => all.counters.waits.push(wait.clone()),
            }
        }
        for (state, n) in &node.now.sessions {
            *all.now.sessions.entry(*state).or_default() += n;
        }
        let lags = [all.now.replication_lag_s, node.now.replication_lag_s];
        all.now.replication_lag_s = lags.into_iter().flatten().reduce(f64::max);
        all.now.missing.extend(node.now.missing.clone());
    }
    all
}

/// The statements that took most since the look that had them last.
#[derive(Debug, Default)]
pub(super) struct TopSeen {
    /// Each node by its name: when it told last, and what, by digest.
    before: BTreeMap<String, (Instant, BTreeMap<String, StatementCount>)>,
}

impl TopSeen {
    /// Of all nodes that answered. A node's statements are told from the second time on: the first time all that is
    /// known is sums since the server was started. Several nodes' sessions bear the node's name.
    pub(super) fn take(&mut self, nodes: &[(String, &Observation)], several: bool) -> Top {
        let now = Instant::now();
        let (mut statements, mut sessions) = (BTreeMap::new(), Vec::new());
        let mut seen = BTreeMap::new();
        for (name, observed) in nodes {
            sessions.extend(observed.at_work.iter().cloned().map(|mut session| {
                if several {
                    session.session = format!("{name} {}", session.session);
                }
                session
            }));
            // One that has not told its statements this time has nothing to be compared with the next time.
            if observed.statements.is_empty() {
                continue;
            }
            if let Some((at, before)) = self.before.get(name) {
                let seconds = now.saturating_duration_since(*at).as_secs_f64();
                add_statements(&mut statements, &observed.statements, before, seconds);
            }
            let by_digest = observed.statements.iter().map(|of| (of.digest.clone(), of.clone())).collect();
            seen.insert(name.clone(), (now, by_digest));
        }
        self.before = seen;
        let mut statements: Vec<StatementReading> =
            statements.into_values().filter(|of| of.calls_per_s > 0.0).collect();
        statements.sort_by(|a, b| b.sessions.total_cmp(&a.sessions));
        statements.truncate(TOP);
        sessions.sort_by(|a, b| b.for_s.total_cmp(&a.for_s));
        sessions.truncate(TOP);
        Top { statements, sessions }
    }
}

/// Adds what a node's statements took since it told them before.
fn add_statements(
    all: &mut BTreeMap<String, StatementReading>,
    now: &[StatementCount],
    before: &BTreeMap<String, StatementCount>,
    seconds: f64,
) {
    for count in now {
        let earlier = match before.get(&count.digest) {
            Some(earlier) => earlier.clone(),
            // Where others were left out, one that is new here may be an old one, whose sums say nothing.
            None if before.len() >= STATEMENTS as usize => continue,
            None => StatementCount::default(),
        };
        // A statement that the server has forgotten in between begins anew.
        let since = |now: u64, earlier: u64| now.checked_sub(earlier).unwrap_or(now);
        let of = all.entry(count.digest.clone()).or_insert_with(|| StatementReading {
            digest: count.digest.clone(),
            text: count.text.clone(),
            ..StatementReading::default()
        });
        if seconds > 0.0 {
            of.calls_per_s += since(count.calls, earlier.calls) as f64 / seconds;
            of.sessions += since(count.time_ns, earlier.time_ns) as f64 / 1e9 / seconds;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{SessionState, WaitCount};

    fn between(commits: u64, wait_ms: u64) -> Between {
        let wait = WaitCount {
            event: "WalSync".to_owned(),
            class: "IO".to_owned(),
            count: 1,
            time_ns: Some(wait_ms * 1_000_000),
            ..WaitCount::default()
        };
        let values = BTreeMap::from([(Counter::Commits, commits), (Counter::RedoBytes, 1 << 20)]);
        let counters = Counters { values, waits: vec![wait], ..Counters::default() };
        let sessions = BTreeMap::from([(SessionState::Active, 3)]);
        Between { counters, seconds: 2.0, now: Observation { sessions, ..Observation::default() } }
    }

    #[test]
    fn a_database_is_what_it_counted_over_the_time() {
        let (reading, missing) = database(&between(500, 3_000), 8_192);
        assert_eq!((reading.commits_per_s, reading.redo.mib_per_s), (Some(250.0), Some(0.5)));
        assert_eq!(reading.waits[0].sessions, 1.5);
        assert_eq!(reading.rollbacks_per_s, None);
        assert!(missing.contains_key("database.rollbacks_per_s"), "{missing:?}");
        assert!(missing.contains_key("database.redo.writes_per_s"), "{missing:?}");
    }

    #[test]
    fn whoever_looks_is_not_among_the_others() {
        let look = |commits, own_commits| Observation {
            counters: Counters { values: BTreeMap::from([(Counter::Commits, commits)]), ..Counters::default() },
            own_commits,
            ..Observation::default()
        };
        let counted = |now: Observation, before: Observation| of_others(&now, &before).get(Counter::Commits);
        assert_eq!(counted(look(130, 5), look(100, 3)), Some(28));
        assert_eq!(counted(look(130, 1), look(100, 3)), Some(29), "it has connected anew");
        assert_eq!(counted(look(101, 5), look(100, 3)), Some(0), "the server tells late");
    }

    #[test]
    fn nodes_add_up_and_a_sum_without_a_part_is_absent() {
        let mut other = between(100, 1_000);
        other.counters.values.remove(&Counter::RedoBytes);
        other.counters.missing.insert(Counter::RedoBytes, "not told".to_owned());
        let all = sum(&[between(500, 3_000), other]);
        assert_eq!((all.counters.get(Counter::Commits), all.counters.get(Counter::RedoBytes)), (Some(600), None));
        assert_eq!(all.counters.missing[&Counter::RedoBytes], "not told");
        assert_eq!(database(&all, 8_192).0.waits[0].sessions, 2.0);
        assert_eq!(all.now.sessions[&SessionState::Active], 6);
    }

    #[test]
    fn statements_are_told_by_what_they_took_since() {
        let count = |digest: &str, calls, time_ms: u64| StatementCount {
            digest: digest.to_owned(),
            text: format!("SELECT {digest}"),
            calls,
            time_ns: time_ms * 1_000_000,
        };
        let observed = |statements| Observation { statements, ..Observation::default() };
        let took = |now: &[StatementCount], before: &[StatementCount]| -> Vec<(String, f64, f64)> {
            let before = before.iter().map(|of| (of.digest.clone(), of.clone())).collect();
            let mut all = BTreeMap::new();
            add_statements(&mut all, now, &before, 10.0);
            all.into_values().map(|of| (of.digest, of.calls_per_s, of.sessions)).collect()
        };
        let then = [count("a", 1_010, 9_100), count("b", 30, 5_100), count("c", 1, 10)];
        let told = took(&then, &[count("a", 1_000, 9_000), count("b", 10, 100)]);
        let is = |digest: &str, calls, sessions| (digest.to_owned(), calls, sessions);
        assert_eq!(told, [is("a", 1.0, 0.01), is("b", 2.0, 0.5), is("c", 0.1, 0.001)]);
        // One that comes among the hundred first ones has old sums.
        let many: Vec<_> = (0..STATEMENTS).map(|n| count(&format!("s{n}"), 5, 5_000)).collect();
        assert!(took(&then, &many).is_empty());
        // Nothing is told of a node that tells for the first time, or has not told the last time.
        let mut top = TopSeen::default();
        let all = observed(then.to_vec());
        for observed in [&all, &observed(Vec::new()), &all] {
            assert!(top.take(&[("n".to_owned(), observed)], false).statements.is_empty());
        }
    }
}

//! One load on the same devices and files, shared by several hosts: how it is divided, and how what they measured
//! becomes one measurement.

use crate::load::{IoLoad, IoShare, Pattern};
use crate::record::MOST_MISMATCHES;
use crate::{BackendKind, Ios, ReadWrite, StorageMeasurement};
use dbdyno_stats::whole_parts;

impl IoLoad {
    /// Divides the load by the weights of hosts; more weight, more I/Os outstanding. The rate follows the outstanding
    /// I/Os. A sequential stream is never divided. A host may get nothing, which is no load.
    #[must_use]
    pub fn divided(&self, weights: &[f64]) -> Vec<Option<Self>> {
        let small = whole_parts(self.small, weights);
        let streams = whole_parts(self.streams(), weights);
        let large = match self.pattern {
            Pattern::Random => whole_parts(self.large, weights),
            // No stream has less than one I/O outstanding, so that no host has fewer than it has streams.
            Pattern::Sequential { .. } => {
                whole_parts(self.large, &streams.iter().map(|n| f64::from(*n)).collect::<Vec<_>>())
            }
        };
        let (mut streams_before, mut before) = (0, 0);
        let in_all = f64::from(self.outstanding());
        let part = |host: usize| {
            let outstanding = small[host] + large[host];
            let of_rate = f64::from(outstanding) / in_all;
            let load = Self {
                small: small[host],
                large: large[host],
                pattern: match self.pattern {
                    Pattern::Random => Pattern::Random,
                    Pattern::Sequential { .. } => Pattern::Sequential { streams: streams[host] },
                },
                rate: self.rate.map(|rate| crate::IoRate { iops: rate.iops * of_rate, ..rate }),
                // Of no two hosts the same: they would find each other's blocks in the caches.
                seed: self.seed ^ (host as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                share: Some(IoShare {
                    streams_before,
                    streams_in_all: self.streams(),
                    phase: f64::from(before) / in_all,
                }),
                ..self.clone()
            };
            (streams_before, before) = (streams_before + streams[host], before + outstanding);
            (outstanding > 0).then_some(load)
        };
        (0..weights.len()).map(part).collect()
    }
}

impl StorageMeasurement {
    /// The same with the host's name where it says something in words.
    #[must_use]
    pub fn named(mut self, host: &str) -> Self {
        let said = self.first_error.iter_mut().chain(&mut self.ended_early).chain(&mut self.notes);
        said.for_each(|text| *text = format!("{host}: {text}"));
        self.mismatches.iter_mut().for_each(|mismatch| mismatch.what = format!("{} (seen by {host})", mismatch.what));
        self
    }

    /// Adds what another host has measured of the same load in the same window. The order of hosts does not matter.
    pub fn merge(&mut self, other: Self) {
        self.began_ns = self.began_ns.max(other.began_ns);
        // Where one was stopped or ended early, its window is shorter, and the point says so.
        self.window_ns = self.window_ns.max(other.window_ns);
        self.window_s = self.window_s.max(other.window_s);
        self.small.merge(&other.small);
        self.large.merge(&other.large);
        self.total += other.total;
        self.total_bytes += other.total_bytes;
        self.due = self.due.zip(other.due).map(|(ours, theirs)| ours + theirs);
        self.completed = self.completed.zip(other.completed).map(|(ours, theirs)| crate::Completed {
            ios: ours.ios + theirs.ios,
            on_time: ours.on_time + theirs.on_time,
        });
        self.breakdown.merge(&other.breakdown);
        for (class, n) in other.errors {
            *self.errors.entry(class).or_default() += n;
        }
        // Texts begin with the host's name.
        self.first_error = self.first_error.take().into_iter().chain(other.first_error).min();
        self.ended_early = self.ended_early.take().into_iter().chain(other.ended_early).min();
        self.stamped += other.stamped;
        self.unstamped += other.unstamped;
        self.mismatches.extend(other.mismatches);
        self.mismatches.sort_unstable();
        self.mismatches.truncate(MOST_MISMATCHES);
        self.mismatched += other.mismatched;
        if self.backend != other.backend {
            self.notes
                .push(format!("not all hosts did their I/O in the same way; some by {}", BackendKind::Threads.name()));
            // The one that costs more is told.
            self.backend = BackendKind::Threads;
        }
        self.notes.extend(other.notes);
        self.notes.sort_unstable();
        self.notes.dedup();
        self.stopped |= other.stopped;
        self.harness_cpu_s = self.harness_cpu_s.zip(other.harness_cpu_s).map(|(ours, theirs)| ours + theirs);
        self.threads += other.threads;
    }

    /// What one host alone did not do of its part, in words; the sum of all hosts would not show it.
    #[must_use]
    pub fn lacking(&self, load: &IoLoad) -> Vec<String> {
        let mut lacking = Vec::new();
        let done = |size: &ReadWrite| size.read.count + size.write.count;
        for (asked, size, name) in [(load.small, &self.small, "small"), (load.large, &self.large, "large")] {
            if asked > 0 && done(size) == 0 {
                lacking.push(format!("none of its {name} I/Os ended inside the window"));
            }
        }
        if load.verify && self.stamped == 0 && self.unstamped > 0 {
            lacking.push("none of the sectors that it read had a stamp, so nothing was verified".to_owned());
        }
        lacking
    }

    /// I/Os inside the window.
    #[must_use]
    pub fn ios(&self) -> u64 {
        [&self.small, &self.large].into_iter().map(|size| size.read.count + size.write.count).sum()
    }
}

impl ReadWrite {
    fn merge(&mut self, other: &Self) {
        self.read.merge(&other.read);
        self.write.merge(&other.write);
    }
}

impl Ios {
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.service_time.merge(&other.service_time);
        if let (Some(ours), Some(theirs)) = (&mut self.response_time, &other.response_time) {
            ours.merge(theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IoRate;
    use crate::breakdown::{Breakdown, IoSample};
    use crate::record::{IoRecord, kind};
    use dbdyno_model::Arrivals;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_hosts_get_is_the_whole(
            small in 0u32..300,
            large in 0u32..300,
            streams in proptest::option::of(1u32..40),
            iops in proptest::option::of(1.0f64..1e6),
            weights in proptest::collection::vec(0.1f64..10.0, 1..20),
        ) {
            prop_assume!(small + large > 0);
            let pattern = streams.map_or(Pattern::Random, |streams| Pattern::Sequential { streams });
            let rate = iops.map(|iops| IoRate { iops, arrivals: Arrivals::Constant });
            let load = IoLoad { small, large, pattern, rate, ..IoLoad::default() };
            let parts: Vec<IoLoad> = load.divided(&weights).into_iter().flatten().collect();
            prop_assert_eq!(parts.iter().map(|part| part.small).sum::<u32>(), small);
            prop_assert_eq!(parts.iter().map(|part| part.large).sum::<u32>(), large);
            // Each stream of the whole is one of one host, with an I/O outstanding at least.
            let mut next = 0;
            for part in &parts {
                let host = part.share.unwrap();
                prop_assert_eq!((host.streams_before, host.streams_in_all), (next, load.streams()));
                prop_assert_eq!(part.streams() == 0, part.large == 0 || load.streams() == 0);
                next += part.streams();
            }
            prop_assert_eq!(next, load.streams());
            if let Some(iops) = iops {
                let sum: f64 = parts.iter().filter_map(|part| Some(part.rate?.iops)).sum();
                prop_assert!((sum / iops - 1.0).abs() < 1e-9);
            }
        }
    }

    fn load() -> IoLoad {
        IoLoad { small: 4, large: 4, small_bytes: 8192, large_bytes: 1 << 20, duration_s: 4.0, ..IoLoad::default() }
    }

    /// What a host measures that does these I/Os: kind, moment, and how long each took.
    fn measured(ios: &[(usize, u64, u64)], open_loop: bool) -> StorageMeasurement {
        let mut record = IoRecord::new(open_loop, Breakdown::new(&load(), 1));
        for (of, at_ns, took_ns) in ios.iter().copied() {
            let sample = IoSample { at_ns, took_ns, bytes: load().bytes(of > 1), lun: 0, write: of % 2 == 1 };
            record.inside(of, took_ns, took_ns + 7, sample);
            record.breakdown.part(sample);
            record.all[of] += 1;
        }
        let [small, large] = record.kinds(&load());
        StorageMeasurement {
            began_ns: 1,
            window_ns: (1, 2),
            window_s: 4.0,
            small,
            large,
            total: record.all.iter().sum(),
            total_bytes: 0,
            due: open_loop.then_some(ios.len() as u64),
            completed: None,
            breakdown: record.breakdown,
            errors: std::collections::BTreeMap::new(),
            first_error: None,
            ended_early: None,
            stamped: 1,
            unstamped: 0,
            mismatches: Vec::new(),
            mismatched: 0,
            backend: BackendKind::Null,
            notes: vec!["one".to_owned()],
            stopped: false,
            harness_cpu_s: None,
            threads: 1,
        }
    }

    proptest! {
        /// Bit by bit, however the I/Os are dealt out, and in whatever order the parts come, each sent as text.
        #[test]
        fn what_hosts_measured_is_what_one_would_have(
            ios in proptest::collection::vec((0usize..4, 0u64..4_000_000_000, 1u64..30_000_000_000, 0usize..5), 0..400),
            order in Just([0usize, 1, 2, 3, 4]).prop_shuffle(),
            open_loop: bool,
        ) {
            prop_assert_eq!(kind(true, true), 3);
            let of = |host: Option<usize>| {
                let ios = ios.iter().filter(|io| host.is_none_or(|host| io.3 == host));
                measured(&ios.map(|io| (io.0, io.1, io.2)).collect::<Vec<_>>(), open_loop)
            };
            let sent = |host: usize| {
                let text = serde_json::to_string(&of(Some(host))).unwrap();
                serde_json::from_str::<StorageMeasurement>(&text).unwrap()
            };
            let mut merged = sent(order[0]);
            order[1..].iter().for_each(|host| merged.merge(sent(*host)));
            let whole = StorageMeasurement { stamped: 5, threads: 5, ..of(None) };
            prop_assert_eq!(serde_json::to_string(&merged).unwrap(), serde_json::to_string(&whole).unwrap());
        }
    }
}

//! The difference of two snapshots, as rates and shares.

mod devices;

use crate::missing::{Missing, Reading};
use crate::parse::{CpuTicks, InterfaceBytes, OwnIo};
use crate::scope::{HarnessShare, Scope};
use crate::snapshot::Snapshot;
use dbdyno_model::{CpuUse, IoRates, MemoryUse, NetworkUse, Pressure};
use std::collections::BTreeMap;

const MIB: f64 = 1_048_576.0;
const LOOPBACK: &str = "lo";

/// What the machine and this process did between two snapshots. Percentages are of the whole machine: all processors
/// online. An absent value has its reason in `missing`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Telemetry {
    /// The interval, by the monotonic clock.
    pub seconds: f64,
    /// Processors. `busy_pct` includes stolen time, in which work was waiting.
    pub cpu: CpuUse,
    /// Devices.
    pub io: IoRates,
    /// Memory at the interval's end; swapping during it.
    pub memory: MemoryUse,
    /// Network.
    pub network: NetworkUse,
    /// Pressure.
    pub pressure: Pressure,
    /// This process's percentage of the whole machine, with the engine if it runs inside. Busy time beyond it (and
    /// beyond the server, if that is local) is foreign load.
    pub process_cpu_pct: Option<f64>,
    /// The percentage of a database server on this machine, with all its processes.
    pub server_cpu_pct: Option<f64>,
    /// Tasks that ran or could have run at the interval's end, beside the one that looked.
    pub runnable: Option<f64>,
    /// How quotas throttled this process or the server; absent where neither has a quota.
    pub throttled: Option<Throttled>,
    /// Bytes that this process fetched from devices.
    pub process_read_bytes: Option<u64>,
    /// Bytes that this process sent to devices, or dirtied and so will send.
    pub process_write_bytes: Option<u64>,
    /// Bytes that the processes of a database server on this machine fetched from devices.
    pub server_read_bytes: Option<u64>,
    /// Bytes that these processes sent to devices, or dirtied and so will send.
    pub server_write_bytes: Option<u64>,
    /// The same of all other processes except dbdyno, if this was asked for.
    pub others_write_bytes: Option<u64>,
    /// Bytes read from the devices that `io` sums.
    pub device_read_bytes: Option<u64>,
    /// Reads from them.
    pub device_read_ops: Option<u64>,
    /// Bytes written to them.
    pub device_write_bytes: Option<u64>,
    /// Writes to them.
    pub device_write_ops: Option<u64>,
    /// JSON path (`cpu.harness_pct`, `io.read_iops`) or field name -> why the value is absent. `io.devices` and the
    /// like may also have a remark on a value that is there.
    pub missing: BTreeMap<String, String>,
}

/// What quotas of processor time did in an interval, all groups together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Throttled {
    /// Periods in which a process of the groups ran.
    pub periods: u64,
    /// Periods in which a quota was used up.
    pub throttled: u64,
    /// How long processors were throttled, in total.
    pub seconds: f64,
}

/// Two snapshots and their scope.
pub(crate) struct Interval<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) earlier: &'a Snapshot,
    pub(crate) later: &'a Snapshot,
}

impl Interval<'_> {
    pub(crate) fn telemetry(&self) -> Telemetry {
        let mut missing = Missing::default();
        let process_cpu_pct = self.process_cpu_pct();
        let own_io = self.own_io();
        let mut telemetry = Telemetry {
            seconds: self.seconds(),
            cpu: self.cpu(&process_cpu_pct, &mut missing),
            memory: self.memory(&mut missing),
            network: self.network(&mut missing),
            pressure: self.pressure(&mut missing),
            process_cpu_pct: missing.keep("process_cpu_pct", process_cpu_pct),
            server_cpu_pct: self.server_cpu_pct().and_then(|share| missing.keep("server_cpu_pct", share)),
            runnable: missing.keep("runnable", self.later.runnable.clone().map(|n| n.saturating_sub(1) as f64)),
            throttled: self.throttled().and_then(|times| missing.keep("throttled", times)),
            process_read_bytes: missing.keep("process_read_bytes", self.own_read_bytes(&own_io)),
            process_write_bytes: missing.keep("process_write_bytes", own_io.map(|(_, written)| written)),
            ..Telemetry::default()
        };
        self.devices(&mut telemetry, &mut missing);
        self.of_processes(&mut telemetry, &mut missing);
        telemetry.missing = missing.0;
        telemetry
    }

    fn seconds(&self) -> f64 {
        self.later.taken_at().saturating_duration_since(self.earlier.taken_at()).as_secs_f64()
    }

    fn per_s(&self, amount: f64) -> Reading<f64> {
        let seconds = self.seconds();
        if seconds > 0.0 { Ok(amount / seconds) } else { Err("no time passed between the snapshots".to_owned()) }
    }

    /// The difference of a counter. A counter that ran backwards was reset, and the difference is unknown.
    fn delta<T>(&self, what: &str, of: impl Fn(&Snapshot) -> &Reading<T>, count: impl Fn(&T) -> u64) -> Reading<u64> {
        let read = |snapshot| of(snapshot).as_ref().map(&count).map_err(String::clone);
        since(what, read(self.earlier)?, read(self.later)?)
    }

    fn process_cpu_pct(&self) -> Reading<f64> {
        let what = "this process's processor time";
        self.machine_pct(since(what, self.earlier.process_cpu_ns, self.later.process_cpu_ns)?)
    }

    /// `None` where no server on this machine was named.
    fn server_cpu_pct(&self) -> Option<Reading<f64>> {
        let (earlier, later) = self.earlier.server_cpu_ns.clone().zip(self.later.server_cpu_ns.clone())?;
        let used = earlier.and_then(|earlier| since("the server's processor time", earlier, later?));
        Some(used.and_then(|ns| self.machine_pct(ns)))
    }

    fn throttled(&self) -> Option<Reading<Throttled>> {
        let (earlier, later) = self.earlier.throttling.as_ref().zip(self.later.throttling.as_ref())?;
        let sum = || {
            let (earlier, later) = (earlier.as_ref().map_err(String::clone)?, later.as_ref().map_err(String::clone)?);
            let mut all = Throttled::default();
            for (before, after) in earlier.iter().zip(later) {
                all.periods += since("periods of a quota", before.periods, after.periods)?;
                all.throttled += since("periods held back", before.throttled, after.throttled)?;
                all.seconds += since("time held back", before.ns, after.ns)? as f64 / 1e9;
            }
            Ok(all)
        };
        Some(sum())
    }

    /// Processor time as a percentage of the whole machine.
    fn machine_pct(&self, ns: u64) -> Reading<f64> {
        let online = self.later.cpu.as_ref().map_err(String::clone)?.online;
        if online == 0 {
            return Err("/proc/stat lists no processor".to_owned());
        }
        Ok(self.per_s(ns as f64 / 1e9)? / f64::from(online) * 100.0)
    }

    fn cpu(&self, process_cpu_pct: &Reading<f64>, missing: &mut Missing) -> CpuUse {
        let harness_pct = match self.scope.harness {
            HarnessShare::OwnProcess => process_cpu_pct.clone(),
            HarnessShare::NotSeparable => {
                Err("the engine runs inside dbdyno's process, so their processor time cannot be told apart".to_owned())
            }
        };
        let between = |earlier: &Reading<CpuTicks>, later: &Reading<CpuTicks>| match (earlier, later) {
            (Ok(earlier), Ok(later)) => shares(earlier, later),
            (Err(why), _) | (_, Err(why)) => Err(why.clone()),
        };
        let held = self.earlier.held_cpu.as_ref().zip(self.later.held_cpu.as_ref());
        let held = held.map(|(earlier, later)| between(earlier, later).map(|s| s[0]));
        let shares = between(&self.earlier.cpu, &self.later.cpu);
        let held_busy_pct = held.and_then(|held| missing.keep("cpu.held_busy_pct", held));
        let mut share = |name: &str, n: usize| missing.keep(&format!("cpu.{name}"), shares.clone().map(|s| s[n]));
        CpuUse {
            held_busy_pct,
            busy_pct: share("busy_pct", 0),
            user_pct: share("user_pct", 1),
            system_pct: share("system_pct", 2),
            iowait_pct: share("iowait_pct", 3),
            steal_pct: share("steal_pct", 4),
            harness_pct: missing.keep("cpu.harness_pct", harness_pct),
        }
    }

    fn own_io(&self) -> Reading<(u64, u64)> {
        let read = self.delta("/proc/self/io", |s| &s.own_io, |io| io.read_bytes)?;
        Ok((read, self.delta("/proc/self/io", |s| &s.own_io, |io| io.written_bytes)?))
    }

    /// What this process read from devices, beyond what the page cache below them could have served.
    fn own_read_bytes(&self, own_io: &Reading<(u64, u64)>) -> Reading<u64> {
        match &self.scope.cached_below {
            Some(why) => Err(why.clone()),
            None => own_io.clone().map(|(read, _)| read),
        }
    }

    /// What the server's processes moved, and what others moved.
    fn of_processes(&self, telemetry: &mut Telemetry, missing: &mut Missing) {
        type Account = fn(&Snapshot) -> &Option<Reading<OwnIo>>;
        let moved = |what: &str, of: Account, count: fn(&OwnIo) -> u64| {
            let (earlier, later) = of(self.earlier).clone().zip(of(self.later).clone())?;
            let moved = || since(what, count(&earlier?), count(&later?));
            Some(moved())
        };
        let server = |count| moved("what the server moved", |s| &s.server_io, count);
        let mut keep = |path: &str, bytes: Option<Reading<u64>>| bytes.and_then(|bytes| missing.keep(path, bytes));
        telemetry.server_read_bytes = keep("server_read_bytes", server(|io| io.read_bytes));
        telemetry.server_write_bytes = keep("server_write_bytes", server(|io| io.written_bytes));
        let all = keep("others_write_bytes", moved("what all moved", |s| &s.everybody_io, |io| io.written_bytes));
        let ours = telemetry.process_write_bytes.map(|own| own + telemetry.server_write_bytes.unwrap_or(0));
        telemetry.others_write_bytes = all.zip(ours).map(|(all, ours)| all.saturating_sub(ours));
    }

    fn memory(&self, missing: &mut Missing) -> MemoryUse {
        let page_bytes = rustix::param::page_size() as u64;
        let memory = &self.later.memory;
        let own = self.later.own_pages.clone().map(|pages| pages.saturating_mul(page_bytes));
        let swapped = self
            .delta("/proc/vmstat", |s| &s.swapped_pages, |n| *n)
            .and_then(|pages| self.per_s(pages as f64 * page_bytes as f64 / MIB));
        MemoryUse {
            available_bytes: missing.keep("memory.available_bytes", memory.clone().map(|m| m.available_bytes)),
            page_cache_bytes: missing.keep("memory.page_cache_bytes", memory.clone().map(|m| m.page_cache_bytes)),
            harness_rss_bytes: missing.keep("memory.harness_rss_bytes", own),
            swap_mib_per_s: missing.keep("memory.swap_mib_per_s", swapped),
        }
    }

    fn network(&self, missing: &mut Missing) -> NetworkUse {
        let outside = |name: &str| name != LOOPBACK && !self.scope.stacked.contains(name);
        let mut rate =
            |path: &str, bytes: Reading<u64>| missing.keep(path, bytes.and_then(|b| self.per_s(b as f64 / MIB)));
        NetworkUse {
            receive_mib_per_s: rate("network.receive_mib_per_s", self.carried(outside, |i| i.received)),
            send_mib_per_s: rate("network.send_mib_per_s", self.carried(outside, |i| i.sent)),
            // Bytes sent over loopback are also received, so one direction is enough.
            loopback_mib_per_s: rate("network.loopback_mib_per_s", self.carried(|n| n == LOOPBACK, |i| i.received)),
        }
    }

    /// Bytes of some interfaces, by interface, so that a replaced interface does not make the sum run backwards.
    fn carried(&self, wanted: impl Fn(&str) -> bool, bytes: fn(&InterfaceBytes) -> u64) -> Reading<u64> {
        let earlier = self.earlier.interfaces.as_ref().map_err(String::clone)?;
        let later = self.later.interfaces.as_ref().map_err(String::clone)?;
        later.iter().filter(|i| wanted(&i.name)).try_fold(0u64, |sum, now| {
            let before = earlier.iter().find(|i| i.name == now.name);
            Ok(sum.saturating_add(since(&now.name, before.map_or(0, bytes), bytes(now))?))
        })
    }

    fn pressure(&self, missing: &mut Missing) -> Pressure {
        let mut share = |path: &str, of: fn(&Snapshot) -> &Reading<u64>| {
            let waited_us = self.delta("the kernel's pressure account", of, |n| *n);
            // The account and the clock are not read at the same instant.
            missing.keep(path, waited_us.and_then(|us| Ok((self.per_s(us as f64 / 1e6)? * 100.0).min(100.0))))
        };
        Pressure {
            cpu_some_pct: share("pressure.cpu_some_pct", |s| &s.cpu_waits_us),
            io_some_pct: share("pressure.io_some_pct", |s| &s.io_waits_us),
            memory_some_pct: share("pressure.memory_some_pct", |s| &s.memory_waits_us),
        }
    }
}

fn since(what: &str, earlier: u64, later: u64) -> Reading<u64> {
    later.checked_sub(earlier).ok_or_else(|| format!("the count of {what} ran backwards: it was reset in between"))
}

/// Busy, user, system, I/O wait and stolen time, in percent of all processor time between two readings.
fn shares(earlier: &CpuTicks, later: &CpuTicks) -> Reading<[f64; 5]> {
    // The kernel's idle times may step back by a tick when a processor wakes, so a negative step counts as zero.
    let ticks = |of: fn(&CpuTicks) -> u64| of(later).saturating_sub(of(earlier)) as f64;
    let (user, system, steal) = (ticks(|t| t.user), ticks(|t| t.system), ticks(|t| t.steal));
    let (idle, iowait) = (ticks(|t| t.idle), ticks(|t| t.iowait));
    let busy = user + system + steal;
    let all = busy + idle + iowait;
    if all <= 0.0 {
        return Err("the interval is shorter than a tick of the kernel's processor account".to_owned());
    }
    Ok([busy, user, system, iowait, steal].map(|ticks| ticks / all * 100.0))
}

#[cfg(test)]
mod tests;

//! Processors: what they are, and how many this process may use.

use crate::limits;
use crate::missing::{Missing, Reading};
use crate::parse::{self, CpuInfo};
use crate::root::Root;
use dbdyno_model::Cpu;
use std::collections::BTreeSet;

const CPUS: &str = "sys/devices/system/cpu";

/// Hardware threads that this process can keep busy: those that its affinity allows, reduced to the processor quota of
/// its control group (version 1 or 2; a quota of 2.5 processors counts as 2). At least 1.
///
/// The standard library's count considers all three, so a ramp based on it does not exceed what the container may use.
#[must_use]
pub fn hardware_threads() -> u32 {
    std::thread::available_parallelism().ok().and_then(|n| u32::try_from(n.get()).ok()).unwrap_or(1)
}

/// The processors of the inventory.
pub(crate) fn cpu(root: &Root, info: &CpuInfo, missing: &mut Missing) -> Cpu {
    let cpus = cpus(root);
    let words = |file: &str| -> BTreeSet<String> {
        cpus.iter().filter_map(|cpu| root.word(&format!("{CPUS}/cpu{cpu}/{file}")).ok()).collect()
    };
    // Some firmware knows no packages and says -1.
    let packages = words("topology/physical_package_id").iter().filter(|id| !id.starts_with('-')).count();
    let sockets = parse::count(packages).or(info.sockets);
    let cores = parse::count(limits::cores(root, &cpus)).or(info.cores);
    // The highest clock of frequency scaling, else the one in the model's name, else the current one.
    let khz = words("cpufreq/cpuinfo_max_freq").iter().filter_map(|khz| khz.parse::<u64>().ok()).max();
    let clock_mhz = khz.map(|khz| khz as f64 / 1_000.0).or(info.nominal_mhz).or(info.current_mhz);
    let governors = words("cpufreq/scaling_governor").into_iter().collect::<Vec<_>>().join(",");
    let governor = Some(governors).filter(|names| !names.is_empty());
    let unknown = |what: &str| format!("neither /{CPUS} nor /proc/cpuinfo tells {what}");
    let unscaled = || "the kernel does not scale the clock here (usual in virtual machines)".to_owned();
    Cpu {
        model: missing.keep("cpu.model", info.model.clone().ok_or_else(|| "/proc/cpuinfo names no model".to_owned())),
        sockets: missing.keep("cpu.sockets", sockets.ok_or_else(|| unknown("the sockets"))),
        cores: missing.keep("cpu.cores", cores.ok_or_else(|| unknown("the cores"))),
        threads: missing.keep("cpu.threads", threads()),
        clock_mhz: missing.keep("cpu.clock_mhz", clock_mhz.ok_or_else(|| unknown("a clock"))),
        governor: missing.keep("cpu.governor", governor.ok_or_else(unscaled)),
        limits: missing.keep("cpu.limits", limits::limits(root, None)).flatten(),
    }
}

fn threads() -> Reading<u32> {
    let allowed = rustix::thread::sched_getaffinity(None).map(|cpus| cpus.count());
    allowed.map_err(|e| format!("the scheduler does not say which processors may be used: {e}"))
}

/// The numbers of the processors that the kernel knows.
fn cpus(root: &Root) -> Vec<u32> {
    root.names(CPUS).iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::tests::tree;

    #[test]
    fn two_sockets_with_two_threads_a_core() {
        let mut files = Vec::new();
        for cpu in 0..8 {
            let (package, core) = (cpu / 2 % 2, cpu % 4);
            let dir = format!("{CPUS}/cpu{cpu}");
            files.push((format!("{dir}/topology/physical_package_id"), format!("{package}\n")));
            files.push((format!("{dir}/topology/core_cpus_list"), format!("{core},{}\n", core + 4)));
            files.push((format!("{dir}/cpufreq/scaling_governor"), "performance\n".to_owned()));
            files.push((format!("{dir}/cpufreq/cpuinfo_max_freq"), format!("{}\n", 3_000_000 + cpu * 100_000)));
        }
        files.push((format!("{CPUS}/cpu8/online"), "0\n".to_owned()));
        files.push((format!("{CPUS}/cpufreq/ignored"), "x".to_owned()));
        let (_dir, root) = tree(&files);
        let mut missing = Missing::default();
        let cpu = cpu(&root, &CpuInfo::default(), &mut missing);
        assert_eq!((cpu.sockets, cpu.cores, cpu.clock_mhz), (Some(2), Some(4), Some(3_700.0)));
        assert_eq!(cpu.governor.as_deref(), Some("performance"));
        assert_eq!(missing.0.keys().collect::<Vec<_>>(), ["cpu.limits", "cpu.model"]);
    }

    #[test]
    fn without_topology_the_processor_is_asked_and_what_nobody_knows_has_a_reason() {
        let (_dir, root) = tree(&[(format!("{CPUS}/cpu0/topology/physical_package_id"), "-1\n".to_owned())]);
        let info =
            CpuInfo { sockets: Some(4), nominal_mhz: Some(2_300.0), current_mhz: Some(9.0), ..CpuInfo::default() };
        let mut missing = Missing::default();
        let cpu = cpu(&root, &info, &mut missing);
        assert_eq!((cpu.sockets, cpu.cores, cpu.clock_mhz), (Some(4), None, Some(2_300.0)));
        assert_eq!(missing.0.keys().collect::<Vec<_>>(), ["cpu.cores", "cpu.governor", "cpu.limits", "cpu.model"]);
    }

    #[test]
    fn affinity_counts() {
        let threads = std::thread::spawn(|| {
            let mut one = rustix::thread::CpuSet::new();
            one.set(rustix::thread::sched_getcpu());
            rustix::thread::sched_setaffinity(None, &one).unwrap();
            (hardware_threads(), threads())
        });
        assert_eq!(threads.join().unwrap(), (1, Ok(1)));
    }
}

//! `/proc/cpuinfo`, whose format differs by architecture.

use crate::names::NAMES;
use std::collections::BTreeSet;

/// What the processors say of themselves.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CpuInfo {
    /// Model name.
    pub(crate) model: Option<String>,
    /// The clock in the model's name, in MHz.
    pub(crate) nominal_mhz: Option<f64>,
    /// The highest clock that a processor reported, in MHz; the maximum may be higher.
    pub(crate) current_mhz: Option<f64>,
    /// Distinct physical packages.
    pub(crate) sockets: Option<u32>,
    /// Distinct cores in them.
    pub(crate) cores: Option<u32>,
    /// Whether the processor says that it is virtual; x86 only.
    pub(crate) hypervisor: Option<bool>,
}

/// Parses the text of any architecture.
pub(crate) fn cpu_info(text: &str) -> CpuInfo {
    let mut info = CpuInfo::default();
    let (mut packages, mut cores) = (BTreeSet::new(), BTreeSet::new());
    let mut package = None;
    let (mut implementer, mut part) = (None, None);
    for (name, value) in text.lines().filter_map(|l| l.split_once(':')).map(|(n, v)| (n.trim(), v.trim())) {
        match name {
            // x86 and old ARM; POWER; MIPS; RISC-V.
            "model name" | "cpu" | "cpu model" | "uarch" if info.model.is_none() && !value.is_empty() => {
                info.nominal_mhz = promised_mhz(value);
                info.model = Some(value.to_owned());
            }
            "cpu MHz" | "clock" | "cpu MHz static" => {
                let mhz = value.trim_end_matches("MHz").parse::<f64>().ok().filter(|m| m.is_finite() && *m > 0.0);
                info.current_mhz = mhz.into_iter().chain(info.current_mhz).reduce(f64::max);
            }
            "physical id" => {
                package = Some(value);
                packages.insert(value);
            }
            "core id" => _ = package.map(|p| cores.insert((p, value))),
            "flags" if info.hypervisor != Some(true) => {
                info.hypervisor = Some(value.split(' ').any(|f| f == "hypervisor"));
            }
            "CPU implementer" => implementer = Some(value),
            "CPU part" => part = Some(value),
            _ => {}
        }
    }
    if let (None, Some(implementer)) = (&info.model, implementer) {
        info.model = Some(arm_model(implementer, part.unwrap_or("unknown")));
    }
    info.sockets = count(packages.len());
    info.cores = count(cores.len());
    info
}

/// A number that is known only if it is not 0.
pub(crate) fn count(n: usize) -> Option<u32> {
    u32::try_from(n).ok().filter(|n| *n > 0)
}

/// The clock in `… @ 2.30GHz`.
fn promised_mhz(model: &str) -> Option<f64> {
    let clock = model.rsplit_once('@')?.1.trim();
    let (number, unit_mhz) = match clock.strip_suffix("GHz") {
        Some(number) => (number, 1_000.0),
        None => (clock.strip_suffix("MHz")?, 1.0),
    };
    number.trim().parse::<f64>().ok().map(|n| n * unit_mhz).filter(|m| m.is_finite() && *m > 0.0)
}

/// ARM reports numbers only; cores without a known name are shown as numbers.
fn arm_model(implementer: &str, part: &str) -> String {
    let known = NAMES.arm_cores.get(&format!("{implementer} {part}"));
    known.cloned().unwrap_or_else(|| format!("ARM implementer {implementer} part {part}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intel_with_two_sockets() {
        let block = |n: u32, package: u32, core: u32, mhz: f64| {
            format!(
                "processor\t: {n}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 5118 CPU @ 2.30GHz\n\
                 cpu MHz\t\t: {mhz:.3}\nphysical id\t: {package}\ncore id\t\t: {core}\nflags\t\t: fpu vme de\n\n"
            )
        };
        let text =
            [block(0, 0, 0, 1000.0), block(1, 0, 1, 3190.5), block(2, 1, 0, 900.0), block(3, 0, 0, 800.0)].concat();
        let info = cpu_info(&text);
        assert_eq!(info.model.as_deref(), Some("Intel(R) Xeon(R) Gold 5118 CPU @ 2.30GHz"));
        assert!((info.nominal_mhz.unwrap() - 2300.0).abs() < 1e-6);
        assert_eq!(info.current_mhz, Some(3190.5));
        assert_eq!((info.sockets, info.cores, info.hypervisor), (Some(2), Some(3), Some(false)));
    }

    #[test]
    fn amd_in_a_virtual_machine() {
        let text = "processor\t: 0\nmodel name\t: AMD EPYC 7R13 Processor\ncpu MHz\t\t: 2649.998\nphysical id\t: 0\n\
                    core id\t\t: 0\nflags\t\t: fpu hypervisor lahf_lm\n";
        let info = cpu_info(text);
        assert_eq!(info.model.as_deref(), Some("AMD EPYC 7R13 Processor"));
        assert_eq!((info.nominal_mhz, info.current_mhz), (None, Some(2649.998)));
        assert_eq!((info.sockets, info.cores, info.hypervisor), (Some(1), Some(1), Some(true)));
    }

    #[test]
    fn arm_has_numbers_only() {
        let text = |part: &str| {
            format!(
                "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: {part}\n"
            )
        };
        let info = cpu_info(&text("0xd0c"));
        assert_eq!(info.model.as_deref(), Some("ARM Neoverse N1"));
        assert_eq!((info.sockets, info.cores, info.hypervisor, info.current_mhz), (None, None, None, None));
        assert_eq!(cpu_info(&text("0xfff")).model.as_deref(), Some("ARM implementer 0x41 part 0xfff"));
    }

    #[test]
    fn power_and_nothing() {
        let info =
            cpu_info("processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\nclock\t\t: 2500.000000MHz\n");
        assert_eq!(info.model.as_deref(), Some("POWER9 (architected), altivec supported"));
        assert_eq!(info.current_mhz, Some(2500.0));
        assert_eq!(cpu_info(""), CpuInfo::default());
    }
}

//! The processors: how many times production's load they carry. On the run's own platform the curve of the run says
//! it, on another one the CPU tests of both platforms do; without either it is a lower bound, or unknown.

use super::cpu_tests;
use super::curve::{Busy, CpuMultiple, chosen, linear, sure_pct};
use super::layer::{HeadroomBound, HeadroomLayer, KnownHeadroom, LayerName, LayerStanding, ProductionUse};
use super::result::{FactorOfTests, HeadroomCurve, HeadroomOptions, PlatformRelation};
use crate::numbers::{factor, percent};
use dbdyno_model::{Cpu, ProfileJson, RunJson};

const PATH: &str = "cpu.busy_pct";
const SERVER_PATH: &str = "cpu.server_pct";
const OTHERS_PATH: &str = "cpu.others_pct";

/// The layer with what it rests on.
pub(super) struct Processors {
    pub(super) layer: HeadroomLayer,
    pub(super) curve: Option<HeadroomCurve>,
    pub(super) factor: Option<FactorOfTests>,
}

impl Processors {
    fn unknown(production: Option<ProductionUse>, why: impl Into<String>) -> Self {
        Self { layer: HeadroomLayer::unknown(LayerName::Processors, production, why), curve: None, factor: None }
    }
}

/// How production's own platform is related to a run.
pub(super) type RelationTo<'a> = &'a dyn Fn(&RunJson) -> PlatformRelation;

/// The processors of a run's platform under production's load.
pub(super) fn processors(
    profile: &ProfileJson,
    run: &RunJson,
    relation_to: RelationTo<'_>,
    options: &HeadroomOptions<'_>,
) -> Processors {
    let Some(figure) = profile.seen.figures.get(PATH) else {
        let why = profile.seen.missing.get(PATH).map_or("they were not told", String::as_str);
        return Processors::unknown(None, format!("not seen in production: {why}"));
    };
    let Some(production) = ProductionUse::of(figure) else {
        return Processors::unknown(None, "not seen in production: no minute was watched for the greater part");
    };
    let Some(platform) = &profile.platform else {
        return Processors::unknown(Some(production), "production's processors are not known");
    };
    let load = Load::of(profile, &production, &platform.cpu);
    let mut found = match (relation_to(run), options.own) {
        (PlatformRelation::Same, _) => own(run, &load, options.curve),
        (PlatformRelation::Another, Some(of_own)) if relation_to(of_own) == PlatformRelation::Same => {
            another(run, of_own, &load, options.curve)
        }
        (PlatformRelation::Another, Some(of_own)) => {
            let id = &of_own.run.id;
            Processors::unknown(
                None,
                format!("run {id} was given as one of production's platform, and is of another one"),
            )
        }
        (PlatformRelation::Another, None) => {
            let why = "processors of another platform compare by CPU tests alone, and no run of production's own \
                       platform was given";
            Processors::unknown(None, why)
        }
        (PlatformRelation::NotKnown | PlatformRelation::SameTarget, _) => {
            Processors::unknown(None, "the processors of the run's platform are not known")
        }
    };
    found.layer.production = Some(production);
    found.layer.remarks.extend(load.remarks);
    found.layer.remarks.extend(by_whom(profile));
    found
}

/// Production's load on the processors that it may use.
struct Load<'c> {
    busy_pct: f64,
    highest_second_pct: f64,
    busy: Busy,
    cpu: &'c Cpu,
    remarks: Vec<String>,
}

impl<'c> Load<'c> {
    /// Where the database may use a part of the machine, shares are of that part.
    fn of(profile: &ProfileJson, production: &ProductionUse, cpu: &'c Cpu) -> Self {
        let (busy_pct, highest_second_pct) = (production.peak_minute, production.highest_second);
        let all = Self { busy_pct, highest_second_pct, busy: |p| p.cpu.busy_pct, cpu, remarks: Vec::new() };
        let held = cpu.usable_threads().and_then(|usable| Some((usable.n, usable.of?)));
        let Some((n, machine)) = held else { return all };
        let times = f64::from(machine) / n;
        let server = profile.seen.figures.get(SERVER_PATH).and_then(ProductionUse::of);
        let used = server.unwrap_or(*production);
        let whose = if server.is_some() { "the server's share" } else { "the share of everybody" };
        let remark =
            format!("the database may use {} of {machine} hardware threads: {whose} counts against these", factor(n));
        Self {
            busy_pct: (used.peak_minute * times).min(100.0),
            highest_second_pct: (used.highest_second * times).min(100.0),
            busy: |p| p.cpu.held_busy_pct,
            remarks: vec![remark],
            ..all
        }
    }
}

/// On the run's platform, which is production's own.
fn own(run: &RunJson, load: &Load<'_>, asked: Option<&str>) -> Processors {
    if load.busy_pct <= 0.0 {
        let layer = HeadroomLayer::new(LayerName::Processors, None, LayerStanding::NotUsed);
        return Processors { layer, curve: None, factor: None };
    }
    let curve = chosen(run, asked, load.busy, load.busy_pct, load.cpu);
    let mut remarks = Vec::new();
    let (found, basis, second) = match &curve {
        Some(curve) => {
            let end = if curve.shown.is_saturated {
                String::new()
            } else {
                let highest = percent(curve.shown.highest_busy_pct);
                format!(", which ended at {highest} busy; linear beyond")
            };
            let basis = format!("the curve of {}{end}", curve.shown.ramp);
            let second = curve.multiple(load.highest_second_pct, load.cpu).share_pct;
            (curve.multiple(load.busy_pct, load.cpu), basis, second)
        }
        None => {
            let basis = "no ramp of the run has a curve of the processors, so it is linear".to_owned();
            let multiple = linear(load.busy_pct, load.cpu);
            let bound = HeadroomBound::AtLeast;
            (CpuMultiple { multiple, share_pct: load.busy_pct, bound }, basis, load.highest_second_pct)
        }
    };
    let sure = sure_pct(load.cpu);
    let is_linear = curve.as_ref().is_none_or(|curve| !curve.shown.is_saturated);
    if is_linear && sure < 100.0 {
        remarks.push(format!(
            "a core has several hardware threads here, and the second one may add little: {} busy is taken as the end",
            percent(sure)
        ));
    }
    if found.bound == HeadroomBound::AtLeast {
        let text = "below half of saturation, or without a curve to it, the multiple is a lower bound: processor time \
                    of a transaction falls with load";
        remarks.push(text.to_owned());
    }
    let known = KnownHeadroom {
        share_pct: found.share_pct,
        highest_second_share_pct: Some(second),
        multiple: found.multiple,
        range: None,
        bound: found.bound,
        basis,
    };
    let layer = HeadroomLayer::new(LayerName::Processors, None, LayerStanding::Known(known));
    let layer = HeadroomLayer { remarks, ..layer };
    Processors { layer, curve: curve.map(|curve| curve.shown), factor: None }
}

/// On another platform, by way of production's own.
fn another(run: &RunJson, of_own: &RunJson, load: &Load<'_>, asked: Option<&str>) -> Processors {
    let factor_of = match cpu_tests::factor(run, of_own) {
        Ok(factor) => factor,
        Err(why) => return Processors::unknown(None, why),
    };
    let mut found = own(of_own, load, asked);
    if let LayerStanding::Known(known) = &mut found.layer.standing {
        let (times, [low, high]) = (factor_of.factor, factor_of.range);
        known.range = Some([known.multiple * low, known.multiple * high]);
        known.multiple *= times;
        known.share_pct /= times;
        known.highest_second_share_pct = known.highest_second_share_pct.map(|share| share / times);
        known.basis = format!(
            "{} times production's own processors by {} CPU tests ({} to {}); there: {}",
            factor(times),
            factor_of.tests.len(),
            factor(low),
            factor(high),
            known.basis
        );
    }
    Processors { factor: Some(factor_of), ..found }
}

/// Whose work kept processors busy in the peak minute, where that was seen.
fn by_whom(profile: &ProfileJson) -> Vec<String> {
    let at = |path: &str| profile.seen.figures.get(path).and_then(ProductionUse::of);
    let others = at(OTHERS_PATH).filter(|others| others.peak_minute >= 1.0);
    let server = at(SERVER_PATH);
    let text = match (server, others) {
        (Some(server), Some(others)) => format!(
            "in their own peak minutes the server took {} of the machine and others {}: these count as part of the \
             load, which is right only if they are its clients",
            percent(server.peak_minute),
            percent(others.peak_minute)
        ),
        (None, Some(others)) => format!(
            "others took up to {} of the machine in a minute: they count as part of the load, which is right only if \
             they are its clients",
            percent(others.peak_minute)
        ),
        (Some(_), None) => return Vec::new(),
        (None, None) => "whose work kept the processors busy was not seen: all of it counts as the load".to_owned(),
    };
    vec![text]
}

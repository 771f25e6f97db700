//! The answer in sentences: the share of the peak minute, the first limit, and what is unknown.

use super::layer::{HeadroomBound, HeadroomLayer, KnownHeadroom};
use super::result::{HeadroomOutcome, PlatformRelation};
use crate::numbers::{factor, percent};
use crate::watched::minute;

/// The layer that is reached first: that with the lowest multiple. Where a limit that the run did reach is below the
/// load, it comes before any bound.
pub(super) fn first(layers: &[HeadroomLayer]) -> Option<&HeadroomLayer> {
    let lowest = |is_counted: fn(&KnownHeadroom) -> bool| {
        let counted = known(layers).filter(|(_, known)| is_counted(known));
        counted.min_by(|a, b| a.1.multiple.total_cmp(&b.1.multiple)).map(|(layer, _)| layer)
    };
    lowest(is_too_little).or_else(|| lowest(|_| true))
}

/// Whether the load is beyond a limit, for sure.
fn is_too_little(known: &KnownHeadroom) -> bool {
    known.multiple < 1.0 && known.bound == HeadroomBound::About
}

fn known(layers: &[HeadroomLayer]) -> impl Iterator<Item = (&HeadroomLayer, &KnownHeadroom)> {
    layers.iter().filter_map(|layer| Some((layer, layer.known()?)))
}

/// The answer in one word.
pub(super) fn outcome(layers: &[HeadroomLayer]) -> HeadroomOutcome {
    let Some(first) = first(layers).and_then(HeadroomLayer::known) else { return HeadroomOutcome::NotKnown };
    match layers.iter().any(HeadroomLayer::is_unknown) {
        _ if is_too_little(first) => HeadroomOutcome::DoesNotCarry,
        _ if first.multiple < 1.0 => HeadroomOutcome::NotKnown,
        true => HeadroomOutcome::CarriesAsFarAsKnown,
        false => HeadroomOutcome::Carries,
    }
}

/// The sentences.
pub(super) fn sentences(layers: &[HeadroomLayer], platforms: PlatformRelation) -> Vec<String> {
    let mut said = Vec::new();
    let (uses, platform) = match platforms {
        PlatformRelation::Same | PlatformRelation::SameTarget => ("used", "this platform"),
        PlatformRelation::Another => ("would use", "the other platform"),
        PlatformRelation::NotKnown => ("would use", "the run's platform"),
    };
    match first(layers).and_then(|layer| Some((layer, layer.known()?))) {
        Some((layer, known)) => {
            said.push(share(layer, known, uses, platform));
            said.push(limit(layer, known, layers));
            said.extend(nearest_end(known, layers));
        }
        None => said.push(format!(
            "How much of {platform} production uses is not known: no layer was both seen in production and measured by \
             the run."
        )),
    }
    said.extend(second(layers));
    said.extend(unknown(layers));
    said
}

fn share(layer: &HeadroomLayer, known: &KnownHeadroom, uses: &str, platform: &str) -> String {
    let at = layer.production.map(|production| minute(production.peak_minute_at)).unwrap_or_default();
    let share = percent(known.share_pct);
    let what = layer.layer.words();
    if known.multiple < 1.0 {
        return format!(
            "At its peak minute ({at} UTC) production asks for more than {platform} showed: {share} of its {what}."
        );
    }
    format!("At its peak minute ({at} UTC) production {uses} {share} of what {platform} showed ({what}).")
}

fn limit(layer: &HeadroomLayer, known: &KnownHeadroom, layers: &[HeadroomLayer]) -> String {
    let what = layer.layer.words();
    let among = if layers.iter().any(HeadroomLayer::is_unknown) { " among what is known" } else { "" };
    if known.multiple < 1.0 && known.bound == HeadroomBound::AtLeast {
        return format!(
            "Whether it carries the load is not known: {} of it is what it carries for sure ({what}).",
            percent(known.multiple * 100.0)
        );
    }
    if known.multiple < 1.0 {
        return format!(
            "It does not carry the load: the first limit{among} is reached at {} of it ({what}).",
            percent(known.multiple * 100.0)
        );
    }
    let times = multiple(known);
    match known.bound {
        HeadroomBound::About => format!("The first limit{among} is reached at about {times} that load: {what}."),
        HeadroomBound::AtLeast => format!(
            "The first limit{among} is reached at {times} that load or later: {what}. That is a lower bound: the figures \
             do not show where this layer ends."
        ),
    }
}

/// The first limit that the run did reach, where others come before it that it did not.
fn nearest_end(first: &KnownHeadroom, layers: &[HeadroomLayer]) -> Option<String> {
    if first.bound == HeadroomBound::About {
        return None;
    }
    let reached = known(layers).filter(|(_, known)| known.bound == HeadroomBound::About);
    let (layer, known) = reached.min_by(|a, b| a.1.multiple.total_cmp(&b.1.multiple))?;
    Some(format!(
        "The first limit that the run did reach is at about {} that load: {}.",
        multiple(known),
        layer.layer.words()
    ))
}

/// `2.60 times`, with a range where a comparison of platforms has one.
fn multiple(known: &KnownHeadroom) -> String {
    let range = known.range.map(|[low, high]| format!(" ({} to {})", factor(low), factor(high))).unwrap_or_default();
    format!("{} times{range}", factor(known.multiple))
}

/// Layers of which the highest second is beyond what the run showed.
fn second(layers: &[HeadroomLayer]) -> Option<String> {
    let is_beyond = |known: &KnownHeadroom| {
        known.multiple >= 1.0 && known.highest_second_share_pct.is_some_and(|share| share > 100.0)
    };
    let names: Vec<&str> =
        known(layers).filter(|(_, known)| is_beyond(known)).map(|(layer, _)| layer.layer.words()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "Its highest second went beyond what the run showed: {}. What happens there was not measured.",
            names.join(", ")
        )
    })
}

fn unknown(layers: &[HeadroomLayer]) -> Option<String> {
    let names: Vec<&str> = layers.iter().filter(|layer| layer.is_unknown()).map(|layer| layer.layer.words()).collect();
    let n = names.len();
    let names = names.join(", ");
    match n {
        0 => None,
        1 => Some(format!("One layer is unknown, and may be the first limit: {names}.")),
        n => Some(format!("{n} layers are unknown, and each may be the first limit: {names}.")),
    }
}

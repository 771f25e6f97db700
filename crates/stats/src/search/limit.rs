//! The highest rate that holds limits: found by halving the gap between a rate that holds them and one that breaks
//! them. At each rate the majority of its measurements decides, and both ends of the last gap are measured again.

/// The share of the highest rate of a closed loop at which the search begins.
const FIRST_SHARE: f64 = 0.8;
/// The factors by which a rate is raised and lowered while one side of the gap is unknown.
const UP: f64 = 1.25;
const DOWN: f64 = 0.5;
/// Right below a rate that broke the limits after all, the next is this factor lower.
const STEP_BACK: f64 = 0.95;
/// The gap, as a ratio of rates, that is not halved.
const FINE: f64 = 1.02;
/// The lowest rate that is tried, as a share of the first.
const LOWEST_SHARE: f64 = 1.0 / 16.0;
/// The highest, as a multiple of the first: a closed loop may have been far too slow by chance, but not that far.
const HIGHEST_SHARE: f64 = 100.0;
/// Above this multiple of the first a rate is raised by more.
const FAR_SHARE: f64 = 2.0;
const FAR_UP: f64 = 2.0;
/// Measurements that agree, more than disagree, so that an end of the gap counts as confirmed.
const AGREE: u32 = 2;
/// The most measurements of a search.
const MOST_TRIALS: usize = 30;
/// How often a measurement is made longer at one rate.
const MOST_LONGER: usize = 3;
/// More transactions than needed, so that chance leaves enough: standard deviations of a Poisson count.
const SPARE: f64 = 4.0;

/// The judgement on one measurement at a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RateVerdict {
    /// It holds every limit.
    Holds,
    /// It breaks one.
    Breaks,
    /// Too few transactions to judge.
    TooFew {
        /// How many there were.
        transactions: u64,
    },
}

/// One measurement at a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateTrial {
    /// The rate that was asked for.
    pub per_s: f64,
    /// Length of its window.
    pub window_s: f64,
    /// The judgement.
    pub verdict: RateVerdict,
}

/// What a search keeps to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitRules {
    /// What a closed loop reaches.
    pub closed_per_s: f64,
    /// Transactions without which nothing is judged.
    pub least_transactions: u64,
    /// The window that was asked for.
    pub window_s: f64,
    /// The longest window.
    pub longest_window_s: f64,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LimitStep {
    /// To measure at this rate.
    Measure {
        /// The rate.
        per_s: f64,
        /// The window.
        window_s: f64,
    },
    /// The search has ended.
    Ended(Result<LimitFinding, NoLimit>),
}

/// The highest rate that holds the limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitFinding {
    /// The highest rate that was measured to hold them: the lower end of the gap.
    pub per_s: f64,
    /// The lowest rate above it that was measured to break them; `None` where none was found.
    pub high_per_s: Option<f64>,
    /// Whether both ends were confirmed by repeats.
    pub confirmed: bool,
}

/// Why no rate was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoLimit {
    /// Even this rate broke them.
    NoneHolds {
        /// The lowest rate that was tried.
        lowest_per_s: f64,
    },
    /// A rate cannot be judged, because its window would be too long.
    TooLong {
        /// The rate.
        per_s: f64,
        /// The window that it would take.
        window_s: f64,
    },
    /// Too few transactions came to be judged, though the window was made longer.
    TooFew {
        /// The rate.
        per_s: f64,
    },
}

/// The measurements at one rate.
#[derive(Debug, Clone, Copy)]
struct Level {
    per_s: f64,
    holds: u32,
    breaks: u32,
}

impl Level {
    fn does_hold(self) -> bool {
        self.holds > self.breaks
    }

    /// Whether one more measurement could change what the majority says.
    fn is_sure(self) -> bool {
        self.holds.max(self.breaks) >= AGREE && self.holds != self.breaks
    }
}

/// What to measure next.
#[must_use]
pub fn next_rate(trials: &[RateTrial], rules: LimitRules) -> LimitStep {
    if let Some(longer) = longer(trials, rules) {
        return longer;
    }
    let levels = levels(trials);
    let first = rounded(rules.closed_per_s * FIRST_SHARE);
    // A tie decides nothing.
    if let Some(tied) = levels.iter().find(|level| level.holds == level.breaks) {
        return measured(tied.per_s, trials, rules);
    }
    let breaks = levels.iter().copied().find(|level| !level.does_hold());
    let below = |level: &&Level| breaks.is_none_or(|breaks| level.per_s < breaks.per_s);
    let holds = levels.iter().filter(|level| level.does_hold()).rfind(below).copied();
    let unsure = |level: Option<Level>| level.filter(|level| !level.is_sure());
    let next = match (holds, breaks) {
        (None, None) => Some(first),
        (Some(holds), None) => {
            let higher = rounded(holds.per_s * if holds.per_s < first * FAR_SHARE { UP } else { FAR_UP });
            (higher <= first * HIGHEST_SHARE).then_some(higher)
        }
        (None, Some(breaks)) => {
            let is_far = levels.len() == 1 || breaks.holds == 0;
            let lower = rounded(breaks.per_s * if is_far { DOWN } else { STEP_BACK });
            (lower >= first * LOWEST_SHARE).then_some(lower)
        }
        (Some(holds), Some(breaks)) if breaks.per_s / holds.per_s > FINE => {
            let middle = rounded((holds.per_s * breaks.per_s).sqrt());
            (middle > holds.per_s && middle < breaks.per_s).then_some(middle)
        }
        _ => None,
    };
    let next = next.or_else(|| unsure(holds).or_else(|| unsure(breaks)).map(|level| level.per_s));
    match next.filter(|_| trials.len() < MOST_TRIALS) {
        Some(per_s) => measured(per_s, trials, rules),
        None => LimitStep::Ended(match (holds, breaks) {
            (Some(holds), breaks) => Ok(LimitFinding {
                per_s: holds.per_s,
                high_per_s: breaks.map(|breaks| breaks.per_s),
                confirmed: breaks.is_some_and(Level::is_sure)
                    && holds.is_sure()
                    && breaks.is_some_and(|breaks| breaks.per_s / holds.per_s <= FINE * FINE),
            }),
            (None, breaks) => Err(NoLimit::NoneHolds { lowest_per_s: breaks.map_or(first, |breaks| breaks.per_s) }),
        }),
    }
}

/// The rates that were judged, ascending.
fn levels(trials: &[RateTrial]) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for trial in trials {
        let (holds, breaks) = match trial.verdict {
            RateVerdict::Holds => (1, 0),
            RateVerdict::Breaks => (0, 1),
            RateVerdict::TooFew { .. } => continue,
        };
        match levels.iter_mut().find(|level| level.per_s == trial.per_s) {
            Some(level) => (level.holds, level.breaks) = (level.holds + holds, level.breaks + breaks),
            None => levels.push(Level { per_s: trial.per_s, holds, breaks }),
        }
    }
    levels.sort_by(|a, b| a.per_s.total_cmp(&b.per_s));
    levels
}

/// A rate whose last measurement had too few transactions is measured again, longer.
fn longer(trials: &[RateTrial], rules: LimitRules) -> Option<LimitStep> {
    let RateTrial { per_s, verdict: RateVerdict::TooFew { .. }, .. } = *trials.last()? else { return None };
    let too_few = trials.iter().filter(|t| t.per_s == per_s && matches!(t.verdict, RateVerdict::TooFew { .. }));
    Some(match too_few.count() > MOST_LONGER {
        true => LimitStep::Ended(Err(NoLimit::TooFew { per_s })),
        false => measured(per_s, trials, rules),
    })
}

/// The measurement at a rate: as long as was asked for, or as long as its transactions need.
fn measured(per_s: f64, trials: &[RateTrial], rules: LimitRules) -> LimitStep {
    let least = rules.least_transactions as f64;
    let wanted = least + SPARE * least.sqrt();
    let by_rate_s = wanted / per_s;
    // What came before says how many transactions a second there really are.
    let by_count_s = trials.iter().filter(|trial| trial.per_s == per_s).map(|trial| match trial.verdict {
        RateVerdict::TooFew { transactions } => trial.window_s * (wanted / transactions.max(1) as f64).clamp(1.5, 10.0),
        _ => trial.window_s,
    });
    let window_s = by_count_s.fold(rules.window_s.max(by_rate_s), f64::max);
    // Windows are said in tenths of a second.
    let window_s = if window_s > rules.window_s { (window_s * 10.0).ceil() / 10.0 } else { window_s };
    match window_s > rules.longest_window_s.max(rules.window_s) {
        true => LimitStep::Ended(Err(NoLimit::TooLong { per_s, window_s })),
        false => LimitStep::Measure { per_s, window_s },
    }
}

/// A rate with four digits: more say nothing.
fn rounded(per_s: f64) -> f64 {
    let digits = 3 - per_s.abs().max(1e-3).log10().floor() as i32;
    let scale = 10.0_f64.powi(digits.min(3));
    ((per_s * scale).round() / scale).max(1e-3)
}

#[cfg(test)]
mod tests;

//! The knee: the fewest users who reach nearly all of what the platform can do.
//!
//! Users are raised until throughput gains too little twice. Then the gap below the knee is halved, and both of its
//! ends are measured again. The maximum is the mean of all that lies on the plateau: the best of several noisy figures
//! would be too high, and the knee with it.

/// The share of the maximum that the knee has at least.
const KNEE_SHARE: f64 = 0.97;
/// A step that gains less than this is flat.
const FLAT: f64 = 1.03;
/// Flat steps, one after the other, that end the raising.
const FLAT_STEPS: u32 = 2;
/// The most measurements of a search.
const MOST_TRIALS: usize = 12;
/// Measurements kept for repeating both ends of the gap; where the gap is wide, fewer.
const KEPT_FOR_REPEATS: usize = 5;
const KEPT_IF_WIDE: usize = 4;
/// Measurements of each end of the gap.
const REPEATS: usize = 3;
/// Measurements of each end from which a finding counts as confirmed.
const CONFIRMED: usize = 2;
/// A gap of less than this ratio is not halved.
const FINE: f64 = 1.3;
/// A step whose throughput grows by this share of its users is nearly linear, and the next step is longer.
const LINEAR: f64 = 0.85;
/// What is this share of the best or more lies on the plateau: the knee's own share, less half a usual noise.
const PLATEAU: f64 = 0.96;
/// A flat stretch is this long at least, as a ratio of users.
const STRETCH: f64 = 1.25;
/// Where the last measurement before that stretch lies further below its end than this, one is made where it begins.
const WIDE: f64 = 1.5;
/// A last step that gains less than this is measured again before it is called rising.
const DOUBTFUL: f64 = 1.2;

/// One measurement at a number of users.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UserTrial {
    /// Users at work at once.
    pub users: u32,
    /// What they reached; `None` where the measurement gave no valid figure.
    pub per_s: Option<f64>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KneeStep {
    /// To measure at this number of users.
    Measure(u32),
    /// The search has ended.
    Ended(Result<KneeFinding, NoKnee>),
}

/// Where throughput stops to grow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KneeFinding {
    /// The fewest users that were tried and reach 97 % of the maximum.
    pub users: u32,
    /// The true knee lies between this number of users, one more than the most that reach less ...
    pub low: u32,
    /// ... and this one.
    pub high: u32,
    /// What the users at the knee reach.
    pub per_s: f64,
    /// The maximum.
    pub max_per_s: f64,
    /// Whether both ends of the gap were measured again.
    pub confirmed: bool,
    /// The fewest users that gave no figure, if that ended the raising.
    pub failed_at: Option<u32>,
}

/// Why there is no knee.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NoKnee {
    /// Throughput still rose at the most users that could be measured.
    StillRising {
        /// The most users that gave a figure.
        users: u32,
        /// What they reached.
        per_s: f64,
        /// The fewest users that gave no figure, if that ended the raising.
        failed_at: Option<u32>,
    },
    /// One number of users alone gave a figure.
    NothingToCompare {
        /// That number.
        users: u32,
        /// The fewest users that gave no figure.
        failed_at: Option<u32>,
    },
    /// The first measurement gave no figure.
    NoFigure {
        /// Its users.
        users: u32,
    },
}

/// All measurements at one number of users.
#[derive(Debug, Clone, Copy)]
struct Level {
    users: u32,
    per_s: f64,
    trials: usize,
}

/// What to measure next, up to `most_users`.
#[must_use]
pub fn next_users(trials: &[UserTrial], most_users: u32) -> KneeStep {
    let levels = levels(trials);
    let failed_at = failed_at(trials, &levels);
    let Some(first) = levels.first() else {
        return match failed_at {
            Some(users) => KneeStep::Ended(Err(NoKnee::NoFigure { users })),
            None => KneeStep::Measure(1),
        };
    };
    let has_room = trials.len() < MOST_TRIALS;
    if let Some(users) = raised(trials, most_users, failed_at).filter(|_| has_room) {
        return KneeStep::Measure(users);
    }
    let top = levels.last().copied().unwrap_or(*first);
    if top.users == first.users {
        let alone = NoKnee::NothingToCompare { users: top.users, failed_at };
        return KneeStep::Ended(Err(alone));
    }
    if let Some(users) = within_the_last_step(trials, &levels, top).filter(|_| has_room) {
        return KneeStep::Measure(users);
    }
    if !has_flat_stretch(&levels, top) {
        // Steps that looked flat at first may rise by the means of their repeats.
        let higher = || higher(&raising(trials), most_users).filter(|_| failed_at.is_none());
        let again = doubted(&levels, top).or_else(higher).filter(|_| has_room);
        let rising = NoKnee::StillRising { users: top.users, per_s: top.per_s, failed_at };
        return again.map_or(KneeStep::Ended(Err(rising)), KneeStep::Measure);
    }
    let max_per_s = maximum(&levels);
    let at = levels.iter().position(|level| level.per_s >= KNEE_SHARE * max_per_s).unwrap_or(levels.len() - 1);
    let (knee, below) = (levels[at], at.checked_sub(1).map(|at| levels[at]));
    let may_halve = |below: &Level| {
        let is_wide = f64::from(knee.users) / f64::from(below.users) > WIDE;
        trials.len() + if is_wide { KEPT_IF_WIDE } else { KEPT_FOR_REPEATS } < MOST_TRIALS
    };
    if let Some(users) = below.filter(may_halve).and_then(|below| halved(trials, below, knee)) {
        return KneeStep::Measure(users);
    }
    let ends = || std::iter::once(knee).chain(below);
    let again = ends().filter(|level| level.trials < REPEATS).min_by_key(|level| level.trials);
    if let Some(level) = again.filter(|_| has_room) {
        return KneeStep::Measure(level.users);
    }
    KneeStep::Ended(Ok(KneeFinding {
        users: knee.users,
        low: below.map_or(1, |below| below.users + 1),
        high: knee.users,
        per_s: knee.per_s,
        max_per_s: max_per_s.max(knee.per_s),
        confirmed: ends().all(|level| level.trials >= CONFIRMED),
        failed_at,
    }))
}

/// The numbers of users that gave figures, with the means of these.
fn levels(trials: &[UserTrial]) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for (users, per_s) in trials.iter().filter_map(|trial| Some((trial.users, trial.per_s?))) {
        match levels.iter_mut().find(|level| level.users == users) {
            Some(level) => {
                level.per_s += (per_s - level.per_s) / (level.trials + 1) as f64;
                level.trials += 1;
            }
            None => levels.push(Level { users, per_s, trials: 1 }),
        }
    }
    levels.sort_by_key(|level| level.users);
    levels
}

/// The fewest users above all figures that gave none: more cannot be measured there.
fn failed_at(trials: &[UserTrial], levels: &[Level]) -> Option<u32> {
    let most = levels.last().map_or(0, |level| level.users);
    trials.iter().filter(|trial| trial.per_s.is_none() && trial.users > most).map(|trial| trial.users).min()
}

/// The first measurement at each number of users that was higher than all before: the steps of the raising.
fn raising(trials: &[UserTrial]) -> Vec<(u32, f64)> {
    let mut steps: Vec<(u32, f64)> = Vec::new();
    for (users, per_s) in trials.iter().filter_map(|trial| Some((trial.users, trial.per_s?))) {
        if steps.last().is_none_or(|(last, _)| users > *last) {
            steps.push((users, per_s));
        }
    }
    steps
}

/// Whether the raising saw enough flat steps, one after the other. A gain is over the best so far, so that one low
/// figure makes no gain of the next.
fn is_flat(steps: &[(u32, f64)]) -> bool {
    let (mut best, mut flat) = (0.0_f64, 0);
    for (_, per_s) in steps {
        flat = if *per_s < best * FLAT { flat + 1 } else { 0 };
        best = best.max(*per_s);
        if flat >= FLAT_STEPS {
            return true;
        }
    }
    false
}

/// The next number of users while they are raised. What gave no figure is a bound, whose place is not known exactly.
fn raised(trials: &[UserTrial], most_users: u32, failed_at: Option<u32>) -> Option<u32> {
    let steps = raising(trials);
    if is_flat(&steps) {
        return None;
    }
    match (failed_at, steps.last()) {
        (Some(failed), Some((top, _))) => middle(*top, failed, WIDE),
        _ => higher(&steps, most_users),
    }
}

/// A step up: a long one while throughput grows with the users.
fn higher(steps: &[(u32, f64)], most_users: u32) -> Option<u32> {
    let &(top, per_s) = steps.last().filter(|(top, _)| *top < most_users)?;
    let before = steps.len().checked_sub(2).and_then(|at| steps.get(at));
    let is_linear =
        before.is_some_and(|(users, before_per_s)| per_s / before_per_s >= LINEAR * f64::from(top) / f64::from(*users));
    let next = top.saturating_mul(if is_linear { 4 } else { 2 });
    // A step to right below the bound would leave one behind it that tells nothing.
    Some(if f64::from(next) * STRETCH > f64::from(most_users) { most_users } else { next })
}

/// Where the bound leaves no room for a second flat step, a part of the last one may be flat.
fn within_the_last_step(trials: &[UserTrial], levels: &[Level], top: Level) -> Option<u32> {
    let below = far_below(levels, top).max_by_key(|level| level.users)?;
    let probe = (f64::from(top.users) / STRETCH).floor() as u32;
    let is_wide = f64::from(top.users) / f64::from(below.users) > WIDE;
    let is_new = probe < top.users && trials.iter().all(|trial| trial.users != probe);
    (is_wide && is_new && !is_flat(&raising(trials))).then_some(probe)
}

/// What lies a stretch below the most users.
fn far_below(levels: &[Level], top: Level) -> impl DoubleEndedIterator<Item = &Level> {
    levels.iter().filter(move |level| f64::from(level.users) * STRETCH <= f64::from(top.users))
}

/// The middle of a gap that is at least this wide.
fn middle(low: u32, high: u32, wide: f64) -> Option<u32> {
    let middle = (f64::from(low) * f64::from(high)).sqrt().round() as u32;
    (middle > low && middle < high && f64::from(high) / f64::from(low) > wide).then_some(middle)
}

/// The middle of the gap below the knee, unless it was tried.
fn halved(trials: &[UserTrial], below: Level, knee: Level) -> Option<u32> {
    middle(below.users, knee.users, FINE).filter(|users| trials.iter().all(|trial| trial.users != *users))
}

/// The best of what lies a stretch below the most users.
fn best_below(levels: &[Level], top: Level) -> Option<Level> {
    far_below(levels, top).copied().max_by(|a, b| a.per_s.total_cmp(&b.per_s))
}

/// Whether throughput gains next to nothing over the last stretch of users.
fn has_flat_stretch(levels: &[Level], top: Level) -> bool {
    best_below(levels, top).is_some_and(|best| top.per_s < best.per_s * FLAT)
}

/// A last stretch that gains little: one of its ends is measured again before it is called rising.
fn doubted(levels: &[Level], top: Level) -> Option<u32> {
    let best = best_below(levels, top)?;
    let again = [top, best].into_iter().filter(|level| level.trials < REPEATS).min_by_key(|level| level.trials)?;
    (top.per_s < best.per_s * DOUBTFUL).then_some(again.users)
}

/// The maximum: the mean of what lies on the plateau, each measurement with the same weight.
fn maximum(levels: &[Level]) -> f64 {
    let best = levels.iter().map(|level| level.per_s).fold(0.0, f64::max);
    let plateau = levels.iter().filter(|level| level.per_s >= PLATEAU * best);
    let (sum, trials) =
        plateau.fold((0.0, 0), |(sum, trials), level| (sum + level.per_s * level.trials as f64, trials + level.trials));
    if trials == 0 { best } else { sum / trials as f64 }
}

#[cfg(test)]
mod tests;

//! What headroom answers, what it is asked with, and why it may refuse.

use super::layer::{HeadroomLayer, LayerName};
use dbdyno_model::{RunId, RunJson};
use serde::Serialize;

/// The version of the document.
pub const HEADROOM_VERSION: u32 = 1;

/// What headroom is asked with, beside a profile and a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeadroomOptions<'o> {
    /// A run of production's own platform, for a run of another one: CPU tests that both have compare the processors.
    pub own: Option<&'o RunJson>,
    /// The test or workload whose ramp is the curve of the processors; else the one that suits best is taken.
    pub curve: Option<&'o str>,
}

/// Why there is no answer at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeadroomError {
    /// The profile is too short.
    #[error(
        "headroom was asked of profile '{profile}', but none of its minutes was watched for the greater part ({covered} \
         in all): a peak minute is what a platform must carry. Record for some minutes that include the peak, as in \
         `dbdyno monitor --target URL --record NAME`"
    )]
    NoWholeMinute {
        /// The profile.
        profile: String,
        /// What was watched, in words.
        covered: String,
    },
    /// The run has nothing to compare with.
    #[error(
        "headroom was asked on run {run}, but none of its points may be used: each failed, or has a flag that bars its \
         figures. `dbdyno show {run} --table cells` shows why; measure again without that"
    )]
    NothingMeasured {
        /// The run.
        run: RunId,
    },
    /// The run has no such ramp.
    #[error(
        "a curve of '{asked}' was asked for, but run {run} has no ramp of it with at least 4 steps that have a rate and \
         the share of busy processors. {}", there(.has)
    )]
    NoSuchCurve {
        /// The subject.
        asked: String,
        /// The run.
        run: RunId,
        /// The subjects that it has.
        has: Vec<String>,
    },
}

fn there(has: &[String]) -> String {
    if has.is_empty() {
        "It has no ramp at all: leave the choice out for a lower bound".to_owned()
    } else {
        format!("It has ramps of {}", has.join(", "))
    }
}

/// How the run's platform relates to production's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlatformRelation {
    /// The same hardware, by both platform sheets.
    Same,
    /// The same target; production's hardware was not seen.
    SameTarget,
    /// Another one.
    Another,
    /// Not known: a sheet is missing.
    NotKnown,
}

/// The answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadroomOutcome {
    /// Every layer is known, and the platform carries the peak minute.
    Carries,
    /// What is known carries it; some layers are unknown.
    CarriesAsFarAsKnown,
    /// A layer does not carry it.
    DoesNotCarry,
    /// No layer is known, or one of which the bound is below the load.
    NotKnown,
}

/// A step of the curve of the processors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Share of busy processors, in percent.
    pub busy_pct: f64,
    /// Operations/s.
    pub ops_per_s: f64,
}

/// The curve of the processors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeadroomCurve {
    /// The test or workload.
    pub subject: String,
    /// Its ramp in words.
    pub ramp: String,
    /// The steps up to the best rate, both figures rising.
    pub points: Vec<CurvePoint>,
    /// How busy the processors were at its end, in percent.
    pub highest_busy_pct: f64,
    /// Whether that is their end.
    pub is_saturated: bool,
    /// How busy production's peak minute made the processors that it may use, in percent.
    pub production_busy_pct: f64,
}

/// A degree of parallelism with its interval. The upper end is absent where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LawPlace {
    /// The degree of parallelism.
    pub dop: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: Option<f64>,
}

/// The scaling law of the ramp that is most like the load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeadroomLaw {
    /// The test or workload.
    pub subject: String,
    /// From where on another session adds less than a tenth of the first one's rate.
    pub knee: Option<LawPlace>,
    /// Where the rate is highest.
    pub peak: Option<LawPlace>,
    /// The law's rate there, times the best that was measured.
    pub peak_times_best: Option<f64>,
    /// What it says, in a sentence.
    pub text: String,
}

/// A CPU test on both platforms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestFactor {
    /// The test.
    pub test: String,
    /// The other platform's best rate over that of production's own platform.
    pub factor: f64,
}

/// What the processors of another platform do, in those of production's own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactorOfTests {
    /// The run of production's own platform.
    pub own: RunId,
    /// The geometric mean over the tests.
    pub factor: f64,
    /// The lowest and the highest.
    pub range: [f64; 2],
    /// The tests.
    pub tests: Vec<TestFactor>,
}

/// Which share of what a platform showed production uses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headroom {
    /// [`HEADROOM_VERSION`].
    pub schema_version: u32,
    /// The profile's name.
    pub profile: String,
    /// What it watched.
    pub production: String,
    /// When it was watched, from and to, UTC.
    pub watched: [jiff::Timestamp; 2],
    /// The run's id.
    pub run: RunId,
    /// Its name for readers.
    pub run_name: String,
    /// What it measured.
    pub measured: String,
    /// How both platforms relate.
    pub platforms: PlatformRelation,
    /// The same in words.
    pub platforms_words: String,
    /// The answer in one word.
    pub outcome: HeadroomOutcome,
    /// The layer that is reached first among those that are known.
    pub first: Option<LayerName>,
    /// The answer in sentences, the most important one first.
    pub answer: Vec<String>,
    /// Every layer.
    pub layers: Vec<HeadroomLayer>,
    /// The curve of the processors, where the run has one.
    pub curve: Option<HeadroomCurve>,
    /// The processors of another platform, where CPU tests of both compare them.
    pub factor: Option<FactorOfTests>,
    /// The scaling law, where the run has a ramp for it.
    pub law: Option<HeadroomLaw>,
    /// What may not be compared.
    pub not_compared: Vec<String>,
}

impl Headroom {
    /// The layer that is reached first among those that are known.
    #[must_use]
    pub fn first_layer(&self) -> Option<&HeadroomLayer> {
        self.layers.iter().find(|layer| Some(layer.layer) == self.first)
    }

    /// The layers of which nothing is known.
    pub fn unknown(&self) -> impl Iterator<Item = &HeadroomLayer> {
        self.layers.iter().filter(|layer| layer.is_unknown())
    }
}

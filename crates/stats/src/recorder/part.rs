//! What one of several recorders of a window has recorded, to be stored, sent and merged.

use super::{OfType, Percentiles, Recorded, Shape, StepCounts, Times, Types, TypesError, together};
use crate::{Histogram, HistogramError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A part of a recording: what one of several recorders of a window has recorded. Parts of the same window, steps,
/// times and transaction types merge exactly, in any order: what comes out is what one recorder would have recorded.
///
/// Percentiles cannot be merged, so a part keeps the times of each step, of all types together, as a HdrHistogram in
/// its V2 form. It grows with how many different times a step has, at three digits: a factor of 2 between times is at
/// most 1,024 cells of 1 to 3 bytes. Where times spread over a factor of 16, an hour in seconds takes 5 MB at 1,000
/// operations a second, 14 MB at 100,000 and 23 MB at a million; as JSON a third more. It cannot take more than 100 KB
/// a step, or 360 MB in all: then times of every length from 1 ns to 1 hour occur in each second.
///
/// It is stored by serde, as JSON for one:
///
/// ```json
/// {"version": 1, "times": "service_and_response", "window_ns": 2000000000, "step_ns": 1000000000,
///  "types": [{"service": "<histogram>", "response": "<histogram>", "steps": [[98, 98, 0, 0], [101, 101, 1, 2]]}],
///  "steps": ["<histogram>", "<histogram>"]}
/// ```
///
/// A histogram is HdrHistogram V2, uncompressed, in base64, and empty for a step in which nothing succeeded. The steps
/// of a type are operations, rows, errors and retries. What does not fit together is refused when it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub(super) shape: Shape,
    pub(super) types: Vec<OfType>,
    /// Of all types.
    pub(super) times_of_steps: Vec<StepTimes>,
}

/// Why a part cannot be made, used or merged.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The recorder keeps no times of steps.
    #[error("the recorder was not made for a part")]
    NotForPart,
    /// It was stored by another version.
    #[error("the part is of version {0}, and this dbdyno reads version {VERSION}")]
    Version(u64),
    /// Its fields are not those of its version.
    #[error("the part has not the fields of version {VERSION}")]
    Form,
    /// It has no transaction types, or too many.
    #[error(transparent)]
    Types(#[from] TypesError),
    /// The window cannot have such steps.
    #[error("a window of {window_ns} ns is not recorded in steps of {step_ns} ns")]
    Steps {
        /// Length of the window.
        window_ns: u64,
        /// Length of a step.
        step_ns: u64,
    },
    /// Something has more or fewer steps than the window.
    #[error("{of} has {found} steps, and its window has {window}")]
    OtherSteps {
        /// What has them.
        of: String,
        /// How many.
        found: usize,
        /// How many it must have.
        window: usize,
    },
    /// A type has response times, and the part has none, or the reverse.
    #[error("{of} does not have the times that the part says it has")]
    OtherTimes {
        /// The type.
        of: String,
    },
    /// Counts contradict each other.
    #[error("{of} counts {ops} operations and has {times} {kind}")]
    Counts {
        /// What has them.
        of: String,
        /// Operations that it counts.
        ops: u64,
        /// Times in its histogram.
        times: u64,
        /// Which times.
        kind: &'static str,
    },
    /// The steps have other times than the types.
    #[error("the steps have times that no type has")]
    StrayTimes,
    /// A histogram is not in base64.
    #[error("{of}: a histogram is not in base64: {error}")]
    Base64 {
        /// What it is of.
        of: String,
        /// Why.
        error: base64::DecodeError,
    },
    /// A histogram cannot be read.
    #[error("{of}: {error}")]
    Unreadable {
        /// What it is of.
        of: String,
        /// Why.
        error: HistogramError,
    },
    /// A histogram cannot be stored or read.
    #[error(transparent)]
    Histogram(#[from] HistogramError),
    /// The parts are not of one recording.
    #[error("parts of different recordings: one has {ours}, the other {theirs}")]
    Unlike {
        /// What this part is of.
        ours: String,
        /// What the other is of.
        theirs: String,
    },
}

const VERSION: u64 = 1;

/// Times of one step as bytes, a tenth to a hundredth of a histogram in memory; none for no times.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StepTimes(Box<[u8]>);

impl StepTimes {
    pub(super) fn of(histogram: &Histogram) -> Result<Self, HistogramError> {
        if histogram.count() == 0 {
            return Ok(Self::default());
        }
        Ok(Self(histogram.encode()?.into_boxed_slice()))
    }

    pub(super) fn histogram(&self) -> Result<Histogram, HistogramError> {
        if self.0.is_empty() { Ok(Histogram::new()) } else { Histogram::decode(&self.0) }
    }

    fn merge(&mut self, other: Self) -> Result<(), HistogramError> {
        if self.0.is_empty() {
            *self = other;
        } else if !other.0.is_empty() {
            let mut histogram = self.histogram()?;
            histogram.merge(&other.histogram()?);
            *self = Self::of(&histogram)?;
        }
        Ok(())
    }
}

impl Part {
    /// Adds what another part has recorded.
    ///
    /// # Errors
    /// The parts are not of the same window, steps, times and number of types, and this one stays as it is; or a step
    /// holds more times together than a histogram may.
    pub fn merge(&mut self, other: Self) -> Result<(), PartError> {
        if self.shape != other.shape {
            return Err(PartError::Unlike { ours: self.shape.to_string(), theirs: other.shape.to_string() });
        }
        for (ours, theirs) in self.times_of_steps.iter_mut().zip(other.times_of_steps) {
            ours.merge(theirs)?;
        }
        for (ours, theirs) in self.types.iter_mut().zip(other.types) {
            ours.service.merge(&theirs.service);
            if let (Some(ours), Some(theirs)) = (&mut ours.response, &theirs.response) {
                ours.merge(theirs);
            }
            ours.steps.iter_mut().zip(&theirs.steps).for_each(|(ours, theirs)| ours.add(theirs));
        }
        Ok(())
    }

    /// All that was recorded, when all parts are merged.
    ///
    /// # Errors
    /// The library cannot read a histogram that it has written.
    pub fn finish(self) -> Result<Recorded, PartError> {
        let percentiles = self.times_of_steps.iter().map(|times| Ok(Percentiles::of(&times.histogram()?)));
        let percentiles = percentiles.collect::<Result<_, HistogramError>>()?;
        Ok(Recorded::new(self.shape, self.types, percentiles))
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { times, types, window_ns, step_ns } = self;
        let times = match times {
            Times::Service => "service times",
            Times::ServiceAndResponse => "service and response times",
        };
        write!(f, "{times} of {} types, a window of {window_ns} ns and steps of {step_ns} ns", types.count())
    }
}

/// A part as it is stored. The first form that fits is taken.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Part(StoredPart),
    Other { version: u64 },
}

#[derive(Serialize, Deserialize)]
struct StoredPart {
    version: u64,
    times: Times,
    window_ns: u64,
    step_ns: u64,
    types: Vec<StoredType>,
    steps: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredType {
    service: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    response: Option<String>,
    steps: Vec<StepCounts>,
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |histogram: &Histogram| Ok(STANDARD.encode(histogram.encode().map_err(serde::ser::Error::custom)?));
        let stored = |of_type: &OfType| {
            let OfType { service, response, steps } = of_type;
            let response = response.as_ref().map(text).transpose()?;
            Ok(StoredType { service: text(service)?, response, steps: steps.clone() })
        };
        let Shape { times, types: _, window_ns, step_ns } = self.shape;
        let types = self.types.iter().map(stored).collect::<Result<_, S::Error>>()?;
        let steps = self.times_of_steps.iter().map(|times| STANDARD.encode(&times.0)).collect();
        StoredPart { version: VERSION, times, window_ns, step_ns, types, steps }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = match Stored::deserialize(deserializer)? {
            Stored::Part(stored) if stored.version == VERSION => read(stored),
            Stored::Other { version: VERSION } => Err(PartError::Form),
            Stored::Part(StoredPart { version, .. }) | Stored::Other { version } => Err(PartError::Version(version)),
        };
        read.map_err(serde::de::Error::custom)
    }
}

/// A part that is not believed until all of it fits together.
fn read(stored: StoredPart) -> Result<Part, PartError> {
    let StoredPart { version: _, times, window_ns, step_ns, types: stored_types, steps } = stored;
    let types = Types::new(stored_types.len())?;
    if Shape::new(times, types, window_ns, step_ns) != (Shape { times, types, window_ns, step_ns }) {
        return Err(PartError::Steps { window_ns, step_ns });
    }
    let shape = Shape { times, types, window_ns, step_ns };
    let has_all_steps = |of: String, found: usize| {
        let window = shape.steps();
        if found == window { Ok(()) } else { Err(PartError::OtherSteps { of, found, window }) }
    };
    has_all_steps("the part".to_owned(), steps.len())?;
    let mut of_types = Vec::with_capacity(types.count());
    for (number, stored) in stored_types.into_iter().enumerate() {
        let of = format!("type {number}");
        has_all_steps(of.clone(), stored.steps.len())?;
        if stored.response.is_some() != (times == Times::ServiceAndResponse) {
            return Err(PartError::OtherTimes { of });
        }
        let ops = sum(&stored.steps);
        let histogram = |text: &str| unreadable(&of, Histogram::decode(&bytes(&of, text)?));
        let service = histogram(&stored.service)?;
        let response = stored.response.as_deref().map(histogram).transpose()?;
        if service.count() != ops {
            return Err(PartError::Counts { of, ops, times: service.count(), kind: "service times" });
        }
        // What was due and has not ended has a response time alone.
        if let Some(times) = response.as_ref().map(Histogram::count).filter(|times| *times < ops) {
            return Err(PartError::Counts { of, ops, times, kind: "response times" });
        }
        of_types.push(OfType { service, response, steps: stored.steps });
    }
    let mut times_of_steps = Vec::with_capacity(steps.len());
    let mut told = Histogram::new();
    for (step, text) in steps.iter().enumerate() {
        let of = format!("step {step}");
        let bytes = StepTimes(bytes(&of, text)?);
        let histogram = unreadable(&of, bytes.histogram())?;
        let (ops, times) = (sum(of_types.iter().map(|of_type| &of_type.steps[step])), histogram.count());
        if times != ops {
            return Err(PartError::Counts { of, ops, times, kind: "times" });
        }
        told.merge(&histogram);
        times_of_steps.push(bytes);
    }
    let (service, response) = together(&of_types);
    if !response.unwrap_or(service).holds(&told) {
        return Err(PartError::StrayTimes);
    }
    Ok(Part { shape, types: of_types, times_of_steps })
}

/// Operations of some steps. No histogram holds as many as the largest number.
fn sum<'s>(steps: impl IntoIterator<Item = &'s StepCounts>) -> u64 {
    steps.into_iter().fold(0, |ops, step| ops.saturating_add(step.ops))
}

fn bytes(of: &str, text: &str) -> Result<Box<[u8]>, PartError> {
    let bytes = STANDARD.decode(text).map_err(|error| PartError::Base64 { of: of.to_owned(), error })?;
    Ok(bytes.into_boxed_slice())
}

fn unreadable(of: &str, read: Result<Histogram, HistogramError>) -> Result<Histogram, PartError> {
    read.map_err(|error| PartError::Unreadable { of: of.to_owned(), error })
}

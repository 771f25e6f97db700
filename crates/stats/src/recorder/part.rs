//! The recording of one of several recorders of a window, to be stored, sent and merged.

use super::recording::{Percentiles, RecordedTimes, Recording, RecordingLayout, StepCounts, TypeRecording};
use super::types::{Types, TypesError};
use crate::counts::Counts;
use crate::{Histogram, HistogramError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The recording of one of several recorders of a window. Parts with the same window, steps, times and transaction
/// types merge exactly, in any order; the result is what one recorder would have recorded.
///
/// Percentiles cannot be merged, so a part keeps the times of each step, of all types together, as an HdrHistogram in
/// V2 format. Its size grows with the number of different times in a step, at three digits: each doubling of times has
/// at most 1,024 buckets of 1 to 3 bytes. With times over a factor of 16, an hour of seconds takes 5 MB at 1,000
/// operations a second, 14 MB at 100,000 and 23 MB at a million; as JSON a third more. The limit is 100 KB a step, or
/// 360 MB in all, with times of every length from 1 ns to 1 hour in each second.
///
/// It is stored by serde, for instance as JSON:
///
/// ```json
/// {"version": 1, "times": "service_and_response", "window_ns": 2000000000, "step_ns": 1000000000,
///  "types": [{"service": "<histogram>", "response": "<histogram>", "steps": [[98, 98, 0, 0], [101, 101, 1, 2]]}],
///  "steps": ["<histogram>", "<histogram>"]}
/// ```
///
/// A histogram is HdrHistogram V2, uncompressed, in base64, and empty for a step without successful operations. The
/// four numbers of a step are operations, rows, errors and retries. Inconsistent parts are refused when they are read.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordingPart {
    pub(super) layout: RecordingLayout,
    pub(super) types: Vec<TypeRecording>,
    /// The times of each step, of all types together.
    pub(super) times_of_steps: Vec<StepTimes>,
}

/// Why a part cannot be made, used or merged.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The recorder does not keep the times of steps.
    #[error("the recorder was not made for a part")]
    NotForPart,
    /// It was stored by another version.
    #[error("the part is of version {0}, and this dbdyno reads version {VERSION}")]
    Version(u64),
    /// Its fields do not fit its version.
    #[error("the part does not have the fields of version {VERSION}")]
    Form,
    /// It has no transaction types, or too many.
    #[error(transparent)]
    Types(#[from] TypesError),
    /// The window cannot be divided into such steps.
    #[error("a window of {window_ns} ns is not recorded in steps of {step_ns} ns")]
    Steps {
        /// Length of the window.
        window_ns: u64,
        /// Length of a step.
        step_ns: u64,
    },
    /// A list has more or fewer steps than the window.
    #[error("{of} has {found} steps, and its window has {window}")]
    OtherSteps {
        /// What the list belongs to.
        of: String,
        /// How many.
        found: usize,
        /// How many it must have.
        window: usize,
    },
    /// A type has response times though the part has none, or the reverse.
    #[error("{0} does not have the times that the part says it has")]
    OtherTimes(String),
    /// Counts contradict each other.
    #[error("{of} counts {ops} operations and has {times} {kind}")]
    Counts {
        /// What they belong to.
        of: String,
        /// Operations according to the counts.
        ops: u64,
        /// Times in its histogram.
        times: u64,
        /// Which times.
        kind: &'static str,
    },
    /// The steps contain times that the types do not contain.
    #[error("the steps contain times that no type has")]
    StrayTimes,
    /// A histogram cannot be read.
    #[error("{of}: {why}")]
    Unreadable {
        /// What it is of.
        of: String,
        /// Why.
        why: String,
    },
    /// A histogram cannot be stored or read.
    #[error(transparent)]
    Histogram(#[from] HistogramError),
    /// The parts are not of one recording.
    #[error("parts of different recordings: one has {ours}, the other {theirs}")]
    Unlike {
        /// Layout of this part.
        ours: String,
        /// Layout of the other part.
        theirs: String,
    },
}

const VERSION: u64 = 1;

/// Times of one step as bytes: a tenth to a hundredth of a histogram in memory, and empty without times.
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

    /// The times of bytes that somebody has stored.
    fn read(bytes: &[u8]) -> Result<(Self, Counts), HistogramError> {
        if bytes.is_empty() {
            return Ok((Self::default(), Counts::default()));
        }
        let counts = Counts::read(bytes)?;
        // Kept as dbdyno writes it, however it was written.
        let kept = if counts.total() == 0 { Self::default() } else { Self(counts.encode()?.into_boxed_slice()) };
        Ok((kept, counts))
    }

    fn merge(&mut self, other: Self) -> Result<(), HistogramError> {
        if self.0.is_empty() {
            *self = other;
        } else if !other.0.is_empty() {
            let mut counts = Counts::read(&self.0)?;
            counts.add(&Counts::read(&other.0)?)?;
            self.0 = counts.encode()?.into_boxed_slice();
        }
        Ok(())
    }
}

impl RecordingPart {
    /// Merges another part into this one.
    ///
    /// # Errors
    /// The parts differ in window, steps, times or number of types, and this part stays as it is; or a step would hold
    /// more times than a histogram may.
    pub fn merge(&mut self, other: Self) -> Result<(), PartError> {
        if self.layout != other.layout {
            return Err(PartError::Unlike { ours: self.layout.to_string(), theirs: other.layout.to_string() });
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

    /// The whole recording, after all parts are merged.
    ///
    /// # Errors
    /// The library cannot read a histogram that it wrote itself.
    pub fn finish(self) -> Result<Recording, PartError> {
        let percentiles = self.times_of_steps.iter().map(|times| Ok(Percentiles::of(&times.histogram()?)));
        let percentiles = percentiles.collect::<Result<_, HistogramError>>()?;
        Ok(Recording::new(self.layout, self.types, percentiles))
    }
}

impl std::fmt::Display for RecordingLayout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { times, types, window_ns, step_ns } = self;
        let times = match times {
            RecordedTimes::Service => "service times",
            RecordedTimes::ServiceAndResponse => "service and response times",
        };
        write!(f, "{times} of {} types, a window of {window_ns} ns and steps of {step_ns} ns", types.count())
    }
}

/// A part as it is stored. serde takes the first form that fits.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Part(StoredPart),
    Other { version: u64 },
}

#[derive(Serialize, Deserialize)]
struct StoredPart {
    version: u64,
    times: RecordedTimes,
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

impl Serialize for RecordingPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |histogram: &Histogram| Ok(STANDARD.encode(histogram.encode().map_err(serde::ser::Error::custom)?));
        let stored = |of_type: &TypeRecording| {
            let TypeRecording { service, response, steps } = of_type;
            let response = response.as_ref().map(text).transpose()?;
            Ok(StoredType { service: text(service)?, response, steps: steps.clone() })
        };
        let RecordingLayout { times, types: _, window_ns, step_ns } = self.layout;
        let types = self.types.iter().map(stored).collect::<Result<_, S::Error>>()?;
        let steps = self.times_of_steps.iter().map(|times| STANDARD.encode(&times.0)).collect();
        StoredPart { version: VERSION, times, window_ns, step_ns, types, steps }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RecordingPart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = match Stored::deserialize(deserializer)? {
            Stored::Part(stored) if stored.version == VERSION => read(stored),
            Stored::Other { version: VERSION } => Err(PartError::Form),
            Stored::Part(StoredPart { version, .. }) | Stored::Other { version } => Err(PartError::Version(version)),
        };
        read.map_err(serde::de::Error::custom)
    }
}

/// A part, checked for consistency.
fn read(stored: StoredPart) -> Result<RecordingPart, PartError> {
    let StoredPart { version: _, times, window_ns, step_ns, types: stored_types, steps } = stored;
    let types = Types::new(stored_types.len())?;
    let layout = RecordingLayout { times, types, window_ns, step_ns };
    if RecordingLayout::new(times, types, window_ns, step_ns) != layout {
        return Err(PartError::Steps { window_ns, step_ns });
    }
    let has_all_steps = |of: String, found: usize| {
        let window = layout.steps();
        if found == window { Ok(()) } else { Err(PartError::OtherSteps { of, found, window }) }
    };
    has_all_steps("the part".to_owned(), steps.len())?;
    let (mut of_types, mut recorded) = (Vec::with_capacity(types.count()), Counts::default());
    for (number, stored) in stored_types.into_iter().enumerate() {
        let of = format!("type {number}");
        has_all_steps(of.clone(), stored.steps.len())?;
        if stored.response.is_some() != (times == RecordedTimes::ServiceAndResponse) {
            return Err(PartError::OtherTimes(of));
        }
        let ops = sum(&stored.steps);
        let service_bytes = bytes(&of, &stored.service)?;
        let response_bytes = stored.response.as_deref().map(|text| bytes(&of, text)).transpose()?;
        let histogram = |bytes: &[u8]| Histogram::decode(bytes).map_err(|e| unreadable(&of, e));
        let service = histogram(&service_bytes)?;
        let response = response_bytes.as_deref().map(histogram).transpose()?;
        recorded.add(&Counts::read(response_bytes.as_deref().unwrap_or(&service_bytes))?)?;
        if service.count() != ops {
            return Err(PartError::Counts { of, ops, times: service.count(), kind: "service times" });
        }
        // A transaction that was due and has not ended has a response time alone.
        if let Some(times) = response.as_ref().map(Histogram::count).filter(|times| *times < ops) {
            return Err(PartError::Counts { of, ops, times, kind: "response times" });
        }
        of_types.push(TypeRecording { service, response, steps: stored.steps });
    }
    let mut times_of_steps = Vec::with_capacity(steps.len());
    let mut told = Counts::default();
    for (step, text) in steps.iter().enumerate() {
        let of = format!("step {step}");
        let (kept, counts) = StepTimes::read(&bytes(&of, text)?).map_err(|e| unreadable(&of, e))?;
        let (ops, times) = (sum(of_types.iter().map(|of_type| &of_type.steps[step])), counts.total());
        if times != ops {
            return Err(PartError::Counts { of, ops, times, kind: "times" });
        }
        told.add(&counts)?;
        times_of_steps.push(kept);
    }
    if !recorded.hold(&told) {
        return Err(PartError::StrayTimes);
    }
    Ok(RecordingPart { layout, types: of_types, times_of_steps })
}

/// Operations of some steps. No histogram holds as many as the largest number.
fn sum<'s>(steps: impl IntoIterator<Item = &'s StepCounts>) -> u64 {
    steps.into_iter().fold(0, |ops, step| ops.saturating_add(step.ops))
}

fn bytes(of: &str, text: &str) -> Result<Box<[u8]>, PartError> {
    let bytes = STANDARD.decode(text).map_err(|e| unreadable(of, format!("a histogram is not in base64: {e}")))?;
    Ok(bytes.into_boxed_slice())
}

fn unreadable(of: &str, why: impl ToString) -> PartError {
    PartError::Unreadable { of: of.to_owned(), why: why.to_string() }
}

//! What most sections use: their fixed words, the parts of a document, charts, marks, figures and their texts, and the
//! types of a run. A section says `use crate::sections::prelude::*`, and names what else it needs.

pub(super) use super::words::{self, alone, captioned, explained, keys, note, text};
pub(super) use crate::charts::{Axis, AxisOf, ChartSeries, LineChart, Mark, SeriesShape};
pub(super) use crate::document::{
    Block, Cell, Column, Document, Facts, Form, Look, Note, NoteKind, Part, Row, Section, Table, Tone,
};
pub(super) use crate::figures::{is_doubtful, median_of};
pub(super) use crate::groups::{grouped, joined, unique};
pub(super) use crate::legend::{
    EQUIVALENT, Legend, SUSPECT, UNMET, entry, join, marks, part, refusal, source, suspect_mark,
};
pub(super) use crate::numbers::{MISSING, bytes, count, duration, percent, printed, short, thousands};
pub(super) use crate::summary::head::{counted, dop_words};
pub(super) use dbdyno_catalogue::Catalogue;
pub(super) use dbdyno_model::{CellKey, Flag, MetricId, Point, RunJson, Status, SubjectName};
pub(super) use std::collections::{BTreeMap, BTreeSet};

//! A layer of a platform: what production did, what the run showed, and what follows.

use dbdyno_model::{Flag, ProfileFigure};
use serde::Serialize;

/// A layer, or a part of one, that has a limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerName {
    /// Processors.
    Processors,
    /// Reads that reach devices.
    ReadIops,
    /// Writes that reach devices.
    WriteIops,
    /// Both, where both are known: they share the devices.
    Iops,
    /// What is read from devices.
    ReadMib,
    /// What is written to devices.
    WriteMib,
    /// Both.
    Mib,
    /// Redo that durable commits wrote.
    RedoMib,
    /// Waits of durable commits for the log.
    LogSyncs,
    /// Blocks asked of the database's cache.
    LogicalReads,
    /// What is received over the network.
    NetworkReceive,
    /// What is sent.
    NetworkSend,
}

impl LayerName {
    /// Its name in a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Processors => "processors",
            Self::ReadIops => "device reads/s",
            Self::WriteIops => "device writes/s",
            Self::Iops => "device I/Os/s",
            Self::ReadMib => "device read MiB/s",
            Self::WriteMib => "device write MiB/s",
            Self::Mib => "device MiB/s",
            Self::RedoMib => "redo MiB/s",
            Self::LogSyncs => "log syncs/s",
            Self::LogicalReads => "logical reads/s",
            Self::NetworkReceive => "network received",
            Self::NetworkSend => "network sent",
        }
    }

    /// The unit of its figures.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Processors => "%",
            Self::ReadIops | Self::WriteIops | Self::Iops => "IOPS",
            Self::LogSyncs => "1/s",
            Self::LogicalReads => "blocks/s",
            Self::ReadMib | Self::WriteMib | Self::Mib | Self::RedoMib | Self::NetworkReceive | Self::NetworkSend => {
                "MiB/s"
            }
        }
    }
}

/// What production did to a layer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ProductionUse {
    /// The mean of its peak minute.
    pub peak_minute: f64,
    /// When that minute began, UTC.
    pub peak_minute_at: jiff::Timestamp,
    /// Its highest second.
    pub highest_second: f64,
    /// When that was.
    pub highest_second_at: jiff::Timestamp,
}

impl ProductionUse {
    /// Of a figure of a profile; `None` where no minute was covered for the greater part.
    pub(super) fn of(figure: &ProfileFigure) -> Option<Self> {
        Some(Self {
            peak_minute: figure.peak_minute?,
            peak_minute_at: figure.peak_minute_at?,
            highest_second: figure.peak,
            highest_second_at: figure.peak_at,
        })
    }
}

/// Whether the run drove a layer until it gave no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownExtent {
    /// It did: more load gave no more.
    ToItsEnd,
    /// It did not, or nothing shows that it did: the platform may do more.
    NotToItsEnd,
}

/// The most that the run showed of a layer: the highest median of the repeats of a load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownMost {
    /// The value.
    pub value: f64,
    /// The test, workload or kind of I/O.
    pub subject: String,
    /// Its degree of parallelism and rate in words.
    pub place: String,
    /// Whether that is all that there is.
    pub extent: ShownExtent,
    /// Flags of its points.
    pub flags: Vec<Flag>,
    /// The mean length of its I/Os, where that matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_kib: Option<f64>,
}

/// On which side of a multiple the truth lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadroomBound {
    /// It is near it.
    About,
    /// It is at least that much.
    AtLeast,
}

impl HeadroomBound {
    /// Its words before a multiple.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::About => "about",
            Self::AtLeast => "at least",
        }
    }
}

/// What is known of a layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownHeadroom {
    /// Which share of what the run showed production used in its peak minute, in percent.
    pub share_pct: f64,
    /// The same of its highest second.
    pub highest_second_share_pct: Option<f64>,
    /// How many times production's load in its peak minute reaches the layer's limit.
    pub multiple: f64,
    /// How far it may be off, where a comparison of platforms has a range.
    pub range: Option<[f64; 2]>,
    /// On which side of the multiple the truth lies.
    pub bound: HeadroomBound,
    /// What it rests on.
    pub basis: String,
}

/// What the layer means for the load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum LayerStanding {
    /// Its headroom is known.
    Known(KnownHeadroom),
    /// Production did not use it at all, so it limits no multiple of the load.
    NotUsed,
    /// Nothing is known, which does not mean that it is free.
    Unknown {
        /// Why.
        why: String,
    },
}

/// A layer with its headroom.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeadroomLayer {
    /// Which layer.
    pub layer: LayerName,
    /// The unit of its figures.
    pub unit: &'static str,
    /// What production did; absent where nobody saw it.
    pub production: Option<ProductionUse>,
    /// The most that the run showed; absent where the run did not measure it.
    pub shown: Option<ShownMost>,
    /// What follows.
    pub standing: LayerStanding,
    /// What else a reader should know.
    pub remarks: Vec<String>,
}

impl HeadroomLayer {
    pub(super) fn new(layer: LayerName, production: Option<ProductionUse>, standing: LayerStanding) -> Self {
        Self { layer, unit: layer.unit(), production, shown: None, standing, remarks: Vec::new() }
    }

    pub(super) fn unknown(layer: LayerName, production: Option<ProductionUse>, why: impl Into<String>) -> Self {
        Self::new(layer, production, LayerStanding::Unknown { why: why.into() })
    }

    /// Its headroom, where that is known.
    #[must_use]
    pub fn known(&self) -> Option<&KnownHeadroom> {
        if let LayerStanding::Known(known) = &self.standing { Some(known) } else { None }
    }

    /// Whether it is unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self.standing, LayerStanding::Unknown { .. })
    }
}

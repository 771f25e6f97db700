//! What needs a licence of its own, or storage that not everybody has, or what a managed database may not have: named
//! as such, and left out by one option.

/// A part that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Part {
    /// The Partitioning option.
    Partitioning,
    /// The Advanced Compression option: row compression of tables that are written to (COMPRESS ADVANCED).
    AdvancedCompression,
    /// Hybrid Columnar Compression.
    #[strum(serialize = "hcc")]
    HybridColumnarCompression,
    /// Flash cache and cell flash cache.
    FlashCache,
    /// Index-organised tables.
    Iot,
    /// Hash clusters.
    Hash,
}

impl Part {
    /// All of them.
    pub(crate) const ALL: [Self; 6] = [
        Self::Partitioning,
        Self::AdvancedCompression,
        Self::HybridColumnarCompression,
        Self::FlashCache,
        Self::Iot,
        Self::Hash,
    ];

    /// The word as in a target.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// What it is, and what it takes.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Partitioning => "the Partitioning option, licensed separately in on-premises Enterprise Edition",
            Self::AdvancedCompression => {
                "the Advanced Compression option, licensed separately in on-premises Enterprise Edition"
            }
            Self::HybridColumnarCompression => "Hybrid Columnar Compression, on storage that offers it (Exadata, ZFS)",
            Self::FlashCache => "the database's flash cache, or that of Exadata cells",
            Self::Iot => "index-organised tables, which some managed databases make into heaps",
            Self::Hash => "hash clusters, which some managed databases do not have",
        }
    }

    /// Several, as an option names them.
    ///
    /// # Errors
    /// There is none of that name; the nearest is offered.
    pub(super) fn list(text: &str) -> Result<Vec<Self>, String> {
        text.split(',').map(Self::of).collect()
    }

    fn of(text: &str) -> Result<Self, String> {
        let wanted = text.trim().to_ascii_lowercase();
        let distance = |part: &Self| strsim::damerau_levenshtein(part.name(), &wanted);
        let near = Self::ALL.into_iter().min_by_key(distance);
        match near.map(|part| (part, distance(&part))) {
            Some((part, 0)) => Ok(part),
            near => {
                let hint = near.filter(|(_, distance)| *distance <= 3);
                let hint = hint.map(|(part, _)| format!(" (did you mean '{}'?)", part.name())).unwrap_or_default();
                let all = Self::ALL.map(Self::name).join(", ");
                Err(format!("without names no part '{text}'{hint}; there are {all}"))
            }
        }
    }
}

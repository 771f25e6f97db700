//! A platform file as it is written: its tables and keys. `convert` and `points` give them meaning.

use dbdyno_model::{PrintedBound, Suspect, SuspectCode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toml::Spanned;

/// A value of any simple type.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Yes(bool),
    Whole(i64),
    Number(f64),
    Text(String),
    List(Vec<Scalar>),
}

impl Scalar {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Whole(n) => Some(*n as f64),
            Self::Number(n) => Some(*n),
            Self::Yes(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Yes(true) => "yes".to_owned(),
            Self::Yes(false) => "no".to_owned(),
            Self::Whole(n) => n.to_string(),
            Self::Number(n) => n.to_string(),
            Self::Text(text) => text.clone(),
            Self::List(items) => items.iter().map(Self::text).collect::<Vec<_>>().join(", "),
        }
    }
}

/// One row of a table whose keys are data, each value with its place.
pub(super) type RawRow = BTreeMap<String, Spanned<Scalar>>;

/// `[platform]`. A key that is a fact about any platform is also a row in the keys of `model::described`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPlatform {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) year: Option<u16>,
    pub(super) year_printed: Option<bool>,
    pub(super) source: Option<String>,
    pub(super) source_file: Option<String>,
    pub(super) engine: Option<String>,
    pub(super) vendor_database: Option<String>,
    pub(super) database_version: Option<String>,
    pub(super) benchmark_suite: Option<String>,
    pub(super) size_class: Option<String>,
    pub(super) hardware: Option<String>,
    pub(super) family: Option<String>,
    pub(super) cpu_model: Option<String>,
    pub(super) sockets: Option<u32>,
    pub(super) cores: Option<u32>,
    pub(super) cores_max: Option<u32>,
    pub(super) threads: Option<u32>,
    pub(super) ghz: Option<f64>,
    pub(super) memory_gib: Option<f64>,
    pub(super) adapters: Option<String>,
    pub(super) bios: Option<String>,
    pub(super) network: Option<String>,
    pub(super) os: Option<String>,
    pub(super) kernel: Option<String>,
    pub(super) virtualisation: Option<String>,
    pub(super) storage: Option<String>,
    pub(super) storage_links: Option<String>,
    pub(super) oracle_core_factor: Option<f64>,
    pub(super) list_price_server_usd: Option<f64>,
    pub(super) list_price_storage_usd: Option<f64>,
    pub(super) list_price_database_usd: Option<f64>,
    pub(super) list_price_other_usd: Option<f64>,
    pub(super) list_price_bound: Option<String>,
    pub(super) list_price_date: Option<String>,
    pub(super) list_price_database_scope: Option<String>,
    /// Labels of the user's own runs that this describes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) runs: Vec<String>,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[serde(default)]
    pub(super) config: BTreeMap<String, Scalar>,
}

/// `[[series]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some keys are allowed and have no use")]
pub(super) struct RawSeries {
    pub(super) test: String,
    pub(super) title: String,
    pub(super) drive: Option<RawDrive>,
    pub(super) run: Option<Scalar>,
    pub(super) primary: Option<String>,
    pub(super) rows_per_tx: Option<u64>,
    pub(super) run_time_s: Option<f64>,
    /// The rest of a point that is cut off. It has no value and is only listed here so that it is allowed.
    pub(super) truncated_outstanding_small: Option<Scalar>,
    pub(super) truncated_small_iops: Option<Scalar>,
    pub(super) points: Vec<RawRow>,
    suspect: Option<String>,
    suspect_keys: Option<Vec<String>>,
}

/// Who ran the loop. No client results have been published yet, and a load without a database is not one of dbdyno's
/// tests.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RawDrive {
    Server,
    Os,
}

/// `suspect` and `suspect_keys`, in any table.
pub(super) struct RawDoubt<'a> {
    suspect: Option<&'a str>,
    suspect_keys: &'a [String],
}

impl<'a> RawDoubt<'a> {
    pub(super) fn new(suspect: Option<&'a str>, suspect_keys: &'a [String]) -> Self {
        Self { suspect, suspect_keys }
    }

    /// The doubts by key, with all codes of a key together.
    pub(super) fn by_key(&self) -> Result<BTreeMap<String, Suspect>, String> {
        let mut doubts: BTreeMap<String, Suspect> = BTreeMap::new();
        for item in self.suspect_keys {
            let known = item.split_once(':').and_then(|(key, code)| Some((key, SuspectCode::of_name(code)?)));
            let Some((key, code)) = known else {
                let codes = SuspectCode::ALL.map(SuspectCode::name).join(", ");
                return Err(format!("key 'suspect_keys': '{item}' is no `key:code`; codes are {codes}"));
            };
            let why = self.suspect.ok_or_else(|| "the key 'suspect' is missing, which says why".to_owned())?;
            let none = || Suspect { codes: Vec::new(), why: why.to_owned(), converted: false };
            doubts.entry(key.to_owned()).or_insert_with(none).codes.push(code);
        }
        Ok(doubts)
    }

    /// The doubt about one key.
    pub(super) fn of(&self, key: &str) -> Result<Option<Suspect>, String> {
        Ok(self.by_key()?.remove(key))
    }

    /// Any doubt, for an entry that is about a single thing.
    pub(super) fn any(&self) -> Result<Option<Suspect>, String> {
        Ok(self.by_key()?.into_values().next())
    }
}

macro_rules! doubted {
    ($($table:ty),*) => {
        $(impl $table {
            /// The author's doubts.
            pub(super) fn doubt(&self) -> RawDoubt<'_> {
                RawDoubt::new(self.suspect.as_deref(), self.suspect_keys.as_deref().unwrap_or_default())
            }
        })*
    };
}

doubted!(RawSeries, RawKpi, RawStatement, RawChart, RawWaits, RawHistogram, RawBucket);

/// `[[kpi]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some keys are allowed and have no use")]
pub(super) struct RawKpi {
    pub(super) test: String,
    pub(super) title: String,
    pub(super) drive: Option<RawDrive>,
    pub(super) metric: String,
    pub(super) unit: String,
    pub(super) speed: Option<f64>,
    pub(super) throughput: Option<f64>,
    pub(super) value: Option<f64>,
    pub(super) bound: Option<PrintedBound>,
    #[serde(default)]
    pub(super) lower_is_better: bool,
    /// Facts about how it is printed.
    pub(super) test_code_printed: Option<bool>,
    pub(super) throughput_printed: Option<String>,
    pub(super) optional_marks: Option<u8>,
    suspect: Option<String>,
    suspect_keys: Option<Vec<String>>,
}

/// `[[claim]]`, `[[target]]` and `[[result]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some keys are allowed and have no use")]
pub(super) struct RawStatement {
    pub(super) test: Option<String>,
    pub(super) variant: Option<String>,
    pub(super) metric: String,
    pub(super) unit: String,
    pub(super) value: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) bound: Option<PrintedBound>,
    pub(super) scope: Option<String>,
    pub(super) at: Option<String>,
    pub(super) jobs: Option<u32>,
    pub(super) scaling: Option<String>,
    pub(super) test_code_printed: Option<bool>,
    suspect: Option<String>,
    suspect_keys: Option<Vec<String>>,
}

/// `[[chart_label]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some keys are allowed and have no use")]
pub(super) struct RawChart {
    pub(super) test: String,
    pub(super) metric: String,
    pub(super) by: String,
    pub(super) title: String,
    pub(super) points: Vec<RawRow>,
    suspect: Option<String>,
    suspect_keys: Option<Vec<String>>,
}

/// `[[wait_event]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some keys are allowed and have no use")]
pub(super) struct RawWaits {
    pub(super) test: Option<String>,
    pub(super) jobs: Option<u32>,
    pub(super) group: String,
    pub(super) title: String,
    pub(super) host_cpus: Option<u32>,
    pub(super) host_cores: Option<u32>,
    pub(super) host_sockets: Option<u32>,
    pub(super) events: Vec<RawWait>,
    suspect: Option<String>,
    suspect_keys: Option<Vec<String>>,
}

/// One of its events.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawWait {
    pub(super) event: String,
    pub(super) wait_class: Option<String>,
    pub(super) waits: Option<u64>,
    pub(super) time_s: Option<f64>,
    pub(super) avg_wait_ms: Option<f64>,
    pub(super) db_time_pct: Option<f64>,
    pub(super) background_time_pct: Option<f64>,
    pub(super) timeout_pct: Option<f64>,
    pub(super) waits_per_tx: Option<f64>,
}

/// `[[latency_cdf]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawShares {
    pub(super) test: String,
    pub(super) jobs: u32,
    pub(super) event: String,
    pub(super) points: Vec<RawShare>,
}

/// One of its points.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawShare {
    pub(super) at_most_ms: f64,
    pub(super) share_pct: f64,
}

/// `[[histogram]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHistogram {
    pub(super) run: String,
    pub(super) variant: Option<String>,
    pub(super) small: u32,
    pub(super) large: u32,
    pub(super) buckets: Vec<RawBucket>,
    suspect: Option<String>,
    suspect_keys: Option<Vec<String>>,
}

/// One of its buckets.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBucket {
    pub(super) lower_us: f64,
    pub(super) upper_us: f64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) read_cum_pct: f64,
    pub(super) write_cum_pct: f64,
    suspect: Option<String>,
    suspect_keys: Option<Vec<String>>,
}

/// `[[setup]]`, `[[variant]]`, `[[orion_run]]`: facts with any names.
pub(super) type RawFacts = BTreeMap<String, RawFact>;

/// A fact, or a table of facts.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum RawFact {
    One(Scalar),
    Many(Vec<BTreeMap<String, Scalar>>),
}

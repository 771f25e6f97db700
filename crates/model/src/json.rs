//! The JSON document of a run: the contract of `show --json`, `run --json` and `export`.

use crate::{Cell, Costs, Database, DocumentPart, Platform, Point, Published, Run, StorageReference, Tool, version_1};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Version of the document. Readers ignore unknown keys; a change that breaks them raises this number.
pub const SCHEMA_VERSION: u32 = 2;

/// Converts a text of an older version to this version. Every reader of older texts uses this function.
///
/// # Errors
/// The text is no JSON.
pub fn in_this_version(part: DocumentPart, version: u32, text: &str) -> serde_json::Result<Cow<'_, str>> {
    if version >= SCHEMA_VERSION {
        return Ok(Cow::Borrowed(text));
    }
    let mut value = serde_json::from_str(text)?;
    version_1::convert(part, &mut value);
    serde_json::to_string(&value).map(Cow::Owned)
}

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunJson {
    /// `SCHEMA_VERSION` of the writer.
    pub schema_version: u32,
    /// The run.
    pub run: Run,
    /// The dbdyno that measured it; absent in older documents and published results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// The platform sheet.
    pub platform: Platform,
    /// The database; absent where I/O was measured below any.
    #[serde(default, skip_serializing_if = "Database::is_none")]
    pub database: Database,
    /// The newest measurement of every planned point, in the plan's order.
    pub points: Vec<Point>,
    /// The cells that they make up.
    pub cells: Vec<Cell>,
    /// Present where this is a published result, not a run of dbdyno.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// What the platform costs, where a platform file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// What the storage itself can do, where that was measured too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_reference: Option<StorageReference>,
}

impl RunJson {
    /// Puts a run together: sets the flags that need all points (`uneven_machine`) and computes the cells.
    #[must_use]
    pub fn new(run: Run, platform: Platform, database: Database, mut points: Vec<Point>) -> Self {
        crate::pace_spread::judge(&mut points);
        let cells = Cell::of_points(&points);
        Self {
            schema_version: SCHEMA_VERSION,
            run,
            tool: None,
            platform,
            database,
            points,
            cells,
            published: None,
            costs: None,
            storage_reference: None,
        }
    }

    /// Whether the run measured storage below any database, and nothing else.
    #[must_use]
    pub fn is_of_storage(&self) -> bool {
        self.database.is_none() && self.published.is_none()
    }

    /// The name that readers use: the label, or the id where there is no label.
    #[must_use]
    pub fn name(&self) -> &str {
        self.run.label.as_deref().unwrap_or(self.run.id.as_str())
    }
}

//! What the catalogue must say of a test table, from the dialect's `facts.toml`: facts by organisation, for the whole
//! table or for each of its parts.

use super::{Leaf, ProductTables, leaves, month_name};
use crate::EngineError;
use crate::data::{first_day, iso_day};
use crate::inspect::Fact;
use dbdyno_model::{ErrorClass, Organisation, Size, TableName};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    facts: Vec<Group>,
}

/// Facts that some tables have in common.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// Of what there is one each.
    each: Each,
    /// The organisations; all where there are none.
    #[serde(default)]
    organisations: Vec<Organisation>,
    /// Whether they are those of the compressed table, or of the others; of both where nothing is said.
    compressed: Option<bool>,
    /// Each as `kind: text`.
    are: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Each {
    /// The table.
    Table,
    /// What has parts: the table, and each of its months.
    Parent,
    /// A month.
    Month,
    /// What holds rows.
    Leaf,
    /// Any of these.
    Any,
}

/// What the catalogue must say of a table.
///
/// # Errors
/// The dialect does not tell.
pub fn expected<P: ProductTables>(table: TableName) -> Result<Vec<Fact>, EngineError> {
    let text = P::dialect().file_text("facts.toml");
    let unreadable = |why: String| EngineError::new(ErrorClass::Other, format!("facts.toml cannot be read: {why}"));
    let text = text.ok_or_else(|| unreadable("it is missing".to_owned()))?;
    let read: Facts = toml::from_str(text).map_err(|error| unreadable(error.to_string()))?;
    let mut facts = Vec::new();
    for group in &read.facts {
        let of_organisation = group.organisations.is_empty() || group.organisations.contains(&table.organisation());
        let compressed = table == TableName::LargeCompressed;
        if !of_organisation || group.compressed.is_some_and(|wanted| wanted != compressed) {
            continue;
        }
        for part in parts(table, group.each) {
            let of = if P::PARTS_ARE_TABLES { part.name.as_str() } else { table.name() };
            facts.extend(group.are.iter().filter_map(|fact| {
                let (kind, text) = fact.split_once(": ")?;
                Some(Fact::new(of, kind, part.filled(table, text)))
            }));
        }
    }
    Ok(facts)
}

/// A part of a table, or the whole.
struct Part {
    name: String,
    parent: String,
    range: Option<u64>,
    region: Option<u64>,
}

impl Part {
    fn of_leaf(leaf: Leaf) -> Self {
        let table = leaf.table.name();
        let parent = leaf.range.map_or_else(|| table.to_owned(), |range| month_name(table, range));
        Self { name: leaf.name, parent, range: leaf.range, region: leaf.region }
    }

    fn of_month(table: TableName, range: u64) -> Self {
        let (name, parent) = (month_name(table.name(), range), table.to_string());
        Self { name, parent, range: Some(range), region: None }
    }

    fn whole(table: TableName) -> Self {
        Self { name: table.to_string(), parent: String::new(), range: None, region: None }
    }

    /// A text with what is known of the part in place of the names.
    fn filled(&self, table: TableName, text: &str) -> String {
        let day = |after: u64| self.range.map(|range| iso_day(first_day(range + after))).unwrap_or_default();
        let partition = self.name.strip_prefix(table.name()).unwrap_or_default().trim_start_matches('_');
        let values = [
            ("{table}", table.name()),
            ("{relation}", &self.name),
            ("{parent}", &self.parent),
            ("{partition}", partition),
            ("{region}", &self.region.map(|region| region.to_string()).unwrap_or_default()),
            ("{from}", &day(0)),
            ("{to}", &day(1)),
        ];
        values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

fn parts(table: TableName, each: Each) -> Vec<Part> {
    let has_parts = !matches!(table.organisation(), Organisation::Heap | Organisation::Iot | Organisation::Hash);
    let months = if table.organisation() == Organisation::HeapRangeList { Size::RANGES } else { 0 };
    let months = (0..months).map(|range| Part::of_month(table, range));
    match each {
        Each::Table => vec![Part::whole(table)],
        Each::Parent => months.chain(has_parts.then(|| Part::whole(table))).collect(),
        Each::Month => months.collect(),
        Each::Leaf => leaves(table).into_iter().map(Part::of_leaf).collect(),
        Each::Any => parts(table, Each::Parent).into_iter().chain(parts(table, Each::Leaf)).collect(),
    }
}

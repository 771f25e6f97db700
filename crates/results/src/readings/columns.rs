//! A block of readings as bytes: each figure is a column, and the columns are JSON, deflated. What does not change, as
//! most reasons and names, takes next to nothing.

use dbdyno_model::Reading;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

/// Between the keys of a path: no key has this character, because those that come from servers are cleaned of it.
const SEPARATOR: char = '\u{1}';
/// Significant digits of figures. A second's figures are not better than that.
const DIGITS: i32 = 4;
/// More bytes than a block of a minute can have: a damaged one must not fill the memory.
const MOST_BYTES: u64 = 64 << 20;
/// More readings, and parts of a path, than a block can have.
const MOST_READINGS: usize = 1_000;
const MOST_PARTS: usize = 16;
/// The column with the moments, whose digits all count.
const AT: &str = "at";

/// Why a block cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ColumnsError {
    #[error("they are not JSON of the form that is known: {0}")]
    Json(#[from] serde_json::Error),
    #[error("they are not compressed as they should be: {0}")]
    Deflate(#[from] std::io::Error),
    #[error("a block of {0} readings, or without a column, is none")]
    Readings(usize),
    #[error("a figure's path has more parts than any has")]
    Path,
    #[error("a column has {found} values and the block has {readings} readings")]
    Length { found: usize, readings: usize },
}

#[derive(Serialize, Deserialize)]
struct Block {
    readings: usize,
    /// Path -> a value for each reading, or one for all.
    columns: BTreeMap<String, Vec<Value>>,
}

pub(super) fn pack(readings: &[Reading]) -> Result<Vec<u8>, ColumnsError> {
    let mut columns: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (n, reading) in readings.iter().enumerate() {
        let mut leaves = Vec::new();
        flatten(String::new(), serde_json::to_value(reading)?, &mut leaves);
        for (path, value) in leaves {
            let digits = path != AT;
            let column = columns.entry(path).or_default();
            column.resize(n, Value::Null);
            column.push(if digits { rounded(value) } else { value });
        }
    }
    for column in columns.values_mut() {
        column.resize(readings.len(), Value::Null);
        if column.windows(2).all(|pair| pair[0] == pair[1]) {
            column.truncate(1);
        }
    }
    columns.retain(|_, column| column.as_slice() != [Value::Null]);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&serde_json::to_vec(&Block { readings: readings.len(), columns })?)?;
    Ok(encoder.finish()?)
}

pub(super) fn unpack(block: &[u8]) -> Result<Vec<Reading>, ColumnsError> {
    let mut json = Vec::new();
    DeflateDecoder::new(block).take(MOST_BYTES).read_to_end(&mut json)?;
    let Block { readings, columns } = serde_json::from_slice(&json)?;
    if readings == 0 || readings > MOST_READINGS || columns.is_empty() {
        return Err(ColumnsError::Readings(readings));
    }
    let mut objects = Vec::new();
    for (path, column) in columns {
        let found = column.len();
        if found != readings && found != 1 {
            return Err(ColumnsError::Length { found, readings });
        }
        if path.matches(SEPARATOR).count() > MOST_PARTS {
            return Err(ColumnsError::Path);
        }
        objects.resize_with(readings, Map::new);
        for (n, object) in objects.iter_mut().enumerate() {
            let value = column.get(n).or(column.first()).cloned().unwrap_or(Value::Null);
            if !value.is_null() {
                put(object, &path, value);
            }
        }
    }
    let reading = |object| Ok(serde_json::from_value(Value::Object(object))?);
    objects.into_iter().map(reading).collect()
}

/// The leaves of a value with their paths. Lists are leaves.
fn flatten(path: String, value: Value, leaves: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = key.replace(SEPARATOR, "");
                let path = if path.is_empty() { key } else { format!("{path}{SEPARATOR}{key}") };
                flatten(path, value, leaves);
            }
        }
        leaf => leaves.push((path, leaf)),
    }
}

/// Puts a value where its path says.
fn put(object: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once(SEPARATOR) {
        None => _ = object.insert(path.to_owned(), value),
        Some((key, rest)) => {
            let inner = object.entry(key).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// Numbers with a fraction, wherever they are, with the digits that they deserve.
fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => round(number.as_f64().unwrap_or(0.0)),
        Value::Array(values) => Value::Array(values.into_iter().map(rounded).collect()),
        Value::Object(object) => Value::Object(object.into_iter().map(|(key, value)| (key, rounded(value))).collect()),
        other => other,
    }
}

fn round(value: f64) -> Value {
    let text = format!("{value:.*e}", (DIGITS - 1) as usize);
    let rounded = text.parse().unwrap_or(value);
    Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}

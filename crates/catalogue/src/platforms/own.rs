//! What users say of their own platforms: the tables of a platform file that are no results. dbdyno shows all of it, so
//! whatever it would not show is refused.

use super::raw::{RawPlatform, Scalar};
use crate::Catalogue;
use crate::document::{Document, Entry, SourcePlace};
use crate::error::CatalogueError;
use crate::files::Source;
use dbdyno_model::{
    Described, DescribedFacts, DescribedKey, DescribedTable, DescribedValue, Money, Price, Remark, RemarkSubject,
    SubjectKind, USD, WorkloadName, check_line, check_number, check_text, check_value,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;

/// The tables that describe a platform.
pub(super) const DESCRIPTION_TABLES: &[&str] =
    &["platform", "storage", "licences", "rates", "price", "remark", "conclusion"];

/// Those of them that no publication has.
pub(super) const BEYOND_PUBLICATIONS: &[&str] = &["storage", "licences", "price", "remark", "conclusion"];

/// The tables that hold results.
pub(super) const RESULT_TABLES: &[&str] = &[
    "series",
    "chart_label",
    "kpi",
    "claim",
    "target",
    "result",
    "wait_event",
    "latency_cdf",
    "histogram",
    "setup",
    "variant",
    "orion_run",
];

/// Keys of `[platform]` that only a published result or a catalogue has.
pub(super) const OF_PUBLICATIONS: &[(&str, &str)] = &[
    ("year", "a run has the time at which it was measured"),
    ("year_printed", "it is about a publication"),
    ("source", "it is about a publication"),
    ("source_file", "it is about a publication"),
    ("benchmark_suite", "a run has the suite that it measured"),
    ("size_class", "a run has the size that it measured"),
    ("runs", "it has a use in a catalogue alone; here the command names the runs"),
];

/// Where rates are said to be of a day.
const RATES_DATE: &str = "date";

/// `[storage]`. Each key is a row in the keys of `model::described`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStorage {
    array: Option<String>,
    firmware: Option<String>,
    controllers: Option<String>,
    cache_gib: Option<f64>,
    media: Option<String>,
    raid: Option<String>,
    stripe_kib: Option<f64>,
    usable_tib: Option<f64>,
    thin_provisioning: Option<bool>,
    tier: Option<String>,
    replication: Option<String>,
    fabric: Option<String>,
    hba: Option<String>,
    hba_driver: Option<String>,
    luns: Option<u32>,
    lun_gib: Option<f64>,
    lun_layout: Option<String>,
    queue_depth: Option<u32>,
    multipath: Option<String>,
    volume_manager: Option<String>,
    file_system: Option<String>,
    mount_options: Option<String>,
    io_scheduler: Option<String>,
    device: Option<String>,
    direct_io: Option<bool>,
    asynchronous_io: Option<bool>,
    parameters: Option<String>,
}

/// `[licences]`. Each key is a row in the keys of `model::described`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLicences {
    product: Option<String>,
    metric: Option<String>,
    core_factor: Option<f64>,
    count: Option<u32>,
    terms: Option<String>,
}

/// `[rates]`: US dollars for one unit of each currency, and the day.
type RawRates = BTreeMap<String, Spanned<Scalar>>;

/// `[[price]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPrice {
    of: String,
    amount: f64,
    currency: String,
    terms: Option<String>,
}

/// `[[remark]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRemark {
    test: Option<String>,
    workload: Option<String>,
    text: String,
}

/// `[conclusion]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConclusion {
    text: String,
}

/// The description in a file that holds nothing else.
pub(super) fn description(source: &Source, catalogue: &Catalogue) -> Result<Described, CatalogueError> {
    let mut document = Document::parse(source)?;
    if let Some((table, place)) = document.has_any(RESULT_TABLES) {
        return Err(place.invalid(format!(
            "'{table}' holds results, which a description has none of; a platform with results is a file in the folder \
             platforms of a catalogue (--catalogue)"
        )));
    }
    document.refuse_others(DESCRIPTION_TABLES)?;
    let head = document.table_if_any::<RawPlatform>("platform")?;
    if let Some(Entry { value, place }) = &head {
        let written = place.check(written(value))?;
        let of_publications = OF_PUBLICATIONS.iter().find(|(key, _)| written.contains_key(*key));
        if let Some((key, why)) = of_publications {
            return Err(place.of_key(key).invalid(format!("key '{key}' says nothing of a run's platform: {why}")));
        }
    }
    let described = described(&mut document, head.as_ref(), source, catalogue)?;
    if described.is_empty() {
        return Err(document.whole().invalid("it says nothing; `dbdyno describe --template` shows what it can say"));
    }
    Ok(described)
}

/// What the tables of a file say, results apart. `head` is its table `[platform]`.
pub(super) fn described(
    document: &mut Document<'_>,
    head: Option<&Entry<RawPlatform>>,
    source: &Source,
    catalogue: &Catalogue,
) -> Result<Described, CatalogueError> {
    let file = Path::new(&source.shown).file_name().unwrap_or_default().to_string_lossy();
    let file = file.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let mut described = Described { file, ..Described::default() };
    if let Some(Entry { value, place }) = head {
        described.platform = facts(DescribedTable::Platform, value, place)?;
        for (name, value) in &value.config {
            let text = value.text();
            place.check_key("config", check_line(name).and_then(|()| check_line(&text)).map_err(of_setting(name)))?;
            described.settings.insert(name.clone(), text);
        }
        described.notes = value.notes.iter().map(|note| lines(note)).collect();
        described.notes.iter().try_for_each(|note| place.check_key("notes", check_text(note)))?;
    }
    if let Some(Entry { value, place }) = document.table_if_any::<RawStorage>("storage")? {
        described.storage = facts(DescribedTable::Storage, &value, &place)?;
    }
    described.licences = licences(document, head)?;
    described.prices = prices(document, head)?;
    described.remarks = remarks(document, catalogue)?;
    if let Some(Entry { value, place }) = document.table_if_any::<RawConclusion>("conclusion")? {
        described.conclusion = Some(lines(&value.text));
        place.check_key("text", described.conclusion.as_deref().map_or(Ok(()), check_text))?;
    }
    // What has no place of its own, such as the number of entries.
    document.whole().check(described.check())?;
    Ok(described)
}

/// What a published platform's file says beyond its publication, which has the rest.
pub(super) fn beyond_the_publication(mut described: Described) -> Described {
    described.platform.clear();
    described.settings.clear();
    described.notes.clear();
    described
}

/// The parts that are present, with a separator between them.
pub(super) fn joined<const N: usize>(parts: [Option<String>; N], separator: &str) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(separator))
}

fn of_setting(name: &str) -> impl Fn(String) -> String {
    move |problem| format!("setting '{name}': {problem}")
}

/// A text with the line ends of this system.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

/// The keys of a table that were written, with their values.
fn written<T: Serialize>(raw: &T) -> Result<toml::Table, String> {
    toml::Table::try_from(raw).map_err(|e| e.to_string())
}

/// The facts of a table, each checked.
fn facts<T: Serialize>(table: DescribedTable, raw: &T, place: &SourcePlace) -> Result<DescribedFacts, CatalogueError> {
    let written = place.check(written(raw))?;
    let mut facts = DescribedFacts::new();
    for DescribedKey { key, .. } in DescribedKey::of(table) {
        let value = match written.get(key) {
            None => continue,
            Some(toml::Value::Boolean(yes)) => DescribedValue::YesNo(*yes),
            Some(toml::Value::Integer(n)) => DescribedValue::Count(u64::try_from(*n).unwrap_or(0)),
            Some(toml::Value::Float(n)) if n.fract() == 0.0 && (1.0..1e15).contains(n) => {
                DescribedValue::Count(*n as u64)
            }
            Some(toml::Value::Float(n)) => DescribedValue::Number(*n),
            Some(other) => DescribedValue::Text(other.as_str().unwrap_or_default().to_owned()),
        };
        place.check_key(key, check_value(&value))?;
        facts.insert(key.clone(), value);
    }
    Ok(facts)
}

const CORE_FACTOR: &str = "core_factor";

fn licences(document: &mut Document<'_>, head: Option<&Entry<RawPlatform>>) -> Result<DescribedFacts, CatalogueError> {
    let mut licences = DescribedFacts::new();
    if let Some(Entry { value, place }) = document.table_if_any::<RawLicences>("licences")? {
        licences = facts(DescribedTable::Licences, &value, &place)?;
    }
    // The key of old.
    if let Some((Entry { place, .. }, factor)) = head.and_then(|head| Some((head, head.value.oracle_core_factor?))) {
        let value = DescribedValue::Number(factor);
        place.check_key("oracle_core_factor", check_value(&value))?;
        let is_new = licences.insert(CORE_FACTOR.to_owned(), value).is_none();
        place.of_key("oracle_core_factor").ensure(
            is_new,
            || "key 'oracle_core_factor' says the same as 'core_factor' in [licences]; leave one of them away",
        )?;
    }
    Ok(licences)
}

/// List prices in US dollars by their keys of old, and `[[price]]` with `[rates]`.
fn prices(document: &mut Document<'_>, head: Option<&Entry<RawPlatform>>) -> Result<Vec<Price>, CatalogueError> {
    let mut prices: Vec<Price> = Vec::new();
    if let Some(Entry { value, place }) = head {
        for (key, price) in list_prices(value) {
            place.check_key(key, check_amount(price.amount))?;
            prices.push(price);
        }
    }
    let rates = document.table_if_any::<RawRates>("rates")?;
    let (rates, date) = match rates {
        Some(Entry { value, place }) => checked_rates(value, &place)?,
        None => (BTreeMap::new(), None),
    };
    for Entry { value, place } in document.entries_if_any::<RawPrice>("price", "of")? {
        let RawPrice { of, amount, currency, terms } = value;
        place.check_key("of", check_line(&of))?;
        place.check_key("amount", check_amount(amount))?;
        place.check_key("currency", Price::check_currency(&currency))?;
        terms.iter().try_for_each(|terms| place.check_key("terms", check_line(terms)))?;
        place.of_key("of").ensure(!prices.iter().any(|price| price.of == of), || {
            format!("key 'of': there is another price of '{of}'; add them up, or name them apart")
        })?;
        let usd_per_unit = rates.get(&currency).copied().filter(|_| currency != USD);
        let rate_date = date.clone().filter(|_| usd_per_unit.is_some());
        prices.push(Price { of, amount, currency, usd_per_unit, rate_date, terms });
        place.of_key("currency").ensure(Money::total(&prices).is_some(), || {
            let without: Vec<&str> =
                prices.iter().filter(|price| price.usd().is_none()).map(|price| price.currency.as_str()).collect();
            format!(
                "key 'currency': these prices stand in several currencies and cannot be added up; say under [rates] how many \
                 US dollars one {} is worth",
                without.first().copied().unwrap_or_default()
            )
        })?;
    }
    Ok(prices)
}

/// The rates by currency, and their day.
fn checked_rates(
    rates: RawRates,
    place: &SourcePlace,
) -> Result<(BTreeMap<String, f64>, Option<String>), CatalogueError> {
    let (mut by_currency, mut date) = (BTreeMap::new(), None);
    for (key, value) in rates {
        let value = value.into_inner();
        if key == RATES_DATE {
            let text = value.text();
            place.check_key(&key, check_line(&text))?;
            date = Some(text);
            continue;
        }
        place.of_key(&key).check(Price::check_currency(&key).map_err(|e| format!("{e}, and 'date' for their day")))?;
        let rate = value.number().ok_or_else(|| "it must be a number".to_owned());
        let rate = place.check_key(&key, rate)?;
        place.check_key(&key, Price::check_rate(rate))?;
        let is_one = key != USD || (rate - 1.0).abs() < f64::EPSILON;
        place.of_key(&key).ensure(is_one, || "key 'USD': one US dollar is worth 1; leave it away")?;
        by_currency.insert(key, rate);
    }
    Ok((by_currency, date))
}

fn check_amount(amount: f64) -> Result<(), String> {
    if amount.is_finite() && amount >= 0.0 { Ok(()) } else { Err("it must be a number from 0 on".to_owned()) }
}

/// The list prices, each with its key.
fn list_prices(raw: &RawPlatform) -> impl Iterator<Item = (&'static str, Price)> {
    let prices = [
        ("list_price_server_usd", "server", raw.list_price_server_usd),
        ("list_price_storage_usd", "storage", raw.list_price_storage_usd),
        ("list_price_database_usd", "database", raw.list_price_database_usd),
        ("list_price_other_usd", "other", raw.list_price_other_usd),
    ];
    let scope = raw.list_price_database_scope.as_ref().map(|scope| format!("database: {scope}"));
    let terms = [raw.list_price_bound.clone(), Some("list price".to_owned()), raw.list_price_date.clone(), scope];
    let terms = joined(terms, ", ");
    prices.into_iter().filter_map(move |(key, of, usd)| {
        let (of, currency, terms) = (of.to_owned(), USD.to_owned(), terms.clone());
        Some((key, Price { of, amount: usd?, currency, usd_per_unit: None, rate_date: None, terms }))
    })
}

fn remarks(document: &mut Document<'_>, catalogue: &Catalogue) -> Result<Vec<Remark>, CatalogueError> {
    let mut remarks = Vec::new();
    for Entry { value, place } in document.entries_if_any::<RawRemark>("remark", "test")? {
        let RawRemark { test, workload, text } = value;
        let (kind, name) = match (test, workload) {
            (Some(code), None) => {
                let test = catalogue.test(&code).map_err(|e| e.to_string());
                (SubjectKind::Test, place.check_key("test", test)?.code.to_string())
            }
            (None, Some(name)) => {
                let checked = WorkloadName::new(&name).map_err(|e| e.to_string());
                place.check_key("workload", checked)?;
                (SubjectKind::Workload, name)
            }
            _ => {
                return Err(place.invalid("one of the keys 'test' and 'workload' must stand here, and not both"));
            }
        };
        let text = lines(&text);
        place.check_key("text", check_text(&text))?;
        remarks.push(Remark { subject: RemarkSubject { kind, name }, text });
    }
    document.whole().check(check_number("remarks", remarks.len()))?;
    Ok(remarks)
}

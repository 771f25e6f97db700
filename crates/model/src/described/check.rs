//! What a description may say: it can come from anyone, and is shown on terminals and pages.

use super::{Described, DescribedKey, DescribedTable, DescribedValue, RemarkSubject};
use crate::{SubjectKind, TestCode, WorkloadName};
use std::collections::BTreeMap;

/// Characters of a fact, at most.
const LONGEST_LINE: usize = 500;
/// Characters of a remark, a note or a conclusion, at most.
const LONGEST_TEXT: usize = 20_000;
/// Facts, prices, remarks or notes, at most.
const MOST: usize = 500;
/// The largest number, and the inverse of the smallest, so that products stay numbers.
const LARGEST: f64 = 1e15;

impl RemarkSubject {
    /// Whether a test or a workload can have this name. Whether there is one, a catalogue knows.
    fn check(&self) -> Result<(), String> {
        match self.kind {
            SubjectKind::Test => TestCode::new(&self.name).map(|_| ()).map_err(|e| e.to_string()),
            SubjectKind::Workload => WorkloadName::new(&self.name).map(|_| ()).map_err(|e| e.to_string()),
            SubjectKind::Storage => Err("storage has no remarks; it can be a test or a workload".to_owned()),
        }
    }
}

impl Described {
    /// Whether it says something, and nothing that a file could not say. A description may come in with a run from
    /// anyone. Keys of a newer dbdyno may hold anything that can be stored and shown.
    ///
    /// # Errors
    /// Which key cannot, and why.
    pub fn check(&self) -> Result<(), String> {
        let line = |key: String, text: &str| check_line(text).map_err(|problem| format!("key '{key}': {problem}"));
        let text = |key: &str, text: &str| check_text(text).map_err(|problem| format!("key '{key}': {problem}"));
        for (what, n) in [
            ("facts", self.count()),
            ("prices", self.prices.len()),
            ("notes", self.notes.len()),
            ("remarks", self.remarks.len()),
        ] {
            check_number(what, n)?;
        }
        for table in [DescribedTable::Platform, DescribedTable::Storage, DescribedTable::Licences] {
            for (key, value) in self.table(table) {
                line(table.name().to_owned(), key)?;
                let of_kind = DescribedKey::of(table).find(|known| known.key == *key).map(|known| known.kind);
                of_kind
                    .map_or(Ok(()), |kind| kind.check(value))
                    .and_then(|()| check_value(value))
                    .map_err(|problem| format!("key '{}.{key}': {problem}", table.name()))?;
            }
        }
        for (name, value) in &self.settings {
            line("settings".to_owned(), name)?;
            line(format!("settings.{name}"), value)?;
        }
        for (n, price) in self.prices.iter().enumerate() {
            line("prices.of".to_owned(), &price.of)?;
            price.check()?;
            for text in price.terms.iter().chain(&price.rate_date) {
                line("prices.terms".to_owned(), text)?;
            }
            if self.prices[..n].iter().any(|other| other.of == price.of) {
                return Err(format!("key 'prices.of': there are two prices of '{}'", price.of));
            }
        }
        let rates: BTreeMap<&str, Option<f64>> =
            self.prices.iter().map(|price| (price.currency.as_str(), price.usd_per_unit)).collect();
        if let Some(price) = self.prices.iter().find(|price| rates[price.currency.as_str()] != price.usd_per_unit) {
            return Err(format!("key 'prices.usd_per_unit': there are two rates of {}", price.currency));
        }
        if !self.prices.is_empty() && self.total().is_none() {
            return Err("key 'prices': they stand in several currencies and cannot be added up".to_owned());
        }
        for remark in &self.remarks {
            remark.subject.check().map_err(|problem| format!("key 'remarks.subject': {problem}"))?;
            text("remarks.text", &remark.text)?;
        }
        self.notes.iter().try_for_each(|note| text("notes", note))?;
        self.conclusion.iter().try_for_each(|conclusion| text("conclusion", conclusion))?;
        line("file".to_owned(), &self.file)
    }
}

/// Whether a value can be one of a fact.
///
/// # Errors
/// It cannot, with the reason.
pub fn check_value(value: &DescribedValue) -> Result<(), String> {
    match value {
        DescribedValue::Text(text) => check_line(text),
        DescribedValue::Count(0) => Err("it must be at least 1".to_owned()),
        DescribedValue::Count(n) if *n as f64 > LARGEST => Err(format!("{n} is too large; {LARGEST:e} is the most")),
        DescribedValue::Number(n) if !(1.0 / LARGEST..=LARGEST).contains(n) => {
            Err(format!("it must be a number above zero, up to {LARGEST:e}"))
        }
        DescribedValue::Count(_) | DescribedValue::Number(_) | DescribedValue::YesNo(_) => Ok(()),
    }
}

/// Whether there are not too many of something.
///
/// # Errors
/// There are.
pub fn check_number(what: &str, n: usize) -> Result<(), String> {
    if n <= MOST { Ok(()) } else { Err(format!("there are {n} {what}; {MOST} are the most")) }
}

/// Whether a text can be a line: something, not too long, and without control characters.
///
/// # Errors
/// It cannot, with the reason.
pub fn check_line(text: &str) -> Result<(), String> {
    check_characters(text, LONGEST_LINE, &[])
}

/// The same for a text of several lines.
///
/// # Errors
/// It cannot, with the reason.
pub fn check_text(text: &str) -> Result<(), String> {
    check_characters(text, LONGEST_TEXT, &['\n', '\t'])
}

fn check_characters(text: &str, longest: usize, allowed: &[char]) -> Result<(), String> {
    let length = text.chars().count();
    if text.trim().is_empty() {
        return Err("it is empty; leave it away".to_owned());
    }
    if length > longest {
        return Err(format!("it has {length} characters; {longest} are the most"));
    }
    match text.chars().find(|c| c.is_control() && !allowed.contains(c)) {
        Some('\n') => Err("it has several lines; write one".to_owned()),
        Some(c) => {
            Err(format!("it has a control character (U+{:04X}), which could steer a terminal; remove it", u32::from(c)))
        }
        None => Ok(()),
    }
}

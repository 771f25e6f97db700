//! What users say of the platforms of their own runs: what no tool can see from the server (the array behind a LUN,
//! what it cost, which licences it needs), remarks on tests, and a conclusion.
//!
//! It is a claim and stays one: it stands beside what dbdyno observed and replaces nothing of it.

mod check;
mod claims;
mod keys;
mod price;
mod value;

use crate::{Costs, SubjectKind, SubjectName};
pub use check::{check_line, check_number, check_text, check_value};
pub use keys::{DescribedKey, DescribedKind, DescribedTable};
pub use price::{Money, Price, USD};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
pub use value::DescribedValue;

/// The facts of a table: key -> value.
pub type DescribedFacts = BTreeMap<String, DescribedValue>;

/// A description of a platform. A reader ignores keys that it does not know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Described {
    /// The name of the file that said it, without its folder.
    pub file: String,
    /// When it was attached to the run; absent where a catalogue's file names the run's label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<jiff::Timestamp>,
    /// Server, operating system, database.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub platform: DescribedFacts,
    /// Storage.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: DescribedFacts,
    /// Licences.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub licences: DescribedFacts,
    /// Settings of any name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Prices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<Price>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Remarks on tests and workloads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// The conclusion; an empty line separates paragraphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
    /// The claims that contradict what dbdyno observed. It is computed for each reader and never stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<DescribedDifference>,
}

/// A remark on a test or workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// What it is about.
    pub subject: RemarkSubject,
    /// The remark.
    pub text: String,
}

/// What a remark is about, in the words of points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemarkSubject {
    /// A test or a workload.
    pub kind: SubjectKind,
    /// Its code or name.
    pub name: String,
}

impl RemarkSubject {
    /// As lists and tables have it.
    #[must_use]
    pub fn name(&self) -> SubjectName<'_> {
        SubjectName { kind: self.kind, name: &self.name }
    }
}

/// A claim that contradicts what dbdyno observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescribedDifference {
    /// Table and key: `platform.cores`.
    pub key: String,
    /// The key's name for readers.
    pub title: String,
    /// What was said.
    pub said: String,
    /// What dbdyno saw.
    pub observed: String,
}

impl Described {
    /// The facts of a table.
    #[must_use]
    pub fn table(&self, table: DescribedTable) -> &DescribedFacts {
        match table {
            DescribedTable::Platform => &self.platform,
            DescribedTable::Storage => &self.storage,
            DescribedTable::Licences => &self.licences,
        }
    }

    /// The same, mutable.
    pub fn table_mut(&mut self, table: DescribedTable) -> &mut DescribedFacts {
        match table {
            DescribedTable::Platform => &mut self.platform,
            DescribedTable::Storage => &mut self.storage,
            DescribedTable::Licences => &mut self.licences,
        }
    }

    /// The facts that readers see in a section, by title and with units, in the order of the keys. A key of a newer
    /// dbdyno follows under its own name.
    #[must_use]
    pub fn facts(&self, section: DescribedTable) -> Vec<(String, String)> {
        let of_section = DescribedKey::all().iter().filter(|key| key.section() == section);
        let known =
            of_section.filter_map(|key| Some((key.title.clone(), key.shown(self.table(key.table).get(&key.key)?))));
        let is_known = |name: &str| DescribedKey::of(section).any(|key| key.key == name);
        let newer = self.table(section).iter().filter(|(name, _)| !is_known(name));
        known.chain(newer.map(|(name, value)| (name.clone(), value.to_string()))).collect()
    }

    /// Number of facts and settings.
    #[must_use]
    pub fn count(&self) -> usize {
        self.platform.len() + self.storage.len() + self.licences.len() + self.settings.len()
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { prices, notes, remarks, conclusion, .. } = self;
        self.count() == 0 && prices.is_empty() && notes.is_empty() && remarks.is_empty() && conclusion.is_none()
    }

    /// The remarks on a subject, in the file's order.
    pub fn remarks_on<'d>(&'d self, subject: SubjectName<'d>) -> impl Iterator<Item = &'d str> {
        self.remarks.iter().filter(move |remark| remark.subject.name() == subject).map(|remark| remark.text.as_str())
    }

    /// What the prices come to; `None` where they stand in several currencies and a rate is missing.
    #[must_use]
    pub fn total(&self) -> Option<Money> {
        Money::total(&self.prices)
    }

    /// What the platform costs, as comparisons divide by it. Prices without a rate to US dollars are not in it.
    #[must_use]
    pub fn costs(&self) -> Option<Costs> {
        let usd: Option<BTreeMap<String, f64>> =
            self.prices.iter().map(|price| Some((price.of.clone(), price.usd()?))).collect();
        let mut terms: Vec<String> = Vec::new();
        let of_prices = self.prices.iter().filter_map(|price| price.terms.clone());
        for term in of_prices.chain(self.prices.iter().filter_map(Price::rate_words)) {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        let costs = Costs {
            licences_per_core: self.licences.get("core_factor").and_then(DescribedValue::number),
            prices_usd: usd.unwrap_or_default(),
            terms: (!terms.is_empty()).then(|| terms.join(", ")),
        };
        Some(costs).filter(|costs| *costs != Costs::default())
    }
}

/// The paragraphs of a text, each in one line: an empty line separates them.
#[must_use]
pub fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let paragraphs = lines.split(|line| line.is_empty()).map(|lines| lines.join(" "));
    paragraphs.filter(|paragraph| !paragraph.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(of: &str, amount: f64, currency: &str, usd_per_unit: Option<f64>) -> Price {
        let terms = Some("list price".to_owned());
        Price { of: of.to_owned(), amount, currency: currency.to_owned(), usd_per_unit, rate_date: None, terms }
    }

    fn whole() -> Described {
        Described {
            file: "platform.toml".to_owned(),
            platform: [("cores".to_owned(), DescribedValue::Count(32))].into(),
            storage: [
                ("array".to_owned(), DescribedValue::Text("<b>VSP</b>".to_owned())),
                ("usable_tib".to_owned(), DescribedValue::Number(10.5)),
                ("thin_provisioning".to_owned(), DescribedValue::YesNo(true)),
            ]
            .into(),
            licences: [("core_factor".to_owned(), DescribedValue::Number(0.5))].into(),
            settings: [("flashback".to_owned(), "no".to_owned())].into(),
            prices: vec![price("server", 10.0, "EUR", Some(1.5)), price("storage", 5.0, "USD", None)],
            notes: vec!["one".to_owned()],
            remarks: vec![Remark {
                subject: RemarkSubject { kind: SubjectKind::Test, name: "T611".to_owned() },
                text: "two\nlines".to_owned(),
            }],
            conclusion: Some("good".to_owned()),
            ..Described::default()
        }
    }

    #[test]
    fn a_description_is_the_same_after_json() {
        let described = whole();
        let back: Described = serde_json::from_str(&serde_json::to_string(&described).unwrap()).unwrap();
        assert_eq!(back, described);
        assert_eq!(described.check(), Ok(()));
        let newer: Described = serde_json::from_str(r#"{"file":"x","storage":{"tape":true},"smell":1}"#).unwrap();
        assert_eq!(newer.facts(DescribedTable::Storage), [("tape".to_owned(), "yes".to_owned())]);
    }

    #[test]
    fn facts_have_titles_and_units() {
        let facts = whole().facts(DescribedTable::Storage);
        let facts: Vec<(&str, &str)> = facts.iter().map(|(t, v)| (t.as_str(), v.as_str())).collect();
        assert_eq!(facts, [("Array", "<b>VSP</b>"), ("Usable", "10.5 TiB"), ("Thin provisioning", "yes")]);
        let mut elsewhere = Described::default();
        elsewhere.platform.insert("storage".to_owned(), DescribedValue::Text("flash".to_owned()));
        assert!(elsewhere.facts(DescribedTable::Platform).is_empty());
        assert_eq!(elsewhere.facts(DescribedTable::Storage).len(), 1);
    }

    #[test]
    fn costs_are_in_dollars_or_not_there() {
        let costs = whole().costs().unwrap();
        assert_eq!((costs.licences_per_core, costs.total_usd()), (Some(0.5), Some(20.0)));
        assert_eq!(costs.terms.as_deref(), Some("list price, 1 EUR = 1.5 USD"));
        let mut without = whole();
        without.prices = vec![price("server", 10.0, "CHF", None)];
        assert_eq!(without.costs().unwrap().total_usd(), None);
        assert_eq!(without.total().map(|m| (m.amount, m.currency)), Some((10.0, "CHF".to_owned())));
        assert_eq!(Described::default().costs(), None);
    }

    #[test]
    fn an_empty_line_separates_paragraphs() {
        assert_eq!(paragraphs("one\n two\n\n\n\t\nthree\n"), ["one two", "three"]);
        assert!(paragraphs(" \n").is_empty());
    }

    #[test]
    fn remarks_are_found_by_their_subject() {
        let described = whole();
        let on = |kind, name| described.remarks_on(SubjectName { kind, name }).count();
        assert_eq!(on(SubjectKind::Test, "T611"), 1);
        assert_eq!((on(SubjectKind::Workload, "T611"), on(SubjectKind::Test, "T612")), (0, 0));
    }

    #[test]
    fn what_could_steer_a_terminal_or_fill_a_page_is_refused() {
        let refused = |change: &dyn Fn(&mut Described)| {
            let mut described = whole();
            change(&mut described);
            described.check().unwrap_err()
        };
        let text = |text: &str| DescribedValue::Text(text.to_owned());
        for (said, part) in [
            (
                refused(&|d| _ = d.storage.insert("array".to_owned(), text("\u{1b}[2J"))),
                "'storage.array': it has a control",
            ),
            (refused(&|d| _ = d.storage.insert("array".to_owned(), text("a\nb"))), "several lines"),
            (refused(&|d| _ = d.storage.insert("array".to_owned(), text(" "))), "it is empty"),
            (refused(&|d| _ = d.storage.insert("array".to_owned(), text(&"x".repeat(501)))), "501 characters"),
            (refused(&|d| _ = d.storage.insert("a\u{0}".to_owned(), text("x"))), "key 'storage'"),
            (refused(&|d| _ = d.platform.insert("cores".to_owned(), DescribedValue::Count(0))), "at least 1"),
            (refused(&|d| _ = d.platform.insert("cores".to_owned(), DescribedValue::Count(u64::MAX))), "too large"),
            (refused(&|d| _ = d.platform.insert("ghz".to_owned(), DescribedValue::Number(1e300))), "up to 1e15"),
            (refused(&|d| _ = d.settings.insert("x".to_owned(), "\u{7}".to_owned())), "settings.x"),
            (refused(&|d| d.prices[0].currency = "euro".to_owned()), "no currency"),
            (refused(&|d| d.remarks[0].text = "\u{9b}".to_owned()), "remarks.text"),
            (refused(&|d| d.conclusion = Some("x".repeat(20_001))), "20001 characters"),
            (refused(&|d| d.notes = vec!["n".to_owned(); 501]), "501 notes"),
            (refused(&|d| d.file = "\u{1b}".to_owned()), "key 'file'"),
            (
                refused(&|d| _ = d.platform.insert("cores".to_owned(), text("32"))),
                "'platform.cores': it is '32', and must be whole number",
            ),
            (
                refused(&|d| _ = d.storage.insert("luns".to_owned(), DescribedValue::Number(1.5))),
                "must be whole number",
            ),
            (refused(&|d| d.prices[1].of = "server".to_owned()), "two prices of 'server'"),
            (refused(&|d| d.prices[0].usd_per_unit = None), "several currencies"),
            (refused(&|d| d.prices.push(price("disks", 1.0, "EUR", Some(100.0)))), "two rates of EUR"),
            (refused(&|d| d.prices[1].usd_per_unit = Some(2.0)), "one US dollar is worth 1"),
            (refused(&|d| d.prices[1].rate_date = Some("2026".to_owned())), "there is no rate"),
            (refused(&|d| d.remarks[0].subject.name = "<b>".to_owned()), "key 'remarks.subject'"),
            (refused(&|d| d.remarks[0].subject.kind = SubjectKind::Storage), "storage has no remarks"),
        ] {
            assert!(said.contains(part), "{said}");
        }
    }
}

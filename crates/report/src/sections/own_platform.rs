//! What users say of the platforms of their own runs, as facts of the platform sheet. Each section says whose words
//! they are, because dbdyno saw none of it; where it did see something else, that is said, too.

use crate::sections::prelude::*;
use dbdyno_model::{Described, DescribedTable, Price, paragraphs};

/// Names and values as facts.
pub(super) fn pairs(map: &BTreeMap<String, String>) -> Facts {
    map.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The sections of what is said of a platform, in the order for readers; some may be without facts.
pub(crate) fn sections(run: &RunJson) -> Vec<(String, Facts)> {
    let Some(described) = &run.described else { return Vec::new() };
    let whose = if run.published.is_some() { "file" } else { "owner" };
    let said = |what: &str| format!("{what}, as its {whose} says");
    let at = described.at.map(|at| format!(", attached {}", at.strftime("%Y-%m-%d %H:%M UTC"))).unwrap_or_default();
    let notes = described.notes.iter().flat_map(|note| paragraphs(note)).map(|text| ("Note".to_owned(), text));
    let differs = described.differs.iter().map(|of| (of.title.clone(), &of.said, &of.observed));
    let differs = differs.map(|(title, said, seen)| (title, format!("said {said}, seen {seen}; what was seen counts")));
    vec![
        (said("Platform"), described.facts(DescribedTable::Platform).into_iter().chain(notes).collect()),
        (said("Storage"), described.facts(DescribedTable::Storage)),
        (said("Settings"), pairs(&described.settings)),
        (said("Costs"), costs(run, described)),
        ("Said otherwise than seen".to_owned(), differs.collect()),
        ("Source of what is said".to_owned(), vec![("File".to_owned(), format!("{}{at}", described.file))]),
    ]
}

/// What is said of a test, which stands beside its figures, or of the whole, which stands before all: a note for each
/// paragraph, which says whose words they are.
fn notes<'t>(run: &RunJson, word: &str, texts: impl IntoIterator<Item = &'t str>) -> Vec<Block> {
    let whose = if run.published.is_some() { "in its file" } else { "of its owner" };
    let paragraphs = texts.into_iter().flat_map(paragraphs);
    paragraphs.map(|text| Note::led(format!("{word} {whose}: "), text).into()).collect()
}

/// The remarks on a test.
pub(crate) fn remarks(run: &RunJson, subject: SubjectName<'_>) -> Vec<Block> {
    notes(run, "Remark", run.remarks_on(subject))
}

/// The conclusion.
pub(crate) fn conclusion(run: &RunJson) -> Vec<Block> {
    notes(run, "Conclusion", run.described.iter().filter_map(|described| described.conclusion.as_deref()))
}

/// Whether these sections have the costs, so that no other section need say them.
pub(crate) fn says_costs(run: &RunJson) -> bool {
    run.described.as_ref().is_some_and(|described| !described.prices.is_empty() || !described.licences.is_empty())
}

/// Licences and prices, each price as it was stated and, where there is a rate, in US dollars.
fn costs(run: &RunJson, described: &Described) -> Facts {
    let Described { prices, licences, .. } = described;
    let by_cores = run.licences().filter(|_| !licences.contains_key("count"));
    let total = described.total().filter(|_| prices.len() > 1);
    let mut rates: Vec<String> = prices.iter().filter_map(Price::rate_words).collect();
    rates.dedup();
    let mut facts = described.facts(DescribedTable::Licences);
    facts.extend(by_cores.map(|n| ("Licences, by the cores".to_owned(), printed(n))));
    facts.extend(prices.iter().map(|price| (format!("Price, {}", price.of), stated(price))));
    facts.extend(total.map(|all| ("Price, all".to_owned(), format!("{} {}", printed(all.amount), all.currency))));
    facts.extend((!rates.is_empty()).then(|| ("Rates".to_owned(), rates.join("; "))));
    facts
}

/// A price as it was stated: `54,000 EUR (58,320 USD), list price`.
fn stated(price: &Price) -> String {
    let own = format!("{} {}", printed(price.amount), price.currency);
    let usd = price.usd_per_unit.and(price.usd()).map(|usd| format!(" ({} USD)", printed(usd))).unwrap_or_default();
    let terms = price.terms.as_ref().map(|terms| format!(", {terms}")).unwrap_or_default();
    format!("{own}{usd}{terms}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{
        Cpu, Database, DescribedValue, Platform, Remark, RemarkSubject, Run, RunId, RunStatus, SubjectKind,
    };

    fn run(described: Option<Described>) -> RunJson {
        let run = Run {
            id: RunId::from_random(1),
            label: None,
            suite: "quick".to_owned(),
            size: "D".to_owned(),
            seed: 42,
            started_at: "1970-01-01T00:00:00Z".parse().unwrap(),
            tool_version: "0".to_owned(),
            target: "null:".to_owned(),
            status: RunStatus::Done,
        };
        let platform = Platform { cpu: Cpu { cores: Some(16), ..Cpu::default() }, ..Platform::default() };
        let mut run = RunJson::new(run, platform, Database::default(), Vec::new());
        run.describe(described);
        run
    }

    fn price(of: &str, amount: f64, currency: &str, usd_per_unit: Option<f64>) -> Price {
        let terms = Some("list price".to_owned());
        let rate_date = usd_per_unit.map(|_| "2026-11-01".to_owned());
        Price { of: of.to_owned(), amount, currency: currency.to_owned(), usd_per_unit, rate_date, terms }
    }

    fn described() -> Described {
        let subject = RemarkSubject { kind: SubjectKind::Test, name: "T611".to_owned() };
        Described {
            file: "platform.toml".to_owned(),
            at: Some("1970-01-01T00:00:00Z".parse().unwrap()),
            platform: [("cores".to_owned(), DescribedValue::Count(32))].into(),
            storage: [("array".to_owned(), DescribedValue::Text("<b>\u{202e}VSP</b>".to_owned()))].into(),
            licences: [("core_factor".to_owned(), DescribedValue::Number(0.5))].into(),
            settings: [("archiving".to_owned(), "yes".to_owned())].into(),
            prices: vec![price("server", 1000.0, "EUR", Some(1.5)), price("storage", 500.0, "USD", None)],
            notes: vec!["a note".to_owned()],
            remarks: vec![Remark { subject, text: "one socket".to_owned() }],
            conclusion: Some("good".to_owned()),
            ..Described::default()
        }
    }

    fn value(run: &RunJson, title: &str, name: &str) -> String {
        let of = sections(run).into_iter().find(|(known, _)| known == title).unwrap_or_else(|| panic!("{title}"));
        of.1.into_iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{name}")).1
    }

    #[test]
    fn every_section_says_whose_words_they_are() {
        let run = run(Some(described()));
        assert_eq!(value(&run, "Platform, as its owner says", "Cores"), "32");
        assert_eq!(value(&run, "Platform, as its owner says", "Note"), "a note");
        assert_eq!(value(&run, "Settings, as its owner says", "archiving"), "yes");
        let said = |blocks: Vec<Block>| Document::of(vec![Section::default().with(blocks)]).text(None);
        let test = SubjectName { kind: SubjectKind::Test, name: "T611" };
        assert_eq!(said(remarks(&run, test)), "Remark of its owner: one socket\n");
        assert_eq!(said(conclusion(&run)), "Conclusion of its owner: good\n");
        assert_eq!(value(&run, "Source of what is said", "File"), "platform.toml, attached 1970-01-01 00:00 UTC");
        assert!(sections(&self::run(None)).is_empty());
    }

    #[test]
    fn the_observation_counts() {
        let run = run(Some(described()));
        assert_eq!(value(&run, "Said otherwise than seen", "Cores"), "said 32, seen 16; what was seen counts");
        assert_eq!(value(&run, "Costs, as its owner says", "Licences, by the cores"), "8");
    }

    #[test]
    fn prices_stand_as_they_were_stated_and_in_dollars() {
        let run = run(Some(described()));
        let costs = |name: &str| value(&run, "Costs, as its owner says", name);
        assert_eq!(costs("Price, server"), "1,000 EUR (1,500 USD), list price");
        assert_eq!(costs("Price, storage"), "500 USD, list price");
        assert_eq!(costs("Price, all"), "2,000 USD");
        assert_eq!(costs("Rates"), "1 EUR = 1.5 USD (2026-11-01)");
        assert!(says_costs(&run));
        let sheet = Document::of(vec![crate::sections::platform::section(&run)]).text(None);
        assert!(!sheet.contains("\nCosts\n") && sheet.contains("Costs, as its owner says"), "{sheet}");
        assert!(sheet.contains("<b>\\u{202e}VSP</b>"), "{sheet}");
    }
}

//! Whether a table is still as it was loaded. An engine lists the facts that its catalogue must have about the table,
//! and those that it has. A fact in only one of the two lists is a difference. So the wording of a server's definitions
//! does not matter.

use crate::Difference;
use std::collections::BTreeSet;

/// The kind of fact that says what an object is. Where that differs, the object's other facts are not compared.
pub const KIND: &str = "kind";
/// Kinds of facts that an object has only once.
const SINGLE_FACTS: [&str; 6] = [KIND, "persistence", "storage", "options", "access method", "replica identity"];

/// Something that the catalogue says about a table, a partition, or an object that belongs to one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The object that it is about.
    pub of: String,
    /// The kind of fact: `column`, `index`, `trigger`.
    pub kind: String,
    /// The fact in words.
    pub text: String,
}

impl Fact {
    /// A fact.
    pub fn new(of: &str, kind: &str, text: impl Into<String>) -> Self {
        Self { of: of.to_owned(), kind: kind.to_owned(), text: text.into() }
    }

    /// Facts from the rows of a query: object, kind, text, and the statement that removes it, where there is one. A row
    /// that lacks one of the first three is left out.
    pub fn read(rows: Vec<Vec<Option<String>>>) -> Vec<(Self, Option<String>)> {
        let fact = |row: Vec<Option<String>>| {
            let mut values = row.into_iter();
            let mut next = || values.next().flatten();
            let (of, kind, text) = (next()?, next()?, next()?);
            Some((Self { of, kind, text }, next()))
        };
        rows.into_iter().filter_map(fact).collect()
    }
}

/// The differences between the expected facts and those that were found.
pub fn compare(expected: &[Fact], found: &[(Fact, Option<String>)]) -> Vec<Difference> {
    let expected_set: BTreeSet<&Fact> = expected.iter().collect();
    let found_set: BTreeSet<&Fact> = found.iter().map(|(fact, _)| fact).collect();
    let counterpart = |of: &str, kind: &str, facts: &BTreeSet<&Fact>| {
        facts.iter().find(|fact| fact.of == of && fact.kind == kind).map(|fact| fact.text.clone())
    };
    let is_single = |fact: &Fact| SINGLE_FACTS.contains(&fact.kind.as_str());
    // An object that is missing or of another kind differs in all its other facts, too.
    let of_other_kind: BTreeSet<&str> =
        (expected_set.difference(&found_set).chain(found_set.difference(&expected_set)))
            .filter(|fact| fact.kind == KIND)
            .map(|fact| fact.of.as_str())
            .collect();
    let is_compared = |fact: &Fact| fact.kind == KIND || !of_other_kind.contains(fact.of.as_str());
    let mut differences = Vec::new();
    for (fact, remedy) in found.iter().filter(|(fact, _)| !expected_set.contains(fact) && is_compared(fact)) {
        let Fact { of, kind, text } = fact;
        let what = match counterpart(of, kind, &expected_set) {
            Some(must) if is_single(fact) && fact.kind == KIND => format!("{of} is a {text} in place of a {must}"),
            Some(must) if is_single(fact) => format!("the {kind} of {of} is {text} in place of {must}"),
            _ => format!("{of} has the {kind} {text}, which dbdyno did not make"),
        };
        differences.push(Difference { what, remedy: remedy.clone() });
    }
    for fact in expected.iter().filter(|fact| !found_set.contains(fact) && is_compared(fact)) {
        let Fact { of, kind, text } = fact;
        // The fact that was found in its place has told this difference.
        if is_single(fact) && counterpart(of, kind, &found_set).is_some() {
            continue;
        }
        let what = if kind == KIND { format!("{of} is not there") } else { format!("{of} has no {kind} {text}") };
        differences.push(Difference { what, remedy: None });
    }
    differences
}

/// The differences of a table's rows from those that were loaded.
pub fn rows(table: &str, differences: Vec<String>) -> impl Iterator<Item = Difference> {
    differences.into_iter().map(move |what| Difference { what: format!("{table}: {what}"), remedy: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(all: &[(&str, &str, &str)]) -> Vec<Fact> {
        all.iter().map(|(of, kind, text)| Fact::new(of, kind, *text)).collect()
    }

    fn differences(expected: &[(&str, &str, &str)], found: &[(&str, &str, &str)]) -> Vec<String> {
        let found: Vec<_> = facts(found).into_iter().map(|fact| (fact, None)).collect();
        compare(&facts(expected), &found).into_iter().map(|d| d.what).collect()
    }

    const TABLE: [(&str, &str, &str); 4] = [
        ("t", "kind", "table"),
        ("t", "persistence", "logged"),
        ("t", "column", "id bigint not null"),
        ("t", "index", "t_pk unique (id)"),
    ];

    #[test]
    fn what_is_as_it_was_made_differs_in_nothing() {
        assert!(differences(&TABLE, &TABLE).is_empty());
        let mut other_order = TABLE;
        other_order.reverse();
        assert!(differences(&TABLE, &other_order).is_empty());
    }

    #[test]
    fn each_difference_is_told_once() {
        let with = |n: usize, fact| {
            let mut all = TABLE;
            all[n] = fact;
            differences(&TABLE, &all)
        };
        assert_eq!(with(1, ("t", "persistence", "unlogged")), ["the persistence of t is unlogged in place of logged"]);
        assert_eq!(
            with(2, ("t", "column", "id integer not null")),
            ["t has the column id integer not null, which dbdyno did not make", "t has no column id bigint not null"]
        );
        assert_eq!(with(0, ("t", "kind", "view")), ["t is a view in place of a table"]);
        assert_eq!(differences(&TABLE, &[]), ["t is not there"]);
        let mut more = TABLE.to_vec();
        more.push(("t", "trigger", "spy"));
        assert_eq!(differences(&TABLE, &more), ["t has the trigger spy, which dbdyno did not make"]);
    }

    #[test]
    fn a_remedy_comes_with_what_it_takes_away() {
        let rows = vec![
            vec![Some("t".to_owned()), Some("trigger".to_owned()), Some("spy".to_owned()), Some("DROP it".to_owned())],
            vec![Some("t".to_owned()), None, None, None],
        ];
        let found = Fact::read(rows);
        assert_eq!(found.len(), 1);
        assert_eq!(compare(&[], &found)[0].remedy.as_deref(), Some("DROP it"));
    }
}

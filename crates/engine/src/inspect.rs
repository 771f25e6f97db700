//! Whether a table is still what was loaded. An engine says the facts of its catalogue that decide how a table works,
//! and what they must be; what is told by one side alone is a difference. So nothing hangs on how a server words a
//! definition.

use crate::Difference;
use std::collections::BTreeSet;

/// The kind of fact that says what an object is at all. Where that differs, nothing else of the object is of interest.
pub const KIND: &str = "kind";
/// Facts of which an object has one each, whatever it is.
const SINGLE: [&str; 6] = [KIND, "persistence", "storage", "options", "access method", "replica identity"];

/// Something that the catalogue says of a table, a partition or what hangs on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The relation.
    pub of: String,
    /// What kind of fact: `column`, `index`, `trigger`.
    pub kind: String,
    /// The fact.
    pub text: String,
}

impl Fact {
    /// A fact.
    pub fn new(of: &str, kind: &str, text: impl Into<String>) -> Self {
        Self { of: of.to_owned(), kind: kind.to_owned(), text: text.into() }
    }

    /// Facts that a query answers with: relation, kind, text, and the statement that takes it away where there is one.
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

/// What differs between the facts that must be and those that were found.
pub fn compare(expected: &[Fact], found: &[(Fact, Option<String>)]) -> Vec<Difference> {
    let wanted: BTreeSet<&Fact> = expected.iter().collect();
    let there: BTreeSet<&Fact> = found.iter().map(|(fact, _)| fact).collect();
    let other = |of: &str, kind: &str, facts: &BTreeSet<&Fact>| {
        facts.iter().find(|fact| fact.of == of && fact.kind == kind).map(|fact| fact.text.clone())
    };
    let is_single = |fact: &Fact| SINGLE.contains(&fact.kind.as_str());
    // What is of another kind, or not there, differs in everything else too.
    let strange: BTreeSet<&str> = (wanted.difference(&there).chain(there.difference(&wanted)))
        .filter(|fact| fact.kind == KIND)
        .map(|fact| fact.of.as_str())
        .collect();
    let of_interest = |fact: &Fact| fact.kind == KIND || !strange.contains(fact.of.as_str());
    let mut differences = Vec::new();
    for (fact, remedy) in found.iter().filter(|(fact, _)| !wanted.contains(fact) && of_interest(fact)) {
        let Fact { of, kind, text } = fact;
        let what = match other(of, kind, &wanted) {
            Some(must) if is_single(fact) && fact.kind == KIND => format!("{of} is a {text} in place of a {must}"),
            Some(must) if is_single(fact) => format!("the {kind} of {of} is {text} in place of {must}"),
            _ => format!("{of} has the {kind} {text}, which dbdyno did not make"),
        };
        differences.push(Difference { what, remedy: remedy.clone() });
    }
    for fact in expected.iter().filter(|fact| !there.contains(fact) && of_interest(fact)) {
        let Fact { of, kind, text } = fact;
        // It is told with what stands in its place.
        if is_single(fact) && other(of, kind, &there).is_some() {
            continue;
        }
        let what = if kind == KIND { format!("{of} is not there") } else { format!("{of} has no {kind} {text}") };
        differences.push(Difference { what, remedy: None });
    }
    differences
}

/// Rows of a sample that are not as they were made, as differences.
pub fn rows(table: &str, differences: Vec<String>) -> impl Iterator<Item = Difference> {
    differences.into_iter().map(move |what| Difference { what: format!("{table}: {what}"), remedy: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(all: &[(&str, &str, &str)]) -> Vec<Fact> {
        all.iter().map(|(of, kind, text)| Fact::new(of, kind, *text)).collect()
    }

    fn told(expected: &[(&str, &str, &str)], found: &[(&str, &str, &str)]) -> Vec<String> {
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
        assert!(told(&TABLE, &TABLE).is_empty());
        let mut other_order = TABLE;
        other_order.reverse();
        assert!(told(&TABLE, &other_order).is_empty());
    }

    #[test]
    fn each_difference_is_told_once() {
        let with = |n: usize, fact| {
            let mut all = TABLE;
            all[n] = fact;
            told(&TABLE, &all)
        };
        assert_eq!(with(1, ("t", "persistence", "unlogged")), ["the persistence of t is unlogged in place of logged"]);
        assert_eq!(
            with(2, ("t", "column", "id integer not null")),
            ["t has the column id integer not null, which dbdyno did not make", "t has no column id bigint not null"]
        );
        assert_eq!(with(0, ("t", "kind", "view")), ["t is a view in place of a table"]);
        assert_eq!(told(&TABLE, &[]), ["t is not there"]);
        let mut more = TABLE.to_vec();
        more.push(("t", "trigger", "spy"));
        assert_eq!(told(&TABLE, &more), ["t has the trigger spy, which dbdyno did not make"]);
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

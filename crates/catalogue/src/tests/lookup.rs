//! Lookups.

use super::{codes, embedded};
use crate::CatalogueError;
use crate::catalogue::matches;
use dbdyno_model::{Subject, Test};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn classes_have_titles_for_variants_too() {
    let catalogue = embedded();
    let title = |code: &str| catalogue.class_title(Subject::<()>::of_database(code).unwrap().name()).to_owned();
    assert_eq!(title("T111"), "CPU: procedural code");
    assert_eq!(title("DBL-11"), "Data load");
    assert_eq!(title("DBX-22"), "Data update");
    assert_eq!(title("T699"), "Data select");
    assert_eq!(title("XYZ-1"), "other");
}

#[test]
fn a_definition_is_the_work_and_not_its_description() {
    let catalogue = embedded();
    let test = catalogue.test("T611").unwrap();
    let definition = catalogue.definition(test);
    assert_eq!(definition.len(), 16);
    assert!(definition.chars().all(|c| c.is_ascii_hexdigit()));
    let described = Test { title: "other".into(), note: Some("other".into()), ..test.clone() };
    assert_eq!(catalogue.definition(&described), definition);
    let changed = Test { rows_per_tx: Some(2), ..test.clone() };
    assert_ne!(catalogue.definition(&changed), definition);
    let all: BTreeSet<String> = catalogue.tests().iter().map(|t| catalogue.definition(t)).collect();
    assert_eq!(all.len(), catalogue.tests().len());
}

#[test]
fn what_does_not_exist_is_answered_with_what_does() {
    let catalogue = embedded();
    let cases = [
        (
            catalogue.test("T661").unwrap_err(),
            "there is no test 'T661'; nearest: T611, T616, T621; `dbdyno list tests` shows all",
        ),
        (catalogue.select("T611,T9*").unwrap_err(), "there is no test 'T9*'; `dbdyno list tests` shows all"),
        (
            catalogue.select("T611,,T612").unwrap_err(),
            "'T611,,T612' leaves a test out; write codes or patterns with commas between them, as in T611,T62*",
        ),
        (
            catalogue.suite("quik").unwrap_err(),
            "there is no suite 'quik'; nearest: quick; `dbdyno list suites` shows all",
        ),
        (catalogue.suite("everything").unwrap_err(), "there is no suite 'everything'; `dbdyno list suites` shows all"),
        (catalogue.size("X").unwrap_err(), "there is no size 'X'; nearest: XL; `dbdyno list sizes` shows all"),
        (
            catalogue.metric(&"row_per_s".into()).unwrap_err(),
            "there is no metric 'row_per_s'; nearest: rows_per_s; `dbdyno list metrics` shows all",
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(error.to_string(), expected);
    }
}

proptest! {
    #[test]
    fn a_selection_is_in_catalogue_order_without_doubles(
        items in prop::collection::vec("(T[1-8](\\*|[1-3][1-6])|DB[LASX]-(\\*|1\\*|12)|\\*|t6\\*)", 1..6)
    ) {
        let catalogue = embedded();
        let all = codes(catalogue.tests());
        let naive = |item: &str, code: &str| {
            let item = item.to_uppercase();
            item.strip_suffix('*').map_or(item == code, |start| code.starts_with(start))
        };
        let expected: Vec<&str> = all.iter().copied().filter(|c| items.iter().any(|i| naive(i, c))).collect();
        let every_item_names_one = items.iter().all(|i| all.iter().any(|c| naive(i, c)));
        match catalogue.select(&items.join(", ")) {
            Ok(selected) => {
                prop_assert!(every_item_names_one);
                prop_assert_eq!(codes(selected), expected);
            }
            Err(error) => {
                prop_assert!(!every_item_names_one);
                let unknown = matches!(error, CatalogueError::Unknown { kind: "test", .. });
                prop_assert!(unknown);
            }
        }
    }

    #[test]
    fn no_pattern_panics(pattern in "[T0-9*,DBL\\-é ]{0,12}") {
        let catalogue = embedded();
        if let Ok(selected) = catalogue.select(&pattern) {
            prop_assert!(!selected.is_empty());
        }
    }

    #[test]
    fn a_star_stands_for_anything(parts in prop::collection::vec("[ab]{0,3}", 1..4), fill in "[ab]{0,3}") {
        prop_assert!(matches(&parts.join("*"), &parts.join(&fill)));
        prop_assert_eq!(matches("a*b*a", &parts.concat()), {
            let text = parts.concat();
            text.len() >= 3 && text.starts_with('a') && text.ends_with('a') && text[1..text.len() - 1].contains('b')
        });
    }
}

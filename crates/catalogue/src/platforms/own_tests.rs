//! Tests of what users say of their own platforms.

use super::own::OF_PUBLICATIONS;
use super::*;
use dbdyno_model::{DescribedTable, DescribedValue, SubjectKind};
use std::collections::BTreeSet;

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

fn read(text: &str) -> Described {
    catalogue().describe("mine/platform.toml", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn message(text: &str) -> String {
    catalogue().describe("mine/platform.toml", text).map_or_else(|e| e.to_string(), |_| panic!("accepted: {text}"))
}

/// The template with everything in force.
fn filled() -> String {
    let template = platform_template();
    let lines = template.lines().map(|line| match line.strip_prefix('#') {
        Some(prose) if prose.starts_with('#') => String::new(),
        Some(line) => line.strip_prefix(' ').unwrap_or(line).to_owned(),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_key_of_the_template_is_read_and_none_is_missing() {
    let described = read(&filled());
    for key in dbdyno_model::DescribedKey::all() {
        let value = described.table(key.table).get(&key.key);
        let value = value.unwrap_or_else(|| panic!("{} of {:?} is not read", key.key, key.table));
        let example = key.example.trim_matches('"').replace("true", "yes");
        assert_eq!(value.to_string(), example, "{}", key.key);
    }
    assert_eq!(described.settings["archiving"], "yes");
    assert_eq!(described.prices.len(), 1);
    assert_eq!(described.costs().unwrap().terms.unwrap().matches("1 EUR = 1.08 USD (2026-11-01)").count(), 1);
    assert_eq!(described.remarks[0].subject.kind, SubjectKind::Test);
    assert_eq!(described.conclusion.as_ref().unwrap().split("\n\n").count(), 2);
    assert_eq!(described.file, "platform.toml");
    assert!(message(&platform_template()).contains("it says nothing"));
}

/// Whatever may be written is shown, has another use, or is refused.
#[test]
fn no_key_is_ignored() {
    let mut used: BTreeSet<&str> =
        ["notes", "config", "oracle_core_factor", "list_price_bound", "list_price_date", "list_price_database_scope"]
            .into();
    used.extend(["list_price_server_usd", "list_price_storage_usd", "list_price_database_usd", "list_price_other_usd"]);
    used.extend(OF_PUBLICATIONS.iter().map(|(key, _)| *key));
    for table in [DescribedTable::Platform, DescribedTable::Storage, DescribedTable::Licences] {
        // No known key is near this one, so the message lists all.
        let said = message(&format!("[{}]\nzzzzzzzzzzzzzzz = 1\n", table.name()));
        let (_, known) = said.split_once("it can be ").unwrap_or_else(|| panic!("{said}"));
        let known = known.trim_end_matches(" (line 2)").split(", ").collect::<Vec<_>>();
        assert!(known.len() >= 5, "{known:?}");
        for key in known {
            let is_fact = dbdyno_model::DescribedKey::of(table).any(|k| k.key == key);
            assert!(is_fact || (table == DescribedTable::Platform && used.contains(key)), "{key} is ignored");
        }
    }
}

#[test]
fn an_unusable_file_is_refused_by_line_and_key() {
    let price = "[[price]]\nof = \"server\"\namount = 5\ncurrency = \"CHF\"\n";
    let long = "x".repeat(501);
    for (text, parts) in [
        ("[storage]\nque_depth = 3\n", ["[storage]", "unknown key 'que_depth'; did you mean 'queue_depth'?", "line 2"]),
        ("[storage]\n\nluns = \"four\"\n", ["[storage]", "key 'luns'", "line 3"]),
        ("[storage]\nraid = \"5\"\nluns = 0\n", ["[storage]", "key 'luns': it must be at least 1", "line 3"]),
        ("[storage]\nluns = -1\n", ["[storage]", "key 'luns'", "line 2"]),
        ("[storage]\nusable_tib = inf\n", ["[storage]", "'usable_tib': it must be a number above zero", "line 2"]),
        (
            "[storage]\nhba = \"a\\u001b[2J\"\n",
            ["[storage]", "key 'hba': it has a control character (U+001B)", "line 2"],
        ),
        ("[storage]\nhba = \"\"\n", ["[storage]", "key 'hba': it is empty", "line 2"]),
        (&format!("[storage]\nhba = \"{long}\"\n"), ["[storage]", "key 'hba': it has 501 characters", "line 2"]),
        ("[storrage]\nluns = 4\n", ["head", "unknown key 'storrage'; did you mean 'storage'?", "line 1"]),
        ("conclusion = \"good\"\n", ["[conclusion]", "'conclusion' must be a table", "line 1"]),
        ("[platform]\nyear = 2026\n", ["[platform]", "key 'year' says nothing of a run's platform", "line 2"]),
        ("[platform]\nruns = [\"x\"]\n", ["[platform]", "the command names the runs", "line 2"]),
        ("[platform.config]\nx = \"\\u0007\"\n", ["[platform]", "setting 'x'", "control character"]),
        ("[platform]\nnotes = [\"\\u0000\"]\n", ["[platform]", "key 'notes'", "line 2"]),
        ("[[series]]\ntest = \"T611\"\n", ["'series' holds results", "--catalogue", "line 1"]),
        ("[[price]]\nof = \"server\"\namount = 5\n", ["[[price]] server", "the key 'currency' is missing", "line 1"]),
        (&price.replace("CHF", "euro"), ["[[price]] server", "'euro' is no currency", "line 4"]),
        (&price.replace('5', "-5"), ["[[price]] server", "key 'amount': it must be a number from 0 on", "line 3"]),
        (&price.replace('5', "nan"), ["[[price]] server", "key 'amount'", "line 3"]),
        (&format!("{price}{price}"), ["[[price]] server", "another price of 'server'", "line 6"]),
        (
            &format!("{price}{}", price.replace("server", "storage").replace("CHF", "USD")),
            ["[[price]] storage", "several currencies", "one CHF is worth"],
        ),
        (&format!("{price}[rates]\neur = 1.1\n"), ["[rates]", "'eur' is no currency", "line 6"]),
        (&format!("{price}[rates]\nCHF = 0\n"), ["[rates]", "0 is no rate", "line 6"]),
        (&format!("{price}[rates]\nCHF = \"1.1\"\n"), ["[rates]", "key 'CHF': it must be a number", "line 6"]),
        (&format!("{price}[rates]\nUSD = 2\n"), ["[rates]", "one US dollar is worth 1", "line 6"]),
        (
            "[platform]\noracle_core_factor = 0.5\n[licences]\ncore_factor = 0.5\n",
            ["[platform]", "leave one of them away", "line 2"],
        ),
        ("[[remark]]\ntest = \"T661\"\ntext = \"x\"\n", ["[[remark]] T661", "nearest: T611", "line 2"]),
        ("[[remark]]\ntext = \"x\"\n", ["[[remark]]", "one of the keys 'test' and 'workload'", "line 1"]),
        ("[[remark]]\nworkload = \"a b\"\ntext = \"x\"\n", ["[[remark]]", "key 'workload'", "line 2"]),
        ("[conclusion]\ntext = \" \"\n", ["[conclusion]", "key 'text': it is empty", "line 2"]),
        ("[platform]\n", ["head", "it says nothing", "--template"]),
        ("", ["head", "it says nothing", "platform.toml"]),
        ("[storage\n", ["platform.toml", "head", "line 1"]),
    ] {
        let said = message(text);
        assert!(parts.iter().all(|part| said.contains(part)), "{said}\n{text}");
        assert!(said.starts_with("mine/platform.toml: "), "{said}");
    }
}

#[test]
fn what_was_said_arrives() {
    let described = read(
        "[platform]\nname = \"Shop\"\nmemory_gib = 192\nghz = 2.5\nlist_price_server_usd = 9000\n\
         list_price_date = \"2026\"\noracle_core_factor = 0.5\n\
         [[price]]\nof = \"storage\"\namount = 1000\ncurrency = \"EUR\"\n[rates]\nEUR = 1.5\n\
         [[remark]]\ntest = \"t611\"\ntext = \"one\\r\\ntwo\"\n[[remark]]\nworkload = \"tpcb\"\ntext = \"three\"\n",
    );
    assert_eq!(described.platform["memory_gib"], DescribedValue::Count(192));
    assert_eq!(described.platform["ghz"], DescribedValue::Number(2.5));
    let costs = described.costs().unwrap();
    assert_eq!((costs.total_usd(), costs.licences_per_core), (Some(10_500.0), Some(0.5)));
    assert_eq!(costs.terms.as_deref(), Some("list price, 2026, 1 EUR = 1.5 USD"));
    assert_eq!(described.remarks[0].subject.name, "T611");
    assert_eq!(described.remarks[0].text, "one\ntwo");
    assert_eq!(described.remarks[1].subject.kind, SubjectKind::Workload);
}

#[test]
fn a_published_platform_may_have_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("platforms")).unwrap();
    let write = |text: &str| std::fs::write(folder.path().join("platforms/mine.toml"), text).unwrap();
    let head = "[platform]\nid = \"mine\"\nname = \"Mine\"\nyear = 2026\nlist_price_server_usd = 5\n";
    write(&format!(
        "{head}kernel = \"6.1\"\n[storage]\nluns = 4\n[[price]]\nof = \"disks\"\namount = 7\ncurrency = \"USD\"\n"
    ));
    let catalogue = Catalogue::with_overrides(folder.path()).unwrap();
    let run = catalogue.platform("mine").unwrap();
    assert_eq!(run.costs.as_ref().and_then(|c| c.total_usd()), Some(12.0));
    assert_eq!(run.platform.kernel.as_deref(), Some("6.1"));
    let described = run.described.unwrap();
    assert_eq!((described.storage.len(), described.platform.len()), (1, 0), "the rest is the platform itself");
    write(head);
    assert_eq!(Catalogue::with_overrides(folder.path()).unwrap().platform("mine").unwrap().described, None);
}

/// The page for users has a line for each key.
#[test]
fn the_page_explains_every_key() {
    let page = include_str!("../../../../docs/platform-files.md");
    for key in dbdyno_model::DescribedKey::all() {
        let unit = key.unit.as_ref().map(|unit| format!(", {unit}")).unwrap_or_default();
        let line = format!("| `{}` | {}{unit} | {} |", key.key, key.kind.words(), key.what);
        assert!(page.contains(&line), "docs/platform-files.md lacks: {line}");
    }
    let (_, example) = page.split_once("```toml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let described = read(example);
    assert!(described.prices.len() >= 2 && !described.remarks.is_empty() && described.conclusion.is_some());
}

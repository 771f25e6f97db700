//! Exports of runs that were tampered with. A refused document changes nothing; an accepted one can be shown.

use crate::support::{Ending, Room};
use crate::{Numbers, end_of, with_each_case};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// A run of the client drive, which has histograms.
fn exported() -> String {
    let room = Room::with_data();
    // Whether the machine had time for the load does not matter here.
    room.run("run T611 --target sqlite:x.sqlite --drive client --ramp 1,2 --duration 300ms --label mine");
    let said = "[platform]\nname = \"x\"\n[storage]\nluns = 4\n[licences]\ncount = 2\n[[price]]\nof = \"disks\"\namount = 5\n\
                currency = \"EUR\"\n[rates]\nEUR = 1.5\n[[remark]]\ntest = \"T611\"\ntext = \"y\"\n[conclusion]\ntext = \"z\"\n";
    std::fs::write(room.path("platform.toml"), said).unwrap();
    room.run("describe mine --file platform.toml").expect(0);
    room.run("export mine").expect(0).stdout
}

/// Values that no writer would use there.
fn hostile(numbers: &mut Numbers) -> Value {
    let values = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1u64 << 53),
        json!(u32::MAX),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(""),
        json!("x".repeat(100_000)),
        json!("\u{0}\u{1b}[2J\u{202e}"),
        json!("../../../etc/passwd"),
        json!("</script><script>alert(1)</script>"),
        json!("9999-12-30T23:59:59Z"),
        json!("-009999-01-02T01:59:59Z"),
        json!([]),
        json!({}),
        json!([[[[[[[[[[[[]]]]]]]]]]]]),
        json!(vec![Value::Null; 1_000]),
    ];
    numbers.one_of(&values)
}

/// The JSON pointers of all values in a document.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(object) => object.iter().for_each(|(name, value)| {
            let name = name.replace('~', "~0").replace('/', "~1");
            pointers(value, &format!("{at}/{name}"), all);
        }),
        Value::Array(list) => list.iter().enumerate().for_each(|(n, value)| pointers(value, &format!("{at}/{n}"), all)),
        _ => {}
    }
}

/// Changes the document as JSON.
fn change(document: &str, numbers: &mut Numbers, change: impl Fn(&mut Value, &mut Numbers)) -> Vec<u8> {
    let mut document: Value = serde_json::from_str(document).unwrap();
    for _ in 0..=numbers.below(3) {
        let mut all = Vec::new();
        pointers(&document, "", &mut all);
        let at = numbers.one_of(&all[1..]);
        if let Some(value) = document.pointer_mut(&at) {
            change(value, numbers);
        }
    }
    document.to_string().into_bytes()
}

/// Changes the document as text.
fn scramble(document: &str, numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = document.as_bytes().to_vec();
    for _ in 0..=numbers.below(3) {
        if bytes.is_empty() {
            break;
        }
        let from = numbers.below(bytes.len());
        let to = (from + 1 + numbers.below(500)).min(bytes.len());
        match numbers.below(4) {
            0 => bytes[from] = numbers.draw() as u8,
            1 => _ = bytes.drain(from..to),
            2 => _ = bytes.splice(from..from, bytes[from..to].to_vec()),
            _ => bytes.truncate(from.max(1)),
        }
    }
    bytes
}

/// Repeats one line: a key of an object, or an element of a list.
fn repeat_a_line(document: &str, numbers: &mut Numbers) -> Vec<u8> {
    let mut lines: Vec<&str> = document.lines().collect();
    let whole: Vec<usize> =
        (0..lines.len()).filter(|n| lines[*n].ends_with(',') && lines[*n].contains("\": ")).collect();
    let at = numbers.one_of(&whole);
    lines.insert(at, lines[at]);
    lines.join("\n").into_bytes()
}

/// Changes some characters of a histogram, mostly in its header.
fn tamper_with_a_histogram(document: &str, numbers: &mut Numbers) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    const NAME: &str = "\"hdr_v2_base64\": \"";
    let begins: Vec<usize> = document.match_indices(NAME).map(|(at, _)| at + NAME.len()).collect();
    let begin = numbers.one_of(&begins);
    let length = document[begin..].find('"').unwrap();
    let most = if numbers.below(2) == 0 { length.min(56) } else { length };
    let mut bytes = document.as_bytes().to_vec();
    for _ in 0..=numbers.below(5) {
        bytes[begin + numbers.below(most)] = numbers.one_of(ALPHABET);
    }
    bytes
}

/// Any other text.
fn something_else(numbers: &mut Numbers) -> Vec<u8> {
    match numbers.below(8) {
        0 => Vec::new(),
        1 => "[".repeat(200_000).into_bytes(),
        2 => "{\"plan\":".repeat(100_000).into_bytes(),
        3 => b"null".to_vec(),
        4 => "\u{feff}{}".into(),
        5 => b"{\"schema_version\":1e400,\"plan\":{}}".to_vec(),
        6 => b"{\"schema_version\":1,\"plan\":{},\"plan_indexes\":[],\"histograms\":[]}".to_vec(),
        _ => (0..1_000).map(|_| numbers.draw() as u8).collect(),
    }
}

fn tampered(document: &str, numbers: &mut Numbers) -> Vec<u8> {
    match numbers.below(10) {
        0..=3 => change(document, numbers, |value, numbers| *value = hostile(numbers)),
        4 => change(document, numbers, |value, numbers| match value {
            Value::Object(object) if !object.is_empty() => {
                let name = object.keys().nth(numbers.below(object.len())).unwrap().clone();
                object.remove(&name);
            }
            Value::Array(list) if !list.is_empty() => list.push(list[numbers.below(list.len())].clone()),
            Value::String(text) => *text = text.chars().rev().collect(),
            other => *other = hostile(numbers),
        }),
        5 => scramble(document, numbers),
        6 => repeat_a_line(document, numbers),
        7 | 8 => tamper_with_a_histogram(document, numbers),
        _ => something_else(numbers),
    }
}

#[test]
fn five_hundred_hostile_imports_are_refused_or_can_be_shown() {
    let document = exported();
    let (taken, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    with_each_case(|cases| {
        let room = Room::new();
        let run = |line: &str, case: u64| -> Ending { end_of(room.command(line), &format!("case {case}: {line}")) };
        for case in cases {
            std::fs::write(room.path("run.json"), tampered(&document, &mut Numbers::of(case))).unwrap();
            let ending = run("import run.json", case);
            match ending.code {
                Some(2) => {
                    refused.fetch_add(1, Ordering::Relaxed);
                    assert!(ending.stderr.starts_with("dbdyno: cannot import run.json: "), "case {case}: {ending:?}");
                    assert!(ending.stdout.is_empty() && !room.path("dbdyno.db").exists(), "case {case}: {ending:?}");
                }
                Some(0) => {
                    taken.fetch_add(1, Ordering::Relaxed);
                    for line in
                        ["show last", "show last --json", "report last -o page.html", "export last --format csv"]
                    {
                        assert_eq!(run(line, case).code, Some(0), "case {case}: {line}");
                    }
                    std::fs::remove_file(room.path("dbdyno.db")).unwrap();
                }
                _ => panic!("case {case}: {ending:?}"),
            }
        }
    });
    // If all documents were refused, or all accepted, only one half would be tested.
    let (taken, refused) = (taken.into_inner(), refused.into_inner());
    assert!(taken > 25 && refused > 25, "{taken} taken, {refused} refused");
}

//! What users say of the platforms of their own runs: attached, shown beside what was seen, replaced, removed, and
//! carried along; files that cannot be used change nothing.

use crate::support::{Room, text};
use serde_json::Value;

const PLATFORM: &str = r#"
[platform]
name = "The shop's server"
cores = 4096
notes = ["A <b>note</b> of the owner."]
[platform.config]
archiving = true
[storage]
array = "1 x <script>alert(1)</script>"
luns = 16
[licences]
core_factor = 0.5
[rates]
EUR = 1.5
[[price]]
of = "server"
amount = 6000
currency = "EUR"
[[price]]
of = "storage"
amount = 1000
currency = "USD"
[[remark]]
test = "T611"
text = "One socket was shut off."
[[remark]]
test = "T711"
text = "Nobody measured it."
[conclusion]
text = "It is <i>fast</i> enough."
"#;

/// A room with runs of the null engine with these labels, and a platform file.
fn room_with(labels: &[&str]) -> Room {
    let room = Room::new();
    for label in labels {
        room.run(&format!("run T611 --target null: --ramp 1 --duration 20ms --label {label} -q")).expect(0);
    }
    std::fs::write(room.path("platform.toml"), PLATFORM).unwrap();
    room
}

fn ids(room: &Room) -> Vec<String> {
    room.runs().iter().map(|run| text(run, "/id").to_owned()).collect()
}

#[test]
fn a_run_is_described_by_its_id_and_the_runs_of_a_label_by_it() {
    let room = room_with(&["before", "before", "after"]);
    let all = ids(&room);
    let seen = room.show(&all[0])["platform"].clone();
    let said = room.run(&format!("describe {} --file platform.toml", all[0])).expect(0).stdout;
    assert!(
        said.starts_with(&format!("Run {} (after) is described by platform.toml now: 6 facts, 2 prices", all[0])),
        "{said}"
    );
    assert!(said.contains("Cores: it says 4096, and dbdyno saw "), "{said}");
    assert!(said.contains("Remarks on T711 are not shown"), "{said}");
    let document = room.show("after");
    assert_eq!(document["platform"], seen, "what was seen stays");
    assert_eq!(document["described"]["storage"]["luns"], 16);
    assert_eq!(document["described"]["differs"][0]["key"], "platform.cores");
    assert_eq!(document["described"]["remarks"][0]["subject"]["name"], "T611");
    assert_eq!(document["costs"]["prices_usd"]["server"], 9000.0);
    assert_eq!(room.show(&all[1])["described"], Value::Null);

    let answer = room.run("describe before --file platform.toml --json").expect(0).json();
    assert_eq!(answer["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!((answer["replaced"].as_u64(), &answer["unseen"][0]), (Some(0), &Value::from("T711")));
    for id in &all {
        assert_eq!(room.show(id)["described"]["file"], "platform.toml");
    }
    let sheet = room.run("show before --table platform").expect(0).stdout;
    for part in ["Storage, as its owner says", "1 x <script>", "6,000 EUR (9,000 USD)", "said 4096, seen "] {
        assert!(sheet.contains(part), "{part}: {sheet}");
    }
    // A remark stands beside the figures of its test, and the conclusion before all.
    std::fs::write(
        room.path("said.toml"),
        "[[remark]]\ntest = \"T611\"\ntext = \"<i>One</i> socket\"\n[conclusion]\ntext = \"<b>Good</b> enough\"\n",
    )
    .unwrap();
    room.run("describe after --file said.toml").expect(0);
    let shown = room.run("show after").expect(0).stdout;
    assert!(shown.contains("Remark of its owner: <i>One</i> socket"), "{shown}");
    assert!(shown.contains("Conclusion of its owner: <b>Good</b> enough"), "{shown}");
    room.run("report after -o said.html").expect(0);
    let page = std::fs::read_to_string(room.path("said.html")).unwrap();
    for part in ["&lt;i&gt;One&lt;/i&gt; socket", "&lt;b&gt;Good&lt;/b&gt; enough"] {
        assert!(page.contains(part), "{part} in the page");
    }
}

#[test]
fn what_a_platform_costs_divides_its_throughput() {
    let room = Room::with_data();
    for label in ["before", "after"] {
        let line = format!("run T611 --target sqlite:x.sqlite --ramp 1 --duration 700ms --label {label} -q");
        room.run(&line).expect(0);
    }
    std::fs::write(room.path("platform.toml"), PLATFORM).unwrap();
    room.run("describe before --file platform.toml").expect(0);
    std::fs::write(room.path("other.toml"), PLATFORM.replace("6000", "13000")).unwrap();
    room.run("describe after --file other.toml").expect(0);
    let both = room.run("compare before after --json").expect(0).json();
    assert_eq!((&both["sides"][0]["price_usd"], &both["sides"][1]["price_usd"]), (&10_000.0.into(), &20_500.0.into()));
    assert!(both["sides"][0]["licences"].is_number(), "{both:#}");
    let per: Vec<&str> = both["efficiency"].as_array().unwrap().iter().map(|e| text(e, "/per")).collect();
    assert!(per.iter().any(|p| p.contains("usd")) && per.iter().any(|p| p.contains("licence")), "{per:?}");
}

#[test]
fn a_second_file_takes_the_place_of_the_first_and_all_can_be_taken_away() {
    let room = room_with(&["before"]);
    let bare = room.show("last");
    room.run("describe last --file platform.toml").expect(0);
    std::fs::write(room.path("second.toml"), "[storage]\nraid = \"RAID-6\"\n").unwrap();
    let said = room.run("describe last --file second.toml").expect(0).stdout;
    assert!(said.contains("is described by second.toml now, in place of what was said before: 1 fact\n"), "{said}");
    let document = room.show("last");
    assert_eq!(document["described"]["storage"], serde_json::json!({ "raid": "RAID-6" }));
    assert_eq!((&document["costs"], &document["described"]["platform"]), (&Value::Null, &Value::Null));
    let said = room.run("describe last --remove").expect(0).stdout;
    assert!(said.ends_with("is no longer described\n"), "{said}");
    assert_eq!(room.show("last"), bare);
    let said = room.run("describe last --remove").expect(0).stdout;
    assert!(said.ends_with("has no description: nothing was changed\n"), "{said}");
}

#[test]
fn what_cannot_be_used_is_refused_and_changes_nothing() {
    let room = room_with(&["before"]);
    room.run("describe last --file platform.toml").expect(0);
    let before = room.show("last");
    let refused = |line: &str, words: &str| {
        let ending = room.run(line).expect(2);
        assert!(ending.stderr.contains(words), "{line}\n{}", ending.stderr);
        assert_eq!(ending.stdout, "");
        assert_eq!(room.show("last"), before, "{line}");
    };
    for (file, words) in [
        (
            "[storage]\narray = \"x\"\nque_depth = 3\n",
            "dbdyno: bad.toml: [storage]: unknown key 'que_depth'; did you mean 'queue_depth'? (line 3)\n",
        ),
        ("[storage]\nluns = \"four\"\n", "bad.toml: [storage]: key 'luns': "),
        ("[storage]\narray = \"\\u001b[2J\"\n", "key 'array': it has a control character (U+001B)"),
        ("[[remark]]\ntest = \"T661\"\ntext = \"x\"\n", "nearest: T611"),
        ("[[remark]]\nworkload = \"tpcd\"\ntext = \"x\"\n", "did you mean 'tpcb'?"),
        ("[[price]]\nof = \"server\"\namount = 1\ncurrency = \"euro\"\n", "(line 4)"),
        ("[[kpi]]\ntest = \"T611\"\n", "'kpi' holds results"),
        ("", "it says nothing; `dbdyno describe --template` shows what it can say"),
        ("x = [\n", "bad.toml: "),
    ] {
        std::fs::write(room.path("bad.toml"), file).unwrap();
        refused("describe last --file bad.toml", words);
    }
    std::fs::write(room.path("bad.toml"), format!("# {}\n{PLATFORM}", "x".repeat(300 << 10))).unwrap();
    refused("describe last --file bad.toml", "it is longer than 262144 bytes");
    std::fs::write(room.path("bad.toml"), b"[platform]\nname = \"\xff\"\n").unwrap();
    refused("describe last --file bad.toml", "it is no text in UTF-8");
    refused("describe last --file missing.toml", "cannot read the description from missing.toml");
    refused("describe last --file .", "it is no plain file");
    refused("describe befor --file platform.toml", "did you mean before?");
    refused("describe hp_dl980_violin_2012 --file platform.toml", "is a published platform");
    refused("describe last", "--file <FILE>|--remove|--template");
    refused("describe last --file platform.toml --remove", "cannot be used with");

    let empty = Room::new();
    std::fs::write(empty.path("platform.toml"), PLATFORM).unwrap();
    let ending = empty.run("describe last --file platform.toml").expect(2);
    assert!(ending.stderr.contains("there are no results in"), "{}", ending.stderr);
    assert!(!empty.path("dbdyno.db").exists());
}

#[test]
fn the_template_has_every_key_and_says_nothing_by_itself() {
    let room = room_with(&["before"]);
    let template = room.run("describe --template").expect(0).stdout;
    assert!(template.contains("\n# queue_depth = 64\n") && template.contains("\n# [[remark]]\n"), "{template}");
    std::fs::write(room.path("mine.toml"), &template).unwrap();
    room.run("describe last --file mine.toml").expect(2);
    let filled = template.replace("\n# [storage]\n", "\n[storage]\n").replace("\n# luns = 16\n", "\nluns = 16\n");
    std::fs::write(room.path("mine.toml"), filled).unwrap();
    room.run("describe last --file mine.toml").expect(0);
    assert_eq!(room.show("last")["described"]["storage"], serde_json::json!({ "luns": 16 }));
}

#[test]
fn text_of_an_owner_is_harmless_on_a_page_and_a_terminal() {
    let room = room_with(&["before", "after"]);
    let hostile = PLATFORM.replace("It is <i>", "\\u202eIt is </script><i>");
    std::fs::write(room.path("hostile.toml"), hostile).unwrap();
    room.run("describe before --file hostile.toml").expect(0);
    for line in ["show before --table platform", "show before", "describe before --file hostile.toml"] {
        let page = room.run(line).expect(0).stdout;
        assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'), "{line}: {page}");
    }
    room.run("report before -o one.html").expect(0);
    room.run("report before after -o both.html").expect(0);
    for name in ["one.html", "both.html"] {
        let page = std::fs::read_to_string(room.path(name)).unwrap();
        assert!(page.contains("&lt;script&gt;alert(1)"), "{name} has what was said");
        for tag in ["<script>alert", "<i>fast", "<b>note", "</script><i>", "\u{202e}"] {
            assert!(!page.contains(tag), "{name}: {tag}");
        }
    }
}

#[test]
fn a_description_goes_with_an_exported_run() {
    let here = room_with(&["before"]);
    here.run("describe before --file platform.toml").expect(0);
    let document = here.run("export before").expect(0).stdout;
    let there = Room::new();
    std::fs::write(there.path("run.json"), &document).unwrap();
    there.run("import run.json").expect(0);
    assert_eq!(there.show("before"), here.show("before"));
    // What is said there stays; it may be taken away, and then comes from the document again.
    std::fs::write(there.path("own.toml"), "[storage]\nraid = \"RAID-1\"\n").unwrap();
    there.run("describe before --file own.toml").expect(0);
    let said = there.run("import run.json").expect(0).stdout;
    assert!(said.contains("The file says something else of its platform; `dbdyno describe"), "{said}");
    assert_eq!(there.show("before")["described"]["file"], "own.toml");
    there.run("describe before --remove").expect(0);
    assert_eq!(there.run("import run.json --json").expect(0).json()["description"], "added");
    assert_eq!(there.show("before"), here.show("before"));

    // What a file may not say, a document may not either.
    let run: Value = serde_json::from_str(&document).unwrap();
    for (key, value, words) in [
        ("/storage/array", "\u{1b}[2J".into(), "control character"),
        ("/storage/array", "x".repeat(600).into(), "600 characters"),
        ("/storage/array", 7.into(), "must be text"),
        ("/prices/0/amount", (-1).into(), "a price is from 0"),
        ("/remarks/0/subject/name", "fast".into(), "key 'remarks.subject'"),
    ] {
        let mut bad = run.clone();
        *bad["described"].pointer_mut(key).unwrap_or_else(|| panic!("{key}")) = value;
        std::fs::write(there.path("bad.json"), bad.to_string()).unwrap();
        let ending = there.run("import bad.json").expect(2);
        assert!(ending.stderr.contains("its description of the platform: "), "{}", ending.stderr);
        assert!(ending.stderr.contains(words), "{}", ending.stderr);
    }
}

#[test]
fn resume_leaves_a_description_as_it_is() {
    let room = room_with(&[]);
    let line = "run T512 T511 T611 --jobs 1 --threads 1 --duration 10ms \
                --target null:?delay_us=50000&error_at=2&error_class=connection_lost";
    room.run(line).expect(3);
    room.run("describe last --file platform.toml").expect(0);
    let before = room.show("last");
    let after = room.run("resume last --target null: --json").expect(0).json();
    assert_eq!(after["run"]["status"], "done");
    assert_eq!(after["described"], before["described"]);
    assert_eq!(room.show("last"), after);
}

/// What stood in a catalogue's file beside its prices was ignored once.
#[test]
fn a_file_of_a_catalogue_describes_the_runs_that_it_names() {
    let room = room_with(&["before", "other"]);
    std::fs::create_dir_all(room.path("mine/platforms")).unwrap();
    let head = "[platform]\nid = \"shop\"\nname = \"Shop\"\nruns = [\"before\"]\nlist_price_server_usd = 9000\n";
    let file = format!("{head}storage = \"one array\"\n[platform.config]\narchiving = true\n");
    std::fs::write(room.path("mine/platforms/shop.toml"), &file).unwrap();
    let show = |run: &str| room.run(&format!("show {run} --json --catalogue mine")).expect(0).json();
    let document = show("before");
    assert_eq!(document["described"]["platform"]["storage"], "one array");
    assert_eq!(document["described"]["settings"]["archiving"], "yes");
    assert_eq!(document["costs"]["prices_usd"]["server"], 9000.0);
    assert_eq!(show("other")["described"], Value::Null);
    // A run is measured and shown as one document.
    let line = "run T611 --target null: --ramp 1 --duration 20ms --label before -q --json --catalogue mine";
    assert_eq!(room.run(line).expect(0).json(), show("before"));
    // What was attached precedes it.
    room.run("describe before --file platform.toml").expect(0);
    assert_eq!(show("before")["described"]["file"], "platform.toml");
    std::fs::write(room.path("mine/platforms/shop.toml"), file.replace("storage", "storrage")).unwrap();
    let refused = room.run("show other --catalogue mine").expect(2).stderr;
    assert!(refused.contains("unknown key 'storrage'; did you mean 'storage'?"), "{refused}");
}

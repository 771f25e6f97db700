//! Comparing runs and reference platforms: the command line, the output, and the exit code.

use crate::support::Room;

/// A room with runs of the null engine with these labels.
fn room_with(labels: &[&str]) -> Room {
    let room = Room::new();
    for label in labels {
        room.run(&format!("run T611 --target null: --ramp 1 --duration 20ms --label {label} -q")).expect(0);
    }
    room
}

#[test]
fn platforms_are_listed_and_shown_without_any_results() {
    let room = Room::new();
    let list = room.run("list platforms --json").expect(0).json();
    let ids: Vec<&str> = list.as_array().unwrap().iter().filter_map(|p| p["id"].as_str()).collect();
    assert!(ids.len() == 15 && ids.contains(&"hp_dl980_violin_2012"), "{ids:?}");
    assert!(list.as_array().unwrap().iter().all(|p| p["source"].as_str().is_some_and(|s| s.len() > 20)), "{list:#}");
    let page = room.run("show hp_dl980_violin_2012").expect(0).stdout;
    for part in
        ["Key metrics of HP ProLiant DL980", "Source    untitled Benchware", "4.599E+03", "cursor: pin S", "cold cache"]
    {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let document = room.run("show ibm_p8_e870_2016 --json").expect(0).json();
    assert_eq!(document["published"]["figures"][0]["printed"]["value"], 10204.0);
    let one = room.run("show hp_dl980_violin_2012 --test T616 --json").expect(0).json();
    assert!(one["points"].as_array().unwrap().iter().all(|p| p["test"] == "T616"));
    room.run("show hds_ucp_flash_2013 --table 8.4").expect(0);
}

#[test]
fn runs_of_a_label_are_a_sample_in_which_a_loss_can_be_shown() {
    let run = |room: &Room, label: &str| {
        // One does a thousandth of the other's work.
        let target = if label == "slow" { "null:?speed=1000" } else { "null:" };
        room.run(&format!("run T611 --target {target} --ramp 1 --duration 500ms --label {label} -q")).expect(0);
    };
    let room = Room::new();
    ["fast", "slow"].iter().for_each(|label| run(&room, label));
    let single = room.run("compare fast slow --max-regression 5%").expect(0).stdout;
    assert!(single.contains("run-to-run spread unknown"), "{single}");
    assert!(single.contains("2 rows could not be judged"), "{single}");

    ["fast", "slow", "fast", "slow"].iter().for_each(|label| run(&room, label));
    let both = room.run("compare fast slow --json").expect(0).json();
    assert_eq!(both["sides"][0]["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(both["rows"][0]["cells"][1]["ratio"]["verdict"], "worse", "{both:#}");
    let lost = room.run("compare fast slow --max-regression 5%").expect(1);
    assert_eq!(lost.stderr, "dbdyno: 2 rows are shown to be worse than the baseline by more than 5 %\n");
    assert!(lost.stdout.contains("2 of 2 rows broke the limit"), "{}", lost.stdout);
    let summary = room.run("compare fast slow --max-regression 5% --markdown --junit compared.xml").expect(1).stdout;
    assert!(summary.starts_with("# fast and slow\n\n**✗** 2 rows of 2 are shown"), "{summary}");
    let junit = std::fs::read_to_string(room.path("compared.xml")).unwrap();
    assert!(junit.contains("tests=\"2\" failures=\"2\""), "{junit}");
    for (line, said) in [
        ("compare fast slow --markdown --json", "cannot be used with"),
        ("compare fast slow --junit x.xml", "--max-regression"),
        ("compare fast slow --max-regression 5% --junit dbdyno.db", "it holds something else"),
    ] {
        let refused = room.run(line).expect(2);
        assert!(refused.stdout.is_empty() && refused.stderr.contains(said), "{line}: {}", refused.stderr);
    }
    room.run("compare slow fast --max-regression 5%").expect(0);
    room.run("compare fast slow --baseline slow --max-regression 5%").expect(0);

    let beside = room.run("compare last hp_dl980_violin_2012").expect(0).stdout;
    assert!(beside.contains("NOT LIKE WITH LIKE") && beside.contains("different engines"), "{beside}");
    assert!(beside.contains("Source of B: untitled Benchware"), "{beside}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let room = room_with(&["before"]);
    let refused = |line: &str, words: &str| {
        let ending = room.run(line).expect(2);
        assert!(ending.stderr.contains(words), "{line}\n{}", ending.stderr);
        assert_eq!(ending.stdout, "");
    };
    refused("compare before", "of 2 to 20 runs or platforms; 1 were named");
    refused(&format!("compare {}", "x ".repeat(21)), "21 were named");
    refused("compare before befor", "there is no run 'befor'");
    refused("compare before befor", "did you mean before?");
    refused("compare before hp_dl98_violin_2012", "did you mean hp_dl980_violin_2012?");
    refused("compare before before", "'before' is named twice");
    refused("compare before aws_r5", "nothing in common");
    refused("compare before hp_dl980_violin_2012 --test T1*", "among T1*");
    refused("compare before hp_dl980_violin_2012 --test T999", "there is no test 'T999'");
    refused("compare before hp_dl980_violin_2012 --baseline after", "is none of what is compared");
    refused("compare before hp_dl980_violin_2012 --max-regression five", "no percentage");

    let empty = Room::new();
    let ending = empty.run("show hp_dl980").expect(2);
    assert!(ending.stderr.contains("nearest: hp_dl980_violin_2012"), "{}", ending.stderr);
}

/// More sides than are read at the same time, in an order that is neither that of their names nor of their ages.
#[test]
fn each_side_keeps_its_place_and_its_figures() {
    let labels = ["c", "f", "a", "e", "b", "d"];
    let room = Room::new();
    for (n, label) in ["a", "b", "c", "d", "e", "f"].iter().enumerate() {
        let speed = 1_000 * (n + 1);
        let target = format!("null:?speed={speed}");
        room.run(&format!("run T611 --target {target} --ramp 1 --duration 200ms --label {label} -q")).expect(0);
    }
    let compared = room.run(&format!("compare {} --json", labels.join(" "))).expect(0).json();
    for (at, label) in labels.iter().enumerate() {
        assert_eq!(compared["sides"][at]["name"], *label);
        let own = room.show(label);
        assert_eq!(compared["sides"][at]["runs"][0], own["run"]["id"]);
        assert_eq!(compared["rows"][0]["cells"][at]["value"], own["cells"][0]["median"], "{label}");
    }
    let missing = room.run("compare c f a e b nowhere elsewhere").expect(2);
    assert!(missing.stderr.contains("'nowhere'") && !missing.stderr.contains("'elsewhere'"), "{}", missing.stderr);
}

#[test]
fn a_platform_file_of_the_users_own_is_read_or_refused_by_line_and_key() {
    let room = room_with(&["before"]);
    let file = |text: &str| {
        std::fs::create_dir_all(room.path("mine/platforms")).unwrap();
        std::fs::write(room.path("mine/platforms/shop.toml"), text).unwrap();
    };
    let head =
        "[platform]\nid = \"shop\"\nname = \"The shop's server\"\nruns = [\"before\"]\nlist_price_server_usd = 9000\n";
    let series = "[[series]]\ntest = \"T611\"\ntitle = \"lookups\"\npoints = [{ jobs = 1, tx_per_s = 5000 }]\n";
    file(&format!("{head}{series}"));
    let both = room.run("compare before shop --catalogue mine --json").expect(0).json();
    assert_eq!(both["sides"][0]["price_usd"], 9000.0);
    assert_eq!(both["rows"][0]["cells"][1]["value"], 5000.0);
    file(&format!("{head}{}", series.replace("jobs", "jops")));
    let refused = room.run("show shop --catalogue mine").expect(2);
    assert!(refused.stderr.contains("mine/platforms/shop.toml: [[series]] T611: "), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("its points are over nothing") && refused.stderr.contains("(line 6)"),
        "{}",
        refused.stderr
    );
    file(&format!("{head}prize = 1\n{series}"));
    let refused = room.run("compare before shop --catalogue mine").expect(2);
    assert!(
        refused.stderr.contains("unknown key 'prize'") && refused.stderr.contains("(line 6)"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_only_looked_like_storage_is_shown_and_never_divided() {
    let (room, memory) = (Room::with_data(), tempfile::tempdir_in("/dev/shm").unwrap());
    let file = memory.path().join("x.sqlite");
    std::fs::copy(room.path("x.sqlite"), &file).unwrap();
    for label in ["a", "b"] {
        let measured = format!("run T421 T426 --target sqlite:{} --size T --ramp 1", file.display());
        room.run(&format!("{measured} --duration 700ms --label {label} -q")).expect(0);
    }
    let both = room.run("compare a b --json").expect(0).json();
    let cells = |test: &str| {
        let row = both["rows"].as_array().unwrap().iter().find(|row| row["test"] == test).unwrap();
        row["cells"].as_array().unwrap().clone()
    };
    let (cached, barred) = (cells("T421"), cells("T426"));
    assert!(cached[1]["ratio"]["value"].is_number(), "{both:#}");
    for cell in barred {
        assert!(cell["value"].is_number() && cell.to_string().contains("served_from_os_cache"), "{cell:#}");
        assert!(cell["ratio"]["value"].is_null() && cell["rank"] == "none" && cell["heat"].is_null(), "{cell:#}");
    }
    let layers = both["layers"].to_string();
    assert!(layers.contains("server") && !layers.contains("storage"), "{layers}");
}

/// Texts of comparisons have places in braces that are filled in.
#[test]
fn a_label_in_braces_stays_as_it_is() {
    let labels = ["{other}", "{base}", "{places}"];
    let room = room_with(&labels);
    for line in ["compare {other} {base} {places}", "compare {other} {base} {places} --markdown"] {
        let said = room.run(line).expect(0).stdout;
        let shown = labels.iter().filter(|label| said.contains(**label) || said.contains(&label.replace('{', "\\{")));
        assert_eq!(shown.count(), labels.len(), "{line}: {said}");
        // The notes name the sides by their letters.
        assert!(!said.contains("The figure of {") && !said.contains("Ratios are to {"), "{line}: {said}");
    }
}

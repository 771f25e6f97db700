//! A gallery as its maker and its readers see it: the command, the folder that it makes, and its pages in a browser.

use crate::browser::Browser;
use crate::page::is_sound;
use crate::support::Room;
use crate::web_server::WebServer;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Runs that an older dbdyno has exported.
const RUNS: [&str; 3] = ["mine", "client", "disk"];

/// A room with a folder of the published platforms and three runs.
fn room() -> Room {
    let room = Room::new();
    std::fs::create_dir(room.path("runs")).unwrap();
    for entry in std::fs::read_dir(Path::new(ROOT).join("catalogue/platforms")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, room.path("runs").join(path.file_name().unwrap())).unwrap();
    }
    for run in RUNS {
        let file = Path::new(ROOT).join(format!("tests/fixtures/v1/{run}.json"));
        std::fs::copy(file, room.path(&format!("runs/{run}.json"))).unwrap();
    }
    room
}

/// The files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named =
        entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap()));
    named.collect()
}

/// The key of an exported run.
fn key(room: &Room, run: &str) -> String {
    let document: Value =
        serde_json::from_slice(&std::fs::read(room.path(&format!("runs/{run}.json"))).unwrap()).unwrap();
    format!("run-{}", document["run"]["id"].as_str().unwrap())
}

/// Waits until an expression is true in the page.
#[track_caller]
fn until(browser: &mut Browser, expression: &str) {
    let look = format!(
        "new Promise((done) => {{ const look = () => (({expression}) ? done(true) : setTimeout(look, 5)); look(); }})"
    );
    assert_eq!(browser.value(&look), true);
}

#[test]
fn a_gallery_of_the_references_and_three_runs_needs_nothing_else() {
    let room = room();
    let said = room.run("site runs --out gallery").expect(0);
    assert_eq!(said.stdout, "");
    assert!(
        said.stderr.starts_with(
            "left out, as no .toml or .json file: README.md\nwritten: gallery (15 published results and 3 runs in 39 files, "
        ),
        "{}",
        said.stderr
    );
    assert!(said.stderr.ends_with("); open gallery/index.html in a browser\n"), "{}", said.stderr);
    let gallery = room.path("gallery").canonicalize().unwrap();
    let mut browser = Browser::start();
    for page in
        ["index.html", "compare.html", "platform-hp_dl980_violin_2012.html", &format!("{}.html", key(&room, "client"))]
    {
        is_sound(&mut browser, &gallery.join(page));
    }
    // The same from a plain web server, which is asked for nothing but files of the folder.
    let server = WebServer::of(gallery.clone());
    let pair = "compare.html#a=platform-hpe_dl380_bm_2016&b=platform-hpe_dl580_bm_2016";
    for (from, path) in [(format!("file://{}", gallery.display()), "index.html"), (server.address.clone(), "")] {
        browser.open_url(&format!("{from}/{path}"), 1_280);
        assert_eq!(browser.value("document.querySelectorAll('#platforms tbody tr').length"), 18);
        assert_eq!(browser.requests(), [format!("{from}/{path}")]);
        browser.open_url(&format!("{from}/{pair}"), 400);
        until(&mut browser, "document.querySelectorAll('#figures tbody tr').length > 30");
        let wide = browser.value("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= 400, "{wide} wide on a screen of 400");
        let asked: Vec<&str> =
            browser.requests().into_iter().map(|url| url.strip_prefix(&format!("{from}/")).unwrap()).collect();
        assert_eq!(asked, ["compare.html", "platform-hpe_dl380_bm_2016.js", "platform-hpe_dl580_bm_2016.js"]);
        assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
    }
    assert_eq!(
        server.asked(),
        ["/", "/compare.html", "/platform-hpe_dl380_bm_2016.js", "/platform-hpe_dl580_bm_2016.js"]
    );
}

/// What a reader does with the index, by pointer and by keys, and what is there without a script.
#[test]
fn the_index_is_sorted_filtered_and_leads_to_a_comparison() {
    let room = room();
    room.run("site runs --out gallery -q").expect(0);
    let index = room.path("gallery/index.html").canonicalize().unwrap();
    let mut browser = Browser::start();
    browser.open(&index, 1_280);
    let shown = "[...document.querySelectorAll('#platforms tbody tr:not([hidden])')].map((row) => row.cells[0].querySelector('a').textContent)";
    let count = |browser: &mut Browser| browser.value(shown).as_array().unwrap().len();
    let set = |browser: &mut Browser, id: &str, value: &str| {
        browser.value(&format!(
            "(() => {{ const field = document.getElementById('{id}'); field.value = {}; for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind)); }})()",
            json!(value)
        ));
    };
    assert_eq!(
        (count(&mut browser), browser.value("document.getElementById('count').textContent")),
        (18, json!("18 of 18"))
    );
    set(&mut browser, "engine", "oracle");
    assert_eq!(count(&mut browser), 15);
    set(&mut browser, "size", "L");
    assert_eq!(count(&mut browser), 7);
    set(&mut browser, "text", "dl380 vmware");
    assert_eq!(browser.value(shown), json!(["HPE ProLiant DL380 Gen9, RHEL 7.2, VMware ESX 6 U2"]));
    // The address has the filters, for whoever comes back.
    assert_eq!(browser.value("location.hash"), "#text=dl380%20vmware&engine=oracle&size=L");
    browser.call("Page.reload", json!({}));
    until(&mut browser, "document.getElementById('count')?.textContent === '1 of 18'");
    for id in ["text", "engine", "size"] {
        set(&mut browser, id, "");
    }
    set(&mut browser, "layer", "Storage");
    let heads = "[...document.querySelectorAll('#platforms thead tr:last-child th:not([hidden])')].map((head) => head.dataset.layer ?? '')";
    let heads: Vec<String> = serde_json::from_value(browser.value(heads)).unwrap();
    assert!(heads.len() > 4 && heads[3..].iter().all(|layer| layer == "Storage"), "{heads:?}");
    assert!(browser.value(shown).as_array().unwrap().iter().any(|name| name.as_str().unwrap().starts_with("disk")));
    set(&mut browser, "layer", "");
    set(&mut browser, "from", "runs of dbdyno");
    assert_eq!(count(&mut browser), 3);
    set(&mut browser, "from", "");

    // By keys: to a column's head, which sorts; figures with a doubt that bars them come after the sound ones.
    let cells = "[...document.querySelectorAll('#platforms tbody tr')].map((row) => row.cells[n])";
    let mixed = format!(
        "[...document.querySelectorAll('#platforms thead button')].find((button) => {{ const n = button.closest('th').cellIndex; \
         const there = {cells}.filter((cell) => cell.textContent); \
         return n > 2 && there.some((cell) => cell.className === 'u') && there.filter((cell) => cell.className === '').length > 2 }})"
    );
    browser.value(&format!("(() => {{ window.head = {mixed}; head.focus(); }})()"));
    for kind in ["keyDown", "keyUp"] {
        let key = json!({"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"});
        browser.call("Input.dispatchKeyEvent", key);
    }
    assert_eq!(browser.value("head.closest('th').getAttribute('aria-sort')"), "descending");
    let column = format!(
        "(() => {{ const n = head.closest('th').cellIndex; return {cells}.map((cell) => [cell.firstChild?.textContent ?? '', cell.className]) }})()"
    );
    let sorted: Vec<(String, String)> = serde_json::from_value(browser.value(&column)).unwrap();
    let place = |(text, class): &(String, String)| (text.is_empty(), class == "u");
    assert!(sorted.iter().map(place).is_sorted(), "{sorted:?}");
    let sound = sorted.iter().filter(|of| place(of) == (false, false));
    let sound: Vec<f64> = sound.map(|(text, _)| text.replace(',', "").parse().unwrap()).collect();
    assert!(sound.len() > 2 && sound.iter().rev().is_sorted(), "{sorted:?}");

    // Two are chosen, and a third takes the place of the first.
    browser
        .value("document.querySelectorAll('#platforms tbody input').forEach((box, n) => { if (n < 3) box.click(); })");
    assert_eq!(browser.value("document.querySelectorAll('#platforms tbody input:checked').length"), 2);
    let links: Vec<String> = serde_json::from_value(browser.value("[...document.querySelectorAll('#platforms tbody a')].slice(1, 3).map((a) => a.getAttribute('href').replace('.html', ''))")).unwrap();
    let link = browser.value("document.querySelector('#picked a').getAttribute('href')");
    assert_eq!(link, format!("compare.html#a={}&b={}", links[0], links[1]));
    browser.value("document.querySelector('#picked a').click()");
    // What waits in a page ends with it.
    while browser.value("location.pathname.endsWith('compare.html') && document.readyState === 'complete'") != true {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    until(
        &mut browser,
        "location.pathname.endsWith('compare.html') && document.querySelectorAll('.sides li').length === 2",
    );
    let sides = "[...document.querySelectorAll('.sides a')].map((a) => a.getAttribute('href'))";
    assert_eq!(browser.value(sides), json!(links.iter().map(|key| format!("{key}.html")).collect::<Vec<_>>()));
    browser.value("document.getElementById('swap').click()");
    until(&mut browser, &format!("document.querySelector('.sides a').getAttribute('href') === '{}.html'", links[1]));

    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.open(&index, 400);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": false}));
    assert_eq!(browser.value("document.querySelectorAll('#platforms tbody tr a[href]').length"), 18);
    assert_eq!(browser.value("getComputedStyle(document.getElementById('filters')).display"), "none");
}

/// A ratio of the page is the one that `compare` says, and where that says none, the page has none.
#[test]
fn ratios_of_the_page_are_those_of_the_command() {
    let room = room();
    room.run("run T611,T711 --target null: --ramp 1,2 --duration 100ms --label null -q").expect(0);
    std::fs::write(room.path("runs/null.json"), room.run("export null").expect(0).stdout).unwrap();
    for run in RUNS {
        room.run(&format!("import runs/{run}.json")).expect(0);
    }
    room.run("site runs --out gallery -q").expect(0);
    let page = room.path("gallery/compare.html").canonicalize().unwrap();
    let mut browser = Browser::start();
    let mut divided = 0;
    for [a, b] in [
        ["mine", "null"],
        ["hp_dl980_violin_2012", "mine"],
        ["ibm_p8_e870_2016", "hpe_dl580_bm_2016"],
        ["client", "ibm_p8_e870_2016"],
    ] {
        let keyed = |name: &str| if name.contains("20") { format!("platform-{name}") } else { key(&room, name) };
        browser.open_url("about:blank", 1_280);
        browser.open_url(&format!("file://{}#a={}&b={}", page.display(), keyed(a), keyed(b)), 1_280);
        until(&mut browser, "document.querySelectorAll('.sides li').length === 2");
        let rows = browser.value("[...document.querySelectorAll('#figures tbody tr:not(.group)')].map((row) => [row.cells[0].textContent, row.cells[2].textContent, row.cells[6].textContent])");
        let compared = room.run(&format!("compare {a} {b} --json")).expect(0).json();
        let ratio = |row: &Value| match row["cells"][1]["ratio"]["value"].as_f64() {
            Some(value) if value < 10.0 => json!(format!("{value:.3}")),
            Some(value) => json!(value),
            None => json!("n/a"),
        };
        let mut expected: Vec<Value> = compared["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| json!([row["test"], row["which"], ratio(row)]))
            .collect();
        let mut rows: Vec<Value> = rows.as_array().unwrap().clone();
        // Ratios from 10 on are shown with four digits.
        for row in &mut rows {
            let value = row[2].as_str().unwrap().replace(',', "").parse::<f64>().ok().filter(|value| *value >= 10.0);
            let near = |wanted: &&Value| wanted[0] == row[0] && wanted[1] == row[1];
            if let Some(wanted) = value
                .and_then(|value| expected.iter().find(near)?[2].as_f64().filter(|of| (value / of - 1.0).abs() < 1e-3))
            {
                row[2] = json!(wanted);
            }
        }
        for of in [&mut rows, &mut expected] {
            of.sort_by_key(ToString::to_string);
        }
        assert_eq!(rows, expected, "{a} and {b}");
        divided += rows.iter().filter(|row| row[2] != "n/a").count();
    }
    assert!(divided > 20, "{divided}");
}

#[test]
fn a_gallery_made_again_is_the_same_and_forgets_what_is_gone() {
    let room = room();
    room.run("site runs --out one -q").expect(0);
    room.run("site runs/ --out two/ -q").expect(0);
    let first = files(&room.path("one"));
    assert!(first == files(&room.path("two")), "the same folder makes the same bytes");
    let gone = key(&room, "mine");
    std::fs::remove_file(room.path("runs/mine.json")).unwrap();
    let said = room.run("site runs --out one").expect(0);
    assert!(
        said.stderr.contains("(15 published results and 2 runs in 37 files, ")
            && said.stderr.contains(", in place of an older gallery)"),
        "{}",
        said.stderr
    );
    let second = files(&room.path("one"));
    assert!(
        first.contains_key(&format!("{gone}.html")) && second.keys().all(|name| !name.contains(&gone)),
        "{:?}",
        second.keys()
    );
    assert!(!String::from_utf8_lossy(&second["index.html"]).contains(&gone));
    // A platform more is a file more, whatever its name.
    let text = std::fs::read_to_string(room.path("runs/aws_r5.toml")).unwrap();
    std::fs::write(room.path("runs/a new one (1).TOML"), text.replace("id = \"aws_r5\"", "id = \"aws_r6\"")).unwrap();
    room.run("site runs --out one -q").expect(0);
    assert!(files(&room.path("one")).contains_key("platform-aws_r6.html"));
    let mut left: Vec<String> = std::fs::read_dir(room.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["one", "runs", "two"]);
}

#[test]
fn a_gallery_that_is_stopped_leaves_nothing() {
    let room = Room::new();
    std::fs::create_dir(room.path("many")).unwrap();
    let text = std::fs::read_to_string(Path::new(ROOT).join("catalogue/platforms/aws_r5.toml")).unwrap();
    for n in 0..3_000 {
        let text = text.replace("id = \"aws_r5\"", &format!("id = \"p{n}\""));
        std::fs::write(room.path(&format!("many/p{n}.toml")), text).unwrap();
    }
    let site = room.start("site many --out gallery");
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(room.folder()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let staged = || names().into_iter().find(|name| name.starts_with(".dbdyno-site-"));
    while staged().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let rights = std::fs::metadata(room.path(&staged().unwrap())).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&rights) & 0o777, 0o700, "nobody else looks into it");
    site.signal(rustix::process::Signal::INT);
    let said = site.end().expect(3);
    assert!(said.stderr.ends_with("stopped: nothing was changed\n"), "{}", said.stderr);
    assert_eq!(names(), ["many"]);
}

/// What cannot be shown is said with its file, and leaves nothing.
#[test]
fn a_file_that_is_nothing_of_the_kind_stops_it_before_anything_is_made() {
    let room = room();
    room.run("site runs --out gallery -q").expect(0);
    let good = std::fs::read_to_string(room.path("runs/mine.json")).unwrap();
    let newer = good.replacen("\"schema_version\": 1", "\"schema_version\": 999", 1);
    let mut shown: Value = serde_json::from_str(&good).unwrap();
    shown.as_object_mut().unwrap().remove("plan");
    let shown = shown.to_string();
    let platform = std::fs::read_to_string(room.path("runs/aws_r5.toml")).unwrap();
    let published = room.run("export aws_r5").expect(0).stdout;
    for (name, text, said) in [
        ("bad.json", "{", "cannot show runs/bad.json: it ends in the middle, in line 1: it was cut off; copy it again"),
        (
            "bad.json",
            "{\"id\": 1}",
            "cannot show runs/bad.json: it is no run of dbdyno's (missing field `schema_version` at line 1 column 9)",
        ),
        ("bad.json", "notes of mine", "cannot show runs/bad.json: it is no run of dbdyno's"),
        (
            "bad.json",
            &newer,
            "cannot show runs/bad.json: it was written by a newer dbdyno (document 999; this one knows 2): use that version",
        ),
        ("bad.json", &shown, "cannot show runs/bad.json: it lacks the plan of the run"),
        ("bad.json", &published, "cannot show runs/bad.json: it is a published result"),
        ("bad.json", &good, "runs/bad.json and runs/mine.json are both run "),
        ("bad.toml", "name = ", "runs/bad.toml: "),
        (
            "bad.toml",
            "[platform]\nname = \"My own\"\n[storage]\nluns = 16\n",
            "runs/bad.toml: [platform]: the key 'id' is missing",
        ),
        (
            "bad.toml",
            &platform.replace("id = \"aws_r5\"", "id = \"../../etc/passwd\""),
            "runs/bad.toml: [platform]: key 'id': '../../etc/passwd' is not a valid run id",
        ),
        (
            "bad.toml",
            &platform.replace("id = \"aws_r5\"", "id = \"AWS_R5\""),
            "runs/bad.toml: [platform]: key 'id': 'AWS_R5' is not a valid run id",
        ),
        ("bad.toml", &platform, "runs/aws_r5.toml and runs/bad.toml are both platform aws_r5; keep one of them"),
        ("bad.toml", &platform.replace("jobs", "jbos").replace("[[series]]", "[[serious]]"), "runs/bad.toml: "),
    ] {
        std::fs::write(room.path(&format!("runs/{name}")), text).unwrap();
        let before = room.files();
        for out in ["gallery", "new"] {
            let ending = room.run(&format!("site runs --out {out} -q")).expect(2);
            assert_eq!(ending.stdout, "");
            assert!(
                ending.stderr.starts_with(&format!("dbdyno: {said}")) && ending.stderr.lines().count() == 1,
                "{said}\n{}",
                ending.stderr
            );
        }
        assert!(before == room.files(), "{said}: a file was made, changed or removed");
        std::fs::remove_file(room.path(&format!("runs/{name}"))).unwrap();
    }
}

#[test]
fn a_folder_with_anything_else_is_never_touched() {
    let room = room();
    let refused = |line: &str, said: &str| {
        let before = room.files();
        let ending = room.run(line).expect(2);
        assert!(ending.stderr.starts_with(&format!("dbdyno: {said}")), "{line}: {}", ending.stderr);
        assert!(before == room.files(), "{line} changed something");
    };
    std::fs::create_dir(room.path("thesis")).unwrap();
    std::fs::write(room.path("thesis/index.html"), "years of work").unwrap();
    refused(
        "site runs --out thesis",
        "--out thesis: the folder holds something that is no gallery of dbdyno's; name another one; nothing was changed",
    );
    refused("site runs --out runs", "--out runs: the folder holds something that is no gallery of dbdyno's");
    refused("site runs --out .", "--out .: name a folder that dbdyno may make anew");
    refused("site runs --out thesis/index.html", "--out thesis/index.html: it is no folder");
    refused("site runs --out no/gallery", "--out no/gallery: there is no folder no; make it first");
    refused("site nowhere --out gallery", "cannot read the folder nowhere: ");
    refused(
        "site thesis --out gallery",
        "thesis holds no exported run (.json, as `dbdyno export RUN` writes it) and no platform file (.toml)",
    );
    room.run("site runs --out gallery -q").expect(0);
    std::fs::write(room.path("gallery/CNAME"), "example.org").unwrap();
    refused(
        "site runs --out gallery",
        "--out gallery: the folder holds CNAME, which is no part of the gallery; move it away; nothing was changed",
    );
    std::fs::remove_file(room.path("gallery/CNAME")).unwrap();
    std::fs::write(room.path("gallery/index.html"), "a page of mine").unwrap();
    refused(
        "site runs --out gallery",
        "--out gallery: index.html in it was changed since dbdyno wrote it; move it away; nothing was changed",
    );
}

//! Names and texts from files that anybody may have written: none of them is markup, a path, code, or steers a display.

use crate::browser::Browser;
use crate::{catalogue, fixture, text, write};
use dbdyno_model::{Point, RunId, RunJson};
use dbdyno_report::Reported;
use dbdyno_report::gallery::{Exhibit, GalleryFile, of_all};
use std::collections::BTreeSet;

const NAMES: [&str; 8] = [
    "</script><script>pwned()</script>",
    "\"><img src=x onerror=pwned()>",
    "' onmouseover='pwned()' \" autofocus onfocus=\"pwned()",
    "../../etc/passwd",
    "javascript:pwned()",
    "a\u{2028}pwned()\u{2029}\u{202e}gpj.exe\u{200b}",
    "__proto__",
    "{figure}{base}{other}${pwned()}]]>--><!--",
];

/// A run of which every text that is free is hostile.
fn run(n: usize, name: &str) -> RunJson {
    let mut run = fixture::run();
    run.run.id = RunId::new(&format!("hostile{n}")).unwrap();
    run.run.label = Some(name.to_owned());
    for text in [&mut run.run.suite, &mut run.run.size, &mut run.run.tool_version, &mut run.run.target] {
        name.clone_into(text);
    }
    for text in [&mut run.database.engine, &mut run.database.version] {
        name.clone_into(text);
    }
    run.database.notice = Some(name.to_owned());
    run.database.parameters =
        [name, "__proto__", "constructor", "toString"].map(|key| (key.to_owned(), format!("{name}{n}"))).into();
    run.database.facts.insert(name.to_owned(), name.to_owned());
    run.platform.cpu.model = Some(name.to_owned());
    run.platform.product = Some(name.to_owned());
    run.platform.host = Some(name.to_owned());
    run.platform.os = Some(format!("{name}{n}"));
    for point in &mut run.points {
        let Point { mapping, mapping_note, definition, .. } = point;
        "equivalent".clone_into(mapping);
        *mapping_note = Some(name.to_owned());
        *definition = format!("{n} {name}");
        point.flag_notes.values_mut().for_each(|note| name.clone_into(note));
    }
    if let Some(tool) = &mut run.tool {
        tool.profile = Some(format!("{n} {name}"));
        tool.embedded.insert(name.to_owned(), vec![name.to_owned(), n.to_string()]);
    }
    run
}

fn files() -> Vec<GalleryFile> {
    let catalogue = catalogue();
    let mut runs: Vec<RunJson> = NAMES.iter().enumerate().map(|(n, name)| run(n, name)).collect();
    // A published result with such texts, whose series is over something hostile, too.
    let mut published = catalogue.platform("aws_r5").unwrap();
    let of = published.published.as_mut().unwrap();
    (of.source, of.benchmark) = (NAMES[0].to_owned(), NAMES[1].to_owned());
    for curve in &mut of.curves {
        (curve.test, curve.title) = (NAMES[0].to_owned(), NAMES[1].to_owned());
        for point in &mut curve.points {
            point.values.extend([("__proto__".to_owned(), 1.0), (NAMES[1].to_owned(), 2.0)]);
        }
    }
    let mut other = published.clone();
    other.run.id = RunId::new("aws_r6").unwrap();
    runs.extend([published, other]);
    let exhibit = |(run, name): (&RunJson, &&str)| Exhibit::of(&Reported::of(run.clone()), name, &catalogue);
    let exhibits: Vec<Exhibit> = runs.iter().zip(NAMES.iter().cycle()).map(exhibit).collect();
    let entries: Vec<_> = exhibits.iter().map(|exhibit| exhibit.entry.clone()).collect();
    exhibits
        .into_iter()
        .flat_map(|exhibit| exhibit.files)
        .chain(of_all(&entries, &BTreeSet::new(), &catalogue))
        .collect()
}

#[test]
fn no_text_of_a_file_is_markup_or_a_path() {
    let files = files();
    for GalleryFile { name, text } in &files {
        let of_gallery = ["index.html", "compare.html"].contains(&name.as_str());
        let (stem, extension) = name.rsplit_once('.').unwrap();
        let is_safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
        assert!(["html", "js"].contains(&extension) && stem.chars().all(is_safe), "{name}");
        assert!(of_gallery || stem.starts_with("run-") || stem.starts_with("platform-"), "{name}");
        let steers = |c: &char| dbdyno_report::steers(*c) && *c != '\n';
        assert!(text.chars().find(steers).is_none(), "{name} has {:?}", text.chars().find(steers));
        for raw in ["<script>pwned", "</script><script>pwned", "<img", "<!--"] {
            assert!(!text.contains(raw), "{raw} got through to {name}");
        }
        if extension == "html" {
            for raw in ["onerror=pwned()>", "\" onfocus=", "href=\"javascript:", "href=\".."] {
                assert!(!text.contains(raw), "{raw} got through to {name}");
            }
            let scripts = if name == "compare.html" { 2 } else { 1 };
            assert_eq!((text.matches("<script").count(), text.matches("<style").count()), (scripts, 1), "{name}");
        } else {
            assert!(
                text.starts_with("gallery({")
                    && text.ends_with("});\n")
                    && text.lines().count() == 1
                    && !text.contains('<'),
                "{name}"
            );
        }
    }
    assert!(text(&files, "index.html").contains("&lt;/script&gt;&lt;script&gt;pwned()&lt;/script&gt;"));
}

#[test]
fn no_text_of_a_file_does_anything_in_a_browser() {
    let files = files();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &files);
    let mut browser = Browser::start();
    let asked = "typeof pwned + document.querySelectorAll('img, iframe, [onerror], [onfocus], [onmouseover]').length";
    let keys: Vec<&str> = files.iter().filter_map(|file| file.name.strip_suffix(".js")).collect();
    assert_eq!(keys.len(), NAMES.len() + 2);
    for page in files.iter().filter(|file| file.name.ends_with(".html")) {
        browser.open(&folder.path().join(&page.name), 400);
        assert_eq!(browser.value(asked), "undefined0", "{}", page.name);
        assert!(browser.complaints().is_empty(), "{}: {:#?}", page.name, browser.complaints());
        let wide = browser.value("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= 400, "{} is {wide} wide on a screen of 400", page.name);
    }
    browser.open(&folder.path().join("compare.html"), 400);
    let mut settings = 0;
    for (a, b) in keys.iter().zip(keys.iter().cycle().skip(1)) {
        browser.value(&format!("location.replace('#a={a}&b={b}')"));
        let shown = "new Promise((done) => { const look = () => { const [a, b] = document.querySelectorAll('.sides a'); \
                     if (a?.getAttribute('href') === 'A.html' && b?.getAttribute('href') === 'B.html') done(document.querySelectorAll('#settings tbody tr').length); \
                     else setTimeout(look, 1); }; look(); })";
        settings += browser
            .value(&shown.replace("A.html", &format!("{a}.html")).replace("B.html", &format!("{b}.html")))
            .as_u64()
            .unwrap();
        assert_eq!(browser.value(asked), "undefined0", "{a} {b}");
        let wide = browser.value("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= 400, "{a} and {b} are {wide} wide on a screen of 400");
    }
    assert!(settings > 50, "parameters with the names of a script's own are shown, too: {settings}");
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
    // What the address says is no file of another folder, and no markup.
    for hash in [
        "#a=../../etc/passwd&b=run-hostile0",
        "#a=javascript:pwned()&b=%3Cimg%20src=x%3E",
        "#a=__proto__&b=constructor",
    ] {
        // From one address of a page to another nothing is loaded.
        browser.open_url("about:blank", 400);
        browser.open_url(&format!("file://{}/compare.html{hash}", folder.path().display()), 400);
        assert_eq!(browser.value("document.getElementById('content').hidden"), true, "{hash}");
        assert_eq!(browser.value(asked), "undefined0", "{hash}");
        assert_eq!(browser.requests().len(), 1, "{hash}: {:?}", browser.requests());
    }
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
}

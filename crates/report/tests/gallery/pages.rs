//! The pages of a gallery and what its page of comparisons loads, as golden files. `DBDYNO_BLESS=1` writes them again.

use crate::{catalogue, fixture, gallery, mutants, references, text, with_id};
use std::path::Path;

/// A page without its style and script, or a card: an element or a value a line, for readable differences.
fn readable(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    for (from, to) in [("'sha256-", "; img-src"), ("<style>", "</style>"), ("<script>", "</script>")] {
        let Some((before, (_, after))) = rest.split_once(from).and_then(|(b, after)| Some((b, after.split_once(to)?)))
        else {
            continue;
        };
        text += &format!("{before}{from}…{to}");
        rest = after;
    }
    text += rest;
    let tags = ["<tr", "<th", "<td", "<table", "<h2", "<p", "<li", "<dt", "<label", "<option", "{\"", "[[\"", ",[\""];
    tags.iter().fold(text, |text, tag| text.replace(tag, &format!("\n{tag}")))
}

#[test]
fn pages_are_as_their_golden_files_say() {
    let catalogue = catalogue();
    let mut runs = references(&catalogue);
    runs.extend([fixture::run(), fixture::storage::run(), with_id(fixture::workload(), "workload1")]);
    runs.extend(mutants::in_turn());
    let (_, files) = gallery(&runs, &catalogue);
    let mut wrong = Vec::new();
    for (golden, name) in [
        ("gallery_index.html", "index.html"),
        ("gallery_compare.html", "compare.html"),
        ("gallery_published.js", "platform-hds_ucp_flash_2013.js"),
        ("gallery_run.js", "run-4k2m9x1a.js"),
        ("gallery_pair.js", "run-turn_a-run-turn_b.js"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_pages").join(golden);
        let is = readable(text(&files, name));
        if std::env::var_os("DBDYNO_BLESS").is_some() {
            std::fs::write(&path, &is).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        let differs = is.lines().zip(expected.lines()).find(|(is, was)| is != was);
        wrong.extend((is != expected).then(|| format!("{golden} differs from its golden file, first in {differs:#?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_page_leads_back_and_says_where_it_comes_from() {
    let catalogue = catalogue();
    let runs = [catalogue.platform("hds_ucp_flash_2013").unwrap(), fixture::run()];
    let (_, files) = gallery(&runs, &catalogue);
    for (name, said) in [
        ("platform-hds_ucp_flash_2013.html", "From the platform file <b>hds_ucp_flash_2013.json</b>"),
        ("run-4k2m9x1a.html", "That it was measured so is what the file says"),
    ] {
        let page = text(&files, name);
        assert!(page.contains(said) && page.contains("<a href=\"index.html\">"), "{name}");
        assert!(page.contains(&format!("<a href=\"compare.html#a={}\">", name.trim_end_matches(".html"))), "{name}");
    }
}

/// Whoever makes the same gallery again gets the same bytes.
#[test]
fn the_same_runs_make_the_same_files_in_any_order() {
    let catalogue = catalogue();
    let mut runs = references(&catalogue);
    runs.push(fixture::run());
    let (_, files) = gallery(&runs, &catalogue);
    runs.reverse();
    let (_, again) = gallery(&runs, &catalogue);
    for file in &files {
        assert!(text(&again, &file.name) == file.text, "{} is another one", file.name);
    }
}

#[test]
fn nothing_is_loaded_but_scripts_of_the_folder() {
    let catalogue = catalogue();
    let (_, files) = gallery(&[fixture::run(), catalogue.platform("aws_r5").unwrap()], &catalogue);
    for file in files.iter().filter(|file| file.name.ends_with(".html")) {
        let page = &file.text;
        let loads = if file.name == "compare.html" { " 'self' file:;" } else { ";" };
        assert!(page.contains("content=\"default-src 'none'; style-src 'sha256-"), "{}: the policy is gone", file.name);
        assert!(
            page.contains(&format!("'{loads} img-src data:; base-uri 'none'; form-action 'none'\"")),
            "{}",
            file.name
        );
        for asks in [
            " src=",
            "@import",
            "url(",
            "<iframe",
            "<object",
            "<base",
            " style=\"",
            "fetch(",
            "innerHTML",
            "eval(",
            "document.write",
        ] {
            assert!(!page.contains(asks), "{} has {asks}", file.name);
        }
        // The only address is the name of a format.
        assert_eq!(page.matches("://").count(), page.matches("http://www.w3.org/2000/svg").count(), "{}", file.name);
        let links = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        let elsewhere: Vec<&str> = links
            .filter(|link| !link.starts_with('#') && *link != "data:," && !link.starts_with("compare.html"))
            .filter(|link| files.iter().all(|file| file.name != *link))
            .collect();
        assert!(elsewhere.is_empty(), "{} leads to {elsewhere:?}", file.name);
    }
}

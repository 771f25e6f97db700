//! The HTML report as its readers see it: in a browser, on a screen, a phone and paper.

use crate::browser::Browser;
use crate::support::Room;
use std::path::Path;
use std::sync::LazyLock;

/// Width of A4 without the margins of the page's style sheet, in CSS pixels: 186 mm.
const PAPER: u32 = 703;

/// A room with small, fast runs of both drives.
fn measured() -> Room {
    static RESULTS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let room = Room::with_data();
        let run = |what: &str| room.run(&format!("run {what} --target sqlite:x.sqlite --duration 500ms"));
        run("T611 --ramp 1,2 --repeat 3 --label server").expect(0);
        // Whether such low rates are reached on a busy machine does not matter here.
        run("T711 --jobs 2 --drive client --rate 100/s,200/s --label client");
        std::fs::read(room.path("dbdyno.db")).unwrap()
    });
    let room = Room::new();
    std::fs::write(room.path("dbdyno.db"), &*RESULTS).unwrap();
    room
}

/// What holds for every page, at every width and on paper.
pub(crate) fn is_sound(browser: &mut Browser, file: &Path) {
    browser.open(file, 1_280);
    let url = format!("file://{}", file.display());
    let drawn = "[...document.querySelectorAll('figure > svg')].every(svg => svg.querySelector('path.x') && svg.querySelector('text.n') \
                 && svg.querySelectorAll('use').length && svg.getAttribute('role') === 'img' && svg.getAttribute('aria-label'))";
    assert_eq!(browser.value(drawn), true, "a chart is not drawn");
    let headings = "[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])";
    let levels: Vec<u64> = serde_json::from_value(browser.value(headings)).unwrap();
    assert_eq!(levels.iter().filter(|l| **l == 1).count(), 1, "{levels:?}");
    assert!(levels.windows(2).all(|w| w[1] <= w[0] + 1), "headings skip a level: {levels:?}");
    let tables = "[...document.querySelectorAll('table')].every(t => t.caption && t.caption.textContent.trim() && t.querySelector('th[scope=row]'))";
    assert_eq!(browser.value(tables), true, "a table has no caption or no heads of its rows");
    let lost = "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1)).filter(id => !document.getElementById(id))";
    assert_eq!(browser.value(lost), serde_json::json!([]), "links that lead nowhere");
    let twice = "[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, n, all) => all.indexOf(id) !== n)";
    assert_eq!(browser.value(twice), serde_json::json!([]), "ids that are there twice");
    for width in [1_280, 400] {
        browser.resize(width);
        let wide = browser.value("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= u64::from(width), "{wide} wide on a screen of {width}");
    }
    let colour = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(colour);
    let dark = serde_json::json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    browser.call("Emulation.setEmulatedMedia", dark);
    assert_ne!(browser.value(colour), light, "the dark page is light");
    browser.resize(PAPER);
    browser.call("Emulation.setEmulatedMedia", serde_json::json!({"media": "print", "features": []}));
    let cut = format!(
        "[...document.querySelectorAll('table, figure')].filter(t => t.getBoundingClientRect().right > {PAPER} + 1) \
         .map(t => (t.caption || t).textContent.slice(0, 80))"
    );
    assert_eq!(browser.value(&cut), serde_json::json!([]), "cut on paper");
    browser.call("Emulation.setEmulatedMedia", serde_json::json!({"media": ""}));
    assert_eq!(browser.requests(), [url.as_str()], "the page asked for something");
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
}

#[test]
fn a_page_works_in_a_browser_without_a_network() {
    let room = measured();
    let mut browser = Browser::start();
    for label in ["server", "client"] {
        let said = room.run(&format!("report {label} -o {label}.html")).expect(0);
        assert!(said.stdout.starts_with(&format!("{label}.html: ")), "{}", said.stdout);
        is_sound(&mut browser, &room.path(&format!("{label}.html")));
    }

    // Latency of the client drive: percentiles by rate, and distributions.
    browser.open(&room.path("client.html"), 1_280);
    let charts = browser.value("document.querySelectorAll('#latency figure').length");
    assert_eq!(charts, 2, "percentiles and histogram");

    // Figures show their text when they are pointed at, by pointer or keyboard.
    browser.open(&room.path("server.html"), 1_280);
    let at = browser.value(
        "(() => { const mark = document.querySelector('#t-T611 use.p, #t-T611 use.o'); mark.scrollIntoView({block: 'center', behavior: 'instant'}); \
         const box = mark.getBoundingClientRect(); return new Promise(seen => requestAnimationFrame(() => requestAnimationFrame(() => seen([box.x + box.width / 2, box.y + box.height / 2])))) })()",
    );
    browser.point_at(at[0].as_f64().unwrap() + 3.0, at[1].as_f64().unwrap() + 2.0);
    let tip = "(() => { const tip = document.getElementById('tip'); return tip.classList.contains('on') ? tip.textContent : '' })()";
    let said = browser.value(tip);
    assert!(said.as_str().unwrap().starts_with("1 job: "), "{said}");
    assert!(said.as_str().unwrap().contains("tx/s"), "{said}");
    browser.value("document.querySelector('#t-T611 figure > svg').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))");
    let said = browser.value(tip);
    assert!(said.as_str().unwrap().starts_with("2 jobs: "), "{said}");

    // A line can be switched off and on.
    let lines = "[...document.querySelector('#t-T611 button[data-s=\"1\"]').closest('figure').querySelectorAll('svg[role] .s1')]";
    let click = "document.querySelector('#t-T611 button[data-s=\"1\"]').click()";
    browser.value(click);
    assert_eq!(browser.value(&format!("{lines}.every(l => getComputedStyle(l).display === 'none')")), true);
    browser.value(click);
    assert_eq!(browser.value(&format!("{lines}.some(l => getComputedStyle(l).display === 'none')")), false);

    // Each mark behind a figure is explained.
    let marks = browser.value("document.querySelectorAll('a.mark').length");
    assert!(marks.as_u64().unwrap() > 0, "equivalents have their mark");
    let explained = "[...document.querySelectorAll('a.mark')].every(a => document.querySelector(a.getAttribute('href') + ' + dd').textContent.trim().length > 20)";
    assert_eq!(browser.value(explained), true);
}

#[test]
fn three_platforms_stand_side_by_side_on_a_page() {
    let room = measured();
    let needs =
        "title = \"Shop\"\n[[requirement]]\ntitle = \"Reads\"\ntest = \"T611\"\nmetric = \"tx_per_s\"\nminimum = 1\n";
    std::fs::write(room.path("needs.toml"), needs).unwrap();
    let platforms = "server hp_dl980_violin_2012 hpe_dl380_bm_2016";
    room.run(&format!("report {platforms} --baseline server --requirements needs.toml -o three.html")).expect(0);
    let mut browser = Browser::start();
    is_sound(&mut browser, &room.path("three.html"));
    browser.open(&room.path("three.html"), 1_280);
    let warned = browser.value("document.querySelector('.warnings').textContent");
    for words in ["beside published ones", "different engines", "different sizes of data"] {
        assert!(warned.as_str().is_some_and(|said| said.contains(words)), "no warning of {words}: {warned}");
    }
    // Best and worst of a row are shown by colour and by sign.
    let best =
        "[...document.querySelectorAll('table.heat .h')].filter(c => c.querySelector('.rank')?.textContent === '▲')";
    assert!(browser.value(&format!("{best}.length")).as_u64().unwrap() > 0, "no row has a best figure");
    assert_eq!(
        browser.value(&format!("{best}.every(c => c.classList.contains('h20'))")),
        true,
        "a best figure has another colour"
    );
    let painted =
        "new Set([...document.querySelectorAll('table.heat .h')].map(c => getComputedStyle(c).backgroundColor)).size";
    assert!(browser.value(painted).as_u64().unwrap() >= 3, "the heatmap has no colours");
    assert_eq!(browser.value("document.querySelectorAll('#verdict .verdict').length"), 3, "a verdict for each");
    let sources = browser.value("[...document.querySelectorAll('header p.note')].map(p => p.textContent).join()");
    assert!(sources.as_str().unwrap().contains("HP ProLiant DL980 with Violin"), "{sources}");
}

#[test]
fn a_page_of_what_is_not_there_is_refused() {
    let room = measured();
    let ending = room.run("report servr -o page.html").expect(2);
    assert!(ending.stderr.contains("server"), "the nearest name is offered: {}", ending.stderr);
    let ending = room.run("report server -o nowhere/page.html").expect(2);
    assert!(ending.stderr.contains("cannot write nowhere/page.html"), "{}", ending.stderr);
    assert!(!room.path("page.html").exists());
    let page = room.run("report server -o -").expect(0).stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{page}");
}

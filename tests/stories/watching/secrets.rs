//! What others say to the server stays there: no literal of a statement is shown or kept anywhere, and names that would
//! do harm on a terminal or a page are nothing but text.

use super::servers::Watched;
use super::terminal::Terminal;
use super::{Place, address, documents, fetched, until};
use crate::browser::Browser;
use crate::on_servers::{OWN, stories};
use rustix::process::Signal;
use std::io::Write as _;
use std::process::Stdio;

stories!(literals_of_others_are_nowhere_and_their_names_are_text);

/// What must not be seen. It is put together here, so that no command has it either.
const SECRET: &str = "secret_literal_4711";
/// A user's name that would clear a screen and run a script.
const HOSTILE: &str = "\u{1b}[2J<img src=x onerror=a(1)>";
/// Its harmless beginning on a screen.
const SHOWN: &str = "\\u{1b}[2";

/// Whether a statement of others that took long is told of, in any product's words.
fn tells(text: &str) -> bool {
    let text = text.to_lowercase();
    ["from s", "from `s`"].iter().any(|words| text.contains(words))
}

fn literals_of_others_are_nowhere_and_their_names_are_text<S: Watched>() {
    let place = Place::<S>::empty();
    place.server.sql(OWN, &S::make_user(HOSTILE));
    // One statement runs all the time, in a session of the user with that name.
    let mut shell = place.server.shell(OWN);
    let mut hostile = shell.arg(S::as_user(HOSTILE)).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let statement = format!("{}, '{SECRET}';\n", S::KNOWN.sleep.0.replace("SECONDS", "600"));
    hostile.stdin.as_mut().unwrap().write_all(statement.as_bytes()).unwrap();

    let watching = place.room.start(&place.at("monitor --json"));
    let recording = place.room.start(&place.at("monitor --lines --record all --serve"));
    let page = address(&recording);
    let terminal = Terminal::open(&place.room, (200, 60), &[]);
    terminal.runs(&place.at("monitor"));
    let mut browser = Browser::start();
    browser.open_url(&page, 400);
    terminal.until("figures", |screen| screen.contains("sessions ") && screen.contains("no statement was seen yet"));
    // Others end meanwhile, among them some that set passwords.
    place.server.sql(OWN, &S::KNOWN.secrets.replace("SECRET", SECRET));
    let slow = format!("{}, '{SECRET}' FROM s;\n", S::KNOWN.sleep.0.replace("SECONDS", "0.2"));
    place.server.sql(OWN, &slow.repeat(3));

    // Statements are told every tenth second.
    let is_told = |text: &str| {
        let readings = documents(&text[..text.rfind('\n').map_or(0, |at| at + 1)]);
        readings.iter().any(|reading| tells(&reading["top"]["statements"].to_string()))
    };
    watching.until_out("statements", is_told);
    let mut seen = vec![("the screen".to_owned(), terminal.until("statements", tells))];
    assert!(seen[0].1.contains(SHOWN), "the user is shown: {}", seen[0].1);
    assert!(seen[0].1.contains("monitor  ") && seen[0].1.contains("q ends the monitor"), "{}", seen[0].1);
    for _ in 0..4 {
        terminal.key("Tab");
        std::thread::sleep(std::time::Duration::from_millis(200));
        seen.push(("the screen".to_owned(), terminal.screen()));
    }
    until(&mut browser, "/from `?s/i.test(document.body.textContent) && document.body.textContent.includes('<img')");
    assert_eq!(browser.value("document.querySelectorAll('img, script').length"), 1, "the page's own script alone");
    assert!(browser.value("document.documentElement.scrollWidth").as_u64().unwrap() <= 400);
    assert!(browser.complaints().is_empty(), "{:#?}", browser.complaints());
    let dom = browser.value("document.documentElement.outerHTML + JSON.stringify(view)");
    seen.push(("the page".to_owned(), dom.as_str().unwrap().to_owned()));
    for path in ["/", "/history", "/metrics"] {
        seen.push((path.to_owned(), fetched(&page, path, usize::MAX)));
    }
    // One second of events from the first reading on.
    seen.push(("/events".to_owned(), fetched(&page, "/events?from=0", 20_000)));
    assert!(seen.iter().any(|(place, text)| place == "/events" && text.contains("statements")), "{seen:#?}");

    terminal.key("q");
    assert_eq!(terminal.until_left(), 0);
    for running in [&watching, &recording] {
        running.signal(Signal::INT);
    }
    let [watched, recorded] = [watching, recording].map(|running| running.end().expect(0));
    hostile.kill().unwrap();
    hostile.wait().unwrap();
    let told: Vec<String> = documents(&watched.stdout).iter().map(|reading| reading["top"].to_string()).collect();
    assert!(told.iter().any(|top| top.contains("<img src=x")) && told.iter().any(|top| tells(top)), "{told:#?}");
    for (name, text) in [("JSON", watched.stdout), ("stderr", watched.stderr), ("lines", recorded.stderr)] {
        seen.push((name.to_owned(), text));
    }
    for line in ["replay all --json", "replay all --lines --speed 1000", "show all", "show all --json"] {
        let ending = place.room.run(line).expect(0);
        seen.push((line.to_owned(), ending.stdout + &ending.stderr));
    }
    for (name, text) in &seen {
        assert!(!text.contains('\u{1b}'), "what a terminal obeys is in {name}: {text}");
    }
    for (path, bytes) in place.room.files() {
        seen.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
    }
    for (name, text) in &seen {
        assert!(!text.contains(SECRET), "in {name}: {}", text.split(SECRET).next().unwrap_or_default());
    }
    assert!(seen.len() > 15, "{}", seen.len());
}

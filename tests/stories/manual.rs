//! The manual: a page for each command, without complaints of what checks manuals.

use crate::support::Room;
use std::process::Command;

#[test]
fn every_command_has_a_page_that_is_sound() {
    let room = Room::new();
    let said = room.run("man --output man1").expect(0).stdout;
    let mut pages: Vec<_> = std::fs::read_dir(room.path("man1")).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    assert_eq!(said, format!("{} pages in man1\n", pages.len()));
    let help = room.run("--help").expect(0).stdout;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands: Vec<&str> = commands
        .lines()
        .take_while(|line| *line != "Options:")
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 18, "{help}");
    assert_eq!(pages.len(), commands.len() + 1, "{pages:?}");
    for command in commands {
        assert!(pages.contains(&room.path(&format!("man1/dbdyno-{command}.1"))), "no page of {command}");
    }
    for page in &pages {
        let checked = Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).arg(page).output().unwrap();
        let complaints = String::from_utf8_lossy(&checked.stdout);
        assert!(checked.status.success() && complaints.is_empty(), "{complaints}");
    }
    // What a reader sees, in the page of a command with options, and in that of the whole.
    let read = |page: &str| {
        let output = Command::new("mandoc").args(["-T", "utf8"]).arg(room.path(page)).output().unwrap();
        // Bold and underlined characters are struck twice.
        let text = String::from_utf8(output.stdout).unwrap();
        let mut plain = String::new();
        for c in text.chars() {
            if c == '\u{8}' { _ = plain.pop() } else { plain.push(c) }
        }
        plain
    };
    let run = read("man1/dbdyno-run.1");
    for words in
        ["--max-duration", "EXAMPLES", "dbdyno run T711 --drive client --jobs 8 --rate 10%..100%", "dbdyno-report(1)"]
    {
        assert!(run.contains(words), "no '{words}' in {run}");
    }
    assert!(read("man1/dbdyno.1").contains("EXIT CODES"));
    assert!(read("man1/dbdyno-orion.1").contains("-num_streamIO N"));
}

/// Packages are built again and again, and are the same each time.
#[test]
fn the_day_on_the_pages_can_be_named() {
    let room = Room::new();
    let written = |seconds: &str| room.command("man -o man1").env("SOURCE_DATE_EPOCH", seconds).output().unwrap();
    assert!(written("1700000000").status.success());
    assert!(std::fs::read_to_string(room.path("man1/dbdyno.1")).unwrap().contains("2023"));
    assert!(written("1600000000").status.success(), "older pages are written over");
    assert!(std::fs::read_to_string(room.path("man1/dbdyno.1")).unwrap().contains("2020"));
    assert_eq!(written("soon").status.code(), Some(2));
}

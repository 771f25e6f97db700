//! Completions as a user has them: the script in the real shell, and what a tab key makes of a line.

use crate::support::{DBDYNO, Room};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// How long a shell may take: only a hang takes this long.
const LONGEST_S: &str = "120";

/// Lines, and what the tab key makes of each. `^` is where the line ends.
const LINES: [(&str, &str); 14] = [
    ("dbdyno ru", "dbdyno run ^"),
    ("dbdyno show las", "dbdyno show last ^"),
    ("dbdyno show my", "dbdyno show my\\ label ^"),
    ("dbdyno report bef", "dbdyno report before ^"),
    ("dbdyno compare before hp_dl980_v", "dbdyno compare before hp_dl980_violin_2012 ^"),
    ("dbdyno run qui", "dbdyno run quick ^"),
    ("dbdyno show last --test T15", "dbdyno show last --test T15^"),
    ("dbdyno show last --test T711,T151", "dbdyno show last --test T711,T151 ^"),
    ("dbdyno load tp", "dbdyno load tpcb ^"),
    ("dbdyno run --target sqlite:mi", "dbdyno run --target sqlite:mine.sqlite ^"),
    ("dbdyno run --target private:p", "dbdyno run --target private:postgres ^"),
    ("dbdyno --results=other.db show el", "dbdyno --results=other.db show elsewhere ^"),
    ("dbdyno orion -num_st", "dbdyno orion -num_streamIO ^"),
    ("dbdyno show no_such_r", "dbdyno show no_such_r^"),
];

/// The same within quotes, for bash, which takes what is offered there as it is: only words that do nothing are there.
const IN_QUOTES: [(&str, &str); 4] = [
    ("dbdyno show \"bef", "dbdyno show \"before\" ^"),
    ("dbdyno show \"my", "dbdyno show \"my label\" ^"),
    ("dbdyno show \"host", "dbdyno show \"host^"),
    ("dbdyno show 'host", "dbdyno show 'host^"),
];

/// A room with the binary's folder in PATH, and with runs in two results files.
fn room() -> Room {
    let room = Room::new();
    let run = "run T512 --jobs 1 --threads 1 --duration 20ms --target null: --quiet";
    assert!(room.command(run).args(["--label", "my label"]).output().unwrap().status.success());
    assert!(room.command(run).args(["--label", "host$(touch made)';touch made;'!"]).output().unwrap().status.success());
    for label in ["before", "before", "after"] {
        room.run(&format!("{run} --label {label}")).expect(0);
    }
    room.run(&format!("{run} --label elsewhere --results other.db")).expect(0);
    std::fs::write(room.path("mine.sqlite"), "").unwrap();
    room
}

/// The output of a shell.
fn output(room: &Room, words: &[&str]) -> String {
    let mut command = Command::new("timeout");
    command.arg(LONGEST_S).args(words);
    room.settle_in(&mut command);
    let mut path = OsString::from(Path::new(DBDYNO).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = command.env("PATH", path).env("TERM", "xterm").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{:?}: {said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts what became of the lines, which a shell has written to a file, with `^` where the cursor was.
fn check(room: &Room, lines: &[(&str, &str)], before: &std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>) {
    let out = std::fs::read_to_string(room.path("out")).unwrap();
    let became: Vec<&str> = out.lines().collect();
    let expected: Vec<&str> = lines.iter().map(|(_, expected)| *expected).collect();
    assert_eq!(became, expected);
    let mut after = room.files();
    after.retain(|path, _| before.contains_key(path) || path.extension().is_some_and(|end| end != "sh"));
    after.remove(&room.path("out"));
    assert!(after == *before, "nothing is made or changed: {:?}", after.keys());
}

/// An interactive bash in a terminal of its own: keys are typed, and a key writes the line to a file.
#[test]
fn bash_completes() {
    let (room, script) = (room(), "rc.sh");
    let before = room.files();
    let rc = "PS1='$ '\nbind 'set enable-bracketed-paste off' 2>/dev/null\nsource <(dbdyno completions bash)\n\
              _write() { printf '%s^\\n' \"$READLINE_LINE\" >>out; READLINE_LINE=''; READLINE_POINT=0; }\n\
              bind -x '\"\\C-xw\": _write'\n";
    std::fs::write(room.path(script), rc).unwrap();
    let lines = [&LINES[..], &IN_QUOTES].concat();
    let keys: String = lines.iter().map(|(line, _)| format!("{line}\t\u{18}w")).collect();
    std::fs::write(room.path("keys.sh"), format!("{keys}\u{4}")).unwrap();
    output(&room, &["sh", "-c", "script --quiet --command 'bash --rcfile rc.sh -i' /dev/null <keys.sh >/dev/null"]);
    check(&room, &lines, &before);
}

/// An interactive zsh in a terminal of its own.
#[test]
fn zsh_completes() {
    let room = room();
    let before = room.files();
    let lines: String = LINES.iter().map(|(line, _)| format!("type_in {}\n", shell_quoted(line))).collect();
    let script = format!(
        "zmodload zsh/zpty\nzpty -b z zsh -f -i\n\
         zpty -w z 'PS1=; unsetopt zle_bracketed_paste beep; autoload -U compinit; compinit -D -u; source <(dbdyno completions zsh)'\n\
         zpty -w z '_write() {{ print -r -- \"$BUFFER^\" >>out; BUFFER= }}; zle -N _write; bindkey \"^Xw\" _write; print ready >ready.sh'\n\
         until [[ -s ready.sh ]]; do sleep 0.05; done\n\
         count=0\n\
         type_in() {{ zpty -w -n z \"$1\"$'\\t'$'\\C-x'w; ((++count)); until [[ -f out && $(wc -l <out) -ge $count ]]; do zpty -r -t z ignored; sleep 0.02; done }}\n\
         {lines}zpty -d z\n"
    );
    std::fs::write(room.path("drive.sh"), script).unwrap();
    output(&room, &["zsh", "-f", "drive.sh"]);
    check(&room, &LINES, &before);
}

/// A word for any shell.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Fish says itself what the tab key would offer.
#[test]
fn fish_completes() {
    let room = room();
    let before = room.files();
    let lines: String = LINES
        .iter()
        .map(|(line, _)| format!("echo '=== {line}'\ncomplete --do-complete {}\n", shell_quoted(line)))
        .collect();
    std::fs::write(room.path("ask.sh"), format!("dbdyno completions fish | source\n{lines}")).unwrap();
    let said = output(&room, &["fish", "--no-config", "ask.sh"]);
    let mut answers = said.split("=== ").skip(1);
    for (line, expected) in LINES {
        let answer = answers.next().unwrap_or_else(|| panic!("no answer to {line}: {said}"));
        let offered: Vec<&str> = answer.lines().skip(1).map(|row| row.split('\t').next().unwrap_or_default()).collect();
        let typed = line.rsplit(' ').next().unwrap_or_default();
        let word = |whole: &str| whole[line.len() - typed.len()..].replace('\\', "");
        match expected.strip_suffix(" ^") {
            Some(whole) => assert_eq!(offered, [word(whole)], "{line}: {said}"),
            None => assert!(offered.len() != 1 && offered.iter().all(|word| word.starts_with(typed)), "{line}: {said}"),
        }
    }
    let mut after = room.files();
    after.retain(|path, _| before.contains_key(path));
    assert!(after == before);
}

/// What every shell asks: names with what they are. Runs come from the file that the words name, which is only looked
/// at.
#[test]
fn runs_labels_and_platforms_are_offered_and_nothing_is_made() {
    let room = room();
    let lines = |line: &str| room.run(line).expect(0).stdout.lines().map(str::to_owned).collect::<Vec<_>>();
    let offered = lines("complete -- dbdyno show");
    assert!(offered.iter().any(|line| line.starts_with("show\t")), "{offered:?}");
    let mut command = room.command("complete -- dbdyno show");
    let shown = String::from_utf8(command.arg("").output().unwrap().stdout).unwrap();
    for line in ["last\tthe newest run: T512, after", "before\tlabel of 2 runs", "after\tlabel of a run"] {
        assert!(shown.lines().any(|shown| shown == line), "no '{line}' in {shown}");
    }
    let id = room.runs()[0]["id"].as_str().unwrap().to_owned();
    assert!(shown.contains(&format!("\n{id}\tT512, after\n")), "{shown}");
    assert!(shown.contains("hp_dl980_violin_2012\t") && !shown.contains("--json"), "{shown}");
    let mut own = room.command("complete -- dbdyno resume");
    assert!(!String::from_utf8(own.arg("").output().unwrap().stdout).unwrap().contains("hp_dl980"));
    // Where there is no results file, or another program's, none is made, and nothing is complained of.
    let empty = Room::new();
    let ending = empty.run("complete -- dbdyno show la").expect(0);
    assert_eq!((ending.stdout.as_str(), ending.stderr.as_str()), ("", ""));
    assert!(empty.files().is_empty());
    std::fs::write(empty.path("dbdyno.db"), "something else").unwrap();
    let ending = empty.run("complete -- dbdyno show la").expect(0);
    assert_eq!((ending.stdout.as_str(), ending.stderr.as_str()), ("", ""));
    assert_eq!(std::fs::read(empty.path("dbdyno.db")).unwrap(), b"something else");
    let ending = empty.run("complete -- dbdyno --catalogue /no/such run qui").expect(0);
    assert_eq!((ending.stdout.as_str(), ending.stderr.as_str()), ("", ""));
}

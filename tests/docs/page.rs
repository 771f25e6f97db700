//! A page, and the blocks of code in it.

use crate::ROOT;
use std::path::Path;

/// What a comment before a block that is not run begins with; the reason follows.
const NOT_RUN: &str = "not run:";
/// What a comment before quoted output begins with; the command follows.
const PRINTED_BY: &str = "printed by:";
/// What a command line ends with whose exit code is not 0; the code follows, or two with `or` between them.
const EXITS_WITH: &str = "# exits with ";
/// Languages of blocks. Commands are in those of the first.
const LANGUAGES: [&str; 5] = ["sh", "text", "json", "toml", "sql"];

/// A page.
pub(crate) struct Page {
    /// Its path from the root.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A block between fences.
pub(crate) struct Block {
    /// The line of its first fence, from 1.
    pub(crate) line: usize,
    language: String,
    /// What the comment on the line before says.
    comment: Option<String>,
    lines: Vec<String>,
}

impl Page {
    pub(crate) fn read(name: &str) -> Self {
        let text = std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        Self { name: name.to_owned(), text }
    }

    /// README.md and the pages of the book.
    pub(crate) fn all() -> Vec<Self> {
        let mut names = vec!["README.md".to_owned()];
        names.extend(names_in("docs"));
        assert!(names.len() >= 15, "{names:?}");
        names.iter().map(|name| Self::read(name)).collect()
    }

    /// The same, with the pages of the folders in the book's.
    pub(crate) fn with_all_folders() -> Vec<Self> {
        let further = ["docs/decisions", "docs/upstream"].into_iter().flat_map(names_in);
        Self::all().into_iter().chain(further.map(|name| Self::read(&name))).collect()
    }

    /// The blocks, in their order.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let (mut blocks, mut open, mut comment) = (Vec::new(), None::<(usize, Block)>, None);
        for (number, line) in (1..).zip(self.text.lines()) {
            let trimmed = line.trim();
            match (&mut open, trimmed.strip_prefix("```")) {
                (None, Some(language)) => {
                    let indent = line.len() - line.trim_start().len();
                    let language = language.to_owned();
                    open = Some((indent, Block { line: number, language, comment: comment.take(), lines: Vec::new() }));
                }
                (Some(_), Some("")) => blocks.extend(open.take().map(|(_, block)| block)),
                (Some((indent, block)), _) => block.lines.push(line.get(*indent..).unwrap_or_default().to_owned()),
                (None, None) => {
                    let inner = trimmed.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
                    comment = inner.map(|inner| inner.trim().to_owned());
                }
            }
        }
        assert!(open.is_none(), "{}: a fence is not closed", self.name);
        blocks
    }

    /// The text outside of blocks and comments.
    pub(crate) fn prose(text: &str) -> String {
        let mut quoted = false;
        let mut keep = |line: &&str| {
            let fence = line.trim_start().starts_with("```");
            quoted ^= fence;
            !quoted && !fence && !line.trim_start().starts_with("<!--")
        };
        text.lines().filter(|line| keep(line)).collect::<Vec<_>>().join("\n")
    }

    /// What keeps the page from being run, or hides a command from it.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut fault = |line: usize, what: &str| faults.push(format!("{}, line {line}: {what}", self.name));
        for block in self.blocks() {
            let is_command =
                |line: &String| ["dbdyno ", "$ dbdyno ", "make "].iter().any(|begin| line.starts_with(begin));
            if !LANGUAGES.contains(&block.language.as_str()) {
                fault(block.line, &format!("the language '{}' is none of {LANGUAGES:?}", block.language));
            } else if block.language != LANGUAGES[0] && block.lines.iter().any(is_command) {
                fault(block.line, "commands belong in a block of sh, which is run");
            }
            if block.reason().is_some_and(|reason| reason.len() < 10) {
                fault(block.line, "why it is not run tells a reader too little");
            }
            for line in &block.lines {
                if block.is_run() && exits(line).is_some_and(|(_, codes)| codes.is_empty()) {
                    fault(block.line, &format!("no exit code: {line}"));
                }
            }
        }
        for line in Self::prose(&self.text).lines().filter(|line| line.starts_with("    ")) {
            if line.trim_start().starts_with("dbdyno ") || line.trim_start().starts_with("make ") {
                fault(0, &format!("a command outside of a block: {line}"));
            }
        }
        faults
    }
}

impl Block {
    /// Why it is not run, if it is not.
    fn reason(&self) -> Option<&str> {
        self.comment.as_deref()?.strip_prefix(NOT_RUN).map(str::trim)
    }

    pub(crate) fn is_run(&self) -> bool {
        self.language == LANGUAGES[0] && self.reason().is_none()
    }

    /// Its lines for a shell that ends at the first exit code that was not expected.
    pub(crate) fn script(&self) -> String {
        let line = |line: &String| match exits(line) {
            Some((command, codes)) => {
                let codes = codes.join("|");
                format!(
                    "code=0; {{ {command}; }} || code=$?; case $code in {codes}) ;; *) echo \"exits with $code\" >&2; exit 99 ;; esac"
                )
            }
            None => line.clone(),
        };
        self.lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The command that prints it, if it is quoted output of a command that is run.
    pub(crate) fn printed_by(&self) -> Option<&str> {
        self.comment.as_deref()?.strip_prefix(PRINTED_BY).map(str::trim)
    }

    /// Whether a text contains it. A line of `...` stands for what is left out.
    ///
    /// # Errors
    /// The part that is not there.
    pub(crate) fn is_in(&self, printed: &str) -> Result<(), String> {
        let mut rest = printed;
        for part in self.lines.split(|line| line == "...").map(|lines| lines.join("\n")) {
            let Some(at) = rest.find(&part) else { return Err(part) };
            rest = &rest[at + part.len()..];
        }
        Ok(())
    }
}

/// A command and its exit codes, where these are not 0 alone.
fn exits(line: &str) -> Option<(&str, Vec<&str>)> {
    let (command, codes) = line.rsplit_once(EXITS_WITH)?;
    let codes: Vec<&str> = codes.trim().split(" or ").collect();
    let are_codes = codes.iter().all(|code| code.parse::<u8>().is_ok());
    Some((command.trim_end(), if are_codes { codes } else { Vec::new() }))
}

fn names_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")).collect();
    names.sort();
    names
}

#[test]
fn blocks_are_found_and_faults_are_noticed() {
    let page = |text: &str| Page { name: "x.md".to_owned(), text: text.to_owned() };
    let found = page(
        "- one\n\n  <!-- not run: needs a server -->\n  ```sh\n  a\n    b\n  ```\n\n```sh\nc # exits with 0 or 4\n```\n",
    );
    let blocks = found.blocks();
    assert_eq!((blocks[0].line, blocks[0].is_run(), blocks[0].lines.join("|")), (4, false, "a|  b".to_owned()));
    assert!(blocks[1].is_run() && blocks[1].script().contains("{ c; }") && blocks[1].script().contains(" 0|4) "));
    assert!(found.faults().is_empty(), "{:?}", found.faults());
    for text in [
        "<!-- not run: -->\n```sh\na\n```\n",
        "```\ndbdyno\n```\n",
        "```text\ndbdyno show last\n```\n",
        "```sh\na # exits with two\n```\n",
        "    dbdyno show last\n",
    ] {
        assert_eq!(page(text).faults().len(), 1, "{text}");
    }
    let quoted = |text: &str| page(text).blocks().remove(0);
    assert_eq!(quoted("```text\nb\n...\nd\n```\n").is_in("a\nb\nc\nd\n"), Ok(()));
    assert_eq!(quoted("```text\nd\n...\nb\n```\n").is_in("a\nb\nc\nd\n"), Err("b".to_owned()));
}

//! A document as GitHub-flavoured Markdown, for the summary of a pipeline: headings, pipe tables, paragraphs and lists.
//! What is hidden on a page until a reader asks for it is hidden here, too. No text makes Markdown, HTML, a link or a
//! mention of somebody of its own.

use crate::document::{Block, Cell, Column, Document, Facts, LegendEntry, MOST_NOTES};
use crate::document::{Note, NoteKind, Part, Row, SideLine, Table, Tone, drawn_sign};
use crate::groups::joined;
use crate::terminal::lines::clean;

impl Document {
    /// The Markdown, for the summary of a pipeline.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut markdown = Markdown(String::new());
        markdown.heading(1, &self.title);
        markdown.blocks(&self.head);
        for section in self.sections.iter().filter(|section| !section.blocks.is_empty()) {
            let title = if section.title.is_empty() { &section.name } else { &section.title };
            markdown.heading(2, &format!("{title}{}", section.about));
            markdown.blocks(&section.blocks);
        }
        markdown.0
    }
}

/// Markdown in the making: blocks with an empty line between them.
struct Markdown(String);

impl Markdown {
    fn put(&mut self, lines: &str) {
        if lines.is_empty() {
            return;
        }
        self.0.push_str(if self.0.is_empty() { "" } else { "\n" });
        self.0.push_str(lines);
        self.0.push('\n');
    }

    fn heading(&mut self, level: usize, title: &str) {
        if !title.is_empty() {
            self.put(&format!("{} {}", "#".repeat(level), paragraph(title)));
        }
    }

    fn list(&mut self, items: impl IntoIterator<Item = String>) {
        self.put(&items.into_iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n"));
    }

    fn blocks(&mut self, blocks: &[Block]) {
        blocks.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match block {
            _ if block.is_empty() => {}
            Block::Note(of) => self.put(&note(of)),
            Block::Sides(sides) => self.list(sides.iter().map(side)),
            Block::Warnings(texts) => {
                self.put("**Not like with like**");
                self.list(texts.iter().map(|text| paragraph(text)));
            }
            Block::Facts(of) => self.facts(of),
            Block::Sheet(lists) => lists.iter().for_each(|(title, facts)| {
                self.put(&format!("**{}**", inline(title)));
                self.facts(facts);
            }),
            Block::Table(of) => self.table(of),
            Block::List(sentences) => self.list(sentences.iter().map(|sentence| paragraph(sentence))),
            Block::Part(of) => self.part(of),
            Block::Pairs(parts) => parts.iter().for_each(|of| self.part(of)),
            Block::Folded(of) => {
                self.put(&format!("<details>\n<summary>{}</summary>", html(&of.title)));
                self.blocks(&of.blocks);
                self.put("</details>");
            }
            Block::Legend(entries) => self.list(entries.iter().map(meaning)),
            // A table beside them says the same.
            Block::Charts(_) | Block::Bars(_) | Block::Tiles(_) => {}
        }
    }

    fn part(&mut self, part: &Part) {
        self.heading(3, &joined([&part.code, &part.title], " "));
        self.blocks(&part.blocks);
    }

    /// A fact without a name continues the one before.
    fn facts(&mut self, facts: &Facts) {
        let line = |(name, value): &(String, String)| match name.is_empty() {
            true => format!("  - {}", paragraph(value)),
            false => format!("- **{}** {}", inline(name.trim()), inline(value)),
        };
        self.put(&facts.iter().map(line).collect::<Vec<_>>().join("\n"));
    }

    /// A table. Columns that say nothing are left out, as on a terminal.
    fn table(&mut self, table: &Table) {
        if table.caption_in_text {
            self.put(&format!("**{}**", inline(&table.caption)));
        }
        let shown = table.kept(|_| false);
        let columns = || shown.iter().map(|n| &table.columns[*n]);
        let mut lines = vec![line(columns().map(head))];
        lines.push(line(columns().map(|column| if column.words { "---" } else { "---:" }.to_owned())));
        lines.extend(table.rows.iter().map(|of| line(row(of, &shown))));
        self.put(&lines.join("\n"));
    }
}

fn line(cells: impl IntoIterator<Item = String>) -> String {
    cells.into_iter().fold("|".to_owned(), |line, cell| format!("{line} {cell} |"))
}

fn head(column: &Column) -> String {
    let (text, unit) = column.head_and_unit();
    inline(&if unit.is_empty() { text } else { format!("{text} ({unit})") })
}

/// The cells of a row, as many as columns are shown.
fn row(row: &Row, shown: &[usize]) -> Vec<String> {
    let mut cells: Vec<String> = shown.iter().filter_map(|n| row.cells().get(*n)).map(cell).collect();
    cells.extend(match row {
        Row::Cells(_) => None,
        Row::Remark(_, remark) => Some(inline(remark)),
        Row::Group(title) => Some(format!("**{}**", inline(title))),
    });
    // The last column takes all that is left, as nothing behind it would be shown.
    let rest = cells.split_off(cells.len().min(shown.len().saturating_sub(1)));
    cells.push(joined(rest, " "));
    cells.resize(shown.len(), String::new());
    cells
}

/// A figure or words with marks behind, as on a terminal. A difference that was shown catches the eye.
fn cell(cell: &Cell) -> String {
    let rank = cell.rank.sign().map(|sign| drawn_sign(sign).to_string()).unwrap_or_default();
    let text = format!("{}{rank}{}", cell.text(), cell.marks);
    let indent = text.len() - text.trim_start().len();
    let safe = inline(text.trim());
    let is_bold = matches!(cell.tone, Tone::Better | Tone::Worse) && !safe.is_empty();
    let bold = if is_bold { "**" } else { "" };
    format!("{}{bold}{safe}{bold}", "&nbsp;".repeat(indent))
}

fn note(note: &Note) -> String {
    let lead = match note.kind {
        NoteKind::Plain => return paragraph(&format!("{}{}", note.lead, note.text)),
        NoteKind::Notice => "Notice.",
        NoteKind::Met => "✓",
        NoteKind::NotMet => "✗",
    };
    format!("**{lead}** {}", inline(&note.text))
}

fn side(side: &SideLine) -> String {
    let base = if side.is_baseline { " (baseline)" } else { "" };
    let text = if side.text == side.name { String::new() } else { format!(": {}", inline(&side.text)) };
    format!("**{}** {}{base}{text}", inline(&side.letter), inline(&side.name))
}

fn meaning(entry: &LegendEntry) -> String {
    let more = entry.notes.len().saturating_sub(MOST_NOTES);
    let more = (more > 0).then(|| format!("and {more} more in the JSON document"));
    let notes = entry.notes.iter().take(MOST_NOTES).map(|note| paragraph(note)).chain(more);
    let notes: String = notes.map(|note| format!("\n  - {note}")).collect();
    format!("{} {}{notes}", paragraph(&drawn_sign(entry.mark).to_string()), inline(&entry.text))
}

/// A text at the beginning of a line, where it must not begin a heading, a list or a rule either.
fn paragraph(text: &str) -> String {
    let text = inline(text.trim());
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text[digits..].chars().next() {
        // 1. and 1) begin a list.
        Some('.' | ')') if digits > 0 => format!("{}\\{}", &text[..digits], &text[digits..]),
        Some('#' | '-' | '+' | '=') if digits == 0 => format!("\\{text}"),
        _ => text,
    }
}

/// A text that stands for itself, on one line.
fn inline(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for c in clean(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // Tables are cut at every other pipe, escaped or not, by one renderer or another.
            '|' => safe.push_str("&#124;"),
            // Nobody is told of it.
            '@' => safe.push_str("@<!-- -->"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' => safe.extend(['\\', c]),
            _ => safe.push(c),
        }
    }
    // What a renderer would make a link of.
    safe.replace("://", ":&#47;/").replace("www.", "www&#46;")
}

/// The same within an element of HTML, where Markdown is not read.
fn html(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Form, Rank, Section};

    #[test]
    fn a_text_stands_for_itself() {
        for (text, safe) in [
            ("147,200 (8,348)-", "147,200 (8,348)-"),
            ("a|b\nc", r"a&#124;b\\nc"),
            ("<img src=x>&amp;", "&lt;img src=x&gt;&amp;amp;"),
            ("`x` *y* _z_ ~w~ $v$ [u](t)", r"\`x\` \*y\* \_z\_ \~w\~ \$v\$ \[u\](t)"),
            ("www.example.org", "www&#46;example.org"),
            ("@team http://x.org", "@<!-- -->team http:&#47;/x.org"),
            ("\u{1b}[2J\u{202e}", r"\\u{1b}\[2J\\u{202e}"),
        ] {
            assert_eq!(inline(text), safe);
        }
        assert_eq!(paragraph("# one"), "\\# one");
        assert_eq!(paragraph("    - one"), "\\- one");
        assert_eq!((paragraph("12) a"), paragraph("1. b")), ("12\\) a".to_owned(), "1\\. b".to_owned()));
        assert_eq!((paragraph("2 rows"), html("a_b <c>")), ("2 rows".to_owned(), "a_b &lt;c&gt;".to_owned()));
    }

    #[test]
    fn every_row_has_as_many_cells_as_columns() {
        let columns = vec![
            Column::words("Code"),
            Column { optional: true, ..Column::figures("Gets") },
            Column { more: "base".to_owned(), ..Column::figures("Rate\n[1/s]") },
        ];
        let rate = |value: f64| Cell::figure(value, Form::Thousands);
        let rows = vec![
            Row::Group("Reads".to_owned()),
            Row::led(["  T611"], [Cell::empty(), rate(147_200.0).ranked(Rank::Best, None).marked("~")]),
            Row::led(["T612"], [Cell::empty(), rate(7.0).doubtful(true).tone(Tone::Worse)]),
            Row::Remark(vec![Cell::words("T613")], "failed: a|b".to_owned()),
            Row::Remark(vec![Cell::words("T614"), Cell::empty(), rate(1.0)], "late".to_owned()),
        ];
        let table = Table { caption_in_text: true, ..Table::new("Rates", columns, rows) };
        let document = Document::of(vec![Section::new("rates", "Rates").with([Block::Folded(Part {
            title: "All <of> them".to_owned(),
            blocks: vec![Note::plain("# no heading").into(), table.into()],
            ..Part::default()
        })])]);
        let expected = "## Rates

<details>
<summary>All &lt;of&gt; them</summary>

\\# no heading

**Rates**

| Code | Rate (1/s, base) |
| --- | ---: |
| **Reads** |  |
| &nbsp;&nbsp;T611 | 147,200▲\\~ |
| T612 | **(7.000)** |
| T613 | failed: a&#124;b |
| T614 | 1.000 late |

</details>
";
        assert_eq!(document.markdown(), expected);
    }

    #[test]
    fn warnings_have_one_heading_and_facts_their_names() {
        let facts = vec![("Kernel".to_owned(), "6.1".to_owned()), (String::new(), "tainted".to_owned())];
        let sheet = vec![("Host".to_owned(), facts)];
        let note = Note { kind: NoteKind::NotMet, text: "1 of 2".to_owned(), ..Note::default() };
        let warnings = Block::Warnings(vec!["sizes".to_owned(), "engines".to_owned()]);
        let head = vec![note.into(), warnings, sheet.into()];
        let document = Document { title: "a and b".to_owned(), head, ..Document::default() };
        let expected = "# a and b

**✗** 1 of 2

**Not like with like**

- sizes
- engines

**Host**

- **Kernel** 6.1
  - tainted
";
        assert_eq!(document.markdown(), expected);
    }
}

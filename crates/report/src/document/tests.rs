//! The terminal, the page and the Markdown show the same figures: every figure of every table, as the same text, in the
//! same order.

#[allow(dead_code, reason = "it serves other tests, too")]
#[path = "../../tests/fixture/mod.rs"]
mod fixture;

use super::{Block, Cell, Document, Look, Row, Table};
use crate::compare::{self, CompareOptions, Side};
use crate::registry::{REPORTS, report};
use crate::reported::Reported;
use crate::sections::compare::Extent;
use crate::terminal::lines::clean;
use crate::verdict::Verdict;
use dbdyno_catalogue::{Catalogue, Requirements};
use dbdyno_model::RunJson;
use std::collections::BTreeSet;

/// The examples of requirements.
const REQUIREMENTS: [&str; 3] = [
    include_str!("../../../../catalogue/requirements/oltp.toml"),
    include_str!("../../../../catalogue/requirements/replication.toml"),
    include_str!("../../../../catalogue/requirements/warehouse.toml"),
];

/// The tables of blocks that have rows, in order.
fn tables(blocks: &[Block]) -> Vec<&Table> {
    let mut all = Vec::new();
    for block in blocks {
        match block {
            // A terminal shows these line by line.
            Block::Table(table) if table.look == Look::Beside => {}
            Block::Table(table) => all.extend((!table.rows.is_empty()).then_some(table)),
            Block::Part(part) | Block::Folded(part) => all.extend(tables(&part.blocks)),
            Block::Pairs(parts) => all.extend(parts.iter().flat_map(|part| tables(&part.blocks))),
            Block::Note(_) | Block::Sides(_) | Block::Warnings(_) | Block::Facts(_) | Block::Sheet(_) => {}
            Block::List(_) | Block::Charts(_) | Block::Bars(_) | Block::Tiles(_) | Block::Legend(_) => {}
        }
    }
    all
}

fn tables_of(document: &Document) -> Vec<&Table> {
    let blocks = std::iter::once(&document.head).chain(document.sections.iter().map(|section| &section.blocks));
    blocks.flat_map(|blocks| tables(blocks)).collect()
}

/// The figures of a row, as texts.
fn figures(row: &Row) -> Vec<String> {
    let is_figure = |cell: &&Cell| match cell.form {
        Some(_) => cell.value.is_some(),
        None => cell.words.contains(|c: char| c.is_ascii_digit()),
    };
    row.cells().iter().filter(is_figure).map(|cell| clean(&cell.text()).trim().to_owned()).collect()
}

fn without_blanks(text: &str) -> String {
    clean(text).split_whitespace().collect()
}

/// A row as a terminal shows it, but for blanks. Optional columns that say nothing are left out.
fn line(row: &Row, table: &Table) -> String {
    let cell = |cell: &Cell| {
        format!("{}{}{}", cell.text(), cell.rank.sign().map(String::from).unwrap_or_default(), cell.marks)
    };
    let behind = match row {
        Row::Cells(_) => "",
        Row::Remark(_, text) | Row::Group(text) => text,
    };
    let is_shown = |n: &usize| !(table.columns[*n].optional && table.is_bare(*n));
    let shown = row.cells().iter().enumerate().filter(|(n, _)| is_shown(n)).map(|(_, cell)| cell);
    without_blanks(&format!("{}{behind}", shown.map(cell).collect::<String>()))
}

/// What the text of a terminal without a width lacks of the tables of a document.
fn lacks_text(document: &Document, text: &str) -> Option<String> {
    let mut lines = text.lines().map(without_blanks).filter(|line| !line.is_empty());
    for table in tables_of(document) {
        let mut rows = table.rows.iter().map(|row| line(row, table));
        let first = rows.next().unwrap_or_default();
        // Heads and other blocks stand before the first row, and nothing between rows.
        if !lines.any(|line| line == first) {
            return Some(format!("{}: no line {first}", table.caption));
        }
        for row in rows {
            let next = lines.next().unwrap_or_default();
            if next != row {
                return Some(format!("{}: {next} in place of {row}", table.caption));
            }
        }
    }
    None
}

/// The texts between the tags of a piece of a page.
fn texts(html: &str) -> Vec<String> {
    // A name may go on in the next line there.
    let html = html.replace("<wbr>", "");
    let plain = html.split('>').skip(1).filter_map(|after_tag| after_tag.split('<').next());
    let unescaped =
        plain.map(|text| text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"));
    // A sign stands in one piece with the figure.
    unescaped.map(|text| text.trim_start_matches(['▲', '▼', '✓', '✗', ' ']).trim_end().to_owned()).collect()
}

/// What follows a word in a page, up to the next quotation mark, each once.
fn attributes<'p>(page: &'p str, word: &str) -> BTreeSet<&'p str> {
    page.split(word).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The links of a page that lead nowhere, and the places to which they might lead twice.
fn lost_links(page: &str) -> Vec<String> {
    let places: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let n = |link: &str| places.iter().filter(|place| **place == link).count();
    let links = attributes(page, "href=\"#").into_iter().filter(|link| n(link) != 1);
    links.map(|link| format!("{link} is there {} times", n(link))).collect()
}

/// What a page lacks of the tables of a document.
fn lacks_page(document: &Document, page: &str) -> Option<String> {
    let mut of_page = page.split("<table").skip(1).filter(|table| !table.starts_with(" class=\"facts"));
    for table in tables_of(document) {
        let html = of_page.next().unwrap_or_default();
        let body = html.split_once("<tbody>").and_then(|(_, rest)| rest.split_once("</tbody>")).unwrap_or_default().0;
        let rows: Vec<&str> = body.split("<tr").skip(1).collect();
        if rows.len() != table.rows.len() {
            return Some(format!("{}: {} rows in place of {}", table.caption, rows.len(), table.rows.len()));
        }
        for (row, html) in table.rows.iter().zip(rows) {
            let mut texts = texts(html).into_iter();
            if let Some(lost) = figures(row).into_iter().find(|figure| !texts.any(|text| text == *figure)) {
                return Some(format!("{}: {lost} is not in its place in {html}", table.caption));
            }
        }
    }
    of_page.next().map(|more| format!("a table that the document does not have: {more}"))
}

/// A line of Markdown as a reader sees it, but for blanks.
fn rendered(line: &str) -> String {
    let line = line.replace("<!-- -->", "").replace("&nbsp;", " ").replace('▲', "+").replace('▼', "-");
    let (mut seen, mut rest) = (String::new(), line.chars());
    while let Some(c) = rest.next() {
        match c {
            '\\' => seen.extend(rest.next()),
            // Bold text, and the edges of cells.
            '*' | '|' => {}
            _ => seen.push(c),
        }
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&#124;", "|"), ("&#47;", "/"), ("&amp;", "&")];
    without_blanks(&entities.into_iter().fold(seen, |seen, (entity, c)| seen.replace(entity, c)))
}

/// What the Markdown lacks of the tables of a document.
fn lacks_markdown(document: &Document, markdown: &str) -> Option<String> {
    let mut lines = markdown.lines().filter(|line| line.starts_with('|')).map(rendered);
    for table in tables_of(document) {
        for of in &table.rows {
            let row = line(of, table);
            if !lines.any(|seen| seen == row) {
                return Some(format!("{}: no row {row}", table.caption));
            }
        }
    }
    None
}

/// Markdown that a renderer would not take as it is meant.
fn malformed(markdown: &str) -> Option<String> {
    let mut columns = None;
    for line in markdown.lines() {
        let n = line.starts_with('|').then(|| line.matches('|').count());
        if n.is_some() && columns.is_some() && n != columns {
            return Some(format!("another number of cells: {line}"));
        }
        columns = n;
        if line.contains('<')
            && !["<details>", "</details>", "<summary>", "<!-- -->"].iter().any(|tag| line.contains(tag))
        {
            return Some(format!("HTML: {line}"));
        }
    }
    let n = |tag: &str| markdown.matches(tag).count();
    (n("<details>") != n("</details>")).then(|| "what is folded has no end".to_owned())
}

#[track_caller]
fn check(name: &str, document: &Document) -> usize {
    let (text, page, markdown) = (document.text(None), document.page(), document.markdown());
    assert_eq!(lacks_text(document, &text), None, "{name}:\n{text}");
    assert_eq!(lacks_page(document, &page), None, "{name}");
    assert_eq!(lacks_markdown(document, &markdown), None, "{name}:\n{markdown}");
    assert_eq!(malformed(&markdown), None, "{name}:\n{markdown}");
    // A table that was asked for by name is no page of its own.
    if !document.title.is_empty() {
        assert_eq!(lost_links(&page), [""; 0], "{name}");
    }
    tables_of(document).into_iter().flat_map(|table| &table.rows).map(|row| figures(row).len()).sum()
}

#[test]
fn all_renderings_show_every_figure_of_every_table() {
    let catalogue = Catalogue::embedded().unwrap();
    let mut runs = vec![fixture::run(), fixture::pooled(), fixture::storage::run(), fixture::storage::beside()];
    let platforms = ["hp_dl980_violin_2012", "hds_ucp_flash_2013", "ibm_p8_e870_2016", "recoverpoint_2021"];
    runs.extend(platforms.map(|id| catalogue.platform(id).unwrap()));
    let mut shown = 0;
    for run in runs.into_iter().map(Reported::of) {
        for report in REPORTS {
            shown += check(&format!("{} of {}", report.name, run.run.name()), &report.of(&run, &catalogue));
        }
        shown += check(&format!("the page of {}", run.run.name()), &run.document(&catalogue));
    }
    assert!(shown > 500, "{shown} figures");
}

#[test]
fn all_renderings_show_every_figure_of_comparisons_and_verdicts() {
    let catalogue = Catalogue::embedded().unwrap();
    let of = |id: &&str| Side::new(*id, vec![catalogue.platform(id).unwrap()]);
    let own = |run: RunJson| Side::new(run.run.id.to_string(), vec![run]);
    let orabench = ["ibm_p8_e870_2016", "hpe_dl580_bm_2016", "hpe_dl380_vm_2016"];
    let mut comparisons: Vec<Vec<Side>> = vec![
        orabench.iter().map(of).collect(),
        ["hp_dl980_violin_2012", "hds_ucp_flash_2013"].iter().map(of).collect(),
        ["sunlight_on_aws", "aws_r5"].iter().map(of).collect(),
    ];
    comparisons.push(vec![own(fixture::run()), of(&"ibm_p8_e870_2016")]);
    comparisons.push(vec![own(fixture::storage::run()), of(&"recoverpoint_2021")]);
    for sides in comparisons {
        let names = sides.iter().map(|side| side.name.as_str()).collect::<Vec<_>>().join(", ");
        let comparison = compare::compare(&sides, &CompareOptions::default(), &catalogue).unwrap();
        let shown = check(&names, &comparison.document(&sides, &[], &catalogue, Extent::Screen));
        assert!(shown > 5, "{shown} figures of {names}");
        check(&names, &comparison.document(&sides, &[], &catalogue, Extent::Page));
        let summary = comparison.document(&sides, &[], &catalogue, Extent::Summary);
        let markdown = summary.markdown();
        assert_eq!(lacks_text(&summary, &summary.text(None)), None, "{names}");
        assert_eq!(lacks_markdown(&summary, &markdown).or_else(|| malformed(&markdown)), None, "{names}:\n{markdown}");
    }
    for text in REQUIREMENTS {
        let requirements = Requirements::parse("requirements", text, &catalogue).unwrap();
        let runs = [fixture::run(), catalogue.platform("recoverpoint_2021").unwrap()];
        let verdicts: Vec<Verdict> = runs.iter().map(|run| Verdict::of(run, &requirements)).collect();
        check(&requirements.title, &Verdict::document(&verdicts));
    }
}

/// The test above sees what it is there to see.
#[test]
fn a_figure_of_another_form_or_a_lost_one_is_noticed() {
    let catalogue = Catalogue::embedded().unwrap();
    let document = report("summary").unwrap().of(&Reported::of(fixture::run()), &catalogue);
    let (text, page, markdown) = (document.text(None), document.page(), document.markdown());
    for (figure, other) in [("209,700", "209700"), ("(2,423)", "2,423"), ("9.54 µs", "9.5 µs"), ("313.2", "")] {
        assert!(lacks_text(&document, &text.replace(figure, other)).is_some(), "{figure} on a terminal");
        assert!(lacks_markdown(&document, &markdown.replace(figure, other)).is_some(), "{figure} in Markdown");
        let (before, table) = page.split_once("<table").unwrap();
        let table = table.replace(&format!(">{figure}<"), &format!(">{other}<"));
        assert!(lacks_page(&document, &format!("{before}<table{table}")).is_some(), "{figure} on a page");
    }
}

//! The terminal and the page show the same figures: every figure of every table, as the same text, in the same order.

#[allow(dead_code, reason = "it serves other tests, too")]
#[path = "../../tests/fixture/mod.rs"]
mod fixture;

use super::table::Content;
use super::{Block, Cell, Document, Rank, Row, Table};
use crate::registry::{REPORTS, report};
use crate::reported::Reported;
use crate::terminal::lines::clean;
use dbdyno_catalogue::Catalogue;

/// The tables of blocks that have rows, in order.
fn tables(blocks: &[Block]) -> Vec<&Table> {
    let mut all = Vec::new();
    for block in blocks {
        match block {
            Block::Table(table) => all.extend((!table.rows.is_empty()).then_some(table)),
            Block::Part(part) | Block::Folded(part) => all.extend(tables(&part.blocks)),
            Block::Pairs(parts) => all.extend(parts.iter().flat_map(|part| tables(&part.blocks))),
            Block::Note(_) | Block::Sides(_) | Block::Facts(_) | Block::Beside(_) | Block::List(_) => {}
            Block::Charts(_) | Block::Bars(_) | Block::Tiles(_) | Block::Legend(_) => {}
        }
    }
    all
}

fn tables_of(document: &Document) -> Vec<&Table> {
    let blocks = std::iter::once(&document.head).chain(document.sections.iter().map(|section| &section.blocks));
    blocks.flat_map(|blocks| tables(blocks)).collect()
}

fn cells(row: &Row) -> &[Cell] {
    match row {
        Row::Cells(cells) | Row::Remark(cells, _) => cells,
        Row::Group(_) => &[],
    }
}

/// The figures of a row, as texts.
fn figures(row: &Row) -> Vec<String> {
    let is_figure = |cell: &&Cell| matches!(&cell.content, Content::Figure { value: Some(_), .. });
    cells(row).iter().filter(is_figure).map(Cell::text).collect()
}

fn without_blanks(text: &str) -> String {
    clean(text).split_whitespace().collect()
}

/// A row as a terminal shows it, but for blanks. Optional columns that say nothing are left out.
fn line(row: &Row, table: &Table) -> String {
    let cell = |cell: &Cell| {
        let rank = match cell.rank {
            Rank::None => "",
            Rank::Best => "+",
            Rank::Worst => "-",
        };
        format!("{}{rank}{}", cell.text(), cell.marks)
    };
    let behind = match row {
        Row::Cells(_) => "",
        Row::Remark(_, text) | Row::Group(text) => text,
    };
    let is_shown = |n: &usize| !(table.columns[*n].optional && table.is_bare(*n));
    let shown = cells(row).iter().enumerate().filter(|(n, _)| is_shown(n)).map(|(_, cell)| cell);
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
            return Some(format!("{}: no line {first}", table.name()));
        }
        for row in rows {
            let next = lines.next().unwrap_or_default();
            if next != row {
                return Some(format!("{}: {next} in place of {row}", table.name()));
            }
        }
    }
    None
}

/// The texts between the tags of a piece of a page.
fn texts(html: &str) -> Vec<String> {
    let plain = html.split('>').skip(1).filter_map(|after_tag| after_tag.split('<').next());
    let unescaped =
        plain.map(|text| text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"));
    // A sign stands in one piece with the figure.
    unescaped.map(|text| text.trim_start_matches(['▲', '▼', '✓', '✗', ' ']).trim_end().to_owned()).collect()
}

/// What a page lacks of the tables of a document.
fn lacks_page(document: &Document, page: &str) -> Option<String> {
    let mut of_page = page.split("<table").skip(1).filter(|table| !table.starts_with(" class=\"facts"));
    for table in tables_of(document) {
        let html = of_page.next().unwrap_or_default();
        let body = html.split_once("<tbody>").and_then(|(_, rest)| rest.split_once("</tbody>")).unwrap_or_default().0;
        let rows: Vec<&str> = body.split("<tr").skip(1).collect();
        if rows.len() != table.rows.len() {
            return Some(format!("{}: {} rows in place of {}", table.name(), rows.len(), table.rows.len()));
        }
        for (row, html) in table.rows.iter().zip(rows) {
            let mut texts = texts(html).into_iter();
            if let Some(lost) = figures(row).into_iter().find(|figure| !texts.any(|text| text == *figure)) {
                return Some(format!("{}: {lost} is not in its place in {html}", table.name()));
            }
        }
    }
    of_page.next().map(|more| format!("a table that the document does not have: {more}"))
}

#[track_caller]
fn check(name: &str, document: &Document) -> usize {
    let (text, page) = (document.text(None), document.page());
    assert_eq!(lacks_text(document, &text), None, "{name}:\n{text}");
    assert_eq!(lacks_page(document, &page), None, "{name}");
    tables_of(document).into_iter().flat_map(|table| &table.rows).map(|row| figures(row).len()).sum()
}

#[test]
fn both_renderings_show_every_figure_of_every_table() {
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

/// The test above sees what it is there to see.
#[test]
fn a_figure_of_another_form_or_a_lost_one_is_noticed() {
    let catalogue = Catalogue::embedded().unwrap();
    let document = report("summary").unwrap().of(&Reported::of(fixture::run()), &catalogue);
    let (text, page) = (document.text(None), document.page());
    for (figure, other) in [("209,700", "209700"), ("(2,423)", "2,423"), ("9.54 µs", "9.5 µs"), ("313.2", "")] {
        assert!(lacks_text(&document, &text.replace(figure, other)).is_some(), "{figure} on a terminal");
        let (before, table) = page.split_once("<table").unwrap();
        let table = table.replace(&format!(">{figure}<"), &format!(">{other}<"));
        assert!(lacks_page(&document, &format!("{before}<table{table}")).is_some(), "{figure} on a page");
    }
}

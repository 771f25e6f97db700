//! The index: a line for each platform and run. It is a plain table, which a script makes sortable and filters.

use super::common::{COMPARISON, style};
use super::entry::Entry;
use super::figure::{COLUMNS, IndexColumn, IndexFigure};
use super::marks;
use crate::groups::{grouped, joined, unique};
use crate::html::{Folder, Frame, frame};
use crate::legend::{OTHER_CODE, PARENTHESES};
use crate::summary::head::counted;
use dbdyno_catalogue::Catalogue;
use maud::{Markup, html};
use std::collections::BTreeSet;

const SCRIPT: &str = include_str!("index.js");
/// What the page says of itself.
const ABOUT: &str = "This folder is complete: it needs no server and no network.";

/// A column as the index shows it: its place among the figures of an entry, and the test of which most entries have it.
struct Shown<'a> {
    at: usize,
    column: &'static IndexColumn,
    work: &'a str,
    test: &'a str,
}

pub(super) fn page(entries: &[Entry], catalogue: &Catalogue) -> String {
    let columns = shown(entries);
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by_key(|entry| (entry.name.to_lowercase(), entry.key()));
    let content = html! {
        header {
            p.kind { "dbdyno gallery" }
            h1 { "Platforms" }
            p.lead { (counts(entries)) ". Choose two of them to see what differs, and what may be compared." }
            (filters(&sorted, &columns, catalogue))
        }
        div.scroll tabindex="0" role="region" aria-label="Platforms" {
            table #platforms.n.many {
                caption { span { "Throughput: the best at any parallelism" } }
                (head(&columns))
                tbody { @for entry in &sorted { (line(entry, &columns)) } }
            }
        }
        p #none hidden { "No platform is like that." }
        p #picked role="status" hidden { a href=(COMPARISON) { "Compare" } " " span {} }
        section { h2 { "What the figures are" } (notes(entries, &columns)) }
    };
    let style = style();
    let of = Frame { title: "Platforms", style: &style, script: SCRIPT, about: ABOUT, folder: Folder::Beside };
    frame(&of, &content)
}

/// The columns of which anything has a figure.
fn shown(entries: &[Entry]) -> Vec<Shown<'_>> {
    let mut columns: Vec<(usize, Shown<'_>)> = Vec::new();
    for (n, of) in COLUMNS.iter().enumerate().filter_map(|(at, column)| of_most(at, column, entries)) {
        match columns.last_mut().filter(|(_, last)| last.column.name == of.column.name) {
            Some((most, last)) if n > *most => (*most, *last) = (n, of),
            Some(_) => {}
            None => columns.push((n, of)),
        }
    }
    columns.into_iter().map(|(_, shown)| shown).collect()
}

/// The column of the test of which most entries have a figure, and how many have it.
fn of_most<'a>(at: usize, column: &'static IndexColumn, entries: &'a [Entry]) -> Option<(usize, Shown<'a>)> {
    let figures = entries.iter().filter_map(|entry| entry.figures.get(at)?.as_ref());
    let works = grouped(figures.map(|figure| (figure.work.as_str(), figure.test.as_str())));
    // Of several as frequent ones the first by its code, whatever the order of the entries.
    let (work, tests) = works.into_iter().max_by(|a, b| a.1.len().cmp(&b.1.len()).then(b.0.cmp(a.0)))?;
    let test = tests.iter().copied().min()?;
    Some((tests.len(), Shown { at, column, work, test }))
}

/// How many published results and runs there are.
pub(super) fn counts(entries: &[Entry]) -> String {
    let published = entries.iter().filter(|entry| entry.is_published).count();
    let counts = [(published, "published result"), (entries.len() - published, "run")];
    joined(counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(n as u64, what)), " and ")
}

fn filters(entries: &[&Entry], columns: &[Shown<'_>], catalogue: &Catalogue) -> Markup {
    let mut engines = unique(entries.iter().map(|entry| entry.engine.as_str()));
    engines.sort_unstable();
    let mut sizes = unique(entries.iter().map(|entry| entry.size.as_str()));
    let place = |size: &&str| catalogue.sizes().iter().position(|known| known.id == *size).unwrap_or(usize::MAX);
    sizes.sort_by_key(|size| (place(size), *size));
    let layers = unique(columns.iter().map(|shown| shown.column.layer));
    html! {
        div.filters #filters role="search" hidden {
            label { "Search" input #text type="search" autocomplete="off" spellcheck="false"; }
            (select("engine", "Engine", &engines))
            (select("size", "Size", &sizes))
            (select("layer", "Layer", &layers))
            (select("from", "From", &["published results", "runs of dbdyno"]))
            p #count role="status" {}
        }
    }
}

fn select(id: &str, name: &str, words: &[&str]) -> Markup {
    html! {
        label { (name)
            select #(id) {
                option value="" { "all" }
                @for word in words.iter().filter(|word| !word.is_empty()) { option value=(word) { (word) } }
            }
        }
    }
}

fn head(columns: &[Shown<'_>]) -> Markup {
    html! {
        thead {
            tr.layers {
                th scope="colgroup" colspan="3" {}
                @for group in columns.chunk_by(|a, b| a.column.layer == b.column.layer) {
                    th.l scope="colgroup" colspan=(group.len()) { (group[0].column.layer) }
                }
            }
            tr {
                th.l scope="col" { "Platform" }
                th.l scope="col" { "Engine" }
                th.l scope="col" { "Size" }
                @for Shown { column, test, .. } in columns {
                    th scope="col" data-layer=(column.layer) {
                        (column.name) " " span.unit { (joined([test, column.unit], " ")) }
                    }
                }
            }
        }
    }
}

fn line(entry: &Entry, columns: &[Shown<'_>]) -> Markup {
    let about = joined([&entry.by, &entry.hardware, &entry.series], " · ");
    html! {
        tr data-from=[(!entry.is_published).then_some("run")] {
            th.l scope="row" {
                a href=(entry.page()) { (entry.full_name()) } " "
                span.sub.data { (joined([&entry.engine, &entry.size], " · ")) }
                span.sub { (about) }
                span.sub.from { @if !entry.is_published { "exported run " } (entry.source) }
            }
            td.l { (entry.engine) " " span.sub { (entry.version) } }
            td.l { (entry.size) }
            @for shown in columns { (cell(entry.figures.get(shown.at).and_then(Option::as_ref), shown)) }
        }
    }
}

fn cell(figure: Option<&IndexFigure>, shown: &Shown<'_>) -> Markup {
    let Some(IndexFigure { test, work, text, marks, is_ranked }) = figure else { return html! { td {} } };
    // Another test of the same line, such as one on cached data, is other work.
    let is_other = work != shown.work;
    let text = if is_other && !text.starts_with('(') { format!("({text})") } else { text.clone() };
    html! {
        td.u[is_other || !is_ranked] title=[is_other.then_some(test)] {
            (text) @if is_other || !marks.is_empty() { span.m { @if is_other { (OTHER_CODE) } (marks) } }
        }
    }
}

fn notes(entries: &[Entry], columns: &[Shown<'_>]) -> Markup {
    let figures = || {
        entries
            .iter()
            .flat_map(|entry| columns.iter().filter_map(|shown| Some((entry.figures.get(shown.at)?.as_ref()?, shown))))
    };
    let has_other = figures().any(|(figure, shown)| figure.work != shown.work);
    let has_parentheses = has_other || figures().any(|(figure, _)| figure.text.starts_with('('));
    let mut used: BTreeSet<char> = figures().flat_map(|(figure, _)| figure.marks.chars()).collect();
    used.extend(has_other.then_some(OTHER_CODE));
    used.extend(has_parentheses.then_some(PARENTHESES));
    html! {
        ul.method {
            li {
                "A published result is what its source prints, as somebody has written it down. A run is what its \
                 exported file says: dbdyno has checked that the file is whole and its rates are its counts, and cannot see that it was measured \
                 so."
            }
            li {
                "Platforms with other engines, sizes or programs stand in one column. A sorted column is no ranking of \
                 them: the page of two says what may be compared. Figures with a doubt that bars them stand below the \
                 others."
            }
        }
        dl.marks {
            @for (mark, words) in marks::all().into_iter().filter(|(mark, _)| used.contains(mark)) {
                dt { span.mark { (mark) } } dd { (words) }
            }
        }
    }
}

//! What each point wrote: to the log, which commits wait for, and to the data files, which are written at checkpoints.

use super::columns::{KEYS, keys};
use super::points::columns::WRITES;
use super::points::{columns_of, notes, row};
use crate::document::{Caption, Note, Section, Table};
use dbdyno_model::{Point, RunJson};

/// The section of a run: a line for each point that writes; without blocks where none did.
pub(crate) fn section(run: &RunJson) -> Section {
    let mut section = Section::new("writes", "Writes");
    let wrote = wrote(run);
    if !wrote.is_empty() {
        let rows = wrote.into_iter().map(|p| row(p, keys(p.subject.name(), p.dop, p.rows_per_tx), &WRITES));
        let caption = Caption::Page("What each point wrote".to_owned());
        section.push(Table::new(caption, columns_of(KEYS, &WRITES), rows.collect()));
        section.push(Note::plain(
            "As the database counts its own writes, from the barrier to the last job's end: [iops] writes/s, [MBps] \
             2^20 bytes/s; svc is the mean time of one write, sync that of a wait until the log was on the device.",
        ));
    }
    section
}

/// The report of it alone, with its legend.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let mut section = section(run);
    if section.blocks.is_empty() {
        section.push(Note::plain("This run has no such points."));
    }
    vec![section.with(notes(&wrote(run), &WRITES))]
}

fn wrote(run: &RunJson) -> Vec<&Point> {
    let counted = |p: &&Point| p.redo.mib_per_s.is_some() || p.database.data_writes_per_s.is_some();
    run.points.iter().filter(|p| p.commit.is_some()).filter(counted).collect()
}

//! What a point makes beside its procedure: tables, indexes, files. The note `makes` of a statement names each, with
//! its kind: `table load_heap_<number>; table load_noise`. `<job>` is the number of a job, `<number>` that of a pass
//! among those of all jobs (`<nn>` in two digits at least), `<leaf>` that of a leaf of the table, from 1 on; `#` stands
//! for any number. Where something else goes between two pieces than what was made, the note `discards` says what.

use super::ProcedureSpec;
use crate::EngineError;
use crate::bookkeeping::Made;

/// Something that was made: its kind, and its name.
pub type MadeName = (String, String);

const PASS: [&str; 2] = ["<number>", "<nn>"];
const JOB: &str = "<job>";
const LEAF: &str = "<leaf>";

impl ProcedureSpec {
    /// Kinds and names, with their placeholders, that a note lists.
    fn listed(&self, key: &str) -> Result<Vec<(String, String)>, EngineError> {
        let note = self.note(key)?.unwrap_or_default();
        let items = note.split(';').filter_map(|item| item.trim().split_once(' '));
        Ok(items.map(|(kind, name)| (kind.to_owned(), name.to_owned())).collect())
    }

    /// What a point makes beside the procedure.
    ///
    /// # Errors
    /// The note cannot be filled in.
    pub fn makes(&self) -> Result<Vec<Made>, EngineError> {
        let any = |name: &str| [PASS[0], PASS[1], JOB, LEAF].iter().fold(name.to_owned(), |n, p| n.replace(p, "#"));
        Ok(self.listed("makes")?.iter().map(|(kind, name)| Made::new(kind, any(name))).collect())
    }

    /// What a job has made in so many passes from the first on, and jobs do not share.
    ///
    /// # Errors
    /// The note cannot be filled in.
    pub fn made_by(&self, job: u32, jobs: u32, passes: u64) -> Result<Vec<MadeName>, EngineError> {
        let mut items = self.listed("discards")?;
        if items.is_empty() {
            items = self.listed("makes")?;
        }
        items.retain(|(_, name)| [PASS[0], PASS[1], JOB].iter().any(|place| name.contains(place)));
        let numbers = (0..passes).map(|pass| pass * u64::from(jobs) + u64::from(job));
        Ok(self.named(items, &numbers.collect::<Vec<_>>(), &[job.into()]))
    }

    /// What a job fills or builds in its first pass, shared with others or not.
    ///
    /// # Errors
    /// The note cannot be filled in.
    pub fn made_for(&self, job: u32) -> Result<Vec<MadeName>, EngineError> {
        Ok(self.named(self.listed("makes")?, &[job.into()], &[job.into()]))
    }

    /// What so many jobs make in so many passes each, what they share too.
    ///
    /// # Errors
    /// The note cannot be filled in.
    pub fn made_by_all(&self, jobs: u32, passes: u64) -> Result<Vec<MadeName>, EngineError> {
        let items = self.listed("makes")?.into_iter().filter(|(_, name)| !name.contains('#')).collect();
        let numbers: Vec<u64> = (0..passes * u64::from(jobs)).collect();
        Ok(self.named(items, &numbers, &(0..u64::from(jobs)).collect::<Vec<_>>()))
    }

    fn named(&self, items: Vec<(String, String)>, passes: &[u64], jobs: &[u64]) -> Vec<MadeName> {
        let leaves = crate::server::leaves(self.table).len() as u64;
        let mut named = Vec::new();
        for (kind, name) in items {
            let mut names = vec![name];
            let all_leaves: Vec<u64> = (1..=leaves).collect();
            for (place, numbers) in [(PASS[0], passes), (PASS[1], passes), (JOB, jobs), (LEAF, &all_leaves)] {
                let width = if place == PASS[1] { 2 } else { 0 };
                if names.iter().any(|name| name.contains(place)) {
                    let each = |name: String| {
                        let with = move |number: &u64| name.replace(place, &format!("{number:0width$}"));
                        numbers.iter().map(with).collect::<Vec<_>>()
                    };
                    names = names.into_iter().flat_map(each).collect();
                }
            }
            named.extend(names.into_iter().map(|name| (kind.clone(), name)));
        }
        named
    }

    /// The statements that drop such things between two pieces.
    ///
    /// # Errors
    /// The dialect has no statement for a kind.
    pub fn discards(&self, made: &[MadeName]) -> Result<Vec<String>, EngineError> {
        let table = self.table.name();
        let drop = |(kind, name): &MadeName| {
            let own = format!("discard_{kind}");
            let statement = if self.dialect.find("tables", &own).is_some() { own } else { format!("drop_{kind}") };
            Ok(self.dialect.fill(&format!("tables/{statement}"), &[("name", name), ("table", table)])?)
        };
        made.iter().map(drop).collect()
    }
}

//! The page of one run, or of one published result.

use super::{
    latency, marks, method, own_platform, pace, platform, published, ramps, scaling, storage, summary, verdict, waits,
};
use crate::document::Document;
use crate::reported::Reported;
use crate::summary::head;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::Point;

impl Reported {
    /// All that is known of a run, or of a published result.
    #[must_use]
    pub fn document(&self, catalogue: &Catalogue) -> Document {
        let run = &self.run;
        let kind = if run.published.is_some() { "Published result" } else { "dbdyno platform report" };
        let mut sections = vec![verdict::section(self.verdict.as_slice()), summary::section(run, catalogue)];
        sections.extend([storage::share(run, catalogue), storage::section(run)]);
        sections.extend([platform::section(run), pace::section(run)]);
        sections.extend(ramps::sections(self, catalogue));
        sections.extend([published::section(run), scaling::section(run, catalogue)]);
        sections.push(latency::section(run, &self.times, catalogue));
        let points: Vec<&Point> = run.points.iter().collect();
        sections.extend([marks::section(&[run]).with(waits::legend(&points)), method::of_run(run)]);
        Document {
            kind,
            title: run.name().to_owned(),
            head: head::blocks(run).into_iter().chain(own_platform::conclusion(run)).collect(),
            sections,
        }
    }
}

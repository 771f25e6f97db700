//! Requirements on figures along the ramp of a test, which its charts show as a line.

use super::line::{Verdict, VerdictLine};
use super::words;
use dbdyno_catalogue::{MeasuredFigure, RequiredSubject, RequirementLimit};
use dbdyno_model::{MetricId, SubjectName};

impl Verdict {
    /// The lines on figures along a test's ramp. Those on percentiles and on set rates are of other figures.
    fn on_ramp(&self, test: SubjectName<'_>) -> impl Iterator<Item = (&MeasuredFigure, &VerdictLine)> {
        let asked = self.lines.iter().filter_map(|line| Some((line.of.as_ref()?, line)));
        let is_on_ramp = |of: &MeasuredFigure| of.percentile.is_none() && of.rate_per_s.is_none();
        let is_of = move |of: &MeasuredFigure| match &of.subject {
            RequiredSubject::Test(code) => code.as_str() == test.name,
            RequiredSubject::Workload { name, transaction: None } => name.as_str() == test.name,
            RequiredSubject::Workload { .. } | RequiredSubject::Storage { .. } => false,
        };
        asked.filter(move |(of, _)| is_of(of) && is_on_ramp(of))
    }

    /// The metrics of a test's ramp on which there are requirements.
    pub(crate) fn metrics_on_ramp(&self, test: SubjectName<'_>) -> impl Iterator<Item = &MetricId> {
        self.on_ramp(test).map(|(of, _)| &of.metric)
    }

    /// The strictest requirement on a metric of a test's ramp, with its words.
    pub(crate) fn limit_on_ramp(&self, test: SubjectName<'_>, metric: &MetricId) -> Option<(f64, String)> {
        let lines = self.on_ramp(test).filter(|(of, _)| of.metric == *metric).map(|(_, line)| line);
        let strictest = VerdictLine::strictest(lines)?;
        let words = format!("{}: {} {}", strictest.title, strictest.asked, words::limit(strictest));
        Some((strictest.limit.value(), words))
    }
}

impl VerdictLine {
    /// The strictest of lines on one figure.
    pub(crate) fn strictest<'l>(lines: impl Iterator<Item = &'l Self>) -> Option<&'l Self> {
        let strictness = |line: &Self| match line.limit {
            RequirementLimit::Minimum(least) => least,
            RequirementLimit::Maximum(most) => -most,
        };
        lines.max_by(|a, b| strictness(a).total_cmp(&strictness(b)))
    }
}

//! Rates and times over users, jobs or outstanding I/Os: a line for each variant, and what is required drawn in.

use crate::acceptance::{Acceptance, Left, figure_line};
use crate::sections::cell_chart::{CellChart, DOPS, OUTSTANDING};
use crate::sections::measured::{MeasuredCell, key_metric, main_ramp, metric_words};
use crate::sections::prelude::*;
use crate::verdict::{VerdictLine, words as verdict_words};
use dbdyno_catalogue::{Bound, MeasuredFigure, Percentile, RequiredSubject};

/// A variant's title, and its ramp of a test, workload or kind of I/O.
type VariantRamp<'c, 'a> = (String, Vec<&'c MeasuredCell<'a>>);

/// The section; without blocks where nothing has two points.
pub(super) fn section(acceptance: &Acceptance, catalogue: &Catalogue) -> Section {
    let runs = acceptance.left.iter().filter_map(|result| match &result.left {
        Left::Run(run) => Some((acceptance.title_of(result.variant), MeasuredCell::of(run))),
        _ => None,
    });
    let runs: Vec<(String, Vec<MeasuredCell<'_>>)> = runs.collect();
    let lines = required(acceptance);
    let cells = runs.iter().enumerate().flat_map(|(run, (_, cells))| cells.iter().map(move |cell| (run, cell)));
    // Those on ramps, of storage, too. A set rate does not show what could be reached.
    let cells = cells.filter(|(_, cell)| !cell.cell.key.again && cell.cell.key.load.rate.is_none());
    let mut subjects = grouped(cells.map(|(run, cell)| (subject(cell), (run, cell))));
    // What nothing is required of would hide what matters.
    let is_required = |name: &str| lines.iter().any(|line| is_about(line, name));
    if subjects.iter().any(|(name, _)| is_required(name)) {
        subjects.retain(|(name, _)| is_required(name));
    }
    let parts = subjects.into_iter().filter_map(|(name, cells)| {
        let ramps = grouped(cells).into_iter().map(|(run, cells)| (runs[run].0.clone(), main_ramp(&cells)));
        let ramps: Vec<VariantRamp<'_, '_>> = ramps.collect();
        let key = ramps.iter().find_map(|(_, cells)| key_metric(cells))?;
        let (about, unit) = metric_words(key, catalogue);
        let lines: Vec<&VerdictLine> = lines.iter().filter(|line| is_about(line, &name)).collect();
        let charts = charts(&name, &ramps, &lines, (key, about, unit));
        (!charts.is_empty()).then(|| {
            let blocks = vec![charts.into(), table(&name, &ramps, unit).into()];
            Part { title: name, blocks, ..Part::default() }.into()
        })
    });
    Section::new("curves", "Curves").titled("Curves", "").with(parts.collect::<Vec<_>>())
}

/// The name under which the figures of a cell stand: a test, a workload, or a kind of I/O.
fn subject(cell: &MeasuredCell<'_>) -> String {
    let work = cell.points.iter().find_map(|p| Some(p.subject.storage()?.load.work()));
    work.unwrap_or_else(|| cell.cell.key.subject.name().to_string())
}

/// The lines of requirements on figures; those of one requirement are the same but for what was found.
fn required(acceptance: &Acceptance) -> Vec<VerdictLine> {
    let of = acceptance.project.requirements.iter().enumerate().filter_map(|(n, requirement)| match &requirement.of {
        Bound::Figure(of) => Some(figure_line(requirement, (of, n), 0, &[])),
        _ => None,
    });
    of.collect()
}

/// Whether a required figure is one of this test, workload or kind of I/O.
fn is_about(line: &VerdictLine, name: &str) -> bool {
    line.of.as_ref().is_some_and(|of| match &of.subject {
        RequiredSubject::Test(code) => code.as_str() == name,
        RequiredSubject::Workload { name: workload, .. } => workload.as_str() == name,
        RequiredSubject::Storage { work, .. } => work.as_ref().is_none_or(|work| work == name),
    })
}

/// What a chart shows of a point.
type Figure<'f> = &'f dyn Fn(&Point) -> Option<f64>;

fn charts(
    name: &str,
    ramps: &[VariantRamp<'_, '_>],
    lines: &[&VerdictLine],
    (key, about, unit): (&MetricId, &str, &str),
) -> Vec<LineChart> {
    let is_storage = ramps.iter().flat_map(|(_, cells)| cells).any(|c| c.cell.key.subject.storage().is_some());
    let chart = |about: &str, unit: &str, figure: Figure<'_>, metric: &MetricId, percentile: Option<Percentile>| {
        let along = if is_storage { OUTSTANDING } else { DOPS };
        let draft = CellChart::new(format!("{name}: {about}"), unit, along);
        let draft = ramps.iter().fold(draft, |draft, (title, cells)| draft.lines(cells, &[(title.as_str(), figure)]));
        draft.done(limit(lines, metric, percentile))
    };
    let service = MetricId::from("service_time_s");
    let charts = [
        chart(about, unit, &|p| p.value(key), key, None),
        chart("Time, mean", "s", &|p| p.service_time_s.as_ref()?.mean, &service, None),
        chart("Time, 99th percentile", "s", &|p| p.service_time_s.as_ref()?.p99, &service, Some(Percentile::P99)),
    ];
    charts.into_iter().flatten().collect()
}

/// The rates in words, for readers of a text.
fn table(name: &str, ramps: &[VariantRamp<'_, '_>], unit: &str) -> Table {
    let mut columns = vec![Column::figures("DOP")];
    columns.extend(ramps.iter().map(|(variant, _)| Column::figures(format!("{variant}\n[{unit}]"))));
    let place = |cell: &MeasuredCell<'_>| cell.parallelism() as u64;
    let places: BTreeSet<u64> = ramps.iter().flat_map(|(_, cells)| cells.iter().map(|cell| place(cell))).collect();
    let row = |at: &u64| {
        let cells = ramps.iter().map(|(_, cells)| {
            let cell = cells.iter().find(|cell| place(cell) == *at);
            Cell::known(cell.and_then(|cell| cell.cell.median), Form::Thousands)
                .doubtful(cell.is_some_and(|cell| cell.is_doubtful()))
        });
        Row::Cells(std::iter::once(Cell::count(*at)).chain(cells).collect())
    };
    let rows = places.iter().map(row).collect();
    Table::new(format!("{name}, by the degree of parallelism"), columns, rows).look(Look::Sides)
}

/// The strictest requirement on a figure along a ramp, with its words.
fn limit(lines: &[&VerdictLine], metric: &MetricId, percentile: Option<Percentile>) -> Option<(f64, String)> {
    let is_of = |of: &MeasuredFigure| {
        let is_of_a_part = matches!(&of.subject, RequiredSubject::Workload { transaction: Some(_), .. });
        !is_of_a_part && of.metric == *metric && of.percentile == percentile && of.rate_per_s.is_none()
    };
    let of_figure = lines.iter().copied().filter(|line| line.of.as_ref().is_some_and(is_of));
    let strictest = VerdictLine::strictest(of_figure)?;
    Some((strictest.limit.value(), format!("{}: {}", strictest.title, verdict_words::limit(strictest))))
}

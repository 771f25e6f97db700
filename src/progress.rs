//! The display of progress: a bar with an estimate on a terminal, plain lines elsewhere. All of it goes to stderr and
//! nothing depends on it.

use crate::output;
use dbdyno_model::{MetricValue, Point, Status};
use dbdyno_report::numbers;
use dbdyno_run::{Event, Events, MeasuredPair};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much is displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Progress and hints.
    Normal,
    /// Only errors and requested results.
    Quiet,
}

/// Least time between two lines about one load where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// The bar during a load.
const LOADING: &str = "{bar:24} {percent:>3} %  {msg}  {pace}";
/// The bar during a run.
const MEASURING: &str = "{bar:24} {pos}/{len}  {msg:16}  about {left} left";
/// From this number on, rows are counted and have a rate; below it, whole indexes are counted.
const MANY: u64 = 1_000;
/// Most redraws per second, because drawing loads the machine that is being measured.
const DRAWS_PER_S: u8 = 4;

/// Shows what happens during loads and runs.
pub(crate) struct Progress {
    face: ProgressDisplay,
    state: Mutex<State>,
    /// When the run will be done, by the last estimate.
    done_at: Arc<Mutex<Option<Instant>>>,
}

enum ProgressDisplay {
    Bar(ProgressBar),
    Lines,
    None,
}

#[derive(Default)]
struct State {
    stage: Stage,
    /// When the current part of a load began.
    begun: Option<Instant>,
    last_line: Option<Instant>,
}

#[derive(Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Nothing,
    Loading(String),
    Loaded(String),
    Measuring,
}

impl Progress {
    /// The display that suits stderr.
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let steerable = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let face = match verbosity {
            Verbosity::Quiet => ProgressDisplay::None,
            Verbosity::Normal if std::io::stderr().is_terminal() && steerable => {
                let target = ProgressDrawTarget::stderr_with_hz(DRAWS_PER_S);
                ProgressDisplay::Bar(ProgressBar::with_draw_target(None, target).with_style(loading_style()))
            }
            Verbosity::Normal => ProgressDisplay::Lines,
        };
        Self { face, state: Mutex::default(), done_at: Arc::default() }
    }

    /// Removes the bar before results are printed.
    pub(crate) fn finish(&self) {
        if let ProgressDisplay::Bar(bar) = &self.face {
            bar.finish_and_clear();
        }
    }

    fn loading(&self, what: &str, rows: u64, of: u64) {
        let mut state = lock(&self.state);
        let finished = rows >= of;
        let fresh = !matches!(&state.stage, Stage::Loading(w) | Stage::Loaded(w) if w == what);
        match &self.face {
            ProgressDisplay::Bar(bar) => {
                if fresh {
                    bar.set_style(loading_style());
                    bar.reset_elapsed();
                    bar.update(|bar| {
                        bar.set_len(of);
                        bar.set_pos(rows);
                    });
                    bar.set_message(output::clean(what));
                    bar.enable_steady_tick(Duration::from_secs(1));
                }
                bar.set_position(rows);
            }
            ProgressDisplay::Lines => {
                let now = Instant::now();
                if fresh {
                    (state.begun, state.last_line) = (Some(now), Some(now));
                }
                let due = state.last_line.is_none_or(|at| now - at >= LINE_EVERY);
                let told = matches!(&state.stage, Stage::Loaded(w) if w == what);
                if !told && (due || finished) {
                    let took_s = state.begun.map_or(0.0, |at| (now - at).as_secs_f64());
                    output::note(&loading_line(what, rows, of, took_s));
                    state.last_line = Some(now);
                }
            }
            ProgressDisplay::None => {}
        }
        state.stage = if finished { Stage::Loaded(what.to_owned()) } else { Stage::Loading(what.to_owned()) };
    }

    fn point_begins(&self, index: usize, of: usize, what: &str, left_s: f64) {
        let mut state = lock(&self.state);
        let fresh = state.stage != Stage::Measuring;
        state.stage = Stage::Measuring;
        let left = Duration::try_from_secs_f64(left_s).unwrap_or_default();
        *lock(&self.done_at) = Instant::now().checked_add(left);
        match &self.face {
            ProgressDisplay::Bar(bar) => {
                if fresh {
                    bar.set_style(self.measuring_style());
                    bar.set_length(of as u64);
                    bar.enable_steady_tick(Duration::from_secs(1));
                }
                bar.set_position(index as u64);
                bar.set_message(what.to_owned());
            }
            ProgressDisplay::Lines if fresh => {
                output::note(&format!("measuring; points planned: {of}, time left: about {}", about(left_s)));
            }
            ProgressDisplay::Lines | ProgressDisplay::None => {}
        }
    }

    fn point_recorded(&self, index: usize, of: usize, point: &Point) {
        self.told(&point_line(index, of, point));
        if let ProgressDisplay::Bar(bar) = &self.face {
            bar.set_position(index as u64 + 1);
        }
    }

    fn told(&self, text: &str) {
        match &self.face {
            ProgressDisplay::Bar(bar) => bar.println(output::clean(text.trim_end())),
            ProgressDisplay::Lines => output::note(text),
            ProgressDisplay::None => {}
        }
    }

    fn measuring_style(&self) -> ProgressStyle {
        let done_at = Arc::clone(&self.done_at);
        let left = move |_: &ProgressState, text: &mut dyn std::fmt::Write| {
            let left_s = lock(&done_at).map_or(0.0, |at| at.saturating_duration_since(Instant::now()).as_secs_f64());
            _ = text.write_str(&about(left_s));
        };
        style(MEASURING).with_key("left", left)
    }
}

impl Events for Progress {
    fn on(&self, event: &Event<'_>) {
        match event {
            Event::Loading { what, rows, of } => self.loading(what, *rows, *of),
            Event::PointBegins { index, of, planned, left_s } => {
                let what = match planned.subject.storage() {
                    None if planned.again => format!("{} {} again", planned.subject.name(), planned.dop),
                    None => format!("{} {}", planned.subject.name(), planned.dop),
                    Some(load) => load.to_string(),
                };
                self.point_begins(*index, *of, &what, *left_s);
            }
            Event::Told { text } => self.told(text),
            // Views show them.
            Event::Reading { .. } => {}
            Event::PointRecorded { index, of, point } => self.point_recorded(*index, *of, point),
        }
    }
}

fn loading_style() -> ProgressStyle {
    // The rate of the first moments means nothing, and indicatif's own estimate of the rest fluctuates widely with it.
    let pace = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        let (took_s, of) = (state.elapsed().as_secs_f64(), state.len().unwrap_or(0));
        if of < MANY || took_s < 1.0 || state.pos() == 0 {
            return;
        }
        let per_s = state.pos() as f64 / took_s;
        let left_s = of.saturating_sub(state.pos()) as f64 / per_s;
        _ = write!(text, "{}/s, about {} left", numbers::thousands(per_s), about(left_s));
    };
    style(LOADING).with_key("pace", pace)
}

fn style(template: &str) -> ProgressStyle {
    // The tests check the templates; if indicatif refuses one, its default bar is used.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn loading_line(what: &str, rows: u64, of: u64, took_s: f64) -> String {
    // Rows of a table, built indexes or verified rows: the engine's text says which.
    let mut line = format!("{what}: {} of {}", numbers::count(rows), numbers::count(of));
    if rows < of {
        _ = write!(line, " ({:.0} %)", rows as f64 / of as f64 * 100.0);
    }
    if of >= MANY && took_s > 0.0 {
        _ = write!(line, ", {}/s", numbers::thousands(rows as f64 / took_s));
    }
    line
}

/// A time rounded for an estimate.
pub(crate) fn about(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{:.0} s", s.max(0.0).ceil()),
        s if s < 5_400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}

/// One line for a point: `[ 7/31] T611   1x2x1  2.750E+05 tx/s  ok`.
fn point_line(index: usize, of: usize, point: &Point) -> String {
    let digits = of.to_string().len();
    let place = match point.subject.storage() {
        None => format!("{:<6} {:>7}", point.subject.name(), point.dop.to_string()),
        Some(storage) => format!("{:>3} x {}", point.dop.jobs, storage.load.work()),
    };
    let mut line = format!("[{:>digits$}/{of}] {place}", index + 1);
    if point.repeat > 1 {
        _ = write!(line, " #{}", point.repeat);
    }
    if point.again {
        line.push_str(" again");
    }
    if point.rows_per_tx > 1 {
        _ = write!(line, " {} rows/tx", point.rows_per_tx);
    }
    if let Some(rate) = point.load.rate {
        _ = write!(line, " at {rate}");
    }
    if let Some(connections) = point.load.connections {
        _ = write!(line, " over {connections}");
    }
    if let Some(metric) = &point.metric {
        _ = write!(line, "  {} {}", numbers::scientific(metric.value), unit(metric));
        let mean = point.service_time_s.as_ref().and_then(|times| times.mean);
        if let Some(mean_s) = mean.filter(|_| point.subject.storage().is_some()) {
            _ = write!(line, ", {} each", numbers::duration(mean_s));
        }
    }
    _ = write!(line, "  {}", point.status.name());
    if point.status != Status::Ok {
        _ = write!(line, ": {}", point.reason.as_deref().unwrap_or("no reason was given"));
    }
    if !point.flags.is_empty() {
        let flags: Vec<&str> = point.flags.iter().map(|f| f.name()).collect();
        _ = write!(line, "  ({})", flags.join(", "));
    }
    output::clean(&line).replace('\n', " ")
}

/// One line for a pair: `[3/8] T611   1x2x1  A 2.750E+05, B 2.650E+05 tx/s, about 40 s left`.
pub(crate) fn pair_line(pair: &MeasuredPair<'_>) -> String {
    let MeasuredPair { number, usable, needed, points: [a, b], left_s } = pair;
    let place = format!("[{number}/{}] {:<6} {:>7}", needed + number - usable, a.subject.name(), a.dop.to_string());
    let figure = |point: &Point| match &point.metric {
        Some(metric) if point.status == Status::Ok => numbers::scientific(metric.value),
        _ => point.status.name().to_owned(),
    };
    let unit = a.metric.as_ref().map(|metric| format!(" {}", unit(metric))).unwrap_or_default();
    let reason = [a, b].into_iter().find(|point| point.status != Status::Ok).and_then(|point| point.reason.clone());
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    let left = if *left_s > 0.0 { format!(", about {} left", about(*left_s)) } else { String::new() };
    let line = format!("{place}  A {}, B {}{unit}{reason}{left}", figure(a), figure(b));
    output::clean(&line).replace('\n', " ")
}

/// The unit in words: for the unit `1/s`, the metric's id says what is counted.
fn unit(metric: &MetricValue) -> String {
    let name = metric.id.as_str().rsplit('.').next().unwrap_or_default();
    match (metric.unit.as_str(), name.strip_suffix("_per_s")) {
        ("1/s", None) if name.ends_with("_iops") => "IOPS".to_owned(),
        ("1/s", Some(what)) => format!("{what}/s"),
        (unit, _) => unit.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{ClientLoad, Dop, Flag, TestCode};

    fn point() -> Point {
        let metric = MetricValue { id: "tx_per_s".into(), value: 275_204.1, unit: "1/s".to_owned() };
        Point {
            dop: Dop { jobs: 2, ..Dop::ONE },
            rows_per_tx: 1,
            repeat: 1,
            status: Status::Ok,
            metric: Some(metric),
            ..Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH)
        }
    }

    #[test]
    fn a_point_is_one_line() {
        assert_eq!(point_line(6, 31, &point()), "[ 7/31] T611     1x2x1  2.752E+05 tx/s  ok");
        let flagged = Point { flags: vec![Flag::NotSteady, Flag::CpuSteal], rows_per_tx: 10, repeat: 3, ..point() };
        assert_eq!(
            point_line(6, 31, &flagged),
            "[ 7/31] T611     1x2x1 #3 10 rows/tx  2.752E+05 tx/s  ok  (not_steady, cpu_steal)"
        );
        let load = ClientLoad { rate: Some("80%".parse().unwrap()), ..ClientLoad::default() };
        let rated = Point { load, ..point() };
        assert_eq!(point_line(6, 31, &rated), "[ 7/31] T611     1x2x1 at 80%  2.752E+05 tx/s  ok");
        let failed =
            Point { status: Status::Failed, reason: Some("lost\n\u{1b}[2J".to_owned()), metric: None, ..point() };
        assert_eq!(point_line(0, 9, &failed), "[1/9] T611     1x2x1  failed: lost \\u{1b}[2J");
    }

    #[test]
    fn a_unit_says_what_is_counted() {
        for (id, unit_in, unit_out) in [
            ("tx_per_s", "1/s", "tx/s"),
            ("io.read_iops", "1/s", "IOPS"),
            ("work_mib_per_s", "MiB/s", "MiB/s"),
            ("elapsed_s", "s", "s"),
        ] {
            assert_eq!(unit(&MetricValue { id: id.into(), value: 1.0, unit: unit_in.to_owned() }), unit_out);
        }
    }

    #[test]
    fn loading_says_how_far_it_is() {
        assert_eq!(loading_line("heap", 12_000, 32_000, 2.0), "heap: 12,000 of 32,000 (38 %), 6,000/s");
        assert_eq!(loading_line("indexes", 2, 2, 9.0), "indexes: 2 of 2");
    }

    #[test]
    fn estimates_claim_no_precision() {
        let cases = [(0.2, "1 s"), (-1.0, "0 s"), (89.0, "89 s"), (200.0, "3 min"), (7_200.0, "2.0 h")];
        for (seconds, text) in cases {
            assert_eq!(about(seconds), text);
        }
    }

    #[test]
    fn the_templates_are_understood() {
        for template in [LOADING, MEASURING] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}

//! The catalogue as a whole: loading its files, and looking things up.

use crate::check;
use crate::document::{Document, Entry, SourcePlace};
use crate::error::CatalogueError;
use crate::files::{self, Source, Sources};
use crate::nearest::nearest;
use dbdyno_model::{
    Dimension, Metric, MetricId, Ramp, Size, SubjectKind, SubjectName, Suite, SuiteStep, SuiteWorkload, Test, TestCode,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// Tests, sizes, suites and metrics, loaded and checked.
#[derive(Debug, Clone)]
pub struct Catalogue {
    tests: Vec<Test>,
    sizes: Vec<Size>,
    suites: Vec<Suite>,
    metrics: Vec<Metric>,
    /// Class (`T600`) to title.
    classes: BTreeMap<String, String>,
    /// Code to class, for codes whose form does not tell it (`DBX-12`).
    class_of: BTreeMap<String, String>,
    /// For each test the places of those with the same work, found when they are first asked for.
    same_work: OnceLock<Vec<Vec<usize>>>,
    /// Files of reference platforms, read when one is requested.
    pub(crate) platforms: Sources,
}

/// The keys before the tests of a class file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassHead {
    class: String,
    title: String,
}

/// The keys before the steps of a suite.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteHead {
    id: String,
    title: String,
    duration_s: u64,
    repeat: u32,
    ramp: Ramp,
    #[serde(default)]
    workload: Option<SuiteWorkload>,
}

impl Catalogue {
    /// The catalogue in the binary.
    ///
    /// # Errors
    /// The embedded data is unsound, which is a mistake in this build.
    pub fn embedded() -> Result<Self, CatalogueError> {
        Self::from_sources(&files::embedded())
    }

    /// The embedded catalogue with the files of a folder. A file with the name of an embedded file replaces it; other
    /// files in `tests`, `suites` and `platforms` are added.
    ///
    /// # Errors
    /// The folder cannot be read, or the whole is unsound.
    pub fn with_overrides(dir: &Path) -> Result<Self, CatalogueError> {
        let mut sources = files::embedded();
        files::overlay(&mut sources, dir)?;
        Self::from_sources(&sources)
    }

    pub(crate) fn from_sources(sources: &Sources) -> Result<Self, CatalogueError> {
        let metrics: Vec<Metric> = list(sources, "metrics.toml", "metric", |m: &Metric| &m.id.0, check::metric)?;
        let sizes = list(sources, "sizes.toml", "size", |s: &Size| &s.id, check::size)?;
        let mut catalogue = Self {
            tests: Vec::new(),
            sizes,
            suites: Vec::new(),
            metrics,
            classes: BTreeMap::new(),
            class_of: BTreeMap::new(),
            same_work: OnceLock::new(),
            platforms: sources.clone().into_iter().filter(|(name, _)| name.starts_with(files::PLATFORMS)).collect(),
        };
        let mut places = Vec::new();
        for (_, source) in sources.iter().filter(|(name, _)| name.starts_with("tests/")) {
            places.extend(catalogue.add_class(source)?);
        }
        for (test, place) in catalogue.tests.iter().zip(&places) {
            place.check(catalogue.check_references(test))?;
        }
        for (name, source) in sources.iter().filter(|(name, _)| name.starts_with("suites/")) {
            let suite = catalogue.read_suite(name, source)?;
            catalogue.suites.push(suite);
        }
        Ok(catalogue)
    }

    /// Adds the tests of a class file; returns the place of each.
    fn add_class(&mut self, source: &Source) -> Result<Vec<SourcePlace>, CatalogueError> {
        let mut document = Document::parse(source)?;
        let entries: Vec<Entry<Test>> = document.entries("test", "code")?;
        let Entry { value: head, place } = document.head::<ClassHead>()?;
        place.check(check::title(&head.title))?;
        let title = self.classes.entry(head.class.clone()).or_insert_with(|| head.title.clone());
        place.ensure(*title == head.title, || {
            format!("key 'title': class {} is called '{title}' in another file", head.class)
        })?;
        let mut places = Vec::new();
        for Entry { value: test, place } in entries {
            place.check(check::test(&test))?;
            let is_known = self.tests.iter().any(|t| t.code == test.code);
            place.ensure(!is_known, || format!("key 'code': there is another test '{}'", test.code))?;
            let own = test.code.class();
            place.ensure(test.code.as_str().contains('-') || own == head.class, || {
                format!("key 'code': '{}' belongs to {own}, this file to {}", test.code, head.class)
            })?;
            self.class_of.insert(test.code.to_string(), head.class.clone());
            self.tests.push(test);
            places.push(place);
        }
        Ok(places)
    }

    /// Checks what a test says about metrics and other tests.
    fn check_references(&self, test: &Test) -> Result<(), String> {
        for metric in &test.metrics {
            self.metric(metric).map_err(|e| format!("key 'metrics': {e}"))?;
        }
        let Some(base) = &test.variant_of else { return Ok(()) };
        let base = self.exact(base).map_err(|e| format!("key 'variant_of': {e}"))?;
        match &base.variant_of {
            Some(_) => Err(format!("key 'variant_of': {} is itself a variant", base.code)),
            None => Ok(()),
        }
    }

    fn read_suite(&self, name: &str, source: &Source) -> Result<Suite, CatalogueError> {
        let mut document = Document::parse(source)?;
        let entries: Vec<Entry<SuiteStep>> = match document.has("workload") {
            true => document.entries_if_any("step", "")?,
            false => document.entries("step", "")?,
        };
        let Entry { value: head, place } = document.head::<SuiteHead>()?;
        let mut planned: Vec<(&TestCode, Option<Dimension>)> = Vec::new();
        for Entry { value: step, place } in &entries {
            place.ensure(!step.tests.is_empty(), || "key 'tests' is empty")?;
            place.ensure(step.duration_s != Some(0), || "key 'duration_s' must be at least 1")?;
            for code in &step.tests {
                let test = self.exact(code).map_err(|e| place.invalid(format!("key 'tests': {e}")))?;
                if let Some(dimension) = step.dimension.filter(|d| !test.ramp.contains(d)) {
                    let problem = format!("key 'dimension': the ramp of {code} cannot move {}", dimension.name());
                    return Err(place.invalid(problem));
                }
                let planned_now = (code, step.dimension.or(test.ramp.first().copied()));
                place.ensure(!planned.contains(&planned_now), || {
                    format!("key 'tests': {code} stands in the suite already")
                })?;
                planned.push(planned_now);
            }
        }
        let SuiteHead { id, title, duration_s, repeat, ramp, workload } = head;
        let steps = entries.iter().map(|e| e.value.clone()).collect();
        let suite = Suite { id, title, duration_s, repeat, ramp, workload, steps };
        place.check(check::suite(&suite))?;
        let expected = name.trim_start_matches("suites/").trim_end_matches(".toml");
        place.ensure(suite.id == expected, || {
            format!("key 'id' is '{}'; it must be '{expected}', as the file's name", suite.id)
        })?;
        Ok(suite)
    }

    /// Every test, class by class.
    #[must_use]
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// Every size, from the smallest on.
    #[must_use]
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// Every suite, by name.
    #[must_use]
    pub fn suites(&self) -> &[Suite] {
        &self.suites
    }

    /// Every metric.
    #[must_use]
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// A test by its code; case does not count.
    ///
    /// # Errors
    /// There is none; the nearest codes are offered.
    pub fn test(&self, code: &str) -> Result<&Test, CatalogueError> {
        let found = self.tests.iter().find(|t| t.code.as_str().eq_ignore_ascii_case(code));
        found.ok_or_else(|| self.unknown_test(code))
    }

    /// The other tests whose work is the same as that of a test, by their own data.
    pub fn same_work<'c>(&'c self, code: &str) -> impl Iterator<Item = &'c Test> {
        let at = self.tests.iter().position(|test| test.code.as_str() == code);
        let others = || self.same_work.get_or_init(|| Test::same_work(&self.tests));
        at.into_iter().flat_map(move |at| &others()[at]).map(|other| &self.tests[*other])
    }

    /// The tests that a list of codes and patterns names: `T611`, `T6*`, `DBL-*,T111`. They are in the catalogue's
    /// order, each once; case does not count.
    ///
    /// # Errors
    /// An item is empty, or names no test.
    pub fn select(&self, pattern: &str) -> Result<Vec<&Test>, CatalogueError> {
        let mut chosen = vec![false; self.tests.len()];
        for item in pattern.split(',').map(str::trim) {
            if item.is_empty() {
                return Err(CatalogueError::EmptyPattern { pattern: pattern.to_owned() });
            }
            let glob = item.to_ascii_uppercase();
            let is_meant: Vec<bool> = self.tests.iter().map(|t| matches(&glob, t.code.as_str())).collect();
            if !is_meant.contains(&true) {
                return Err(self.unknown_test(item));
            }
            chosen.iter_mut().zip(is_meant).for_each(|(chosen, meant)| *chosen |= meant);
        }
        Ok(self.tests.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(test, _)| test).collect())
    }

    /// A size by its name; case does not count.
    ///
    /// # Errors
    /// There is none.
    pub fn size(&self, id: &str) -> Result<&Size, CatalogueError> {
        let known = || self.sizes.iter().map(|s| s.id.as_str());
        let found = self.sizes.iter().find(|s| s.id.eq_ignore_ascii_case(id));
        found.ok_or_else(|| CatalogueError::unknown("size", id, known()))
    }

    /// A suite by its name.
    ///
    /// # Errors
    /// There is none.
    pub fn suite(&self, id: &str) -> Result<&Suite, CatalogueError> {
        let known = || self.suites.iter().map(|s| s.id.as_str());
        self.suites.iter().find(|s| s.id == id).ok_or_else(|| CatalogueError::unknown("suite", id, known()))
    }

    /// A metric by its id.
    ///
    /// # Errors
    /// There is none.
    pub fn metric(&self, id: &MetricId) -> Result<&Metric, CatalogueError> {
        let known = || self.metrics.iter().map(|m| m.id.as_str());
        let found = self.metrics.iter().find(|m| m.id == *id);
        found.ok_or_else(|| CatalogueError::unknown("metric", id.as_str(), known()))
    }

    /// The title of a subject's class: `CPU: procedural code` for T111, `Data load` for DBL-11. For a subject that is
    /// not in the catalogue, the form of its name decides, or it is `other`; a workload is its own class.
    #[must_use]
    pub fn class_title(&self, subject: SubjectName<'_>) -> &str {
        if subject.kind == SubjectKind::Workload {
            return "workload";
        }
        let by_form = subject.class();
        let class = self.class_of.get(subject.name).unwrap_or(&by_form);
        self.classes.get(class).map_or("other", String::as_str)
    }

    /// A hash of what a test does: 16 hexadecimal digits. Figures with different hashes are of different work. The
    /// description of the test (title, note, whether it was reconstructed) does not count.
    #[must_use]
    pub fn definition(&self, test: &Test) -> String {
        let bare = Test { title: String::new(), note: None, reconstructed: false, ..test.clone() };
        // TOML lacks integers of more than 63 bits; for such an entry the debug form serves as well.
        let canonical = toml::to_string(&bare).unwrap_or_else(|_| format!("{bare:?}"));
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(canonical.as_bytes()))
    }

    /// A test by exactly this code, for references within the catalogue.
    fn exact(&self, code: &TestCode) -> Result<&Test, CatalogueError> {
        self.tests.iter().find(|t| t.code == *code).ok_or_else(|| self.unknown_test(code.as_str()))
    }

    fn unknown_test(&self, code: &str) -> CatalogueError {
        let nearest = nearest(code.trim_end_matches('*'), self.tests.iter().map(|t| t.code.as_str()));
        CatalogueError::Unknown { kind: "test", name: code.to_owned(), nearest }
    }
}

/// Reads a file that contains nothing but entries with unique names.
fn list<T: serde::de::DeserializeOwned>(
    sources: &Sources,
    file: &str,
    array: &str,
    name: fn(&T) -> &String,
    check: fn(&T) -> Result<(), String>,
) -> Result<Vec<T>, CatalogueError> {
    let Some(source) = sources.get(file) else {
        return Err(CatalogueError::Unreadable { path: file.to_owned(), problem: "it is not there".to_owned() });
    };
    let mut document = Document::parse(source)?;
    let entries: Vec<Entry<T>> = document.entries(array, "id")?;
    document.end()?;
    let mut values: Vec<T> = Vec::new();
    for Entry { value, place } in entries {
        place.check(check(&value))?;
        let is_known = values.iter().any(|v| name(v) == name(&value));
        place.ensure(!is_known, || format!("key 'id': there is another {array} '{}'", name(&value)))?;
        values.push(value);
    }
    Ok(values)
}

/// Whether a text matches a pattern in which `*` stands for any characters.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let (middles, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for middle in middles.split('*') {
        let Some(at) = text.find(middle) else { return false };
        text = &text[at + middle.len()..];
    }
    text.ends_with(end)
}

//! What arguments can be completed with, beside the words that their definitions list: names of the catalogue, of the
//! engines, and of the runs in the results file.

use super::common::Common;
use clap::Command;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use dbdyno::ENGINES;
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::EngineInfo;
use dbdyno_engine::private::{Home, Which};
use dbdyno_model::Experiment;
use dbdyno_results::{FileAccess, Repository, RunNames};
use dbdyno_storage::BackendKind;
use dbdyno_storage::orion::{Choice, LargeType, MatrixKind, RunKind, Simulate, Storax};
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Runs that are offered by their ids when nothing of one was typed.
const MOST_IDS: usize = 20;

/// Where the candidates of an argument come from.
#[derive(Clone, Copy)]
enum Source {
    /// What can be measured: suites, tests, workloads.
    Measurable,
    /// The same without workloads.
    SuitesAndTests,
    /// Tests, several with commas.
    Tests,
    Workloads,
    Sizes,
    Engines,
    /// Engines of which dbdyno can start a server.
    OwnServers,
    Targets,
    /// Labels that are in use.
    Labels,
    /// Runs of the results file.
    OwnRuns,
    /// These, and published platforms.
    Runs,
    /// These, and tests that are no runs.
    Kept,
    Words(fn() -> Vec<&'static str>),
}

/// The arguments, by command and name.
const SOURCES: &[(&[&str], &str, Source)] = &[
    (&["run"], "what", Source::Measurable),
    (&["k8s"], "suite", Source::SuitesAndTests),
    (&["show", "compare", "sql"], "test", Source::Tests),
    (&["load", "sql"], "workload", Source::Workloads),
    (&["check", "run", "load", "up", "sql", "k8s"], "size", Source::Sizes),
    (&["list", "sql", "k8s"], "engine", Source::Engines),
    (&["up", "down"], "engine", Source::OwnServers),
    (&["check", "run", "load", "drop", "resume"], "target", Source::Targets),
    (&["run", "orion"], "label", Source::Labels),
    (&["describe", "resume"], "run", Source::OwnRuns),
    (&["show"], "run", Source::Kept),
    (&["export"], "run", Source::Runs),
    (&["report", "verdict", "compare"], "runs", Source::Runs),
    (&["report", "compare"], "baseline", Source::Runs),
    (&["orion"], "run", Source::Words(words::<RunKind>)),
    (&["orion"], "large_type", Source::Words(words::<LargeType>)),
    (&["orion"], "simulate", Source::Words(words::<Simulate>)),
    (&["orion"], "matrix", Source::Words(words::<MatrixKind>)),
    (&["orion"], "storax", Source::Words(words::<Storax>)),
    (&["orion"], "backend", Source::Words(words::<BackendKind>)),
];

fn words<T: Choice>() -> Vec<&'static str> {
    T::WORDS.iter().map(|(word, _)| *word).collect()
}

/// The definition, whose arguments know their candidates. The words say which results and catalogue are meant.
pub(super) fn with_candidates(root: Command, words: &[OsString]) -> Command {
    let named = Arc::new(Named::by(words));
    root.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        command.mut_args(|arg| {
            let is_meant =
                |row: &&(&[&str], &str, Source)| row.0.contains(&name.as_str()) && row.1 == arg.get_id().as_str();
            let Some((_, _, source)) = SOURCES.iter().find(is_meant) else { return arg };
            let named = Arc::clone(&named);
            let completer = move |typed: &OsStr| named.candidates(*source, &typed.to_string_lossy());
            arg.add(ArgValueCompleter::new(completer))
        })
    })
}

/// The files that a command line names.
struct Named {
    results: PathBuf,
    catalogue_folder: Option<PathBuf>,
    catalogue: OnceLock<Option<Catalogue>>,
}

impl Named {
    fn by(words: &[OsString]) -> Self {
        let of = |option: &str, variable: &str| {
            let typed = value_of(words, option).map(PathBuf::from);
            typed.or_else(|| std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from))
        };
        Self {
            results: of("--results", "DBDYNO_RESULTS").unwrap_or_else(|| PathBuf::from(Common::DEFAULT_RESULTS)),
            catalogue_folder: of("--catalogue", "DBDYNO_CATALOGUE"),
            catalogue: OnceLock::new(),
        }
    }

    fn catalogue(&self) -> Option<&Catalogue> {
        let read = || match &self.catalogue_folder {
            Some(folder) => Catalogue::with_overrides(folder).ok(),
            None => Catalogue::embedded().ok(),
        };
        self.catalogue.get_or_init(read).as_ref()
    }

    fn results(&self) -> Option<Repository> {
        Repository::open(&self.results, FileAccess::Glance).ok()
    }

    fn candidates(&self, source: Source, typed: &str) -> Vec<CompletionCandidate> {
        let before = typed.rfind(',').map_or("", |comma| &typed[..=comma]);
        let all = match source {
            Source::Measurable => [self.suites(), workloads(), self.tests(before)].concat(),
            Source::SuitesAndTests => [self.suites(), self.tests(before)].concat(),
            Source::Tests => self.tests(before),
            Source::Workloads => workloads(),
            Source::Sizes => self.sizes(),
            Source::Engines => engines(shown()),
            Source::OwnServers => engines(ENGINES.with_private_servers().map(|(engine, _)| engine)),
            Source::Targets => return self.targets(typed),
            Source::Labels => self.labels(&self.runs()),
            Source::OwnRuns => self.own_runs(typed),
            Source::Runs => [self.own_runs(typed), self.platforms()].concat(),
            Source::Kept => [self.own_runs(typed), self.experiments(), self.platforms()].concat(),
            Source::Words(words) => words().into_iter().map(|word| (word.to_owned(), String::new())).collect(),
        };
        offered(all, typed)
    }

    fn suites(&self) -> Vec<Offer> {
        let suites = self.catalogue().map(Catalogue::suites).unwrap_or_default();
        suites.iter().map(|suite| (suite.id.clone(), suite.title.clone())).collect()
    }

    /// The tests, behind those that were typed before.
    fn tests(&self, before: &str) -> Vec<Offer> {
        let tests = self.catalogue().map(Catalogue::tests).unwrap_or_default();
        tests.iter().map(|test| (format!("{before}{}", test.code.as_str()), test.title.clone())).collect()
    }

    fn sizes(&self) -> Vec<Offer> {
        let sizes = self.catalogue().map(Catalogue::sizes).unwrap_or_default();
        sizes.iter().map(|size| (size.id.clone(), size.title.clone())).collect()
    }

    fn platforms(&self) -> Vec<Offer> {
        let ids = self.catalogue().into_iter().flat_map(Catalogue::platform_ids);
        ids.map(|id| (id.to_owned(), "a published platform".to_owned())).collect()
    }

    /// All runs, the newest first.
    fn runs(&self) -> Vec<RunNames> {
        self.results().and_then(|results| results.names().ok()).unwrap_or_default()
    }

    fn labels(&self, runs: &[RunNames]) -> Vec<Offer> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for label in runs.iter().filter_map(|run| run.label.as_deref()) {
            *counts.entry(label).or_default() += 1;
        }
        let words = |n: usize| if n == 1 { "label of a run".to_owned() } else { format!("label of {n} runs") };
        counts.into_iter().map(|(label, n)| (label.to_owned(), words(n))).collect()
    }

    /// The newest run, the labels, and the ids.
    fn experiments(&self) -> Vec<Offer> {
        let all = self.results().and_then(|results| results.experiments().ok()).unwrap_or_default();
        let about = |e: &Experiment| match &e.label {
            Some(label) => format!("{}, {label}", e.kind.words()),
            None => e.kind.words().to_owned(),
        };
        all.iter().take(MOST_IDS).map(|e| (e.id.to_string(), about(e))).collect()
    }

    fn own_runs(&self, typed: &str) -> Vec<Offer> {
        let runs = self.runs();
        let about = |run: &RunNames| match &run.label {
            Some(label) => format!("{}, {label}", run.suite),
            None => run.suite.clone(),
        };
        let last = runs.first().map(|run| ("last".to_owned(), format!("the newest run: {}", about(run))));
        let most = if typed.is_empty() { MOST_IDS } else { usize::MAX };
        let ids = runs.iter().take(most).map(|run| (run.id.to_string(), about(run)));
        last.into_iter().chain(self.labels(&runs)).chain(ids).collect()
    }

    /// Targets that were measured before, how each engine's begin, and the files of those that are files.
    fn targets(&self, typed: &str) -> Vec<CompletionCandidate> {
        let before = self.results().and_then(|results| results.targets().ok()).unwrap_or_default();
        let of_engines = |target: &String| {
            dbdyno_engine::Target::parse(target).is_ok_and(|target| ENGINES.engine_of(&target).is_ok())
        };
        let before = before.into_iter().filter(of_engines).map(|target| (target, "measured before".to_owned()));
        let own = ENGINES.with_private_servers().flat_map(|(engine, _)| own_servers(engine.name));
        let own = own.map(|which| (which.target(), "a server that `dbdyno up` started".to_owned()));
        let begin = |engine: &EngineInfo| (beginning(engine).to_owned(), engine.title.to_owned());
        let begins = shown().map(begin);
        let mut found = offered(before.chain(own).chain(begins).collect(), typed);
        found.retain(|candidate| candidate.get_value() != typed);
        if let Some((begin, file)) = file_in(typed) {
            let files = PathCompleter::any().complete(OsStr::new(file));
            let files = files.into_iter().map(|candidate| candidate.add_prefix(begin));
            let known: Vec<OsString> = found.iter().map(|candidate| candidate.get_value().to_owned()).collect();
            found.extend(files.filter(|candidate| !known.iter().any(|known| known == candidate.get_value())));
        }
        found
    }
}

/// An engine's private server without a name, and those with names that there are.
fn own_servers(engine: &str) -> Vec<Which> {
    let home = Home::from_environment().ok();
    let names = home.iter().flat_map(Home::names);
    let there = |name: &String| {
        let named = home.as_ref().and_then(|home| home.named(Some(name)).ok());
        named.is_some_and(|named| named.path().join(engine).is_dir())
    };
    let named = names.filter(there).map(|name| Which { engine: engine.to_owned(), name: Some(name) });
    std::iter::once(Which::of(engine)).chain(named).collect()
}

/// A word and what it is.
type Offer = (String, String);

fn workloads() -> Vec<Offer> {
    let about = |workload: &&dyn dbdyno_workload::Workload| {
        (workload.name().to_owned(), format!("a workload: {}", workload.about().title))
    };
    dbdyno_workload::WORKLOADS.iter().map(about).collect()
}

/// The engines that lists show.
fn shown() -> impl Iterator<Item = &'static EngineInfo> {
    ENGINES.all().iter().filter(|engine| !engine.hidden)
}

fn engines(meant: impl Iterator<Item = &'static EngineInfo>) -> Vec<Offer> {
    meant.map(|engine| (engine.name.to_owned(), engine.title.to_owned())).collect()
}

/// What the targets of an engine begin with, up to the first word that stands for something.
fn beginning(engine: &EngineInfo) -> &'static str {
    let end = engine.target.find(|c: char| c.is_ascii_uppercase() || c == '[').unwrap_or(engine.target.len());
    &engine.target[..end]
}

/// The beginning of a target that is a file, and what was typed of the file.
fn file_in(typed: &str) -> Option<(&str, &str)> {
    let engine = ENGINES.all().iter().find(|engine| {
        let begin = beginning(engine);
        typed.starts_with(begin) && engine.target[begin.len()..].starts_with("FILE")
    })?;
    Some(typed.split_at(beginning(engine).len()))
}

/// Those that begin with what was typed, each word once.
fn offered(all: Vec<Offer>, typed: &str) -> Vec<CompletionCandidate> {
    let mut known = HashSet::new();
    let new = all.into_iter().filter(|(word, _)| word.starts_with(typed) && known.insert(word.clone()));
    let candidate = |(word, help): Offer| {
        let help = if help.is_empty() { None } else { Some(help.into()) };
        CompletionCandidate::new(word).help(help)
    };
    new.map(candidate).collect()
}

/// The last value of an option among typed words; `~/` is the home folder, as shells have it.
fn value_of(words: &[OsString], option: &str) -> Option<OsString> {
    let with_value = format!("{option}=");
    let mut values = words.iter().enumerate().filter_map(|(n, word)| {
        let word = word.to_str()?;
        if word == option { words.get(n + 1).cloned() } else { word.strip_prefix(&with_value).map(OsString::from) }
    });
    let value = values.next_back().filter(|value| !value.is_empty())?;
    match (value.to_str().and_then(|text| text.strip_prefix("~/")), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => Some(PathBuf::from(home).join(rest).into()),
        _ => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::definition;
    use super::*;

    /// Every name in the table is an argument, so a renamed one is noticed.
    #[test]
    fn every_row_is_about_an_argument() {
        let root = definition();
        for (commands, name, _) in SOURCES {
            for command in *commands {
                let command = root.find_subcommand(command).unwrap();
                assert!(command.get_arguments().any(|arg| arg.get_id() == *name), "{} {name}", command.get_name());
            }
        }
    }

    #[test]
    fn the_words_say_which_results_are_meant() {
        let of = |line: &str| value_of(&line.split(' ').map(OsString::from).collect::<Vec<_>>(), "--results");
        assert_eq!(of("dbdyno --results a.db show"), Some("a.db".into()));
        assert_eq!(of("dbdyno --results=a.db show --results b.db"), Some("b.db".into()));
        assert_eq!(of("dbdyno show --results"), None);
        assert_eq!(of("dbdyno show"), None);
        assert!(of("dbdyno --results ~/a.db").unwrap().to_str().unwrap().ends_with("/a.db"));
    }

    #[test]
    fn runs_of_a_file_that_is_not_there_are_none() {
        let named = Named::by(&["--results", "/nowhere/x.db"].map(OsString::from));
        assert!(named.runs().is_empty() && !std::path::Path::new("/nowhere").exists());
        let found = named.candidates(Source::Runs, "");
        assert!(found.iter().all(|candidate| candidate.get_value() != "last") && found.len() >= 15, "{found:?}");
    }
}

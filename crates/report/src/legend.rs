//! Marks on figures, and what they mean: titles, mappings, commits, flags. They keep readers from taking an equivalent
//! for the native work, or a doubtful figure for a sound one.

use crate::document::{Block, LegendEntry, Note, Part};
use crate::groups::{grouped, joined, unique};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{
    Commits, Drive, Flag, Point, Status, Subject, SubjectKind, SubjectName, Suspect, SuspectCode, UsableFor,
};
use std::collections::{BTreeMap, BTreeSet};

/// Marks a figure that the engine reached by other means than the test names.
pub(crate) const EQUIVALENT: char = '~';
/// Marks a figure of the client drive.
pub(crate) const CLIENT: char = '*';
/// Marks a figure that was measured at a set rate.
pub(crate) const RATED: char = '@';
/// Marks a published figure that its reader should doubt.
pub(crate) const SUSPECT: char = '?';

/// Marks a published figure that is only a lower limit.
pub(crate) const LIMIT: char = '>';
/// Marks a published figure that is shown but not used.
pub(crate) const UNUSED: char = '#';
/// Marks a figure that a side has under another code than its row's.
pub(crate) const OTHER_CODE: char = '&';

/// Marks the figures of a load or a point that missed its rate.
pub(crate) const UNMET: char = '!';

/// What a doubt, an equivalent and a set rate mean, where places are not told.
pub(crate) const DOUBT_WORDS: &str = "a published figure that its reader should doubt";
pub(crate) const EQUIVALENT_WORDS: &str = "equivalent: done by other means than the test names";
pub(crate) const RATED_WORDS: &str = "at a set rate, which the platform was asked for: no measure of what it can do";

/// Stands for the parentheses around a figure.
pub(crate) const PARENTHESES: char = '(';

/// The letter of a flag, the same in every report.
pub(crate) fn letter(flag: Flag) -> char {
    char::from(b'a' + flag as u8)
}

/// The mark of a doubt.
pub(crate) fn suspect_mark(doubted: bool) -> String {
    if doubted { SUSPECT.to_string() } else { String::new() }
}

/// The mark of a doubt among figures that are compared: it says what the figure may be used for.
pub(crate) fn doubt(suspect: Option<&Suspect>) -> Option<char> {
    Some(match suspect?.usable_for() {
        UsableFor::LowerLimit => LIMIT,
        UsableFor::Nothing | UsableFor::NotForComparison => UNUSED,
        UsableFor::Value => SUSPECT,
    })
}

/// Whether a point's figures come from other means than the test names.
pub(crate) fn is_equivalent(point: &Point) -> bool {
    point.mapping == "equivalent"
}

/// How an equivalent is made; `None` for other points.
pub(crate) fn equivalent(point: &Point) -> Option<&str> {
    is_equivalent(point).then(|| point.mapping_note.as_deref().unwrap_or("how was not recorded"))
}

/// Whether a client sent statements. I/O that dbdyno issues itself does not count.
pub(crate) fn is_of_client(point: &Point) -> bool {
    point.drive == Drive::Client && point.subject.storage().is_none()
}

fn is_rated(point: &Point) -> bool {
    point.load.rate.is_some()
}

/// Whether dbdyno began and timed each transaction: as a client, or by calling a workload's procedure.
pub(crate) fn is_timed(point: &Point) -> bool {
    is_of_client(point) || matches!(point.subject, Subject::Workload(_))
}

/// What a test is called.
pub(crate) fn title<'c>(code: SubjectName<'_>, catalogue: &'c Catalogue) -> &'c str {
    match code.kind {
        SubjectKind::Test => catalogue.test(code.name).map_or("not in this catalogue", |test| &test.title),
        SubjectKind::Workload => "a workload with a schema of its own",
        SubjectKind::Storage => "storage itself, below any database",
    }
}

/// What belongs to a test, under its title.
pub(crate) fn part(id: String, code: SubjectName<'_>, catalogue: &Catalogue, blocks: Vec<Block>) -> Part {
    Part { id, code: code.to_string(), title: title(code, catalogue).to_owned(), blocks }
}

/// Whether a point is marked by a sign.
type IsMarked = fn(&Point) -> bool;

/// The marks of figures made of these points, with these flags.
pub(crate) fn marks<'a>(points: impl IntoIterator<Item = &'a Point>, flags: &[Flag]) -> String {
    let signs: [(char, IsMarked); 4] =
        [(SUSPECT, |p| !p.suspects.is_empty()), (EQUIVALENT, is_equivalent), (CLIENT, is_of_client), (RATED, is_rated)];
    let points: Vec<&Point> = points.into_iter().collect();
    let signs = signs.into_iter().filter(|(_, is)| points.iter().any(|p| is(p))).map(|(sign, _)| sign);
    signs.chain(Flag::ALL.into_iter().filter(|f| flags.contains(f)).map(letter)).collect()
}

/// How the refusal of what an engine cannot do begins.
pub(crate) const NOT_SUPPORTED: &str = "not supported";

/// Why a point has no figures, in words.
pub(crate) fn refusal(point: &Point) -> Option<String> {
    let words = match point.status {
        Status::Ok => return None,
        Status::Unsupported => NOT_SUPPORTED,
        Status::Failed | Status::Invalid => point.status.name(),
    };
    let reason = point.reason.as_deref().or(point.mapping_note.as_deref()).unwrap_or("no reason was recorded");
    Some(format!("{words}: {reason}"))
}

/// The codes and titles of the tests of these points.
pub(crate) fn titles(points: &[&Point], catalogue: &Catalogue) -> Vec<Block> {
    let codes = unique(points.iter().map(|p| p.subject.name()));
    let widest = codes.iter().map(|c| c.name.len()).max().unwrap_or(0);
    let line = |code: &SubjectName<'_>| Note::led(format!("{code:widest$}  "), title(*code, catalogue)).into();
    codes.iter().map(line).collect()
}

/// What is said of points, each once, with the codes of its tests.
fn said<'a, T: PartialEq>(points: &[&'a Point], what: impl Fn(&'a Point) -> Option<T>) -> Vec<(T, String)> {
    let said = unique(points.iter().filter_map(|p| Some((what(p)?, p.subject.name()))));
    grouped(said).into_iter().map(|(what, codes)| (what, join(&codes))).collect()
}

/// Every unsupported test, each reason once.
pub(crate) fn not_supported(points: &[&Point]) -> Vec<Block> {
    let refused = said(points, |p| refusal(p).filter(|_| p.mapping == "none")).into_iter();
    refused.map(|(why, codes)| Note::led("  ", format!("{codes} {why}")).into()).collect()
}

pub(crate) fn join(codes: &[SubjectName<'_>]) -> String {
    joined(codes.iter().map(|c| c.name), ", ")
}

/// Why a point lacks the value at a JSON path: the reason is at the path or at an object around it.
pub(crate) fn missing<'p>(point: &'p Point, path: &str) -> Option<&'p str> {
    let around = path.rsplit_once('.').map_or("", |(object, _)| object);
    point.missing.get(path).or_else(|| point.missing.get(around)).map(String::as_str)
}

/// How the commits of these points behaved; empty where nothing was written.
pub(crate) fn commits(points: &[&Point]) -> Vec<Block> {
    let line = |(found, codes): (Commits, String)| Note::led("  ", format!("{codes}: {}", found.explanation())).into();
    said(points, Point::commits).into_iter().map(line).collect()
}

/// How durable the commits of these points were, each kind once, the best first.
pub(crate) fn kinds_of_commits<'a>(points: impl IntoIterator<Item = &'a Point>) -> Vec<Commits> {
    points.into_iter().filter_map(Point::commits).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The meaning of the client drive's mark. It says whether sessions followed their server processes, because an
/// application's sessions may not.
fn of_client(points: &[&Point]) -> String {
    let followed = points.iter().filter(|p| p.pump.is_some_and(|pump| pump.sessions_follow));
    let jobs: BTreeSet<u32> = followed.map(|p| p.dop.jobs).collect();
    let jobs = joined(jobs.iter().map(u32::to_string), ", ");
    let followed = format!("; sessions followed their server processes (jobs: {jobs})");
    format!("client drive: dbdyno sent each statement{}", if jobs.is_empty() { "" } else { &followed })
}

/// Doubts about published figures, each reason once with all that it concerns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doubts<'a>(Vec<(&'a Suspect, String)>);

/// The most places that are named for one reason.
const MOST_PLACES: usize = 4;

/// The places that something is said of, in words.
fn named(places: &[String]) -> String {
    let more = places.len().saturating_sub(MOST_PLACES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    joined(places.iter().take(MOST_PLACES), ", ") + &more
}

/// The kinds of a doubt, and what follows from each.
pub(crate) fn advice(suspect: &Suspect) -> impl Iterator<Item = (SuspectCode, &'static str)> {
    suspect.codes.iter().map(move |code| match code {
        SuspectCode::Unit if suspect.converted => (*code, "the printed unit is wrong; converted to the right one"),
        code => (*code, code.advice()),
    })
}

impl<'a> Doubts<'a> {
    /// Adds a doubt, if there is one.
    pub(crate) fn add(&mut self, place: String, suspect: impl Into<Option<&'a Suspect>>) {
        self.0.extend(suspect.into().map(|suspect| (suspect, place)));
    }

    /// Each reason with the figures that it concerns.
    pub(crate) fn each(&self) -> Vec<(&'a Suspect, Vec<String>)> {
        let doubts = grouped(self.0.iter().cloned());
        doubts.into_iter().map(|(suspect, places)| (suspect, unique(places))).collect()
    }

    /// An entry for each reason, and what follows from each kind of doubt.
    fn blocks(&self) -> Vec<Block> {
        let doubts = self.each();
        let entry = |(suspect, places): &(&Suspect, Vec<String>)| {
            entry(SUSPECT, format!("{}: {}: {}", named(places), suspect.names(), suspect.why))
        };
        let kinds: BTreeSet<_> = doubts.iter().flat_map(|(suspect, _)| advice(suspect)).collect();
        let kinds = kinds.iter().map(|(code, advice)| Note::led("  ", format!("{}: {advice}", code.name())).into());
        [Block::Legend(doubts.iter().map(entry).collect())].into_iter().chain(kinds).collect()
    }
}

/// What a mark means, without notes.
pub(crate) fn entry(mark: char, text: impl Into<String>) -> LegendEntry {
    LegendEntry { mark, text: text.into(), notes: Vec::new() }
}

/// The source document of published figures; nothing for a run of dbdyno.
pub(crate) fn source(run: &dbdyno_model::RunJson) -> Option<Block> {
    run.published.as_ref().map(|published| Note::led("Source    ", &published.source).into())
}

/// The marks that a table or a page used, and what each of them means.
#[derive(Debug, Clone, Default)]
pub(crate) struct Legend<'a> {
    points: Vec<&'a Point>,
    flags: BTreeSet<Flag>,
    pub(crate) doubts: Doubts<'a>,
}

impl<'a> Legend<'a> {
    /// The legend of points with all their marks and doubts.
    pub(crate) fn of(points: impl IntoIterator<Item = &'a Point>) -> Self {
        let points: Vec<&Point> = points.into_iter().collect();
        let flags = points.iter().flat_map(|p| p.flags.iter().copied()).collect();
        let suspects = points.iter().flat_map(|p| p.suspects.iter().map(move |(metric, suspect)| (p, metric, suspect)));
        let doubts = suspects.map(|(p, metric, suspect)| (suspect, format!("{} {} {metric}", p.subject.name(), p.dop)));
        Self { doubts: Doubts(doubts.collect()), points, flags }
    }

    /// Adds the points behind a figure, and those of their flags that it shows; or flags of whole cells alone.
    pub(crate) fn add(&mut self, points: impl IntoIterator<Item = &'a Point>, flags: impl IntoIterator<Item = Flag>) {
        self.points.extend(points);
        self.flags.extend(flags);
    }

    /// What marks mean, in the order for readers: parentheses, the marks that are told here, that of the client drive,
    /// that of set rates, and the letters of flags.
    pub(crate) fn entries(&self, told: impl IntoIterator<Item = LegendEntry>) -> Vec<LegendEntry> {
        let text = "Figures in parentheses are not figures of what their test is meant to measure; the letter behind says \
                    why. Their marks in charts are hollow.";
        let points = &self.points;
        let is_any = |is: IsMarked| points.iter().any(|p| is(p));
        let is_doubtful = self.flags.iter().any(|flag| Flag::DOUBTFUL.contains(flag));
        let parentheses = is_doubtful.then(|| entry(PARENTHESES, text));
        let client = is_any(is_of_client).then(|| entry(CLIENT, of_client(points)));
        let rated = is_any(is_rated).then(|| entry(RATED, format!("{RATED_WORDS} (--table latency)")));
        let flags = self.flags.iter().map(|flag| flag_entry(points, *flag));
        parentheses.into_iter().chain(told).chain(client).chain(rated).chain(flags).collect()
    }

    /// What each mark means, and what cannot be measured at all.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let equivalents = said(&self.points, equivalent).into_iter();
        let equivalents = equivalents.map(|(how, codes)| entry(EQUIVALENT, format!("{codes} equivalent: {how}")));
        let blocks = [Block::Legend(self.entries(equivalents))].into_iter().chain(self.doubts.blocks());
        blocks.chain(not_supported(&self.points)).filter(|block| !block.is_empty()).collect()
    }
}

/// What the letter of a flag means, with its notes on single points.
fn flag_entry(points: &[&Point], flag: Flag) -> LegendEntry {
    let of_flag = points.iter().filter(|p| p.has(flag));
    let place = |p: &Point| format!("{} {}", p.subject.name(), p.dop);
    let noted = unique(of_flag.filter_map(|p| Some((p.flag_notes.get(flag.name())?, place(p)))));
    // One order, whatever the order of the points.
    let notes: BTreeMap<&String, Vec<String>> = grouped(noted).into_iter().collect();
    let notes = notes.into_iter().map(|(note, places)| format!("{}: {note}", named(&places))).collect();
    LegendEntry { notes, ..entry(letter(flag), format!("{}: {}", flag.name(), flag.advice())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Section};

    #[test]
    fn commits_are_called_what_they_were_found_to_be() {
        let point = |found| dbdyno_model::Point {
            commit: Some(dbdyno_model::CommitMode::Durable),
            commits_found: Some(found),
            ..Point::new(dbdyno_model::TestCode::new("T711").unwrap(), "1970-01-01T00:00:00Z".parse().unwrap())
        };
        let (safe, lost, unseen) = (point(Commits::Durable), point(Commits::Unsafe), point(Commits::NotProved));
        let commits = |point| Document::of(vec![Section::default().with(commits(&[point]))]).text(None);
        assert!(commits(&safe).contains("durable commits, each waits for the log"));
        for (point, words) in [(&lost, "unsafe commits"), (&unseen, "could not be proved")] {
            let said = commits(point);
            assert!(said.contains(words) && !said.contains("each waits for the log"), "{said}");
        }
        assert_eq!(kinds_of_commits([&lost, &safe]), [Commits::Durable, Commits::Unsafe]);
    }

    #[test]
    fn every_flag_has_its_own_letter() {
        let letters: std::collections::BTreeSet<char> = Flag::ALL.into_iter().map(letter).collect();
        assert_eq!(letters.len(), Flag::ALL.len());
        assert_eq!(letter(Flag::NotSettled), 'a');
    }
}

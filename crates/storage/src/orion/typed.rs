//! The flags as typed. Every one may be left out; nothing is looked up, and no range is checked.

use crate::BackendKind;
use dbdyno_model::Arrivals;
use std::path::PathBuf;

/// An option whose values are words.
pub trait Choice: Copy + PartialEq + 'static {
    /// What the option chooses, for errors.
    const OF: &'static str;
    /// Each word and what it means.
    const WORDS: &'static [(&'static str, Self)];

    /// The meaning of a word; case does not count.
    ///
    /// # Errors
    /// It is not one of the words; the error lists them.
    fn of_word(word: &str) -> Result<Self, String> {
        let found = Self::WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let words: Vec<&str> = Self::WORDS.iter().map(|(known, _)| *known).collect();
            format!("it is no {}: choose one of {}", Self::OF, words.join(", "))
        })
    }

    /// Its word.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, meaning)| *meaning == self).map_or("?", |(word, _)| word)
    }
}

/// `-run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// Small I/Os alone, then large ones alone.
    Simple,
    /// Every combination of small and large I/Os.
    Normal,
    /// What the options say.
    Advanced,
    /// Small I/Os alone, further up.
    Oltp,
    /// Large I/Os alone.
    Dss,
}

impl Choice for RunKind {
    const OF: &'static str = "type of run";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("simple", Self::Simple),
        ("normal", Self::Normal),
        ("advanced", Self::Advanced),
        ("oltp", Self::Oltp),
        ("dss", Self::Dss),
    ];
}

/// `-type`: the pattern of the large I/Os; small ones are always random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LargeType {
    /// Anywhere.
    Rand,
    /// One behind the other, in streams.
    Seq,
}

impl Choice for LargeType {
    const OF: &'static str = "type of large I/O";
    const WORDS: &'static [(&'static str, Self)] = &[("rand", Self::Rand), ("seq", Self::Seq)];
}

/// `-simulate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simulate {
    /// One LUN behind the other.
    Concat,
    /// Stripes over all LUNs.
    Raid0,
}

impl Choice for Simulate {
    const OF: &'static str = "layout";
    const WORDS: &'static [(&'static str, Self)] = &[("concat", Self::Concat), ("raid0", Self::Raid0)];
}

/// `-matrix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKind {
    /// Small I/Os alone, then large ones alone.
    Basic,
    /// Every combination.
    Detailed,
    /// `-num_small` and `-num_large`.
    Point,
    /// Small I/Os beside `-num_large`.
    Row,
    /// Large I/Os beside `-num_small`.
    Col,
    /// Every combination up to `-num_small` and `-num_large`.
    Max,
}

impl Choice for MatrixKind {
    const OF: &'static str = "matrix";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("basic", Self::Basic),
        ("detailed", Self::Detailed),
        ("point", Self::Point),
        ("row", Self::Row),
        ("col", Self::Col),
        ("max", Self::Max),
    ];
}

/// `-storax`: the Oracle layer by which ORION does its I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storax {
    /// The one for files and raw devices.
    Skgfr,
}

impl Choice for Storax {
    const OF: &'static str = "layer for I/O here";
    const WORDS: &'static [(&'static str, Self)] = &[("skgfr", Self::Skgfr)];
}

impl Choice for BackendKind {
    const OF: &'static str = "backend";
    const WORDS: &'static [(&'static str, Self)] =
        &[("io_uring", Self::Uring), ("threads", Self::Threads), ("null", Self::Null)];
}

/// Default sizes of I/Os.
pub(super) const SMALL_KB: u64 = 8;
pub(super) const LARGE_KB: u64 = 1024;

/// The flags as typed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TypedFlags {
    /// `-run`.
    pub run: Option<RunKind>,
    /// `-testname`.
    pub testname: Option<String>,
    /// `-num_disks`.
    pub num_disks: Option<u64>,
    /// `-size_small`, in KB.
    pub size_small_kb: Option<u64>,
    /// `-size_large`, in KB.
    pub size_large_kb: Option<u64>,
    /// `-type`.
    pub large_type: Option<LargeType>,
    /// `-num_streamIO`.
    pub num_stream_io: Option<u64>,
    /// `-simulate`.
    pub simulate: Option<Simulate>,
    /// `-stripe`, in KB.
    pub stripe_kb: Option<u64>,
    /// `-write`.
    pub write_pct: Option<u64>,
    /// `-cache_size`, in MB.
    pub cache_size_mb: Option<u64>,
    /// `-duration`.
    pub duration_s: Option<f64>,
    /// `-matrix`.
    pub matrix: Option<MatrixKind>,
    /// `-num_small`.
    pub num_small: Option<u64>,
    /// `-num_large`.
    pub num_large: Option<u64>,
    /// `-hugenotneeded`.
    pub huge_not_needed: bool,
    /// `-storax`.
    pub storax: Option<Storax>,
    /// `-verbose`.
    pub verbose: bool,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--file`, in place of NAME.lun.
    pub files: Vec<PathBuf>,
    /// `--file-size`, of files that are to be created.
    pub file_size_bytes: Option<u64>,
    /// `--percentiles`.
    pub percentiles: bool,
    /// `--rate`: I/Os that are due a second.
    pub rate_iops: Option<f64>,
    /// `--arrivals`.
    pub arrivals: Option<Arrivals>,
    /// `--verify`.
    pub verify: bool,
    /// `--destroy-data`.
    pub destroy_data: Vec<PathBuf>,
    /// `--really`.
    pub really: bool,
    /// `--reference`.
    pub reference: bool,
    /// `--backend`.
    pub backend: Option<BackendKind>,
}

impl TypedFlags {
    /// The name for files.
    #[must_use]
    pub fn name(&self) -> &str {
        self.testname.as_deref().unwrap_or("orion")
    }

    /// The given flags that not every kind of run accepts, as ORION's users write them. Flags that ask for the default
    /// are left out.
    pub(super) fn particular(&self) -> Vec<&'static str> {
        let fixed = self.run.is_some_and(|run| run != RunKind::Advanced);
        let other = |differs: bool| differs || !fixed;
        let own_matrix = match self.run {
            Some(RunKind::Simple) => Some(MatrixKind::Basic),
            Some(RunKind::Normal) => Some(MatrixKind::Detailed),
            _ => None,
        };
        let given = [
            (self.num_disks.is_some(), "-num_disks"),
            (self.size_small_kb.is_some_and(|kb| other(kb != SMALL_KB)), "-size_small"),
            (self.size_large_kb.is_some_and(|kb| other(kb != LARGE_KB)), "-size_large"),
            (self.large_type.is_some_and(|of| other(of != LargeType::Rand)), "-type"),
            (self.num_stream_io.is_some_and(|_| other(self.is_sequential())), "-num_streamIO"),
            (self.simulate.is_some_and(|how| other(how != Simulate::Concat)), "-simulate"),
            (self.stripe_kb.is_some_and(|_| other(self.is_striped())), "-stripe"),
            (self.write_pct.is_some_and(|pct| other(pct != 0)), "-write"),
            (self.cache_size_mb.is_some(), "-cache_size"),
            (self.duration_s.is_some(), "-duration"),
            (self.matrix.is_some_and(|kind| other(Some(kind) != own_matrix)), "-matrix"),
            (self.num_small.is_some(), "-num_small"),
            (self.num_large.is_some(), "-num_large"),
            (self.rate_iops.is_some(), "--rate"),
            (self.verify, "--verify"),
        ];
        given.into_iter().filter_map(|(given, flag)| given.then_some(flag)).collect()
    }

    pub(super) fn is_sequential(&self) -> bool {
        self.large_type == Some(LargeType::Seq)
    }

    pub(super) fn is_striped(&self) -> bool {
        self.simulate == Some(Simulate::Raid0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_in_any_case_and_refused_with_those_that_mean_something() {
        assert_eq!(RunKind::of_word("OLTP"), Ok(RunKind::Oltp));
        assert_eq!(MatrixKind::of_word("col").map(Choice::word), Ok("col"));
        assert_eq!(BackendKind::of_word("io_uring"), Ok(BackendKind::Uring));
        let refusal = LargeType::of_word("other").unwrap_err();
        assert_eq!(refusal, "it is no type of large I/O: choose one of rand, seq");
    }
}

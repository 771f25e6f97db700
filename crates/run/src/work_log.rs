//! What was done when: the chunks of a job, and how much of their work lies inside a window.

use crate::Span;
use serde::{Deserialize, Serialize};

/// One chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// When it began.
    pub started_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
    /// Operations done in it.
    pub ops: u64,
    /// Rows touched in it.
    pub rows: u64,
    /// Bytes of work done in it.
    pub bytes: u64,
}

impl Chunk {
    /// The share of the chunk that lies inside a span. Chunks on an edge count in proportion.
    #[must_use]
    pub fn share(&self, span: Span) -> f64 {
        let inside_ns = self.inside_ns(span);
        match self.ended_ns - self.started_ns {
            0 => f64::from(u8::from(span.start_ns <= self.started_ns && self.started_ns < span.end_ns)),
            length_ns => inside_ns as f64 / length_ns as f64,
        }
    }

    /// Nanoseconds of the chunk inside a span.
    #[must_use]
    pub fn inside_ns(&self, span: Span) -> u64 {
        self.ended_ns.min(span.end_ns).saturating_sub(self.started_ns.max(span.start_ns))
    }
}

/// The work inside a span.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WorkDone {
    /// Operations.
    pub ops: f64,
    /// Rows.
    pub rows: f64,
    /// Bytes.
    pub bytes: f64,
    /// Time that jobs spent in chunks, in nanoseconds, summed over jobs.
    pub busy_ns: f64,
}

/// Upper bounds for what the engine may have counted of work that is in no chunk, because its transaction failed or was
/// sent again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostWork {
    /// Statements.
    pub statements: u64,
    /// Rows that they touched.
    pub rows: u64,
    /// Commits of which it is unknown whether they were done.
    pub commits: u64,
}

impl LostWork {
    /// Adds the lost work of another job.
    pub fn merge(&mut self, other: Self) {
        self.statements += other.statements;
        self.rows += other.rows;
        self.commits += other.commits;
    }
}

/// Everything that one or several jobs did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkLog {
    /// The chunks.
    pub chunks: Vec<Chunk>,
    /// Sum of all chunks' checksums.
    pub checksum: u64,
    /// Work that is in no chunk.
    pub lost: LostWork,
}

impl WorkLog {
    /// Adds another job's log.
    pub fn merge(&mut self, other: Self) {
        self.chunks.extend(other.chunks);
        self.checksum = self.checksum.wrapping_add(other.checksum);
        self.lost.merge(other.lost);
    }

    /// The same by another clock.
    #[must_use]
    pub fn shifted(mut self, by_ns: i64) -> Self {
        for chunk in &mut self.chunks {
            chunk.started_ns = chunk.started_ns.saturating_add_signed(by_ns);
            chunk.ended_ns = chunk.ended_ns.saturating_add_signed(by_ns);
        }
        self
    }

    /// The work inside a span.
    #[must_use]
    pub fn inside(&self, span: Span) -> WorkDone {
        self.chunks.iter().fold(WorkDone::default(), |done, chunk| {
            let share = chunk.share(span);
            WorkDone {
                ops: share.mul_add(chunk.ops as f64, done.ops),
                rows: share.mul_add(chunk.rows as f64, done.rows),
                bytes: share.mul_add(chunk.bytes as f64, done.bytes),
                busy_ns: done.busy_ns + chunk.inside_ns(span) as f64,
            }
        })
    }

    /// Operations of all chunks, warm-up and tail included.
    #[must_use]
    pub fn total_ops(&self) -> u64 {
        self.chunks.iter().map(|c| c.ops).sum()
    }

    /// Rows of all chunks.
    #[must_use]
    pub fn total_rows(&self) -> u64 {
        self.chunks.iter().map(|c| c.rows).sum()
    }

    /// When the last chunk ended.
    #[must_use]
    pub fn last_ended_ns(&self) -> Option<u64> {
        self.chunks.iter().map(|c| c.ended_ns).max()
    }

    /// The rate of each round within a window, in order. A round is one chunk of each job; its rate is their work over
    /// their time. A chunk belongs where its middle lies. An incomplete last round is left out.
    #[must_use]
    pub fn rates(&self, window: Span, jobs: u32) -> Vec<f64> {
        let middle_ns = |chunk: &Chunk| chunk.started_ns.midpoint(chunk.ended_ns);
        let inside = |chunk: &&Chunk| (window.start_ns..window.end_ns).contains(&middle_ns(chunk));
        let mut chunks: Vec<&Chunk> = self.chunks.iter().filter(inside).collect();
        chunks.sort_unstable_by_key(|chunk| middle_ns(chunk));
        let rate = |round: &[&Chunk]| {
            let sum = |of: fn(&Chunk) -> u64| round.iter().map(|chunk| of(chunk)).sum::<u64>() as f64;
            sum(|chunk| chunk.ops) / sum(|chunk| chunk.ended_ns - chunk.started_ns)
        };
        chunks.chunks_exact(jobs.max(1) as usize).map(rate).filter(|rate| rate.is_finite()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(started_ns: u64, ended_ns: u64, ops: u64) -> Chunk {
        Chunk { started_ns, ended_ns, ops, rows: 2 * ops, bytes: 0 }
    }

    #[test]
    fn a_chunk_on_the_edge_counts_in_proportion() {
        let log = WorkLog {
            chunks: vec![chunk(0, 100, 10), chunk(100, 200, 10), chunk(200, 300, 10)],
            checksum: 0,
            lost: LostWork::default(),
        };
        let done = log.inside(Span { start_ns: 50, end_ns: 225 });
        assert!((done.ops - 17.5).abs() < 1e-9 && (done.rows - 35.0).abs() < 1e-9);
        assert!((done.busy_ns - 175.0).abs() < 1e-9);
        assert_eq!((log.total_ops(), log.total_rows(), log.last_ended_ns()), (30, 60, Some(300)));
    }

    #[test]
    fn a_chunk_without_length_is_inside_or_not() {
        let span = Span { start_ns: 10, end_ns: 20 };
        assert_eq!(chunk(10, 10, 1).share(span), 1.0);
        assert_eq!(chunk(20, 20, 1).share(span), 0.0);
    }

    #[test]
    fn rounds_are_of_one_chunk_of_each_job() {
        let log = WorkLog {
            // Two jobs, the second a little later; the first chunk belongs to the warm-up.
            chunks: vec![
                chunk(0, 100, 999),
                chunk(100, 200, 10),
                chunk(200, 300, 20),
                chunk(110, 210, 30),
                chunk(210, 310, 20),
                chunk(310, 410, 1),
            ],
            checksum: 0,
            lost: LostWork::default(),
        };
        let window = Span { start_ns: 100, end_ns: 400 };
        assert_eq!(log.rates(window, 2), [40.0 / 200.0, 40.0 / 200.0]);
        assert_eq!(log.rates(window, 1).len(), 5);
        assert_eq!(WorkLog::default().rates(window, 1), [0.0; 0]);
    }
}

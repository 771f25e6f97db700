//! Compares what is there after a cut with what was acknowledged before it.

use super::{Row, TransactionKey, rows_of};
use dbdyno_model::Judged;
use std::collections::{BTreeMap, BTreeSet};

/// What the sessions of a cut were told, by their numbers: each of its transactions from 1 to this is committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledged {
    /// The cut.
    pub cut: u32,
    /// The last one of each session; 0 where none was.
    pub last: Vec<u64>,
}

impl Acknowledged {
    /// How many transactions these are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.last.iter().sum()
    }
}

/// A row as it was read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRow {
    /// Its table, from 0 on.
    pub table: usize,
    /// Its session.
    pub session: i64,
    /// The transaction's number there.
    pub seq: i64,
    /// Its number in the transaction.
    pub part: i64,
    /// The sum that is stored with it.
    pub checksum: i64,
    /// Its text.
    pub body: String,
}

impl StoredRow {
    fn place(&self) -> Place {
        (self.session, self.seq, self.part, self.table)
    }
}

/// The row of a session as it was read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSession {
    /// The session.
    pub session: i64,
    /// Its last transaction.
    pub last_seq: i64,
    /// How many rows it has written.
    pub rows: i64,
}

/// What is there of a cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Rows of all tables.
    pub rows: Vec<StoredRow>,
    /// Sessions.
    pub sessions: Vec<StoredSession>,
}

/// Session, transaction, its row, and the row's table.
type Place = (i64, i64, i64, usize);

/// Compares rows and sessions with what was acknowledged, and with each other.
#[must_use]
pub fn judge(acknowledged: &Acknowledged, found: &Found) -> Judged {
    let mut judged = judge_rows(acknowledged, &found.rows);
    // That some rows are not there is said by itself.
    let rows: BTreeSet<Place> = found.rows.iter().map(StoredRow::place).collect();
    let mut written: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for (session, seq, ..) in rows {
        let (last_seq, rows) = written.entry(session).or_default();
        (*last_seq, *rows) = ((*last_seq).max(seq), *rows + 1);
    }
    let known = acknowledged.last.len() as i64;
    for session in 0..known {
        compare_session(session, written.get(&session).copied().unwrap_or_default(), found, &mut judged);
    }
    for of in found.sessions.iter().filter(|of| !(0..known).contains(&of.session)) {
        judged.strangers += 1;
        judged.tell(|| format!("from nowhere: session {}", of.session));
    }
    judged
}

/// Compares rows. A session that was cut off may have one more transaction than it knows of, as a whole or not at all.
#[must_use]
pub fn judge_rows(acknowledged: &Acknowledged, rows: &[StoredRow]) -> Judged {
    let mut judged = Judged { acknowledged: acknowledged.count(), ..Judged::default() };
    let mut there: BTreeMap<Place, &StoredRow> = BTreeMap::new();
    for row in rows {
        let place = row.place();
        if there.insert(place, row).is_some() {
            judged.duplicates += 1;
            judged.tell(|| format!("twice: {}", in_words(place)));
        }
    }
    for (session, last) in (0..).zip(&acknowledged.last) {
        let key = |seq| TransactionKey { cut: acknowledged.cut, session, seq };
        let mut rows = 0;
        for seq in 1..=*last {
            let missing = take(key(seq), &mut there, &mut judged, &mut rows);
            if missing > 0 {
                judged.lost += 1;
                judged.tell(|| format!("lost: session {session}, transaction {seq}, {missing} of its rows"));
            }
        }
        let before = rows;
        let missing = take(key(last + 1), &mut there, &mut judged, &mut rows);
        let is_kept = rows > before;
        if is_kept && missing > 0 {
            judged.torn += 1;
            judged.tell(|| format!("in part: session {session}, transaction {}", last + 1));
        } else if is_kept {
            judged.unknown_kept += 1;
        }
    }
    judged.strangers = there.len() as u64;
    for place in there.into_keys() {
        judged.tell(|| format!("from nowhere: {}", in_words(place)));
    }
    judged
}

/// The sessions of which a row of the transaction is there whose answer never came.
#[must_use]
pub fn unanswered(acknowledged: &Acknowledged, rows: &[StoredRow]) -> BTreeSet<i64> {
    let next = |session: i64| acknowledged.last.get(usize::try_from(session).ok()?).map(|last| last.cast_signed() + 1);
    rows.iter().filter(|row| next(row.session) == Some(row.seq)).map(|row| row.session).collect()
}

/// Takes the rows of a transaction from those that are there, adds them to `rows`, and returns how many are missing.
fn take(key: TransactionKey, there: &mut BTreeMap<Place, &StoredRow>, judged: &mut Judged, rows: &mut u64) -> u64 {
    let mut missing = 0;
    for Row { table, part, checksum, body } in rows_of(key) {
        let place = (i64::from(key.session), key.seq.cast_signed(), i64::from(part), table);
        match there.remove(&place) {
            None => missing += 1,
            Some(stored) => {
                *rows += 1;
                if (stored.checksum, &stored.body) != (checksum, &body) {
                    judged.altered += 1;
                    judged.tell(|| format!("altered: {}", in_words(place)));
                }
            }
        }
    }
    missing
}

/// Each transaction changes its session's row, too: that has its number, and counts its rows.
fn compare_session(session: i64, written: (i64, i64), found: &Found, judged: &mut Judged) {
    let stored: Vec<&StoredSession> = found.sessions.iter().filter(|of| of.session == session).collect();
    let agrees = match stored.as_slice() {
        [] => written == (0, 0),
        [one] => (one.last_seq, one.rows) == written,
        _ => false,
    };
    if !agrees {
        let (last_seq, rows) = written;
        judged.disagreements += 1;
        judged.tell(|| {
            let said: Vec<String> = stored.iter().map(|of| format!("{} with {}", of.last_seq, of.rows)).collect();
            format!(
                "session {session} has {rows} rows up to transaction {last_seq}, and its own row says: {}",
                said.join(", ")
            )
        });
    }
}

fn in_words((session, seq, part, table): Place) -> String {
    format!("table {}, session {session}, transaction {seq}, row {part}", table + 1)
}

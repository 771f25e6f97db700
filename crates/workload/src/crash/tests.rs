use super::*;
use proptest::prelude::*;

/// Everything that sessions have written of a cut, each so many transactions.
fn written(cut: u32, transactions: &[u64]) -> Found {
    let mut found = Found::default();
    for (session, last) in (0..).zip(transactions) {
        let mut rows = 0;
        for seq in 1..=*last {
            for Row { table, part, checksum, body } in rows_of(TransactionKey { cut, session, seq }) {
                rows += 1;
                let (session, seq, part) = (i64::from(session), seq.cast_signed(), i64::from(part));
                found.rows.push(StoredRow { table, session, seq, part, checksum, body });
            }
        }
        if *last > 0 {
            found.sessions.push(StoredSession { session: i64::from(session), last_seq: last.cast_signed(), rows });
        }
    }
    found
}

fn acknowledged(last: &[u64]) -> Acknowledged {
    Acknowledged { cut: 3, last: last.to_vec() }
}

#[test]
fn a_transaction_is_told_from_every_other_and_uses_all_tables() {
    let key = |cut, session, seq| TransactionKey { cut, session, seq };
    let all: Vec<Row> = (1..200).flat_map(|seq| rows_of(key(1, 0, seq))).collect();
    for table in 0..TABLES {
        assert!(all.iter().filter(|row| row.table == table).count() > 50);
    }
    assert!((1..200).any(|seq| rows_of(key(1, 0, seq)).len() > 4));
    let sums: std::collections::BTreeSet<i64> = all.iter().map(|row| row.checksum).collect();
    assert_eq!(sums.len(), all.len());
    for other in [key(2, 0, 7), key(1, 1, 7), key(1, 0, 8)] {
        assert_ne!(rows_of(key(1, 0, 7)), rows_of(other));
    }
    assert!(all.iter().all(|row| row.body.len() <= 180 && row.checksum >= 0));
}

#[test]
fn each_kind_of_damage_is_found_and_named() {
    let last = [40, 0, 25];
    let well = judge(&acknowledged(&last), &written(3, &last));
    assert!(well.is_well() && well.acknowledged == 65 && well.unknown_kept == 0, "{well:?}");
    let spoiled = |spoil: &dyn Fn(&mut Found)| {
        let mut found = written(3, &last);
        spoil(&mut found);
        let judged = judge(&acknowledged(&last), &found);
        assert!(!judged.is_well() && !judged.first.is_empty(), "{judged:?}");
        judged
    };
    let dropped = spoiled(&|found| _ = found.rows.remove(7));
    assert_eq!((dropped.lost, dropped.disagreements), (1, 1), "the session's row counts one more");
    let altered = spoiled(&|found| found.rows[7].body.replace_range(0..1, "-"));
    assert_eq!((altered.altered, altered.lost), (1, 0));
    let altered = spoiled(&|found| found.rows[7].checksum ^= 1);
    assert_eq!(altered.altered, 1);
    let twice = spoiled(&|found| found.rows.push(found.rows[7].clone()));
    assert_eq!(twice.duplicates, 1);
    let moved = spoiled(&|found| found.rows[7].table = (found.rows[7].table + 1) % TABLES);
    assert_eq!((moved.lost, moved.strangers), (1, 1));
    let nowhere = spoiled(&|found| found.rows.push(StoredRow { session: 9, ..found.rows[7].clone() }));
    assert_eq!(nowhere.strangers, 1);
    let behind = spoiled(&|found| found.sessions[0].last_seq -= 1);
    assert_eq!(behind.disagreements, 1);
    let gone = spoiled(&|found| found.sessions.clear());
    assert_eq!(gone.disagreements, 2);
    let all = spoiled(&|found| *found = Found::default());
    assert_eq!((all.lost, all.disagreements, all.first.len()), (65, 0, 10));
    // The end of the log is gone, as a whole.
    let tail = spoiled(&|found| *found = written(3, &[33, 0, 25]));
    assert_eq!((tail.lost, tail.disagreements), (7, 0));
}

#[test]
fn a_session_may_have_one_more_as_a_whole() {
    let (told, done) = ([40, 0, 25], [41, 1, 25]);
    let judged = judge(&acknowledged(&told), &written(3, &done));
    assert!(judged.is_well(), "{judged:?}");
    assert_eq!(judged.unknown_kept, 2);
    let two = judge(&acknowledged(&told), &written(3, &[42, 0, 25]));
    assert!(two.strangers > 0, "{two:?}");
    // Of one with several rows the last is missing.
    let last = (1..).find(|seq| rows_of(TransactionKey { cut: 3, session: 0, seq: seq + 1 }).len() > 1).unwrap();
    let mut found = written(3, &[last + 1]);
    found.rows.pop();
    assert_eq!(judge(&acknowledged(&[last]), &found).torn, 1);
}

proptest! {
    #[test]
    fn what_was_done_is_well_and_what_is_missing_is_counted(
        last in proptest::collection::vec(0..60_u64, 1..6),
        more in proptest::collection::vec(proptest::bool::ANY, 6),
        missing in 0..40_u64,
    ) {
        let done: Vec<u64> = last.iter().zip(&more).map(|(last, more)| last + u64::from(*more)).collect();
        let judged = judge(&acknowledged(&last), &written(3, &done));
        prop_assert!(judged.is_well());
        prop_assert_eq!(judged.acknowledged, last.iter().sum::<u64>());
        // The last ones of the first session are gone, as after a crash that lost the end of the log.
        let kept = last[0].saturating_sub(missing);
        let mut less = last.clone();
        less[0] = kept;
        let judged = judge(&acknowledged(&last), &written(3, &less));
        prop_assert_eq!(judged.lost, last[0] - kept);
        prop_assert_eq!(judged.is_well(), kept == last[0]);
    }
}

#[test]
fn the_program_sends_what_the_rows_are() {
    let user = User {
        number: 2,
        of: 4,
        seed: 5,
        data: DataSpec::new(Scale::ONE, 1),
        parameters: Parameters::default(),
        form: Drive::Client,
    };
    let mut program = Crash.program(user, Crash.types());
    for seq in 1..30 {
        program.begin();
        let rows = rows_of(TransactionKey { cut: 5, session: 2, seq });
        let first = program.act(None);
        let statement = if seq == 1 { START } else { MOVE };
        assert_eq!(first, Act::Execute { statement, times: 1, opens: true });
        for row in &rows {
            assert_eq!(program.act(None), Act::Execute { statement: FIRST_INSERT + row.table, times: 1, opens: false });
            let values: Vec<_> = (0..program.values().len()).filter_map(|n| program.values().get(n)).collect();
            assert_eq!(values.last(), Some(&dbdyno_engine::client::Value::Text(&row.body)));
            assert_eq!(values.len(), 6);
        }
        assert_eq!(program.act(None), Act::Commit);
        assert_eq!(program.act(None), Act::Ended);
    }
}

#[test]
fn a_log_has_rows_alone_and_the_unanswered_commits_are_known_by_their_sessions() {
    let last = [12, 5];
    let whole = written(3, &[13, 5]).rows;
    assert!(judge_rows(&acknowledged(&last), &whole).is_well());
    assert_eq!(unanswered(&acknowledged(&last), &whole), [0].into());
    assert_eq!(unanswered(&acknowledged(&last), &written(3, &[12, 6]).rows), [1].into());
    let shorter = judge_rows(&acknowledged(&last), &written(3, &[9, 5]).rows);
    assert_eq!((shorter.lost, shorter.acknowledged, shorter.disagreements), (3, 17, 0));
}

//! Proofs of the work itself.

use super::*;
use dbdyno_engine::data::quantity_sum;

#[test]
fn a_count_that_differs_makes_the_point_invalid() {
    let case = || Case::new("T711", 1_000).count(Counter::RowsChanged, 1_000).count(Counter::Commits, 1_000);
    assert_eq!(case().count(Counter::Executions, 1_000).judged().status, Status::Ok);
    let other = case().count(Counter::Executions, 999).judged();
    assert_eq!(other.status, Status::Invalid);
    assert_eq!(other.reason.as_deref(), Some("the engine counted 999 Executions, dbdyno 1000"));
    // A short chunk and a long one do not cancel out.
    let mut uneven = case().count(Counter::Executions, 1_000);
    uneven.log.chunks[0].rows -= 5;
    uneven.log.chunks[1].rows += 5;
    assert_eq!(uneven.judged().status, Status::Invalid);
    // A count that the engine lacks is reported, not assumed.
    assert!(case().judged().missing.contains_key("proof.executions"));
}

#[test]
fn of_failed_transactions_the_engine_may_have_counted_a_part() {
    let status = |executions, statements, commits| {
        let mut case =
            Case::new("T711", 1_000).count(Counter::RowsChanged, 1_000).count(Counter::Executions, executions);
        case.counters.values.insert(Counter::Commits, commits);
        case.log.lost = LostWork { statements, rows: 0, commits: 0 };
        case.judged().status
    };
    assert_eq!(status(1_000, 0, 1_000), Status::Ok);
    assert_eq!(status(1_001, 0, 1_000), Status::Invalid);
    assert_eq!((status(1_000, 7, 1_000), status(1_007, 7, 1_000)), (Status::Ok, Status::Ok));
    // Missing work is never explained by lost work, and one count is never explained by another.
    assert_eq!((status(999, 7, 1_000), status(1_008, 7, 1_000)), (Status::Invalid, Status::Invalid));
    assert_eq!(status(1_000, 7, 1_001), Status::Invalid);
}

#[test]
fn a_full_scan_that_finds_another_sum_is_invalid() {
    let case = |code: &str, over: u64| {
        let mut case = Case::new(code, 100);
        let table = case.spec.test.table.unwrap();
        case.log.checksum = 100 * quantity_sum(&case.spec.size, table.shape(), case.spec.seed) + over;
        case.judged()
    };
    for code in ["T421", "T426"] {
        assert_eq!(case(code, 0).reason, None, "{code}");
        let altered = case(code, 1);
        assert_eq!(altered.status, Status::Invalid, "{code}");
        assert!(altered.reason.unwrap().contains("rows were altered after loading"));
    }
    // The sum of a lookup depends on its keys.
    assert_eq!(Case::new("T611", 1_000).judged().reason, None);
}

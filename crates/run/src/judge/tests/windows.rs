//! Work of a fixed volume that was over at once, and windows of whole checkpoints.

use super::*;
use dbdyno_model::PacedWrites;

fn lasting(code: &str, ms: u64, discarding_s: Option<f64>) -> Vec<Flag> {
    let case = Case::new(code, 10);
    let mut point = Point::new(TestCode::new(code).unwrap(), jiff::Timestamp::UNIX_EPOCH);
    point.discarding_s = discarding_s;
    let evidence = Evidence { window: Span { start_ns: 0, end_ns: ms * 1_000_000 }, ..case.evidence() };
    crate::judge::windows::flag(&mut point, &evidence);
    point.flags
}

#[test]
fn work_lasts_half_a_second_in_all() {
    assert_eq!(lasting("T331", 499, None), [Flag::TooShort]);
    assert_eq!(lasting("T331", 500, None), []);
    assert_eq!(lasting("T331", 600, Some(0.2)), [Flag::TooShort], "what was removed meanwhile is none of the work");
    assert_eq!(lasting("T211", 70, None), [Flag::TooShort]);
    for code in ["T111", "T421", "T611", "T711"] {
        assert_eq!(lasting(code, 499, None), [Flag::TooShort], "{code}");
        assert_eq!(lasting(code, 500, None), [], "{code}");
    }
}

#[test]
fn whole_checkpoints_write_what_they_change() {
    let flags = |checkpoints, blocks_dirtied, blocks_written| {
        let mut point = Point::new(TestCode::new("T721").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        point.paced_writes = Some(PacedWrites { checkpoints, blocks_dirtied, blocks_written });
        // What lies before and after the window does not count.
        crate::judge::writes::deferred(
            &mut point,
            &Case::new("T721", 10).count(Counter::BlocksDirtied, 1_000_000).counters,
        );
        point.flags
    };
    assert_eq!(flags(3, 1_000, 900), []);
    assert_eq!(flags(3, 1_000, 899), [Flag::WritesDeferred]);
    assert_eq!(flags(2, 1_000, 1_000), [Flag::WritesDeferred]);
}

use super::*;
use dbdyno_model::{Subject, TestCode};

fn failed(status: Status, reason: Option<&str>, class: ErrorClass) -> (Status, String) {
    let subject = Subject::Test(TestCode::new("T611").expect("a code"));
    let mut point =
        Point { status, reason: reason.map(str::to_owned), ..Point::new(subject, jiff::Timestamp::UNIX_EPOCH) };
    fail(&mut point, &EngineError::new(class, "gone"));
    (point.status, point.reason.unwrap_or_default())
}

#[test]
fn a_point_that_fails_says_why() {
    assert_eq!(
        failed(Status::Ok, None, ErrorClass::Unsupported),
        (Status::Unsupported, "unsupported: gone".to_owned())
    );
    assert_eq!(failed(Status::Ok, None, ErrorClass::Cancelled), (Status::Failed, "interrupted".to_owned()));
}

#[test]
fn what_the_proof_has_found_outlives_the_failure_and_is_not_measured_again() {
    let (status, reason) =
        failed(Status::Invalid, Some("orders grew by 3, and by 4 as acknowledged"), ErrorClass::ConnectionLost);
    assert_eq!(status, Status::Invalid, "a point that failed would be measured again, without a word of the loss");
    assert!(reason.starts_with("orders grew by 3") && reason.contains("connection lost: gone"), "{reason}");
}

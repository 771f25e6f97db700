use super::*;

#[test]
fn no_loss_in_so_many_cuts_bounds_the_share_of_those_that_lose() {
    let pct = |cuts| (most_lossy_pct(cuts) * 100.0).round() / 100.0;
    assert_eq!([pct(0), pct(1), pct(20), pct(100)], [100.0, 95.0, 13.91, 2.95]);
}

#[test]
fn a_loss_that_shows_later_counts() {
    let lost = Judged { lost: 1, ..Judged::default() };
    let cut = |judged: &Judged| Cut { judged: judged.clone(), ..Cut::default() };
    let well = Judged::default();
    let report = |cuts: Vec<Cut>, in_the_end: &Judged| {
        CrashReport { cuts, in_the_end: Some(in_the_end.clone()), ..CrashReport::default() }.losses()
    };
    assert_eq!(report(vec![cut(&well), cut(&well)], &well), 0);
    assert_eq!(report(vec![cut(&well), cut(&well)], &lost), 1);
    assert_eq!(report(vec![cut(&lost), cut(&lost)], &lost), 2);
    let gone = Cut { gone: Some("it did not come back".to_owned()), ..Cut::default() };
    let damaged = Cut { checks: Some(vec!["index".to_owned()]), ..Cut::default() };
    assert_eq!(report(vec![gone, damaged], &well), 2);
}

#[test]
fn what_does_not_come_back_has_lost_all_that_there_was() {
    let of = |acknowledged, lost| Judged { acknowledged, lost, ..Judged::default() };
    let cut = |judged, gone: Option<&str>| Cut { judged, gone: gone.map(str::to_owned), ..Cut::default() };
    let counted = |cuts: Vec<Cut>| CrashReport { cuts, ..CrashReport::default() }.counted();
    assert_eq!(counted(vec![cut(of(300, 0), None), cut(of(400, 5), None)]), (700, 5));
    assert_eq!(counted(vec![cut(of(300, 0), None), cut(of(400, 0), Some("no table"))]), (700, 700));
}

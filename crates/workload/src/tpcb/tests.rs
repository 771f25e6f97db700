#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;
use crate::Ended;
use dbdyno_engine::client::Value;

fn data(branches: u32) -> DataSpec {
    DataSpec::new(Scale::units(branches), 42)
}

fn user(number: u32, form: Drive) -> User {
    User { number, of: 4, seed: 7, data: data(3), parameters: Parameters::default(), form }
}

/// What a user sends in a transaction: statement, values, whether it opens.
fn sent(program: &mut dyn Program) -> Vec<(usize, Vec<i64>, bool)> {
    let (done, mut sent) = (ChunkResult { rows: 1, ..ChunkResult::default() }, Vec::new());
    let mut act = program.act(None);
    while let Act::Execute { statement, opens, .. } = act {
        let number = |value: Value<'_>| if let Value::Int(number) = value { number } else { panic!("{value:?}") };
        sent.push((statement, program.values().iter().map(number).collect(), opens));
        act = program.act(Some((&done, Answer::NONE)));
    }
    if program.did().rows > 1 {
        assert_eq!(act, Act::Commit);
        act = program.act(Some((&ChunkResult::default(), Answer::NONE)));
    }
    assert_eq!(act, Act::Ended);
    sent
}

#[test]
fn a_client_sends_five_statements_about_rows_that_are_there() {
    let mut program = TpcB.program(user(0, Drive::Client), TpcB.types());
    let (mut branches, mut amounts) = ([0; 3], [i64::MAX, i64::MIN]);
    for _ in 0..20_000 {
        program.begin();
        let sent = sent(program.as_mut());
        assert_eq!(sent.iter().map(|(n, ..)| *n).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!(sent.iter().map(|(.., opens)| *opens).collect::<Vec<_>>(), [true, false, false, false, false]);
        let [teller, branch, account, amount] = <[i64; 4]>::try_from(sent[4].1.clone()).unwrap();
        assert!((1..=300_000).contains(&account) && (1..=30).contains(&teller) && (-5_000..=5_000).contains(&amount));
        let others = [vec![amount, account], vec![account], vec![amount, teller], vec![amount, branch]];
        assert!(sent.iter().zip(&others).all(|(sent, other)| sent.1 == *other), "{sent:?}");
        assert_eq!((program.did().rows, program.did().checksum.cast_signed()), (5, amount));
        branches[branch as usize - 1] += 1;
        amounts = [amounts[0].min(amount), amounts[1].max(amount)];
    }
    assert!(branches.iter().all(|n| (6_000..7_400).contains(n)), "{branches:?}");
    assert!(amounts[0] < -4_990 && amounts[1] > 4_990, "{amounts:?}");
}

#[test]
fn what_a_user_draws_follows_from_seed_and_number_and_is_sent_again() {
    let of = |number, form| {
        let mut program = TpcB.program(user(number, form), TpcB.types());
        let draw = |program: &mut Box<dyn Program>| {
            program.begin();
            sent(program.as_mut())
        };
        (draw(&mut program), draw(&mut program), program)
    };
    let (first, second, _) = of(1, Drive::Client);
    assert_eq!((&first, &second), (&of(1, Drive::Client).0, &of(1, Drive::Client).1));
    assert!(first != second && first != of(2, Drive::Client).0);
    let (_, second, mut program) = of(1, Drive::Client);
    program.again();
    assert_eq!(sent(program.as_mut()), second);
    // A call takes what its statements would: account, teller, branch, amount.
    let call = of(1, Drive::Server).0;
    let history = &first[4].1;
    assert_eq!(call, [(0, vec![history[2], history[0], history[1], history[3]], false)]);
}

#[test]
fn figures_that_disagree_are_told() {
    assert_eq!(TpcB.broken(&[5, 5, 5, 5, 2]), [""; 0]);
    for place in 0..4 {
        let mut figures = [5, 5, 5, 5, 2];
        figures[place] = 6;
        assert_eq!(TpcB.broken(&figures).len(), 1, "{figures:?}");
    }
    assert_eq!(TpcB.broken(&[5, 5]).len(), 1);
    let done =
        |acknowledged, unknown, sum: i64| [Ended { acknowledged, unknown, rolled_back: 0, sum: sum.cast_unsigned() }];
    let wrong = |after: [i64; 5], ended: &[Ended]| {
        TpcB.miscounted((&[5, 5, 5, 5, 2], &after), ended, (&data(3), &Parameters::default()))
    };
    assert_eq!(wrong([9, 9, 9, 9, 4], &done(2, 0, 4)), [""; 0]);
    assert!(wrong([9, 9, 9, 9, 3], &done(2, 0, 4))[0].contains("grew by 1, and by 2 as acknowledged"));
    assert!(wrong([9, 9, 9, 9, 5], &done(2, 0, 4))[0].contains("grew by 3, and by 2"));
    assert!(wrong([8, 8, 8, 8, 4], &done(2, 0, 4))[0].contains("grew by 3, and 4 was"));
    // Of those of which nobody knows each may have been done or not.
    for rows in 4..=5 {
        assert_eq!(wrong([8, 8, 8, 8, rows], &done(2, 1, 4)), [""; 0]);
    }
    for rows in [1, 3, 6] {
        assert_eq!(wrong([8, 8, 8, 8, rows], &done(2, 1, 4)).len(), 1);
    }
    assert_eq!(TpcB.misloaded(&data(2), &[2, 20, 200_000]), [""; 0]);
    assert_eq!(TpcB.misloaded(&data(2), &[2, 20, 199_999]).len(), 1);
}

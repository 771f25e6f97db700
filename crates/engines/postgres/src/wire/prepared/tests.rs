//! What is sent, without a server.

use super::super::value::{DATE, DAY_ZERO, INT8};
use super::*;
use crate::procedure::of;
use dbdyno_engine::client::{Parameter, TestProgram, Values, cents_text};
use dbdyno_engine::data::iso_day;
use dbdyno_engine::program::{Act, Program as _};
use dbdyno_testkit::conformance::catalogue;
use proptest::prelude::*;

fn prepared(takes: &[WireType], gives: &[WireType]) -> PreparedStatements {
    PreparedStatements::of(std::iter::once((takes.to_vec(), gives.to_vec())), BytesMut::new()).unwrap()
}

/// The same by the crate.
fn expected(values: &Values, takes: &[WireType], gives: &[WireType], times: usize) -> Vec<u8> {
    let mut out = BytesMut::new();
    let write = |(value, kind): (Value<'_>, WireType), out: &mut BytesMut| {
        match (value, kind) {
            (Value::Null, _) => return Ok(IsNull::Yes),
            (Value::Int(number), WireType::Int(bytes)) => out.extend(&number.to_be_bytes()[8 - usize::from(bytes)..]),
            (Value::Int(number), _) => out.extend(number.to_string().as_bytes()),
            (Value::Day(days), WireType::Day) => out.extend((days - DAY_ZERO).to_be_bytes()),
            (Value::Day(days), _) => out.extend(iso_day(days.into()).as_bytes()),
            (Value::Cents(cents), _) => out.extend(cents_text(cents).as_bytes()),
            (Value::Text(text), _) => out.extend(text.as_bytes()),
        }
        Ok(IsNull::No)
    };
    let formats = |kinds: &[WireType]| kinds.iter().map(|kind| kind.format().cast_signed()).collect::<Vec<_>>();
    for execution in 0..times {
        let given = values.iter().skip(execution * takes.len()).zip(takes.iter().copied());
        let bound = frontend::bind("", "0", formats(takes), given, write, formats(gives), &mut out);
        assert!(bound.is_ok());
        execute(&mut out).unwrap();
    }
    frontend::sync(&mut out);
    out.to_vec()
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let mut values = Values::new();
    for (kind, value, fits) in [
        (WireType::Int(4), i64::from(i32::MAX), true),
        (WireType::Int(4), i64::from(i32::MIN), true),
        (WireType::Int(4), i64::from(i32::MAX) + 1, false),
        (WireType::Int(2), -32_769, false),
        (WireType::Int(8), i64::MIN, true),
        (WireType::Day, 1, false),
    ] {
        let bound = Bound { statement: 0, values: values.set(&[value]), times: 1, opens: false };
        assert_eq!(prepared(&[kind], &[]).fill(&bound, "w").is_ok(), fits, "{kind:?} {value}");
    }
    values.clear();
    values.push("x");
    let said = |bound: &Bound<'_>| prepared(&[WireType::Int(8)], &[]).fill(bound, "w").unwrap_err().message;
    let bound = Bound { statement: 0, values: &values, times: 1, opens: false };
    assert!(said(&bound).contains("value 1 of statement 0 is no Int(8)"), "{}", said(&bound));
    assert!(said(&Bound { statement: 1, ..bound }).contains("there is none of that number"));
    assert!(said(&Bound { values: &Values::new(), ..bound }).contains("takes 1 values and was given 0"));
    assert!(said(&Bound { times: 2, ..bound }).contains("was given 1 for 2 executions"));
    assert!(said(&Bound { times: 0, ..bound }).contains("for 0 executions"));
}

/// What is refused leaves nothing behind that the next values would be written over.
#[test]
fn after_a_refusal_messages_are_whole() {
    let (takes, mut values) = ([WireType::Int(8), WireType::Int(2)], Values::new());
    let mut prepared = prepared(&takes, &[]);
    for (numbers, fits) in [([7, 1], true), ([8, 40_000], false), ([9, 2], true)] {
        values.set(&numbers);
        let filled = prepared.fill(&Bound { statement: 0, values: &values, times: 1, opens: false }, "w");
        assert_eq!(filled.is_ok(), fits);
        assert!(!fits || filled.unwrap() == expected(&values, &takes, &[], 1));
    }
}

/// WireTypes of the messages, one after the other; their lengths must fit.
fn kinds(mut messages: &[u8]) -> String {
    let mut kinds = String::new();
    while let Some((kind, rest)) = messages.split_first() {
        let length = u32::from_be_bytes(*rest.first_chunk().unwrap()) as usize;
        kinds.push(char::from(*kind));
        messages = &rest[length..];
    }
    kinds
}

#[test]
fn a_tests_statement_is_one_round_trip_that_opens_its_transaction_too() {
    for (code, rows_per_tx, sent) in
        [("T611", 1, "BES"), ("T626", 1, "BEBES"), ("T711", 1, "BES"), ("T711", 8, "BEBES")]
    {
        let test = catalogue::tests().into_iter().find(|test| test.code.as_str() == code).unwrap();
        let client = of(&test).unwrap().client_form().unwrap();
        let text = ServerText::from(&client.texts[0]);
        let takes = text.type_oids.iter().map(|oid| WireType::taken(*oid)).collect::<Vec<_>>();
        let mut prepared = prepared(&takes, &[]);
        assert_eq!(kinds(&preparing(&[text]).unwrap()), "CPCPDS");
        let spec = dbdyno_engine::PointSpec { rows_per_tx, ..catalogue::spec(&test, 1) };
        let mut program = TestProgram::new(&spec, 0, client.form);
        for _ in 0..3 {
            program.begin();
            let Act::Execute { statement, times, opens } = program.act(None) else { panic!("{code}") };
            let bound = Bound { statement, values: program.values(), times, opens };
            assert_eq!((kinds(prepared.fill(&bound, "w").unwrap()).as_str(), opens), (sent, rows_per_tx > 1), "{code}");
        }
    }
}

#[test]
fn a_statement_under_test_has_the_types_that_its_procedure_declares() {
    let test = catalogue::tests().into_iter().find(|test| test.code.as_str() == "T626").unwrap();
    let client = of(&test).unwrap().client_form().unwrap();
    assert_eq!(client.form.parameters, [Parameter::Key, Parameter::From, Parameter::To]);
    let text = ServerText::from(&client.texts[0]);
    assert_eq!((text.type_oids.as_slice(), client.form.in_two), (&[INT8, DATE, DATE][..], true));
}

proptest! {
    /// Whether they are written anew or over the last ones.
    #[test]
    fn messages_are_those_that_the_crate_would_write(
        numbers in prop::collection::vec((any::<i16>(), 0..7_usize, ".{0,9}"), 0..9),
        gives in 0..4_usize,
        times in 1..3_usize,
        opens in any::<bool>(),
    ) {
        let takes: Vec<WireType> = numbers.iter()
            .map(|(_, kind, _)| [WireType::Int(2), WireType::Int(4), WireType::Int(8), WireType::Day, WireType::Text, WireType::Text, WireType::Text][*kind])
            .collect();
        let gives = &[WireType::Text, WireType::Int(8), WireType::Text][..gives.min(3)];
        let mut prepared = prepared(&takes, gives);
        let opening = if opens { prepared.opening.clone() } else { Vec::new() };
        let mut values = Values::new();
        for round in 0..4_i16 {
            values.clear();
            for (number, kind, text) in numbers.iter().cycle().take(numbers.len() * times) {
                let number = number.wrapping_add(round);
                match kind {
                    4 => values.push(text.as_str()),
                    5 => values.push(Value::Cents(number.into())),
                    _ if number == 0 => values.push(Value::Null),
                    3 | 6 => values.push(Value::Day(number.into())),
                    _ => values.push(i64::from(number)),
                };
            }
            let filled = prepared.fill(&Bound { statement: 0, values: &values, times, opens }, "w").unwrap();
            prop_assert_eq!(filled, [opening.clone(), expected(&values, &takes, gives, times)].concat());
        }
    }
}

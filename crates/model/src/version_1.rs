//! What version 1 wrote, in the words of version 2: the one place that knows the older documents.
//!
//! Version 1 had the code of a test in `test`, of a workload its name, and of storage the word ORION beside the key `storage`.
//! Whatever has not the form that it had then is left as it is: who reads it afterwards says what is wrong.

use crate::{Part, TestCode};
use serde_json::{Value, json};

/// Brings a text of version 1 to version 2.
pub(crate) fn convert(part: Part, value: &mut Value) {
    match part {
        Part::Document => document(value),
        Part::Plan => each(value, "points", subject),
        Part::Point => subject(value),
    }
}

fn document(value: &mut Value) {
    each(value, "points", subject);
    each(value, "cells", subject);
    if let Some(plan) = value.get_mut("plan") {
        convert(Part::Plan, plan);
    }
}

/// Does something to each element of a list of an object.
fn each(value: &mut Value, list: &str, change: impl Fn(&mut Value)) {
    value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(change);
}

/// Gives a point, a planned point or a cell the subject that its test and its storage were.
fn subject(value: &mut Value) {
    let Some(object) = value.as_object_mut() else { return };
    let Some(Value::String(name)) = object.get("test") else { return };
    let kind = match (object.get("storage"), TestCode::new(name)) {
        (Some(Value::Object(_)), _) => "storage",
        (_, Ok(_)) => "test",
        (_, Err(_)) => "workload",
    };
    let subject = json!({ "kind": kind, "name": name });
    object.insert("subject".to_owned(), subject);
    if kind != "test" {
        object.remove("test");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(part: Part, mut value: Value) -> Value {
        convert(part, &mut value);
        value
    }

    #[test]
    fn a_test_a_workload_and_storage_get_their_subjects() {
        let test = json!({ "subject": { "kind": "test", "name": "T611" }, "test": "T611", "jobs": 2 });
        assert_eq!(converted(Part::Point, json!({ "test": "T611", "jobs": 2 })), test);
        let workload = json!({ "subject": { "kind": "workload", "name": "SLOB" } });
        assert_eq!(converted(Part::Point, json!({ "test": "SLOB" })), workload);
        let storage = json!({ "subject": { "kind": "storage", "name": "ORION" }, "storage": { "luns": 1 } });
        let older = json!({ "test": "ORION", "storage": { "luns": 1 } });
        assert_eq!(converted(Part::Point, older.clone()), storage);
        let document = json!({ "points": [older], "cells": [older], "plan": { "points": [older], "suite": "x" } });
        let newer = json!({ "points": [storage], "cells": [storage], "plan": { "points": [storage], "suite": "x" } });
        assert_eq!(converted(Part::Document, document), newer);
    }

    #[test]
    fn what_version_1_never_wrote_stays_as_it_is() {
        for value in
            [json!(null), json!([1]), json!({ "test": 7 }), json!({ "points": "none" }), json!({ "points": [7] })]
        {
            for part in [Part::Document, Part::Plan, Part::Point] {
                assert_eq!(converted(part, value.clone()), value);
            }
        }
    }
}

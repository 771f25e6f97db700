//! Converts what version 1 wrote to version 2. Only this file knows the older documents.
//!
//! Version 1 had `test` for the code of a test or the name of a workload, and the word ORION beside the key `storage`
//! for storage. A value that does not have version 1's form is left as it is; its reader then says what is wrong.

use crate::{DocumentPart, TestCode};
use serde_json::{Value, json};

/// Brings a text of version 1 to version 2.
pub(crate) fn convert(part: DocumentPart, value: &mut Value) {
    match part {
        DocumentPart::Document => document(value),
        DocumentPart::Plan => each(value, "points", subject),
        DocumentPart::Point => point(value),
        // Version 1 had none.
        DocumentPart::Described => {}
    }
}

fn document(value: &mut Value) {
    each(value, "points", point);
    each(value, "cells", subject);
    if let Some(plan) = value.get_mut("plan") {
        convert(DocumentPart::Plan, plan);
    }
    let types: Vec<Option<String>> = value["plan"]["points"].as_array().into_iter().flatten().map(one_type).collect();
    each(value, "histograms", |histogram| {
        let place = histogram.get("plan_index").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        if let (Some(object), Some(Some(name))) = (histogram.as_object_mut(), place.and_then(|n| types.get(n))) {
            object.insert("type".to_owned(), json!(name));
        }
    });
}

fn point(value: &mut Value) {
    subject(value);
    if let Some(name) = one_type(value)
        && value.get("service_time_s").is_some_and(Value::is_object)
    {
        let mut transactions = json!({ "type": name, "weight": 1 });
        for key in ["ops", "ops_per_s", "service_time_s", "response_time_s", "outcomes"] {
            if let Some(figure) = value.get(key) {
                transactions[key] = figure.clone();
            }
        }
        value["transactions"] = json!([transactions]);
    }
}

/// The one transaction type of a test in the client drive, for a point or planned point that already has its subject.
fn one_type(value: &Value) -> Option<String> {
    let name = || value.get("test")?.as_str().map(str::to_owned);
    (value.get("drive")? == "client").then(name).flatten()
}

/// Applies a change to each element of a list in an object.
fn each(value: &mut Value, list: &str, change: impl Fn(&mut Value)) {
    value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(change);
}

/// Gives a point, planned point or cell its subject, from `test` and `storage`.
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

    fn converted(part: DocumentPart, mut value: Value) -> Value {
        convert(part, &mut value);
        value
    }

    #[test]
    fn a_test_a_workload_and_storage_get_their_subjects() {
        let test = json!({ "subject": { "kind": "test", "name": "T611" }, "test": "T611", "jobs": 2 });
        assert_eq!(converted(DocumentPart::Point, json!({ "test": "T611", "jobs": 2 })), test);
        let workload = json!({ "subject": { "kind": "workload", "name": "SLOB" } });
        assert_eq!(converted(DocumentPart::Point, json!({ "test": "SLOB" })), workload);
        let storage = json!({ "subject": { "kind": "storage", "name": "ORION" }, "storage": { "luns": 1 } });
        let older = json!({ "test": "ORION", "storage": { "luns": 1 } });
        assert_eq!(converted(DocumentPart::Point, older.clone()), storage);
        let document = json!({ "points": [older], "cells": [older], "plan": { "points": [older], "suite": "x" } });
        let newer = json!({ "points": [storage], "cells": [storage], "plan": { "points": [storage], "suite": "x" } });
        assert_eq!(converted(DocumentPart::Document, document), newer);
    }

    #[test]
    fn what_a_client_timed_is_of_one_type() {
        let older = json!({
            "test": "T611", "drive": "client", "ops": 7, "ops_per_s": 3.5, "service_time_s": { "mean": 0.25 },
            "response_time_s": null, "outcomes": { "ok": 9 },
        });
        let newer = converted(DocumentPart::Point, older.clone());
        let types = json!([{
            "type": "T611", "weight": 1, "ops": 7, "ops_per_s": 3.5, "service_time_s": { "mean": 0.25 },
            "response_time_s": null, "outcomes": { "ok": 9 },
        }]);
        assert_eq!(newer["transactions"], types);
        let server = json!({ "test": "T611", "drive": "server", "service_time_s": { "mean": 0.25 } });
        assert!(converted(DocumentPart::Point, server).get("transactions").is_none());
        let untimed = json!({ "test": "T611", "drive": "client", "service_time_s": null });
        assert!(converted(DocumentPart::Point, untimed).get("transactions").is_none());
        let storage = json!({ "test": "ORION", "drive": "client", "storage": {} });
        let document = json!({
            "plan": { "points": [older, storage] },
            "histograms": [{ "plan_index": 0 }, { "plan_index": 1 }, { "plan_index": 2 }],
        });
        let types = json!([{ "plan_index": 0, "type": "T611" }, { "plan_index": 1 }, { "plan_index": 2 }]);
        assert_eq!(converted(DocumentPart::Document, document)["histograms"], types);
    }

    #[test]
    fn what_version_1_never_wrote_stays_as_it_is() {
        for value in
            [json!(null), json!([1]), json!({ "test": 7 }), json!({ "points": "none" }), json!({ "points": [7] })]
        {
            for part in [DocumentPart::Document, DocumentPart::Plan, DocumentPart::Point] {
                assert_eq!(converted(part, value.clone()), value);
            }
        }
    }
}

//! Results as a JUnit file, which pipelines show as results of tests: what verdicts and comparisons have in common.

use crate::terminal::lines::clean;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// Test cases of one thing.
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
}

/// A test case.
pub(crate) struct Case {
    /// What it is about, with a dot between the parts.
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) outcome: CaseOutcome,
    /// What else is to be said of it, line by line.
    pub(crate) said: Vec<String>,
}

/// How a test case ended.
pub(crate) enum CaseOutcome {
    Passed,
    Failed {
        kind: &'static str,
        message: String,
    },
    /// Nobody knows.
    Skipped {
        why: String,
    },
}

/// The XML document of several suites.
///
/// # Errors
/// Never in practice, because it writes to memory.
pub(crate) fn document(name: &str, suites: &[Suite]) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = totals(name, suites);
    let all = all.iter().map(|(key, value)| (*key, value.as_str()));
    writer.create_element("testsuites").with_attributes(all).write_inner_content(|writer| {
        suites.iter().try_for_each(|suite| {
            let of_one = totals(&suite.name, std::slice::from_ref(suite));
            let of_one = of_one.iter().map(|(key, value)| (*key, value.as_str()));
            let element = writer.create_element("testsuite").with_attributes(of_one);
            element.write_inner_content(|writer| suite.cases.iter().try_for_each(|one| case(writer, one))).map(drop)
        })
    })?;
    let mut xml = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    xml.push('\n');
    Ok(xml)
}

/// The attributes of suites: how many cases there are, and how they ended.
fn totals(name: &str, suites: &[Suite]) -> Vec<(&'static str, String)> {
    let cases = || suites.iter().flat_map(|suite| &suite.cases);
    let failures = cases().filter(|case| matches!(case.outcome, CaseOutcome::Failed { .. })).count();
    let skipped = cases().filter(|case| matches!(case.outcome, CaseOutcome::Skipped { .. })).count();
    let mut totals = vec![("name", clean(name).into_owned())];
    totals.extend([("tests", cases().count().to_string()), ("failures", failures.to_string())]);
    totals.extend((skipped > 0).then(|| ("skipped", skipped.to_string())));
    totals
}

fn case(writer: &mut Writer<Vec<u8>>, case: &Case) -> io::Result<()> {
    let (class, name) = (clean(&case.class), clean(&case.name));
    let element = writer.create_element("testcase").with_attributes([("classname", &*class), ("name", &*name)]);
    element.write_inner_content(|writer| {
        match &case.outcome {
            CaseOutcome::Passed => {}
            CaseOutcome::Failed { kind, message } => {
                let message = clean(message);
                let attributes = [("message", &*message), ("type", *kind)];
                writer.create_element("failure").with_attributes(attributes).write_empty()?;
            }
            CaseOutcome::Skipped { why } => {
                writer.create_element("skipped").with_attribute(("message", &*clean(why))).write_empty()?;
            }
        }
        let said: Vec<_> = case.said.iter().map(|text| clean(text)).collect();
        if !said.is_empty() {
            writer.create_element("system-out").write_text_content(BytesText::new(&said.join("\n")))?;
        }
        Ok(())
    })?;
    Ok(())
}

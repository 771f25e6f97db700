//! The verdict as a JUnit file, which pipelines show as test results: a requirement is a test case, and an unmet one is
//! a failure of its outcome's kind.

use super::line::{RequirementOutcome, Verdict, VerdictLine};
use super::words;
use crate::terminal::lines::clean;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io;

/// The XML document.
///
/// # Errors
/// Never in practice, because it writes to memory.
pub fn junit(verdicts: &[Verdict]) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let totals = |verdicts: &[Verdict]| {
        let tests: usize = verdicts.iter().map(|verdict| verdict.lines.len()).sum();
        let met: usize = verdicts.iter().map(|verdict| verdict.count(RequirementOutcome::Met)).sum();
        let title = verdicts.first().map_or_else(String::new, |verdict| clean(&verdict.title).into_owned());
        [("name", title), ("tests", tests.to_string()), ("failures", (tests - met).to_string())]
    };
    let all = totals(verdicts);
    let all = all.iter().map(|(key, value)| (*key, value.as_str()));
    writer.create_element("testsuites").with_attributes(all).write_inner_content(|writer| {
        verdicts.iter().try_for_each(|verdict| {
            let of_one = totals(std::slice::from_ref(verdict));
            let of_one = of_one.iter().map(|(key, value)| (*key, value.as_str()));
            let suite = writer.create_element("testsuite").with_attributes(of_one);
            suite
                .write_inner_content(|writer| verdict.lines.iter().try_for_each(|line| case(writer, verdict, line)))
                .map(drop)
        })
    })?;
    let mut xml = String::from_utf8(writer.into_inner()).map_err(io::Error::other)?;
    xml.push('\n');
    Ok(xml)
}

fn case(writer: &mut Writer<Vec<u8>>, verdict: &Verdict, line: &VerdictLine) -> io::Result<()> {
    let class = format!("dbdyno.{}", verdict.run);
    let name = clean(&line.title);
    let element = writer.create_element("testcase").with_attributes([("classname", class.as_str()), ("name", &name)]);
    element.write_inner_content(|writer| {
        if line.outcome != RequirementOutcome::Met {
            let message = clean(&sentence(line)).into_owned();
            let attributes = [("message", message.as_str()), ("type", line.outcome.name())];
            writer.create_element("failure").with_attributes(attributes).write_empty()?;
        }
        let mut said: Vec<String> = Vec::new();
        said.extend((line.outcome == RequirementOutcome::Met).then(|| sentence(line)));
        said.extend(line.remarks.iter().cloned());
        said.extend((!verdict.accepted.is_empty()).then(|| format!("accepted: {}", words::accepted(verdict))));
        let said: Vec<_> = said.iter().map(|text| clean(text)).collect();
        if !said.is_empty() {
            writer.create_element("system-out").write_text_content(BytesText::new(&said.join("\n")))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// `missed: T711 tx_per_s is 1,800/s (best of 3: 8 jobs), limit >= 2,000/s, margin -10 %`.
fn sentence(line: &VerdictLine) -> String {
    let (outcome, limit) = (line.outcome.words(), words::limit(line));
    match (&line.figure, &line.reason) {
        (Some(figure), _) => {
            let value = words::figure(line, figure);
            let place = if figure.place.is_empty() { String::new() } else { format!(" ({})", figure.place) };
            format!("{outcome}: {} is {value}{place}, limit {limit}", line.asked)
        }
        (None, reason) => {
            format!("{outcome}: {}, limit {limit}: {}", line.asked, reason.as_deref().unwrap_or_default())
        }
    }
}

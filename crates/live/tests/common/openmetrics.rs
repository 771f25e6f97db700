//! A strict reader of OpenMetrics 1.0, as far as gauges, infos and the quantiles of summaries go.

use std::collections::{BTreeMap, BTreeSet};

/// A sample: its name, labels and value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

#[derive(Default)]
struct Family {
    name: String,
    kind: String,
    unit: Option<String>,
    help: bool,
}

fn is_name(name: &str, more: &[char]) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || more.contains(&c);
    name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit())
}

/// Reads a text; an error names the line.
pub(crate) fn read(text: &str) -> Result<Vec<Sample>, String> {
    let body = text.strip_suffix("# EOF\n").ok_or("the text does not end with # EOF")?;
    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let (mut family, mut samples) = (Family::default(), Vec::new());
    for line in body.split_terminator('\n') {
        let wrong = |why: &str| Err(format!("{why}: {line}"));
        if line.is_empty() || line.contains('\r') || line != line.trim() {
            return wrong("an empty line or stray space");
        }
        if let Some(about) = line.strip_prefix("# ") {
            let mut words = about.splitn(3, ' ');
            let (Some(key), Some(name), Some(rest)) = (words.next(), words.next(), words.next()) else {
                return wrong("a comment");
            };
            if name != family.name {
                if key != "TYPE" || !is_name(name, &[':']) || !names.insert(name.to_owned()) {
                    return wrong("a family that does not begin with its type, or comes twice");
                }
                if !family.name.is_empty() && !samples.iter().any(|s: &Sample| s.name.starts_with(&family.name)) {
                    return wrong("the family before has no sample");
                }
                family = Family { name: name.to_owned(), ..Family::default() };
            }
            match key {
                "TYPE" if family.kind.is_empty() && ["gauge", "info", "summary"].contains(&rest) => {
                    family.kind = rest.to_owned()
                }
                "UNIT" if family.unit.is_none() && name.ends_with(&format!("_{rest}")) && family.kind != "info" => {
                    family.unit = Some(rest.to_owned());
                }
                "HELP" if !family.help => {
                    unescaped(rest, false).map_err(|why| format!("{why}: {line}"))?;
                    family.help = true;
                }
                _ => return wrong("metadata"),
            }
            continue;
        }
        let sample = sample(line).map_err(|why| format!("{why}: {line}"))?;
        let suffix = if family.kind == "info" { "_info" } else { "" };
        if sample.name != format!("{}{suffix}", family.name) {
            return wrong("a sample that is not of the family above it");
        }
        if family.kind == "info" && sample.value.to_bits() != 1.0_f64.to_bits() {
            return wrong("an info is 1");
        }
        let quantile = sample.labels.get("quantile").map(|quantile| quantile.parse::<f64>());
        if (family.kind == "summary") != quantile.is_some_and(|q| q.is_ok_and(|q| (0.0..=1.0).contains(&q))) {
            return wrong("a quantile is that of a summary");
        }
        if !seen.insert((sample.name.clone(), sample.labels.clone())) {
            return wrong("a sample comes twice");
        }
        samples.push(sample);
    }
    Ok(samples)
}

fn sample(line: &str) -> Result<Sample, &'static str> {
    let end = line.find(['{', ' ']).ok_or("no value")?;
    let (name, mut rest) = line.split_at(end);
    if !is_name(name, &[':']) {
        return Err("no name");
    }
    let mut labels = BTreeMap::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            let (key, after) = rest.split_once("=\"").ok_or("no label")?;
            let mut escaped = false;
            let closes = |c: char| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            };
            let close = after.find(closes).ok_or("no end of a label")?;
            let value = unescaped(&after[..close], true)?;
            if !is_name(key, &[]) || value.is_empty() || labels.insert(key.to_owned(), value).is_some() {
                return Err("a label that is empty, twice, or has no name");
            }
            rest = &after[close + 1..];
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        rest = rest.strip_prefix('}').ok_or("no }")?;
    }
    let value = rest.strip_prefix(' ').ok_or("no space before the value")?;
    let value = value.parse().map_err(|_| "no number, or something after it")?;
    Ok(Sample { name: name.to_owned(), labels, value })
}

fn unescaped(text: &str, quoted: bool) -> Result<String, &'static str> {
    let (mut out, mut all) = (String::new(), text.chars());
    while let Some(c) = all.next() {
        match c {
            '\\' => out.push(match all.next() {
                Some('\\') => '\\',
                Some('"') => '"',
                Some('n') => '\n',
                _ => return Err("an unknown escape"),
            }),
            '"' if quoted => return Err("a bare quote"),
            c => out.push(c),
        }
    }
    Ok(out)
}

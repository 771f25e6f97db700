//! What the storage itself can do, and which share of it a database uses: what text and page both show.

use crate::figures::Figure;
use crate::numbers::{MISSING, duration, percent, thousands};
use crate::summary::figure::find;
use crate::summary::lines::{Line, SECTIONS};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{ChosenBy, Limit, RunJson, SameDevice, StorageLimits, StorageReference};

/// What shares are called.
pub(crate) const SHARES: &str = "Share of what the storage can do";

type Of = fn(&StorageLimits) -> Option<&Limit>;

/// Lines of the summary that have a limit: the line's name, its limit, the limit's unit.
const LIMITS: [(&str, Of, &str); 4] = [
    ("Sequential read", |l| l.sequential_read_mib_per_s.as_ref(), "MiB/s"),
    ("Sequential write", |l| l.sequential_write_mib_per_s.as_ref(), "MiB/s"),
    ("Random read", |l| l.random_read_iops.as_ref(), "IOPS"),
    ("Random write", |l| l.random_write_iops.as_ref(), "IOPS"),
];

type Time = fn(&StorageLimits) -> Option<f64>;

/// Times of a single small I/O, and the line whose time of one operation stands beside it.
const TIMES: [(&str, Time, &str); 2] = [
    ("One read at a time", |l| l.read_service_time_s, "Random read"),
    ("One write at a time", |l| l.write_service_time_s, "Random write"),
];

/// One limit of a storage run, in words.
pub(crate) struct LimitLine {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) value: String,
    /// I/Os outstanding.
    pub(crate) outstanding: String,
    /// Mean time of an I/O there.
    pub(crate) time: String,
}

/// The limits that are known, in words.
pub(crate) fn limits(limits: &StorageLimits) -> Vec<LimitLine> {
    let rates = LIMITS.iter().filter_map(|(name, of, unit)| {
        let Limit { value, outstanding, service_time_s } = of(limits)?;
        let (value, outstanding) = (thousands(*value), outstanding.to_string());
        Some(LimitLine { name, unit, value, outstanding, time: duration(*service_time_s) })
    });
    let times = TIMES.iter().filter_map(|(name, of, _)| {
        let time_s = of(limits)?;
        Some(LimitLine { name, unit: "", value: duration(time_s), outstanding: "1".to_owned(), time: String::new() })
    });
    rates.chain(times).collect()
}

/// One line of the shares.
pub(crate) struct Share {
    pub(crate) name: &'static str,
    pub(crate) test: String,
    pub(crate) unit: &'static str,
    pub(crate) database: String,
    pub(crate) storage: String,
    /// I/Os that were outstanding when the storage reached it.
    pub(crate) outstanding: String,
    pub(crate) share: String,
}

/// What can be said of a run's shares.
pub(crate) struct Shares {
    /// Of which reference they are.
    pub(crate) lead: String,
    /// None where the reference is of another device.
    pub(crate) lines: Vec<Share>,
    /// What a reader must know besides.
    pub(crate) note: Option<String>,
}

/// The shares of a run; nothing where its storage lines have no figures anyway.
pub(crate) fn shares(run: &RunJson, catalogue: &Catalogue) -> Option<Shares> {
    if run.published.is_some() || run.is_of_storage() {
        return None;
    }
    let line = |name: &str| SECTIONS.iter().flat_map(|s| s.lines).find(|line| line.name == name);
    let found: Vec<_> =
        LIMITS.iter().filter_map(|(name, ..)| line(name)).map(|l| (l, find(l, run, catalogue))).collect();
    if !found.iter().any(|(_, f)| f.is_measured()) {
        return None;
    }
    let Some(reference) = &run.storage_reference else {
        let lead = "not known, as that was not measured here".to_owned();
        return Some(Shares { lead, lines: Vec::new(), note: Some(HOW_TO.to_owned()) });
    };
    let lead = format!("by {}", which(reference));
    if let SameDevice::No { measured, database } = &reference.same_device {
        let note = format!(
            "It says nothing of this database, whose files are on {}: it measured {}. {}",
            database.join(", "),
            measured.join(", "),
            HOW_TO
        );
        return Some(Shares { lead, lines: Vec::new(), note: Some(note) });
    }
    let note = (reference.same_device == SameDevice::NotKnown).then(|| {
        "Whether both are of the same device is not known here: the system does not tell what lies below.".to_owned()
    });
    let rates = found.iter().zip(&LIMITS).map(|((line, found), (_, of, unit))| {
        let best = found.throughput();
        let limit = of(&reference.limits);
        let comparable = best.filter(|f| !f.is_doubtful()).zip(limit.filter(|l| l.value > 0.0));
        Share {
            name: line.name,
            test: found.test.clone(),
            unit,
            database: value(best, |f| thousands(f.value())),
            storage: limit.map_or_else(|| MISSING.to_owned(), |l| thousands(l.value)),
            outstanding: limit.map_or_else(String::new, |l| l.outstanding.to_string()),
            share: comparable.map_or_else(|| MISSING.to_owned(), |(f, l)| percent(f.value() / l.value * 100.0)),
        }
    });
    let times = TIMES.iter().filter_map(|(name, of, beside)| {
        let storage = duration(of(&reference.limits)?);
        let (line, found): &(&Line, _) = found.iter().find(|(line, _)| line.name == *beside)?;
        let time = |f: &Figure<'_>| duration(line.time.and_then(|metric| f.median_of(metric)));
        let (test, database) = (found.test.clone(), value(found.speed(), time));
        Some(Share { name, test, unit: "", database, storage, outstanding: "1".to_owned(), share: String::new() })
    });
    Some(Shares { lead, lines: rates.chain(times).collect(), note })
}

fn value(figure: Option<&Figure<'_>>, text: impl Fn(&Figure<'_>) -> String) -> String {
    figure.map_or_else(
        || MISSING.to_owned(),
        |f| match (f.is_doubtful(), text(f)) {
            (true, text) if text != MISSING => format!("({text})"),
            (_, text) => text,
        },
    )
}

fn which(reference: &StorageReference) -> String {
    let StorageReference { run, started_at, paths, chosen_by, .. } = reference;
    let why = match chosen_by {
        ChosenBy::Label => "it has the same label",
        ChosenBy::Host => "the newest of this host",
    };
    format!("reference run {run} of {} on {paths} ({why})", started_at.strftime("%Y-%m-%d %H:%M UTC"))
}

/// The command that measures a reference.
const HOW_TO: &str = "`dbdyno orion --reference --file FILE` measures it in a minute, on the file system of the database's files, best \
                      with the same --label.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_stands_beside_a_line_of_the_summary() {
        let names: Vec<&str> = SECTIONS.iter().flat_map(|s| s.lines).map(|line| line.name).collect();
        for name in LIMITS.iter().map(|(name, ..)| name).chain(TIMES.iter().map(|(.., line)| line)) {
            assert!(names.contains(name), "{name}");
        }
    }
}

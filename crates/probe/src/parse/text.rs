//! Short texts of one value or a few.

use crate::names::{NAMES, name_in};

/// The value of a `name: value`, `name : value` or `name=value` line.
pub(crate) fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?.trim_start();
        rest.strip_prefix([':', '=']).map(str::trim)
    })
}

/// A value in kB (`MemTotal:  16 kB`), in bytes.
pub(crate) fn kilobytes(text: &str, name: &str) -> Option<u64> {
    value(text, name)?.strip_suffix("kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

/// The active choice in a list such as `always [madvise] never`; a single word is active.
pub(crate) fn chosen(text: &str) -> Option<&str> {
    let text = text.trim();
    match text.split_once('[') {
        Some((_, rest)) => rest.split_once(']').map(|(word, _)| word),
        None => (!text.is_empty() && !text.contains(char::is_whitespace)).then_some(text),
    }
}

/// A value of os-release, without its quotes.
pub(crate) fn os_release<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    value(text, name).map(|v| v.trim_matches(['"', '\''])).filter(|v| !v.is_empty())
}

/// The container runtime that a control-group path shows, in either version of control groups.
pub(crate) fn container_of_cgroup(text: &str) -> Option<&'static str> {
    // Only scopes and slices of a runtime mark a container; docker.service is the daemon itself.
    let paths = text.lines().filter_map(|l| l.splitn(3, ':').nth(2)).filter(|p| !p.ends_with(".service"));
    let paths: Vec<&str> = paths.collect();
    name_in(&NAMES.containers, &paths)
}

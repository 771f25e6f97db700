//! Short texts of one value or a few.

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

/// The number of items in a list such as `0-3,8`.
pub(crate) fn list_length(text: &str) -> Option<u32> {
    text.trim().split(',').try_fold(0u32, |sum, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// A value of os-release, without its quotes.
pub(crate) fn os_release<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    value(text, name).map(|v| v.trim_matches(['"', '\''])).filter(|v| !v.is_empty())
}

/// The container runtime that a control-group path shows, in either version of control groups.
pub(crate) fn container_of_cgroup(text: &str) -> Option<&'static str> {
    const MARKS: [(&str, &str); 6] = [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("crio", "cri-o"),
        ("containerd", "containerd"),
        ("lxc", "lxc"),
    ];
    // Only scopes and slices of a runtime mark a container; docker.service is the daemon itself.
    let paths = text.lines().filter_map(|l| l.splitn(3, ':').nth(2)).filter(|p| !p.ends_with(".service"));
    let paths: Vec<&str> = paths.collect();
    MARKS.iter().find(|(mark, _)| paths.iter().any(|p| p.contains(mark))).map(|(_, name)| *name)
}

//! Settings of a size class as an engine's file has them: its own format, with `{placeholders}` for what depends on the
//! size. A line that begins with `{14-} ` is for versions from 14 on, one that begins with `{-10} ` for those up to 10.

/// The text for a version, with these values in the places of the placeholders.
#[must_use]
pub fn fill(template: &str, version: &str, values: &[(&str, String)]) -> String {
    let digits = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    let major: u32 = version[..digits].parse().unwrap_or(0);
    let mut text: String =
        template.lines().filter_map(|line| of_version(line, major)).flat_map(|l| [l, "\n"]).collect();
    for (name, value) in values {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    text
}

/// A line without its range of versions; none where it is not for this one.
fn of_version(line: &str, major: u32) -> Option<&str> {
    let range = line.strip_prefix('{').and_then(|rest| rest.split_once("} "));
    let Some(((first, last), rest)) = range.and_then(|(range, rest)| Some((range.split_once('-')?, rest))) else {
        return Some(line);
    };
    let fits = first.parse().unwrap_or(0) <= major && major <= last.parse().unwrap_or(u32::MAX);
    fits.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_for_their_versions_and_placeholders_are_filled() {
        let template = "# {a} and {b}\n{14-} new = {a}\n{-13} old = {b}\n{12-13} between\n";
        let filled = |version| fill(template, version, &[("a", "1".to_owned()), ("b", "{a}".to_owned())]);
        assert_eq!(filled("15.18"), "# 1 and {a}\nnew = 1\n");
        assert_eq!(filled("13.0"), "# 1 and {a}\nold = {a}\nbetween\n");
        assert_eq!(filled("9.6"), "# 1 and {a}\nold = {a}\n");
    }
}

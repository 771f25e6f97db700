//! How a command line could go on, from the definition that the help is made of too. A shell asks for this while
//! somebody types, so nothing is changed, and whatever goes wrong means that nothing is offered.

use super::candidates::with_candidates;
use super::orion;
use clap::Command;
use clap_complete::engine::{CompletionCandidate, complete};
use std::ffi::OsString;

/// The words that could stand in place of the last one. Each is a line, with what it is behind a tab.
pub(crate) fn completed(root: Command, words: Vec<OsString>) -> Vec<String> {
    let mut words: Vec<OsString> = words.iter().map(|word| unquoted(&word.to_string_lossy()).into()).collect();
    let Some(mut current) = words.pop() else { return Vec::new() };
    let typed = current.to_string_lossy().into_owned();
    let is_option = typed.starts_with('-');
    // ORION's names have one dash; the definition knows two.
    let one_dash = orion::is_named(&words) && is_option && !typed.starts_with("--");
    if orion::is_named(&words) {
        words = orion::translated_so_far(words, &root);
    }
    if one_dash {
        current = format!("-{typed}").into();
    }
    let mut root = with_candidates(root, &words);
    words.push(current);
    let (index, folder) = (words.len() - 1, std::env::current_dir().ok());
    let Ok(found) = complete(&mut root, words, index, folder.as_deref()) else { return Vec::new() };
    let looks_like_option = |candidate: &CompletionCandidate| candidate.get_value().to_string_lossy().starts_with('-');
    // Options would hide the few names that an empty word can become.
    let are_options_asked = is_option || found.iter().all(looks_like_option);
    let offered = found.iter().filter(|candidate| are_options_asked || !looks_like_option(candidate));
    offered.filter_map(|candidate| line(candidate, one_dash)).collect()
}

/// A word as it is meant: shells give it as it is typed, and the last quote may still be open.
fn unquoted(typed: &str) -> String {
    let (mut meant, mut quote, mut rest) = (String::new(), None, typed.chars());
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (_, Some(open)) if open == c => quote = None,
            ('\\', None | Some('"')) => meant.extend(rest.next()),
            _ => meant.push(c),
        }
    }
    meant
}

/// A candidate as a line; none where it holds characters that a line or a terminal does not stand.
fn line(candidate: &CompletionCandidate, one_dash: bool) -> Option<String> {
    let value = candidate.get_value().to_str()?;
    let value =
        if one_dash { value.strip_prefix('-').filter(|name| name.starts_with('-')).unwrap_or(value) } else { value };
    if value.is_empty() || value.chars().any(dbdyno_report::steers) {
        return None;
    }
    let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
    let help: String = help.lines().next().unwrap_or_default().chars().filter(|c| !dbdyno_report::steers(*c)).collect();
    Some(if help.is_empty() { value.to_owned() } else { format!("{value}\t{help}") })
}

#[cfg(test)]
mod tests {
    use super::super::definition;
    use super::*;

    fn values(line: &str) -> Vec<String> {
        let words = line.split(' ').map(OsString::from).collect();
        let lines = completed(definition(), words);
        lines.iter().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn names_of_the_catalogue_are_completed() {
        assert_eq!(values("dbdyno ru"), ["run"]);
        assert_eq!(values("dbdyno run qui"), ["quick"]);
        assert_eq!(values("dbdyno run T611 T71"), values("dbdyno show last --test T71"));
        assert!(values("dbdyno run T611 T71").contains(&"T711".to_owned()));
        assert_eq!(values("dbdyno compare last --test T611,T621,T71")[0], "T611,T621,T711");
        assert_eq!(values("dbdyno load tp"), ["tpcb"]);
        assert_eq!(values("dbdyno run --size V"), ["VL"]);
        assert_eq!(values("dbdyno list --engine sq"), ["sqlite"]);
        assert!(
            values("dbdyno up ").contains(&"postgres".to_owned())
                && !values("dbdyno up ").contains(&"sqlite".to_owned())
        );
        assert_eq!(values("dbdyno run --target private:p"), ["private:postgres"]);
        assert!(values("dbdyno run --target ").contains(&"sqlite:".to_owned()));
        assert_eq!(values("dbdyno compare last hp_dl9"), ["hp_dl980_violin_2012"]);
        assert_eq!(values("dbdyno run --drive c"), ["client"]);
        assert_eq!(values("dbdyno completions "), ["bash", "zsh", "fish"]);
    }

    #[test]
    fn options_are_offered_when_a_dash_asks_for_them() {
        assert!(values("dbdyno run ").iter().all(|value| !value.starts_with('-')));
        assert_eq!(values("dbdyno run --dry"), ["--dry-run"]);
        assert_eq!(values("dbdyno orion -num_st"), ["-num_streamIO"]);
        assert_eq!(values("dbdyno orion --num_st"), ["--num_streamIO"]);
        assert_eq!(values("dbdyno orion -run ol"), ["oltp"]);
        assert_eq!(values("dbdyno orion -num_disks 4 -matrix de"), ["detailed"]);
    }

    #[test]
    fn words_are_read_as_a_shell_means_them() {
        for (typed, meant) in [
            ("'T6*'", "T6*"),
            ("'aft", "aft"),
            ("after\\ the", "after the"),
            ("\"it's\"", "it's"),
            ("a\\", "a"),
            ("", ""),
        ] {
            assert_eq!(unquoted(typed), meant);
        }
        assert_eq!(values("dbdyno run 'qui"), ["quick"]);
    }

    #[test]
    fn nonsense_is_answered_with_nothing() {
        assert_eq!(completed(definition(), Vec::new()), Vec::<String>::new());
        for line in ["dbdyno run --target nothing:", "dbdyno orion -zz"] {
            assert_eq!(values(line), Vec::<String>::new(), "{line}");
        }
    }
}

//! The commands by what they are for: the short help describes those that everybody needs and names the others, the
//! long help describes all.

use clap::Command;

/// What commands are for, and their names. The first group is what a reader needs first.
pub(super) const GROUPS: [(&str, &[&str]); 6] = [
    ("Commands", &["run", "resume", "show", "report", "compare", "verdict", "list", "check"]),
    ("Other ways to measure", &["pair", "orion", "durability", "accept", "agent", "fleet", "k8s"]),
    ("Watching", &["monitor", "replay", "headroom"]),
    ("Results", &["trend", "describe", "note", "export", "import", "site"]),
    ("Tables and servers", &["load", "drop", "sql", "up", "down"]),
    ("Help", &["completions", "help"]),
];

const NAME_COLUMNS: usize = 13;
const GROUP_COLUMNS: usize = 25;

/// The root command, with help that shows its subcommands by groups.
pub(super) fn grouped(root: Command) -> Command {
    let mut built = root.clone();
    built.build();
    let [first, others @ ..] = &GROUPS;
    let named = |(group, names): &(&str, &[&str])| format!("  {group:<GROUP_COLUMNS$}{}\n", names.join(", "));
    let short = format!(
        "{}\nMore, described by --help:\n{}",
        described(&built, first),
        others.iter().map(named).collect::<String>()
    );
    let long: Vec<String> = GROUPS.iter().map(|group| described(&built, group)).collect();
    root.before_help(short)
        .before_long_help(long.join("\n"))
        .help_template("{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}")
}

/// A group with a line for each of its commands.
fn described(root: &Command, (group, names): &(&str, &[&str])) -> String {
    let line = |name: &&str| {
        let about = root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
        format!("  {name:<NAME_COLUMNS$}{}\n", about.unwrap_or_default())
    };
    format!("{group}:\n{}", names.iter().map(line).collect::<String>())
}

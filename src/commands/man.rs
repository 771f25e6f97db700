//! `dbdyno man`: the manual, a page for each command, made of the definitions that the help is made of. For packages.

use crate::cli::{self, ManArgs, ORION_HELP};
use crate::error::Error;
use crate::output;
use clap::{Arg, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;

/// The manual's name, in the head of each page.
const MANUAL: &str = "dbdyno";
/// The variable by which packages say of when what they build is, so that it is the same each time.
const EPOCH: &str = "SOURCE_DATE_EPOCH";

pub(super) fn man(args: &ManArgs) -> Result<(), Error> {
    let folder = &args.output;
    std::fs::create_dir_all(folder)
        .map_err(|e| Error::Usage(format!("cannot make the folder {}: {e}; name another", folder.display())))?;
    let pages = pages(&date()?).map_err(|e| Error::Internal(format!("no manual: {e}")))?;
    for (name, text) in &pages {
        output::write(&folder.join(name), text)?;
    }
    output::line(&format!("{} pages in {}", pages.len(), folder.display()))
}

/// The day that stands on the pages.
fn date() -> Result<String, Error> {
    let at = match std::env::var(EPOCH) {
        Ok(seconds) => {
            seconds.parse().ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok()).ok_or_else(|| {
                Error::Usage(format!("{EPOCH} is '{seconds}', and no time; write the seconds since 1970 or unset it"))
            })?
        }
        Err(_) => jiff::Timestamp::now(),
    };
    Ok(at.strftime("%Y-%m-%d").to_string())
}

/// Every page: the name of its file, and its text.
fn pages(date: &str) -> io::Result<Vec<(String, String)>> {
    let mut root = cli::definition()
        .disable_help_subcommand(true)
        .mut_args(in_one_paragraph)
        .mut_subcommands(|command| command.mut_args(in_one_paragraph));
    root.build();
    let commands: Vec<Command> = root.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let names: Vec<String> =
        std::iter::once(&root).chain(&commands).map(|command| Man::new(command.clone()).get_filename()).collect();
    std::iter::once(&root)
        .chain(&commands)
        .zip(&names)
        .map(|(command, name)| Ok((name.clone(), page(command, name, &names, date)?)))
        .collect()
}

/// A paragraph's end cannot be written within an option's text. What the short help leaves out must have a long one.
fn in_one_paragraph(arg: Arg) -> Arg {
    let Some(help) = arg.get_long_help().or(arg.get_help()).map(ToString::to_string) else { return arg };
    let paragraphs = help.split("\n\n").map(|paragraph| {
        let paragraph = paragraph.trim().replace('\n', " ");
        if paragraph.ends_with(['.', ':', ';']) { paragraph } else { format!("{paragraph}.") }
    });
    arg.long_help(paragraphs.collect::<Vec<_>>().join(" "))
}

fn page(command: &Command, name: &str, names: &[String], date: &str) -> io::Result<String> {
    let man = Man::new(command.clone());
    let man = man.date(date).source(format!("dbdyno {}", env!("CARGO_PKG_VERSION"))).manual(MANUAL);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    // ORION's options are explained in its own style.
    if command.get_name() == "orion" {
        as_it_stands("DESCRIPTION", ORION_HELP.lines()).to_writer(&mut page)?;
    } else {
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        if command.get_subcommands().any(|command| !command.is_hide_set()) {
            man.render_subcommands_section(&mut page)?;
        }
        let more = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
        for (title, lines) in sections(more.as_deref().unwrap_or_default()) {
            as_it_stands(&title, lines.into_iter()).to_writer(&mut page)?;
        }
    }
    see_also(name, names).to_writer(&mut page)?;
    // Before lists of values there are two line breaks and an empty line, of which checkers complain.
    Ok(String::from_utf8_lossy(&page).replace(".br\n\n.br\n", ".sp\n"))
}

/// What stands below the options: titles, each with indented lines.
fn sections(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut sections: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("  "), sections.last_mut()) {
            (Some(inner), Some((_, lines))) => lines.push(inner),
            (None, _) if !line.is_empty() => sections.push((line.trim_end_matches(':').to_uppercase(), Vec::new())),
            _ => {}
        }
    }
    sections
}

fn as_it_stands<'t>(title: &str, lines: impl Iterator<Item = &'t str>) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]).control("nf", []);
    for line in lines {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff
}

/// The other pages.
fn see_also(name: &str, names: &[String]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    let others: Vec<&String> = names.iter().filter(|other| *other != name).collect();
    let mut line = Vec::new();
    for (n, other) in others.iter().enumerate() {
        let title = other.trim_end_matches(".1");
        line.push(bold(title));
        line.push(roman(if n + 1 < others.len() { "(1), " } else { "(1)" }));
    }
    roff.text(line);
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_its_examples() {
        let pages = pages("2026-11-25").unwrap();
        assert!(pages.len() >= 19, "{}", pages.len());
        for (name, text) in &pages {
            let command = name.trim_end_matches(".1").replacen('-', " ", 1);
            assert!(text.contains("2026\\-11\\-25") || text.contains("2026-11-25"), "{name}: {text}");
            let plain = text.replace("\\-", "-");
            let example = if name == "dbdyno.1" { "dbdyno run" } else { &command };
            assert!(plain.contains(example) && plain.to_uppercase().contains("EXAMPLE"), "{name}: {text}");
            assert!(plain.contains("SEE ALSO"), "{name}");
        }
        assert!(!pages.iter().any(|(name, _)| name == "dbdyno-complete.1"), "hidden commands have none");
    }

    #[test]
    fn titles_take_the_lines_below() {
        let text = "Examples:\n  a\n    b\n\nExit codes:\n  0  done\n";
        let expected = [("EXAMPLES".to_owned(), vec!["a", "  b"]), ("EXIT CODES".to_owned(), vec!["0  done"])];
        assert_eq!(sections(text), expected);
    }
}

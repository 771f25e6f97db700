//! What stands in `tnsnames.ora` under an alias. The driver reads such files, too, but swallows the first letter of
//! whatever follows a line of comment.

use std::path::{Path, PathBuf};

/// Files may name others (IFILE), not themselves.
const DEEPEST: u32 = 8;

/// The text under an alias, in whatever case that is written. `folder` is that of the target, or else of the
/// environment.
///
/// # Errors
/// There is no such file, or nothing of that name in it.
pub(super) fn find(alias: &str, folder: Option<&str>) -> Result<String, String> {
    let folder = folder
        .map(PathBuf::from)
        .or_else(of_environment)
        .ok_or("neither TNS_ADMIN nor ORACLE_HOME says where tnsnames.ora is; name its folder: tns_admin=FOLDER")?;
    let file = folder.join("tnsnames.ora");
    let mut names = Vec::new();
    let found = in_file(&file, &folder, alias, &mut names, 0)?;
    found.ok_or_else(|| {
        let distance =
            |name: &String| strsim::damerau_levenshtein(&name.to_ascii_lowercase(), &alias.to_ascii_lowercase());
        let near = names.iter().min_by_key(|name| distance(name)).filter(|name| distance(name) <= 3);
        let hint = near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
        format!("there is no alias '{alias}' in {}{hint}", file.display())
    })
}

fn of_environment() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    folder("TNS_ADMIN").or_else(|| folder("ORACLE_HOME").map(|home| home.join("network/admin")))
}

/// Looks in a file, and in those that it names; `names` are the aliases that were seen. The last of a name counts.
fn in_file(
    path: &Path,
    folder: &Path,
    alias: &str,
    names: &mut Vec<String>,
    depth: u32,
) -> Result<Option<String>, String> {
    let bytes = dbdyno_files::read(path, dbdyno_files::TEXT_BYTES);
    let bytes = bytes.map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let mut found = None;
    for (left, value) in entries(&without_comments(&String::from_utf8_lossy(&bytes))) {
        if left.eq_ignore_ascii_case("ifile") && depth < DEEPEST {
            found = in_file(&folder.join(value), folder, alias, names, depth + 1)?.or(found);
            continue;
        }
        let all = left.split(',').map(str::trim);
        if all.clone().any(|name| name.eq_ignore_ascii_case(alias)) {
            found = Some(value);
        }
        names.extend(all.map(str::to_owned));
    }
    Ok(found)
}

/// The same without what stands behind a `#` that begins a line or a word.
fn without_comments(text: &str) -> String {
    let bare = |line: &str| {
        let mut before = ' ';
        let begins = |(_, c): &(usize, char)| {
            let begins = *c == '#' && (before.is_whitespace() || before == ')');
            before = *c;
            begins
        };
        let end = line.char_indices().find(begins).map_or(line.len(), |(at, _)| at);
        line[..end].to_owned() + "\n"
    };
    text.lines().map(bare).collect()
}

/// What stands on both sides of each `=` that is in no parenthesis. A value is what its parentheses hold, or a line.
fn entries(text: &str) -> Vec<(String, String)> {
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some((left, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let mut depth = 0_u32;
        let last = after.char_indices().find(|(_, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && (*c == ')' || *c == '\n')
        });
        let end = last.map_or(after.len(), |(at, c)| at + c.len_utf8());
        all.push((left.trim().to_owned(), after[..end].trim().to_owned()));
        rest = &after[end..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn entries_are_found_among_comments_and_in_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "tnsnames.ora",
            "# ours\nSALES, sales.world = # both\n  (DESCRIPTION=\n # not (this\n (A=b#c))\nEZ=db1/x\nIFILE=more.ora\n",
        );
        write("more.ora", "hr = (DESCRIPTION = (A = 2))\nIFILE = more.ora\n");
        let find = |alias| find(alias, folder.path().to_str());
        let lines = |alias| find(alias).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(lines("Sales.World"), Ok("(DESCRIPTION= (A=b#c))".to_owned()));
        assert_eq!((lines("ez"), lines("HR")), (Ok("db1/x".to_owned()), Ok("(DESCRIPTION = (A = 2))".to_owned())));
        assert!(find("sals").unwrap_err().contains("(did you mean 'SALES'?)"));
        write("more.ora", "IFILE = nowhere.ora\n");
        assert!(find("sales").unwrap_err().contains("nowhere.ora cannot be read"));
    }

    proptest! {
        #[test]
        fn no_file_stops_us_short(text in "[a#=() \\nä,\"]{0,60}") {
            _ = entries(&without_comments(&text));
        }
    }
}

//! Finds files of a room that import each other in a circle.
//!
//! Paths are read from the tokens of each file. A name that a module re-exports leads to the file that defines it, so a
//! module that only re-exports its children imports nothing. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Names = Vec<String>;

/// What a name of a module stands for.
enum Named {
    Here,
    Imported(Names),
}

struct Module {
    file: PathBuf,
    tokens: Names,
    named: BTreeMap<String, Named>,
    globs: Vec<Names>,
    imports: Vec<Names>,
}

/// The modules of a room, by their paths.
struct Room(BTreeMap<Names, Module>);

/// The circles among the files of the room with this root file: the files of each, and what each imports of the others.
pub(crate) fn circles(root: &Path) -> Vec<BTreeMap<PathBuf, BTreeSet<PathBuf>>> {
    let mut room = Room(BTreeMap::new());
    room.read(Vec::new(), root, root.parent().unwrap());
    let paths: Vec<Names> = room.0.keys().cloned().collect();
    for path in &paths {
        room.find_names(path);
    }
    let mut imports: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for path in &paths {
        let file = &room.0[path].file;
        let imported = room.used(path).into_iter().filter_map(|used| room.file_of(&used, 0)).filter(|of| of != file);
        imports.entry(file.clone()).or_default().extend(imported);
    }
    let reached: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        imports.keys().map(|file| (file, reachable(file, &imports))).collect();
    let mut circles = Vec::new();
    let mut seen = BTreeSet::new();
    for (file, others) in &reached {
        let circle: BTreeSet<&PathBuf> =
            others.iter().copied().filter(|other| reached.get(other).is_some_and(|r| r.contains(file))).collect();
        if circle.contains(file) && seen.insert(circle.clone()) {
            let inside = |file: &PathBuf| imports[file].iter().filter(|i| circle.contains(i)).cloned().collect();
            circles.push(circle.iter().map(|file| ((*file).clone(), inside(file))).collect());
        }
    }
    circles
}

fn reachable<'i>(from: &PathBuf, imports: &'i BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> BTreeSet<&'i PathBuf> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&PathBuf> = imports[from].iter().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(imports.get(file).into_iter().flatten());
        }
    }
    reached
}

impl Room {
    /// Reads a module's file, and those of its children.
    fn read(&mut self, path: Names, file: &Path, folder: &Path) {
        let tokens = without_tests(tokens(&std::fs::read_to_string(file).unwrap()));
        for at in 0..tokens.len().saturating_sub(2) {
            if tokens[at] == "mod" && tokens[at + 2] == ";" {
                let name = &tokens[at + 1];
                let files = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
                if let Some(child) = files.iter().find(|file| file.exists()) {
                    self.read([&path[..], std::slice::from_ref(name)].concat(), child, &folder.join(name));
                }
            }
        }
        let module =
            Module { file: file.to_owned(), tokens, named: BTreeMap::new(), globs: Vec::new(), imports: Vec::new() };
        self.0.insert(path, module);
    }

    /// Finds what the names of a module stand for. Names of inline modules count as names of the file.
    fn find_names(&mut self, path: &Names) {
        let tokens = self.0[path].tokens.clone();
        let (mut named, mut globs, mut imports) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (mut depth, mut inline) = (0_u32, Vec::new());
        let mut at = 0;
        while at < tokens.len() {
            match tokens[at].as_str() {
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    inline.retain(|begun| *begun < depth + 1);
                }
                "mod" if tokens.get(at + 2).is_some_and(|next| next == "{") => inline.push(depth + 1),
                "use" if is_import(&tokens[at..]) => {
                    let public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
                    let end = at + tokens[at..].iter().position(|token| token == ";").unwrap();
                    for (mut used, alias) in tree(&tokens[at + 1..end]) {
                        if !inline.is_empty() && used[0] == "super" {
                            used[0] = "self".to_owned();
                        }
                        let Some(mut used) = self.absolute(&used, path) else { continue };
                        if used.last().is_some_and(|last| last == "self") {
                            used.pop();
                        }
                        let name = alias.or_else(|| used.last().cloned()).unwrap_or_default();
                        let mentions = tokens.iter().enumerate().filter(|(n, t)| **t == name && !(at..end).contains(n));
                        if !public || (name != "*" && mentions.count() > 0) {
                            imports.push(used.clone());
                        }
                        if name == "*" {
                            globs.push(used[..used.len() - 1].to_vec());
                        } else {
                            named.entry(name).or_insert(Named::Imported(used));
                        }
                    }
                    at = end;
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" => {
                    if let Some(name) = tokens.get(at + 1).filter(|name| is_name(name)) {
                        named.insert(name.clone(), Named::Here);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        let module = self.0.get_mut(path).unwrap();
        (module.named, module.globs, module.imports) = (named, globs, imports);
    }

    /// The absolute paths that a module uses, in `use` and elsewhere.
    fn used(&self, path: &Names) -> Vec<Names> {
        let module = &self.0[path];
        let (mut used, mut at) = (module.imports.clone(), 0);
        let tokens = &module.tokens;
        while at < tokens.len() {
            if is_import(&tokens[at..]) {
                at += tokens[at..].iter().position(|token| token == ";").unwrap();
            } else if is_name(&tokens[at]) && tokens.get(at + 1).is_some_and(|next| next == "::") {
                let mut names = vec![tokens[at].clone()];
                while tokens.get(at + 1).is_some_and(|next| next == "::")
                    && tokens.get(at + 2).is_some_and(|next| is_name(next))
                {
                    names.push(tokens[at + 2].clone());
                    at += 2;
                }
                match module.named.get(&names[0]) {
                    Some(Named::Imported(of)) => used.push([&of[..], &names[1..]].concat()),
                    Some(Named::Here) => {}
                    None => used.extend(self.absolute(&names, path)),
                }
            }
            at += 1;
        }
        used
    }

    /// A path from the root of the room; `None` for one that leads out of it.
    fn absolute(&self, used: &[String], module: &Names) -> Option<Names> {
        let mut from = module.clone();
        match used[0].as_str() {
            "crate" => Some(used[1..].to_vec()),
            "self" | "super" => {
                let above = used.iter().take_while(|name| *name == "self" || *name == "super").count();
                for _ in used[..above].iter().filter(|name| *name == "super") {
                    from.pop();
                }
                Some([&from[..], &used[above..]].concat())
            }
            first => {
                from.push(first.to_owned());
                self.0.contains_key(&from).then(|| [&from[..], &used[1..]].concat())
            }
        }
    }

    /// The file that defines what a path leads to. Re-exports are followed.
    fn file_of(&self, path: &[String], followed: u32) -> Option<PathBuf> {
        let path = path.strip_suffix(&["*".to_owned()]).unwrap_or(path);
        let modules = (0..=path.len()).rev().find(|n| self.0.contains_key(&path[..*n]))?;
        let (module, rest) = (&self.0[&path[..modules]], &path[modules..]);
        let Some(name) = rest.first().filter(|_| followed < 10) else { return Some(module.file.clone()) };
        match module.named.get(name) {
            Some(Named::Here) => Some(module.file.clone()),
            Some(Named::Imported(of)) => self.file_of(&[&of[..], &rest[1..]].concat(), followed + 1),
            None => {
                let has = |glob: &&Names| self.0.get(*glob).is_some_and(|module| module.named.contains_key(name));
                match module.globs.iter().find(has) {
                    Some(glob) => self.file_of(&[&glob[..], rest].concat(), followed + 1),
                    None => Some(module.file.clone()),
                }
            }
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether these tokens begin with an import, not with the `use<'a>` of a type or an element of a page.
fn is_import(tokens: &[String]) -> bool {
    let follows = |n: usize, signs: &[&str]| tokens.get(n).is_some_and(|token| signs.contains(&token.as_str()));
    tokens[0] == "use" && (follows(1, &["{"]) || follows(2, &["::", ";", "as"]))
}

/// The paths of a `use`, each with its new name if it has one.
fn tree(tokens: &[String]) -> Vec<(Names, Option<String>)> {
    let is_sign = |token: &&String| ["::", "{", "}", ",", "as"].contains(&token.as_str());
    let Some(open) = tokens.iter().position(|token| token == "{") else {
        let alias = tokens.iter().position(|token| token == "as");
        let names: Names = tokens[..alias.unwrap_or(tokens.len())].iter().filter(|t| !is_sign(t)).cloned().collect();
        let alias = alias.and_then(|at| tokens.get(at + 1).cloned());
        return if names.is_empty() { Vec::new() } else { vec![(names, alias)] };
    };
    let before: Names = tokens[..open].iter().filter(|token| !is_sign(token)).cloned().collect();
    let close = tokens.iter().rposition(|token| token == "}").unwrap();
    let (mut all, mut depth, mut begun) = (Vec::new(), 0_u32, open + 1);
    for at in open + 1..=close {
        match tokens[at].as_str() {
            "{" => depth += 1,
            "}" if at < close => depth -= 1,
            "," if depth > 0 => {}
            "," | "}" => {
                let inner = tree(&tokens[begun..at]).into_iter();
                all.extend(inner.map(|(names, alias)| ([&before[..], &names[..]].concat(), alias)));
                begun = at + 1;
            }
            _ => {}
        }
    }
    all
}

/// Names, `::` and single signs; comments and texts are left out.
fn tokens(text: &str) -> Names {
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let raw = rest.trim_start_matches(['b', 'c']).strip_prefix('r').unwrap_or_default();
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let begin = rest.len() - raw.len() + hashes + 1;
            begin + rest[begin..].find(&end).unwrap() + end.len()
        } else if first == '"' {
            let mut escaped = false;
            let closes = |c: char| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            };
            2 + rest[1..].find(closes).unwrap()
        } else if let Some(character) = rest.strip_prefix('\'') {
            // A character ends with a quote. A lifetime does not, and `'static` begins no definition.
            let length = match character.strip_prefix('\\') {
                Some(escaped) => 2 + escaped.chars().next().map_or(0, char::len_utf8),
                None => 1 + character.chars().next().map_or(0, char::len_utf8),
            };
            rest.get(length..)
                .and_then(|after| after.find('\'').filter(|n| *n < 8 && !after[..*n].contains(is_text)))
                .map_or_else(|| 1 + name_length(character), |n| length + n + 1)
        } else if is_name(rest) {
            let length = name_length(rest);
            tokens.push(rest[..length].to_owned());
            length
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// What ends the search for the quote after a character.
fn is_text(c: char) -> bool {
    !c.is_ascii_hexdigit() && !"u{}x".contains(c)
}

/// The tokens without the items that are compiled for tests alone.
fn without_tests(tokens: Names) -> Names {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if !tokens[at..].iter().map(String::as_str).take(MARK.len()).eq(MARK) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at += MARK.len();
        let mut depth = 0_i32;
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            // The closing brace may belong to what is around a field.
            if depth < 0 {
                break;
            }
            at += 1;
            if depth == 0 && (token == ";" || token == "}") {
                break;
            }
        }
    }
    kept
}

#[test]
fn circles_are_found_through_re_exports() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let root = folder.path().join("lib.rs");
    let exports = "mod a;\nmod b;\nmod c;\npub use a::A;\npub use b::{B, made as make};\n";
    write("lib.rs", &format!("{exports}fn both(_: &'static A, _: &'static B) {{}}\n"));
    write("a.rs", "use crate::{B, make};\npub struct A;\n// crate::c::C\nfn text<'a>(_: &'a str) -> char { '\"' }\n");
    write("b.rs", "use super::c::*;\npub fn made() {}\npub struct B(C);\n#[cfg(test)]\nmod tests { use crate::A; }\n");
    write("c.rs", "pub struct C;\nmod inside { use super::C; }\n");
    assert!(circles(&root).is_empty(), "{:?}", circles(&root));
    write("c.rs", "pub struct C;\nfn of() { let _ = crate::A; }\n");
    let found = circles(&root);
    assert_eq!(found.len(), 1);
    let files: Vec<&str> = found[0].keys().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(files, ["a.rs", "b.rs", "c.rs"]);
}

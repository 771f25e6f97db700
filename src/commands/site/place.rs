//! Where a gallery goes. It is made beside its place, and put there when it is whole. What stood there gives way only
//! if it is a gallery of dbdyno's own, unchanged: a list in it names each of its files with a checksum.

use super::words::{lock, unfit};
use crate::error::Error;
use dbdyno_report::gallery::GalleryFile;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// The file that lists the others.
const LIST: &str = "dbdyno-site.json";
/// More than any file of a gallery has.
const LONGEST_BYTES: u64 = 1 << 30;
/// The folder in which a gallery is made; the file system adds to it what makes it unique.
const STAGED: &str = ".dbdyno-site-";
/// Said of a failure that left everything as it was before.
const UNCHANGED: &str = "nothing was changed";

/// The files of a gallery.
#[derive(Debug, Default, Serialize, Deserialize)]
struct FileList {
    /// The dbdyno that made it.
    made_by: String,
    /// Name -> checksum.
    files: BTreeMap<String, String>,
}

/// Where a gallery goes.
pub(super) struct Place {
    folder: PathBuf,
    parent: PathBuf,
    /// Whether a gallery is there.
    is_taken: bool,
}

/// A gallery in the making.
pub(super) struct Staged {
    /// Nobody else looks into it. The gallery in it has the rights that it will have in its place.
    folder: TempDir,
    files: Mutex<(FileList, u64)>,
}

impl Place {
    /// Looks at the place that the user named.
    ///
    /// # Errors
    /// Something else is there, or nothing can be made there.
    pub(super) fn at(out: &Path) -> Result<Self, Error> {
        let refused = |why: String| unfit(format!("--out {}: {why}", out.display()));
        dbdyno_files::refuse_anothers_link(out).map_err(|e| refused(e.to_string()))?;
        let folder = if out.is_symlink() {
            out.canonicalize().map_err(|e| refused(format!("the link leads nowhere: {e}")))?
        } else {
            out.to_owned()
        };
        if folder.file_name().is_none() {
            return Err(refused("name a folder that dbdyno may make anew".to_owned()));
        }
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = parent.to_owned();
        if !parent.is_dir() {
            return Err(refused(format!("there is no folder {}; make it first", parent.display())));
        }
        let is_taken = own_files(&folder).map_err(|why| refused(format!("{why}; {UNCHANGED}")))?.is_some();
        Ok(Self { folder, parent, is_taken })
    }

    /// Whether an older gallery gives way.
    pub(super) fn replaces(&self) -> bool {
        self.is_taken
    }

    /// Begins a gallery beside the place.
    pub(super) fn begin(&self) -> Result<Staged, Error> {
        let unwritable = |e| unfit(format!("cannot write to {}: {e}", self.parent.display()));
        let folder = tempfile::Builder::new()
            .prefix(STAGED)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&self.parent)
            .map_err(unwritable)?;
        let made_by = format!("dbdyno {}", env!("CARGO_PKG_VERSION"));
        let staged = Staged { folder, files: Mutex::new((FileList { made_by, files: BTreeMap::new() }, 0)) };
        std::fs::create_dir(staged.made()).map_err(unwritable)?;
        Ok(staged)
    }

    /// Puts a whole gallery in its place.
    ///
    /// # Errors
    /// It cannot be put there. Then everything is as it was before, or the error says where what stood there is now.
    pub(super) fn put(&self, staged: Staged) -> Result<(), Error> {
        staged.write_list()?;
        let made = staged.made();
        if !self.is_taken {
            // An empty folder gives way by itself.
            return std::fs::rename(&made, &self.folder).map_err(|e| self.failed(format!("{e}; {UNCHANGED}")));
        }
        // From here on it may hold what stood there, which only `remove` may delete.
        let around = staged.folder.keep();
        let put = match exchange(&made, &self.folder) {
            Ok(()) => self.take_away(&made),
            Err(why) => {
                _ = std::fs::remove_dir_all(&made);
                Err(self.failed(why))
            }
        };
        // It stays if anything is left in it, and then the error says so.
        _ = std::fs::remove_dir(&around);
        put
    }

    /// Removes what stood in the place, if it is still a gallery of dbdyno's own. Somebody may have changed it since it
    /// was looked at: then it goes back.
    fn take_away(&self, old: &Path) -> Result<(), Error> {
        let left = |e: io::Error| unfit(format!("the older gallery is left in {}: {e}", old.display()));
        match own_files(old) {
            Ok(files) => remove(old, &files.unwrap_or_default()).map_err(left),
            Err(why) => {
                exchange(old, &self.folder).map_err(|e| {
                    self.failed(format!(
                        "{why}; what stood there is in {}, and could not be put back: {e}",
                        old.display()
                    ))
                })?;
                let left_over = std::fs::remove_dir_all(old).err();
                let left_over =
                    left_over.map_or_else(String::new, |e| format!("; the new one is left in {}: {e}", old.display()));
                Err(self.failed(format!("{why}; {UNCHANGED}{left_over}")))
            }
        }
    }

    fn failed(&self, why: String) -> Error {
        unfit(format!("cannot put the gallery in place of {}: {why}", self.folder.display()))
    }
}

impl Staged {
    /// The folder of the gallery.
    fn made(&self) -> PathBuf {
        self.folder.path().join("gallery")
    }

    /// Writes a file of it.
    pub(super) fn write(&self, file: &GalleryFile) -> Result<(), Error> {
        self.write_file(&file.name, file.text.as_bytes())?;
        let mut files = lock(&self.files);
        files.0.files.insert(file.name.clone(), checksum(file.text.as_bytes()));
        files.1 += file.text.len() as u64;
        Ok(())
    }

    /// How many files it has, with the list of them, and the bytes of the others.
    pub(super) fn written(&self) -> (usize, u64) {
        let files = lock(&self.files);
        (files.0.files.len() + 1, files.1)
    }

    fn write_list(&self) -> Result<(), Error> {
        let files = lock(&self.files);
        let text = serde_json::to_string_pretty(&files.0).map_err(|e| Error::Internal(format!("no JSON: {e}")))?;
        self.write_file(LIST, format!("{text}\n").as_bytes())
    }

    fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.made().join(name);
        std::fs::write(&path, bytes).map_err(|e| unfit(format!("cannot write {}: {e}", path.display())))
    }
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// The files of a gallery of dbdyno's own, the list last; `None` where nothing is there, or an empty folder.
///
/// # Errors
/// What is there that is no part of such a gallery.
fn own_files(folder: &Path) -> Result<Option<Vec<String>>, String> {
    let found = match std::fs::symlink_metadata(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(format!("it cannot be looked at: {e}")),
        Ok(found) => found,
    };
    if !found.is_dir() {
        return Err("it is no folder".to_owned());
    }
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|e| format!("it cannot be read: {e}"))?;
    let mut names: Vec<_> = entries.iter().map(std::fs::DirEntry::file_name).collect();
    names.sort_unstable();
    if names.is_empty() {
        return Ok(None);
    }
    let list =
        dbdyno_files::text(&folder.join(LIST)).ok().and_then(|text| serde_json::from_str::<FileList>(&text).ok());
    let Some(list) = list else {
        return Err("the folder holds something that is no gallery of dbdyno's; name another one".to_owned());
    };
    for name in &names {
        let name = name.to_string_lossy();
        if name == LIST {
            continue;
        }
        let Some(sum) = list.files.get(&*name) else {
            return Err(format!("the folder holds {name}, which is no part of the gallery; move it away"));
        };
        let path = folder.join(&*name);
        let is_link = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
        let bytes =
            dbdyno_files::read(&path, LONGEST_BYTES).map_err(|e| format!("{name} in it cannot be read: {e}"))?;
        if is_link || checksum(&bytes) != *sum {
            return Err(format!("{name} in it was changed since dbdyno wrote it; move it away"));
        }
    }
    let names = names.into_iter().map(|name| name.to_string_lossy().into_owned());
    Ok(Some(names.filter(|name| name != LIST).chain([LIST.to_owned()]).collect()))
}

/// Removes these files, and then the folder. What else is in it stays.
fn remove(folder: &Path, files: &[String]) -> io::Result<()> {
    for name in files {
        std::fs::remove_file(folder.join(name))?;
    }
    std::fs::remove_dir(folder)
}

/// Has two folders change places, in one step where the file system can.
///
/// # Errors
/// They did not. If one of them is elsewhere now, the error says where.
fn exchange(one: &Path, other: &Path) -> Result<(), String> {
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => exchange_in_steps(one, other),
        exchanged => exchanged.map_err(|e| e.to_string()),
    }
}

fn exchange_in_steps(one: &Path, other: &Path) -> Result<(), String> {
    let aside = one.with_extension("aside");
    let [shown, other_shown] = [aside.display(), other.display()];
    std::fs::rename(other, &aside).map_err(|e| e.to_string())?;
    if let Err(error) = std::fs::rename(one, other) {
        return Err(match std::fs::rename(&aside, other) {
            Ok(()) => error.to_string(),
            Err(e) => format!("{error}; what stood in {other_shown} is in {shown}, and could not be put back: {e}"),
        });
    }
    std::fs::rename(&aside, one)
        .map_err(|e| format!("{other_shown} has the other one; what stood there is left in {shown}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> GalleryFile {
        GalleryFile { name: name.to_owned(), text: text.to_owned() }
    }

    fn put(out: &Path, files: &[GalleryFile]) -> Result<(), Error> {
        let place = Place::at(out)?;
        let staged = place.begin()?;
        files.iter().try_for_each(|file| staged.write(file))?;
        place.put(staged)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_gallery_gives_way_to_the_next_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        put(&out, &[file("index.html", "1"), file("a.html", "a")]).unwrap();
        assert_eq!(names(&out), ["a.html", LIST, "index.html"]);
        put(&out, &[file("index.html", "2"), file("b.html", "b")]).unwrap();
        assert_eq!(names(&out), ["b.html", LIST, "index.html"]);
        assert_eq!(std::fs::read_to_string(out.join("index.html")).unwrap(), "2");
        assert_eq!(names(folder.path()), ["site"]);
        // Through a link of one's own, and into an empty folder.
        std::os::unix::fs::symlink(&out, folder.path().join("link")).unwrap();
        put(&folder.path().join("link"), &[file("index.html", "3")]).unwrap();
        assert_eq!(names(&out), [LIST, "index.html"]);
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        put(&folder.path().join("empty"), &[file("index.html", "4")]).unwrap();
        assert_eq!(names(folder.path()), ["empty", "link", "site"]);
    }

    #[test]
    fn what_is_not_its_own_is_never_touched() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        let refused = |why: &str| {
            let before: Vec<_> = names(&out).iter().map(|name| std::fs::read(out.join(name)).ok()).collect();
            let said = put(&out, &[file("index.html", "new")]).unwrap_err().to_string();
            assert!(said.contains(why) && said.ends_with("nothing was changed"), "{said}");
            let after: Vec<_> = names(&out).iter().map(|name| std::fs::read(out.join(name)).ok()).collect();
            assert!(before == after && names(folder.path()) == ["site"]);
        };
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join("thesis.txt"), "years of work").unwrap();
        refused("no gallery of dbdyno's");
        std::fs::write(out.join("index.html"), "<footer><p>Made by dbdyno 0.1.0").unwrap();
        refused("no gallery of dbdyno's");
        std::fs::remove_dir_all(&out).unwrap();
        let made = || put(&out, &[file("index.html", "1"), file("a.html", "a")]).unwrap();
        made();
        std::fs::write(out.join("CNAME"), "example.org").unwrap();
        refused("holds CNAME, which is no part");
        std::fs::remove_file(out.join("CNAME")).unwrap();
        std::fs::create_dir(out.join(".git")).unwrap();
        refused("holds .git, which is no part");
        std::fs::remove_dir(out.join(".git")).unwrap();
        std::fs::write(out.join("a.html"), "a, with notes of mine").unwrap();
        refused("a.html in it was changed");
        std::fs::write(folder.path().join("elsewhere"), "a").unwrap();
        std::fs::rename(folder.path().join("elsewhere"), out.join("b")).unwrap();
        std::fs::remove_file(out.join("a.html")).unwrap();
        std::os::unix::fs::symlink(out.join("b"), out.join("a.html")).unwrap();
        refused("a.html in it was changed");
        std::fs::remove_dir_all(&out).unwrap();
        // A page that the user has removed is no obstacle.
        made();
        std::fs::remove_file(out.join("a.html")).unwrap();
        made();
    }

    #[test]
    fn what_was_changed_meanwhile_goes_back_or_is_kept_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("site");
        put(&out, &[file("index.html", "1")]).unwrap();
        let place = Place::at(&out).unwrap();
        let staged = place.begin().unwrap();
        staged.write(&file("index.html", "2")).unwrap();
        std::fs::write(out.join("thesis.txt"), "years of work").unwrap();
        let said = place.put(staged).unwrap_err().to_string();
        assert!(said.contains("holds thesis.txt") && said.ends_with(UNCHANGED), "{said}");
        assert_eq!(
            (names(&out), names(folder.path())),
            (
                vec!["dbdyno-site.json".to_owned(), "index.html".to_owned(), "thesis.txt".to_owned()],
                vec!["site".to_owned()]
            )
        );
        // The place is gone, so it cannot go back.
        let old = folder.path().join("old");
        std::fs::rename(&out, &old).unwrap();
        let said = place.take_away(&old).unwrap_err().to_string();
        assert!(said.contains(&format!("is in {}, and could not be put back", old.display())), "{said}");
        assert_eq!(std::fs::read_to_string(old.join("thesis.txt")).unwrap(), "years of work");
    }

    #[test]
    fn without_one_step_folders_change_places_in_three_or_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let made = |path: &Path| {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join("was"), path.display().to_string()).unwrap();
        };
        [&one, &other].into_iter().for_each(|path| made(path));
        let was = |path: &Path| std::fs::read_to_string(path.join("was")).unwrap();
        exchange_in_steps(&one, &other).unwrap();
        assert_eq!((was(&one), was(&other)), (other.display().to_string(), one.display().to_string()));
        let gone = folder.path().join("gone");
        let said = exchange_in_steps(&gone, &other).unwrap_err();
        assert!(!said.contains("aside"), "{said}");
        assert_eq!(
            (was(&other), names(folder.path())),
            (one.display().to_string(), vec!["one".to_owned(), "other".to_owned()])
        );
    }

    #[test]
    fn a_place_that_cannot_be_is_said_before_anything_is_made() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "mine").unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
        for (out, why) in [
            ("file", "it is no folder"),
            ("no/where", "there is no folder"),
            ("link", "the link leads nowhere"),
            ("file/site", "there is no folder"),
            ("..", "name a folder"),
        ] {
            let said = Place::at(&folder.path().join(out)).err().unwrap().to_string();
            assert!(said.contains(why), "{out}: {said}");
        }
        assert_eq!(names(folder.path()), ["file", "link"]);
    }
}

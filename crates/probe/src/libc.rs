//! The C library and the allocator of this process, as they are loaded. They may differ from those that the program was
//! built with (`LD_PRELOAD`).

use std::fs;
use std::path::Path;

/// Allocators that may be loaded in place of the C library's own.
const ALLOCATORS: [&str; 5] = ["jemalloc", "tcmalloc", "mimalloc", "snmalloc", "hoard"];
/// The longest C library.
const LONGEST_BYTES: u64 = 64 << 20;

/// The C library and the allocator of this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CLibrary {
    /// What the program was built for: `gnu`, `musl`.
    pub name: Option<&'static str>,
    /// The version of the loaded library, or why it is not known.
    pub version: Result<String, String>,
    /// `system`, or the name of the allocator that was loaded in its place; or why it is not known.
    pub allocator: Result<String, String>,
}

/// Examines what is loaded.
#[must_use]
pub fn c_library() -> CLibrary {
    let musl = cfg!(target_env = "musl").then_some("musl");
    let name = if cfg!(target_env = "gnu") { Some("gnu") } else { musl };
    let maps = fs::read_to_string("/proc/self/maps").map_err(|e| format!("/proc/self/maps cannot be read: {e}"));
    CLibrary {
        name,
        version: maps.as_deref().map_err(Clone::clone).and_then(version),
        allocator: maps.as_deref().map(allocator).map_err(Clone::clone),
    }
}

/// The mapped files.
fn mapped(maps: &str) -> impl Iterator<Item = &str> {
    maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn version(maps: &str) -> Result<String, String> {
    let is_libc = |path: &&str| {
        let name = file_name(path);
        name.starts_with("libc.so") || name.starts_with("libc-2.") || name.starts_with("ld-musl-")
    };
    let path = mapped(maps).find(is_libc).ok_or("no C library is loaded: it is part of the program")?;
    if path.ends_with(" (deleted)") {
        return Err("its file was replaced since it was loaded".to_owned());
    }
    let unread = |e: std::io::Error| format!("its file cannot be read: {e}");
    if fs::metadata(Path::new(path)).map_err(unread)?.len() > LONGEST_BYTES {
        return Err("its file is too long to be a C library".to_owned());
    }
    written_in(&fs::read(path).map_err(unread)?).ok_or_else(|| "its file does not say its version".to_owned())
}

/// The version in the text that the GNU C library has about itself.
fn written_in(library: &[u8]) -> Option<String> {
    const BEFORE: &[u8] = b"release version ";
    let at = library.windows(BEFORE.len()).position(|window| window == BEFORE)? + BEFORE.len();
    let digits = library[at..].iter().take_while(|c| c.is_ascii_digit() || **c == b'.').take(16);
    let text: String = digits.map(|c| char::from(*c)).collect();
    Some(text.trim_end_matches('.').to_owned()).filter(|text| !text.is_empty())
}

fn allocator(maps: &str) -> String {
    let loaded = |name: &&&str| mapped(maps).any(|path| file_name(path).contains(**name));
    ALLOCATORS.iter().find(loaded).map_or("system", |name| *name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "55d0a0000000-55d0a0001000 r--p 00000000 fe:00 12  /usr/bin/dbdyno\n\
                        7f0000000000-7f0000001000 rw-p 00000000 00:00 0\n\
                        7f0000002000-7f0000003000 r--p 00000000 fe:00 13  /usr/lib/libc.so.6\n\
                        7ffd00000000-7ffd00001000 rw-p 00000000 00:00 0  [stack]\n";

    #[test]
    fn what_is_loaded_in_place_of_another_is_seen() {
        assert_eq!(mapped(MAPS).collect::<Vec<_>>(), ["/usr/bin/dbdyno", "/usr/lib/libc.so.6"]);
        assert_eq!(allocator(MAPS), "system");
        assert_eq!(allocator(&format!("{MAPS}7f-8f r--p 0 fe:00 14  /opt/libjemalloc.so.2\n")), "jemalloc");
        assert_eq!(
            version("55-56 r--p 0 fe:00 12  /usr/bin/dbdyno\n").unwrap_err(),
            "no C library is loaded: it is part of the program"
        );
        assert!(version("55-56 r--p 0 fe:00 12  /lib/libc.so.6 (deleted)\n").unwrap_err().contains("replaced"));
        assert!(version("55-56 r--p 0 fe:00 12  /nowhere/libc.so.6\n").unwrap_err().contains("cannot be read"));
    }

    #[test]
    fn a_version_is_what_the_library_says() {
        let said = b"\x00GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\nCopyright";
        assert_eq!(written_in(said).as_deref(), Some("2.36"));
        assert_eq!(written_in(b"release version next"), None);
        assert_eq!(written_in(b""), None);
    }

    #[test]
    fn this_process_has_an_allocator_and_a_library_or_a_reason() {
        let found = c_library();
        assert_eq!(found.allocator.as_deref(), Ok("system"));
        match found.version {
            Ok(version) => assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{version}"),
            Err(why) => assert!(why.len() > 10, "{why}"),
        }
    }
}

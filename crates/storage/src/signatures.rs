//! What the first and last bytes of a device or file show: file systems, volumes, partition tables, databases. The
//! signatures are data (`signatures.toml`). The maintained crates for this need a C library, and only the presence of
//! data matters here.

use serde::Deserialize;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::LazyLock;

/// The position of a magic number, as in `signatures.toml`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MarkPosition {
    /// From the beginning.
    At(u64),
    /// At one of several positions: the first, the end of the range, and their distance.
    Among(u64, u64, usize),
    /// This many bytes before the end, rounded down.
    BeforeEnd(u64, u64),
}

/// A kind of data, and all the magic numbers that it has.
type Signature = (String, Vec<(MarkPosition, String)>);

#[derive(Deserialize)]
struct Signatures {
    signatures: Vec<Signature>,
}

static SIGNATURES: LazyLock<Vec<Signature>> = LazyLock::new(|| {
    let rows = toml::from_str(include_str!("signatures.toml")).map(|Signatures { signatures }| signatures);
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    rows.expect("signatures.toml has rows of marks")
});

/// The kind of data on a device or file of this size, if it is recognised.
pub(crate) fn found(file: &File, size_bytes: u64) -> io::Result<Option<&'static str>> {
    for (name, marks) in SIGNATURES.iter() {
        let mut all = true;
        for (place, magic) in marks {
            all = all && stands(file, size_bytes, *place, &bytes_of(magic))?;
        }
        if all {
            return Ok(Some(name.as_str()));
        }
    }
    Ok(None)
}

/// A magic number in bytes; each of its characters is one.
fn bytes_of(magic: &str) -> Vec<u8> {
    magic.chars().map(|byte| byte as u8).collect()
}

fn stands(file: &File, size_bytes: u64, place: MarkPosition, magic: &[u8]) -> io::Result<bool> {
    let mut bytes = vec![0; magic.len()];
    for offset in offsets(place, size_bytes) {
        match file.read_exact_at(&mut bytes, offset) {
            Ok(()) if bytes == magic => return Ok(true),
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

fn offsets(place: MarkPosition, size_bytes: u64) -> Vec<u64> {
    match place {
        MarkPosition::At(offset) => vec![offset],
        MarkPosition::Among(first, end, distance) => (first..end).step_by(distance).collect(),
        MarkPosition::BeforeEnd(back, multiple) => {
            size_bytes.checked_sub(back).map(|offset| offset / multiple * multiple).into_iter().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 3 << 20;

    fn file(marks: &[(MarkPosition, String)], at: fn(&[u64]) -> u64) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(SIZE + 1_234).unwrap();
        // Not zeros, because some magic numbers are zeros.
        file.write_all_at(&vec![0xee; SIZE as usize], 0).unwrap();
        for (place, magic) in marks {
            file.write_all_at(&bytes_of(magic), at(&offsets(*place, SIZE + 1_234))).unwrap();
        }
        file
    }

    #[test]
    fn each_is_found_wherever_it_may_stand() {
        for (name, marks) in SIGNATURES.iter() {
            for at in [|all: &[u64]| all[0], |all: &[u64]| all[all.len() - 1]] {
                let file = file(marks, at);
                assert_eq!(found(&file, SIZE + 1_234).unwrap(), Some(name.as_str()));
            }
        }
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        let stamped = tempfile::tempfile().unwrap();
        let mut block = vec![0; 1 << 20];
        crate::stamp(&mut block, crate::Stamp { offset: 0, sequence: 1, run: 2 });
        stamped.write_all_at(&block, 0).unwrap();
        assert_eq!(found(&stamped, 1 << 20).unwrap(), None);
        assert_eq!(found(&file(&[], |_| 0), SIZE).unwrap(), None);
        assert_eq!(found(&tempfile::tempfile().unwrap(), 0).unwrap(), None);
        let zeros = tempfile::tempfile().unwrap();
        zeros.set_len(SIZE).unwrap();
        assert_eq!(found(&zeros, SIZE).unwrap(), None, "a new disk");
    }
}

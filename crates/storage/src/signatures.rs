//! What the first and last bytes of a device or file show: file systems, volumes, partition tables, databases. The
//! signatures are data, one a line. The maintained crates for this need a C library, and only the presence of data
//! matters here.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The position of a magic number.
#[derive(Debug, Clone, Copy)]
enum MarkPosition {
    /// From the beginning.
    At(u64),
    /// At one of several positions: the first, the end of the range, and their distance.
    Among(u64, u64, usize),
    /// This many bytes before the end, rounded down.
    BeforeEnd(u64, u64),
}
use MarkPosition::{Among, At, BeforeEnd};

/// A kind of data, and all the magic numbers that it has.
type Signature = (&'static str, &'static [(MarkPosition, &'static [u8])]);

const SIGNATURES: &[Signature] = &[
    ("an ext2, ext3 or ext4 file system", &[(At(1_080), b"\x53\xef")]),
    ("an XFS file system", &[(At(0), b"XFSB")]),
    ("a btrfs file system", &[(At(65_600), b"_BHRfS_M")]),
    ("an F2FS file system", &[(At(1_024), b"\x10\x20\xf5\xf2")]),
    ("a bcachefs file system", &[(At(4_120), b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef")]),
    ("a bcachefs file system", &[(At(4_120), b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81")]),
    ("a JFS file system", &[(At(32_768), b"JFS1")]),
    ("a ReiserFS file system", &[(At(65_588), b"ReIsEr")]),
    ("a GFS2 file system", &[(At(65_536), b"\x01\x16\x19\x70")]),
    ("an OCFS2 file system", &[(Among(1_024, 16_384, 1_024), b"OCFSV2")]),
    ("an EROFS file system", &[(At(1_024), b"\xe2\xe1\xf5\xe0")]),
    ("a SquashFS file system", &[(At(0), b"hsqs")]),
    ("an ISO 9660 file system", &[(At(32_769), b"CD001")]),
    ("a UDF file system", &[(Among(32_769, 65_537, 2_048), b"NSR0")]),
    ("an NTFS file system", &[(At(3), b"NTFS    ")]),
    ("an exFAT file system", &[(At(3), b"EXFAT   ")]),
    ("a FAT file system", &[(At(54), b"FAT1")]),
    ("a FAT file system", &[(At(82), b"FAT32   ")]),
    ("a VMFS volume", &[(At(1_048_576), b"\x0d\xd0\x01\xc0")]),
    ("a member of a ZFS pool", &[(Among(131_072, 262_144, 1_024), b"\x0c\xb1\xba\x00\x00\x00\x00\x00")]),
    ("a member of a ZFS pool", &[(Among(131_072, 262_144, 1_024), b"\x00\x00\x00\x00\x00\xba\xb1\x0c")]),
    ("swap space", &[(Among(4_086, 65_536, 4_096), b"SWAPSPACE2")]),
    ("swap space", &[(Among(4_086, 65_536, 4_096), b"SWAP-SPACE")]),
    ("a hibernated system", &[(Among(4_086, 65_536, 4_096), b"S1SUSPEND")]),
    ("an LVM physical volume", &[(Among(0, 2_048, 512), b"LABELONE")]),
    ("a LUKS volume", &[(At(0), b"LUKS\xba\xbe")]),
    ("a LUKS volume", &[(At(16_384), b"SKUL\xba\xbe")]),
    ("a BitLocker volume", &[(At(3), b"-FVE-FS-")]),
    ("a member of an md RAID", &[(At(0), b"\xfc\x4e\x2b\xa9")]),
    ("a member of an md RAID", &[(At(4_096), b"\xfc\x4e\x2b\xa9")]),
    ("a member of an md RAID", &[(BeforeEnd(8_192, 4_096), b"\xfc\x4e\x2b\xa9")]),
    ("a member of an md RAID", &[(BeforeEnd(65_536, 65_536), b"\xfc\x4e\x2b\xa9")]),
    ("a Ceph OSD", &[(At(0), b"bluestore block device")]),
    ("a GPT partition table", &[(At(512), b"EFI PART")]),
    ("a GPT partition table", &[(At(4_096), b"EFI PART")]),
    ("a GPT partition table (its copy at the end)", &[(BeforeEnd(512, 512), b"EFI PART")]),
    ("an ASM disk", &[(At(32), b"ORCLDISK")]),
    ("a database file", &[(At(28), b"\x7d\x7c\x7b\x7a")]),
    // The first page of a tablespace: number 0, type 8 (its own header), and an unused word of that header.
    ("an InnoDB tablespace", &[(At(4), b"\0\0\0\0"), (At(24), b"\x00\x08"), (At(42), b"\0\0\0\0")]),
    ("an SQLite database", &[(At(0), b"SQLite format 3\0")]),
    // Last, because boot sectors of file systems end with it, too.
    ("an MBR partition table or boot sector", &[(At(510), b"\x55\xaa")]),
];

/// The kind of data on a device or file of this size, if it is recognised.
pub(crate) fn found(file: &File, size_bytes: u64) -> io::Result<Option<&'static str>> {
    for (name, marks) in SIGNATURES {
        let mut all = true;
        for (place, magic) in *marks {
            all = all && stands(file, size_bytes, *place, magic)?;
        }
        if all {
            return Ok(Some(name));
        }
    }
    Ok(None)
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
        At(offset) => vec![offset],
        Among(first, end, distance) => (first..end).step_by(distance).collect(),
        BeforeEnd(back, multiple) => {
            size_bytes.checked_sub(back).map(|offset| offset / multiple * multiple).into_iter().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 3 << 20;

    fn file(marks: &[(MarkPosition, &[u8])], at: fn(&[u64]) -> u64) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(SIZE + 1_234).unwrap();
        // Not zeros, because some magic numbers are zeros.
        file.write_all_at(&vec![0xee; SIZE as usize], 0).unwrap();
        for (place, magic) in marks {
            file.write_all_at(magic, at(&offsets(*place, SIZE + 1_234))).unwrap();
        }
        file
    }

    #[test]
    fn each_is_found_wherever_it_may_stand() {
        for (name, marks) in SIGNATURES {
            for at in [|all: &[u64]| all[0], |all: &[u64]| all[all.len() - 1]] {
                let file = file(marks, at);
                assert_eq!(found(&file, SIZE + 1_234).unwrap(), Some(*name));
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

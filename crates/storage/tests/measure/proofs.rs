//! Blocks that prove themselves, on real files.

use crate::{file, folder, load, measured};
use dbdyno_storage::{BackendKind, IoLoad, Layout, Pattern, SECTOR_BYTES, Stamp, stamp};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

const BYTES: usize = 16 << 20;

#[test]
fn what_small_and_large_ios_wrote_is_proved_by_either_and_one_flipped_bit_is_found() {
    let folder = folder();
    let (one, other) = (file(&folder, "one", BYTES), file(&folder, "other", BYTES / 2));
    let paths = [one.as_path(), other.as_path()];
    let layout = Layout::Raid0 { stripe_bytes: 64 << 10 };
    let mixed = IoLoad { large: 1, large_bytes: 256 << 10, write_pct: 50, verify: true, layout, ..load() };
    for backend in [BackendKind::Uring, BackendKind::Threads] {
        let written = measured(&paths, &mixed, backend);
        assert!(written.mismatches.is_empty() && written.errors.is_empty(), "{written:?}");
        assert!(written.small.write.count > 0 && written.large.write.count > 0);
    }
    // All of it again and again, in the order of another run.
    let pattern = Pattern::Sequential { streams: 1 };
    let reads = IoLoad { small: 0, large: 2, large_bytes: 1 << 20, pattern, verify: true, duration_s: 0.4, ..load() };
    let healthy = measured(&paths, &reads, BackendKind::Uring);
    assert!(healthy.mismatches.is_empty() && healthy.mismatched == 0, "{healthy:?}");
    assert!(healthy.total > 24, "all was read, {} I/Os", healthy.total);

    let file = OpenOptions::new().read(true).write(true).open(&other).unwrap();
    let mut sector = [0; SECTOR_BYTES];
    let stamped = (0..BYTES as u64 / 2).step_by(SECTOR_BYTES).find(|at| {
        file.read_exact_at(&mut sector, *at).unwrap();
        sector != [0x5a; SECTOR_BYTES]
    });
    let at = stamped.unwrap() + 300;
    file.write_all_at(&[sector[300] ^ 0x10], at).unwrap();
    file.sync_all().unwrap();
    let damaged = measured(&paths, &reads, BackendKind::Uring);
    assert!(damaged.mismatched > 0);
    for mismatch in &damaged.mismatches {
        assert_eq!((&mismatch.path, mismatch.offset_bytes), (&other, at), "{}", mismatch.what);
        assert!(mismatch.what.starts_with("bit 4 is flipped"), "{}", mismatch.what);
    }
}

#[test]
fn a_file_may_be_stamped_by_whoever_makes_it() {
    let folder = folder();
    let path = file(&folder, "file", 0);
    let mut block = vec![0; BYTES];
    stamp(&mut block, Stamp { offset: 0, sequence: 0, run: 7 });
    std::fs::write(&path, &block).unwrap();
    let proved = measured(&[&path], &IoLoad { verify: true, ..load() }, BackendKind::Uring);
    assert!(
        proved.mismatches.is_empty() && proved.notes.iter().all(|note| !note.contains("prove nothing")),
        "{proved:?}"
    );
    // Blocks of another place are detected, too.
    block.rotate_right(8192);
    std::fs::write(&path, &block).unwrap();
    let moved = measured(&[&path], &IoLoad { verify: true, ..load() }, BackendKind::Uring);
    assert!(moved.mismatched > 0 && moved.mismatches.len() <= 100);
    assert!(moved.mismatches[0].what.contains("put at offset"), "{}", moved.mismatches[0].what);
}

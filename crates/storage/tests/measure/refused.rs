//! Where `io_uring` is forbidden, as in many containers.
#![allow(unsafe_code, reason = "what the kernel forbids a thread is told it as a program in memory")]

use crate::{file, folder, load, measured};
use dbdyno_storage::{BackendKind, LunAccess, Luns, StorageError};

/// Forbids `io_uring` to this thread and to the threads that it starts.
fn forbid_io_uring() -> bool {
    let step = |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter { code: code as u16, jt, jf, k };
    let program = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::SYS_io_uring_setup as u32, 0, 1),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32, 0, 0),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the complete filter program, and only this thread is bound by it.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    }
}

/// Newer kernels open files in memory for direct I/O, which would measure memory and not storage.
#[test]
fn what_lies_in_memory_is_no_storage() {
    let Ok(folder) = tempfile::TempDir::new_in("/dev/shm") else {
        return println!("skipped: there is no /dev/shm here");
    };
    let path = file(&folder, "file", 1 << 20);
    let refused = Luns::open(&[path], LunAccess::Read).unwrap_err();
    assert!(matches!(refused, StorageError::NotDirect { .. }), "{refused}");
}

#[test]
fn threads_do_it_and_a_note_says_why() {
    let folder = folder();
    let path = file(&folder, "file", 8 << 20);
    let measured = std::thread::spawn(move || {
        if !forbid_io_uring() {
            println!("skipped: this kernel has no filters of calls: {}", std::io::Error::last_os_error());
            return None;
        }
        Some(measured(&[&path], &load(), BackendKind::Uring))
    });
    let Some(measured) = measured.join().unwrap() else { return };
    assert_eq!((measured.backend, measured.threads), (BackendKind::Threads, 8));
    let note = measured.notes.join("\n");
    assert!(note.contains("io_uring is not to be had") && note.contains("not permitted"), "{note}");
    assert!(measured.small.read.count > 0 && measured.errors.is_empty());
}

//! `io_uring`: many I/Os at a time from one thread. Memory and files are registered once, and one system call submits
//! new pieces and waits for completions.
#![allow(
    unsafe_code,
    reason = "the kernel is told where memory is; that it stays there is what the comments at each place say"
)]

use super::{CompletedPiece, IoQueue, QueuedPiece, TICK_NS};
use crate::Luns;
use crate::arena::Arena;
use io_uring::types::{Fd, Fixed, SubmitArgs, Timespec};
use io_uring::{CompletionQueue, EnterFlags, IoUring, SubmissionQueue, Submitter, opcode, squeue};
use std::io;
use std::os::fd::AsRawFd;

/// The tag of the time-out that wakes the queue when nothing completes.
const TICK: u64 = u64::MAX;
/// The most entries that any kernel gives a ring.
const MOST_ENTRIES: u32 = 1 << 15;
/// A registered piece of memory has at most 1 GiB.
const REGISTERED_BYTES: usize = 1 << 30;
/// The number of completions that are taken and replaced before the next ones are looked at, however many there are. If
/// all completions were replaced at once, the device would idle while the new I/Os are prepared and then complete them
/// together again, in step: a virtual disk did a fifth less with 32 outstanding. The kernel holds three and more back
/// until all are submitted; with many outstanding I/Os that saves a quarter of the processor time and costs no rate.
const LEAST_AT_ONCE: u32 = 2;
const MOST_AT_ONCE: u32 = 4;
const UNDER_WAY_PER_TURN: u32 = 32;

/// The queue of a ring.
pub(crate) struct UringQueue<'r> {
    submitter: Submitter<'r>,
    submission: SubmissionQueue<'r>,
    completion: CompletionQueue<'r>,
    base: *mut u8,
    files: RegisteredFiles,
    memory_registered: bool,
    tick: Box<Timespec>,
    /// Whether a time-out is under way.
    ticking: bool,
    at_once: usize,
    /// Notes on how it works.
    pub notes: Vec<String>,
}

/// How files are named to the kernel.
enum RegisteredFiles {
    Registered,
    Plain(Vec<i32>),
}

impl<'r> UringQueue<'r> {
    /// A ring for this number of pieces, with the newest features that the kernel has: completions are processed only
    /// when they are asked for (6.1), without interrupting the thread (5.19), and by one thread alone (6.0).
    pub(crate) fn ring(pieces: u32) -> io::Result<IoUring> {
        let entries = (pieces + 1).next_power_of_two().min(MOST_ENTRIES);
        let with = |set: &dyn Fn(&mut io_uring::Builder)| {
            let mut builder = IoUring::builder();
            builder.setup_clamp();
            set(&mut builder);
            builder.build(entries)
        };
        let ring = with(&|b| {
            b.setup_single_issuer().setup_defer_taskrun();
        })
        .or_else(|error| older(error, || with(&|b| _ = b.setup_coop_taskrun())))
        .or_else(|error| older(error, || with(&|_| ())))?;
        // Waits with a time limit came with 5.11; older kernels lack other features, too.
        match ring.params().is_feature_ext_arg() {
            true => Ok(ring),
            false => Err(io::Error::new(io::ErrorKind::Unsupported, "this kernel's is older than that of Linux 5.11")),
        }
    }

    /// The queue of a ring that does I/O with this arena.
    pub(crate) fn new(ring: &'r mut IoUring, luns: &Luns, arena: &Arena, most_under_way: u32) -> io::Result<Self> {
        let (mut submitter, submission, completion) = ring.split();
        let mut notes = Vec::new();
        // Saves looking up the ring at each call, where the kernel supports it (5.18).
        let _ = submitter.register_ring_fd();
        let fds: Vec<i32> = luns.iter().map(|lun| lun.fd.as_raw_fd()).collect();
        let files = match submitter.register_files(&fds) {
            Ok(()) => RegisteredFiles::Registered,
            Err(error) => {
                notes.push(format!("files could not be registered with io_uring: {error}"));
                RegisteredFiles::Plain(fds)
            }
        };
        let (base, bytes) = arena.raw();
        let pieces: Vec<libc::iovec> = (0..bytes)
            .step_by(REGISTERED_BYTES)
            .map(|at| libc::iovec {
                // SAFETY: inside the arena.
                iov_base: unsafe { base.add(at) }.cast(),
                iov_len: (bytes - at).min(REGISTERED_BYTES),
            })
            .collect();
        // SAFETY: the arena outlives the queue, whose thread owns both; and the kernel holds on to the pages itself.
        let memory_registered = match unsafe { submitter.register_buffers(&pieces) } {
            Ok(()) => true,
            Err(error) => {
                notes.push(format!(
                    "memory could not be registered with io_uring ({error}), so each I/O costs more; raise the limit of locked memory"
                ));
                false
            }
        };
        let at_once = (most_under_way / UNDER_WAY_PER_TURN).clamp(LEAST_AT_ONCE, MOST_AT_ONCE) as usize;
        let tick = Box::new(Timespec::new().nsec(TICK_NS as u32));
        Ok(Self {
            submitter,
            submission,
            completion,
            base,
            files,
            memory_registered,
            tick,
            ticking: false,
            at_once,
            notes,
        })
    }

    /// A piece in the kernel's form.
    #[inline]
    fn entry(&self, task: QueuedPiece) -> squeue::Entry {
        // SAFETY: the piece lies inside the arena; the I/O loop ensures this.
        let memory = unsafe { self.base.add(task.at) };
        let (first, last) = (task.at / REGISTERED_BYTES, (task.at + task.bytes as usize - 1) / REGISTERED_BYTES);
        macro_rules! entry {
            ($fd:expr) => {
                match (self.memory_registered && first == last, task.write) {
                    (true, false) => {
                        opcode::ReadFixed::new($fd, memory, task.bytes, first as u16).offset(task.offset).build()
                    }
                    (true, true) => {
                        opcode::WriteFixed::new($fd, memory, task.bytes, first as u16).offset(task.offset).build()
                    }
                    (false, false) => opcode::Read::new($fd, memory, task.bytes).offset(task.offset).build(),
                    (false, true) => opcode::Write::new($fd, memory, task.bytes).offset(task.offset).build(),
                }
            };
        }
        match &self.files {
            RegisteredFiles::Registered => entry!(Fixed(task.lun)),
            RegisteredFiles::Plain(fds) => entry!(Fd(fds[task.lun as usize])),
        }
        .user_data(task.tag)
    }

    fn put(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        loop {
            // SAFETY: the memory belongs to the arena, which outlives the queue, and the I/O loop does not touch it
            // while it is under way; or it is the time-out, which lives as long as the queue.
            if unsafe { self.submission.push(entry) }.is_ok() {
                return Ok(());
            }
            self.submission.sync();
            self.submitter.submit()?;
            self.submission.sync();
        }
    }

    /// Makes sure that a wait returns.
    fn tick(&mut self) -> io::Result<()> {
        if self.ticking {
            return Ok(());
        }
        let entry = opcode::Timeout::new(&raw const *self.tick).build().user_data(TICK);
        self.ticking = true;
        self.put(&entry)
    }
}

/// Falls back to a ring with fewer features where the kernel does not know one. A prohibition is returned as an error.
fn older(error: io::Error, next: impl FnOnce() -> io::Result<IoUring>) -> io::Result<IoUring> {
    if error.kind() == io::ErrorKind::InvalidInput { next() } else { Err(error) }
}

impl IoQueue for UringQueue<'_> {
    #[inline]
    fn push(&mut self, task: QueuedPiece) -> io::Result<()> {
        let entry = self.entry(task);
        self.put(&entry)
    }

    fn submit_and_wait(
        &mut self,
        _arena: &mut Arena,
        until_ns: Option<u64>,
        ended: &mut Vec<CompletedPiece>,
    ) -> io::Result<()> {
        let waited = match until_ns {
            // Completions that are already there are taken first, without waiting.
            _ if !self.completion.is_empty() => {
                self.submission.sync();
                let new = self.submission.len() as u32;
                // SAFETY: so many entries are in the ring, and there is no argument.
                unsafe { self.submitter.enter::<libc::sigset_t>(new, 0, EnterFlags::GETEVENTS.bits(), None) }
            }
            None => {
                self.tick()?;
                self.submission.sync();
                self.submitter.submit_and_wait(1)
            }
            Some(until_ns) => {
                self.submission.sync();
                let ns = until_ns.saturating_sub(super::now_ns()).min(TICK_NS);
                let limit = Timespec::new().nsec(ns as u32);
                self.submitter.submit_with_args(1, &SubmitArgs::new().timespec(&limit))
            }
        };
        self.submission.sync();
        match waited {
            Ok(_) => {}
            // A time-out, a signal, or completions that must be taken first: no error.
            Err(e) if matches!(e.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)) => {}
            Err(e) => return Err(e),
        }
        self.completion.sync();
        for entry in self.completion.by_ref().take(self.at_once) {
            match entry.user_data() {
                TICK => self.ticking = false,
                tag => ended.push(CompletedPiece { tag, result: entry.result() }),
            }
        }
        self.completion.sync();
        Ok(())
    }
}

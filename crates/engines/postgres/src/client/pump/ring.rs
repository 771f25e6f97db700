//! Sockets on a ring of the kernel's (io_uring): what is to be sent, and what is to be listened to, goes to the kernel
//! in one call for all sessions of a thread, and what has come is there when that call returns. With a call for each of
//! the two, a third more cycles are taken from a server on the same machine.
//!
//! The kernel writes into memory, and reads from memory, that is given to it as an address; what is safe about it is
//! said at each place. Nothing of that leaves this file.
#![allow(unsafe_code, reason = "a ring takes addresses of memory, whose life the compiler cannot watch")]

use io_uring::{IoUring, cqueue, opcode, squeue, types};
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::SendFlags;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::ptr::NonNull;

/// Enough for a request of any test.
const OUT_BYTES: usize = 512;
/// Enough for the answers of most; a longer one comes in several pieces.
const IN_BYTES: usize = 1 << 10;
/// To send what there is room for now, and all of it if it can be; a peer that has gone raises no signal.
const SENDING: SendFlags =
    SendFlags::from_bits_retain(SendFlags::NOSIGNAL.bits() | SendFlags::DONTWAIT.bits() | MSG_WAITALL);
/// rustix knows it for receiving only.
const MSG_WAITALL: u32 = 0x100;

/// More than one is never needed; but it must end.
const TRIES_TO_END: usize = 5;

/// What a completion is about, in its upper half; the lower half is a socket's number.
const RECEIVED: u64 = 0;
const UNSENT: u64 = 1 << 32;
const TIMER_FIRED: u64 = 2 << 32;
const WOKEN: u64 = 3 << 32;

/// What has completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Completion {
    /// So many bytes have come for a socket, to be had from [`Ring::received`]; none: it has ended or failed.
    Received(usize, usize),
    /// Of the bytes given to a socket it has taken this many, and no more for now.
    Unsent(usize, usize),
    /// A socket can no longer be written to. What can be read of it may say why.
    Broken(usize),
    /// The timer has fired.
    Timer,
    /// Another thread has woken this one.
    Woken,
}

/// A ring with a number of sockets, a timer and a waker.
pub(super) struct Ring {
    ring: IoUring,
    memory: Memory,
    /// How long what was given to each socket last is.
    given: Vec<usize>,
    /// Sockets that are listened to.
    listening: Vec<bool>,
    /// Whether the timer and the waker are watched.
    timer_watched: bool,
    waker_watched: bool,
}

impl Ring {
    /// A ring for the calling thread, which alone may use it. It keeps what the descriptors stand for, also when they
    /// are closed.
    ///
    /// # Errors
    /// The kernel has none, or not for us: before 6.1, or in a container that forbids it.
    pub(super) fn new(sockets: &[RawFd], timer: BorrowedFd<'_>, waker: BorrowedFd<'_>) -> io::Result<Self> {
        // Each socket is sent to and listened to once a turn, and there are the timer and the waker.
        let entries = (2 * sockets.len() + 2).next_power_of_two();
        let ring = build(u32::try_from(entries).unwrap_or(u32::MAX))?;
        let fds: Vec<RawFd> = sockets.iter().copied().chain([timer.as_raw_fd(), waker.as_raw_fd()]).collect();
        ring.submitter().register_files(&fds)?;
        let n = sockets.len();
        let memory = Memory::new(n * (OUT_BYTES + IN_BYTES));
        let (given, listening) = (vec![0; n], vec![false; n]);
        Ok(Self { ring, memory, given, listening, timer_watched: false, waker_watched: false })
    }

    /// Notes bytes to be sent to socket `n`; false where they are too many for that, and nothing was noted. Between a
    /// request and its answer nothing more may be given.
    #[inline]
    pub(super) fn send(&mut self, n: usize, bytes: &[u8]) -> io::Result<bool> {
        if bytes.len() > OUT_BYTES {
            return Ok(false);
        }
        let room = self.memory.outgoing(n);
        // SAFETY: `room` is OUT_BYTES of our memory, which nobody else has a reference to. The kernel reads there only
        // while it takes up what was noted, within `wait` (a send that must not wait is done or refused there).
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), room.as_ptr(), bytes.len()) };
        self.given[n] = bytes.len();
        let send = opcode::Send::new(fixed(n), room.as_ptr(), length(bytes.len())).flags(SENDING.bits().cast_signed());
        // What goes as it should need not be told.
        self.note(&send.build().flags(squeue::Flags::SKIP_SUCCESS).user_data(UNSENT | n as u64))?;
        Ok(true)
    }

    /// Notes that what comes for socket `n` next is to be received.
    // Part of each request, as is `send`: a call of its own is a third of it.
    #[inline(always)]
    pub(super) fn listen(&mut self, n: usize) -> io::Result<()> {
        if self.listening[n] {
            return Ok(());
        }
        self.listening[n] = true;
        let room = self.memory.incoming(n).as_ptr();
        // Nothing is there yet: to look first would be in vain.
        let receive = opcode::Recv::new(fixed(n), room, length(IN_BYTES)).ioprio(POLL_FIRST);
        self.note(&receive.build().user_data(RECEIVED | n as u64))
    }

    /// Gives the kernel what was noted and waits until something has completed, or does not wait.
    pub(super) fn wait(&mut self, at_once: bool) -> Result<(), Errno> {
        let sockets = self.listening.len();
        if !mem::replace(&mut self.timer_watched, true) {
            self.watch(sockets, TIMER_FIRED)?;
        }
        if !mem::replace(&mut self.waker_watched, true) {
            self.watch(sockets + 1, WOKEN)?;
        }
        let entered = if at_once {
            let now = types::Timespec::new();
            self.ring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&now))
        } else {
            self.ring.submit_and_wait(1)
        };
        match entered.map_err(errno) {
            // BUSY: there is so much to be taken up that nothing more is taken; what is noted goes the next time.
            Ok(_) | Err(Errno::INTR | Errno::TIME | Errno::BUSY) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The next of what had completed when it was waited for last.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Completion> {
        let event = self.ring.completion().next()?;
        let (kind, n) = (event.user_data() & !0xFFFF_FFFF, (event.user_data() & 0xFFFF_FFFF) as usize);
        let result = usize::try_from(event.result());
        Some(match kind {
            RECEIVED => {
                self.listening[n] = false;
                Completion::Received(n, result.unwrap_or(0))
            }
            UNSENT => match result {
                Ok(sent) => Completion::Unsent(n, sent),
                Err(_) if event.result() == -Errno::AGAIN.raw_os_error() => Completion::Unsent(n, 0),
                Err(_) => Completion::Broken(n),
            },
            TIMER_FIRED => {
                self.timer_watched = cqueue::more(event.flags());
                Completion::Timer
            }
            _ => {
                self.waker_watched = cqueue::more(event.flags());
                Completion::Woken
            }
        })
    }

    /// The bytes that came for a socket, until it is listened to again.
    #[inline]
    pub(super) fn received(&self, n: usize, bytes: usize) -> &[u8] {
        if self.listening[n] {
            return &[];
        }
        // SAFETY: within our memory, initialised when it was made, and the kernel has finished writing there.
        unsafe { std::slice::from_raw_parts(self.memory.incoming(n).as_ptr(), bytes.min(IN_BYTES)) }
    }

    /// The bytes that were given to a socket last.
    pub(super) fn given(&self, n: usize) -> &[u8] {
        // SAFETY: within our memory, initialised; the kernel only reads there.
        unsafe { std::slice::from_raw_parts(self.memory.outgoing(n).as_ptr(), self.given[n]) }
    }

    /// Notes that each time that a descriptor becomes readable is to be told.
    fn watch(&mut self, n: usize, kind: u64) -> Result<(), Errno> {
        let poll = opcode::PollAdd::new(fixed(n), u32::from(PollFlags::IN.bits())).multi(true);
        self.note(&poll.build().user_data(kind)).map_err(errno)
    }

    #[inline]
    fn note(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        loop {
            // SAFETY: what the entry points at is our memory, which stays until the kernel is done with it (see
            // `Drop`).
            if unsafe { self.ring.submission().push(entry) }.is_ok() {
                return Ok(());
            }
            self.ring.submit()?;
        }
    }
}

impl Drop for Ring {
    /// Memory goes only when the kernel has said of each receipt that it is over; otherwise it stays for ever.
    fn drop(&mut self) {
        for _ in 0..TRIES_TO_END {
            _ = self.wait(true);
            while self.next().is_some() {}
            if !self.listening.contains(&true) {
                self.memory.give_back();
                return;
            }
            // What it cannot do it will not have done when it is looked again.
            _ = self.ring.submitter().register_sync_cancel(None, types::CancelBuilder::any());
        }
    }
}

/// Whether there can be rings here.
pub(super) fn is_possible() -> bool {
    build(2).is_ok()
}

/// One thread submits, and completions wait until it asks for them: nothing interrupts it.
fn build(entries: u32) -> io::Result<IoUring> {
    let ring =
        IoUring::builder().setup_single_issuer().setup_defer_taskrun().setup_submit_all().dontfork().build(entries)?;
    if !ring.params().is_feature_skip_cqe_on_success() || !ring.params().is_feature_nodrop() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(ring)
}

/// `IORING_RECVSEND_POLL_FIRST`.
const POLL_FIRST: u16 = 1;

fn fixed(n: usize) -> types::Fixed {
    types::Fixed(length(n))
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn errno(error: io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

/// Memory that the kernel is told the address of: first what goes out, socket by socket, then what comes in. It is held
/// by its address alone, so that no reference of ours is alive while the kernel writes.
struct Memory {
    bytes: NonNull<[u8]>,
    sockets: usize,
}

impl Memory {
    fn new(bytes: usize) -> Self {
        let sockets = bytes / (OUT_BYTES + IN_BYTES);
        Self { bytes: NonNull::from(Box::leak(vec![0; bytes].into_boxed_slice())), sockets }
    }

    fn outgoing(&self, n: usize) -> NonNull<u8> {
        self.at(n, 0, OUT_BYTES)
    }

    fn incoming(&self, n: usize) -> NonNull<u8> {
        self.at(n, self.sockets * OUT_BYTES, IN_BYTES)
    }

    fn at(&self, n: usize, from: usize, each: usize) -> NonNull<u8> {
        assert!(n < self.sockets, "there is no socket {n}");
        // SAFETY: below the end, as n is below the number of sockets.
        unsafe { self.bytes.cast::<u8>().add(from + n * each) }
    }

    fn give_back(&mut self) {
        // SAFETY: it came from a box, and is used no more: this is called once, by the ring's end.
        drop(unsafe { Box::from_raw(self.bytes.as_ptr()) });
    }
}

#[cfg(test)]
mod tests {
    use super::super::timer::Timer;
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::os::fd::{AsFd as _, OwnedFd};
    use std::os::unix::net::UnixStream;

    /// A ring with our ends of so many connections, and the other ends; none where the kernel allows no ring.
    fn rings(sockets: usize) -> Option<(Ring, Vec<UnixStream>, Vec<UnixStream>)> {
        if !is_possible() {
            eprintln!("not tested: this kernel gives us no ring");
            return None;
        }
        let (ours, theirs): (Vec<_>, Vec<_>) = (0..sockets).map(|_| UnixStream::pair().unwrap()).unzip();
        let waker = rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC).unwrap();
        let ring = ring(&ours, &Timer::new().unwrap(), &waker);
        Some((ring, ours, theirs))
    }

    fn ring(sockets: &[UnixStream], timer: &Timer, waker: &OwnedFd) -> Ring {
        let fds: Vec<_> = sockets.iter().map(AsRawFd::as_raw_fd).collect();
        Ring::new(&fds, timer.as_fd(), waker.as_fd()).unwrap()
    }

    fn next(ring: &mut Ring) -> Completion {
        loop {
            if let Some(completion) = ring.next() {
                return completion;
            }
            ring.wait(false).unwrap();
        }
    }

    #[test]
    fn what_is_sent_arrives_and_what_arrives_is_handed_over_socket_by_socket() {
        let Some((mut ring, _ours, mut theirs)) = rings(3) else { return };
        for round in 0..5_u8 {
            for n in 0..3 {
                assert!(ring.send(n, &[round, n as u8]).unwrap());
                ring.listen(n).unwrap();
            }
            ring.wait(true).unwrap();
            assert_eq!(ring.next(), None, "nothing was answered, and what was sent is not told");
            for n in [2, 0, 1] {
                let mut request = [0; 2];
                theirs[n].read_exact(&mut request).unwrap();
                assert_eq!(request, [round, n as u8]);
                theirs[n].write_all(&[9, n as u8, round]).unwrap();
                assert_eq!(next(&mut ring), Completion::Received(n, 3));
                assert_eq!(ring.received(n, 3), [9, n as u8, round]);
            }
        }
    }

    #[test]
    fn what_does_not_go_is_told() {
        let Some((mut ring, ours, theirs)) = rings(2) else { return };
        assert!(!ring.send(0, &[0; OUT_BYTES + 1]).unwrap(), "no room for that");
        // Nobody reads there: what goes, goes in part at the end, or not at all.
        let mut told = None;
        for _ in 0..100_000 {
            assert!(ring.send(0, &[7; OUT_BYTES]).unwrap());
            ring.wait(true).unwrap();
            told = ring.next();
            if told.is_some() {
                break;
            }
        }
        let Some(Completion::Unsent(0, sent)) = told else { panic!("{told:?}") };
        assert_eq!(ring.next(), None);
        assert!(sent < OUT_BYTES && ring.given(0) == [7; OUT_BYTES]);
        // The other side has gone: what it said before is read, then comes its end.
        (&theirs[1]).write_all(b"bye").unwrap();
        drop(theirs);
        assert!(ring.send(1, b"hello").unwrap());
        ring.listen(1).unwrap();
        let mut said = [next(&mut ring), next(&mut ring)];
        said.sort_by_key(|completion| matches!(completion, Completion::Received(..)));
        assert_eq!(said, [Completion::Broken(1), Completion::Received(1, 3)]);
        ring.listen(1).unwrap();
        assert_eq!(next(&mut ring), Completion::Received(1, 0));
        drop(ours);
    }

    #[test]
    fn the_timer_fires_each_time_that_it_was_set() {
        let Some((_, ours, _theirs)) = rings(1) else { return };
        let mut timer = Timer::new().unwrap();
        let waker = rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC).unwrap();
        let mut ring = ring(&ours, &timer, &waker);
        ring.listen(0).unwrap();
        for _ in 0..3 {
            timer.set(2, 1).unwrap();
            assert_eq!(next(&mut ring), Completion::Timer);
            ring.wait(true).unwrap();
            assert_eq!(ring.next(), None, "once");
        }
    }

    #[test]
    fn another_thread_wakes_it_each_time() {
        let Some((_, ours, _theirs)) = rings(1) else { return };
        let waker = rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC).unwrap();
        let mut ring = ring(&ours, &Timer::new().unwrap(), &waker);
        for _ in 0..3 {
            std::thread::scope(|scope| {
                scope.spawn(|| rustix::io::write(&waker, &1_u64.to_ne_bytes()).unwrap());
                assert_eq!(next(&mut ring), Completion::Woken);
            });
            ring.wait(true).unwrap();
            assert_eq!(ring.next(), None, "once");
        }
    }

    #[test]
    fn an_end_in_the_middle_takes_its_memory_along() {
        let Some((mut ring, _ours, mut theirs)) = rings(4) else { return };
        (0..4).for_each(|n| ring.listen(n).unwrap());
        ring.wait(true).unwrap();
        assert_eq!(ring.next(), None);
        assert!(ring.listening.iter().all(|listening| *listening));
        // One has an answer on its way that nobody has asked for yet.
        theirs[3].write_all(b"late").unwrap();
        for _ in 0..TRIES_TO_END {
            ring.wait(true).unwrap();
            while ring.next().is_some() {}
            _ = ring.ring.submitter().register_sync_cancel(None, types::CancelBuilder::any());
        }
        assert!(!ring.listening.contains(&true), "the kernel is done with all of it");
        drop(ring);
        theirs[0].write_all(b"too late").unwrap();
    }
}

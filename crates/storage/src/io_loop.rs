//! The loop of a measuring thread, which keeps its I/Os outstanding. The clock is read once for all I/Os that completed
//! together. That is when their completions were seen and, in a closed loop, when their successors are submitted.

mod completions;

use crate::SECTOR_BYTES;
use crate::arena::Arena;
use crate::backend::{CompletedPiece, IoQueue, QueuedPiece, now_ns};
use crate::breakdown::IoSample;
use crate::io_generator::IoGenerator;
use crate::record::{IoRecord, kind};
use crate::shared_state::{PointSchedule, SharedState};
use crate::verify::{Stamp, stamp};
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

/// For longer writes than this, preparing the data takes time that is not the device's; the clock is read again
/// afterwards.
const LONG_BYTES: u64 = 64 << 10;

/// Up to this many threads get huge pages.
const FEW_THREADS: u32 = 16;

/// How often an I/O is drawn again before its slot waits for the conflicting I/O. At least half of all places are free,
/// so waits are rare.
const MOST_DRAWS: u32 = 64;
/// The longest wait when nothing of this thread completes.
const WAIT_NS: u64 = 1_000_000;

/// A slot for one outstanding I/O.
#[derive(Debug, Clone, Default)]
struct Slot {
    large: bool,
    stream: u32,
    /// Offsets in the arena for data read, and for data to be written.
    read_at: usize,
    write_at: usize,
    write: bool,
    unit: u64,
    /// The number of the write, where writes are stamped.
    sequence: u64,
    started_ns: u64,
    due_ns: u64,
    /// Pieces that have not completed.
    pieces: u32,
    /// LUN and offset of the first piece, and whether that is the whole I/O.
    lun: u32,
    whole: bool,
    failed: bool,
}

/// The I/Os of one thread.
pub(crate) struct IoLoop<'a> {
    shared: &'a SharedState,
    record: &'a Mutex<IoRecord>,
    thread: u32,
    pub arena: Arena,
    slots: Vec<Slot>,
    draws: IoGenerator,
    /// Free slots, small and large.
    free: [Vec<u32>; 2],
    /// In an open loop: when the next I/O is due, once it is taken from the timetable.
    due_ns: [Option<u64>; 2],
    in_flight: u32,
    /// Whether the clock is read again before I/Os are submitted.
    read_again: bool,
    /// Slots whose I/O waits for that.
    begun: Vec<u32>,
}

/// One thread's share of a number; the shares add up exactly.
pub(crate) fn share(n: u32, of: u32, among: u32) -> u32 {
    n / among + u32::from(of < n % among)
}

impl<'a> IoLoop<'a> {
    /// The I/Os of one of several threads.
    pub(crate) fn new(shared: &'a SharedState, thread: u32, threads: u32) -> io::Result<Self> {
        let load = &shared.load;
        // The first threads have one more small I/O, the last threads one more large I/O.
        let small = share(load.small, thread, threads);
        let place = threads - 1 - thread;
        let large = share(load.large, place, threads);
        let before: u32 = (0..place).map(|place| share(load.large, place, threads)).sum();
        // Data that was read must not be written.
        let apart = load.writes() && load.write_pct < 100;
        let mut bytes = 0;
        let mut room = |large: bool| {
            let at = bytes;
            bytes += load.bytes(large).next_multiple_of(4096) as usize;
            at
        };
        let mut slots: Vec<Slot> = Vec::new();
        for n in 0..small + large {
            let large = n >= small;
            let read_at = room(large);
            let write_at = if apart { room(large) } else { read_at };
            let stream = (before + n.saturating_sub(small)) % shared.targets.streams().max(1);
            slots.push(Slot { large, stream, read_at, write_at, whole: true, ..Slot::default() });
        }
        let mut draws = IoGenerator::new(load.seed, thread, threads);
        let mut arena = Arena::new(bytes, load.huge_pages && threads <= FEW_THREADS)?;
        if load.writes() && !load.verify {
            for slot in &slots {
                let at = slot.write_at..slot.write_at + load.bytes(slot.large) as usize;
                arena.get_mut(at).chunks_exact_mut(8).for_each(|word| {
                    word.copy_from_slice(&draws.mixer.draw().to_le_bytes());
                });
            }
        }
        let longest = if large > 0 { load.large_bytes } else { load.small_bytes };
        Ok(Self {
            shared,
            record: shared.record(thread),
            thread,
            arena,
            free: [(0..small).rev().collect(), (small..small + large).rev().collect()],
            slots,
            draws,
            due_ns: [None; 2],
            in_flight: 0,
            read_again: load.verify || (load.writes() && longest > LONG_BYTES),
            begun: Vec::new(),
        })
    }

    /// How many I/Os it keeps outstanding.
    pub(crate) fn outstanding(&self) -> u32 {
        self.slots.len() as u32
    }

    /// The most pieces that can be under way.
    pub(crate) fn most_pieces(&self) -> u32 {
        self.slots.iter().map(|slot| self.shared.targets.space(slot.large).map_or(0, |s| s.most_pieces())).sum()
    }

    /// Keeps the I/Os outstanding until the point is over and the last one has completed.
    pub(crate) fn run(&mut self, schedule: &PointSchedule, queue: &mut impl IoQueue) -> io::Result<()> {
        let mut ended: Vec<CompletedPiece> = Vec::with_capacity(self.slots.len());
        let mut now = now_ns();
        loop {
            let mut until_ns = None;
            if now < schedule.end_ns.load(Relaxed) {
                let waits = match &schedule.timetables {
                    Some(timetables) => self.begin_due(queue, timetables, now)?,
                    None => self.begin_free(queue, now)?,
                };
                until_ns = self.due_ns.into_iter().flatten().chain(waits.then_some(now + WAIT_NS)).min();
            }
            if self.read_again {
                let started_ns = now_ns();
                self.begun.drain(..).for_each(|slot| self.slots[slot as usize].started_ns = started_ns);
            }
            queue.submit_and_wait(&mut self.arena, until_ns, &mut ended)?;
            now = now_ns();
            let end_ns = schedule.end_ns.load(Relaxed);
            self.take(queue, schedule, &mut ended, now, end_ns)?;
            if now >= end_ns && (self.in_flight == 0 || now >= schedule.give_up_ns.load(Relaxed)) {
                break;
            }
        }
        self.give_up(now);
        Ok(())
    }

    /// Records what has completed, and replaces it.
    fn take(
        &mut self,
        queue: &mut impl IoQueue,
        schedule: &PointSchedule,
        ended: &mut Vec<CompletedPiece>,
        now: u64,
        end_ns: u64,
    ) -> io::Result<()> {
        let (window, open) = (schedule.begin_ns..end_ns, schedule.timetables.is_some());
        let again = now < end_ns && !open;
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        for CompletedPiece { tag, result } in ended.drain(..) {
            let (n, part) = (tag as u32, (tag >> 32) as u32);
            let slot = &mut self.slots[n as usize];
            slot.pieces -= 1;
            let aimed = self.shared.load.bytes(slot.large);
            if result < 0 || (result as u64) < aimed {
                self.look_at(&mut record, n, part, result, now);
            }
            let slot = &self.slots[n as usize];
            // I/Os that were due in the window count whenever they end. Otherwise a stall at the window's end would be
            // invisible.
            let (moment_ns, from_ns) = if open { (slot.due_ns, slot.due_ns) } else { (now, slot.started_ns) };
            let inside = window.contains(&moment_ns) && !slot.failed;
            let (lun, bytes) = if slot.whole { (slot.lun, aimed) } else { self.part(slot, part) };
            let at_ns = moment_ns.saturating_sub(schedule.begin_ns);
            let moment = IoSample { at_ns, took_ns: now.saturating_sub(from_ns), bytes, lun, write: slot.write };
            if inside {
                record.breakdown.part(moment);
            }
            if slot.pieces > 0 {
                continue;
            }
            self.in_flight -= 1;
            if !slot.failed {
                let kind = kind(slot.large, slot.write);
                record.all[kind] += 1;
                if inside {
                    let moment = IoSample { bytes: aimed, ..moment };
                    record.inside(kind, now - slot.started_ns, now.saturating_sub(slot.due_ns), moment);
                }
                if open && window.contains(&now) {
                    record.completed.0 += 1;
                    record.completed.1 += u64::from(inside);
                }
                if self.shared.load.verify && !slot.write {
                    self.prove(&mut record, n);
                }
            }
            if let Some(claims) = &self.shared.claims {
                let slot = &self.slots[n as usize];
                claims.release(self.owner(n), (!slot.failed).then_some(slot.sequence));
            }
            if again {
                self.begin(queue, n, now, now)?;
            } else {
                self.free[usize::from(self.slots[n as usize].large)].push(n);
            }
        }
        Ok(())
    }

    /// Begins an I/O in a free slot. Returns false, and leaves the slot free, where every drawn I/O conflicts with one
    /// under way.
    #[inline]
    fn begin(&mut self, queue: &mut impl IoQueue, n: u32, now: u64, due_ns: u64) -> io::Result<bool> {
        let Some((unit, write)) = self.draw(n) else {
            self.free[usize::from(self.slots[n as usize].large)].push(n);
            return Ok(false);
        };
        let slot = &mut self.slots[n as usize];
        (slot.unit, slot.write, slot.started_ns, slot.due_ns) = (unit, write, now, due_ns);
        (slot.pieces, slot.whole, slot.failed) = (0, true, false);
        let mut at = if write { slot.write_at } else { slot.read_at };
        let (arena, draws, verify, run) = (&mut self.arena, &mut self.draws, self.shared.load.verify, self.shared.run);
        if write && verify {
            slot.sequence = self.shared.writes.fetch_add(1, Relaxed);
        }
        let sequence = slot.sequence;
        let mut pushed = Ok(());
        if let Some(space) = self.shared.targets.space(slot.large) {
            space.pieces(unit, |piece| {
                let end = at + piece.bytes as usize;
                match (write, verify) {
                    (true, true) => stamp(arena.get_mut(at..end), Stamp { offset: piece.offset, sequence, run }),
                    (true, false) => renew(arena.get_mut(at..end), draws.mixer.draw()),
                    _ => {}
                }
                let tag = u64::from(n) | u64::from(slot.pieces) << 32;
                let task = QueuedPiece { tag, lun: piece.lun, offset: piece.offset, at, bytes: piece.bytes, write };
                if pushed.is_ok() {
                    pushed = queue.push(task);
                }
                if slot.pieces == 0 {
                    slot.lun = piece.lun;
                }
                slot.whole = slot.pieces == 0;
                (at, slot.pieces) = (end, slot.pieces + 1);
            });
        }
        self.in_flight += 1;
        if self.read_again {
            self.begun.push(n);
        }
        pushed.map(|()| true)
    }

    /// Draws the I/O of a slot; `None` where it must wait. The conflicting I/O may be this thread's own, which
    /// completes only in its next call.
    #[inline]
    fn draw(&mut self, n: u32) -> Option<(u64, bool)> {
        let (large, stream) = (self.slots[n as usize].large, self.slots[n as usize].stream);
        for _ in 0..MOST_DRAWS {
            let (unit, write) = self.draws.next(&self.shared.targets, large, stream);
            let Some(claims) = &self.shared.claims else { return Some((unit, write)) };
            let mut pieces = Vec::new();
            if let Some(space) = self.shared.targets.space(large) {
                space.pieces(unit, |piece| pieces.push(piece));
            }
            if claims.claim(self.owner(n), write, pieces.into_iter()) {
                return Some((unit, write));
            }
        }
        None
    }

    /// The owner of a slot's claims among all threads.
    fn owner(&self, n: u32) -> u64 {
        u64::from(self.thread) << 32 | u64::from(n)
    }

    /// Begins I/Os in all free slots; returns whether any must wait.
    #[inline]
    fn begin_free(&mut self, queue: &mut impl IoQueue, now: u64) -> io::Result<bool> {
        for size in 0..self.free.len() {
            for slot in std::mem::take(&mut self.free[size]) {
                self.begin(queue, slot, now, now)?;
            }
        }
        Ok(self.free.iter().any(|free| !free.is_empty()))
    }

    /// Begins what is due, as far as there are free slots; returns whether any must wait.
    fn begin_due(
        &mut self,
        queue: &mut impl IoQueue,
        timetables: &[Option<crate::arrivals::Timetable>; 2],
        now: u64,
    ) -> io::Result<bool> {
        let mut waits = false;
        for (size, timetable) in timetables.iter().enumerate() {
            let Some(timetable) = timetable else { continue };
            while !self.free[size].is_empty() {
                let due_ns = *self.due_ns[size].get_or_insert_with(|| timetable.take());
                if due_ns > now {
                    break;
                }
                if let Some(slot) = self.free[size].pop()
                    && !self.begin(queue, slot, now, due_ns)?
                {
                    waits = true;
                    break;
                }
                self.due_ns[size] = None;
            }
        }
        Ok(waits)
    }
}

impl Drop for IoLoop<'_> {
    /// After giving up, or after a queue failed, I/Os may still be under way.
    fn drop(&mut self) {
        if self.in_flight > 0 {
            self.arena.abandon();
        }
    }
}

/// Makes new data from the data written before, with no two sectors alike.
#[inline]
fn renew(block: &mut [u8], number: u64) {
    for (n, sector) in (1..).zip(block.chunks_exact_mut(SECTOR_BYTES)) {
        let number: u64 = number.wrapping_add(n << 1);
        sector[..8].copy_from_slice(&number.to_le_bytes());
    }
}

//! What has come from the server and is not yet read: messages lie in one piece of memory that is used again and again.

use super::super::errors::Trouble;

/// Enough for the answers of all statements under test, so that 1,000 sessions cost little.
const SMALL_BYTES: usize = 1 << 10;
/// No message that dbdyno asks for is longer. What claims to be is none.
const LONGEST_BYTES: usize = 64 << 20;
/// A message's kind and its length.
const HEAD_BYTES: usize = 5;

pub(super) const ERROR: u8 = b'E';
pub(super) const READY: u8 = b'Z';
pub(super) const DATA_ROW: u8 = b'D';
pub(super) const COMMAND_COMPLETE: u8 = b'C';
pub(super) const AUTHENTICATION: u8 = b'R';
pub(super) const KEY_DATA: u8 = b'K';
pub(super) const PARAMETERS_OF_STATEMENT: u8 = b't';
pub(super) const ROW_DESCRIPTION: u8 = b'T';
pub(super) const NO_DATA: u8 = b'n';

/// A message of the server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message<'a> {
    /// Which one.
    pub(super) kind: u8,
    /// What follows its length.
    pub(super) body: &'a [u8],
}

impl<'a> Message<'a> {
    /// The first message of some bytes, if it is there as a whole. It is taken out of them.
    #[inline]
    pub(super) fn first(bytes: &mut &'a [u8]) -> Result<Option<Self>, Trouble> {
        let Some(([kind, length @ ..], rest)) = bytes.split_first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        let length = u32::from_be_bytes(*length) as usize;
        if !(4..=LONGEST_BYTES).contains(&length) {
            return Err(Trouble::protocol("a message of an impossible length"));
        }
        let Some((body, rest)) = rest.split_at_checked(length - 4) else { return Ok(None) };
        *bytes = rest;
        Ok(Some(Self { kind: *kind, body }))
    }
}

/// Bytes that have come.
pub(crate) struct Incoming {
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
}

impl Default for Incoming {
    fn default() -> Self {
        Self { bytes: vec![0; SMALL_BYTES], begin: 0, end: 0 }
    }
}

impl Incoming {
    /// The next message, if it is there as a whole. It is taken out.
    #[inline]
    pub(crate) fn message(&mut self) -> Result<Option<Message<'_>>, Trouble> {
        let mut rest = &self.bytes[self.begin..self.end];
        let message = Message::first(&mut rest);
        self.begin = self.end - rest.len();
        message
    }

    /// Whether all that has come was taken out.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    /// Where more can be put: never nothing.
    // Answers that are read where they lie need none, and should not be longer for it.
    #[inline(never)]
    pub(super) fn room(&mut self) -> &mut [u8] {
        if self.is_empty() {
            (self.begin, self.end) = (0, 0);
        } else if self.end == self.bytes.len() {
            if self.begin > 0 {
                self.bytes.copy_within(self.begin..self.end, 0);
                (self.begin, self.end) = (0, self.end - self.begin);
            } else {
                self.bytes.resize(self.bytes.len() * 2, 0);
            }
        }
        &mut self.bytes[self.end..]
    }

    /// Puts bytes there that were received elsewhere.
    #[inline]
    pub(crate) fn put(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = self.room();
            let fits = bytes.len().min(room.len());
            room[..fits].copy_from_slice(&bytes[..fits]);
            self.filled(fits);
            bytes = &bytes[fits..];
        }
    }

    /// So many bytes have been put there.
    pub(super) fn filled(&mut self, bytes: usize) {
        self.end = (self.end + bytes).min(self.bytes.len());
    }

    /// Makes room for so many bytes.
    pub(super) fn grow(&mut self, bytes: usize) {
        self.bytes.resize(bytes.max(self.bytes.len()), 0);
    }

    /// Gives back memory that a long message has taken.
    pub(super) fn shrink(&mut self) {
        if self.is_empty() && self.bytes.len() > SMALL_BYTES {
            *self = Self::default();
        }
    }
}

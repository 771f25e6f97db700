//! Devices and files as one address space: on which of them, and where, an I/O lies.

use crate::{Layout, Luns, StorageError};

/// Bytes of a sector with its own stamp: the smallest piece that a device can lose.
pub const SECTOR_BYTES: usize = 512;

/// A part of an I/O that lies on one device or file in one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub lun: u32,
    pub offset: u64,
    pub bytes: u32,
}

/// A range of the address space with one layout.
#[derive(Debug)]
struct Zone {
    /// Its beginning in the address space.
    from: u64,
    /// Its beginning on each of its members.
    offset: u64,
    members: Vec<u32>,
}

/// The addresses of I/Os of one size.
#[derive(Debug)]
pub(crate) struct Space {
    zones: Vec<Zone>,
    stripe_bytes: u64,
    unit_bytes: u64,
    /// The number of I/Os that fit side by side.
    pub units: u64,
}

impl Space {
    /// The addresses of I/Os of `unit_bytes`.
    pub(crate) fn new(luns: &Luns, layout: Layout, unit_bytes: u64) -> Result<Self, StorageError> {
        let sizes: Vec<u64> = luns.iter().map(|lun| lun.size_bytes).collect();
        let space = Self::of(&sizes, layout, unit_bytes);
        match luns.iter().find(|lun| lun.size_bytes < unit_bytes) {
            Some(lun) if layout == Layout::Concat || space.units == 0 => Err(StorageError::Load(format!(
                "{} has {} bytes, less than one I/O of {unit_bytes} bytes; name a larger one or a smaller I/O size",
                lun.path.display(),
                lun.size_bytes
            ))),
            _ if space.units == 0 => Err(StorageError::Load(format!(
                "in stripes of {} bytes there is no room for one I/O of {unit_bytes} bytes; use smaller stripes",
                space.stripe_bytes
            ))),
            _ => Ok(space),
        }
    }

    fn of(sizes: &[u64], layout: Layout, unit_bytes: u64) -> Self {
        let (zones, stripe_bytes, end) = match layout {
            // No I/O lies on two devices: the remainder at the end of one is not used.
            Layout::Concat => {
                let (mut zones, mut from) = (Vec::new(), 0);
                for (lun, size) in (0..).zip(sizes) {
                    zones.push(Zone { from, offset: 0, members: vec![lun] });
                    from += size / unit_bytes * unit_bytes;
                }
                (zones, u64::MAX, from)
            }
            Layout::Raid0 { stripe_bytes } => {
                let rows: Vec<u64> = sizes.iter().map(|size| size / stripe_bytes).collect();
                let mut ends = rows.clone();
                ends.sort_unstable();
                ends.dedup();
                let (mut zones, mut from, mut row) = (Vec::new(), 0, 0);
                for end in ends.into_iter().filter(|end| *end > 0) {
                    let members: Vec<u32> =
                        (0..).zip(&rows).filter(|(_, rows)| **rows >= end).map(|(lun, _)| lun).collect();
                    let bytes = (end - row) * stripe_bytes * members.len() as u64;
                    zones.push(Zone { from, offset: row * stripe_bytes, members });
                    (from, row) = (from + bytes, end);
                }
                (zones, stripe_bytes, from)
            }
        };
        Self { zones, stripe_bytes, unit_bytes, units: end / unit_bytes }
    }

    /// The pieces of one I/O in order: one piece, unless stripes divide it.
    #[inline]
    pub(crate) fn pieces(&self, unit: u64, mut take: impl FnMut(Piece)) {
        let (mut address, mut left) = (unit * self.unit_bytes, self.unit_bytes);
        while left > 0 {
            let zone = &self.zones[self.zones.partition_point(|zone| zone.from <= address) - 1];
            let within = address - zone.from;
            let members = zone.members.len() as u64;
            let (stripe, at) = (within / self.stripe_bytes, within % self.stripe_bytes);
            let bytes = left.min(self.stripe_bytes - at);
            take(Piece {
                lun: zone.members[(stripe % members) as usize],
                offset: zone.offset + stripe / members * self.stripe_bytes + at,
                bytes: bytes as u32,
            });
            (address, left) = (address + bytes, left - bytes);
        }
    }

    /// The most pieces that an I/O can have.
    pub(crate) fn most_pieces(&self) -> u32 {
        (self.unit_bytes / self.stripe_bytes) as u32 + 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn layouts() -> impl Strategy<Value = Layout> {
        prop_oneof![Just(Layout::Concat), (1u64..40).prop_map(|n| Layout::Raid0 { stripe_bytes: n * 512 })]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn every_unit_has_sectors_of_its_own_and_few_are_left(
            sectors in proptest::collection::vec(0u64..200, 1..6), layout in layouts(), unit in 1u64..24,
        ) {
            let sizes: Vec<u64> = sectors.iter().map(|n| n * 512).collect();
            let space = Space::of(&sizes, layout, unit * 512);
            let mut seen = BTreeSet::new();
            for n in 0..space.units {
                let (mut bytes, mut pieces) = (0, 0);
                space.pieces(n, |piece| {
                    (bytes, pieces) = (bytes + u64::from(piece.bytes), pieces + 1);
                    assert!(piece.offset + u64::from(piece.bytes) <= sizes[piece.lun as usize]);
                    for sector in 0..u64::from(piece.bytes) / 512 {
                        assert!(seen.insert((piece.lun, piece.offset / 512 + sector)), "used twice");
                    }
                });
                prop_assert_eq!(bytes, unit * 512);
                prop_assert!(pieces <= space.most_pieces());
            }
            let usable: u64 = match layout {
                Layout::Concat => sectors.iter().map(|n| n / unit * unit).sum(),
                Layout::Raid0 { stripe_bytes } => {
                    let all: u64 = sizes.iter().map(|size| size / stripe_bytes * stripe_bytes / 512).sum();
                    all / unit * unit
                }
            };
            prop_assert_eq!(seen.len() as u64, usable);
        }
    }

    #[test]
    fn stripes_go_round_and_then_round_the_larger_ones() {
        let space = Space::of(&[2 * 4096, 4 * 4096], Layout::Raid0 { stripe_bytes: 4096 }, 4096);
        let mut places = Vec::new();
        (0..space.units).for_each(|n| space.pieces(n, |piece| places.push((piece.lun, piece.offset / 4096))));
        assert_eq!(places, [(0, 0), (1, 0), (0, 1), (1, 1), (1, 2), (1, 3)]);
    }
}

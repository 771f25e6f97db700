//! Ids of a program's transaction types.

/// The most transaction types that a program may have.
pub const MOST_TYPES: usize = 32;

/// The number of a transaction type in its program, from 0 on. An unknown number counts as the last type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TypeId(u8);

impl TypeId {
    /// The first type, which is the only one of many programs.
    pub const FIRST: Self = Self(0);

    /// The type of a number.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// How many transaction types a program has: 1 to [`MOST_TYPES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Types(u8);

/// A program has no transaction types, or too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are 1 to {MOST_TYPES} transaction types, not {0}")]
pub struct TypesError(pub usize);

impl Types {
    /// One type, as a test has.
    pub const ONE: Self = Self(1);

    /// So many types.
    ///
    /// # Errors
    /// There are none, or more than [`MOST_TYPES`].
    pub fn new(types: usize) -> Result<Self, TypesError> {
        let known = u8::try_from(types).ok().filter(|_| (1..=MOST_TYPES).contains(&types));
        known.map(Self).ok_or(TypesError(types))
    }

    /// How many.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0 as usize
    }

    /// Their numbers.
    pub fn ids(self) -> impl Iterator<Item = TypeId> {
        (0..self.0).map(TypeId)
    }

    /// The number of the type itself if it is one of these, else of the last one, so that nothing recorded is lost.
    #[inline]
    pub(super) fn known(self, of: TypeId) -> u8 {
        debug_assert!(of.0 < self.0, "a transaction of a type that the recorder was not made for");
        of.0.min(self.0 - 1)
    }
}

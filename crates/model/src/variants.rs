//! The variants of enums.

use strum::VariantArray;

/// All variants of an enum, in the order in which it lists them. Another number of them does not compile.
pub(crate) const fn all<T: VariantArray + Copy, const N: usize>() -> [T; N] {
    match T::VARIANTS.first_chunk() {
        Some(all) if T::VARIANTS.len() == N => *all,
        _ => panic!("the enum has another number of variants"),
    }
}

//! What JSON and TOML have as a text: as it is typed on the command line.

use crate::{Mix, Ramp, Rate, Think};

/// Lets serde read and write these by their `FromStr` and `Display`.
macro_rules! as_text {
    ($($of:ty),+) => {$(
        impl TryFrom<String> for $of {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$of> for String {
            fn from(of: $of) -> Self {
                of.to_string()
            }
        }
    )+};
}

as_text! { Mix, Ramp, Rate, Think }

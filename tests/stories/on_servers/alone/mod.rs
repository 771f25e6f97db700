//! Stories that compare rates of different moments: they run one by one, with nothing beside them.

use super::{Product, stories};

mod search;
mod slob;

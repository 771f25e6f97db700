//! Drivers that are not ours stop short (they panic) where they meet what they do not expect: packets of a server that
//! is none, letters beyond ASCII in a descriptor. That is a finding about the target and no fault of dbdyno's, so it
//! becomes an error, and nothing is printed about it.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is in a driver's hands.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

static INSTALL: Once = Once::new();

/// What `work` answers; nothing where it panics. What it borrowed must not be used again then.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    INSTALL.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            // A thread that ends has no such cell any more, and is not quiet.
            if !QUIET.try_with(Cell::get).unwrap_or(false) {
                usual(about);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught() {
        assert_eq!(caught(|| 1), Some(1));
        assert_eq!(caught(|| -> u8 { panic!("as a driver does") }), None);
        assert!(!QUIET.get());
    }
}

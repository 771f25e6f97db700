//! The memory that is available for I/O.

/// Bytes that the system can give without taking them from others; `None` where it does not say.
pub(crate) fn available_bytes() -> Option<u64> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let kb = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?.trim().strip_suffix("kB")?;
    kb.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_is_read_from_what_the_kernel_says() {
        let text = "MemTotal:       24689764 kB\nMemFree:          307468 kB\nMemAvailable:   23098736 kB\n";
        assert_eq!(available_in(text), Some(23_098_736 * 1024));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert!(available_bytes().is_none_or(|bytes| bytes > 0));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_left(text in "(MemAvailable:)?[ 0-9kB\n]{0,40}") {
            let _ = available_in(&text);
        }
    }
}

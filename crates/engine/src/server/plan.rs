//! Plans in one line, and what a note says that they must be: alternatives parted by ` | `; ` > ... > ` stands for any
//! nodes or none.

/// Whether a plan is one of those that a note allows.
pub fn fits(note: &str, plan: &str) -> bool {
    note.split(" | ").any(|alternative| {
        let alternative = alternative.trim();
        match alternative.split_once(" > ... > ") {
            // The rest stands at the end: what "..." skips, it skips only there.
            Some((first, last)) => {
                let rest = plan.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
                rest.is_some_and(|between| between.starts_with(" > ") && between.ends_with(" > "))
            }
            None => plan == alternative,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_allow_alternatives_and_gaps() {
        assert!(fits("A > B | A > C", "A > C"));
        assert!(!fits("A > B | A > C", "A > D"));
        assert!(fits("A > ... > C", "A > B > C") && fits("A > ... > C", "A > B > B > C"));
        assert!(fits("A > ... > C", "A > C"), "a gap of nothing");
        assert!(!fits("A > ... > C", "A > B > CC") && !fits("A > ... > C", "AA > B > C"));
    }
}

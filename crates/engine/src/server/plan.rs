//! Plans in one line, and what a note says of them. Where plans are stable, a note says what they must be: alternatives
//! parted by ` | `; ` > ... > ` stands for any nodes or none. Where they differ from release to release in nodes that
//! are of no interest, a note names the nodes that they must have, in order, and another one those that they must not
//! have; a star stands for any text, and `|` parts forms of a node.

/// What parts nodes, in notes and in plans.
const CHILD: &str = " > ";

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

/// Whether a plan has the nodes of a note in their order, with others between them, and no node like those that
/// `never` lists, parted by `;`.
///
/// # Errors
/// It has not, or it has one of these: what is wrong.
pub fn has_nodes(note: &str, never: &str, plan: &str) -> Result<(), String> {
    let mut nodes = plan.split(CHILD);
    let is_one_of = |node: &str, forms: &str| forms.split('|').any(|form| is_like(node, form));
    if !note.split(CHILD).all(|wanted| nodes.any(|node| is_one_of(node, wanted))) {
        return Err(format!("the plan must have {note}, and is {plan}"));
    }
    let never: Vec<&str> = never.split(';').map(str::trim).filter(|node| !node.is_empty()).collect();
    match plan.split(CHILD).find(|node| never.iter().any(|pattern| is_like(node, pattern))) {
        Some(node) => Err(format!("the plan must have no {node}, and is {plan}")),
        None => Ok(()),
    }
}

/// Whether a node is as a pattern says, in which a star stands for any text.
fn is_like(node: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => node == pattern,
        Some((first, rest)) => node.strip_prefix(first).is_some_and(|left| {
            let cuts = left.char_indices().map(|(at, _)| at).chain([left.len()]);
            cuts.into_iter().any(|at| is_like(&left[at..], rest))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_compared_as_patterns() {
        assert!(is_like("TABLE ACCESS BY INDEX ROWID BATCHED on t", "TABLE ACCESS BY * on t"));
        assert!(!is_like("TABLE ACCESS BY INDEX ROWID on t_2", "TABLE ACCESS BY * on t"));
        assert!(is_like("HASH GROUP BY", "* GROUP BY*") && is_like("SORT GROUP BY PIVOT", "* GROUP BY*"));
        assert!(!is_like("VIEW", "* GROUP BY*") && is_like("VIEW", "VIEW"));
    }

    #[test]
    fn a_node_may_have_forms() {
        let has = |plan| has_nodes("A|B * > C", "X*", plan);
        assert!(has("A > C").is_ok() && has("B 1 > D > C").is_ok());
        assert!(has("D > C").is_err() && has("A > C > X 1").is_err());
    }

    #[test]
    fn notes_allow_alternatives_and_gaps() {
        assert!(fits("A > B | A > C", "A > C"));
        assert!(!fits("A > B | A > C", "A > D"));
        assert!(fits("A > ... > C", "A > B > C") && fits("A > ... > C", "A > B > B > C"));
        assert!(fits("A > ... > C", "A > C"), "a gap of nothing");
        assert!(!fits("A > ... > C", "A > B > CC") && !fits("A > ... > C", "AA > B > C"));
    }
}

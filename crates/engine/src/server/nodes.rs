//! The nodes of a server taken together: their number, their counters, and what was seen of their sessions.

use super::Seen;
use crate::{EngineError, for_everybody};
use dbdyno_model::{Counter, Counters, WaitCount};

/// How many nodes there are.
pub fn node_count<T>(nodes: &[T]) -> u32 {
    u32::try_from(nodes.len()).unwrap_or(u32::MAX)
}

/// The server-wide counters of all nodes, added up. `read` reads those of the node with an index.
///
/// # Errors
/// The first error of a node.
pub fn statistics(
    nodes: usize,
    read: impl FnMut(usize) -> Result<Counters, EngineError>,
) -> Result<Counters, EngineError> {
    let counters: Result<Vec<Counters>, EngineError> = (0..nodes).map(read).collect();
    Ok(for_everybody(sum(counters?)))
}

/// The counters of several nodes, added up. A counter that one of them lacks has no sum, but the reason of that node.
pub(super) fn sum(nodes: Vec<Counters>) -> Counters {
    let mut nodes = nodes.into_iter();
    let Some(mut sum) = nodes.next() else { return Counters::default() };
    for node in nodes {
        for (counter, value) in &mut sum.values {
            match node.values.get(counter) {
                Some(more) => *value += more,
                None => {
                    let why = node.missing.get(counter).cloned().unwrap_or_else(|| "not told".to_owned());
                    sum.missing.insert(*counter, why);
                }
            }
        }
        sum.values.retain(|counter, _| !sum.missing.contains_key(counter));
        add_waits(&mut sum.waits, node.waits);
    }
    sum
}

/// Adds what the watches of all nodes have seen to the counters. If a watch has ended early, the work of other sessions
/// is not known.
pub(super) fn add_seen(counters: &mut Counters, all_seen: impl Iterator<Item = Seen>) {
    let (mut foreign_ns, mut ended) = (0, None);
    for seen in all_seen {
        foreign_ns += seen.foreign_busy_ns;
        add_waits(&mut counters.waits, seen.waits());
        ended = ended.or(seen.ended);
    }
    counters.note(Counter::ForeignBusyNs, ended.map_or(Ok(foreign_ns), Err));
}

/// Adds waits by event. The time of an event is known only if it is known of all its waits.
fn add_waits(sums: &mut Vec<WaitCount>, more: Vec<WaitCount>) {
    for wait in more {
        match sums.iter_mut().find(|known| known.is_like(&wait)) {
            Some(sum) => {
                sum.count += wait.count;
                sum.time_ns = sum.time_ns.zip(wait.time_ns).map(|(a, b)| a + b);
                for (us, count) in wait.buckets_us {
                    *sum.buckets_us.entry(us).or_default() += count;
                }
            }
            None => sums.push(wait),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_add_up_and_share_what_they_lack() {
        let one = Counters {
            values: std::collections::BTreeMap::from([(Counter::Commits, 3), (Counter::RedoBytes, 5)]),
            ..Counters::default()
        };
        let mut two =
            Counters { values: std::collections::BTreeMap::from([(Counter::Commits, 4)]), ..Counters::default() };
        two.missing.insert(Counter::RedoBytes, "a standby".to_owned());
        let both = sum(vec![one, two]);
        assert_eq!(both.get(Counter::Commits), Some(7));
        assert_eq!((both.get(Counter::RedoBytes), both.missing[&Counter::RedoBytes].as_str()), (None, "a standby"));
    }
}

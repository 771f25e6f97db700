//! Several nodes as one: their number, their counters, and what was seen of their sessions.

use super::Seen;
use crate::{EngineError, for_everybody};
use dbdyno_model::{Counter, Counters, WaitCount};

/// How many nodes there are.
pub fn node_count<T>(nodes: &[T]) -> u32 {
    u32::try_from(nodes.len()).unwrap_or(u32::MAX)
}

/// What each of so many nodes has counted for everybody, read one after the other, together.
///
/// # Errors
/// That of a node.
pub fn statistics(
    nodes: usize,
    read: impl FnMut(usize) -> Result<Counters, EngineError>,
) -> Result<Counters, EngineError> {
    let nodes: Result<Vec<Counters>, EngineError> = (0..nodes).map(read).collect();
    Ok(for_everybody(sum(nodes?)))
}

/// The counters of several nodes together. What one of them lacks, all lack.
pub(super) fn sum(nodes: Vec<Counters>) -> Counters {
    let mut all = nodes.into_iter();
    let Some(mut sum) = all.next() else { return Counters::default() };
    for node in all {
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

/// What the watches of all nodes have seen, added to their counters.
pub(super) fn add_seen(counters: &mut Counters, all_seen: impl Iterator<Item = Seen>) {
    let (mut foreign_ns, mut ended) = (0, None);
    for seen in all_seen {
        foreign_ns += seen.foreign_busy_ns;
        add_waits(&mut counters.waits, seen.waits());
        ended = ended.or(seen.ended);
    }
    counters.note(Counter::ForeignBusyNs, ended.map_or(Ok(foreign_ns), Err));
}

fn add_waits(all: &mut Vec<WaitCount>, more: Vec<WaitCount>) {
    for wait in more {
        match all.iter_mut().find(|known| known.class == wait.class && known.event == wait.event) {
            Some(sum) => {
                sum.count += wait.count;
                sum.time_ns = sum.time_ns.zip(wait.time_ns).map(|(a, b)| a + b);
                for (us, count) in wait.buckets_us {
                    *sum.buckets_us.entry(us).or_default() += count;
                }
            }
            None => all.push(wait),
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

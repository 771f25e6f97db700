//! The nodes of a point: who watches the sessions there, and one reading of all.

use super::connection::Connection;
use super::nodes::{add_seen, sum};
use super::watch::{Looker, Watch};
use crate::{EngineError, Others, PointStatistics, Sampling};
use dbdyno_model::{Counter, Counters, ErrorClass};

/// The nodes that a point works on, and a watch on each, unless nobody watches.
pub(super) struct Watches<L: Connection> {
    nodes: usize,
    watches: Result<Vec<Watch<L>>, String>,
}

/// What one node has counted for a point.
pub struct NodeStatistics {
    /// Its counters.
    pub counters: Counters,
    /// Commits of others there, or why they are not told.
    pub others: Result<Others, String>,
}

impl<L: Connection> Watches<L> {
    /// Begins to watch the nodes of a point, of which so many work, if they are to be watched. One without a watch is a
    /// point all the same; the reason is with its missing figures.
    pub(super) fn begin(
        (working, sampling): (u32, Sampling),
        of: usize,
        start: impl FnMut(usize) -> Result<Watch<L>, EngineError>,
    ) -> Self {
        let nodes = of.min(working as usize);
        let watches = match sampling {
            Sampling::On => (0..nodes).map(start).collect::<Result<Vec<Watch<L>>, EngineError>>(),
            Sampling::Off => {
                return Self { nodes, watches: Err("the sessions were not watched (--no-sampling)".to_owned()) };
            }
        };
        Self { nodes, watches: watches.map_err(|error| format!("the sessions could not be watched: {error}")) }
    }

    /// Ways to look over the watches' connections.
    ///
    /// # Errors
    /// Nobody watches: why.
    pub(super) fn lookers(&self) -> Result<Vec<Looker<L>>, EngineError> {
        let watches = self.watches.as_ref().map_err(|why| EngineError::new(ErrorClass::Unsupported, why))?;
        Ok(watches.iter().map(Watch::looker).collect())
    }

    /// What all nodes have counted, and what was seen there. `read` reads one, with its watch and what an earlier
    /// reading of the point has told of others there; nodes that do not work have nothing to say about the point.
    ///
    /// # Errors
    /// That of a node.
    pub(super) fn read(
        &self,
        earlier: Option<&PointStatistics>,
        mut read: impl FnMut(usize, Option<&Watch<L>>, Option<Others>) -> Result<NodeStatistics, EngineError>,
    ) -> Result<PointStatistics, EngineError> {
        let (mut counters, mut others) = (Vec::new(), Vec::new());
        for node in 0..self.nodes {
            let watch = self.watches.as_ref().ok().and_then(|watches| watches.get(node));
            let told = read(node, watch, earlier.and_then(|earlier| earlier.others(node)))?;
            counters.push(told.counters);
            others.push(told.others);
        }
        let mut counters = sum(counters);
        match &self.watches {
            Ok(watches) => add_seen(&mut counters, watches.iter().map(Watch::seen)),
            Err(why) => _ = counters.missing.insert(Counter::ForeignBusyNs, why.clone()),
        }
        Ok(PointStatistics::new(counters, others.into_iter().collect()))
    }
}

/// The error of statistics of a point that are asked for where none has begun.
pub(super) fn no_point() -> EngineError {
    EngineError::new(ErrorClass::Other, "counters were asked for outside a point")
}

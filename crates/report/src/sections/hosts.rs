//! The hosts of a fleet, a line for each in each point: its share, how well its clock is known, and how busy it was.

use crate::sections::prelude::*;
use dbdyno_model::AgentUse;

/// The section of a run; without blocks where one host did all the work.
pub(crate) fn section(run: &RunJson) -> Section {
    let rows = run.points.iter().flat_map(|point| point.agents.iter().map(move |agent| row(point, agent))).collect();
    words::section("hosts").with(explained("hosts", "agents", rows))
}

fn row(point: &Point, agent: &AgentUse) -> Row {
    let ms = |seconds: Option<f64>| Cell::figure(seconds.map(|s| s * 1e3), Form::Decimals(2));
    // People count nodes from 1.
    let node = agent.node.map_or_else(Cell::empty, |node| Cell::count(node + 1));
    let done = Cell::figure(agent.ops_total.map(|ops| ops as f64), Form::Count);
    let work = [Cell::count(point.repeat), Cell::words(&agent.name), Cell::count(agent.jobs), node, done];
    let clock = [Some(agent.clock_bound_s), agent.started_after_s].map(ms);
    let host = [agent.host.busy_pct, agent.host.harness_pct, agent.host.runnable];
    let host = host.map(|figure| Cell::figure(figure, Form::Short));
    let place = [point.subject.name().name.to_owned(), point.dop.to_string()];
    Row::led(place, work.into_iter().chain(clock).chain(host))
}

//! The hosts of a fleet, a line for each in each point: its share, how well its clock is known, and how busy it was.

use super::words;
use crate::document::{Cell, Form, Row, Section};
use dbdyno_model::{AgentUse, Point, RunJson};

/// The section of a run; without blocks where one host did all the work.
pub(crate) fn section(run: &RunJson) -> Section {
    let rows = run.points.iter().flat_map(|point| point.agents.iter().map(move |agent| row(point, agent))).collect();
    words::section("hosts").with(words::explained("hosts", "agents", rows))
}

fn row(point: &Point, agent: &AgentUse) -> Row {
    let ms = |seconds: Option<f64>| Cell::figure(seconds.map(|s| s * 1e3), Form::Decimals(2));
    // People count nodes from 1.
    let node = agent.node.map_or_else(Cell::empty, |node| Cell::count(node + 1));
    Row::Cells(vec![
        Cell::words(point.subject.name().name),
        Cell::words(point.dop.to_string()),
        Cell::count(point.repeat),
        Cell::words(&agent.name),
        Cell::count(agent.jobs),
        node,
        Cell::figure(agent.ops_total.map(|ops| ops as f64), Form::Count),
        ms(Some(agent.clock_bound_s)),
        ms(agent.started_after_s),
        Cell::figure(agent.host.busy_pct, Form::Short),
        Cell::figure(agent.host.harness_pct, Form::Short),
        Cell::figure(agent.host.runnable, Form::Short),
    ])
}

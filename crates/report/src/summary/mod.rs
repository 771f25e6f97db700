//! What the key metrics are: the lines as data, the figures of each, the facts above them, remarks on throughputs.

pub(crate) mod figure;
pub(crate) mod head;
pub(crate) mod lines;
pub(crate) mod winners;

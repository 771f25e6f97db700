//! The HTML report: one file that needs a browser and no network. Charts are SVG with classes in place of colours, so
//! that one page works on paper, on a phone and in dark mode. Every text from outside is escaped (`maud`), and a policy
//! lets the browser run only the page's own script.

mod cells;
mod charts;
mod keys;
mod latency;
mod marks;
mod method;
mod one;
mod pace;
mod page;
mod published;
mod ramps;
mod reported;
mod scaling;
mod sheet;
mod sides;
mod storage;
mod table;
mod verdict;
mod waits;

pub use one::page;
pub use reported::{PointTimes, Reported};
pub use sides::comparison;

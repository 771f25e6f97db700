//! The HTML report: one file that needs a browser and no network. The style sheet gives the charts (SVG) their colours,
//! so that one page works on paper, on a phone and in dark mode. Every text from outside is escaped (`maud`), and a
//! content security policy lets the browser run only the page's own script.

mod cells;
mod charts;
mod keys;
mod latency;
mod marks;
mod method;
mod pace;
mod page;
mod published;
mod ramps;
mod reported;
mod run_page;
mod scaling;
mod sheet;
mod sides;
mod storage;
mod table;
mod verdict;
mod waits;

pub use reported::{PointTimes, Reported};
pub use run_page::page;
pub use sides::comparison;

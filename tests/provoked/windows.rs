//! Windows: too short, drifting, clocks that jump, writes that lie ahead.

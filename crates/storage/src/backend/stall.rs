//! A queue that stalls, for tests.

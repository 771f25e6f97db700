//! The results repository as its users see it: what was recorded is read back, whatever happens to the process, the
//! file system or the file, and every refusal says what to do.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod claiming;
mod full;
mod killed;
mod messages;
mod process;
mod reading;
mod round_trip;
mod sample;
mod transfer;

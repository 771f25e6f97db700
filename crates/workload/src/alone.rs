//! A program's transactions on one session, one after the other, with no clock, no rate and no window: where it is
//! enough that they are done.

use dbdyno_engine::client::Bound;
use dbdyno_engine::program::{Act, Outcome, Program, TypeId};
use dbdyno_engine::{EngineError, Request, Session};
use std::time::Duration;

/// A session that is prepared for a program's statements.
pub struct Alone {
    session: Box<dyn Session>,
    program: Box<dyn Program>,
}

impl Alone {
    /// A program on a session that is prepared for it.
    #[must_use]
    pub fn new(session: Box<dyn Session>, program: Box<dyn Program>) -> Self {
        Self { session, program }
    }

    /// Runs one transaction to its end. Returns its type, or none where the program has rolled it back.
    ///
    /// # Errors
    /// The engine's.
    pub fn transaction(&mut self) -> Result<Option<TypeId>, EngineError> {
        let Self { session, program } = self;
        let type_id = program.begin();
        let (mut committed, mut open) = (true, false);
        let mut act = program.act(None);
        loop {
            let request = match act {
                Act::Ended => {
                    program.ended(if committed { Outcome::Committed } else { Outcome::RolledBack });
                    return Ok(committed.then_some(type_id));
                }
                Act::Think(pause_ns) => {
                    std::thread::sleep(Duration::from_nanos(pause_ns));
                    act = program.act(None);
                    continue;
                }
                Act::Execute { statement, times, opens } => {
                    Request::Statement(Bound { statement, values: program.values(), times, opens })
                }
                Act::Commit => Request::Commit,
                // It has its session.
                Act::LogOn | Act::LogOff => {
                    act = program.act(None);
                    continue;
                }
                Act::Rollback => {
                    committed = false;
                    if !open {
                        act = program.act(None);
                        continue;
                    }
                    Request::Rollback
                }
            };
            open = match act {
                Act::Execute { opens, .. } => open || opens,
                _ => false,
            };
            let done = session.execute(&request).map_err(|failure| failure.error)?;
            act = program.act(Some((&done, session.answer())));
        }
    }

    /// Its session.
    pub fn session(&mut self) -> &mut dyn Session {
        self.session.as_mut()
    }
}

#[cfg(test)]
mod tests;

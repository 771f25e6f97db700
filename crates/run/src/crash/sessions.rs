//! The sessions of a crash test: each commits one transaction after the other until one of them gets an error.

use dbdyno_engine::{Engine, EngineError, Session};
use dbdyno_model::{CommitMode, Drive, Parameters};
use dbdyno_workload::crash::Crash;
use dbdyno_workload::{Alone, Dialect, User, Workload as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Hears of each transaction that was acknowledged, by its session and its number there.
pub(crate) type Acknowledge<'a> = dyn Fn(u32, u64) + Sync + 'a;

/// Sessions work until one of them has got an error, which is returned with those of the others.
///
/// # Errors
/// They cannot be opened or prepared.
pub fn work(
    engine: &dyn Engine,
    dialect: &Dialect,
    (cut, sessions, commit): (u32, u32, CommitMode),
    acknowledge: &Acknowledge<'_>,
) -> Result<Vec<EngineError>, EngineError> {
    let user = |number| User {
        number,
        of: sessions,
        seed: u64::from(cut),
        data: Crash.data_by_default(),
        parameters: Parameters::default(),
        form: Drive::Client,
    };
    let open = |number: u32| {
        let mut session = engine.client_session(number, 1)?;
        session.prepare_statements(&dialect.statements_of(&user(number), commit)?)?;
        Ok(session)
    };
    let opened = (0..sessions).map(open).collect::<Result<Vec<_>, EngineError>>()?;
    let over = AtomicBool::new(false);
    let ended = thread::scope(|scope| {
        let over = &over;
        let one = |(number, session): (u32, Box<dyn Session>)| {
            let session = Alone::new(session, Crash.program(user(number), Crash.types()));
            scope.spawn(move || until_an_error(session, over, &|seq| acknowledge(number, seq)))
        };
        let threads: Vec<_> = (0..).zip(opened).map(one).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok().flatten()).collect()
    });
    Ok(ended)
}

fn until_an_error(mut session: Alone, over: &AtomicBool, acknowledge: &dyn Fn(u64)) -> Option<EngineError> {
    for seq in 1.. {
        if over.load(Ordering::Relaxed) {
            return None;
        }
        if let Err(error) = session.transaction() {
            // With fewer sessions it would be another test.
            over.store(true, Ordering::Relaxed);
            return Some(error);
        }
        acknowledge(seq);
    }
    None
}

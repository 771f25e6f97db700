//! One host's share of a storage point.

use super::agent::host_use;
use super::contract::{Ready, Starts, StorageOrder};
use super::part::{Part, PartWork};
use crate::{Span, StopSwitch};
use dbdyno_engine::{EngineError, MonotonicClock};
use dbdyno_model::{ErrorClass, PumpKind, PumpUse};
use dbdyno_probe::{HarnessShare, Sampler};
use dbdyno_storage::{BackendKind, Luns, PreparedLoad, StorageError, WindowEdge};

/// Puts a host's share of a load on the devices and files that it shares with others; `doubts` are what could not be
/// proved of them.
///
/// # Errors
/// The load does not fit them, or the coordinator did not let it begin. Failed I/Os of the load are in the part.
pub fn measure_storage_part(
    (luns, doubts): (&Luns, &[String]),
    StorageOrder { load, backend }: &StorageOrder,
    clock: &MonotonicClock,
    starts: &mut dyn Starts,
    stop: &StopSwitch,
) -> Result<(), EngineError> {
    let failed = |error: StorageError| EngineError::other(error.to_string());
    load.fits(luns).map_err(failed)?;
    let prepared = PreparedLoad::new(luns, load, *backend, stop.switch()).map_err(failed)?;
    let not_begun = || EngineError::new(ErrorClass::Cancelled, "the coordinator did not let the point begin");
    let ready = Ready { doubts: doubts.to_vec(), ..Ready::default() };
    let starts_ns = starts.ready(ready).ok_or_else(not_begun)?;
    let sampler = Sampler::new(&[], HarnessShare::OwnProcess);
    let (mut before, mut after) = (None, None);
    let mut on_edge = |edge| match edge {
        WindowEdge::WindowBegins => before = Some(sampler.snapshot()),
        WindowEdge::WindowEnds => after = Some(sampler.snapshot()),
    };
    let measured = prepared.run(clock.system_ns(starts_ns), stop.switch(), &mut on_edge);
    if measured.stopped {
        return Err(EngineError::new(ErrorClass::Cancelled, "the point was stopped"));
    }
    let (start_ns, end_ns) = measured.window_ns;
    let window = Span { start_ns: clock.of_system_ns(start_ns), end_ns: clock.of_system_ns(end_ns) };
    let pump = PumpUse {
        kind: if measured.backend == BackendKind::Uring { PumpKind::IoUring } else { PumpKind::Threads },
        threads: measured.threads,
        sessions_follow: false,
    };
    let host = before.zip(after).map(|(before, after)| host_use(&sampler.difference(&before, &after)));
    let began_ns = clock.of_system_ns(measured.began_ns);
    let work = PartWork::Storage(Box::new(measured));
    starts.ended(Part { work, began_ns, window, pump, accounts: Vec::new(), host: host.unwrap_or_default() })
}

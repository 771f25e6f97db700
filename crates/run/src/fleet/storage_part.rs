//! One host's share of a storage point.

use super::agent::host_use;
use super::contract::{Ready, Starts, StorageOrder};
use super::part::{Part, PartWork};
use crate::{Span, StopSwitch};
use dbdyno_engine::{Clock, EngineError};
use dbdyno_model::{ErrorClass, PumpKind, PumpUse};
use dbdyno_probe::{HarnessShare, Sampler};
use dbdyno_storage::{BackendKind, Luns, PreparedLoad, StorageError, WindowEdge};
use std::time::Duration;

/// Puts a host's share of a load on the devices and files that it shares with others.
///
/// # Errors
/// The load does not fit them, or the coordinator did not let it begin. Failed I/Os are in the part.
pub fn measure_storage_part(
    luns: &Luns,
    StorageOrder { load, backend }: &StorageOrder,
    clock: &dyn Clock,
    starts: &mut dyn Starts,
    stop: &StopSwitch,
) -> Result<(), EngineError> {
    let failed = |error: StorageError| EngineError::other(error.to_string());
    load.fits(luns).map_err(failed)?;
    let prepared = PreparedLoad::new(luns, load, *backend, stop.switch()).map_err(failed)?;
    let not_begun = || EngineError::new(ErrorClass::Cancelled, "the coordinator did not let the point begin");
    let starts_ns = starts.ready(Ready::default()).ok_or_else(not_begun)?;
    let sampler = Sampler::new(&[], HarnessShare::OwnProcess);
    let (mut before, mut after) = (None, None);
    let mut on_edge = |edge| match edge {
        WindowEdge::WindowBegins => before = Some(sampler.snapshot()),
        WindowEdge::WindowEnds => after = Some(sampler.snapshot()),
    };
    let asked_ns = clock.now_ns();
    let measured = prepared.run(Duration::from_nanos(starts_ns.saturating_sub(asked_ns)), stop.switch(), &mut on_edge);
    // Where the word came late, everything is later.
    let from_ns = starts_ns.max(asked_ns);
    let start_ns = from_ns + (load.warm_up_s * 1e9) as u64;
    let window = Span { start_ns, end_ns: start_ns + (measured.window_s * 1e9).round() as u64 };
    let pump = PumpUse {
        kind: if measured.backend == BackendKind::Uring { PumpKind::IoUring } else { PumpKind::Threads },
        threads: measured.threads,
        sessions_follow: false,
    };
    let host = before.zip(after).map(|(before, after)| host_use(&sampler.difference(&before, &after)));
    let began_ns = from_ns + measured.began_late_ns;
    let work = PartWork::Storage(Box::new(measured));
    starts.ended(Part { work, began_ns, window, pump, accounts: Vec::new(), host: host.unwrap_or_default() })
}

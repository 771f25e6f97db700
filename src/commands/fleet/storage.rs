//! An agent's part in storage runs: its own names of the devices and files that all hosts share, and its own consent.

use super::reach::machine;
use crate::cli::FilesArgs;
use dbdyno_engine::{EngineError, MonotonicClock};
use dbdyno_fleet::StorageRun;
use dbdyno_run::{Starts, StopSwitch, StorageOrder, measure_storage_part};
use dbdyno_storage::safety::{Consent, HeldDevices, may_write_all};
use dbdyno_storage::{LunAccess, LunLikeness, Luns};

/// A storage run that this host has joined.
pub(super) struct JoinedStorage {
    luns: Luns,
    /// Which of them nobody can tell to be the coordinator's, and why.
    doubts: Vec<String>,
    /// While this host may write, nobody can mount them.
    _held: HeldDevices,
}

/// Opens this host's devices and files for a run, if they are what the coordinator has.
pub(super) fn join(files: &FilesArgs, run: &StorageRun) -> Result<JoinedStorage, String> {
    let FilesArgs { file: paths, destroy_data: destroy, really } = files;
    let (own, theirs) = (paths.len(), run.prints.len());
    if own != theirs {
        return Err(format!(
            "it names {own} devices and files, and the run is on {theirs}: start it with --file for each, as its host names \
             them, in the order of the run"
        ));
    }
    // Consent at the coordinator is none to what has another name here.
    let held = match run.writes {
        true => {
            let here = machine();
            let sharers = run.sharers.iter().filter(|(machine, _)| *machine == here).map(|(_, pid)| *pid);
            let consent = Consent { destroy, really: *really, sharers: &sharers.collect::<Vec<_>>() };
            may_write_all(paths, consent)
        }
        false => Ok(HeldDevices::default()),
    };
    let held = held.map_err(|error| format!("{error} (give that to `dbdyno agent` there)"))?;
    let access = if run.writes { LunAccess::ReadWrite } else { LunAccess::Read };
    let luns = Luns::open(paths, access).map_err(|error| error.to_string())?;
    let prints = luns.prints(run.seed).map_err(|error| error.to_string())?;
    let mut doubts = Vec::new();
    for (ours, theirs) in prints.iter().zip(&run.prints) {
        match ours.likeness(theirs) {
            LunLikeness::Same => {}
            LunLikeness::Unknown(why) => {
                doubts.push(format!("nobody can tell whether its {} is {}: {why}", ours.path, theirs.path));
            }
            LunLikeness::Other(why) => {
                return Err(format!(
                    "its {} {why}: hosts must share their devices and files; look at the order of --file, and whether \
                     somebody writes to them",
                    ours.path
                ));
            }
        }
    }
    Ok(JoinedStorage { luns, doubts, _held: held })
}

impl JoinedStorage {
    pub(super) fn measure(
        &self,
        order: &StorageOrder,
        clock: &MonotonicClock,
        starts: &mut dyn Starts,
        stop: &StopSwitch,
    ) -> Result<(), EngineError> {
        measure_storage_part((&self.luns, &self.doubts), order, clock, starts, stop)
    }
}

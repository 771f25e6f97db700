//! How a run is watched while it is measured: readings beside it, conditions that end it, and the views that show it.

use super::context::Context;
use super::readings::{self, Beside};
use super::verdict;
use super::views::{self, Views};
use crate::cli::WatchArgs;
use crate::error::Error;
use dbdyno_engine::Engine;
use dbdyno_live::{RequirementLine, Scene, requirement_lines};
use dbdyno_model::{Database, Plan, Run};
use dbdyno_run::{Event, Events, RunReadings, StopCondition, StopSwitch};

/// Whether readings are taken while something is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TakeReadings {
    /// They are.
    #[default]
    Yes,
    /// They are not (`--no-readings`).
    No,
}

/// How a run is watched. By default readings are taken, and nothing shows it.
#[derive(Default)]
pub(super) struct Watch {
    /// What is seen while points are measured.
    pub(super) readings: RunReadings,
    take: TakeReadings,
    /// Conditions that end the run.
    stop_if: Vec<StopCondition>,
    /// What shows the run.
    views: Option<Views>,
}

impl Watch {
    /// As the user asks, without any view.
    pub(super) fn without_views(args: &WatchArgs) -> Self {
        let take = if args.no_readings { TakeReadings::No } else { TakeReadings::Yes };
        Self { take, stop_if: args.stop_if.clone(), ..Self::default() }
    }

    /// As the user asks, with the views of a run.
    ///
    /// # Errors
    /// The page cannot be served as it was asked for, or the file of requirements is none.
    pub(super) fn of_run(
        args: &WatchArgs,
        (run, plan): (&Run, &Plan),
        database: &Database,
        stop: StopSwitch,
        context: &Context,
    ) -> Result<Self, Error> {
        let scene = Scene {
            title: run.suite.clone(),
            target: run.target.clone(),
            engine: format!("{} {}", database.engine, database.version),
            run: Some(run.id.to_string()),
            requirements: required(args, plan, context)?,
            ..Scene::default()
        };
        Ok(Self { views: views::of_run(args, scene, stop)?, ..Self::without_views(args) })
    }

    /// Who hears of the run: its progress, unless a view takes the whole terminal, and the views.
    pub(super) fn listeners<'w>(&'w self, progress: &'w dyn Events) -> Listeners<'w> {
        let views = self.views.as_ref();
        let progress = Some(progress).filter(|_| !views.is_some_and(Views::take_the_terminal));
        Listeners { progress, views }
    }

    /// Runs `work`, and takes readings meanwhile.
    pub(super) fn beside<T>(
        &self,
        engine: &dyn Engine,
        events: &dyn Events,
        stop: &StopSwitch,
        work: impl FnOnce() -> T,
    ) -> T {
        match self.take {
            TakeReadings::Yes => {
                let beside = Beside { readings: &self.readings, events, stop, stop_if: &self.stop_if };
                readings::beside_engine(&beside, engine, work)
            }
            TakeReadings::No => work(),
        }
    }

    /// The run has ended: the views give the terminal back.
    pub(super) fn close(&mut self) {
        if let Some(views) = self.views.take() {
            views.close("the run has ended");
        }
    }
}

/// What the user's file requires of what is measured.
fn required(args: &WatchArgs, plan: &Plan, context: &Context) -> Result<Vec<RequirementLine>, Error> {
    let Some(file) = &args.requirements else { return Ok(Vec::new()) };
    let subjects: Vec<&str> = plan.points.iter().map(|point| point.subject.as_str()).collect();
    Ok(requirement_lines(&verdict::requirements(file, context)?.list, &subjects))
}

/// Who hears of a run.
pub(super) struct Listeners<'w> {
    progress: Option<&'w dyn Events>,
    views: Option<&'w Views>,
}

impl Events for Listeners<'_> {
    fn on(&self, event: &Event<'_>) {
        if let Some(progress) = self.progress {
            progress.on(event);
        }
        if let Some(views) = self.views {
            views.on(event);
        }
    }
}

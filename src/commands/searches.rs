//! What a user asks a run to search for.

use super::opened_target::OpenedTarget;
use crate::cli::RunArgs;
use crate::error::Error;
use dbdyno_model::{Plan, Ramp, SearchGoal};
use dbdyno_run::SearchRequest;

/// Users of an open loop who are at work unless the user says how many: enough to keep every processor busy while some
/// of them wait for the log.
const USERS_FOR_EACH_THREAD: u32 = 4;
const FEWEST_USERS: u32 = 8;

/// Refuses what contradicts a search, before a target is looked at.
///
/// # Errors
/// Two searches, or an option that says what the search finds out.
pub(super) fn refuse_contradictions(args: &RunArgs) -> Result<(), Error> {
    let refused = |problem: String| Err(Error::Usage(problem));
    let search = &args.search;
    match (search.until_saturated, search.until.is_empty(), &args.work.users) {
        (true, false, _) => refused(
            "--until-saturated and --until are two searches: run one after the other (the users that the first finds are for --users of \
             the second)"
                .to_owned(),
        ),
        (true, _, Some(users)) => refused(format!(
            "--until-saturated finds out how many users there should be, and --users {users} says it: leave one of them away; --max-jobs \
             bounds the search"
        )),
        (false, false, Some(Ramp::List(users))) if users.len() == 1 => Ok(()),
        (false, false, Some(users)) => refused(format!(
            "--until searches at one number of users, and --users {users} says several: write one, as in --users 8"
        )),
        _ => Ok(()),
    }
}

/// The search that was asked for, if one was.
pub(super) fn asked(args: &RunArgs, place: &OpenedTarget) -> Option<SearchRequest> {
    if args.search.until_saturated {
        return Some(SearchRequest::Saturation);
    }
    if args.search.until.is_empty() {
        return None;
    }
    let by_users = args.work.users.as_ref().and_then(|users| users.resolve(1).first().copied());
    let by_machine = || match place.engine.features().single_writer {
        // Further writers would only wait for each other.
        true => 1,
        false => (dbdyno_probe::hardware_threads().saturating_mul(USERS_FOR_EACH_THREAD)).max(FEWEST_USERS),
    };
    let allowed = args.work.max_jobs.map_or(u32::MAX, |most| most / args.work.threads.unwrap_or(1).max(1)).max(1);
    let users = by_users.or(args.work.jobs).unwrap_or_else(|| by_machine().min(allowed));
    Some(SearchRequest::Limits { limits: args.search.until.clone(), users })
}

/// What a user is told before a search begins, or of one that is only planned.
pub(super) fn in_words(plan: &Plan) -> Option<&'static str> {
    plan.searches.first().map(|search| match search.goal {
        SearchGoal::Saturation { .. } => {
            "these are the first points: each further number of users is chosen by what was measured, 12 points of a search at most"
        }
        SearchGoal::Limits { .. } => {
            "these are the first points: each further rate is chosen by what was measured, 31 points of a search at most, each as long as its \
             limits need"
        }
    })
}

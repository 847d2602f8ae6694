//! Random schedules of all models, by shuttle.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, MaxSteps, Runner};

use crate::engine_models::ENGINE_MODELS;
use crate::log_models::{LOG_MODELS, Model};
use crate::say;
use crate::scheduler::Counted;

/// Executions of each model with each scheduler in an ordinary run.
const EXECUTIONS: usize = 1_500;
/// A long run has so many times as many.
const LONG: usize = 50;

/// The seed of the first scheduler: a fixed one, so that a change that is unrelated finds
/// nothing new. The environment variable `SHUTTLE_RANDOM_SEED` takes its place.
const SEED: u64 = 1;
/// Changes of priority in an execution: most bugs of ordering need no more.
///
/// Source: Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of
/// Finding Bugs", ASPLOS 2010.
const PCT_DEPTH: usize = 3;

const STACK_LEN: usize = 1 << 20;
const STEPS_MAX: usize = 1_000_000;

/// Explores every model, or the one of this name; returns the number of models.
pub(crate) fn explore(long: bool, name: Option<&str>) -> u64 {
    let executions = if long { EXECUTIONS * LONG } else { EXECUTIONS };
    let mut explored = 0;
    for model in LOG_MODELS.into_iter().chain(ENGINE_MODELS) {
        if name.is_some_and(|name| name != model.name) {
            continue;
        }
        let seen = Arc::new(Mutex::new(BTreeSet::new()));
        let random = RandomScheduler::new_from_seed(SEED, executions);
        let pct = PctScheduler::new_from_seed(SEED, PCT_DEPTH, executions);
        let run = run(model, Counted::new(random, &seen)) + run(model, Counted::new(pct, &seen));
        let different = seen.lock().unwrap_or_else(PoisonError::into_inner).len();
        say(&format!("shuttle: {}: {run} schedules, {different} different", model.name));
        explored += 1;
    }
    explored
}

fn run(model: Model, scheduler: impl Scheduler + 'static) -> usize {
    let mut config = Config::new();
    config.stack_size = STACK_LEN;
    config.max_steps = MaxSteps::FailAfter(STEPS_MAX);
    Runner::new(scheduler, config).run(model.run)
}

//! Every interleaving of small models, by loom.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use loom::model::Builder;

use crate::log_models::{LOG_MODELS, Model};
use crate::say;
use crate::thread::spawn;

/// How far a model is explored: the preemptions in an ordinary and in a long run; a model
/// without a bound is explored to the end.
const BOUNDS: [(&str, Option<usize>, Option<usize>); 6] = [
    ("published end", Some(4), Some(6)),
    ("group commit", Some(3), Some(5)),
    ("shared sync", Some(3), Some(4)),
    ("published end, disk", Some(2), Some(3)),
    ("another process reads", Some(2), Some(3)),
    ("erasure", Some(2), Some(3)),
];

/// Switches that one execution may have; more would be a loop that waits for nobody.
const BRANCHES_MAX: usize = 100_000;

/// Explores every model, or the one of this name; returns the number of models.
pub(crate) fn explore(long: bool, name: Option<&str>) -> u64 {
    let mut explored = 0;
    for (known, short_bound, long_bound) in BOUNDS {
        let Some(model) = LOG_MODELS.into_iter().find(|model| model.name == known) else {
            continue;
        };
        if name.is_none_or(|name| name == known) {
            run(model, if long { long_bound } else { short_bound });
            explored += 1;
        }
    }
    explored
}

fn run(model: Model, preemptions_max: Option<usize>) {
    let executions = Arc::new(AtomicU64::new(0));
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions_max;
    builder.max_branches = BRANCHES_MAX;
    let counted = executions.clone();
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        // The model's own thread has loom's small stack.
        spawn(model.run).join().expect("a thread's own panic ends the exploration before");
    });
    let bound = preemptions_max.map_or("any number of".to_owned(), |max| format!("at most {max}"));
    let executions = executions.load(Ordering::Relaxed);
    say(&format!("loom: {}: {executions} interleavings, {bound} preemptions", model.name));
}

use std::sync::Arc;

use memlith_event::Thresholds;
use memlith_recall::StaticTable;

use crate::write::arbiter::Arbiter;
use crate::write::comparer::{ByVectors, Comparer};

/// The model, thresholds and arbiter by which a ledger reconciles its writes.
#[derive(Clone, Debug, Default)]
pub struct Reconciler {
    /// The comparer of texts by meaning. Without it the step is skipped, and
    /// [`Stat::reconciling`](crate::prove::Stat::reconciling) says so.
    pub comparer: Option<Arc<dyn Comparer>>,
    /// Other thresholds than those that are known for the model.
    pub thresholds: Option<Thresholds>,
    /// The arbiter between the thresholds; without it the midpoint decides.
    pub arbiter: Option<Arc<dyn Arbiter>>,
}

/// How a ledger reconciles its writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reconciling {
    /// By words and slots alone: nobody asked for more.
    Off,
    /// By words and slots alone: likeness was asked for, and there is no model.
    Degraded,
    /// By likeness too.
    On {
        /// The model.
        model: String,
        /// Its thresholds.
        thresholds: Thresholds,
        /// The arbiter's name, where there is one.
        arbiter: Option<String>,
    },
}

impl Reconciler {
    /// One with this model.
    #[must_use]
    pub fn with(comparer: Arc<dyn Comparer>) -> Reconciler {
        Reconciler { comparer: Some(comparer), ..Reconciler::default() }
    }

    /// One with the model that comes with the engine.
    #[must_use]
    pub fn built_in() -> Reconciler {
        let comparer = Arc::new(ByVectors::of(*StaticTable::built_in()));
        Reconciler::with(comparer)
    }

    /// The thresholds in force: those given, or those that were published.
    #[must_use]
    pub fn thresholds(&self) -> Thresholds {
        self.thresholds.unwrap_or_default()
    }
}

impl Reconciling {
    pub(crate) fn of(reconciler: Option<&Reconciler>) -> Reconciling {
        let Some(reconciler) = reconciler else { return Reconciling::Off };
        let Some(comparer) = &reconciler.comparer else { return Reconciling::Degraded };
        Reconciling::On {
            model: comparer.model().to_owned(),
            thresholds: reconciler.thresholds(),
            arbiter: reconciler.arbiter.as_ref().map(|arbiter| arbiter.name().to_owned()),
        }
    }

    /// The word for it in output.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Reconciling::Off => "off",
            Reconciling::Degraded => "degraded",
            Reconciling::On { .. } => "on",
        }
    }
}

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use memlith::RecordId;
use serde::Serialize;

use crate::recall::ablation::{self, Ablation, Without};
use crate::recall::another::{self, Another};
use crate::recall::budgets::{Budget, Budgets};
use crate::recall::dataset::{Dataset, Question};
use crate::recall::figures::{MRR_CUT, Percentages};
use crate::recall::held::Held;
use crate::recall::latency::{self, Latency};
use crate::recall::pooled::{self, Answered, Pooled};
use crate::recall::salience::{OnOff, Salience};

/// Measurements beside the figures of the data set.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Wanted {
    /// Everything below but the latency.
    #[arg(long)]
    pub(crate) full: bool,
    /// Asks again of one ledger that holds all dialogues, with scopes and without.
    #[arg(long)]
    pub(crate) pooled: bool,
    /// Counts the gold turns in checkouts of 500 to 4,000 tokens, and how well they tell
    /// that another person said it.
    #[arg(long)]
    pub(crate) budgets: bool,
    /// Prints what is lost without each signal.
    #[arg(long)]
    pub(crate) ablate: bool,
    /// Asks with salience and without, within the dialogues and after them.
    #[arg(long)]
    pub(crate) salience: bool,
    /// Times queries among 6,000, 100,000 and 1,000,000 turns: copies of the dialogues.
    #[arg(long)]
    pub(crate) latency: bool,
    /// Times them among at most so many.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "latency")]
    pub(crate) latency_max: usize,
}

/// The sums while the dialogues are asked.
pub(crate) struct Extra {
    wanted: Wanted,
    ablation: Ablation,
    budgets: Budgets,
    another: Another,
    salience: Salience,
    answered: Vec<Answered>,
}

/// The figures; what wasn't asked for is absent.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Findings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pooled: Option<Pooled>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    budgets: BTreeMap<u32, Budget>,
    #[serde(skip_serializing_if = "Option::is_none")]
    another: Option<another::Printed>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    ablation: BTreeMap<String, Without>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    salience: BTreeMap<&'static str, OnOff>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    latency: Vec<Latency>,
}

/// The ledgers in which queries are timed. Source: the goals of issue 6.
const LATENCY_TURNS: [usize; 3] = [6_000, 100_000, 1_000_000];

impl Wanted {
    fn everything(self) -> Wanted {
        let Wanted { full, pooled, budgets, ablate, salience, .. } = self;
        Wanted {
            pooled: pooled || full,
            budgets: budgets || full,
            ablate: ablate || full,
            salience: salience || full,
            ..self
        }
    }
}

impl Extra {
    pub(crate) fn new(wanted: Wanted) -> Extra {
        Extra {
            wanted: wanted.everything(),
            ablation: Ablation::default(),
            budgets: Budgets::default(),
            another: Another::default(),
            salience: Salience::default(),
            answered: Vec::new(),
        }
    }

    /// Adds a question that was asked of its dialogue's own ledger, and what was found there.
    pub(crate) fn add(
        &mut self,
        held: &Held,
        dialogue: usize,
        question: &Question,
        found: &[RecordId],
    ) -> Result<()> {
        let Wanted { pooled, budgets, ablate, salience, .. } = self.wanted;
        let gold = held.gold(&question.evidence);
        let text = question.text.as_str();
        if budgets || ablate {
            let answers = held.cited(text, ablation::ANSWERS, None)?;
            if budgets {
                self.another.add(held, question)?;
                self.budgets.add((&held.ledger, &held.caller), text, &answers, &gold)?;
            }
            if ablate {
                self.ablation.add(&answers, &gold);
            }
        }
        if salience {
            self.salience.add(held, text, &gold, held.last_of(&gold))?;
        }
        if pooled {
            let top = held.turns_of(found.get(..MRR_CUT).unwrap_or(found));
            let (text, evidence) = (question.text.clone(), question.evidence.clone());
            let now = held.caller.now.unwrap_or_default();
            self.answered.push(Answered { dialogue, text, evidence, now, top });
        }
        Ok(())
    }

    /// The figures, those of ledgers that hold all dialogues measured now.
    pub(crate) fn finish(
        &self,
        dataset: &Dataset,
        skip: usize,
        folder: &Path,
        all: &Percentages,
        note: &dyn Fn(String),
    ) -> Result<Findings> {
        let mut findings = Findings {
            budgets: self.budgets.finish(),
            another: self.another.finish(),
            ablation: self.ablation.finish(all),
            salience: self.salience.finish(),
            ..Findings::default()
        };
        if self.wanted.pooled {
            note("all dialogues in one ledger".to_owned());
            let dialogues: Vec<_> = dataset.dialogues.iter().enumerate().skip(skip).collect();
            findings.pooled = Some(pooled::measure(&dialogues, &self.answered, folder)?);
        }
        if self.wanted.latency {
            let sizes: Vec<usize> = LATENCY_TURNS
                .into_iter()
                .filter(|turns| *turns <= self.wanted.latency_max)
                .collect();
            findings.latency = latency::measure(dataset, &sizes, folder, note)?;
        }
        Ok(findings)
    }
}

impl Findings {
    pub(crate) fn to_text(&self) -> String {
        let pooled = self.pooled.iter().map(Pooled::to_text);
        let budgets = self.budgets.iter().map(|(tokens, budget)| budget.to_text(*tokens));
        let ablation = self.ablation.iter().map(|(name, without)| without.to_text(name));
        let salience = self.salience.iter().map(|(name, figures)| figures.to_text(name));
        let latency = self.latency.iter().map(Latency::to_text);
        let another = self.another.iter().map(another::Printed::to_text);
        pooled
            .chain(budgets)
            .chain(another)
            .chain(ablation)
            .chain(salience)
            .chain(latency)
            .collect()
    }
}

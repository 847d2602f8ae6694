use std::path::Path;

use anyhow::Result;
use memlith::{RecordId, Scope, Timestamp};
use serde::Serialize;

use crate::recall::dataset::{Dialogue, Turn};
use crate::recall::figures::{Figures, MRR_CUT, Percentages};
use crate::recall::held::Held;

/// A question that was asked of its dialogue's own ledger.
pub(crate) struct Answered {
    /// The place of the dialogue in the file.
    pub(crate) dialogue: usize,
    pub(crate) text: String,
    pub(crate) evidence: Vec<Turn>,
    /// When it was asked.
    pub(crate) now: Timestamp,
    /// The first turns that were found.
    pub(crate) top: Vec<Turn>,
}

/// The figures of one ledger that holds all dialogues.
#[derive(Debug, Serialize)]
pub(crate) struct Pooled {
    turns: usize,
    /// Nothing tells the dialogues apart.
    unscoped: Percentages,
    /// Each dialogue is a subject, and questions are asked in its scope.
    scoped: Percentages,
    /// Questions whose first 50 turns there are others than in a ledger of their own.
    scoped_differences: usize,
}

/// The subject of the ledger that tells nothing apart.
const ONE_SUBJECT: &str = "pooled";

/// Asks everything again of ledgers that hold all dialogues: one without scopes, and one with
/// a scope for each.
pub(crate) fn measure(
    dialogues: &[(usize, &Dialogue)],
    answered: &[Answered],
    folder: &Path,
) -> Result<Pooled> {
    let subject_of = |number: usize| format!("dialogue-{number}");
    let renumbered = |subject: &dyn Fn(usize) -> String| -> Result<Vec<Dialogue>> {
        let one = |(number, dialogue): &(usize, &Dialogue)| {
            dialogue.renumbered(offset(*number), &subject(*number))
        };
        dialogues.iter().map(one).collect()
    };
    let together = Held::pooled(&renumbered(&|_| ONE_SUBJECT.to_owned())?, &folder.join("pooled"))?;
    let apart = Held::pooled(&renumbered(&subject_of)?, &folder.join("scoped"))?;
    let (mut unscoped, mut scoped) = (Figures::default(), Figures::default());
    let mut scoped_differences = 0;
    for one in answered {
        let evidence = one.evidence.iter().map(|turn| turn.moved(offset(one.dialogue)));
        let evidence: Vec<Turn> = evidence.collect();
        for (held, subject, figures) in [
            (&together, ONE_SUBJECT.to_owned(), &mut unscoped),
            (&apart, subject_of(one.dialogue), &mut scoped),
        ] {
            let mut caller = held.caller.clone();
            caller.scope = Scope { subject: Some(subject.into()), ..caller.scope };
            caller.now = Some(one.now);
            let found = held.ask_as(&caller, &one.text, MRR_CUT)?;
            figures.add(&found, &held.gold(&evidence));
            if std::ptr::eq(held, &apart) {
                let own = one.top.iter().map(|turn| turn.moved(offset(one.dialogue)));
                let own: Vec<RecordId> = held.gold(&own.collect::<Vec<_>>());
                scoped_differences += usize::from(own != found);
            }
        }
    }
    let turns = together.turns();
    together.ledger.close()?;
    apart.ledger.close()?;
    Ok(Pooled {
        turns,
        unscoped: unscoped.percentages(),
        scoped: scoped.percentages(),
        scoped_differences,
    })
}

/// The sessions of a dialogue are renumbered by so much: no data set has as many.
fn offset(dialogue: usize) -> u32 {
    u32::try_from(dialogue).unwrap_or(u32::MAX / 1_000).saturating_mul(1_000)
}

impl Pooled {
    pub(crate) fn to_text(&self) -> String {
        let Pooled { turns, unscoped, scoped, scoped_differences } = self;
        let figures = |one: &Percentages| {
            format!("R@10 {:.1} R@20 {:.1} MRR {:.1}", one.recall_at_10, one.recall_at_20, one.mrr)
        };
        format!(
            "pooled, {turns} turns: unscoped {}; scoped {}, {scoped_differences} answers differ \
             from one store each\n",
            figures(unscoped),
            figures(scoped)
        )
    }
}

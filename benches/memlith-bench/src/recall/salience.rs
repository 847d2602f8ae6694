use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use memlith::{Cited, RecordId, Timestamp};
use serde::Serialize;

use crate::recall::figures::{Figures, MRR_CUT, Percentages};
use crate::recall::held::Held;

/// Effect of salience on the order, asked at several instants.
#[derive(Default)]
pub(crate) struct Salience(BTreeMap<&'static str, [Figures; 2]>);

/// The figures with salience and without.
#[derive(Debug, Serialize)]
pub(crate) struct OnOff {
    on: Percentages,
    off: Percentages,
}

/// More answers than are counted: what salience brings in from behind is among them.
const ANSWERS: usize = 4 * MRR_CUT;

const DAY_US: i64 = 86_400_000_000;

impl Salience {
    /// Asks `query` within the dialogue, when the last of its evidence had just been said;
    /// at the dialogue's end; and a year after that.
    pub(crate) fn add(
        &mut self,
        held: &Held,
        query: &str,
        gold: &[RecordId],
        within: Timestamp,
    ) -> Result<()> {
        let end = held.caller.now.unwrap_or_default();
        let year = Timestamp(end.0.saturating_add(365 * DAY_US));
        for (name, now) in [("inside", within), ("end", end), ("year_after", year)] {
            let answers = held.cited(query, ANSWERS, Some(now))?;
            let [on, off] = self.0.entry(name).or_default();
            on.add(&answers.iter().map(|cited| cited.id).collect::<Vec<_>>(), gold);
            let mut plain: Vec<(Reverse<i64>, RecordId)> = answers
                .iter()
                .map(|cited: &Cited| (Reverse(cited.why.relevance), cited.id))
                .collect();
            plain.sort_unstable();
            off.add(&plain.into_iter().map(|(_, id)| id).collect::<Vec<_>>(), gold);
        }
        Ok(())
    }

    pub(crate) fn finish(&self) -> BTreeMap<&'static str, OnOff> {
        let line =
            |[on, off]: &[Figures; 2]| OnOff { on: on.percentages(), off: off.percentages() };
        self.0.iter().map(|(name, figures)| (*name, line(figures))).collect()
    }
}

impl OnOff {
    /// The line of the report.
    pub(crate) fn to_text(&self, name: &str) -> String {
        let OnOff { on, off } = self;
        format!(
            "salience on / off, asked {name:10} R@10 {:.1} / {:.1}  MRR {:.1} / {:.1}\n",
            on.recall_at_10, off.recall_at_10, on.mrr, off.mrr
        )
    }
}

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result};
use memlith::write::{ModelId, ModelVector, TextOf};
use memlith::{Caller, Ledger, RecordId};
use memlith_models::CommandModel;

use crate::recall::dataset::Dialogue;

/// The vectors of a dialogue's turns and questions.
#[derive(Default)]
pub(crate) struct Vectors {
    turns: BTreeMap<RecordId, ModelVector>,
    questions: BTreeMap<String, ModelVector>,
}

/// How long a program has for 64 texts.
const PATIENCE: Duration = Duration::from_secs(600);

/// The program of a command line as a model.
///
/// # Errors
/// It is no command line.
pub(crate) fn model(line: &str) -> Result<CommandModel> {
    let words = shlex::split(line).filter(|words| !words.is_empty());
    let words = words.with_context(|| format!("{line:?} is no command line"))?;
    let model = ModelId::new("bench").context("the name of a model")?;
    let kept = ["PATH", "HOME"].into_iter();
    let environment = kept.filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    Ok(CommandModel { model, words, environment: environment.collect(), patience: PATIENCE })
}

impl Vectors {
    /// Gives the turns in a ledger their vectors, and asks for those of the questions.
    pub(crate) fn of(
        model: &CommandModel,
        ledger: &Ledger,
        caller: &Caller,
        dialogue: &Dialogue,
    ) -> Result<Vectors> {
        let mut turns = BTreeMap::new();
        let mut give = |texts: &[TextOf]| {
            let given = model.vectors(texts)?;
            let pairs = texts.iter().zip(&given);
            turns.extend(pairs.filter_map(|((id, _), vector)| Some((*id, vector.clone()?))));
            Ok(given)
        };
        ledger.vectors().embed_missing(caller, &model.model, false, &mut give)?;
        // Any id will do: it only says which vector is whose.
        let ids = (0..).map(|seq| RecordId { seq: memlith::Seq(seq), hash: [0; 6] });
        let asked = || dialogue.questions.iter().map(|question| question.text.clone());
        let texts: Vec<TextOf> = ids.zip(asked()).collect();
        let given = model.vectors(&texts).context("vectors of the questions")?;
        let questions = asked().zip(given).filter_map(|(text, vector)| Some((text, vector?)));
        Ok(Vectors { turns, questions: questions.collect() })
    }

    pub(crate) fn question(&self, text: &str) -> Option<&ModelVector> {
        self.questions.get(text)
    }

    /// All turns, the nearest to a question first.
    pub(crate) fn nearest(&self, text: &str) -> Option<Vec<RecordId>> {
        let question = self.questions.get(text)?;
        let product = |vector: &ModelVector| -> i64 {
            let pairs = vector.components().iter().zip(question.components());
            pairs.map(|(a, b)| i64::from(*a) * i64::from(*b)).sum()
        };
        let mut turns: Vec<_> =
            self.turns.iter().map(|(id, vector)| (Reverse(product(vector)), *id)).collect();
        turns.sort_unstable();
        Some(turns.into_iter().map(|(_, id)| id).collect())
    }
}

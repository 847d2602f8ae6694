use std::fmt::Write;

use memlith_log::{Digest, RecordId};
use serde::{Deserialize, Serialize};

use crate::Text;

/// The life of procedures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcedureEvent<'a> {
    /// Sessions were found to have done the same, which waits for review. The records of
    /// their runs are the envelope's links [`RestsOn`](crate::LinkKind::RestsOn), what was
    /// proposed of the same steps before its links [`Considered`](crate::LinkKind::Considered).
    Mined(#[serde(borrow)] Mined<'a>),
}

/// A procedure, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mined<'a> {
    /// In a few words.
    #[serde(borrow)]
    pub title: Text<'a>,
    /// BLAKE3 over the steps' verbs: the same procedure has the same one, wherever it is
    /// mined and however much speaks for it.
    pub identity: Digest,
    /// The steps, in the order that they are done.
    pub steps: Vec<MinedStep<'a>>,
    /// In how many distinct sessions that did not fail it was followed.
    pub support: u32,
    /// In how many of them no step is missing.
    pub complete: u32,
    /// In how many sessions it is known to have gone well.
    pub succeeded: u32,
    /// In how many it failed although nothing was done otherwise.
    pub failed: u32,
    /// How many failed runs followed at least half of it.
    pub failed_runs: u32,
    /// The least share of successes, in millionths: the lower end of Wilson's interval for 95 %
    /// of `succeeded` in `succeeded + failed`.
    pub confidence: u32,
    /// How little chance explains it, in 65,536ths of a bit.
    pub evidence: u64,
    /// It stands while so many of the sessions that it cites do; two where it says less.
    pub required: u32,
    /// The differences of failed runs, most telling first.
    pub contrast: Vec<Contrast<'a>>,
    /// The method that mined it.
    pub method: Text<'a>,
    /// The version of that.
    pub version: u32,
}

/// A step of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MinedStep<'a> {
    /// The action: a tool, or a program and its subcommand.
    #[serde(borrow)]
    pub verb: Text<'a>,
    /// With what: flags, and placeholders for what differs.
    pub parameters: Text<'a>,
}

/// Something that failed runs did otherwise, oftener than the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contrast<'a> {
    /// The step that it is about, from 0.
    pub step: u32,
    /// The difference from the other runs.
    #[serde(borrow)]
    pub kind: ContrastKind<'a>,
    /// In how many failed runs.
    pub failed: u32,
    /// In how many others.
    pub others: u32,
    /// A record of one of the failed ones.
    pub source: Option<RecordId>,
}

/// How runs depart from a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContrastKind<'a> {
    /// This was done in the place of the step.
    Replaced(#[serde(borrow)] Text<'a>),
    /// The step wasn't done.
    LeftOut,
    /// The step was done at another place.
    OutOfOrder,
    /// This was done before the step.
    Extra(Text<'a>),
    /// The step was done and went wrong.
    WentWrong,
}

impl<'a> Mined<'a> {
    /// No procedure stands on fewer sessions: what one session did is none.
    pub const REQUIRED_LEAST: u32 = 2;

    /// The words under which it is found: the title, and a line for each step. Counts are not
    /// in them, so that more evidence doesn't change what is said.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.title.to_string();
        for (number, step) in (1..).zip(&self.steps) {
            let told = format!("{} {}", step.verb, step.parameters);
            // Writing to a string can't fail.
            let _ = write!(text, "\n{number}. {}", told.trim_end());
        }
        text
    }

    /// Copies the procedure, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Mined<'static> {
        let step = |step: MinedStep<'_>| MinedStep {
            verb: step.verb.into_owned(),
            parameters: step.parameters.into_owned(),
        };
        Mined {
            title: self.title.into_owned(),
            identity: self.identity,
            steps: self.steps.into_iter().map(step).collect(),
            support: self.support,
            complete: self.complete,
            succeeded: self.succeeded,
            failed: self.failed,
            failed_runs: self.failed_runs,
            confidence: self.confidence,
            evidence: self.evidence,
            required: self.required,
            contrast: self.contrast.into_iter().map(Contrast::into_owned).collect(),
            method: self.method.into_owned(),
            version: self.version,
        }
    }

    /// Visits every string.
    pub(crate) fn each_text_mut(&mut self, visit: &mut dyn FnMut(&mut Text<'a>)) {
        visit(&mut self.title);
        for step in &mut self.steps {
            visit(&mut step.verb);
            visit(&mut step.parameters);
        }
        for contrast in &mut self.contrast {
            match &mut contrast.kind {
                ContrastKind::Replaced(verb) | ContrastKind::Extra(verb) => visit(verb),
                ContrastKind::LeftOut | ContrastKind::OutOfOrder | ContrastKind::WentWrong => {}
            }
        }
        visit(&mut self.method);
    }
}

impl Contrast<'_> {
    fn into_owned(self) -> Contrast<'static> {
        let kind = match self.kind {
            ContrastKind::Replaced(verb) => ContrastKind::Replaced(verb.into_owned()),
            ContrastKind::LeftOut => ContrastKind::LeftOut,
            ContrastKind::OutOfOrder => ContrastKind::OutOfOrder,
            ContrastKind::Extra(verb) => ContrastKind::Extra(verb.into_owned()),
            ContrastKind::WentWrong => ContrastKind::WentWrong,
        };
        let Contrast { step, failed, others, source, .. } = self;
        Contrast { step, kind, failed, others, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_words_are_its_title_and_steps() {
        let step = |verb: &'static str, parameters: &'static str| MinedStep {
            verb: verb.into(),
            parameters: parameters.into(),
        };
        let mined = Mined {
            title: "From cargo fmt to git commit".into(),
            steps: vec![step("cargo fmt", ""), step("git commit", "-m <text>")],
            support: 4,
            ..Mined::default()
        };
        let text = "From cargo fmt to git commit\n1. cargo fmt\n2. git commit -m <text>";
        assert_eq!(mined.text(), text);
        assert_eq!(Mined { support: 9, ..mined }.text(), text);
    }
}

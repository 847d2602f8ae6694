use std::collections::BTreeSet;

use crate::candidate::{Occurrence, ProcedureStep};
use crate::contrast::{Side, contrast};
use crate::corpus::{Corpus, Token};
use crate::cover::{Procedure, procedures};
use crate::evidence::Bits;
use crate::sessions::Word;
use crate::window::{Window, windows};
use crate::{Candidate, Confidence, Ending, Options, ProcedureId, Sessions, Trials};

/// Finds procedures in sessions.
///
/// It takes time in proportion to the steps, and to the procedures that are found; a
/// million steps are some seconds of one thread.
#[derive(Clone, Debug, Default)]
pub struct Miner {
    /// Limits that decide what counts as a procedure.
    pub options: Options,
    /// Procedures that were proposed before: they are found, and not proposed again.
    pub known: BTreeSet<ProcedureId>,
}

impl Miner {
    /// A miner that knows nothing yet.
    #[must_use]
    pub fn new(options: Options) -> Miner {
        Miner { options, known: BTreeSet::new() }
    }

    /// The procedures that sessions followed and that aren't known, best supported by
    /// evidence first.
    ///
    /// Sessions that failed count for no procedure; they show what went otherwise. A step
    /// that failed is part of none. The same sessions give the same candidates, on every
    /// machine.
    #[must_use]
    pub fn mine(&self, sessions: &Sessions) -> Vec<Candidate> {
        let options = self.options.bounded();
        let corpus = Corpus::of(sessions, options.support_min);
        let failed = corpus.of_failed(sessions);
        let told = |procedure: &Procedure| {
            let id = ProcedureId::of(
                procedure.tokens.iter().map(|token| sessions.text(corpus.word(*token))),
            );
            let telling = Telling { sessions, corpus: &corpus, failed: &failed, procedure };
            (!self.known.contains(&id)).then(|| telling.candidate(id, options))
        };
        procedures(&corpus, options).iter().filter_map(told).collect()
    }
}

/// A procedure with all that is said of it.
struct Telling<'a> {
    sessions: &'a Sessions,
    corpus: &'a Corpus,
    failed: &'a Corpus,
    procedure: &'a Procedure,
}

impl Telling<'_> {
    fn candidate(&self, id: ProcedureId, options: Options) -> Candidate {
        let Procedure { tokens, windows: others, tolerance, .. } = self.procedure;
        let failed = windows(self.failed, tokens, *tolerance, &[]);
        let (deviations, deviates) = contrast(
            self.sessions,
            tokens,
            Side { corpus: self.failed, windows: &failed },
            Side { corpus: self.corpus, windows: others },
            Bits::whole(u32::from(options.doubt_bits)),
        );
        let trials = self.trials(&failed, &deviates);
        let complete = others.iter().filter(|window| window.is_complete());
        Candidate {
            id,
            steps: tokens.iter().enumerate().map(|(step, token)| self.step(step, *token)).collect(),
            runs: self.occurrences(self.corpus, others),
            failed_runs: self.occurrences(self.failed, &failed),
            support: distinct(others.iter()),
            complete: distinct(complete),
            trials,
            confidence: Confidence::of(trials),
            evidence: self.procedure.bits,
            deviations,
        }
    }

    /// The step with the parameters that most runs gave it; of several the first in order.
    fn step(&self, step: usize, token: Token) -> ProcedureStep {
        let mut given: Vec<Word> = self
            .procedure
            .windows
            .iter()
            .filter_map(|window| {
                let place = window.places.get(step).copied().flatten()?;
                self.sessions.parameters(self.corpus.run(window.run)?.outside(place))
            })
            .collect();
        given.sort_unstable_by_key(|word| self.sessions.text(*word));
        let groups = given.chunk_by(|a, b| a == b).rev();
        let most = groups.max_by_key(|group| group.len()).and_then(<[Word]>::first);
        ProcedureStep {
            verb: self.sessions.text(self.corpus.word(token)).to_owned(),
            parameters: most.map_or("", |word| self.sessions.text(*word)).to_owned(),
        }
    }

    fn occurrences(&self, corpus: &Corpus, windows: &[Window]) -> Vec<Occurrence> {
        let told = |window: &Window| {
            let run = corpus.run(window.run)?;
            let seq = |place: &Option<usize>| Some(self.sessions.step(run.outside((*place)?))?.seq);
            let steps = window.places.iter().map(seq).collect();
            Some(Occurrence { session: run.session, steps })
        };
        windows.iter().filter_map(told).collect()
    }

    /// Each session counts once.
    fn trials(&self, failed: &[Window], deviates: &[bool]) -> Trials {
        let went_well = self.procedure.windows.iter().filter(|window| self.went_well(window));
        let kept_to = failed.iter().zip(deviates).filter(|(_, deviates)| !**deviates);
        let otherwise = failed.iter().zip(deviates).filter(|(_, deviates)| **deviates);
        let otherwise: BTreeSet<usize> = otherwise.map(|(window, _)| window.run).collect();
        let kept_to = kept_to.map(|(window, _)| window);
        Trials {
            succeeded: distinct(went_well),
            failed: distinct(kept_to.filter(|window| !otherwise.contains(&window.run))),
        }
    }

    fn went_well(&self, window: &Window) -> bool {
        let Some(run) = self.corpus.run(window.run) else { return false };
        match self.sessions.ending(run.session) {
            Ending::Succeeded => true,
            Ending::Failed => false,
            Ending::Unknown => {
                let mut places = window.places.iter().flatten();
                places.all(|place| self.sessions.ok(run.outside(*place)) == Some(true))
            }
        }
    }
}

/// In how many runs the windows are.
fn distinct<'a>(windows: impl Iterator<Item = &'a Window>) -> u32 {
    let runs: BTreeSet<usize> = windows.map(|window| window.run).collect();
    u32::try_from(runs.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;

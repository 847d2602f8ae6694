//! A candidate as the event that proposes it.

use std::collections::{BTreeMap, BTreeSet};

use memlith_event::{Contrast, ContrastKind, Mined, MinedStep};
use memlith_log::{Digest, RecordId, Seq};

use crate::{Candidate, Deviation, DeviationKind};

/// Name of the method that mines procedures here.
const METHOD: &str = "memlith-procedure-mining";

/// The version of what mines them: of the steps that calls become, and of what counts.
const VERSION: u32 = 1;

impl Candidate {
    /// The content of the event that proposes it; `id` gives the id of a record, if it has
    /// one, and `support_min` is what it had to reach.
    ///
    /// It stands while so many of its sessions do as it took to be proposed.
    #[must_use]
    pub fn mined(&self, support_min: u32, id: &dyn Fn(Seq) -> Option<RecordId>) -> Mined<'static> {
        let step = |step: &crate::ProcedureStep| MinedStep {
            verb: step.verb.clone().into(),
            parameters: step.parameters.clone().into(),
        };
        Mined {
            title: self.title().into(),
            identity: Digest(self.id.0),
            steps: self.steps.iter().map(step).collect(),
            support: self.support,
            complete: self.complete,
            succeeded: self.trials.succeeded,
            failed: self.trials.failed,
            failed_runs: u32::try_from(self.failed_runs.len()).unwrap_or(u32::MAX),
            confidence: self.confidence.0,
            evidence: self.evidence.0,
            required: support_min.max(Mined::REQUIRED_LEAST),
            contrast: self.deviations.iter().map(|deviation| contrast(deviation, id)).collect(),
            method: METHOD.into(),
            version: VERSION,
        }
    }

    /// The records to cite, ascending: of each session its earliest run, whole, as long as
    /// they are at most `most`; sessions in the order in which they began.
    #[must_use]
    pub fn cited(&self, most: usize) -> Vec<Seq> {
        let mut sessions: BTreeMap<usize, BTreeSet<Seq>> = BTreeMap::new();
        for run in &self.runs {
            let steps: BTreeSet<Seq> = run.steps.iter().flatten().copied().collect();
            let known = sessions.entry(run.session).or_insert_with(|| steps.clone());
            if steps.first() < known.first() {
                *known = steps;
            }
        }
        let mut cited = BTreeSet::new();
        for steps in sessions.into_values() {
            if cited.len() + steps.len() > most {
                break;
            }
            cited.extend(steps);
        }
        cited.into_iter().collect()
    }

    fn title(&self) -> String {
        let mut ends = [self.steps.first(), self.steps.last()].into_iter().flatten();
        let mut verb = || ends.next().map_or("", |step| step.verb.as_str());
        format!("From {} to {}", verb(), verb())
    }
}

fn contrast(deviation: &Deviation, id: &dyn Fn(Seq) -> Option<RecordId>) -> Contrast<'static> {
    let kind = match &deviation.kind {
        DeviationKind::Replaced { by } => ContrastKind::Replaced(by.clone().into()),
        DeviationKind::LeftOut => ContrastKind::LeftOut,
        DeviationKind::OutOfOrder => ContrastKind::OutOfOrder,
        DeviationKind::Extra { verb } => ContrastKind::Extra(verb.clone().into()),
        DeviationKind::WentWrong => ContrastKind::WentWrong,
    };
    Contrast {
        step: u32::try_from(deviation.step).unwrap_or(u32::MAX),
        kind,
        failed: deviation.failed,
        others: deviation.others,
        source: deviation.sources.first().and_then(|(_, seq)| id(*seq)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bits, Confidence, Occurrence, ProcedureId, ProcedureStep, Trials};

    fn candidate(runs: &[(usize, &[Option<u64>])]) -> Candidate {
        let run = |(session, steps): &(usize, &[Option<u64>])| Occurrence {
            session: *session,
            steps: steps.iter().map(|seq| seq.map(Seq)).collect(),
        };
        let step = |verb: &str| ProcedureStep { verb: verb.into(), parameters: String::new() };
        let trials = Trials { succeeded: 9, failed: 1 };
        Candidate {
            id: ProcedureId::of(["a", "b"]),
            steps: vec![step("a"), step("b")],
            runs: runs.iter().map(run).collect(),
            failed_runs: Vec::new(),
            support: 3,
            complete: 2,
            trials,
            confidence: Confidence::of(trials),
            evidence: Bits::whole(40),
            deviations: vec![Deviation {
                step: 1,
                kind: DeviationKind::LeftOut,
                failed: 2,
                others: 0,
                sources: vec![(7, Seq(70))],
            }],
        }
    }

    #[test]
    fn the_earliest_run_of_each_session_is_cited_whole() {
        let candidate = candidate(&[
            (0, &[Some(10), Some(11)]),
            (0, &[Some(2), Some(3)]),
            (1, &[Some(5), None]),
            (2, &[Some(8), Some(8)]),
            (3, &[Some(20), Some(21)]),
        ]);
        let cited = |most| candidate.cited(most).iter().map(|seq| seq.0).collect::<Vec<_>>();
        assert_eq!(cited(100), [2, 3, 5, 8, 20, 21]);
        // No session is cited in part.
        assert_eq!(cited(5), [2, 3, 5, 8]);
        assert_eq!(cited(1), [0; 0]);
    }

    #[test]
    fn the_event_says_what_the_candidate_does() {
        let id = |seq: Seq| Some(RecordId { seq, hash: [7; 6] });
        let candidate = candidate(&[(0, &[Some(1), Some(2)])]);
        let mined = candidate.mined(3, &id);
        assert_eq!(mined.title.as_str(), "From a to b");
        assert_eq!(mined.identity.0, candidate.id.0);
        assert_eq!((mined.support, mined.required, mined.confidence), (3, 3, 595_843));
        assert_eq!(mined.contrast.first().unwrap().source, id(Seq(70)));
        assert_eq!(candidate.mined(0, &id).required, 2);
    }
}

//! Policies: what holds for a whole ledger, as a command and as a fold.

use memlith_event::{
    Body, Cosine, Event, PolicyEvent, Rank, SaliencePolicy, Stored, Thresholds, TrustPolicy,
    WritePolicy,
};
use memlith_log::Seq;
use memlith_state::{Fields, Row};

use crate::command::Door;
use crate::memory::Memory;
use crate::rejection::Rejection;

/// A policy that was chosen last, and the record that chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Matter of the policy: 0 for salience, 1 for trust, 2 for writes.
    matter: u8,
    code: u8,
    by: Seq,
    /// The thresholds of likeness: restate, midpoint, add; all 0 where none were chosen.
    thresholds: [Cosine; 3],
}

const SALIENCE: u8 = 0;
const TRUST: u8 = 1;
const WRITES: u8 = 2;

const NO_THRESHOLDS: [Cosine; 3] = [Cosine(0); 3];

impl Memory {
    /// The policy of salience in force, and the record that chose it, if any did.
    #[must_use]
    pub fn salience_policy(&self) -> (SaliencePolicy, Option<Seq>) {
        let chosen = self.policies.get(&SALIENCE);
        let policy = chosen.map_or(0, |chosen| chosen.code);
        (SaliencePolicy::from_code(policy), chosen.map(|chosen| chosen.by))
    }

    /// The policy of trust in force, and the record that chose it, if any did.
    #[must_use]
    pub fn trust_policy(&self) -> (TrustPolicy, Option<Seq>) {
        let chosen = self.policies.get(&TRUST);
        let policy = chosen.map_or(0, |chosen| chosen.code);
        (TrustPolicy::from_code(policy), chosen.map(|chosen| chosen.by))
    }

    /// The policy of writes in force, and the record that chose it, if any did.
    #[must_use]
    pub fn write_policy(&self) -> (WritePolicy, Option<Seq>) {
        let Some(chosen) = self.policies.get(&WRITES) else {
            return (WritePolicy::default(), None);
        };
        let [restate, midpoint, add] = chosen.thresholds;
        let policy = WritePolicy::from_code(chosen.code, Thresholds { restate, midpoint, add });
        (policy, Some(chosen.by))
    }

    /// The record that chose a policy of what is shown last: of salience or of trust.
    #[must_use]
    pub fn policy_record(&self) -> Option<Seq> {
        self.salience_policy().1.max(self.trust_policy().1)
    }

    pub(crate) fn decide_policy(
        &self,
        event: &PolicyEvent<'static>,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        if door.actor.rank < Rank::Owner {
            return Err(Rejection::PolicyRank { found: door.actor.rank });
        }
        if let PolicyEvent::WritesChosen(WritePolicy { thresholds: Some(thresholds), .. }) = event
            && !thresholds.are_ordered()
        {
            return Err(Rejection::Thresholds);
        }
        let in_force = match event {
            PolicyEvent::SalienceChosen(policy) => {
                (self.salience_policy().0 == *policy).then(|| policy.name())
            }
            PolicyEvent::TrustChosen(policy) => {
                (self.trust_policy().0 == *policy).then(|| policy.name())
            }
            PolicyEvent::WritesChosen(policy) => {
                (self.write_policy().0 == *policy).then_some("of writes")
            }
            PolicyEvent::RoleGiven(_) => None,
        };
        if let Some(name) = in_force {
            return Err(Rejection::PolicyInForce { name });
        }
        Ok(vec![Body { envelope: door.envelope(Vec::new()), event: Event::Policy(event.clone()) }])
    }

    pub(crate) fn fold_policy(&mut self, stored: &Stored<'_>, event: &PolicyEvent<'_>) {
        let (matter, code, thresholds) = match event {
            PolicyEvent::SalienceChosen(policy) => (SALIENCE, policy.code(), None),
            PolicyEvent::TrustChosen(policy) => (TRUST, policy.code(), None),
            PolicyEvent::WritesChosen(policy) => (WRITES, policy.code(), policy.thresholds),
            // Roles hold for what a node takes in: nothing that is folded goes by them.
            PolicyEvent::RoleGiven(_) => return,
        };
        let thresholds =
            thresholds.map_or(NO_THRESHOLDS, |one| [one.restate, one.midpoint, one.add]);
        self.policies.put(Chosen { matter, code, by: stored.seq(), thresholds });
    }
}

impl Row for Chosen {
    type Key = u8;
    const NAME: &'static str = "policies";
    const WIDTH: usize = 22;

    fn key(&self) -> u8 {
        self.matter
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.matter, self.code]);
        out.extend(self.by.0.to_le_bytes());
        self.thresholds.iter().for_each(|one| out.extend(one.0.to_le_bytes()));
    }

    fn read(fields: &mut Fields<'_>) -> Chosen {
        let (matter, code, by) = (fields.u8(), fields.u8(), Seq(fields.u64()));
        let mut threshold = || Cosine(fields.u32().cast_signed());
        Chosen { matter, code, by, thresholds: [threshold(), threshold(), threshold()] }
    }
}

//! Policies: what holds for a whole ledger, as a command and as a fold.

use memlith_event::{Body, Event, PolicyEvent, Rank, SaliencePolicy, Stored};
use memlith_log::Seq;
use memlith_state::{Fields, Row};

use crate::command::Door;
use crate::memory::Memory;
use crate::rejection::Rejection;

/// A policy that was chosen last, and the record that chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// What it is about: 0 for salience.
    matter: u8,
    code: u8,
    by: Seq,
}

const SALIENCE: u8 = 0;

impl Memory {
    /// The policy of salience in force, and the record that chose it, if any did.
    #[must_use]
    pub fn salience_policy(&self) -> (SaliencePolicy, Option<Seq>) {
        let chosen = self.policies.get(&SALIENCE);
        let policy = chosen.map_or(0, |chosen| chosen.code);
        (SaliencePolicy::from_code(policy), chosen.map(|chosen| chosen.by))
    }

    pub(crate) fn decide_policy(
        &self,
        policy: SaliencePolicy,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        if door.actor.rank < Rank::Owner {
            return Err(Rejection::PolicyRank { found: door.actor.rank });
        }
        if self.salience_policy().0 == policy {
            return Err(Rejection::PolicyInForce { name: policy.name() });
        }
        let event = Event::Policy(PolicyEvent::SalienceChosen(policy));
        Ok(vec![Body { envelope: door.envelope(Vec::new()), event }])
    }

    pub(crate) fn fold_policy(&mut self, stored: &Stored<'_>, event: &PolicyEvent) {
        match event {
            PolicyEvent::SalienceChosen(policy) => {
                let by = stored.seq();
                self.policies.put(Chosen { matter: SALIENCE, code: policy.code(), by });
            }
        }
    }
}

impl Row for Chosen {
    type Key = u8;
    const NAME: &'static str = "policies";
    const WIDTH: usize = 10;

    fn key(&self) -> u8 {
        self.matter
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend([self.matter, self.code]);
        out.extend(self.by.0.to_le_bytes());
    }

    fn read(fields: &mut Fields<'_>) -> Chosen {
        Chosen { matter: fields.u8(), code: fields.u8(), by: Seq(fields.u64()) }
    }
}

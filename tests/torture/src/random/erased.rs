//! Steps that erase, and that let come back what was erased.

use memlith::{Error, ErrorKind, RecordId, Seq, read::OwnStatus, write::Rejection};

use super::effect::{Attempt, Effect};
use super::naive::Who;
use super::play::{Judged, Play, caller, nothing, owner};

impl Play {
    pub(super) fn erase(&mut self, item: u8) -> Judged {
        self.item(item).map_or(Ok(()), |at| self.erase_at(at))
    }

    pub(super) fn erase_run(&mut self, run: u8) -> Judged {
        let runs = self.timeline.now().runs();
        let chosen = usize::from(run).checked_rem(runs.len());
        chosen.and_then(|at| runs.get(at)).map_or(Ok(()), |at| self.erase_at(*at))
    }

    fn erase_at(&mut self, at: usize) -> Judged {
        let is_gone = self.is_erased(at);
        let (id, time) = (self.id(at), self.world.time().0);
        let attempt = Attempt { effect: Effect::Erase { at }, time };
        match self.world.ledger(true).and_then(|ledger| ledger.erasure().erase(&owner(), &[id])) {
            Ok(_) if is_gone => self.nothing_new(),
            Ok(erased) => {
                self.nothing_said_stays();
                self.derived_is_gone(erased.erasure.seq)?;
                self.acknowledged(&attempt, true)?;
                match self.is_erased(at) && self.timeline.now().is_buried(id) {
                    true => Ok(()),
                    false => Err(format!("wrong: {id} is not erased, or has no tombstone")),
                }
            }
            Err(error) => self.failed(&error, attempt),
        }
    }

    fn is_erased(&self, at: usize) -> bool {
        let item = self.timeline.now().items.get(at);
        item.is_some_and(|item| item.own == OwnStatus::Erased)
    }

    /// No checkpoint is from before the erasure.
    fn derived_is_gone(&self, erasure: Seq) -> Judged {
        let names = self.world.disk.names();
        let from_before = |name: &&String| {
            let parts: Vec<&str> = name.split('-').collect();
            let (&["ckpt", _, _, epoch, _] | &["run", _, _, _, epoch, _]) = parts.as_slice() else {
                return false;
            };
            epoch.parse::<u64>().is_ok_and(|epoch| epoch < erasure.0)
        };
        names.iter().find(from_before).map_or(Ok(()), |name| {
            Err(format!("wrong: {name} is from before the erasure {erasure}"))
        })
    }

    /// Takes tombstones away: all that there are, or those of an item, with what repeated it
    /// or without.
    pub(super) fn lift(&mut self, item: u8, how: u8) -> Judged {
        let now = self.timeline.now();
        let buried = now.buried();
        let chosen = usize::from(item).checked_rem(buried.len());
        let chosen = chosen.and_then(|chosen| buried.get(chosen).copied());
        let Some(at) = chosen.or_else(|| self.item(item)) else { return Ok(()) };
        let (own, with_it) = (self.id(at), now.buried_with(at));
        let targets: Option<Vec<RecordId>> = match how % 8 {
            0 => None,
            _ if with_it.is_empty() => Some(vec![own]),
            1 | 2 => Some(vec![own]),
            _ => Some(with_it),
        };
        let by = if how % 8 == 3 { caller(Who::User) } else { owner() };
        let has_each = targets.iter().flatten().all(|id| now.is_buried(*id));
        let is_due = has_each && how % 8 != 3;
        let effect = Effect::Lift { targets: targets.clone() };
        let attempt = Attempt { effect, time: self.world.time().0 };
        let lifted = self.world.ledger(true).and_then(|ledger| match &targets {
            Some(targets) => ledger.erasure().lift(&by, targets),
            None => ledger.erasure().lift_all(&by),
        });
        match lifted {
            Ok(_) if is_due => self.acknowledged(&attempt, true),
            Ok(id) => Err(format!("wrong: {id} lifts what has no tombstone, or by anybody")),
            Err(Error::Rejected(Rejection::NoTombstone { .. } | Rejection::Rank { .. }))
                if !is_due =>
            {
                self.played.rejections += 1;
                self.nothing_new()
            }
            Err(error) if is_due || error.kind() == ErrorKind::Usage => {
                self.failed(&error, attempt)
            }
            Err(error) => self.failed(&error, nothing()),
        }
    }
}

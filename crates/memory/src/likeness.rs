//! The last step of the door: what a write is like in meaning.
//!
//! How near texts are and in what they differ is found outside, where texts and vectors
//! are; here it is judged, from numbers alone.

use memlith_event::{
    Arbitration, Body, Closing, Decided, Difference, Event, Match, Near, Outcome, OwnStatus,
    PendingReason, ReconcileEvent, Reply, Thresholds, Weighing,
};
use memlith_log::{RecordId, Seq};

use crate::command::{Door, Remember};
use crate::item::{Item, ItemFlags};
use crate::memory::Memory;
use crate::reconcile::{Met, Newcomer, Standing, blank, outranks, row};
use crate::rejection::Rejection;

/// Likeness of a write: all that its decision takes from outside the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// The embedding model that the cosines are of.
    pub model: String,
    /// The thresholds of that model.
    pub thresholds: Thresholds,
    /// The rows that were compared, each once; those that a write may not be compared with
    /// are passed over.
    pub near: Vec<Near>,
    /// The question to an arbiter and its answer, where one was asked.
    pub arbitration: Option<Arbitration<'static>>,
}

/// Result of judging a write by likeness.
#[derive(Debug, Default, PartialEq, Eq)]
struct Judged {
    restates: Option<RecordId>,
    supersedes: Vec<RecordId>,
    contests: Vec<RecordId>,
    skipped: bool,
}

/// Result of judging by likeness a memory that is taken in.
#[derive(Debug, Default)]
pub(crate) struct Like {
    /// The memories whose place it takes.
    pub(crate) instead: Vec<RecordId>,
    /// The memories that it contradicts.
    pub(crate) beside: Vec<RecordId>,
    /// Where it ends itself.
    pub(crate) later: Option<Closing>,
    pub(crate) weighing: Option<Box<Weighing<'static>>>,
}

impl Likeness {
    /// Number of rows below the threshold that are written down with a decision, so that one may
    /// see how near it was.
    pub const SHOWN_MIN: usize = 3;

    /// Whether the thresholds leave open what it is: an arbiter may be asked.
    ///
    /// `near` is what [`Memory::comparable`] let through.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let Thresholds { restate, add, .. } = self.thresholds;
        let says_it = |near: &Near| near.differs.is_none() && near.cosine >= restate;
        !self.near.iter().any(says_it) && self.near.iter().any(|near| near.cosine >= add)
    }
}

impl Memory {
    /// As [`Memory::decide`] of a [`crate::Command::Remember`], with what the write is like.
    ///
    /// Likeness decides only what neither words nor a slot decide. Pure as `decide` is.
    ///
    /// # Errors
    /// Those of `decide`.
    pub fn decide_by_likeness(
        &self,
        remember: &Remember,
        likeness: &Likeness,
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        self.reconcile_with(remember, Standing::Free, Some(likeness), door)
    }

    /// Decides a write that says something else than the rows `apart`, which have its normal form:
    /// their values differ in letters or signs.
    ///
    /// # Errors
    /// As [`Memory::decide`].
    pub fn decide_apart(
        &self,
        remember: &Remember,
        apart: &[RecordId],
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        self.reconcile(remember, Standing::Apart(apart), door)
    }

    /// As [`Memory::decide`] of a [`crate::Command::Remember`] whose words say that the items
    /// `ended` are no longer so. Those that begin later than it go on.
    ///
    /// Words alone are no reason to end what the write may not be compared with. Pure as
    /// `decide` is.
    ///
    /// # Errors
    /// Those of `decide`.
    pub fn decide_replacing(
        &self,
        remember: &Remember,
        ended: &[RecordId],
        door: &Door,
    ) -> Result<Vec<Body<'static>>, Rejection> {
        let newcomer = self.newcomer(remember, Standing::Free, door)?;
        let items: Vec<Item> = ended
            .iter()
            .filter_map(|id| self.sayable(&newcomer, door, id.seq).filter(|met| met.item.id == *id))
            .filter(|met| met.assertion.valid_from <= newcomer.valid_from)
            .map(|met| met.item)
            .collect();
        self.reconcile(remember, Standing::Replaces(&items), door)
    }

    /// Tells of an item whether a write may be compared with it by its words: as
    /// [`Memory::comparable`], and whichever slots the two have.
    ///
    /// # Errors
    /// The write would be refused.
    pub fn relatable<'a>(
        &'a self,
        remember: &'a Remember,
        door: &'a Door,
    ) -> Result<impl Fn(Seq) -> Option<Item> + use<'a>, Rejection> {
        let newcomer = self.newcomer(remember, Standing::Free, door)?;
        Ok(move |seq| self.sayable(&newcomer, door, seq).map(|met| met.item))
    }

    /// Tells of an item whether a write may be compared with it by likeness: a live memory
    /// of the same room that nobody derived, and not of another slot.
    ///
    /// # Errors
    /// The write would be refused.
    pub fn comparable<'a>(
        &'a self,
        remember: &'a Remember,
        door: &'a Door,
    ) -> Result<impl Fn(Seq) -> Option<Item> + use<'a>, Rejection> {
        let newcomer = self.newcomer(remember, Standing::Free, door)?;
        Ok(move |seq| self.near_to(&newcomer, door, seq).map(|met| met.item))
    }

    fn near_to(&self, newcomer: &Newcomer<'_>, door: &Door, seq: Seq) -> Option<Met> {
        let met = self.sayable(newcomer, door, seq)?;
        let two_slots = newcomer.slot.is_some() && has_slot(&met);
        (!two_slots).then_some(met)
    }

    /// The row, where it is a memory that stands in the newcomer's room and was written, not
    /// derived.
    fn sayable(&self, newcomer: &Newcomer<'_>, door: &Door, seq: Seq) -> Option<Met> {
        let met = self.met(seq, Match::Likeness)?;
        let item = &met.item;
        let alone = item.flags.has(ItemFlags::SESSION_ONLY);
        let same_room = item.cell == door.scope.cell()
            && alone == door.scope.session_only
            && (!alone || Some(item.session) == door.scope.session_key());
        let live = item.own == OwnStatus::Active
            && !item.is_stale()
            && self.is_open(&met.assertion, newcomer.valid_from);
        let of_kind = !item.is_record() && !item.is_derived();
        (same_room && live && of_kind).then_some(met)
    }

    /// Makes of the write what its likeness says; `None` where it is like nothing that was
    /// compared, and is admitted as any other.
    pub(crate) fn answer_by_likeness(
        &self,
        newcomer: &Newcomer<'_>,
        likeness: &Likeness,
        door: &Door,
    ) -> Vec<Body<'static>> {
        let near = self.compared(newcomer, likeness, door);
        let mut judged = judge(newcomer, likeness, &near);
        let later = self.take_later(newcomer, &mut judged, &near);
        let met_in = |ids: &[RecordId]| {
            let mut met: Vec<Met> =
                ids.iter().filter_map(|id| self.met(id.seq, Match::Likeness)).collect();
            met.sort_unstable_by_key(|met| met.item.id);
            met
        };
        let weighing = Box::new(Weighing {
            thresholds: likeness.thresholds,
            near: shown(&near, &likeness.thresholds),
            arbitration: likeness.arbitration.clone(),
            contests: Vec::new(),
        });
        let weighed = |decided: Decided<'static>| Decided {
            model: Some(likeness.model.clone().into()),
            weighing: Some(weighing.clone()),
            ..decided
        };
        let (restates, skipped) = (judged.restates, judged.skipped);
        if restates.is_some() || skipped {
            let known: Vec<RecordId> = near.iter().map(|(one, _)| one.id).take(1).collect();
            let met = met_in(restates.as_ref().map_or(&known, std::slice::from_ref));
            let outcome = restates.map_or(Outcome::Skipped, Outcome::Restated);
            return vec![said_again(newcomer, weighed(blank(&met)), outcome, door)];
        }
        let (displaced, contested) = (met_in(&judged.supersedes), met_in(&judged.contests));
        self.admit_beside(newcomer, displaced, contested, later, door, &weighed)
    }

    /// Judges by likeness a memory that a person takes in.
    pub(crate) fn like(&self, newcomer: &Newcomer<'_>, likeness: &Likeness, door: &Door) -> Like {
        let near = self.compared(newcomer, likeness, door);
        let alone = Likeness { arbitration: None, ..likeness.clone() };
        let mut judged = judge(newcomer, &alone, &near);
        // What says the same in other words gives way to the words that were taken in.
        if judged.restates.is_some() {
            let says = |(one, _): &&(Near, Met)| {
                one.differs.is_none() && one.cosine >= likeness.thresholds.midpoint
            };
            judged.supersedes = near.iter().filter(says).map(|(one, _)| one.id).collect();
        }
        let later = self.take_later(newcomer, &mut judged, &near);
        let weighing = Weighing {
            thresholds: likeness.thresholds,
            near: shown(&near, &likeness.thresholds),
            arbitration: None,
            contests: Vec::new(),
        };
        let Judged { supersedes: instead, contests: beside, .. } = judged;
        Like { instead, beside, later, weighing: Some(Box::new(weighing)) }
    }

    /// The rows that were found near, as far as they may be compared, the nearest first.
    fn compared(
        &self,
        newcomer: &Newcomer<'_>,
        likeness: &Likeness,
        door: &Door,
    ) -> Vec<(Near, Met)> {
        let mut near: Vec<(Near, Met)> = Vec::new();
        for one in &likeness.near {
            near.extend(self.near_to(newcomer, door, one.id.seq).map(|met| (*one, met)));
        }
        near.retain(|(one, met)| one.id == met.item.id);
        near.sort_unstable_by_key(|(one, _)| (std::cmp::Reverse(one.cosine), one.id));
        near.dedup_by_key(|(one, _)| one.id);
        near
    }

    /// Takes out of what would be superseded the rows that begin later than the newcomer:
    /// it is history then, and ends where the first of them begins.
    fn take_later(
        &self,
        newcomer: &Newcomer<'_>,
        judged: &mut Judged,
        near: &[(Near, Met)],
    ) -> Option<Closing> {
        let begins = |id: &RecordId| {
            let met = near.iter().find(|(one, _)| one.id == *id)?;
            let from = met.1.assertion.valid_from;
            (from > newcomer.valid_from).then_some((from, id.seq))
        };
        let later = judged.supersedes.iter().filter_map(begins).min();
        judged.supersedes.retain(|id| begins(id).is_none());
        // Filled in with the newcomer's own sequence where it is admitted.
        later.map(|(at, by)| Closing { row: Seq(0), by, at })
    }

    fn admit_beside(
        &self,
        newcomer: &Newcomer<'_>,
        displaced: Vec<Met>,
        contested: Vec<Met>,
        later: Option<Closing>,
        door: &Door,
        weighed: &dyn Fn(Decided<'static>) -> Decided<'static>,
    ) -> Vec<Body<'static>> {
        let ids = |met: &[Met]| met.iter().map(|met| met.item.id).collect::<Vec<RecordId>>();
        let (mut gives_way, contests) = (ids(&displaced), ids(&contested));
        let may = |met: &Met| outranks(newcomer.tier, door, met.item.guard);
        let overruled = !displaced.iter().chain(&contested).all(may);
        let pending = newcomer.pending.or(overruled.then_some(PendingReason::TrustRule));
        let concerned: Vec<Met> = displaced.into_iter().chain(contested).collect();
        let mut decided = weighed(blank(&concerned));
        decided.candidates.sort_unstable_by_key(|candidate| candidate.id);
        if pending.is_some() {
            gives_way.extend(&contests);
            gives_way.sort_unstable();
            let proposed = Outcome::Proposed(gives_way.clone());
            decided.outcome = if gives_way.is_empty() { Outcome::Added } else { proposed };
        } else {
            let seq = door.next.next();
            let kept: Vec<Met> =
                gives_way.iter().filter_map(|id| self.met(id.seq, Match::Likeness)).collect();
            decided.closings = self.closings_of(newcomer, &kept, seq);
            decided.closings.extend(later.map(|end| Closing { row: seq, ..end }));
            decided.closings.sort_unstable();
            decided.closings.dedup_by_key(|end| (end.row, end.by));
            decided.settled = self.settled_by(newcomer, door);
            let superseded = Outcome::Superseded(gives_way.clone());
            decided.outcome = if gives_way.is_empty() { Outcome::Added } else { superseded };
            if let Some(weighing) = &mut decided.weighing {
                weighing.contests = contests;
            }
        }
        let row = row(newcomer, &gives_way, pending, door);
        let mut envelope = door.envelope(Vec::new());
        envelope.key = None;
        vec![Body { envelope, event: Event::Reconcile(ReconcileEvent::Decided(decided)) }, row]
    }
}

/// Judges a write by the thresholds, or the arbiter; `near` has the nearest first.
fn judge(newcomer: &Newcomer<'_>, likeness: &Likeness, near: &[(Near, Met)]) -> Judged {
    let Thresholds { restate, add, midpoint } = likeness.thresholds;
    // One word in another's place keeps the two from being the same, and nothing else.
    let differs = |one: &Near| match one.differs {
        Some(Difference::Value) => one.cosine >= restate,
        differs => differs.is_some(),
    };
    let plain = || near.iter().filter(|(one, _)| !differs(one));
    let reply = likeness.arbitration.as_ref().map(|said| said.reply);
    // What was not compared can't be what is updated.
    let seen = |id: &RecordId| near.iter().any(|(one, _)| one.id == *id);
    let unseen = |reply: &Reply| matches!(reply, Reply::Update(id) if !seen(id));
    let reply = reply.filter(|one| !unseen(one));
    let alike = plain().find(|(one, _)| one.cosine >= restate);
    if let Some((one, _)) = alike.filter(|(_, met)| says_no_more(newcomer, met)) {
        return Judged { restates: Some(one.id), ..Judged::default() };
    }
    let mut judged = Judged::default();
    match reply.filter(|_| alike.is_none()) {
        Some(Reply::Skip) => judged.skipped = true,
        Some(Reply::Add) => {}
        Some(Reply::Update(id)) => {
            let asked = near.iter().find(|(one, _)| one.id == id).map(|(one, _)| one.cosine);
            let nearer = plain().filter(|(one, _)| Some(one.cosine) >= asked && one.id != id);
            judged.supersedes = nearer.map(|(one, _)| one.id).collect();
            judged.supersedes.extend(asked.map(|_| id));
        }
        Some(_) | None => {
            // What has a slot gives way to what has it too.
            let gives_way = |met: &Met| newcomer.slot.is_some() || !has_slot(met);
            let nearer = plain().filter(|(one, met)| one.cosine >= midpoint && gives_way(met));
            judged.supersedes = nearer.map(|(one, _)| one.id).collect();
        }
    }
    if reply != Some(Reply::Add) && !judged.skipped {
        // Of things of other names both may be so.
        let against = |one: &Near| differs(one) && one.differs != Some(Difference::Name);
        let against = near.iter().filter(|(one, _)| against(one) && one.cosine >= add);
        let left = against.filter(|(one, _)| !judged.supersedes.contains(&one.id));
        judged.contests = left.map(|(one, _)| one.id).collect();
    }
    judged
}

/// Whether the row says all that the newcomer does besides its words.
fn says_no_more(newcomer: &Newcomer<'_>, met: &Met) -> bool {
    newcomer.slot.is_none()
        && newcomer.remember.validity.until.is_none()
        && (!met.item.is_stale() || newcomer.remember.rests_on.is_empty())
}

fn has_slot(met: &Met) -> bool {
    met.assertion.slot != memlith_event::Key::default()
}

/// Chooses the compared rows that a decision keeps.
fn shown(near: &[(Near, Met)], thresholds: &Thresholds) -> Vec<Near> {
    let matter = near.iter().filter(|(one, _)| one.cosine >= thresholds.add).count();
    near.iter().take(matter.max(Likeness::SHOWN_MIN)).map(|(one, _)| *one).collect()
}

/// No new row: the words stand in the decision.
fn said_again(
    newcomer: &Newcomer<'_>,
    decided: Decided<'static>,
    outcome: Outcome,
    door: &Door,
) -> Body<'static> {
    let decided = Decided {
        text: newcomer.remember.text.clone().into(),
        slot: newcomer.remember.slot.clone(),
        outcome,
        ..decided
    };
    Body {
        envelope: door.envelope(newcomer.remember.links()),
        event: Event::Reconcile(ReconcileEvent::Decided(decided)),
    }
}

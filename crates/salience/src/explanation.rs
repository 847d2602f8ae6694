use memlith_event::{Body, Content, Facts, ItemFacts, Kind, SaliencePolicy, Stored};
use memlith_log::{RecordId, Seq, Timestamp};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::{Act, Change, Claim, Decimal, Entry, Leg, Log2, Moved, Salience, Unmoved};

/// Collects why an item has the salience it has.
///
/// It is fed the log, or at least every event that names the item, in order, each with
/// the facts just before it; it folds the item exactly as [`Salience`] does.
///
/// ```
/// # use memlith_event::*;
/// # use memlith_log::{RecordId, Seq, Timestamp};
/// # use memlith_salience::Trace;
/// # struct Active;
/// # impl Facts for Active {
/// #     fn item(&self, _: Seq) -> Option<ItemFacts> {
/// #         Some(ItemFacts { own: OwnStatus::Active, occurred_at: Timestamp(0), derived: false,
/// #             accepted: false, guard: 4 })
/// #     }
/// # }
/// # let item = RecordId { seq: Seq(3), hash: [0; 6] };
/// # let event = Event::Memory(MemoryEvent::Confirmed(Confirmed {
/// #     targets: vec![item], ..Confirmed::default() }));
/// # let envelope = Envelope::new(Scope::tenant("home"), Actor::new("ana", Rank::User), Timestamp(0));
/// # let confirmed = Stored { id: RecordId { seq: Seq(5), hash: [0; 6] }, recorded_at: Timestamp(0),
/// #     content: Content::Event(Box::new(Body { envelope, event })) };
/// # let facts = Active;
/// let mut trace = Trace::new(item.seq, Timestamp(0));
/// trace.apply(&confirmed, &facts);
///
/// let half_life_later = Timestamp(30 * Timestamp::DAY_US);
/// let explanation = trace.explain(half_life_later);
/// assert_eq!(explanation.factor.to_string(), "1.5");
/// assert_eq!(explanation.decay.to_string(), "0.5");
/// assert_eq!(explanation.salience.to_string(), "0.75");
/// assert!(explanation.exact);
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    target: Seq,
    born: Timestamp,
    fold: Salience,
    product: Option<Decimal>,
    before_penalty: Option<Decimal>,
    steps: Vec<Step>,
    curve: Vec<Leg>,
}

/// One event that named the item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The event's record.
    pub id: RecordId,
    /// Its kind.
    pub kind: Kind,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// Act that it claimed of the item.
    pub act: Act,
    /// Effect on the item's salience, or why there was none.
    pub effect: Result<Effect, Unmoved>,
}

/// Effect of one event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effect {
    /// The row of the table of changes.
    pub change: Change,
    /// The factor that the event applied: the stated or the table's strength, exactly;
    /// where that was clipped or the level re-anchored, what came of it, to 12 digits.
    pub factor: Decimal,
    /// Whether the budget or the ceiling left less than the whole strength.
    pub clipped: bool,
    /// Whether the level was lifted to one that time alone decides.
    pub reanchored: bool,
}

/// Why an item has the salience it has, at one instant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Explanation {
    /// The salience: `factor * decay`, shown within 0.01 and 10.
    pub salience: Decimal,
    /// The product of all factors since the item's own time; written as text, since it is exact
    /// where `exact` says so.
    #[serde(serialize_with = "as_text")]
    pub factor: Decimal,
    /// Whether `factor` is exact: nothing was clipped or re-anchored, and it has at most
    /// 38 digits. Otherwise it is rounded to 12 significant digits.
    pub exact: bool,
    /// The decay since the item's own time, to 12 significant digits.
    pub decay: Decimal,
    /// The events that named the item, in order.
    #[serde(rename = "factors")]
    pub steps: Vec<Step>,
    /// Its salience from its own time on, as the events made it, in order.
    pub curve: Vec<Leg>,
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let effect = self.effect.as_ref().ok();
        let mut out = serializer.serialize_struct("Step", 8)?;
        out.serialize_field("id", &self.id)?;
        out.serialize_field("kind", self.kind.name())?;
        out.serialize_field("occurred_at", &self.occurred_at)?;
        out.serialize_field("change", &effect.map(|effect| effect.change))?;
        out.serialize_field("factor", &effect.map(|effect| effect.factor.to_string()))?;
        out.serialize_field("clipped", &effect.is_some_and(|effect| effect.clipped))?;
        out.serialize_field("reanchored", &effect.is_some_and(|effect| effect.reanchored))?;
        out.serialize_field("without_effect", &self.effect.as_ref().err())?;
        out.end()
    }
}

fn as_text<S: Serializer>(factor: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(factor)
}

impl Trace {
    /// The trace of the item at `target`, which was born at `born` (its own `occurred_at`).
    #[must_use]
    pub fn new(target: Seq, born: Timestamp) -> Trace {
        Trace::under(SaliencePolicy::Default, target, born)
    }

    /// The trace of that item under `policy`.
    #[must_use]
    pub fn under(policy: SaliencePolicy, target: Seq, born: Timestamp) -> Trace {
        let level = (policy != SaliencePolicy::CompatZaxy).then(|| Log2::at(born));
        Trace {
            target,
            born,
            fold: Salience::under(policy),
            product: Some(Decimal::ONE),
            before_penalty: None,
            steps: Vec::new(),
            curve: vec![Leg { from: born, level }],
        }
    }

    /// Takes in one record; `facts` is what was known of items just before it.
    ///
    /// Cost: memory grows with the events that name the item, not with those that don't.
    pub fn apply(&mut self, stored: &Stored<'_>, facts: &dyn Facts) {
        let Content::Event(body) = &stored.content else { return };
        let Some(claim) = Claim::of(body) else { return };
        if claim.targets.binary_search(&self.target).is_err() {
            return;
        }
        let Some(item) = facts.item(self.target) else { return };
        let effect = if self.fold.policy() == SaliencePolicy::CompatZaxy {
            self.mirrored(&claim, &item)
        } else {
            let before = self.entry();
            let effect = self.fold.settle(&claim, self.target, &item);
            effect.map(|(change, moved)| self.effect(&claim, change, before, moved))
        };
        if effect.is_ok() {
            self.go_on(claim.occurred_at);
        }
        self.steps.push(step(stored.id, body, claim.act, effect));
    }

    /// The explanation at `now`.
    #[must_use]
    pub fn explain(&self, now: Timestamp) -> Explanation {
        if self.fold.policy() == SaliencePolicy::CompatZaxy {
            return self.explain_mirrored(now);
        }
        let level = self.entry().level;
        let born = Log2::at(self.born);
        Explanation {
            salience: level.shown(now),
            factor: self.product.unwrap_or_else(|| Decimal::exp2(level.minus(born))),
            exact: self.product.is_some(),
            decay: Decimal::exp2(born.minus(Log2::at(now))),
            steps: self.steps.clone(),
            curve: self.curve.clone(),
        }
    }

    /// Begins the next leg of the curve.
    fn go_on(&mut self, at: Timestamp) {
        let last = self.curve.last().map_or(self.born, |leg| leg.from);
        let from = at.max(last);
        let level = self.fold.level(self.target, self.born, from);
        self.curve.push(Leg { from, level: Some(level) });
    }

    /// Zaxy's number, and the two it is made of: its decay begins with the last event.
    fn explain_mirrored(&self, now: Timestamp) -> Explanation {
        let (factor, decay) = self.fold.mirrored(self.target, now);
        Explanation {
            salience: self.fold.level(self.target, self.born, now).shown(now),
            factor: Decimal::exp2(factor),
            exact: false,
            decay: Decimal::exp2(decay),
            steps: self.steps.clone(),
            curve: self.curve.clone(),
        }
    }

    fn mirrored(&mut self, claim: &Claim, item: &ItemFacts) -> Result<Effect, Unmoved> {
        let (change, weight, clipped) = self.fold.mirror(claim, self.target, item)?;
        let factor = Decimal::of_millionths(weight.0);
        Ok(Effect { change, factor, clipped, reanchored: false })
    }

    fn entry(&self) -> Entry {
        self.fold.entry(self.target, self.born)
    }

    fn effect(&mut self, claim: &Claim, change: Change, before: Entry, moved: Moved) -> Effect {
        let Moved { entry, clipped, reanchored } = moved;
        let stated = change.decimal(claim.strength(change));
        let (factor, product) = if clipped || reanchored {
            (Decimal::exp2(entry.level.minus(before.level)), None)
        } else if matches!(change, Change::ReconfirmedInside | Change::ReconfirmedOutside) {
            // The inverse of a decimal need not be one, but the product before it is. An
            // invalidation that took nothing (of a pending item, by a tool) left none.
            let nothing_taken = before.penalty == Log2::ZERO;
            let product = if nothing_taken { self.product } else { self.before_penalty };
            (Decimal::exp2(entry.level.minus(before.level)), product)
        } else {
            (stated, self.product.and_then(|product| product.times(stated)))
        };
        if change == Change::Invalidated {
            self.before_penalty = self.product;
        }
        self.product = product;
        Effect { change, factor, clipped, reanchored }
    }
}

fn step(id: RecordId, body: &Body<'_>, act: Act, effect: Result<Effect, Unmoved>) -> Step {
    let occurred_at = body.envelope.occurred_at;
    Step { id, kind: body.event.kind(), occurred_at, act, effect }
}

#[cfg(test)]
mod tests;

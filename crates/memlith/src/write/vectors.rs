//! Vectors of items that callers hand in.

use std::collections::BTreeMap;

use memlith_event::{Embedded as EmbeddedEvent, Envelope, OwnStatus, Scope};
use memlith_log::RecordId;
use memlith_memory::{Command, Item, ItemFlags, Remember};
use memlith_recall::{ModelId, ModelVector, Recall};
use memlith_redact::redact;

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::ledger::Ledger;
use crate::write::append::Urgency;
use crate::write::command::Written;

/// Result of handing in vectors.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Embedded {
    /// The records that hold them, in the order of the items.
    pub written: Vec<RecordId>,
    /// How many items had just this vector already: of these nothing is written.
    pub already_present: u64,
}

impl Ledger {
    pub(crate) fn scope_of(&self, id: RecordId) -> Result<Scope<'static>, Error> {
        let record = self.log.read(id.seq)?;
        let body = body_of(&record).map_err(|source| Error::Decode { seq: id.seq, source })?;
        let scope = body.map(|body| body.envelope.scope.into_owned());
        scope.ok_or(Error::NoRecord { id })
    }
}

/// Whether an item has a vector of `model`.
pub(crate) fn has_vector(state: &State, item: &Item, model: &ModelId) -> bool {
    let session_only = item.flags.has(ItemFlags::SESSION_ONLY);
    let room = if session_only { Scope::room_of_session(item.session) } else { item.cell };
    state.recall.has_vector(room, item.id.seq, model)
}

pub(crate) fn check_name(model: &ModelId) -> Result<(), Error> {
    let found = redact(model.as_str()).counts.into_keys().next();
    found.map_or(Ok(()), |rule| Err(Error::SecretModel { rule: rule.name() }))
}

/// Every vector is as wide as the others of its model, here and among `vectors`.
fn check_widths(
    recall: &Recall,
    caller: &Caller,
    vectors: &[(RecordId, ModelVector)],
) -> Result<(), Error> {
    let mut widths: BTreeMap<&ModelId, usize> = BTreeMap::new();
    for (_, vector) in vectors {
        check_width(recall, &caller.scope.tenant, vector)?;
        let expected = *widths.entry(vector.model()).or_insert(vector.dimensions());
        if expected != vector.dimensions() {
            return Err(width(vector, expected));
        }
    }
    Ok(())
}

pub(crate) fn check_width(
    recall: &Recall,
    tenant: &str,
    vector: &ModelVector,
) -> Result<(), Error> {
    match recall.dimensions(tenant, vector.model()) {
        Some(expected) if expected != vector.dimensions() => Err(width(vector, expected)),
        Some(_) | None => Ok(()),
    }
}

fn width(vector: &ModelVector, expected: usize) -> Error {
    let model = vector.model().to_string();
    Error::VectorWidth { model, expected, found: vector.dimensions() }
}

/// Vectors of a model of yours.
#[derive(Clone, Copy, Debug)]
pub struct Vectors<'a> {
    pub(crate) ledger: &'a Ledger,
}

impl Ledger {
    /// Vectors of a model of yours.
    #[must_use]
    pub fn vectors(&self) -> Vectors<'_> {
        Vectors { ledger: self }
    }
}

impl Vectors<'_> {
    /// Gives items vectors, of one model or several, in one batch or not at all. Of an item
    /// and a model the newest counts; it goes with the item where that is erased.
    ///
    /// Durable as the ledger's options say. A key of the caller's is not needed and not
    /// written: the same vector again writes nothing.
    ///
    /// # Errors
    /// [`Error::VectorWidth`] where a model's other vectors have another width,
    /// [`Error::SecretModel`], [`Error::Rejected`] for an item that the caller doesn't see,
    /// that was erased, or that is guarded above the caller, and the log's.
    pub fn embed(
        &self,
        caller: &Caller,
        vectors: &[(RecordId, ModelVector)],
    ) -> Result<Embedded, Error> {
        Caller::check_scope(&caller.scope)?;
        vectors.iter().try_for_each(|(_, vector)| check_name(vector.model()))?;
        if vectors.is_empty() {
            return Ok(Embedded::default());
        }
        self.ledger.locked(|writer, state, moment| {
            check_widths(&state.recall, caller, vectors)?;
            let events = vectors.iter().map(|(target, vector)| EmbeddedEvent {
                target: *target,
                vector: vector.embedding(),
            });
            let command = Command::Embed(events.collect());
            let mut bodies = Vec::new();
            let decided = state.memory.decide(&command, &caller.door(moment, None)?)?;
            for (mut body, (target, vector)) in decided.into_iter().zip(vectors) {
                let scope = self.ledger.scope_of(*target)?;
                if !state.recall.has_same_vector(scope.room(), target.seq, vector) {
                    // An event belongs to its target's scope.
                    body.envelope = Envelope { scope, key: None, ..body.envelope };
                    bodies.push(body);
                }
            }
            let already_present = vectors.len().saturating_sub(bodies.len()) as u64;
            if bodies.is_empty() {
                return Ok(Embedded { written: Vec::new(), already_present });
            }
            let urgency = Urgency::Ordinary(self.ledger.options.durability);
            let appended = self.ledger.append(writer, state, moment.tick, &bodies, urgency)?;
            let written = appended.into_iter().map(|one| one.id).collect();
            Ok(Embedded { written, already_present })
        })
    }

    /// Writes an assertion as [`Ledger::remember`] does, and gives the row that says it a
    /// vector: the new one, or one that stands and has none of this model.
    ///
    /// The vector is looked at before anything is written. It is a batch of its own, so that
    /// a crash between the two leaves a memory without a vector.
    ///
    /// # Errors
    /// Those of [`Ledger::remember`] and [`Vectors::embed`].
    pub fn remember(
        &self,
        caller: &Caller,
        remember: impl Into<Remember>,
        vector: &ModelVector,
    ) -> Result<Written, Error> {
        check_name(vector.model())?;
        self.ledger.read(|state| check_width(&state.recall, &caller.scope.tenant, vector))?;
        let written = self.ledger.remember(caller, remember)?;
        let wants = self.ledger.read(|state| {
            let item = state.memory.item(written.id.seq);
            let item = item.filter(|item| item.own != OwnStatus::Erased);
            Ok(item.is_some_and(|item| !has_vector(state, &item, vector.model())))
        })?;
        if wants {
            match self.embed(caller, &[(written.id, vector.clone())]) {
                // A row that was only said again may be guarded above the caller.
                Ok(_) | Err(Error::Rejected(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(written)
    }

    /// Confirms that `vector` can be compared with those of its model that the caller's tenant
    /// has: where there are none, that any can.
    ///
    /// # Errors
    /// [`Error::VectorWidth`].
    pub fn check(&self, caller: &Caller, vector: &ModelVector) -> Result<(), Error> {
        self.ledger.read(|state| check_width(&state.recall, &caller.scope.tenant, vector))
    }
}

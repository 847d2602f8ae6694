//! Vectors for what has none yet: re-embedding, a batch at a time.

use memlith_event::{OwnStatus, Rank};
use memlith_log::RecordId;
use memlith_memory::{Item, Memory};
use memlith_recall::{EmbedError, ModelId, ModelVector};

use crate::caller::Caller;
use crate::error::Error;
use crate::fold::state::body_of;
use crate::ledger::Ledger;
use crate::write::vectors::Vectors;
use crate::write::vectors::has_vector;

/// Result of embedding the items that had no vector of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reembedded {
    /// Number of items without a vector, of those that the caller sees and may give one to.
    pub missing: u64,
    /// Number of items that were given one.
    pub written: u64,
    /// Number of items of which the model made no vector.
    pub without: u64,
    /// Number of items that took none any more: they were erased meanwhile.
    pub refused: u64,
}

/// A text and the record it is of, for a model that is asked for many at once.
pub type TextOf = (RecordId, String);

/// The vectors that a model makes of texts, in their order; `None` where it made none.
pub type VectorsOf = Result<Vec<Option<ModelVector>>, EmbedError>;

/// Number of texts given to a model at once; their vectors are written in one batch.
pub(crate) const TOGETHER: usize = 64;

/// A model is given the first so many bytes of a text; none reads more.
const TEXT_LEN_MAX: usize = 32 << 10;

impl Ledger {
    /// Writes the vectors in one batch; one by one where one of them is refused.
    fn embed_each(
        &self,
        caller: &Caller,
        vectors: &[(RecordId, ModelVector)],
    ) -> Result<u64, Error> {
        match self.vectors().embed(caller, vectors) {
            Err(Error::Rejected(_)) if vectors.len() > 1 => {
                vectors.chunks(1).map(|one| self.embed_each(caller, one)).sum()
            }
            Err(Error::Rejected(_)) => Ok(0),
            embedded => embedded.map(|_| vectors.len() as u64),
        }
    }

    /// The words of items, each up to its limit; of those that have some still.
    fn texts_of(&self, ids: &[RecordId]) -> Result<Vec<TextOf>, Error> {
        let mut texts = Vec::with_capacity(ids.len());
        for id in ids {
            let record = self.log.read(id.seq)?;
            let body = body_of(&record).map_err(|source| Error::Decode { seq: id.seq, source })?;
            let text = body.as_ref().and_then(|body| body.event.item_text());
            let Some(mut text) = text.map(std::borrow::Cow::into_owned) else { continue };
            text.truncate(text.floor_char_boundary(TEXT_LEN_MAX));
            texts.push((*id, text));
        }
        Ok(texts)
    }
}

fn may_have(item: &Item, caller: &Caller) -> bool {
    let stands = matches!(item.own, OwnStatus::Active | OwnStatus::Pending);
    let guard = item.guard.min(Rank::User.level());
    stands && caller.rank.level() >= guard && Memory::sees(&caller.scope, item)
}

impl Vectors<'_> {
    /// Returns the items that the caller sees, that stand or wait, and that have no vector of
    /// `model`, ascending. Cost: a pass over all items.
    ///
    /// # Errors
    /// The log's.
    pub fn missing(&self, caller: &Caller, model: &ModelId) -> Result<Vec<RecordId>, Error> {
        self.ledger.read(|state| {
            let items = state.memory.items().filter(|item| may_have(item, caller));
            let items = items.filter(|item| !has_vector(state, item, model));
            Ok(items.map(|item| item.id).collect())
        })
    }

    /// Asks `give` for the vectors of all items that the caller sees, that stand or wait, and
    /// that have none of `model`; writes what it gives, 64 at a time.
    ///
    /// Cut short, it goes on where it ended; repeated, it writes nothing. `dry_run` asks and
    /// writes nothing. Cost: a pass over all items, and a sync a batch where the ledger's
    /// options say so.
    ///
    /// # Errors
    /// [`Error::Embed`] where the model fails, those of [`Vectors::embed`], and the log's; what
    /// was written before stands.
    pub fn embed_missing(
        &self,
        caller: &Caller,
        model: &ModelId,
        dry_run: bool,
        give: &mut dyn FnMut(&[TextOf]) -> VectorsOf,
    ) -> Result<Reembedded, Error> {
        let ids = self.missing(caller, model)?;
        let mut done = Reembedded { missing: ids.len() as u64, ..Reembedded::default() };
        if dry_run {
            return Ok(done);
        }
        for ids in ids.chunks(TOGETHER) {
            let texts = self.ledger.texts_of(ids)?;
            let given = give(&texts).map_err(|source| Error::Embed { source })?;
            if given.len() != texts.len() {
                let (expected, found) = (texts.len(), given.len());
                return Err(Error::Embed { source: EmbedError::Count { expected, found } });
            }
            let pairs = texts.into_iter().zip(given);
            let vectors: Vec<_> =
                pairs.filter_map(|((id, _), vector)| Some((id, vector?))).collect();
            let taken = self.ledger.embed_each(caller, &vectors)?;
            done.written += taken;
            done.refused += vectors.len() as u64 - taken;
            done.without += (ids.len() - vectors.len()) as u64;
        }
        Ok(done)
    }
}

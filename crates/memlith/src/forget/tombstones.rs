//! Tombstones of a ledger and their key: what was erased stays erased.
//!
//! Invariants: 1. tombstones are durable before the erasure that they belong to begins;
//! 2. nothing is appended that a standing tombstone knows; 3. without the key nothing is
//! appended at all that has words, rather than something that was erased.

use std::io;

use memlith_event::{Body, Event, OutcomeEvent, ReconcileEvent, Tombstone, TombstonesLaid, Via};
use memlith_log::{Access, Env, LedgerId, Log, RecordId, Seq, Storage};
use memlith_memory::{Memory, Rejection};
use memlith_text::normalised;

use crate::caller::{Caller, Moment};
use crate::error::Error;
use crate::fold::state::{State, body_of};
use crate::forget::erase::Erasure;
use crate::ledger::Ledger;
use crate::write::append::{Urgency, append};

/// The file of the key, and its name while it is written.
pub(crate) const KEY_FILE: &str = "tombstone.key";
const TEMPORARY: &str = "tombstone.tmp";

const MAGIC: &[u8; 4] = b"MLT1";
const FILE_LEN: usize = 64;

/// One event holds at most so many tombstones: some 600 kB.
const STONES_MAX: usize = 16_384;

/// Least length of a saying or an act that is known again by its text alone: a plain "yes, go on"
/// may be said again.
const RECORD_WORDS_MIN: usize = 3;
const RECORD_CHARS_MIN: usize = 16;

/// How many tombstones a ledger holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Tombstones {
    /// Number of tombstones that bar.
    pub standing: u64,
    /// Number of tombstones of a ledger whose export was restored here: without that one's key
    /// they bar nothing.
    pub foreign: u64,
}

/// The key of a ledger's tombstones.
#[derive(Clone)]
pub(crate) struct TombstoneKey {
    secret: [u8; 32],
    /// Which key it is, as events name it.
    id: u64,
}

impl std::fmt::Debug for TombstoneKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TombstoneKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Why a key can't be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Missing,
    Damaged,
    OtherLedger,
    OtherKey,
}

impl TombstoneKey {
    fn of(secret: [u8; 32]) -> TombstoneKey {
        let digest = blake3::derive_key("memlith v1 tombstone key", &secret);
        let (id, _) = digest.split_first_chunk().unwrap_or((&[0; 8], &[]));
        TombstoneKey { secret, id: u64::from_le_bytes(*id) }
    }

    /// Draws a key and keeps it, durably, in the place of one that may be there.
    pub(crate) fn create(env: &Env, ledger: LedgerId) -> Result<TombstoneKey, Error> {
        let storage = env.storage.as_ref();
        let io = |what: &str| {
            let what = format!("{what} {KEY_FILE} in {}", storage.describe());
            move |source| Error::Io { what, source }
        };
        let mut secret = [0; 32];
        env.rng.fill(&mut secret).map_err(io("draw"))?;
        TombstoneKey::keep(env, ledger, secret)
    }

    /// The key of the ledger in this folder, in words that another node of a shared ledger takes;
    /// none where there is none.
    pub(crate) fn secret_of(env: &Env, ledger: LedgerId) -> Result<Option<[u8; 32]>, Error> {
        let read = TombstoneKey::read(env.storage.as_ref(), ledger)?;
        Ok(read.ok().map(|key| key.secret))
    }

    /// Keeps a key, durably, in the place of one that may be there.
    pub(crate) fn keep(
        env: &Env,
        ledger: LedgerId,
        secret: [u8; 32],
    ) -> Result<TombstoneKey, Error> {
        let storage = env.storage.as_ref();
        let io = |what: &str| {
            let what = format!("{what} {KEY_FILE} in {}", storage.describe());
            move |source| Error::Io { what, source }
        };
        let file = storage.open(TEMPORARY, Access::Fresh).map_err(io("create"))?;
        file.write_at(&encode(ledger, &secret), 0).map_err(io("write"))?;
        file.sync_data().map_err(io("sync"))?;
        storage.rename(TEMPORARY, KEY_FILE).map_err(io("rename"))?;
        storage.sync_folder("").map_err(io("sync"))?;
        Ok(TombstoneKey::of(secret))
    }

    fn read(storage: &dyn Storage, ledger: LedgerId) -> Result<Result<TombstoneKey, Fault>, Error> {
        let io = |source| Error::Io {
            what: format!("read {KEY_FILE} in {}", storage.describe()),
            source,
        };
        let file = match storage.open(KEY_FILE, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Err(Fault::Missing));
            }
            opened => opened.map_err(io)?,
        };
        let mut bytes = [0; FILE_LEN + 1];
        let len = file.read_at(&mut bytes, 0).map_err(io)?;
        Ok(decode(bytes.get(..len).unwrap_or_default(), ledger))
    }

    /// The digest under which something is known again.
    fn digest(&self, sort: &str, parts: &[&[u8]]) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        for part in std::iter::once(sort.as_bytes()).chain(parts.iter().copied()) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        *hasher.finalize().as_bytes().first_chunk().unwrap_or(&[0; 16])
    }
}

fn encode(ledger: LedgerId, secret: &[u8; 32]) -> Vec<u8> {
    let rest = [&ledger.0[..], secret, &[0; 8]].concat();
    [MAGIC.as_slice(), &crc(&rest), &rest].concat()
}

fn crc(rest: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(MAGIC);
    hasher.update(rest);
    hasher.finalize().to_le_bytes()
}

fn decode(bytes: &[u8], ledger: LedgerId) -> Result<TombstoneKey, Fault> {
    let bytes: &[u8; FILE_LEN] = bytes.try_into().map_err(|_| Fault::Damaged)?;
    let (head, rest) = bytes.split_at(8);
    if head != [MAGIC.as_slice(), &crc(rest)].concat() {
        return Err(Fault::Damaged);
    }
    let (owner, rest) = rest.split_first_chunk().ok_or(Fault::Damaged)?;
    if LedgerId(*owner) != ledger {
        return Err(Fault::OtherLedger);
    }
    rest.first_chunk().map(|secret| TombstoneKey::of(*secret)).ok_or(Fault::Damaged)
}

impl Fault {
    fn what(self) -> &'static str {
        match self {
            Fault::Missing => "is missing",
            Fault::Damaged => "is cut or damaged",
            Fault::OtherLedger => "belongs to another ledger",
            Fault::OtherKey => "is not the key of the tombstones that stand",
        }
    }

    fn error(self) -> Error {
        Error::TombstoneKey { what: self.what() }
    }
}

/// Lists the digests, under `key`, that a record can be known again by; `id` is its id in the
/// ledger `ledger`.
fn digests(
    key: &TombstoneKey,
    ledger: LedgerId,
    id: Option<RecordId>,
    body: &Body<'_>,
) -> Vec<[u8; 16]> {
    let envelope = &body.envelope;
    let mut digests = Vec::new();
    if let Some(given) = envelope.key {
        digests.push(match (envelope.via, envelope.idempotency()) {
            (Via::Live, Some(of_actor)) => key.digest("write", &[&of_actor.0]),
            (Via::Live | Via::Hook | Via::Import, _) => key.digest("import", &[&given.0]),
        });
    }
    let own = id.map(|id| (ledger, id));
    let copied = envelope.copied_from.map(|from| (from.ledger, from.id));
    for (ledger, id) in own.into_iter().chain(copied) {
        digests.push(key.digest("record", &[&ledger.0, &id.seq.0.to_le_bytes(), &id.hash]));
    }
    let text = words(&body.event).filter(|text| is_telling(&body.event, text));
    digests.extend(
        text.map(|text| key.digest("text", &[envelope.scope.tenant.as_bytes(), text.as_bytes()])),
    );
    digests
}

/// The plain words of an item, or of a decision that repeats them.
fn words(event: &Event<'_>) -> Option<String> {
    let text = match event {
        Event::Reconcile(ReconcileEvent::Decided(decided)) => plain_words(&decided.text),
        Event::Turn(_) | Event::Memory(_) | Event::Foreign(_) => {
            plain_words(event.item_text()?.as_ref())
        }
        // Other evidence may give the same summary or procedure again.
        Event::Compaction(_)
        | Event::Procedure(_)
        | Event::Session(_)
        | Event::Outcome(OutcomeEvent::Reported(_))
        | Event::Review(_)
        | Event::Policy(_)
        | Event::Job(_)
        | Event::Delivery(_)
        | Event::Tombstone(_) => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// The letters and digits of a text in lower case, with one blank for all between them.
pub(crate) fn plain_words(text: &str) -> String {
    let normal = normalised(text);
    let words = normal.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<&str>>().join(" ")
}

/// Whether a text tells what was erased from what anybody may say again.
fn is_telling(event: &Event<'_>, text: &str) -> bool {
    let is_record = matches!(event, Event::Turn(_) | Event::Foreign(_));
    let long =
        || text.split(' ').count() >= RECORD_WORDS_MIN || text.chars().count() >= RECORD_CHARS_MIN;
    !is_record || long()
}

impl Ledger {
    fn lifted(
        &self,
        caller: &Caller,
        what: impl Fn(&State) -> (Vec<RecordId>, Vec<u64>),
    ) -> Result<RecordId, Error> {
        self.locked(|writer, state, moment| {
            let (targets, keys) = what(state);
            let bodies = state.memory.decide_lift(&targets, &keys, &caller.door(moment, None)?)?;
            let urgency = Urgency::Ordinary(memlith_log::Durability::Immediate);
            state.check()?;
            let appended = append(writer, moment.tick, &bodies, urgency)?;
            Ok(appended.first().map(|record| record.id).unwrap_or_default())
        })
    }

    /// Returns the fault of the key's file, for a verification. A ledger in which no tombstone
    /// stands may have none.
    pub(crate) fn key_finding(&self) -> Result<Option<String>, Error> {
        let used = self.standing_keys(&self.snapshot()?);
        Ok(match (self.key_of(&used)?, used.is_empty()) {
            (Ok(_), _) | (Err(Fault::Missing), true) => None,
            (Err(fault), true) => {
                Some(format!("{}; no tombstone stands, and an erasure makes another", fault.what()))
            }
            (Err(fault), false) => Some(format!(
                "{}, and tombstones stand: nothing is taken in until it is put back from a \
                 backup or all tombstones are lifted",
                fault.what()
            )),
        })
    }

    /// The erased record whose tombstone bars one of `bodies`, if one does.
    pub(crate) fn barred<'b>(
        &self,
        state: &State,
        bodies: impl IntoIterator<Item = &'b Body<'b>>,
    ) -> Result<Option<RecordId>, Error> {
        let Some(key) = self.standing_key(state)? else { return Ok(None) };
        let mut digests = bodies.into_iter().flat_map(|body| digests(&key, self.id(), None, body));
        Ok(digests.find_map(|digest| state.memory.tombstone(digest)))
    }

    /// The tombstones of the records `seqs` of `log`, this ledger's or another's, as events to append
    /// before their erasure.
    pub(crate) fn tombstones_of(
        &self,
        state: &State,
        (log, seqs): (&Log, &[Seq]),
        (caller, moment): (&Caller, Moment),
    ) -> Result<Vec<Body<'static>>, Error> {
        let key = match self.standing_key(state)? {
            Some(key) => key,
            None => match TombstoneKey::read(self.log.env().storage.as_ref(), self.id())? {
                Ok(key) => key,
                Err(_) => TombstoneKey::create(self.log.env(), self.id())?,
            },
        };
        let mut stones = Vec::new();
        for seq in seqs {
            let record = log.read(*seq)?;
            // What this version can't read it can't know again either.
            let Some(body) = body_of(&record).ok().flatten() else { continue };
            let found = digests(&key, log.ledger_id(), Some(record.id()), &body);
            let target = record.id();
            stones.extend(found.into_iter().map(|digest| Tombstone { target, digest }));
        }
        stones.sort_unstable();
        stones.dedup();
        let door = caller.door(moment, None)?;
        let laid = |stones: &[Tombstone]| {
            let laid = TombstonesLaid { ledger: self.id(), key: key.id, stones: stones.to_vec() };
            Memory::laying(laid, &door)
        };
        Ok(stones.chunks(STONES_MAX).map(laid).collect())
    }

    /// The key of this ledger's tombstones, if any stand.
    ///
    /// A ledger that was restored from an export holds tombstones of another one, whose key it
    /// never had: they bar nothing.
    fn standing_key(&self, state: &State) -> Result<Option<TombstoneKey>, Error> {
        let used = self.standing_keys(state);
        if used.is_empty() {
            return Ok(None);
        }
        let mut known = self.tombstone_key.lock();
        if known.as_ref().is_none_or(|key| used != [key.id]) {
            *known = Some(self.key_of(&used)?.map_err(Fault::error)?);
        }
        Ok(known.clone())
    }

    /// The keys with which tombstones of this ledger were made that stand.
    fn standing_keys(&self, state: &State) -> Vec<u64> {
        let own = state.memory.tombstone_keys().filter(|used| used.ledger == self.id());
        own.map(|used| used.key).collect()
    }

    /// The key in its file, if it is the one that tombstones were made with, should any stand.
    fn key_of(&self, used: &[u64]) -> Result<Result<TombstoneKey, Fault>, Error> {
        let read = TombstoneKey::read(self.log.env().storage.as_ref(), self.id())?;
        Ok(read.and_then(|key| match used.is_empty() || used == [key.id] {
            true => Ok(key),
            false => Err(Fault::OtherKey),
        }))
    }
}

/// The refusal of what a tombstone bars.
pub(crate) fn refused(id: RecordId) -> Error {
    Rejection::Erased { id }.into()
}

impl Erasure<'_> {
    /// Takes tombstones away: what these erased records said may come in again.
    ///
    /// # Errors
    /// [`Error::Rejected`] unless the caller is the owner and each has one; and the log's.
    pub fn lift(&self, caller: &Caller, erased: &[RecordId]) -> Result<RecordId, Error> {
        self.ledger.lifted(caller, |_| (erased.to_vec(), Vec::new()))
    }

    /// Takes all tombstones of this ledger away, also where their key is lost.
    ///
    /// # Errors
    /// [`Error::Rejected`] unless the caller is the owner; and the log's.
    pub fn lift_all(&self, caller: &Caller) -> Result<RecordId, Error> {
        self.ledger.lifted(caller, |state| {
            (Vec::new(), state.memory.tombstone_keys().map(|used| used.key).collect())
        })
    }

    /// Counts the tombstones that stand, and makes sure that those of this ledger bar.
    ///
    /// # Errors
    /// [`Error::TombstoneKey`], and those of the disk.
    pub fn tombstones(&self) -> Result<Tombstones, Error> {
        let state = self.ledger.snapshot()?;
        self.ledger.standing_key(&state)?;
        let mut counted = Tombstones::default();
        for used in state.memory.tombstone_keys() {
            let own = used.ledger == self.ledger.id();
            let count = if own { &mut counted.standing } else { &mut counted.foreign };
            *count += used.standing;
        }
        Ok(counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEDGER: LedgerId = LedgerId([3; 16]);

    #[test]
    fn a_key_is_read_back_and_nothing_else_is_taken_for_one() {
        let file = encode(LEDGER, &[7; 32]);
        assert_eq!(file.len(), FILE_LEN);
        let key = decode(&file, LEDGER).unwrap();
        assert_eq!((key.secret, key.id), ([7; 32], TombstoneKey::of([7; 32]).id));
        assert_eq!(decode(&file, LedgerId([4; 16])).unwrap_err(), Fault::OtherLedger);
        for len in 0..FILE_LEN {
            assert_eq!(decode(&file[..len], LEDGER).unwrap_err(), Fault::Damaged, "{len}");
        }
        assert_eq!(decode(&[file.clone(), vec![0]].concat(), LEDGER).unwrap_err(), Fault::Damaged);
        for at in 0..FILE_LEN * 8 {
            let mut flipped = file.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert_eq!(decode(&flipped, LEDGER).unwrap_err(), Fault::Damaged, "{at}");
        }
    }

    #[test]
    fn digests_are_the_keys_alone_and_do_not_run_together() {
        let (one, other) = (TombstoneKey::of([1; 32]), TombstoneKey::of([2; 32]));
        assert_ne!(one.digest("text", &[b"a"]), other.digest("text", &[b"a"]));
        assert_ne!(one.digest("text", &[b"ab", b"c"]), one.digest("text", &[b"a", b"bc"]));
        assert_ne!(one.digest("text", &[b"a"]), one.digest("import", &[b"a"]));
        assert!(!format!("{one:?}").contains("secret"));
    }
}

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memlith_log::{Digest, Payload, Seq};
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::Error;
use crate::head::{Head, SignedHead};
use crate::key::VerifierKey;
use crate::merkle::is_consistent;
use crate::record::{PATH_MAX, ProvenRecord};
use crate::shown::{Shown, shown};
use crate::tree::Root;

/// The version of proofs that this program makes and reads.
pub const VERSION: u64 = 1;

/// The longest proof, in bytes.
const BYTES_MAX: usize = 16 << 20;

/// A proof: one JSON object, whose text form [`fmt::Display`] writes and [`FromStr`] reads.
///
/// Reading one checks its form alone; [`Proof::check`] checks what it claims.
#[derive(Debug, PartialEq)]
pub struct Proof {
    /// The signed head.
    pub head: SignedHead,
    /// The key that signed it, as the maker names it.
    pub key: VerifierKey,
    /// The claim.
    pub claim: Claim,
}

/// The claim of a proof.
#[derive(Debug, PartialEq)]
pub enum Claim {
    /// A record is under the head.
    Record(ProvenRecord),
    /// An answer showed certain words.
    Answer(Answer),
    /// The head grew out of an older one.
    Growth(Box<Growth>),
}

/// The older head that a head grew out of.
#[derive(Debug, PartialEq)]
pub struct Growth {
    /// The older head.
    pub old: SignedHead,
    /// The key that signed it, as the maker names it: another one before a rotation.
    pub old_key: VerifierKey,
    /// The consistency proof.
    pub consistency: Vec<Root>,
}

/// An answer and the words that it showed.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// The record that holds the receipt.
    pub answer: Seq,
    /// The query of the receipt.
    pub question: String,
    /// The items of the receipt, in its order.
    pub shown: Vec<Shown>,
    /// The records of the answer and of its items, ascending, each once.
    pub records: Vec<ProvenRecord>,
}

/// Findings of a check that found nothing wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Checked {
    /// `record`, `answer` or `growth`.
    pub kind: &'static str,
    /// The number of records under the head.
    pub size: u64,
    /// The records that are under it.
    pub records: Vec<Seq>,
}

/// Sentences for people, by kind.
const OF_RECORD: [&str; 2] = [
    "That what the record says is true.",
    "Who held the key, when the head was signed, and that no other history was signed: keep heads \
     elsewhere and compare them.",
];
const OF_ANSWER: [&str; 3] = [
    "That what was shown is true, or all that the agent saw: it may have other sources.",
    "That the answer follows from the ledger: `memlith verify receipts` replays it there.",
    "Who held the key, when the head was signed, and that no other history was signed: keep heads \
     elsewhere and compare them.",
];
const OF_GROWTH: [&str; 2] = [
    "That what was added is true.",
    "That no other history was signed: keep heads elsewhere and compare them.",
];

impl Claim {
    /// Its kind, as it is written.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Claim::Record(_) => "record",
            Claim::Answer(_) => "answer",
            Claim::Growth(_) => "growth",
        }
    }

    /// Sentences for people: what no proof of this kind shows.
    #[must_use]
    pub fn not_shown(&self) -> &'static [&'static str] {
        match self {
            Claim::Record(_) => &OF_RECORD,
            Claim::Answer(_) => &OF_ANSWER,
            Claim::Growth(_) => &OF_GROWTH,
        }
    }
}

impl Proof {
    /// Checks the proof under the keys that the checker got from elsewhere; needs no ledger.
    ///
    /// Cost: some hashes for each record.
    ///
    /// # Errors
    /// The first step of `docs/proofs.md`, "Checking a proof", that fails.
    pub fn check(&self, keys: &[VerifierKey]) -> Result<Checked, Error> {
        let is_known = |key: &VerifierKey| {
            let reason = || format!("the proof names another key, {key}");
            let is_given = keys.contains(key);
            is_given.then_some(()).ok_or_else(|| Error::Signature { reason: reason() })
        };
        is_known(&self.key)?;
        self.head.check(&self.key)?;
        let head = self.head.head();
        let records = match &self.claim {
            Claim::Record(record) => {
                record.check(head)?;
                vec![record.seq]
            }
            Claim::Answer(answer) => answer.check(head)?,
            Claim::Growth(growth) => {
                let Growth { old, old_key, consistency } = growth.as_ref();
                is_known(old_key)?;
                old.check(old_key)?;
                check_growth(old.head(), head, consistency)?;
                Vec::new()
            }
        };
        Ok(Checked { kind: self.claim.kind(), size: head.size, records })
    }
}

/// Checks that `new` grew out of `old`.
///
/// # Errors
/// [`Error::Fork`].
pub(crate) fn check_growth(old: &Head, new: &Head, consistency: &[Root]) -> Result<(), Error> {
    let refused = |reason| Err(Error::Fork { reason });
    if old.size > new.size {
        return refused("the older one has more records");
    }
    if old.size == new.size {
        let is_same = old.root == new.root && old.chain == new.chain && consistency.is_empty();
        return if is_same { Ok(()) } else { refused("both have as many records, and others") };
    }
    let grew = is_consistent((old.size, new.size), consistency, &old.root, &new.root);
    if grew { Ok(()) } else { refused("its records are others") }
}

impl Answer {
    fn check(&self, head: &Head) -> Result<Vec<Seq>, Error> {
        let mut records: BTreeMap<Seq, (&ProvenRecord, Digest)> = BTreeMap::new();
        for record in &self.records {
            let hash = record.check(head)?;
            records.insert(record.seq, (record, hash));
        }
        let (question, items) = shown(head.ledger, self.answer, &records)?;
        if question != self.question {
            return Err(Error::Answer { reason: "the question was another one".to_owned() });
        }
        if items != self.shown {
            return Err(Error::Answer { reason: "other words were shown".to_owned() });
        }
        Ok(records.into_keys().collect())
    }
}

/// A proof as it is written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    memlith_proof: u64,
    kind: String,
    head: String,
    verifier_key: String,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    old_head: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    old_verifier_key: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    consistency: Option<Vec<String>>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    shown: Option<Vec<RawShown>>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    answer: Option<u64>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    records: Option<Vec<RawRecord>>,
    not_shown: Vec<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RawShown {
    seq: u64,
    text: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RawRecord {
    seq: u64,
    header: String,
    slot: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    payload_digest: Option<String>,
    path: Vec<String>,
}

/// Reads a key that may be absent, and not null.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// The one key that every version has.
#[derive(Deserialize)]
struct Versioned {
    memlith_proof: u64,
}

impl FromStr for Proof {
    type Err = Error;

    fn from_str(text: &str) -> Result<Proof, Error> {
        if text.len() > BYTES_MAX {
            return Err(refused("it is longer than 16 MiB"));
        }
        let not_json = |error: serde_json::Error| refused(error.to_string());
        let Versioned { memlith_proof } = serde_json::from_str(text).map_err(not_json)?;
        if memlith_proof != VERSION {
            return Err(Error::Version { found: memlith_proof });
        }
        let raw: Raw = serde_json::from_str(text).map_err(not_json)?;
        raw.proof()
    }
}

impl Raw {
    fn proof(self) -> Result<Proof, Error> {
        let (head, key) = (self.head.parse()?, self.verifier_key.parse()?);
        let records = self.records.map(|records| {
            records.into_iter().map(RawRecord::record).collect::<Result<Vec<_>, _>>()
        });
        let old = (self.old_head, self.old_verifier_key, self.consistency);
        let keys = (old, self.question, self.shown, self.answer);
        let claim = match (self.kind.as_str(), keys, records.transpose()?) {
            ("record", ((None, None, None), None, None, None), Some(records)) => {
                let [record] =
                    records.try_into().map_err(|_| refused("it is not of one record"))?;
                Claim::Record(record)
            }
            ("growth", ((Some(old), Some(old_key), Some(consistency)), None, None, None), None) => {
                let consistency = path(&consistency, PATH_MAX * 2)?;
                let (old, old_key) = (old.parse()?, old_key.parse()?);
                Claim::Growth(Box::new(Growth { old, old_key, consistency }))
            }
            (
                "answer",
                ((None, None, None), Some(question), Some(shown), Some(answer)),
                Some(records),
            ) => {
                if !records.is_sorted_by(|one, next| one.seq < next.seq) {
                    return Err(refused("its records are not ascending"));
                }
                let shown =
                    shown.into_iter().map(|one| Shown { seq: Seq(one.seq), text: one.text });
                let (answer, shown) = (Seq(answer), shown.collect());
                Claim::Answer(Answer { answer, question, shown, records })
            }
            ("record" | "growth" | "answer", ..) => {
                return Err(refused("it has not the keys of its kind"));
            }
            _ => return Err(refused("its kind is unknown")),
        };
        Ok(Proof { head, key, claim })
    }

    fn of(proof: &Proof) -> Raw {
        let claim = &proof.claim;
        let raw = Raw {
            memlith_proof: VERSION,
            kind: claim.kind().to_owned(),
            head: proof.head.to_string(),
            verifier_key: proof.key.to_string(),
            old_head: None,
            old_verifier_key: None,
            consistency: None,
            question: None,
            shown: None,
            answer: None,
            records: None,
            not_shown: claim.not_shown().iter().map(|said| (*said).to_owned()).collect(),
        };
        match claim {
            Claim::Record(record) => Raw { records: Some(vec![RawRecord::of(record)]), ..raw },
            Claim::Growth(growth) => Raw {
                old_head: Some(growth.old.to_string()),
                old_verifier_key: Some(growth.old_key.to_string()),
                consistency: Some(encoded(&growth.consistency)),
                ..raw
            },
            Claim::Answer(answer) => {
                let shown = answer.shown.iter();
                let shown = shown.map(|one| RawShown { seq: one.seq.0, text: one.text.clone() });
                Raw {
                    answer: Some(answer.answer.0),
                    question: Some(answer.question.clone()),
                    shown: Some(shown.collect()),
                    records: Some(answer.records.iter().map(RawRecord::of).collect()),
                    ..raw
                }
            }
        }
    }
}

impl RawRecord {
    fn of(record: &ProvenRecord) -> RawRecord {
        let (slot, payload_digest) = match &record.payload {
            Payload::Present { blind, body } => {
                (Some(STANDARD.encode([blind.as_slice(), body].concat())), None)
            }
            Payload::Erased { payload_digest } => (None, Some(payload_digest.to_string())),
            Payload::Destroyed => (None, None),
        };
        let header = Digest(record.header).to_string();
        RawRecord { seq: record.seq.0, header, slot, payload_digest, path: encoded(&record.path) }
    }

    fn record(self) -> Result<ProvenRecord, Error> {
        let hex = |text: &str| Digest::from_hex(text).map_err(|error| refused(error.to_string()));
        let payload = match (self.slot, self.payload_digest) {
            (Some(slot), None) => {
                let bytes = STANDARD.decode(slot).map_err(|error| refused(error.to_string()))?;
                let slot = bytes.split_first_chunk();
                let (blind, body) = slot.ok_or_else(|| refused("a slot is too short"))?;
                Payload::Present { blind: *blind, body: body.to_vec() }
            }
            (None, Some(digest)) => Payload::Erased { payload_digest: hex(&digest)? },
            _ => return Err(refused("a record has a slot or a digest, one of them")),
        };
        let (header, path) = (hex(&self.header)?.0, path(&self.path, PATH_MAX)?);
        Ok(ProvenRecord { seq: Seq(self.seq), header, payload, path })
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string_pretty(&Raw::of(self)).map_err(|_| fmt::Error)?;
        writeln!(f, "{text}")
    }
}

fn encoded(hashes: &[Root]) -> Vec<String> {
    hashes.iter().map(|hash| STANDARD.encode(hash)).collect()
}

fn path(texts: &[String], most: usize) -> Result<Vec<Root>, Error> {
    if texts.len() > most {
        return Err(refused("a path is too long"));
    }
    let hash = |text: &String| {
        let bytes = STANDARD.decode(text).map_err(|error| refused(error.to_string()))?;
        bytes.try_into().map_err(|_| refused("a hash has not 32 bytes"))
    };
    texts.iter().map(hash).collect()
}

fn refused(reason: impl Into<String>) -> Error {
    Error::malformed("proof", reason)
}

use memlith_log::Digest;
use serde::{Serialize, Serializer};

/// Why an item is a hit: one figure per signal, each 0 to 1,000,000 unless said otherwise.
///
/// Source: specs/recall.md, "The scorer, in words".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Signals {
    /// BM25 of its terms, relative to the best primary item's.
    pub terms: i64,
    /// The share of the query's terms, by how rare they are, that it has or says by a stated
    /// synonym, or one of the two items before it at a discount.
    pub coverage: i64,
    /// The same with words that mean about the same as the query's, as far as they do.
    pub meaning: i64,
    /// BM25 of it and the four items on each side taken together; can pass 1,000,000.
    pub window: i64,
    /// BM25 of its session, relative to the best session's.
    pub session: i64,
    /// What the item that began its session has of the query, relative to the item that has
    /// most, to the eighth power: what was asked for, and led to this one.
    pub request: i64,
    /// The share of the query's terms, as in `meaning`, that it has or the item that began its
    /// session (at 0.9), where that is what was asked for, to the fourth power: what is said once
    /// holds for all that follows. A memory that no session began with has its own.
    pub cause: i64,
    /// Whether the query asks why, and it has a word of reasons.
    pub reason: i64,
    /// Whether it is a record, and begins its session: a memory's place in a session tells
    /// nothing of it.
    pub opening: i64,
    /// Whether the query asks how something ended, and it is the last of its session.
    pub outcome: i64,
    /// `terms` of the item before it, where that is a question.
    pub answer: i64,
    /// `terms` of the item before it, or of the one before that at a discount: what they have
    /// is in other signals of this one already.
    pub before: i64,
    /// Whether its actor is the only one the query names.
    pub actor: i64,
    /// The same, by how much it speaks of the speaker.
    pub first_person: i64,
    /// Whether it is a question.
    pub question: i64,
    /// How near its day is to the days the query names.
    pub day: i64,
    /// How near the days it speaks of are to them.
    pub named_day: i64,
    /// Whether the query asks when, and it says when.
    pub when: i64,
    /// Whether it has a number.
    pub number: i64,
    /// The cosine of its vector and the query's, where both were handed in and it is above 0.
    pub vector: i64,
}

/// The version of the scorer; rises with every change that can move a relevance.
pub const SCORER_VERSION: u32 = 6;

/// The whole of a signal.
pub(crate) const ONE: i64 = 1_000_000;

/// The number of signals.
const COUNT: usize = 20;

/// What each signal counts for, in hundredths.
///
/// Source: fitted by `examples/fit.rs` on dialogues 0-2 of LoCoMo (Maharana et al.,
/// ACL 2024), rounded to five; but `outcome`, `request`, `cause` and `reason` by a fit on them
/// and on the made-up sessions of `memlith-bench recall --agents` at once (ADR 0040), `opening`
/// by both (ADR 0029), and `vector` with `--vectors`, those of the built-in table.
pub const WEIGHTS: Signals = Signals {
    terms: 90,
    coverage: 145,
    meaning: 320,
    window: 200,
    session: 110,
    request: 460,
    cause: 325,
    reason: 265,
    opening: 40,
    outcome: 290,
    answer: 220,
    before: -60,
    actor: 75,
    first_person: 85,
    question: -75,
    day: 195,
    named_day: 155,
    when: 150,
    number: 85,
    vector: 190,
};

impl Signals {
    /// Every signal by name, in a fixed order.
    #[must_use]
    pub fn each(&self) -> [(&'static str, i64); COUNT] {
        [
            ("terms", self.terms),
            ("coverage", self.coverage),
            ("meaning", self.meaning),
            ("window", self.window),
            ("session", self.session),
            ("request", self.request),
            ("cause", self.cause),
            ("reason", self.reason),
            ("opening", self.opening),
            ("outcome", self.outcome),
            ("answer", self.answer),
            ("before", self.before),
            ("actor", self.actor),
            ("first_person", self.first_person),
            ("question", self.question),
            ("day", self.day),
            ("named_day", self.named_day),
            ("when", self.when),
            ("number", self.number),
            ("vector", self.vector),
        ]
    }

    /// The relevance: the sum of signals times [`WEIGHTS`], in millionths, at least 1.
    #[must_use]
    pub fn relevance(&self) -> i64 {
        let products = self.each().into_iter().zip(WEIGHTS.each());
        let sum: i64 = products.map(|((_, signal), (_, weight))| signal * weight).sum();
        (sum / 100).max(1)
    }
}

impl Serialize for Signals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.each())
    }
}

/// The digest of [`WEIGHTS`], names and values: what a receipt states.
#[must_use]
pub fn weights_digest() -> Digest {
    let mut hasher = blake3::Hasher::new_derive_key("memlith v1 weights of recall");
    for (name, weight) in WEIGHTS.each() {
        hasher.update(&[u8::try_from(name.len()).unwrap_or(u8::MAX)]);
        hasher.update(name.as_bytes());
        hasher.update(&weight.to_le_bytes());
    }
    Digest(*hasher.finalize().as_bytes())
}

use memlith_log::Digest;
use serde::{Serialize, Serializer};

/// Why an item is a hit: one figure per signal, each 0 to 1,000,000 unless said otherwise.
///
/// Source: specs/recall.md, "The scorer, in words".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Signals {
    /// BM25 of its best passage, with a third of what stands around that in the session; in
    /// relation to the best passage of a primary item, so that it can pass 1,000,000.
    pub context: i64,
    /// The share of the query's terms, by how rare they are, that the passage has; of a short item
    /// also what the two items before it have, at a discount.
    pub coverage: i64,
    /// The coverage with words that mean about the same as the query's, as far as they do; of a
    /// short item alone.
    pub meaning: i64,
    /// BM25 of its session, relative to the best session's.
    pub session: i64,
    /// How much of the query stands close together in the passage.
    pub near: i64,
    /// BM25 of the item before it, where that is a question and both are short.
    pub answer: i64,
    /// BM25 of the item behind it, where that is longer than a passage: a request has its topic
    /// in common with the long text that answers it.
    pub reply: i64,
    /// How much it speaks of its speaker, where that is the only actor the query names; all of it
    /// where that is a tool.
    pub about: i64,
    /// Whether the query asks when, and it is short and says when.
    pub when: i64,
    /// How near its day is to the days the query names.
    pub day: i64,
    /// The share of the query that the first item of its session has, relative to the item that has
    /// most, to the eighth power: what was asked for, and led to this one.
    pub request: i64,
    /// The share of the query's terms that it has or the item that began its session (at 0.9),
    /// where that is what was asked for, to the fourth power: what is said once holds for all that
    /// follows. A memory that no session began with has its own.
    pub cause: i64,
    /// Whether the query asks why, and it has a word of reasons.
    pub reason: i64,
    /// Whether it is a record, and begins its session: a memory's place in a session tells
    /// nothing of it.
    pub opening: i64,
    /// Whether the query asks how something ended, and it is the last of its session.
    pub outcome: i64,
    /// The cosine of its vector and the query's, where both were handed in and it is above 0.
    pub vector: i64,
}

/// The version of the scorer; rises with every change that can move a relevance.
pub const SCORER_VERSION: u32 = 7;

/// The whole of a signal.
pub(crate) const ONE: i64 = 1_000_000;

/// The number of signals.
const COUNT: usize = 16;

/// Weight of each signal, in hundredths.
///
/// Source: halves, set by hand (ADR 0056); `coverage` and `meaning` share the weight of one.
/// `request`, `cause`, `opening` and `outcome` are those of ADRs 0029 and 0040, and `vector` of
/// 0028: a fit with other signals.
pub const WEIGHTS: Signals = Signals {
    context: 200,
    coverage: 100,
    meaning: 100,
    session: 150,
    near: 150,
    answer: 150,
    reply: 250,
    about: 100,
    when: 150,
    day: 300,
    request: 460,
    cause: 325,
    reason: 265,
    opening: 40,
    outcome: 290,
    vector: 190,
};

impl Signals {
    /// Every signal by name, in a fixed order.
    #[must_use]
    pub fn each(&self) -> [(&'static str, i64); COUNT] {
        [
            ("context", self.context),
            ("coverage", self.coverage),
            ("meaning", self.meaning),
            ("session", self.session),
            ("near", self.near),
            ("answer", self.answer),
            ("reply", self.reply),
            ("about", self.about),
            ("when", self.when),
            ("day", self.day),
            ("request", self.request),
            ("cause", self.cause),
            ("reason", self.reason),
            ("opening", self.opening),
            ("outcome", self.outcome),
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

/// Why an item is a hit: one figure per signal, each 0 to 1,000,000 unless said otherwise.
///
/// Source: specs/recall.md, "The scorer, in words".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Signals {
    /// BM25 of its terms, relative to the best primary item's.
    pub terms: i64,
    /// The share of the query's information that it, or the two items before it, have.
    pub coverage: i64,
    /// Query terms that are neighbours in the query and in the item.
    pub adjacency: i64,
    /// `terms` of the item before it in its session.
    pub previous: i64,
    /// `terms` of the one before that.
    pub before_previous: i64,
    /// `terms` of the item after it.
    pub next: i64,
    /// BM25 of the seven items around it taken together; can pass 1,000,000.
    pub window: i64,
    /// BM25 of its session, relative to the best session's.
    pub session: i64,
    /// `terms` of the item before it, where that is a question.
    pub answer: i64,
    /// Whether its actor is the only one the query names.
    pub actor: i64,
    /// The same, by how much it speaks of the speaker.
    pub first_person: i64,
    /// Whether it is a question.
    pub question: i64,
    /// Whether it is one of the first two items of its session.
    pub opening: i64,
    /// Whether it carries a picture.
    pub picture: i64,
    /// How near its day is to the days the query names.
    pub day: i64,
    /// How near the days it speaks of are to them.
    pub named_day: i64,
    /// Whether the query asks when, and it says when.
    pub when: i64,
    /// Whether the query asks how many, and it has a number.
    pub number: i64,
    /// Whether the query asks for a name, and it has one.
    pub name: i64,
}

/// The whole of a signal.
pub(crate) const ONE: i64 = 1_000_000;

/// The number of signals.
const COUNT: usize = 19;

/// What each signal counts for, in hundredths.
///
/// Source: fitted by `examples/fit.rs` on dialogues 0-2 of LoCoMo (Maharana et al.,
/// ACL 2024), rounded.
pub const WEIGHTS: Signals = Signals {
    terms: 300,
    coverage: 300,
    adjacency: 50,
    previous: 100,
    before_previous: 30,
    next: 60,
    window: 100,
    session: 100,
    answer: 100,
    actor: 100,
    first_person: 20,
    question: -50,
    opening: -30,
    picture: 20,
    day: 200,
    named_day: 100,
    when: 50,
    number: 20,
    name: 20,
};

impl Signals {
    /// Every signal by name, in a fixed order.
    #[must_use]
    pub fn each(&self) -> [(&'static str, i64); COUNT] {
        [
            ("terms", self.terms),
            ("coverage", self.coverage),
            ("adjacency", self.adjacency),
            ("previous", self.previous),
            ("before_previous", self.before_previous),
            ("next", self.next),
            ("window", self.window),
            ("session", self.session),
            ("answer", self.answer),
            ("actor", self.actor),
            ("first_person", self.first_person),
            ("question", self.question),
            ("opening", self.opening),
            ("picture", self.picture),
            ("day", self.day),
            ("named_day", self.named_day),
            ("when", self.when),
            ("number", self.number),
            ("name", self.name),
        ]
    }

    /// The relevance: the sum of signals times [`WEIGHTS`], at least 1.
    #[must_use]
    pub fn relevance(&self) -> i64 {
        let products = self.each().into_iter().zip(WEIGHTS.each());
        let sum: i64 = products.map(|((_, signal), (_, weight))| signal * weight).sum();
        (sum / 100).max(1)
    }
}

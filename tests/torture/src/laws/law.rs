use std::fmt;
use std::str::FromStr;

/// A law of `docs/model.md`, section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// No lift.
    P1,
    /// Surfacing is local.
    P2,
    /// Surfacing has a ceiling, and forgetting wins.
    P3,
    /// Barred items stay out.
    P4,
    /// Staleness is the least fixed point.
    P5,
    /// Derived items move nothing.
    P6,
    /// Replay is deterministic.
    P7,
    /// Time.
    P8,
    /// One order.
    P9,
    /// A write happens once.
    P10,
    /// Scopes are walls.
    P11,
    /// Erased is gone.
    P12,
    /// Looking changes nothing.
    P13,
    /// Summaries hold what stands.
    P14,
    /// Trust only sinks.
    P15,
    /// The weak don't displace the strong.
    P16,
}

impl Law {
    /// All of them, in order.
    pub const ALL: [Law; 16] = [
        Law::P1,
        Law::P2,
        Law::P3,
        Law::P4,
        Law::P5,
        Law::P6,
        Law::P7,
        Law::P8,
        Law::P9,
        Law::P10,
        Law::P11,
        Law::P12,
        Law::P13,
        Law::P14,
        Law::P15,
        Law::P16,
    ];

    /// Returns the law as a sentence.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Law::P1 => "an event that is no evidence of an item leaves its level as it is",
            Law::P2 => "showing moves what was shown alone, and nothing derived or accepted",
            Law::P3 => "no level is above that of the last outside evidence by over a doubling",
            Law::P4 => "what was taken out stays out until a rank as high takes it back",
            Law::P5 => "stale is what the definition says, recomputed, and is never shown",
            Law::P6 => "without derived items, primaries have the same scores, order and levels",
            Law::P7 => "one digest by any split, checkpoint and number of threads",
            Law::P8 => "salience is finite, positive, falls with time, and knows no clock",
            Law::P9 => "one total order, at every instant, and one answer to one question",
            Law::P10 => "a write under a known key changes nothing, and a key is its actor's",
            Law::P11 => "events of another scope change no answer of this one",
            Law::P12 => "the erased is in no file, the rest verifies and answers as before",
            Law::P13 => "whoever only looks changes no byte",
            Law::P14 => "a summary holds only what is active where it is made",
            Law::P15 => "no tier is above its source's, and none ever changes",
            Law::P16 => "nothing leaves a checkout by an event from below its guard",
        }
    }

    /// The bugs that are planted for it, by name.
    #[must_use]
    pub fn bugs(self) -> &'static [&'static str] {
        match self {
            Law::P1 => &["derived-lifts-its-source"],
            Law::P2 => &["derived-raised-by-showing"],
            Law::P3 => &["surfacing-has-no-budget", "surfacing-resets-the-clock"],
            Law::P4 => &["content-rule-dropped", "reconfirmed-from-below"],
            Law::P5 => &["invalidation-not-cascaded"],
            Law::P6 => &["derived-counted"],
            Law::P7 => &["checkpoint-skips-a-record", "hash-map-order-in-a-fold"],
            Law::P8 => &["decay-without-a-sign"],
            Law::P9 => &["ties-by-the-latest"],
            Law::P10 => &["import-key-forgets-the-actor", "key-of-a-write-forgotten"],
            Law::P11 => &["agents-share-everything"],
            Law::P12 => &[
                "erasure-leaves-repetitions",
                "erasure-leaves-vectors",
                "erasure-leaves-checkpoints",
            ],
            Law::P13 => &["looking-is-observed"],
            Law::P14 => &["summary-of-what-is-out"],
            Law::P15 => &["tier-of-the-best-source"],
            Law::P16 => &["guard-ignored-on-invalidation"],
        }
    }

    /// Whether it is checked on a whole engine; on folds alone otherwise.
    #[must_use]
    pub fn needs_engine(self) -> bool {
        matches!(self, Law::P7 | Law::P10 | Law::P12 | Law::P13)
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl FromStr for Law {
    type Err = String;

    fn from_str(text: &str) -> Result<Law, String> {
        let found = Law::ALL.into_iter().find(|law| law.to_string().eq_ignore_ascii_case(text));
        found.ok_or_else(|| format!("no law is called {text}: they are P1 to P16"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_has_a_bug_and_its_name_is_read_back() {
        for law in Law::ALL {
            assert!(!law.bugs().is_empty(), "{law}");
            assert_eq!(law.to_string().parse(), Ok(law));
        }
        assert!("P17".parse::<Law>().is_err());
    }
}

use crate::Error;

/// How spans are cut and how much of one is quoted.
///
/// Part of what a plan depends on: other rules cut other spans, so a ledger keeps to one
/// set of them. [`Rules::default`] is meant for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Primary items of a whole run; at most [`SPAN_ITEMS_MAX`].
    pub span_items: usize,
    /// A run is closed once so many events of the log stand behind its last item.
    pub tail_events: u64,
    /// A span with fewer sources gets no summary; 1 or more.
    pub sources_min: usize,
    /// One exemplar for so many sources, a started one counting: 1 to 10, so that a tenth
    /// of the sources can always be quoted.
    pub sources_per_exemplar: usize,
    /// Tokens of one excerpt, at four bytes a token: [`EXCERPT_TOKENS_MIN`] to
    /// [`EXCERPT_TOKENS_MAX`].
    pub excerpt_tokens: usize,
}

/// No summary cites more sources.
pub const SPAN_ITEMS_MAX: usize = 4_096;

/// No summary quotes more exemplars.
pub const EXEMPLARS_MAX: usize = 512;

/// No excerpt is bounded tighter: the longest word has to fit.
pub const EXCERPT_TOKENS_MIN: usize = 16;

/// No excerpt is longer, in tokens. Source: `docs/model.md`, "Checkout".
pub const EXCERPT_TOKENS_MAX: usize = 120;

/// No text of a summary is longer, its citations included.
pub const SUMMARY_BYTES_MAX: usize = 128 << 10;

/// Bytes of a token, as a checkout counts them.
const TOKEN_BYTES: usize = 4;

/// Bytes of a line of a summary beside its excerpt: `memlith://`, 32 digits, a sequence of
/// up to 20, 12 digits, what stands between them, and the end of the line.
const LINE_BYTES: usize = 80;

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            span_items: 256,
            tail_events: 1_000,
            sources_min: 8,
            sources_per_exemplar: 8,
            excerpt_tokens: 32,
        }
    }
}

impl Rules {
    /// Whether these rules keep every summary within its limits.
    ///
    /// # Errors
    /// [`Error::Outside`] names the first number that doesn't.
    pub fn check(&self) -> Result<(), Error> {
        Error::unless_within("span_items", self.span_items, 1, SPAN_ITEMS_MAX)?;
        Error::unless_within("sources_min", self.sources_min, 1, SPAN_ITEMS_MAX)?;
        Error::unless_within("sources_per_exemplar", self.sources_per_exemplar, 1, 10)?;
        let (least, most) = (EXCERPT_TOKENS_MIN, EXCERPT_TOKENS_MAX);
        Error::unless_within("excerpt_tokens", self.excerpt_tokens, least, most)?;
        let exemplars = self.exemplars(self.span_items);
        Error::unless_within("exemplars of a whole run", exemplars, 1, EXEMPLARS_MAX)?;
        let bytes = exemplars * (self.excerpt_bytes() + LINE_BYTES);
        Error::unless_within("bytes of a whole run's summary", bytes, 1, SUMMARY_BYTES_MAX)
    }

    /// The most exemplars of so many sources.
    #[must_use]
    pub fn exemplars(&self, sources: usize) -> usize {
        sources.div_ceil(self.sources_per_exemplar.max(1))
    }

    /// The most exemplars that any summary has: those that are called for by the top decile
    /// of all spans included.
    #[must_use]
    pub fn exemplars_max(&self) -> usize {
        EXEMPLARS_MAX.min(SUMMARY_BYTES_MAX / (self.excerpt_bytes() + LINE_BYTES))
    }

    /// The most bytes of an excerpt.
    #[must_use]
    pub fn excerpt_bytes(&self) -> usize {
        self.excerpt_tokens * TOKEN_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_limits() {
        let usual = Rules::default();
        let refused = [
            ("span_items", Rules { span_items: 0, ..usual }),
            ("span_items", Rules { span_items: SPAN_ITEMS_MAX + 1, ..usual }),
            ("sources_min", Rules { sources_min: 0, ..usual }),
            ("sources_min", Rules { sources_min: SPAN_ITEMS_MAX + 1, ..usual }),
            ("sources_per_exemplar", Rules { sources_per_exemplar: 0, ..usual }),
            ("sources_per_exemplar", Rules { sources_per_exemplar: 11, ..usual }),
            ("excerpt_tokens", Rules { excerpt_tokens: EXCERPT_TOKENS_MIN - 1, ..usual }),
            ("excerpt_tokens", Rules { excerpt_tokens: EXCERPT_TOKENS_MAX + 1, ..usual }),
            (
                "exemplars of a whole run",
                Rules { span_items: EXEMPLARS_MAX + 1, sources_per_exemplar: 1, ..usual },
            ),
            (
                "bytes of a whole run's summary",
                Rules { span_items: SPAN_ITEMS_MAX, excerpt_tokens: 120, ..usual },
            ),
        ];
        for (named, rules) in refused {
            match rules.check() {
                Err(Error::Outside { what, .. }) => assert_eq!(what, named),
                other => panic!("{named}: {other:?}"),
            }
        }
        let longest = Rules { span_items: SPAN_ITEMS_MAX, ..usual };
        for allowed in [usual, longest, Rules { span_items: 1, sources_min: 1, ..usual }] {
            assert_eq!(allowed.check(), Ok(()));
        }
        assert_eq!(usual.exemplars(256), 32);
        assert_eq!((usual.exemplars(1), usual.exemplars(9)), (1, 2));
    }
}

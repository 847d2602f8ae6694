/// The request can't be answered. Nothing was read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The query has no visible character.
    #[error("the query is empty; ask for something")]
    EmptyQuery,
    /// The query is too long to be searched and kept in a receipt.
    #[error(
        "the query has {found} bytes, and at most {max} are searched; \
         ask for what is wanted instead of passing a whole document"
    )]
    QueryTooLong {
        /// Its length in bytes.
        found: usize,
        /// The longest that is allowed.
        max: usize,
    },
    /// A hint has no visible character.
    #[error("the hint {name} is empty; leave it out, or say what it is")]
    EmptyHint {
        /// Its name.
        name: &'static str,
    },
    /// A hint is no document.
    #[error("the hint {name} has {found} bytes, and at most {max} are looked for")]
    HintTooLong {
        /// Its name.
        name: &'static str,
        /// Its length in bytes.
        found: usize,
        /// The longest that is allowed.
        max: usize,
    },
    /// A budget of no tokens.
    #[error("a budget of 0 tokens holds nothing; give at least 1")]
    ZeroBudget,
}

use std::fmt;

/// A promise that a ledger did not keep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Of what kind.
    pub harm: Harm,
    /// Description of the failure.
    pub what: String,
}

/// How a promise is broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Harm {
    /// Something acknowledged is gone.
    Lost,
    /// Something is there that should not be, or is not as it was.
    Wrong,
    /// The ledger does not open or does not go on.
    Refused,
}

impl Failure {
    /// Something acknowledged is gone.
    #[must_use]
    pub fn lost(what: impl Into<String>) -> Failure {
        Failure { harm: Harm::Lost, what: what.into() }
    }

    /// Something is there that should not be, or is not as it was.
    #[must_use]
    pub fn wrong(what: impl Into<String>) -> Failure {
        Failure { harm: Harm::Wrong, what: what.into() }
    }

    /// The ledger refused to do `what`.
    pub fn refused(what: &str, error: impl fmt::Display) -> Failure {
        Failure { harm: Harm::Refused, what: format!("{what}: {error}") }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let harm = match self.harm {
            Harm::Lost => "lost",
            Harm::Wrong => "wrong",
            Harm::Refused => "refused",
        };
        write!(f, "{harm}: {}", self.what)
    }
}

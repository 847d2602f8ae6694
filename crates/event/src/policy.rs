use serde::{Deserialize, Serialize};

/// What holds for a whole ledger from a record on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyEvent {
    /// From here on salience is what this policy makes of the whole log, from its first
    /// record: what came before counts by the new policy too.
    SalienceChosen(SaliencePolicy),
    /// From here on this decides which writes wait for review, and what may be shown. What
    /// was let in or kept waiting before stays as it is.
    TrustChosen(TrustPolicy),
}

/// How events move salience.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum SaliencePolicy {
    /// The rules of `docs/model.md`, "Salience".
    #[default]
    Default,
    /// The same, but being shown moves nothing: salience comes from evidence alone.
    AttestedOnly,
    /// The numbers of Zaxy 3.2.0, for comparison: its clock resets, its lack of a budget and
    /// its eternal untouched items included. Authority is not its: what is invalidated stays
    /// out.
    CompatZaxy,
}

impl SaliencePolicy {
    /// Every policy.
    pub const ALL: [SaliencePolicy; 3] =
        [SaliencePolicy::Default, SaliencePolicy::AttestedOnly, SaliencePolicy::CompatZaxy];

    /// The name under which it is chosen and printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SaliencePolicy::Default => "default",
            SaliencePolicy::AttestedOnly => "attested-only",
            SaliencePolicy::CompatZaxy => "compat-zaxy",
        }
    }

    /// The policy as a byte of folded state.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            SaliencePolicy::Default => 0,
            SaliencePolicy::AttestedOnly => 1,
            SaliencePolicy::CompatZaxy => 2,
        }
    }

    /// The policy that [`SaliencePolicy::code`] gives `code`; an unknown one is the default.
    #[must_use]
    pub fn from_code(code: u8) -> SaliencePolicy {
        match code {
            1 => SaliencePolicy::AttestedOnly,
            2 => SaliencePolicy::CompatZaxy,
            _ => SaliencePolicy::Default,
        }
    }
}

/// How far sources are trusted that no person stands behind.
///
/// None of them lets a lower rank displace, dispute away or hide what is guarded more.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum TrustPolicy {
    /// The assistant's memories stand; those of tools, files and the web wait for review,
    /// and what they said is shown on a query.
    #[default]
    Balanced,
    /// A person's memories stand, all others wait for review; nothing of tools, files and the
    /// web is shown that nobody stands behind.
    Strict,
    /// Those of tools and files stand as well; the web's wait.
    Open,
}

impl TrustPolicy {
    /// Every policy.
    pub const ALL: [TrustPolicy; 3] =
        [TrustPolicy::Balanced, TrustPolicy::Strict, TrustPolicy::Open];

    /// The name under which it is chosen and printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TrustPolicy::Balanced => "balanced",
            TrustPolicy::Strict => "strict",
            TrustPolicy::Open => "open",
        }
    }

    /// The policy as a byte of folded state.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            TrustPolicy::Balanced => 0,
            TrustPolicy::Strict => 1,
            TrustPolicy::Open => 2,
        }
    }

    /// The policy that [`TrustPolicy::code`] gives `code`; an unknown one is the strict one.
    #[must_use]
    pub fn from_code(code: u8) -> TrustPolicy {
        match code {
            0 => TrustPolicy::Balanced,
            2 => TrustPolicy::Open,
            _ => TrustPolicy::Strict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for policy in SaliencePolicy::ALL {
            assert_eq!(SaliencePolicy::from_code(policy.code()), policy);
        }
        for policy in TrustPolicy::ALL {
            assert_eq!(TrustPolicy::from_code(policy.code()), policy);
        }
    }
}

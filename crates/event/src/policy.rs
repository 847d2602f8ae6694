use serde::{Deserialize, Serialize};

use crate::{RoleGiven, Thresholds};

/// Rule that holds for a whole ledger from a record on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyEvent<'a> {
    /// From here on salience is what this policy makes of the whole log, from its first
    /// record: what came before counts by the new policy too.
    SalienceChosen(SaliencePolicy),
    /// From here on this decides which writes wait for review, and what may be shown. What
    /// was let in or kept waiting before stays as it is.
    TrustChosen(TrustPolicy),
    /// From here on a write that names no other way is compared as this says. What was decided
    /// before stays decided.
    WritesChosen(WritePolicy),
    /// From here on what a node of a shared ledger writes is read as far as this role allows it.
    #[serde(borrow)]
    RoleGiven(RoleGiven<'a>),
}

/// How a write is compared with what is remembered, unless the call says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WritePolicy {
    /// Whether a write without a slot is given that of what its words claim.
    pub grammar: bool,
    /// Whether a write that adds nothing is left out, and what says it is reinforced.
    pub only_new: bool,
    /// Whether a write is compared by likeness of meaning too, with the built-in table.
    pub likeness: bool,
    /// Other thresholds of likeness than those of the table.
    pub thresholds: Option<Thresholds>,
}

impl Default for WritePolicy {
    fn default() -> WritePolicy {
        WritePolicy { grammar: true, only_new: false, likeness: false, thresholds: None }
    }
}

impl WritePolicy {
    /// The switches, and whether there are thresholds, as a byte of folded state.
    #[must_use]
    pub fn code(self) -> u8 {
        let switches = [self.grammar, self.only_new, self.likeness, self.thresholds.is_some()];
        switches.iter().rev().fold(0, |code, switch| code << 1 | u8::from(*switch))
    }

    /// The policy that [`WritePolicy::code`] gives `code`, with these thresholds if it has any.
    #[must_use]
    pub fn from_code(code: u8, thresholds: Thresholds) -> WritePolicy {
        let has = |bit: u8| code & bit != 0;
        let thresholds = has(8).then_some(thresholds);
        WritePolicy { grammar: has(1), only_new: has(2), likeness: has(4), thresholds }
    }
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
    /// The rules of [`SaliencePolicy::Default`], but being shown moves nothing: salience comes from
    /// evidence alone.
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
    use crate::Cosine;

    #[test]
    fn codes_round_trip() {
        for policy in SaliencePolicy::ALL {
            assert_eq!(SaliencePolicy::from_code(policy.code()), policy);
        }
        for policy in TrustPolicy::ALL {
            assert_eq!(TrustPolicy::from_code(policy.code()), policy);
        }
        let thresholds = Thresholds { restate: Cosine(3), midpoint: Cosine(2), add: Cosine(1) };
        for code in 0..16 {
            assert_eq!(WritePolicy::from_code(code, thresholds).code(), code);
        }
    }
}

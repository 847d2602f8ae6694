use std::ops::Range;

use crate::Rule;
use crate::word::{byte, skip};

/// The published shape of a provider's token: a prefix, then so many bytes of a class.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) rule: Rule,
    pub(crate) prefix: &'static str,
    class: Class,
    len_min: usize,
    len_max: usize,
}

/// The bytes that may follow a prefix.
#[derive(Clone, Copy, Debug)]
enum Class {
    /// Letters and digits.
    Alnum,
    /// Hexadecimal digits.
    Hex,
    /// Upper-case letters and digits.
    Upper,
    /// Letters, digits, `_` and `-`.
    Base64Url,
    /// As `Base64Url`, but random: with a digit and sixteen letters or digits in a row,
    /// which tells `sk-...` from `sk-learn-compatible-estimators`.
    Random,
    /// Parts joined by dots, of which the first two have ten bytes or more.
    Dotted,
    /// A URL's path.
    Path,
}

const fn at_least(rule: Rule, prefix: &'static str, class: Class, len_min: usize) -> Shape {
    Shape { rule, prefix, class, len_min, len_max: usize::MAX }
}

const fn exactly(rule: Rule, prefix: &'static str, class: Class, len: usize) -> Shape {
    Shape { rule, prefix, class, len_min: len, len_max: len }
}

/// The shapes, as each provider documents them or as its secret scanning partners do;
/// where a length has changed over the years, the shortest seen.
pub(crate) const SHAPES: &[Shape] = &[
    at_least(Rule::Anthropic, "sk-ant-", Class::Base64Url, 20),
    at_least(Rule::OpenAi, "sk-", Class::Random, 20),
    at_least(Rule::GitHub, "ghp_", Class::Alnum, 30),
    at_least(Rule::GitHub, "gho_", Class::Alnum, 30),
    at_least(Rule::GitHub, "ghu_", Class::Alnum, 30),
    at_least(Rule::GitHub, "ghs_", Class::Alnum, 30),
    at_least(Rule::GitHub, "ghr_", Class::Alnum, 30),
    at_least(Rule::GitHub, "github_pat_", Class::Base64Url, 22),
    at_least(Rule::GitLab, "glpat-", Class::Base64Url, 20),
    at_least(Rule::GitLab, "gldt-", Class::Base64Url, 20),
    at_least(Rule::GitLab, "glrt-", Class::Base64Url, 20),
    at_least(Rule::GitLab, "glptt-", Class::Base64Url, 20),
    at_least(Rule::GitLab, "glcbt-", Class::Base64Url, 20),
    exactly(Rule::Aws, "AKIA", Class::Upper, 16),
    exactly(Rule::Aws, "ASIA", Class::Upper, 16),
    exactly(Rule::Google, "AIza", Class::Base64Url, 35),
    at_least(Rule::Google, "GOCSPX-", Class::Base64Url, 28),
    at_least(Rule::Google, "ya29.", Class::Base64Url, 20),
    at_least(Rule::Slack, "xoxb-", Class::Base64Url, 10),
    at_least(Rule::Slack, "xoxp-", Class::Base64Url, 10),
    at_least(Rule::Slack, "xoxa-", Class::Base64Url, 10),
    at_least(Rule::Slack, "xoxr-", Class::Base64Url, 10),
    at_least(Rule::Slack, "xoxs-", Class::Base64Url, 10),
    at_least(Rule::Slack, "xoxe-", Class::Base64Url, 10),
    at_least(Rule::Slack, "xoxe.", Class::Base64Url, 10),
    at_least(Rule::Slack, "xapp-", Class::Base64Url, 10),
    at_least(Rule::Slack, "hooks.slack.com/services/", Class::Path, 20),
    at_least(Rule::Stripe, "sk_live_", Class::Alnum, 10),
    at_least(Rule::Stripe, "sk_test_", Class::Alnum, 10),
    at_least(Rule::Stripe, "rk_live_", Class::Alnum, 10),
    at_least(Rule::Stripe, "rk_test_", Class::Alnum, 10),
    at_least(Rule::Stripe, "whsec_", Class::Alnum, 24),
    at_least(Rule::Npm, "npm_", Class::Alnum, 36),
    at_least(Rule::PyPi, "pypi-AgE", Class::Base64Url, 40),
    at_least(Rule::HuggingFace, "hf_", Class::Alnum, 30),
    at_least(Rule::HuggingFace, "api_org_", Class::Alnum, 30),
    at_least(Rule::Jwt, "eyJ", Class::Dotted, 20),
    at_least(Rule::ProviderKey, "AGE-SECRET-KEY-1", Class::Upper, 50),
    at_least(Rule::ProviderKey, "ATATT3x", Class::Base64Url, 40),
    at_least(Rule::ProviderKey, "SG.", Class::Dotted, 40),
    exactly(Rule::ProviderKey, "dapi", Class::Hex, 32),
    at_least(Rule::ProviderKey, "dckr_pat_", Class::Base64Url, 20),
    at_least(Rule::ProviderKey, "discord.com/api/webhooks/", Class::Path, 20),
    exactly(Rule::ProviderKey, "dop_v1_", Class::Hex, 64),
    at_least(Rule::ProviderKey, "figd_", Class::Base64Url, 30),
    at_least(Rule::ProviderKey, "glc_", Class::Alnum, 32),
    at_least(Rule::ProviderKey, "glsa_", Class::Alnum, 32),
    at_least(Rule::ProviderKey, "gsk_", Class::Alnum, 40),
    at_least(Rule::ProviderKey, "hvs.", Class::Base64Url, 20),
    at_least(Rule::ProviderKey, "lin_api_", Class::Alnum, 30),
    at_least(Rule::ProviderKey, "ntn_", Class::Alnum, 40),
    at_least(Rule::ProviderKey, "pplx-", Class::Alnum, 40),
    exactly(Rule::ProviderKey, "r8_", Class::Alnum, 37),
    at_least(Rule::ProviderKey, "sbp_", Class::Hex, 40),
    at_least(Rule::ProviderKey, "shpat_", Class::Hex, 32),
    at_least(Rule::ProviderKey, "sntrys_", Class::Base64Url, 40),
    at_least(Rule::ProviderKey, "sq0atp-", Class::Base64Url, 22),
    at_least(Rule::ProviderKey, "tskey-", Class::Base64Url, 20),
    at_least(Rule::ProviderKey, "xai-", Class::Alnum, 40),
];

impl Shape {
    /// The span of the token whose prefix stands at `hit` inside `word`, if it is one.
    ///
    /// It is the whole word, so that no part of a token is ever left; of a URL it is
    /// the secret part of the path.
    pub(crate) fn span(&self, text: &str, word: &Range<usize>, hit: usize) -> Option<Range<usize>> {
        let tail_start = hit + self.prefix.len();
        // The automaton ignores case; providers don't.
        if text.get(hit..tail_start) != Some(self.prefix) {
            return None;
        }
        if let Class::Path = self.class {
            let end = skip(text, tail_start, |byte| Class::Path.has(byte));
            return (end - tail_start >= self.len_min).then_some(tail_start..end);
        }
        let before = hit.checked_sub(1).filter(|&before| before >= word.start);
        let before = before.and_then(|before| byte(text, before));
        let joined = before.is_some_and(|byte| byte.is_ascii_alphanumeric());
        let tail = text.get(tail_start..word.end)?;
        let fits = match self.class {
            // A part is looked at by the hits at its own and the last part's start only.
            Class::Dotted => matches!(before, None | Some(b'.')) && two_long_parts(tail),
            Class::Random => is_random(tail, self.len_min),
            Class::Alnum | Class::Hex | Class::Upper | Class::Base64Url | Class::Path => {
                self.runs(tail)
            }
        };
        (fits && !joined).then(|| word.clone())
    }

    /// Whether the tail starts with enough bytes of the class, and no other follows.
    fn runs(&self, tail: &str) -> bool {
        let tail = tail.as_bytes();
        let window = tail.get(..WINDOW).unwrap_or(tail);
        let run = window.iter().take_while(|&&byte| self.class.has(byte)).count();
        let ends = tail.get(run).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        run >= self.len_min && (run <= self.len_max && ends || run == WINDOW)
    }
}

/// How much of a token is looked at: many prefixes can stand in one long word.
const WINDOW: usize = 256;

/// Whether a tail of letters, digits, `_` and `-` looks drawn by lot.
fn is_random(tail: &str, len_min: usize) -> bool {
    let window = tail.get(..WINDOW).unwrap_or(tail);
    let longest = window.split(['_', '-', '.']).map(str::len).max();
    let digit = window.bytes().any(|byte| byte.is_ascii_digit());
    window.len() >= len_min && longest >= Some(16) && digit
}

/// Whether a tail starts with two parts of ten bytes or more.
fn two_long_parts(tail: &str) -> bool {
    let mut parts = tail.split('.').map(str::len);
    parts.next() >= Some(10) && parts.next() >= Some(10)
}

impl Class {
    fn has(self, byte: u8) -> bool {
        match self {
            Class::Alnum => byte.is_ascii_alphanumeric(),
            Class::Hex => byte.is_ascii_hexdigit(),
            Class::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Class::Base64Url | Class::Random => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
            }
            Class::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Class::Path => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/'),
        }
    }
}

use super::term::Term;
use crate::grammar::Article;

/// Whether a word may say what a thing is like, and doesn't name it: two of them may both be
/// true of one thing.
pub(super) fn is_adjective(term: &Term) -> bool {
    let word = term.text.as_str();
    let formed =
        ENDINGS.iter().any(|ending| word.len() > ending.len() + 1 && word.ends_with(ending));
    term.article == Article::Indefinite || term.past || formed || ADJECTIVES.contains(&word)
}

const ENDINGS: &[&str] = &[
    "ed", "ing", "able", "ible", "ous", "ful", "less", "ive", "al", "ic", "y", "ary", "ant", "ent",
    "ish", "ar", "some", "er", "est", "ly", "ile", "ine", "ate", "ient", "ory", "en",
];

/// Common adjectives and adverbs without such an ending. Our own list.
#[rustfmt::skip]
const ADJECTIVES: &[&str] = &[
    "good", "bad", "great", "fine", "ok", "nice", "new", "old", "wrong", "right", "correct", "fast",
    "slow", "cheap", "free", "tight", "safe", "strict", "loose", "here", "there", "clear", "big",
    "small", "long", "short", "late", "soon", "down", "up", "gone", "weak", "strong", "hard",
    "simple", "complex", "same", "clean", "fun", "sick", "away", "out", "back", "true", "false",
    "hot", "cold", "warm", "cool", "wet", "sweet", "sour", "soft", "loud", "quiet", "calm", "tall",
    "wide", "deep", "thick", "thin", "flat", "round", "square", "fresh", "stale", "raw", "rich",
    "poor", "full", "close", "near", "far", "high", "low", "young", "smart", "kind", "mild", "rude",
    "proud", "sad", "mad", "glad", "shy", "ill", "well", "fit", "blind", "deaf", "mute", "dark",
    "light", "bright", "pale", "blunt", "sharp", "smooth", "rough", "bare", "live", "dead", "alive",
    "awake", "asleep", "alone", "online", "offline", "idle", "brief", "stable", "secure", "remote",
    "local", "global", "public", "separate", "complete", "unique", "rare", "common", "strange",
    "huge", "tiny", "large", "vast", "steep", "odd", "even", "due", "done", "over", "worth", "apart",
    "concise", "precise", "diverse", "adult", "male", "female", "vegan", "gluten", "waterproof",
];

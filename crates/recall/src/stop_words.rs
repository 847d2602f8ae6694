//! Words that say little about what a text is about.

/// Whether `word` (lower case, not stemmed) is indexed and searched not at all.
///
/// Asked of every word of every text: the first letter leaves a handful to be compared.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    let Some(letter) = word.bytes().next().and_then(|first| first.checked_sub(b'a')) else {
        return false;
    };
    let ends = BY_LETTER.get(usize::from(letter)..).and_then(|ends| ends.first_chunk());
    let Some([here, next]) = ends else { return false };
    // Most words are longer than the stop words that begin as they do, or go on otherwise.
    let second = word.as_bytes().get(1).map_or(0, |second| second & 31);
    if word.len() > LEN_MAX || here.lens >> word.len() & here.seconds >> second & 1 == 0 {
        return false;
    }
    let candidates = STOP_WORDS.get(here.start..next.start);
    candidates.unwrap_or_default().iter().any(|stop| stop.len() == word.len() && *stop == word)
}

/// The length of the longest one, in bytes.
const LEN_MAX: usize = 10;

/// The words that begin with one letter.
#[derive(Clone, Copy, Debug)]
struct Letter {
    /// Where they begin in the list.
    start: usize,
    /// Which lengths they have, one bit each.
    lens: u32,
    /// Their second letters, one bit each for the low bits of one.
    seconds: u32,
}

/// The words of each letter; behind them where those of the last one end.
static BY_LETTER: [Letter; 27] = by_letter();

#[expect(
    clippy::indexing_slicing,
    reason = "worked out by the compiler alone, which refuses what lies outside"
)]
const fn by_letter() -> [Letter; 27] {
    let mut letters = [Letter { start: 0, lens: 0, seconds: 0 }; 27];
    let (mut letter, mut at) = (0, 0);
    while letter < 27 {
        letters[letter].start = at;
        while at < STOP_WORDS.len() && STOP_WORDS[at].as_bytes()[0] as usize == letter + 97 {
            let word = STOP_WORDS[at].as_bytes();
            letters[letter].lens |= 1 << word.len();
            let second = if word.len() > 1 { word[1] & 31 } else { 0 };
            letters[letter].seconds |= 1 << second;
            at += 1;
        }
        letter += 1;
    }
    letters
}

/// Whether `word` (lower case, not stemmed) shapes a question more than it names a topic.
pub(crate) fn is_weak_word(word: &str) -> bool {
    WEAK_WORDS.binary_search(&word).is_ok()
}

/// Articles, pronouns, auxiliaries, prepositions, conjunctions and question words of
/// English, in byte order.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "between", "both", "but", "by", "can", "cannot",
    "could", "did", "do", "does", "doing", "done", "down", "during", "each", "either", "every",
    "few", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers",
    "herself", "hey", "hi", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "itself", "just", "let", "may", "me", "might", "mine", "more", "most", "much", "must",
    "my", "myself", "no", "nor", "not", "now", "of", "off", "oh", "on", "once", "only", "or",
    "other", "our", "ours", "ourselves", "out", "over", "own", "please", "really", "same", "shall",
    "she", "should", "so", "some", "such", "than", "that", "the", "their", "theirs", "them",
    "themselves", "then", "there", "these", "they", "this", "those", "through", "to", "too",
    "under", "until", "up", "upon", "us", "very", "was", "we", "well", "were", "what", "when",
    "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "would",
    "yeah", "yes", "yet", "you", "your", "yours", "yourself", "yourselves",
];

/// Words of asking and telling, in byte order; of German and Spanish what else every question
/// has.
#[rustfmt::skip]
const WEAK_WORDS: &[&str] = &[
    "across", "approach", "ask", "asked", "aspect", "aspects", "bring", "brought", "call", "called",
    "chat", "chats", "comprehensive", "consider", "considered", "conversation", "conversations",
    "cu\u{e1}l", "cu\u{e1}ndo", "das", "dem", "den", "der", "describe", "described", "detailed",
    "different", "discuss", "discussed", "discussion", "discussions", "donde", "d\u{f3}nde",
    "eight", "el", "es", "est\u{e1}", "explain", "feel", "felt", "find", "five", "focus", "found",
    "four", "gave", "get", "gets", "getting", "give", "go", "goes", "going", "got", "handle",
    "help", "include", "ist", "item", "items", "key", "kind", "kinds", "know", "la", "las", "last",
    "like", "likely", "list", "long", "los", "made", "make", "makes", "making", "many", "mention",
    "mentioned", "mentions", "name", "names", "new", "nine", "often", "one", "order", "overall",
    "overview", "provide", "qui\u{e9}n", "qu\u{e9}", "recent", "recently", "recommend", "said",
    "say", "says", "session", "sessions", "seven", "share", "shared", "show", "showed", "six",
    "sort", "sorts", "specific", "suggest", "summarize", "summary", "take", "taken", "talk",
    "talked", "tell", "ten", "thing", "things", "think", "thinks", "three", "throughout", "time",
    "times", "told", "took", "total", "two", "type", "types", "use", "used", "various", "walk",
    "wann", "want", "wanted", "wants", "way", "ways", "welche", "welchen", "welcher", "welches",
    "went", "wer", "wie", "wo", "wohin",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_disjoint() {
        for list in [STOP_WORDS, WEAK_WORDS] {
            assert!(list.is_sorted_by(|a, b| a < b));
        }
        assert_eq!(STOP_WORDS.iter().map(|word| word.len()).max(), Some(LEN_MAX));
        assert!(!WEAK_WORDS.iter().any(|word| is_stop_word(word)));
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)));
        assert!(
            !["", "the\u{0}", "th", "thee", "{", "zz", "\u{e9}"]
                .iter()
                .any(|word| is_stop_word(word))
        );
    }
}

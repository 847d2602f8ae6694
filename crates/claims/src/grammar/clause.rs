use crate::statement::is_negation;
use memlith_text::Token;
use memlith_text::{Article, Sort, Word};

/// One sentence of a form that may make a claim: its words without articles, adverbs and
/// auxiliaries, and what those said.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Clause {
    pub(crate) words: Vec<Word>,
    pub(crate) negated: bool,
    pub(crate) past: bool,
    /// Whether it speaks of all, of some or of how much: to deny that denies less.
    measured: bool,
}

/// A clause of more words says more than one thing.
const WORDS_MAX: usize = 16;

impl Clause {
    /// Takes a sentence apart; `None` where it has a condition, a doubt, a part set off by
    /// a comma, a second sentence, or two negations.
    pub(crate) fn of(text: &str, tokens: &[Token]) -> Option<Clause> {
        let mut clause = Clause::default();
        let mut article = Article::None;
        let mut end = 0;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let between = text.get(end..token.range.start).unwrap_or_default();
            if at > 0 && (token.first || (token.broken && !between.contains(':'))) {
                return None;
            }
            if at > 0 && between.contains(':') {
                // "Time zone: CET" says that it is.
                clause.words.push(Word::of("be".to_owned(), Sort::Plain));
            }
            let (word, count) = Word::at(tokens, at)?;
            at += count;
            end = tokens.get(at - 1).map_or(end, |last| last.range.end);
            let next = tokens.get(at).map_or("", |next| next.lower.as_str());
            if word.sort == Sort::Relative {
                return None;
            }
            let doubt = HEDGES.contains(&word.text.as_str()) && !is_choice(&word.text, next);
            let wish = matches!(word.text.as_str(), "plan" | "plans") && next == "to";
            if doubt || wish {
                return None;
            }
            match word.text.as_str() {
                "the" | "this" | "these" => article = Article::Definite,
                "a" | "an" => article = Article::Indefinite,
                _ => {
                    clause.take(Word { article, ..word }, next)?;
                    article = Article::None;
                }
            }
        }
        let sure = !(clause.negated && clause.measured);
        (sure && !clause.words.is_empty() && clause.words.len() <= WORDS_MAX).then_some(clause)
    }

    /// Whether a word is one of the commonest verbs, behind which no subject goes on.
    pub(crate) fn is_verb(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| {
            word.is_in(&["be", "have", "has", "can", "want", "wants", "likes", "prefers"])
        })
    }

    /// Whether the words from `at` on are these, by their text or lemma.
    pub(crate) fn matches(&self, at: usize, pattern: &[&str]) -> bool {
        let words = self.words.get(at..).unwrap_or_default();
        words.len() >= pattern.len()
            && pattern.iter().zip(words).all(|(one, word)| {
                word.sort == Sort::Plain && (*one == word.text || *one == word.lemma)
            })
    }

    /// The words behind those from `at` on that are these, parted by a space, by their text or
    /// lemma; `None` where they are others.
    pub(crate) fn behind(&self, at: usize, mut pattern: &str) -> Option<&[Word]> {
        let mut words = self.words.get(at..)?;
        loop {
            let (word, rest) = words.split_first()?;
            let after = |one: &str| pattern.strip_prefix(one).filter(|left| is_end(left));
            let left = after(&word.text).or_else(|| after(&word.lemma));
            pattern = left.filter(|_| word.sort == Sort::Plain)?;
            words = rest;
            match pattern.strip_prefix(' ') {
                Some(next) => pattern = next,
                None => return Some(words),
            }
        }
    }

    /// Whether what was read so far may be somebody who does what follows.
    fn names_somebody(&self, article: Article) -> bool {
        article == Article::None && self.words.last().is_some_and(|last| !last.owner)
    }

    /// Takes a word in; what only says that something is not so, or was, is kept apart.
    fn take(&mut self, mut word: Word, next: &str) -> Option<()> {
        if word.sort != Sort::Plain {
            self.words.push(word);
            return Some(());
        }
        let text = word.text.clone();
        self.measured |= MEASURES.contains(&text.as_str());
        let stops = matches!(text.as_str(), "stopped" | "quit" | "without" | "except");
        if is_negation(&text) && !stops {
            return self.deny(&text, next);
        }
        if self.is_aside(&text, next) {
            return Some(());
        }
        self.inflect(&mut word, next);
        // "used to" is gone but for its "to".
        if text == "to" && self.past && self.words.last().is_none_or(|last| last.text != "be") {
            let moved = self.words.last().is_some_and(|last| BECAME.contains(&last.text.as_str()));
            if !moved {
                return Some(());
            }
        }
        self.words.push(word);
        Some(())
    }

    /// A word that denies, with the verb that is part of it; a second one is too much, and
    /// so is one that may deny more or less than what is said ("nobody", "won't", "hardly").
    fn deny(&mut self, text: &str, next: &str) -> Option<()> {
        let has = self.words.last().is_some_and(|last| last.text == "have");
        let sure = DENIALS.contains(&text) || (text == "no" && (has || next == "longer"));
        if self.negated || !sure {
            return None;
        }
        self.negated = true;
        let verb = match text {
            "isn't" | "aren't" | "isnt" | "arent" | "wasn't" | "weren't" | "wasnt" | "werent" => {
                Some("be")
            }
            "can't" | "cannot" | "cant" => Some("can"),
            "hasn't" | "haven't" | "hasnt" | "havent" | "hadn't" | "hadnt" => Some("have"),
            _ => None,
        };
        self.words.extend(verb.map(|verb| Word::of(verb.to_owned(), Sort::Plain)));
        self.past |= PAST_DENIALS.contains(&text);
        Some(())
    }

    /// Whether the word is no part of what is said, but of how or when.
    fn is_aside(&mut self, text: &str, next: &str) -> bool {
        match text {
            "longer" => self.negated,
            "stopped" | "quit" if next.len() > 5 && next.ends_with("ing") => {
                self.negated = true;
                true
            }
            "do" | "does" => true,
            "did" | "previously" | "formerly" | "once" => {
                self.past = true;
                true
            }
            "used" if next == "to" => {
                self.past = true;
                true
            }
            "has" | "have" => BECAME.contains(&next),
            _ => ADVERBS.contains(&text),
        }
    }

    /// Puts a verb into the form that the tables have it in.
    fn inflect(&mut self, word: &mut Word, next: &str) {
        let text = word.text.clone();
        match text.as_str() {
            "=" | "is" | "are" | "am" | "be" | "been" | "being" => text_of(word, "be"),
            "preferred" if !self.names_somebody(word.article) => {}
            "i'm" | "we're" => {
                let who = if text == "i'm" { "i" } else { "we" };
                self.words.push(Word::of(who.to_owned(), Sort::Plain));
                text_of(word, "be");
            }
            "i've" | "we've" => text_of(word, if text == "i've" { "i" } else { "we" }),
            "was" | "were" => {
                self.past |= !BECAME.contains(&next) && next != "now";
                text_of(word, "be");
            }
            "had" => {
                self.past = true;
                text_of(word, "have");
            }
            "has" => text_of(word, "have"),
            _ if self.words.last().is_none_or(|last| last.text != "be") => {
                if let Some((_, verb)) = PASTS.iter().find(|(past, _)| *past == text) {
                    self.past = true;
                    text_of(word, verb);
                }
            }
            _ => {}
        }
    }
}

fn text_of(word: &mut Word, text: &str) {
    text.clone_into(&mut word.text);
    text.clone_into(&mut word.lemma);
}

/// "would rather" is a preference, not a doubt.
fn is_choice(word: &str, next: &str) -> bool {
    word == "would" && matches!(next, "rather" | "like" | "prefer")
}

/// Words that make of a claim a condition, a wish, somebody's opinion, a part of the truth
/// or two claims.
#[rustfmt::skip]
const HEDGES: &[&str] = &[
    "if", "maybe", "perhaps", "might", "could", "should", "would", "unless", "when", "while",
    "whenever", "because", "although", "though", "but", "and", "or", "nor", "will", "shall",
    "must", "may", "think", "thinks", "thought", "believe", "believes", "says", "said", "claims",
    "hopes", "hope", "considering", "supposed", "probably", "possibly",
    "apparently", "almost", "either", "both", "some", "sometimes", "often", "rarely", "one",
    "other", "another", "others", "that", "which", "who", "whose", "what", "where", "except",
    "pretends", "seems", "appears", "wondering", "guess", "suppose", "unlike", "it",
    "you", "your", "them", "him", "whether", "trying", "going", "its", "reportedly",
    "unclear", "unsure", "example", "imagine", "let's", "let",
];

/// Words that deny what is said, and nothing else.
#[rustfmt::skip]
const DENIALS: &[&str] = &[
    "not", "never", "don't", "dont", "doesn't", "doesnt", "didn't", "didnt", "isn't", "isnt",
    "aren't", "arent", "wasn't", "wasnt", "weren't", "werent", "can't", "cant", "cannot",
    "hasn't", "hasnt", "haven't", "havent", "hadn't", "hadnt",
];

/// Words by which a denial leaves open what else is so: "not always", "not every".
#[rustfmt::skip]
const MEASURES: &[&str] = &[
    "all", "every", "each", "everyone", "everybody", "everything", "any", "much", "many", "most",
    "only", "just", "even", "always", "usually", "generally", "normally", "typically", "really",
    "exactly", "fully", "entirely", "completely", "quite", "necessarily", "permanently",
    "officially", "too", "very", "so", "solely", "strictly", "primarily", "mainly", "alone",
    "approx", "approximately", "together", "directly",
];

/// Words that deny what was.
const PAST_DENIALS: &[&str] =
    &["wasn't", "weren't", "wasnt", "werent", "didn't", "didnt", "hadn't", "hadnt"];

/// Words that change nothing.
const ADVERBS: &[&str] = &[
    "now",
    "currently",
    "also",
    "usually",
    "still",
    "actually",
    "just",
    "please",
    "anymore",
    "already",
    "too",
    "presently",
    "really",
    "always",
    "generally",
    "normally",
    "officially",
    "instead",
    "approx",
    "approximately",
    "exactly",
    "typically",
    "permanently",
];

/// Participles of what became so and still is.
pub(crate) const BECAME: &[&str] = &[
    "raised",
    "lowered",
    "increased",
    "reduced",
    "changed",
    "set",
    "upgraded",
    "downgraded",
    "updated",
    "moved",
    "relocated",
    "bumped",
    "switched",
    "migrated",
    "born",
    "renamed",
    "joined",
    "rescheduled",
    "postponed",
    "promoted",
    "extended",
    "shortened",
    "cut",
    "licensed",
    "released",
    "named",
    "called",
    "written",
    "led",
    "owned",
    "hosted",
    "stored",
    "kept",
    "retained",
    "scheduled",
    "become",
    "became",
    "merged",
    "closed",
    "approved",
    "rejected",
    "enabled",
    "disabled",
    "paid",
    "asked",
];

/// Past forms of verbs of the tables, by their present.
const PASTS: &[(&str, &str)] = &[
    ("lived", "live"),
    ("worked", "work"),
    ("resided", "reside"),
    ("preferred", "prefer"),
    ("liked", "like"),
    ("wanted", "want"),
    ("owned", "own"),
    ("listened", "listen"),
    ("played", "play"),
    ("spoke", "speak"),
    ("drove", "drive"),
    ("used", "use"),
    ("ran", "run"),
    ("reported", "report"),
    ("smoked", "smoke"),
    ("took", "take"),
    ("led", "lead"),
];

/// Whether a word ends where this is left of a pattern.
fn is_end(left: &str) -> bool {
    left.is_empty() || left.starts_with(' ')
}

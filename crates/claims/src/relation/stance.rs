use super::cue::class_of;
use super::term::Term;
use crate::grammar::{Article, Sort};

/// How a sentence stands to what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stance {
    /// It says that it is so.
    Asserts,
    /// It asks.
    Asks,
    /// It doubts, wishes, allows for exceptions, or speaks of a part.
    Hedges,
    /// It says what somebody thinks or says.
    Reports,
    /// It says what was.
    Past,
    /// It says what will be.
    Future,
    /// It says what is so, too.
    Adds,
    /// It isn't English.
    Foreign,
}

impl Stance {
    pub(super) fn of(text: &str, terms: &[Term]) -> Stance {
        let mut words = String::from(" ");
        for term in terms {
            words.push_str(&term.text);
            words.push(' ');
        }
        let starts: Vec<&str> =
            words.match_indices(' ').filter_map(|(at, _)| words.get(at + 1..)).collect();
        let has = |list: &[&str]| list.iter().any(|phrase| contains(&starts, phrase));
        let asks = terms.first().is_some_and(|first| first.is(QUESTIONS));
        let tables = [
            (is_foreign(terms), Stance::Foreign),
            (text.contains(['?', '\u{bf}', '"', '\u{201c}']) || asks, Stance::Asks),
            (has(HEDGES) || may(terms), Stance::Hedges),
            (has(REPORTS), Stance::Reports),
            (has(FUTURE) || is_coming(terms), Stance::Future),
            (has(PAST) || was(terms), Stance::Past),
            (has(ADDS) || too(terms) || is_one_more(terms), Stance::Adds),
        ];
        let found = tables.into_iter().find(|(holds, _)| *holds);
        found.map_or(Stance::Asserts, |(_, stance)| stance)
    }
}

/// Whether a phrase is among the words that begin at `starts`, each to the end of the text.
fn contains(starts: &[&str], phrase: &str) -> bool {
    let first = phrase.as_bytes().first();
    let near = starts.iter().filter(|rest| rest.as_bytes().first() == first);
    near.into_iter()
        .any(|rest| rest.strip_prefix(phrase).is_some_and(|after| after.starts_with(' ')))
}

/// "may" is no month.
fn may(terms: &[Term]) -> bool {
    terms.iter().any(|term| term.is(&["may"]))
}

/// What is under way or dated ahead: "is moving", "from January", "rises in 2027".
fn is_coming(terms: &[Term]) -> bool {
    let pairs = || terms.iter().zip(terms.iter().skip(1));
    let moving = pairs().any(|(be, verb)| {
        be.is_be()
            && verb.text.ends_with("ing")
            && verb.article == Article::None
            && class_of(&verb.key).is_some()
    });
    let dated = |term: &Term| matches!(term.sort, Sort::Date | Sort::Relative);
    let ahead = pairs().any(|(word, moment)| {
        let today = moment.text == "today" || moment.text == "yesterday";
        (word.is(&["starting", "beginning", "effective", "starts", "tomorrow"])
            && dated(moment)
            && !today
            && class_of(&word.key).is_none()
            && word.text != "starts")
            || (word.is(&["of"]) && dated(moment) && !today && as_of(terms, moment))
    });
    let present = terms.iter().any(|term| {
        !term.past
            && term.text.ends_with('s')
            && term.text != "slips"
            && term.text != "replaces"
            && class_of(&term.key).is_some()
            && term.article == Article::None
    });
    let tomorrow = terms.iter().any(|term| term.text == "tomorrow");
    moving || ahead || tomorrow || (present && terms.iter().any(dated))
}

fn as_of(terms: &[Term], moment: &Term) -> bool {
    let Some(at) = terms.iter().position(|term| std::ptr::eq(term, moment)) else { return false };
    at >= 2 && terms.get(at - 2).is_some_and(|term| term.is(&["as"]))
}

/// What was so: "was" and no participle of a change behind it.
fn was(terms: &[Term]) -> bool {
    let changes =
        |term: &Term| term.is(&["not", "now"]) || class_of(&term.key).is_some() || term.is(CHANGED);
    let at = terms.iter().position(|term| term.is(&["was", "were"]));
    at.is_some_and(|at| {
        !terms.iter().any(changes) && {
            // Behind a break it may say why: "the other one was full".
            !terms.get(..at).unwrap_or_default().iter().skip(1).any(|term| term.broken)
        }
    })
}

/// "too" at the end of a part adds; in front of a word it measures.
fn too(terms: &[Term]) -> bool {
    let mut pairs = terms.iter().zip(terms.iter().skip(1).map(Some).chain([None]));
    pairs.any(|(term, next)| term.is(&["too"]) && next.is_none_or(|next| next.broken))
}

/// "A second class" is one more.
fn is_one_more(terms: &[Term]) -> bool {
    let more = |term: &Term| term.is(&["second", "third", "fourth", "other"]);
    terms.iter().any(|term| more(term) && term.article == Article::Indefinite)
}

fn is_foreign(terms: &[Term]) -> bool {
    let strange =
        |term: &Term| term.text.chars().any(|letter| letter.is_alphabetic() && letter > '\u{24f}');
    terms.iter().any(strange) || terms.iter().filter(|term| term.is(FOREIGN)).count() > 1
}

/// Participles of changes that no target follows.
const CHANGED: &[&str] = &[
    "replaced",
    "handed",
    "renewed",
    "fixed",
    "passed",
    "taken",
    "promoted",
    "assigned",
    "merged",
    "closed",
    "fixed",
    "enabled",
    "disabled",
    "resolved",
    "repaired",
    "cancelled",
    "canceled",
    "approved",
    "rejected",
    "published",
    "archived",
    "painted",
    "reopened",
    "reassigned",
    "appointed",
    "elected",
    "chosen",
    "wrong",
    "set",
];

const QUESTIONS: &[&str] = &[
    "does", "do", "did", "is", "are", "was", "were", "should", "can", "could", "would", "will",
    "who", "what", "why", "how",
];

/// Words of doubt, of wishes, of conditions, and of parts of a whole.
#[rustfmt::skip]
const HEDGES: &[&str] = &[
    "maybe", "perhaps", "might", "could", "should", "would", "probably", "possibly", "presumably",
    "likely", "usually", "sometimes", "often", "generally", "normally", "typically", "mostly",
    "mainly", "occasionally", "rarely", "seldom", "seem", "seems", "appears", "apparently",
    "supposedly", "allegedly", "reportedly", "if", "unless", "whether", "ideally", "wondering",
    "considering", "thinking", "thinking of", "hope", "hopes", "hoping", "wants", "want", "wanted",
    "wish", "wishes", "proposed", "proposes", "proposal", "suggested", "suggests", "propose",
    "almost", "nearly", "unclear", "unsure", "not sure", "imagine", "suppose", "supposed",
    "at some point", "ought", "must", "tried", "tries", "trying", "try", "failed to", "attempted",
    "not yet", "yet", "for now", "temporarily", "tentatively", "for time being", "some of",
    "most of", "half of", "part of", "parts of", "partly", "partially", "a few", "several",
    "except", "apart from", "up to now", "rumour", "rumor", "allowed to", "free to", "at times",
    "started to", "optionally", "either", "can be", "able to", "better if", "nice to", "at least one",
    "on occasion", "from time to time", "for example", "once in a while", "in theory", "as test",
    "as trial", "trial run", "experiment", "experimentally", "pilot", "briefly", "for moment",
    "debating", "toying", "leaning", "not decided", "undecided", "discussing", "discussion",
    "talk of", "talked about", "idea", "threatens", "offered to", "in case", "as soon as",
    "provided", "potentially", "theoretically", "candidate", "roughly", "approximately", "around",
    "now and then", "on and off", "most days", "in most cases", "as rule", "tends to",
    "more or less", "some days", "half time", "would be", "time that", "hypothetically",
    "could be", "may be", "might be", "needs to", "need to", "let us", "why not", "open question",
    "not always", "not every", "voted to", "in principle", "by default", "conceivably", "keen", "and back", "nobody", "no one", "you can", "with flag",
];

/// Words that say that somebody else thinks or says it.
#[rustfmt::skip]
const REPORTS: &[&str] = &[
    "think", "thinks", "thought", "believe", "believes", "believed", "says", "said", "say",
    "claims", "claimed", "suspects", "suspected", "suspect", "reckons", "reckon", "reckoned",
    "assumes", "assume", "assumed", "insists", "insisted", "guess", "guesses", "guessed", "told",
    "heard", "according to", "argues", "argued", "expects", "expected", "expect", "feels", "felt",
    "doubts", "doubt", "asked", "asks", "mentioned", "mentions", "writes that", "wrote that",
    "reports that", "reported that", "shows that", "remembers", "recalls", "swears", "complains that",
    "complained that", "recommends", "recommended", "in opinion", "which is wrong", "estimates",
    "estimated", "predicts", "predicted", "pretends", "dreams", "dreamt", "joked", "jokes",
    "announced that", "mistakenly", "wrongly", "rumoured", "rumored", "assuming", "fears",
];

const FUTURE: &[&str] = &[
    "will",
    "shall",
    "going to",
    "plan to",
    "plans to",
    "planned to",
    "planning",
    "intend",
    "intends",
    "intended",
    "next month",
    "next year",
    "next quarter",
    "next week",
    "next sprint",
    "next term",
    "next season",
    "next spring",
    "next summer",
    "next autumn",
    "next winter",
    "about to",
    "soon",
    "later",
    "by end of",
    "upcoming",
    "decided to",
    "agreed to",
    "scheduled to",
    "begins on",
    "from next",
    "starting next",
    "due to move",
    "to be moved",
    "to be replaced",
    "eventually",
    "in future",
    "then on",
    "aims to",
    "aim to",
    "wants to",
    "promised",
    "promises",
    "plan is to",
    "preparing",
    "expected to",
    "set to become",
    "in talks",
    "coming",
];

const PAST: &[&str] = &[
    "used to",
    "originally",
    "formerly",
    "previously",
    "initially",
    "back then",
    "back in",
    "in past",
    "at time",
    "at first",
    "ago was",
    "in old days",
    "once was",
    "in those days",
    "earlier this year",
    "before that",
    "until then",
    "no longer than",
    "historically",
    "during rewrite",
    "had been",
    "for years",
    "always been",
    "as child",
    "as kid",
];

const ADDS: &[&str] = &[
    "also",
    "as well",
    "additionally",
    "another",
    "besides",
    "along with",
    "on top of",
    "in addition",
    "extra",
    "both",
    "plus",
    "among others",
    "one of",
    "was added",
    "were added",
    "added",
    "still",
    "further",
    "alongside",
    "together with",
    "likewise",
    "including",
    "as well as",
    "remains",
    "additional",
    "besides that",
    "even",
    "next to that",
];

/// Common words of German, Spanish, French and Italian that English doesn't have.
#[rustfmt::skip]
const FOREIGN: &[&str] = &[
    "der", "das", "ist", "wir", "ich", "und", "nicht", "mein", "meine", "unser", "unsere", "ein",
    "eine", "einen", "f\u{fc}r", "mit", "wird", "werden", "sind", "hei\u{df}t", "l\u{e4}uft",
    "laufen", "auf", "um", "zu", "zum", "zur", "von", "vom", "im", "bei", "liegt", "wohne", "wohnt",
    "jetzt", "den", "dem", "auch", "kein", "uhr", "frau", "herr", "el", "la", "los", "las", "es",
    "una", "de", "del", "en", "mi", "mis", "nuestro", "nuestra", "para", "por", "con", "est\u{e1}",
    "se", "que", "ya", "su", "le", "les", "est", "une", "des", "du", "et", "nous", "je", "mon",
    "ma", "notre", "il", "sur", "pour", "dans", "di", "che", "sono", "nel", "della", "heute",
    "seit", "wurde", "nach", "statt", "mehr", "ahora", "vivo", "vive", "trabajo", "usa", "usamos",
];

use super::adjective::is_adjective;
use super::fact::{Fact, keys};
use super::term::Term;
use super::value::{Kind, excludes, one_head};
use crate::grammar::{Article, Noun, Sort};

/// Whether what `old` and `new` say of one thing has one value at a time, so that the second
/// value ends the first. `declared`: the new sentence says that it changed.
pub(super) fn has_one_value(old: &Fact, new: &Fact, kind: Kind, declared: bool) -> bool {
    let verb = old.verb.as_str();
    let indefinite = |fact: &Fact| {
        fact.subject.first().is_some_and(|first| first.article == Article::Indefinite)
    };
    let described = old.is_copula() || old.verb == "call";
    let one_of_many = described && old.subject.iter().any(is_many);
    let of_some = is_of_some(&old.subject) || is_of_some(&new.subject);
    if indefinite(old) || indefinite(new) || of_some || one_of_many || (old.is_event() && !declared)
    {
        return false;
    }
    // What is good at or allergic to one thing may be so to another.
    let in_tail = keys(&old.value) == keys(&new.value) && old.value != new.value
        || keys(&old.tail) != keys(&new.tail);
    if in_tail && matches!(kind, Kind::Name | Kind::Words) {
        return false;
    }
    let table = if old.participle { MANY_PARTICIPLES } else { MANY };
    let many = table.contains(&verb);
    match kind {
        Kind::Amount => !many || counts(old),
        Kind::Clock | Kind::Date => {
            (!many || verb == "go" || verb == "run") && !old.has_indefinite_value()
        }
        Kind::Day if old.verb == BE || old.participle => !many,
        Kind::Day => {
            !many && (declared || ENDS.contains(&verb) || !(is_plural(old) || verb == "open"))
        }
        Kind::Name if many => {
            let employed = verb == "work" && matches!(old.prep.as_str(), "at" | "for");
            employed || (declared && (old.prep == "from" || AT_PRESENT.contains(&verb)))
        }
        Kind::Name if old.has_indefinite_value() || new.has_indefinite_value() => {
            declared || one_head(&old.value, &new.value)
        }
        Kind::Name if !old.prep.is_empty() && !FAILS.contains(&verb) => true,
        Kind::Name => declared || old.verb == BE || old.participle || SINGLE.contains(&verb),
        Kind::Words => words(old, new, many, declared),
    }
}

/// Whether it speaks of one or of some among more: "one server", "two of the tests".
pub(super) fn is_of_some(subject: &[Term]) -> bool {
    let [first, second, ..] = subject else { return false };
    let counted = first.sort == Sort::Amount && !first.key.contains(' ');
    first.is(&["one", "some", "another", "many", "most"]) || (counted && !second.is_be())
}

/// Common nouns and adjectives: most of them may be true beside each other.
fn words(old: &Fact, new: &Fact, many: bool, declared: bool) -> bool {
    if many {
        return declared && AT_PRESENT.contains(&old.verb.as_str());
    }
    if old.verb == BE && excludes(&old.value, &new.value) {
        return true;
    }
    let whole =
        |fact: &Fact| fact.value.first().is_some_and(|first| first.article == Article::Definite);
    // "The venue is the school" says which one it is.
    if old.is_copula() && old.prep.is_empty() && whole(old) && whole(new) {
        return true;
    }
    let noun = |fact: &Fact| {
        let definite = fact.subject.first().is_some_and(|first| {
            first.article == Article::Definite || first.owner || first.is(&["our", "their"])
        });
        definite && fact.value.len() == 1 && fact.value.iter().all(|term| !is_adjective(term))
    };
    if old.is_copula() && old.prep.is_empty() && noun(old) && noun(new) {
        return true;
    }
    let short = old.value.len() <= 3 && new.value.len() <= 3;
    if old.is_copula() && short && old.prep.is_empty() {
        let head = old.subject.last().map(|term| term.text.clone()).unwrap_or_default();
        let described = |fact: &Fact| {
            fact.value.first().is_some_and(|term| term.past || term.text.ends_with("ing"))
        };
        let known = Noun::of(&head).is_some() || Noun::of(&old.subject_tail()).is_some();
        let both = |one: &Fact, two: &Fact| {
            [one, two].iter().all(|fact| fact.value.iter().all(is_adjective))
        };
        if known
            && !both(old, new)
            && !described(old)
            && !described(new)
            && old.value.len() == new.value.len()
        {
            return true;
        }
    }
    let placed = PLACES.contains(&old.verb.as_str()) && !old.prep.is_empty();
    if placed && (one_head(&old.value, &new.value) || (is_place(old) && is_place(new))) {
        return old.prep == new.prep || is_place(old) && is_place(new);
    }
    let occupied = |fact: &Fact| {
        fact.has_indefinite_value()
            && fact.value.last().is_some_and(|last| is_occupation(&last.text))
    };
    if declared && occupied(old) && occupied(new) {
        return true;
    }
    // "Our mascot is now an owl": of a thing, not of a person, who may be many things.
    let thing =
        old.is_copula() && !old.subject.iter().any(|term| term.proper && !term.is(&["our"]));
    let kinds = old.has_indefinite_value() && new.has_indefinite_value();
    if declared && thing && kinds && old.value.len() == 1 && new.value.len() == 1 {
        return true;
    }
    if declared {
        let phrase = !old.prep.is_empty() && old.prep == new.prep;
        return one_head(&old.value, &new.value) || (phrase && short) || old.participle;
    }
    old.participle && SINGLE.contains(&old.verb.as_str()) && short
}

/// Whether its value is a room, a piece of furniture, a building or a part of a town.
pub(super) fn is_place(fact: &Fact) -> bool {
    fact.value.last().is_some_and(|last| last.is(PLACE_NOUNS))
}

/// Nouns of places that a thing is in one of at a time. Our own list.
#[rustfmt::skip]
const PLACE_NOUNS: &[&str] = &[
    "gym", "library", "kitchen", "hall", "garden", "office", "cellar", "basement", "attic",
    "garage", "drawer", "box", "cupboard", "cabinet", "fridge", "freezer", "shed", "park",
    "church", "school", "chapel", "bedroom", "bathroom", "nursery", "lobby", "corridor", "canteen",
    "cafe", "pub", "museum", "theatre", "stadium", "barn", "shelf", "desk", "bag", "safe", "locker",
    "floor", "room", "wing", "building", "lab", "workshop", "warehouse", "store", "yard", "square",
    "station", "market", "closet", "wardrobe", "hallway", "aula", "pool", "field", "courtyard",
    "studio", "annex", "annexe", "tent", "sofa", "bed", "couch", "terrace", "balcony", "street",
];

/// Whether the word names a profession: one has one at a time, or says that one has two.
fn is_occupation(word: &str) -> bool {
    let formed = ["er", "or", "ist", "ian", "ant", "man", "woman", "ect"];
    !NO_OCCUPATIONS.contains(&word)
        && (OCCUPATIONS.contains(&word) || formed.iter().any(|ending| word.ends_with(ending)))
}

const OCCUPATIONS: &[&str] = &[
    "nurse",
    "chef",
    "pilot",
    "cook",
    "student",
    "trainee",
    "intern",
    "lead",
    "apprentice",
    "pupil",
    "clerk",
    "freelance",
    "midwife",
    "surgeon",
    "priest",
    "judge",
    "guide",
    "coach",
    "host",
    "head",
];

const NO_OCCUPATIONS: &[&str] = &[
    "mother",
    "father",
    "brother",
    "sister",
    "daughter",
    "grandmother",
    "grandfather",
    "member",
    "owner",
    "winner",
    "smoker",
    "swimmer",
    "runner",
    "lover",
    "believer",
    "stranger",
    "beginner",
    "vegetarian",
    "survivor",
    "neighbor",
    "partner",
    "donor",
    "customer",
    "user",
    "sponsor",
    "godfather",
    "godmother",
    "early riser",
    "riser",
    "singer",
    "dancer",
    "speaker",
    "character",
];

/// Whether the word is for what somebody has many of.
pub(super) fn is_many(term: &Term) -> bool {
    term.is(MANY_NOUNS)
}

/// Whether its value is how many, or the version of what is named.
fn counts(fact: &Fact) -> bool {
    let Some(first) = fact.value.first() else { return false };
    let version = first.proper && VERSIONED.contains(&fact.verb.as_str());
    first.sort == Sort::Amount || version
}

pub(super) const BE: &str = "b";

/// Whether two verbs say the same of a thing and its value.
pub(super) fn is_one_verb(own: &str, other: &str) -> bool {
    own == other || SAME.iter().any(|row| row.contains(&own) && row.contains(&other))
}

/// Verbs, by their stems, of which a thing has many values: what it likes, has, does.
#[rustfmt::skip]
const MANY: &[&str] = &[
    "hav", "us", "lik", "lov", "enjoy", "hat", "dislik", "speak", "know", "support", "own",
    "includ", "cover", "play", "attend", "touch", "keep", "read", "visit", "contain", "depend",
    "hold", "stop", "review", "see", "mak", "eat", "drink", "collect", "watch", "learn",
    "study", "teach", "want", "need", "offer", "sell", "buy", "wear", "accept", "provid", "allow",
    "serv", "manag", "list", "import", "export", "call", "fix", "writ", "follow", "help", "hir",
    "interview", "travel", "go", "understand", "recommend", "mention", "test", "check", "return",
    "log", "send", "receiv", "giv", "bring", "carry", "cook", "sing", "plant", "do", "add", "show",
    "prefer", "favor", "can", "handl", "affect", "bak", "paint", "tak", "join", "treat", "feed",
    "process", "produc", "publish", "listen_to", "talk", "suffer", "work", "run", "driv",
    "monitor", "deliver", "ship", "maintain", "lead", "respond", "block", "find", "discuss",
];

/// Of those, the ones of which "now" says that another value is gone.
const AT_PRESENT: &[&str] =
    &["us", "driv", "run", "work", "tak", "wear", "prefer", "serv", "go", "com"];

/// Verbs of which the version of a named thing is the value.
const VERSIONED: &[&str] =
    &["us", "run", "need", "depend", "test", "wear", "tak", "driv", "work", "go"];

/// Participles behind "is" of which a thing has many values.
#[rustfmt::skip]
const MANY_PARTICIPLES: &[&str] = &[
    "us", "support", "visit", "lov", "lik", "shar", "known", "know", "attend", "tag", "label",
    "mention", "read", "includ", "cover", "interest", "send", "shared", "speak", "connect", "link", "relat", "affect",
    "sold", "sell", "need", "teach", "offer", "see", "found", "find", "accept", "allow",
];

/// Verbs that name the one place, firm, time or thing that a subject has.
#[rustfmt::skip]
const SINGLE: &[&str] = &[
    "liv", "sit", "belong", "report", "stay", "sleep", "set", "stand", "hang", "lie", "park",
    "bas", "stor", "host", "locat", "deploy", "resid", "listen", "point", "default", "pin", "nam",
    "call", "writ", "build", "generat", "schedul", "assign", "own", "lead", "manag", "approv",
    "driv", "end", "begin", "clos", "open", "leav", "arriv", "expir", "last", "cost", "weigh",
];

fn is_plural(fact: &Fact) -> bool {
    fact.subject.last().is_some_and(|last| last.text.ends_with('s') || last.is(&["we", "they"]))
}

/// Verbs of a beginning or an end, which is on one day.
const ENDS: &[&str] = &[
    "end", "begin", "leav", "arriv", "expir", "last", "launch", "ship", "run", "clos", "fall",
    "happen", "tak",
];

/// Verbs of what happens in more than one place.
const FAILS: &[&str] = &[
    "fail", "pass", "crash", "break", "occur", "appear", "happen", "succe", "grow", "shop",
    "liv_in",
];

/// Verbs of being in a place.
const PLACES: &[&str] = &[
    "b", "liv", "sit", "stand", "hang", "lie", "park", "stor", "locat", "keep", "stay", "sleep",
    "meet",
];

/// Verbs that say the same of a thing and its value.
const SAME: &[&[&str]] = &[
    &["liv", "bas", "locat", "stay"],
    &["nam", "call"],
    &["end", "run", "expir"],
    &["writ", "build", "implement"],
    &["host", "run", "deploy"],
    &["cost", "b"],
    &["begin", "b"],
    &["hav", "b"],
    &["set", "b"],
    &["listen", "run", "b"],
    &["last", "tak", "b"],
    &["us", "run"],
];

/// Nouns of which somebody has many.
#[rustfmt::skip]
const MANY_NOUNS: &[&str] = &[
    "friend", "friends", "colleague", "colleagues", "hobby", "hobbies", "pet", "pets", "cousin",
    "sister", "brother", "child", "children", "son", "daughter", "customer", "customers", "sponsor",
    "sponsors", "member", "members", "goal", "goals", "risk", "risks", "reason", "reasons",
    "example", "dependency", "dependencies", "allergy", "allergies", "skill", "skills", "partner",
    "neighbour", "neighbor", "guest", "guests", "task", "tasks", "feature", "features", "option",
];

//! By what words a sentence shows that it holds beyond its moment.
//!
//! The lists are closed, lower case and English.

/// What a sentence is, as far as its words show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cue {
    /// It says how things are, or are done, in this project.
    Fact,
    /// It says something of the one who speaks.
    Person,
}

/// Words that open a sentence and say nothing.
const OPENERS: &str = "\
    btw ok okay oh also fyi so hm hmm and well anyway right ah but great good nice cool \
    perfect thanks thx ty merci yes yeah yep sure true exactly oops sorry";

/// Words with which a question or a request to the one who listens begins.
const ASKING: &str = "\
    what why how who whom whose which where is are was were do does did can could would \
    should shall will has have may suppose imagine";

/// Words that leave open whether it is so, or say that it is not meant, or not for long.
const OPEN: &str = "\
    maybe might perhaps possibly probably suppose supposedly imagine pretend guess think \
    thinking believe unsure wonder wondering could would should hopefully if seems seem \
    looks apparently lol haha jk kidding today tomorrow tonight yesterday later yet soon \
    let's lets temporarily asked asks said says todo";

/// Words of trouble: what is so only until it is mended.
const TROUBLE: &str = "\
    broken fails failing failed fail slow crash crashes crashed error errors wrong weird \
    flaky again still bug buggy stuck 500s red nothing missing ugh magic usual too";

/// Verbs with which an errand begins.
const ERRANDS: &str = "\
    tell ask show explain check mention try add make change fix run put set move remove \
    delete rename look give leave let go just then please take find open get start stop push \
    commit merge revert update create wait see";

/// Words of the moment: what is said of oneself with them is over soon.
const MOMENT: &str = "\
    now sec second moment minute currently already train bus phone meeting file lunch back";

/// Words by which a sentence speaks of all cases.
const GENERAL: &str = "\
    every everything everyone everybody always never everywhere nobody purpose design \
    nightly weekly daily all only here";

/// Words that point at what only the moment shows.
const DEICTIC: &str = "\
    that this these those there it one them thing stuff";

/// Verbs by which the speaker tells something lasting of themself, behind "i".
const SELF_VERBS: &str = "\
    live prefer speak always never usually maintain own work use don't";

/// What behind "my" is lasting.
const MINE: &str = "\
    name editor timezone shell pronouns team role job os keyboard browser github";

/// Verbs that tell of a project how it is, in sentences about "we" or "our".
const OUR_VERBS: &str = "\
    use run deploy ship support store publish call keep write host build test tag release \
    follow pin switched moved migrated decided chose agreed renamed replaced dropped adopted \
    standardised standardized go have own need never always no don't require log cache \
    settled rely turned disabled enabled stopped put set track";

/// Verbs that tell of a thing how it is.
const LASTING: &str = "\
    lives live listens listen runs run uses use needs need requires require owns own must \
    holds stores expects supports starts begins contains forbids forbid allows belongs \
    maintains handles sends writes reads has have comes depends replaced replaces moved left \
    took joined points deploys publishes exposes accepts returns costs calls stands";

/// Participles behind "is" and "are" that tell of a lasting state.
const STATES: &str = "\
    stored written pinned called named capped limited hosted deployed tagged generated \
    overwritten owned maintained kept located configured built published released signed \
    encrypted based deprecated required forbidden";

/// Subjects that say nothing without the sentence before, and no subjects at all.
const POINTING: &str = "\
    it it's its that that's this these those they they're he she he's she's there there's \
    same both one such yes thanks";

/// Openings with which an assistant marks what it found out.
const FINDINGS: [&str; 10] = [
    "the root cause was ",
    "the root cause is ",
    "the cause was ",
    "the culprit was ",
    "the fix was ",
    "turns out ",
    "it turns out ",
    "it turned out ",
    "the problem was that ",
    "note that ",
];

/// Whether a word is in a list of them.
fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// The words of a sentence, lower case, without what stands around them.
fn words(sentence: &str) -> Vec<String> {
    let bare = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.to_lowercase().replace('\u{2019}', "'")
    };
    sentence.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

/// The part of a person's sentence behind words that say nothing, and what it is; `None` where
/// it shows no sign of holding beyond its moment.
pub(crate) fn of_person(sentence: &str) -> Option<(&str, Cue)> {
    let sentence = sentence.trim_end_matches(['.', '!']).trim_end();
    let told = without_openers(sentence);
    let words = words(told);
    let first = words.first()?.as_str();
    let is_corrected = ["no", "actually", "correction", "nope"].contains(&first);
    let said: Vec<&str> =
        words.iter().map(String::as_str).skip(usize::from(is_corrected)).collect();
    let opens = *said.first()?;
    let is_short = said.len() < 3 || words.len() > 45 || told.len() > 400;
    if is_short || told.ends_with('?') || is_quoting(told) || is_in(ASKING, opens) {
        return None;
    }
    let has = |list: &[&str]| said.iter().any(|word| list.contains(word));
    if !is_english(&said, told) {
        return None;
    }
    let is_order = is_standing_order(&said);
    let any_of = |list: &str| said.iter().any(|word| is_in(list, word));
    let is_doubted = has(&["maybe", "might", "lol", "think"]);
    if any_of(OPEN) && (is_doubted || !is_order) {
        return None;
    }
    if let Some(cue) = of_self(&said) {
        return Some((told, cue));
    }
    if is_order {
        return Some((told, Cue::Fact));
    }
    if any_of(TROUBLE) || is_in(POINTING, opens) || is_in(ERRANDS, opens) {
        return None;
    }
    if said.last().is_some_and(|last| is_in(DEICTIC, last)) {
        return None;
    }
    let is_fact = is_ours(&said) || is_of_a_thing(&said, told) || is_general(&said);
    is_fact.then_some((told, Cue::Fact))
}

/// The finding that an assistant's sentence marks as one.
pub(crate) fn of_assistant(sentence: &str) -> Option<&str> {
    let told = sentence.trim_end_matches(['.', '!']).trim_end();
    let lower = told.to_lowercase();
    let is_marked = FINDINGS.iter().any(|opening| lower.starts_with(opening));
    let words = words(told);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let is_whole = (6..=45).contains(&words.len()) && !told.ends_with('?');
    (is_marked && is_whole && !has(&["maybe", "might", "probably", "i'll", "i"])).then_some(told)
}

/// Whether the words are English, as far as one can tell; an empty text is.
pub(crate) fn is_english(words: &[&str], text: &str) -> bool {
    const COMMON: &str = "\
        the a an we i i'm i've is are to of in on not our my use with for and from never \
        always no don't as has have must at by every be you me it now was instead all that \
        this owns they so per please do call";
    const OTHERS: &str = "\
        der die das und ist nicht wir ich ein eine immer bitte mit el la los las es en que \
        nosotros siempre por le les des est nous je toujours une il lo di che sempre het wij \
        niet";
    let foreign = words.iter().filter(|word| is_in(OTHERS, word)).count();
    let own = words.iter().filter(|word| is_in(COMMON, word)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let ascii = text.chars().filter(char::is_ascii_alphabetic).count();
    ascii * 10 >= letters * 9 && foreign <= own && (own > 0 || words.len() <= 5)
}

/// `sentence` without the words at its beginning that say nothing.
fn without_openers(sentence: &str) -> &str {
    let mut rest = sentence;
    loop {
        let Some((first, behind)) = rest.split_once(' ') else { return rest };
        let bare = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        if !bare.is_empty() && !is_in(OPENERS, bare.as_str()) {
            return rest;
        }
        rest = behind.trim_start();
    }
}

/// Whether it quotes somebody at length.
fn is_quoting(told: &str) -> bool {
    let mut parts = told.split(['"', '\u{201c}', '\u{201d}']);
    parts.nth(1).is_some_and(|quoted| quoted.split_whitespace().nth(2).is_some())
}

/// What the speaker says of themself, if they do.
fn of_self(said: &[&str]) -> Option<Cue> {
    let [first, second, ..] = said else { return None };
    let rest = said.get(1..).unwrap_or_default();
    let is_momentary = |word: &&str| is_in(MOMENT, word) || is_in(TROUBLE, word);
    let is_pointing = said.last().is_some_and(|last| is_in(DEICTIC, last)) || points_at(said);
    if said.iter().any(is_momentary) || is_pointing {
        return None;
    }
    let is_lasting = match *first {
        "i" => {
            let behind = rest.get(1).copied().unwrap_or_default();
            is_in(SELF_VERBS, second)
                && match *second {
                    "don't" => is_taste(behind),
                    "work" => ["at", "for", "on", "from", "as", "in", "with"].contains(&behind),
                    "use" => rest.windows(2).any(|pair| pair == ["as", "my"]),
                    _ => true,
                }
        }
        "i've" => *second == "been" && said.contains(&"for"),
        "i'm" | "im" => is_trait(rest),
        "my" => is_in(MINE, second) && rest.get(1).is_some_and(|verb| ["is", "are"].contains(verb)),
        "i'd" => *second == "rather",
        "call" => *second == "me",
        _ => false,
    };
    // "... I hate long explanations", behind an instruction of one's own.
    let is_taste_behind = *first == "please"
        && said.windows(3).skip(1).any(|three| three.first() == Some(&"i") && is_taste_of(three));
    (is_lasting || is_taste_behind).then_some(Cue::Person)
}

fn is_taste(word: &str) -> bool {
    ["like", "want", "know", "use", "speak", "eat", "need", "work"].contains(&word)
}

fn is_taste_of(three: &[&str]) -> bool {
    three.get(1).is_some_and(|verb| ["hate", "prefer", "love", "dislike"].contains(verb))
}

/// Whether what follows "I'm" is a trait and no mood: an article, a place or a field.
fn is_trait(rest: &[&str]) -> bool {
    let has = |word: &str| rest.contains(&word);
    match rest.first() {
        Some(&("a" | "an" | "based" | "allergic" | "from")) => true,
        Some(&("on" | "in" | "the")) => has("team") || has("only"),
        Some(&"not") => rest.get(1).is_some_and(|word| ["a", "an", "familiar"].contains(word)),
        _ => false,
    }
}

/// Whether it says what is to be done from now on, not once.
fn is_standing_order(said: &[&str]) -> bool {
    const ONCE: &str = "\
        yet now worry bother mind forget tests this today care wait it understand see";
    let said = said.strip_prefix(&["please"]).unwrap_or(said);
    let starts = |with: &[&str]| said.starts_with(with);
    let rest = said.len();
    if starts(&["from", "now", "on"]) || starts(&["remember", "that"]) || starts(&["as", "of"]) {
        return rest >= 5;
    }
    if starts(&["keep", "in", "mind"]) || starts(&["for", "this", "repo"]) {
        return rest >= 6;
    }
    if starts(&["when", "you"]) || starts(&["whenever"]) || starts(&["every"]) {
        return rest >= 6 && (!starts(&["every"]) || said.contains(&"must"));
    }
    if starts(&["always"]) || starts(&["never"]) {
        return rest >= 4 && !said.get(1).is_some_and(|word| ["mind", "ever", "a"].contains(word))
            || starts(&["never", "ever"]);
    }
    if starts(&["don't"]) || starts(&["do", "not"]) {
        let is_once = said.iter().take(4).any(|word| is_in(ONCE, word));
        return rest >= 7 && !is_once;
    }
    if starts(&["use"]) || starts(&["you", "can", "skip"]) {
        return rest >= 5
            && said.iter().any(|word| ["everywhere", "always", "every"].contains(word));
    }
    false
}

/// Whether it points at something that it doesn't name.
fn points_at(said: &[&str]) -> bool {
    said.windows(2).any(|pair| match pair {
        [verb, "it" | "that" | "this" | "these" | "those" | "them"] => {
            ["take", "use", "prefer", "like", "want", "see", "do", "mean"].contains(verb)
        }
        ["the", "one"] | ["one", "of"] => true,
        _ => false,
    })
}

/// Whether it speaks of all cases, in a sentence that has a verb.
fn is_general(said: &[&str]) -> bool {
    let is_to_listener = said.iter().any(|word| ["you", "your", "i", "i'm"].contains(word));
    said.len() >= 5
        && !is_to_listener
        && !points_at(said)
        && said.iter().take(2).any(|word| is_in(GENERAL, word))
        && said.iter().skip(1).any(|word| {
            is_in(LASTING, word) || is_in(STATES, word) || ["is", "are", "go"].contains(word)
        })
}

/// Whether it says of "us" how things are done.
fn is_ours(said: &[&str]) -> bool {
    let place = said.iter().take(6).position(|word| matches!(*word, "we" | "we're"));
    let Some(at) = place else {
        let is_our = said.first() == Some(&"our");
        return is_our && has_verb(said) || said.first() == Some(&"instead");
    };
    let behind: Vec<&str> = said.iter().skip(at + 1).take(3).copied().collect();
    let verb = behind.iter().find(|word| !["all", "now", "just", "usually"].contains(word));
    verb.is_some_and(|verb| is_in(OUR_VERBS, verb))
        && !points_at(said)
        && !behind.iter().any(|word| ["to", "want"].contains(word))
}

/// Whether it says of a thing or a person how it is, in a way that lasts.
fn is_of_a_thing(said: &[&str], told: &str) -> bool {
    let is_speaker = said.iter().take(2).any(|word| ["i", "i'm", "i'll", "i'd"].contains(word));
    let is_to_listener = said.iter().any(|word| ["you", "your"].contains(word));
    if is_speaker || is_to_listener || said.len() < 4 {
        return false;
    }
    let verb = said.iter().take(9).position(|word| is_in(LASTING, word));
    let is_told = verb.is_some_and(|at| at >= 1);
    let is_state = said.windows(2).take(10).any(
        |pair| matches!(pair, [be, state] if ["is", "are"].contains(be) && is_in(STATES, state)),
    );
    let is_set = said.iter().take(7).any(|word| ["is", "are"].contains(word)) && is_anchored(told);
    is_told && (is_anchored(told) || verb.is_some_and(|at| is_strong(said, at)))
        || is_state
        || is_set
}

fn has_verb(said: &[&str]) -> bool {
    said.iter().any(|word| is_in(LASTING, word) || ["is", "are"].contains(word))
}

/// Verbs that are enough without a number or a name.
fn is_strong(said: &[&str], at: usize) -> bool {
    const STRONG: &str = "\
        owns must forbids needs need requires took left lives depends comes require \
        maintains";
    said.get(at).is_some_and(|verb| is_in(STRONG, verb))
}

/// Whether it names something that can be looked up: a number, a path, an identifier, or a name
/// inside of the sentence.
fn is_anchored(told: &str) -> bool {
    let named = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
            || word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase())
    };
    let coded = |word: &str| {
        word.contains('/')
            || word.contains('_')
            || word.contains("::")
            || word.chars().any(|c| c.is_ascii_digit())
            || word.get(1..).is_some_and(|rest| rest.trim_end_matches(['.', ',']).contains('.'))
    };
    let mut words = told.split_whitespace();
    let first = words.next().unwrap_or_default();
    coded(first) || words.any(|word| coded(word) || named(word))
}

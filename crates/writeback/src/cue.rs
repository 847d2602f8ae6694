//! By what words a sentence shows that it holds beyond its moment.
//!
//! What a person states is kept unless it shows that it is over with its moment: a question, an
//! errand, a doubt, trouble, what only this task asks for, what was. The lists are closed and lower
//! case; all but [`GENERAL`] are English.

/// The kind of a sentence, as far as its words show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cue {
    /// It says how things are, or are done, in this project.
    Fact,
    /// It says something of the one who speaks.
    Person,
}

/// Words that open a sentence and say nothing.
const OPENERS: &str = "\
    btw ok okay oh also fyi so hm hmm and well anyway right ah great good nice cool lovely \
    perfect thanks thx ty merci yes yeah yep yup sure true exactly actually oops sorry wait no \
    nope nooo super hey hi please pls plz genial vale perfecto super alors ja nein also now but";

/// Words with which a clause behind a "no" begins that turns something down.
const CLAUSE_OPENERS: &str = "\
    we i it they he she you the this that these those there our my your its we're i'm it's that's \
    don't dont do always never just actually use";

/// Phrases that do.
const OPENING_PHRASES: [&str; 13] = [
    "scratch that",
    "by the way",
    "for the record",
    "to be clear",
    "just so you know",
    "as i said",
    "note that",
    "one more thing",
    "last thing",
    "heads up",
    "note to self",
    "keep in mind",
    "good point",
];

/// Words with which a question or a request to the one who listens begins.
const ASKING: &str = "\
    what why how who whom whose which where when is are was were do does did can could would \
    shall should will has have may any whats hows whos wheres isnt arent doesnt suppose imagine";

/// Words that leave open whether it is so, or say that it is not meant, or not for long.
const OPEN: &str = "\
    maybe might perhaps possibly probably suppose supposedly imagine pretend guess think \
    thinking believe unsure wonder wondering hopefully seems seem looks sounds feels apparently \
    lol haha ha jk kidding today tonight tomorrow yesterday later yet soon let's lets \
    temporarily asked asks said says todo estimate whatever omg ffs next";

/// Those that no order takes back.
const DOUBTS: &str = "maybe might lol haha ha think guess pretend imagine";

/// Words of trouble: what is so only until it is mended.
const TROUBLE: &str = "\
    broken fails failing failed fail slow crash crashes crashed error errors wrong weird \
    flaky again bug buggy stuck red green nothing missing ugh magic usual too wow funny";

/// Verbs with which an errand begins.
const ERRANDS: &str = "\
    tell ask show explain check mention try add make change fix run put set move remove \
    delete rename look give leave let lets go just then take find open get start stop push \
    commit merge revert update create wait see do draft write bump propose reply rewrite review \
    squash proceed ship continue test use need want keep estimate paste read port copy please";

/// Words of a rule: what is said of trouble with them is none.
const STRICT: &str = "must never every cannot";

/// Words of the moment: what is said of oneself with them is over soon.
const MOMENT: &str = "\
    now sec second moment minute currently already train bus phone meeting file lunch back";

/// Names of what lasts no longer than a task, behind "this", "that" or "for the".
const TASKS: &str = "\
    pr commit file branch one time test month level week ticket task run once session build";

/// Words by which a sentence speaks of all cases, or rules one out; of other languages too.
const GENERAL: &str = "\
    every everything everywhere everyone everybody always never all only any anymore ever must \
    both nobody nowhere none not don't dont doesn't immer nie niemals kein keine jeder jede jedes \
    generell siempre nunca ningun ninguna cada toujours jamais pas chaque aucun aucune sempre mai \
    ogni altijd nooit";

/// Words that point at what only the moment shows.
const DEICTIC: &str = "\
    that this these those there it one them thing stuff here";

/// Verbs by which the speaker tells something lasting of themself, behind "i".
const SELF_VERBS: &str = "\
    live prefer speak always never usually maintain own work use don't dont hate like moved \
    switched decided do";

/// Words behind "my" that name something lasting.
const MINE: &str = "\
    name editor timezone shell pronouns team role job os keyboard browser github";

/// Words without which nothing is said of a thing: finite verbs, most of them small.
const FINITE: &str = "\
    is are isn't aren't isnt arent has have hasn't haven't must mustn't should shouldn't needs \
    can't cannot may will won't wont doesn't doesnt never always only stays stay goes go gets get \
    wants want can it's they're there's lives live listens listen runs run uses require requires \
    own owns holds stores expects supports starts begins contains forbids forbid allows belongs \
    maintains handles sends writes reads comes depends replaced replaces moved left took joined \
    points deploys publishes exposes accepts returns costs calls stands";

/// Verbs of what was.
const PAST: &str = "was were had did came found tried saw lost broke asked thought got";

/// Words that give the reason of what was.
const CAUSES: &str = "cause causes because since reason culprit";

/// Subjects that say nothing without the sentence before, and no subjects at all.
const POINTING: &str = "\
    it it's its that that's thats this these those they they're theyre he she he's she's there \
    there's theres same both one such otherwise";

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

/// Whether a sentence speaks of all cases, or rules one out: a rule stands before news.
#[must_use]
pub fn is_rule(sentence: &str) -> bool {
    words(sentence).iter().any(|word| is_in(GENERAL, word))
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
/// it shows a sign of being over with its moment. An item of a list of rules is no errand.
pub(crate) fn of_person(sentence: &str, is_item: bool) -> Option<(&str, Cue)> {
    let sentence = sentence.trim_end_matches(['.', '!', ';']).trim_end();
    let told = without_openers(sentence);
    let words = words(told);
    let said: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_long = said.len() > 45 || told.len() > 400;
    if said.len() < 3 || is_long || told.contains('?') || told.ends_with(':') || is_quoting(told) {
        return None;
    }
    let any_of = |list: &str| said.iter().any(|word| is_in(list, word));
    let is_order = is_standing_order(&said);
    let is_general = is_order || any_of(GENERAL);
    let is_errand = is_in(ERRANDS, said.first()?);
    let cue = match (is_item, is_english(&said, told)) {
        (true, _) => (is_general || !is_errand).then_some(Cue::Fact),
        (false, false) => (is_general && said.len() > 3).then_some(Cue::Fact),
        // What an order adds for the moment ("so this goes out tomorrow") takes nothing back.
        (false, true) => of_english(&said, is_order).or_else(|| {
            let main = main_clause(&said, told)?;
            of_english(main, is_standing_order(main))
        }),
    };
    cue.map(|cue| (told, cue))
}

/// The kind of an English sentence, by its words.
fn of_english(said: &[&str], is_order: bool) -> Option<Cue> {
    let opens = said.first()?;
    let any_of = |list: &str| said.iter().any(|word| is_in(list, word));
    let is_asking = is_in(ASKING, opens) && !is_order;
    if is_asking || is_of_a_task(said) || any_of(DOUBTS) || (any_of(OPEN) && !is_order) {
        return None;
    }
    if let Some(cue) = of_self(said) {
        return Some(cue);
    }
    if is_order {
        return Some(Cue::Fact);
    }
    let is_vague = said.last().is_some_and(|last| is_in(DEICTIC, last)) || points_at(said);
    let was = said.iter().take(5).any(|word| is_in(PAST, word));
    let is_of_now = (any_of(TROUBLE) && !any_of(STRICT)) || is_in(POINTING, opens) || is_vague;
    let is_reasoned = *opens == "i" && !was && (any_of(GENERAL) || any_of(CAUSES));
    let is_to_one = any_of("you u your me i i'm im i'll i'd") && !is_reasoned || *opens == "my";
    let is_ours = said.iter().take(6).any(|word| matches!(*word, "we" | "we're" | "our"));
    let is_short = said.len() < 4 && *opens != "we";
    if is_of_now || is_in(ERRANDS, opens) || is_to_one || is_short {
        return None;
    }
    let is_told = is_ours || any_of(GENERAL) || any_of(FINITE);
    (is_told && (!was || is_ours || any_of(CAUSES))).then_some(Cue::Fact)
}

/// The words before the first comma, where they are a clause: what stands behind them is drawn from
/// them, or asked.
fn main_clause<'w, 's>(said: &'w [&'s str], told: &str) -> Option<&'w [&'s str]> {
    let (clause, _) = told.split_once(", ")?;
    said.get(..words(clause).len()).filter(|clause| clause.len() > 3)
}

/// Whether it holds for one task alone: "this commit", "for now", "for the table only".
fn is_of_a_task(said: &[&str]) -> bool {
    said.windows(2).any(|pair| match pair {
        ["this" | "that", name] => is_in(TASKS, name),
        ["for", "now" | "this"] | ["just" | "only", "this"] => true,
        _ => false,
    }) || (said.first() == Some(&"for") && said.iter().take(8).any(|word| *word == "only"))
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

/// Returns `sentence` without the words at its beginning that say nothing, as it is learned.
pub(crate) fn without_openers(sentence: &str) -> &str {
    let mut rest = sentence;
    loop {
        rest = rest.trim_start_matches([' ', ',', ':', ';', '-']);
        let phrase = OPENING_PHRASES.iter().find_map(|phrase| {
            let (begin, behind) = rest.split_at_checked(phrase.len())?;
            let is_whole = !behind.starts_with(char::is_alphanumeric);
            (is_whole && begin.eq_ignore_ascii_case(phrase)).then_some(behind)
        });
        if let Some(behind) = phrase {
            rest = behind;
            continue;
        }
        // "That's not ok, ...", "don't, ..."
        let remark = rest.split_once(", ").filter(|(remark, behind)| {
            let mut words = remark.split(' ').map(str::to_lowercase);
            let points =
                words.next().is_some_and(|first| is_in(POINTING, &first) || first == "don't");
            points && words.count() < 3 && behind.split(' ').nth(2).is_some()
        });
        if let Some((_, behind)) = remark {
            rest = behind;
            continue;
        }
        let Some((first, behind)) = rest.split_once(' ') else { return rest };
        let bare = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        // "No floats" rules something out; "no, floats" and "no we use floats" turn something down.
        let is_bare = first.eq_ignore_ascii_case("no");
        let next = behind.split(' ').next().unwrap_or_default().to_lowercase();
        let rules_out = is_bare && !is_in(CLAUSE_OPENERS, &next);
        if rules_out || !is_in(OPENERS, bare.as_str()) {
            return rest;
        }
        rest = behind;
    }
}

/// Whether it quotes somebody at length.
fn is_quoting(told: &str) -> bool {
    let mut parts = told.split(['"', '\u{201c}', '\u{201d}']);
    parts.nth(1).is_some_and(|quoted| quoted.split_whitespace().nth(2).is_some())
}

/// The kind of a sentence in which the speaker tells of themself, if they do.
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
                    "don't" | "dont" => is_taste(behind),
                    "do" => behind == "the",
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
    if !(is_lasting || is_taste_behind) {
        return None;
    }
    // "I run the shop tests with ...": what a habit or a task is about is the project's.
    let is_of_one = matches!(*first, "my" | "call") || ["live", "speak", "am"].contains(second);
    Some(if is_of_one || !is_definite(said) { Cue::Person } else { Cue::Fact })
}

/// Whether it speaks of one thing that is known here: "this repo", "the payment module", "our API".
fn is_definite(said: &[&str]) -> bool {
    said.iter().any(|word| ["this", "the", "our", "these"].contains(word))
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
    let starts = |with: &[&str]| said.starts_with(with);
    let has = |with: &[&str]| said.windows(with.len()).any(|words| words == with);
    let len = said.len();
    let lifts = |pair: &[&str]| {
        matches!(pair, ["allowed" | "permitted" | "fine" | "ok" | "okay" | "welcome", "again"])
    };
    if said.windows(2).any(lifts) {
        return len >= 4;
    }
    if has(&["from", "now", "on"]) || starts(&["remember"]) || starts(&["as", "of"]) {
        return len >= 5;
    }
    if starts(&["when", "you"]) || starts(&["whenever"]) || starts(&["for", "this", "repo"]) {
        return len >= 6;
    }
    if starts(&["always"]) || starts(&["never"]) {
        return len >= 4 && !said.get(1).is_some_and(|word| ["mind", "a"].contains(word))
            || starts(&["never", "ever"]);
    }
    if starts(&["don't"]) || starts(&["dont"]) || starts(&["do", "not"]) {
        let is_once = said.iter().take(4).any(|word| is_in(ONCE, word));
        let is_vague = said.last().is_some_and(|last| is_in(DEICTIC, last));
        return len >= 4 && !is_once && !is_vague;
    }
    if starts(&["let's", "go", "with"]) || starts(&["let's", "use"]) || starts(&["lets", "use"]) {
        return len >= 4;
    }
    if starts(&["you"]) {
        return said.get(1).is_some_and(|word| ["never", "always", "must"].contains(word));
    }
    let is_for_all = ["everywhere", "always", "every", "never", "all"];
    is_in(ERRANDS, said.first().unwrap_or(&""))
        && len >= 5
        && said.iter().any(|word| is_for_all.contains(word))
        || starts(&["you", "can", "skip"])
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

use std::ops::Range;

/// Returns the parts of a prompt that are its writer's own words, in bytes, in order: no code between
/// fences, no quoted line, and nothing behind a cue of quotation.
///
/// Such a cue is a line that ends with a colon, or a colon in a line, behind what asks for something
/// to be done with a text ("Translate this:", "Draft a reply to this mail:"), or behind what says
/// whose words follow ("Ana wrote:"). Two lines and more of the form "NAME: words" are a chat. Cost: linear.
///
/// ```
/// use memlith_text::own_words;
///
/// let own = |text| own_words(text).into_iter().map(|at| &text[at]).collect::<String>();
/// assert_eq!(own("Never push to main.\n> I live in Oslo.\n"), "Never push to main.\n");
/// assert_eq!(own("Translate this to Spanish: My name is Eve."), "Translate this to Spanish:");
/// assert_eq!(own("Remember this: my name is Ana."), "Remember this: my name is Ana.");
/// ```
#[must_use]
pub fn own_words(prompt: &str) -> Vec<Range<usize>> {
    let mut own = Vec::new();
    let mut is_code = false;
    let is_chat = prompt.lines().filter(|line| is_of_a_chat(line)).count() > 1;
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        let place = at..at + line.len();
        at = place.end;
        let said = line.trim_start();
        if said.starts_with("```") || said.starts_with("~~~") {
            is_code = !is_code;
        } else if let Some(colon) = cue_in(line).filter(|_| !is_code) {
            own.push(place.start..place.start + colon + 1);
            break;
        } else {
            let is_quoted = is_code || said.starts_with('>') || (is_chat && is_of_a_chat(line));
            own.extend((!is_quoted).then_some(place));
        }
    }
    own
}

/// Where in a line the colon stands behind which a text of somebody else begins.
fn cue_in(line: &str) -> Option<usize> {
    line.match_indices(':').map(|(at, _)| at).find(|at| {
        let (before, behind) = line.split_at_checked(*at).unwrap_or_default();
        let is_end = behind.chars().nth(1).is_none_or(char::is_whitespace);
        let sentence = before.rsplit(['.', '!', '?', ';']).next().unwrap_or_default();
        is_end && is_cue(sentence)
    })
}

/// Whether a sentence before a colon says that the words behind it are a text to work on.
fn is_cue(sentence: &str) -> bool {
    let words: Vec<String> = sentence
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let begins = |list: &[&str]| {
        let polite =
            ["please", "can", "could", "would", "you", "now", "then", "and", "just", "also"];
        let first = words.iter().find(|word| !polite.contains(&word.as_str()));
        first.is_some_and(|first| list.contains(&first.as_str()))
    };
    let says = words.last().is_some_and(|last| SAYS.contains(&last.as_str()));
    (begins(&WORKS) && (has(&POINTS) || has(&TEXTS)))
        || (begins(&["here", "here's", "this", "below"]) && has(&TEXTS))
        || says
}

/// Verbs that ask for something to be done with a text.
const WORKS: [&str; 30] = [
    "translate",
    "reply",
    "answer",
    "respond",
    "fix",
    "correct",
    "proofread",
    "rewrite",
    "rephrase",
    "reword",
    "summarise",
    "summarize",
    "shorten",
    "improve",
    "polish",
    "edit",
    "draft",
    "write",
    "explain",
    "debug",
    "review",
    "check",
    "read",
    "analyse",
    "analyze",
    "format",
    "convert",
    "paraphrase",
    "comment",
    "parse",
];

/// Words that point at what follows.
const POINTS: [&str; 6] = ["this", "these", "following", "below", "that", "the"];

/// Names of texts that are pasted.
const TEXTS: [&str; 25] = [
    "mail",
    "email",
    "e-mail",
    "message",
    "text",
    "letter",
    "paragraph",
    "sentence",
    "post",
    "tweet",
    "chat",
    "conversation",
    "thread",
    "transcript",
    "log",
    "logs",
    "output",
    "error",
    "stacktrace",
    "ticket",
    "issue",
    "comment",
    "review",
    "quote",
    "snippet",
];

/// Verbs behind which somebody's words follow.
const SAYS: [&str; 6] = ["wrote", "writes", "said", "says", "asked", "replied"];

/// Whether a line is one of a chat: a name and a colon, and words behind them.
fn is_of_a_chat(line: &str) -> bool {
    let Some((name, said)) = line.trim().split_once(": ") else { return false };
    let name = name.trim_start_matches(['[', '<']);
    name.split_whitespace().count() <= 3
        && name.starts_with(char::is_uppercase)
        && said.split_whitespace().nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> String {
        own_words(text).into_iter().filter_map(|at| text.get(at)).collect()
    }

    #[test]
    fn what_is_pasted_is_not_the_writers_own() {
        for (text, expected) in [
            (
                "Draft a reply to this mail:\n\nHi, my name is Carl.\n",
                "Draft a reply to this mail:",
            ),
            (
                "Fix this reply of our chat bot:\n\nno, we use bun",
                "Fix this reply of our chat bot:",
            ),
            ("Use tabs. Here is the log:\nI am root", "Use tabs. Here is the log:"),
            ("On 3 May Bo wrote:\n> I quit\n", "On 3 May Bo wrote:"),
            ("We use npm.\n```\nwe use bun\n```\nAlways.", "We use npm.\nAlways."),
            ("Sum up:\nAna: I live in Rome\nBo: so do I\n", "Sum up:\n"),
            ("The port: 8080. I work at Acme.", "The port: 8080. I work at Acme."),
            ("From now on: never push to main.", "From now on: never push to main."),
            (
                "Rules:\n- never push to main\n- use tabs",
                "Rules:\n- never push to main\n- use tabs",
            ),
            ("Meet at 10:30: bring cake", "Meet at 10:30: bring cake"),
            ("", ""),
        ] {
            assert_eq!(own(text), expected, "{text:?}");
        }
    }
}

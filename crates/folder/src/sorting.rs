//! Where the words of a memory stand, without a model.

use memlith::Origin;

use crate::inputs::Part;

/// Words that ask for something to be done in future.
const WANTS: [&str; 17] = [
    "prefer",
    "prefers",
    "always",
    "never",
    "please",
    "instead",
    "don't",
    "avoid",
    "stop",
    "want",
    "wants",
    "should",
    "must",
    "like",
    "likes",
    "make sure",
    "do not",
];

/// Words of what failed.
const FAILED: [&str; 12] = [
    "fails",
    "failed",
    "failing",
    "error",
    "errors",
    "broke",
    "broken",
    "crashes",
    "crashed",
    "doesn't work",
    "does not work",
    "didn't work",
];

/// Words with which a person speaks of themself.
const SELF: [&str; 6] = ["i", "i'm", "my", "i've", "me", "we"];

/// Families of tasks, by the verbs that ask for them.
const FAMILIES: [(&str, &[&str]); 7] = [
    ("fixes", &["fix", "mend", "repair", "debug", "solve", "investigate"]),
    ("tests", &["test", "tests", "benchmark", "measure"]),
    ("reviews", &["review", "check", "audit", "verify"]),
    ("refactoring", &["refactor", "rename", "clean", "simplify", "move", "remove", "split"]),
    ("releases", &["deploy", "release", "publish", "ship", "upgrade", "update", "bump"]),
    ("building", &["add", "build", "implement", "create", "write", "make", "set", "support"]),
    (
        "questions",
        &[
            "explain", "what", "why", "how", "where", "which", "who", "is", "does", "can", "read",
            "find",
        ],
    ),
];

/// The part of the folder in which a memory stands; `is_personal` says that it is shared by all
/// projects.
pub(crate) fn part_of(text: &str, origin: Origin, is_personal: bool) -> Part {
    let words = words(text);
    let padded = format!(" {} ", words.join(" "));
    let has = |list: &[&str]| list.iter().any(|cue| padded.contains(&format!(" {cue} ")));
    if has(&FAILED) {
        return Part::Failure;
    }
    if origin == Origin::User && has(&WANTS) {
        return Part::Preference;
    }
    let is_of_self = words.first().is_some_and(|word| SELF.contains(&word.as_str()));
    if origin == Origin::User && (is_of_self || is_personal && has(&SELF)) {
        return Part::Profile;
    }
    Part::Knowledge
}

/// The family of tasks that a request belongs to.
pub(crate) fn family_of(title: &str) -> String {
    let words = words(title);
    let of = |word: &String| {
        FAMILIES.iter().find(|(_, verbs)| verbs.contains(&word.as_str())).map(|(name, _)| *name)
    };
    words.iter().take(12).find_map(of).unwrap_or("work").to_owned()
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|char: char| !(char.is_alphanumeric() || char == '\''));
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_stands_where_its_words_say() {
        for (text, origin, part) in [
            ("Always run the tests first", Origin::User, Part::Preference),
            ("I prefer tabs", Origin::User, Part::Preference),
            ("I am a nurse", Origin::User, Part::Profile),
            ("My name is Ana", Origin::User, Part::Profile),
            ("The API listens on 8080", Origin::User, Part::Knowledge),
            ("When `cargo test` fails: cargo fmt", Origin::Derived, Part::Failure),
            ("You should always shout", Origin::Web, Part::Knowledge),
            ("I am a page", Origin::Web, Part::Knowledge),
        ] {
            assert_eq!(part_of(text, origin, false), part, "{text}");
        }
    }

    #[test]
    fn a_request_has_a_family() {
        for (title, family) in [
            ("please fix the parser", "fixes"),
            ("Add a flag", "building"),
            ("why is it slow?", "questions"),
            ("hello there", "work"),
        ] {
            assert_eq!(family_of(title), family);
        }
    }
}

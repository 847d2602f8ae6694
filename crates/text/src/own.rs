use std::ops::Range;

use crate::chat::chat;
use crate::letter::letters;
use crate::quotation::without_quotations;
use crate::sentences::sentences;

/// Returns the parts of a prompt that are its writer's own words, in bytes, in order.
///
/// Not their own is, by its shape: code between fences, a quoted line (`>`) or comment of code,
/// a block of three lines or more behind a blank line that is no list and has no heading of one's own,
/// what stands between two equal lines of signs (`---`), a chat (lines of "NAME: words", with times, or with a name that
/// comes again, or words below "NAME 10:32"), a letter from its greeting or its headers to its end,
/// and six words or more between quotation marks. And all that stands behind a cue of quotation: a line that ends with a colon and is no
/// heading of what follows at once; a line or a part before a colon that asks for something to be
/// done with a text ("Translate this:"), or says whose words follow ("Ana wrote:"). Cost: linear.
///
/// ```
/// use memlith_text::own_words;
///
/// let own = |text| own_words(text).into_iter().map(|at| &text[at]).collect::<String>();
/// assert_eq!(own("Never push to main.\n> I live in Oslo.\n"), "Never push to main.\n");
/// assert_eq!(own("Translate this to Spanish: My name is Eve."), "Translate this to Spanish:");
/// assert_eq!(own("Remember this: my name is Ana."), "Remember this: my name is Ana.");
/// assert_eq!(own("He said \u{201c}I live in a van by the river\u{201d}."), "He said .");
/// ```
#[must_use]
pub fn own_words(prompt: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let lines: Vec<(usize, &str)> = prompt
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            (at - line.len(), line)
        })
        .collect();
    let texts: Vec<&str> = lines.iter().map(|(_, line)| line.trim()).collect();
    let mut is_own = vec![true; texts.len()];
    let mut leave = |range: Range<usize>| {
        is_own.get_mut(range).into_iter().flatten().for_each(|own| *own = false);
    };
    blocks(&texts).into_iter().for_each(&mut leave);
    letters(&texts).into_iter().for_each(&mut leave);
    chat(&texts).into_iter().for_each(|at| leave(at..at + 1));
    set_apart(&texts).into_iter().for_each(&mut leave);
    let quoted = texts.iter().enumerate().filter(|(_, line)| is_quoted(line));
    quoted.for_each(|(at, _)| leave(at..at + 1));
    let mut own: Vec<Range<usize>> = Vec::new();
    for (index, (start, line)) in lines.iter().enumerate() {
        if is_own.get(index) == Some(&false) {
            continue;
        }
        let end = end_of_own(&texts, index, line).unwrap_or(line.len());
        let place = *start..start + end;
        match own.last_mut().filter(|last| last.end == place.start) {
            Some(last) => last.end = place.end,
            None => own.push(place),
        }
        if end < line.len() || is_cue_line(&texts, index) {
            break;
        }
    }
    own.into_iter().flat_map(|place| without_quotations(prompt, place)).collect()
}

/// Returns the sentences of a prompt that are its writer's own and say something, whole, without the
/// signs at their ends: no question, and no single word.
#[must_use]
pub fn own_sentences(prompt: &str) -> Vec<String> {
    let own = own_words(prompt).into_iter().filter_map(|at| prompt.get(at));
    let own: String = own.collect();
    let parts = sentences(&own).into_iter().filter_map(|at| own.get(at));
    let parts = parts.map(|part| part.trim_end_matches(['.', '!', ';']));
    parts.filter(|part| part.contains(' ') && !part.ends_with('?')).map(str::to_owned).collect()
}

/// Where the own words of a line end, if something of somebody else begins in it: behind the colon
/// of a cue, or with the greeting of a letter.
fn end_of_own(texts: &[&str], index: usize, line: &str) -> Option<usize> {
    let greeting =
        greeting_in(line).filter(|_| !texts.get(index).is_some_and(|text| text.is_empty()));
    let cue = cue_in(line).map(|colon| colon + 1);
    cue.into_iter().chain(greeting).min()
}

/// Whether a line hands over to a text of somebody else: it ends with a colon, or asks for something
/// to be done with a text, and a blank line and words that are no list stand behind it.
fn is_cue_line(texts: &[&str], index: usize) -> bool {
    let Some(line) = texts.get(index) else { return false };
    let asked = line.trim_end_matches(['.', '!', '?']);
    let sentence = last_sentence(asked);
    if !(is_cue(sentence) || line.ends_with(':') && !is_own_heading(line)) {
        return false;
    }
    let behind = texts.get(index + 1..).unwrap_or_default();
    let is_apart = behind.first().is_some_and(|line| line.is_empty());
    let next = behind.iter().find(|line| !line.is_empty());
    is_apart && next.is_some_and(|line| !is_item(line))
}

/// Words of a heading under which a person writes what they mean themself.
const OWN_HEADINGS: [&str; 10] = [
    "rule",
    "convention",
    "preference",
    "remember",
    "note",
    "guideline",
    "constraint",
    "require",
    "context",
    "decision",
];

/// Whether a line is a quotation or a comment of code.
fn is_quoted(line: &str) -> bool {
    line.starts_with('>') || line.starts_with("//") || line.starts_with("/*")
}

/// The blocks of lines that stand apart behind a blank line: people type a line or two a paragraph,
/// and paste texts of more. A list is none, nor what has a heading of one's own or begins the prompt.
fn set_apart(texts: &[&str]) -> Vec<Range<usize>> {
    let mut at = 0;
    let blocks = texts.chunk_by(|a, b| a.is_empty() == b.is_empty()).map(|lines| {
        at += lines.len();
        (at - lines.len()..at, lines)
    });
    let behind_the_first =
        blocks.filter(|(_, lines)| lines.iter().any(|line| !line.is_empty())).skip(1);
    let is_pasted = |lines: &[&str]| {
        let is_list = lines.iter().all(|line| is_item(line));
        lines.len() > 2 && !is_list && !lines.first().is_some_and(|line| is_own_heading(line))
    };
    behind_the_first.filter(|(_, lines)| is_pasted(lines)).map(|(range, _)| range).collect()
}

/// Whether a line is a heading under which a person writes what they mean themself.
fn is_own_heading(line: &str) -> bool {
    let heading = line.to_lowercase();
    let words = OWN_HEADINGS.iter().any(|word| heading.contains(word));
    words && (heading.ends_with(':') || heading.starts_with('#'))
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let mark = line.split_whitespace().next().unwrap_or_default();
    matches!(mark, "-" | "*" | "\u{2022}")
        || mark.strip_suffix(['.', ')']).is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// The lines between two fences or two equal lines of signs, with these.
fn blocks(texts: &[&str]) -> Vec<Range<usize>> {
    let mark = |line: &str| -> Option<String> {
        let sign = line.chars().next().filter(|sign| "`~-=*_\"'".contains(*sign))?;
        let count = line.chars().take_while(|letter| *letter == sign).count();
        let is_fence = matches!(sign, '`' | '~');
        let is_alone = line.chars().all(|letter| letter == sign);
        // A fence may name its language.
        (count >= 3 && (is_fence || is_alone)).then(|| sign.to_string())
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = texts.get(at) {
        if let Some(open) = mark(line) {
            let rest = texts.get(at + 1..).unwrap_or_default();
            let close = rest.iter().position(|line| mark(line).as_ref() == Some(&open));
            let is_fence = line.starts_with("```") || line.starts_with("~~~");
            let end = close.map(|close| at + close + 2);
            // An open fence goes on to the end; one line of signs alone parts one's own words.
            if let Some(end) = end.or(is_fence.then_some(texts.len())) {
                found.push(at..end);
                at = end;
                continue;
            }
        }
        at += 1;
    }
    found
}

/// Where in a line the greeting of a letter begins: "Dear Ana,".
fn greeting_in(line: &str) -> Option<usize> {
    const GREETINGS: [&str; 14] = [
        "Dear ",
        "Liebe ",
        "Lieber ",
        "Sehr geehrte",
        "Hallo zusammen",
        "Cher ",
        "Ch\u{e8}re ",
        "Estimad",
        "Querid",
        "Gentile ",
        "Caro ",
        "Cara ",
        "Beste ",
        "Geachte ",
    ];
    GREETINGS.iter().flat_map(|greeting| line.match_indices(greeting)).map(|(at, _)| at).find(
        |at| {
            let (before, greeting) = line.split_at_checked(*at).unwrap_or_default();
            let begins =
                before.trim().is_empty() || before.trim_end().ends_with(['.', '!', '?', ':', '"']);
            let name = greeting.split(',').next().unwrap_or_default();
            let is_named = name.len() < 60 && name.len() < greeting.len();
            begins && is_named && name.split_whitespace().count() <= 4
        },
    )
}

/// Where in a line the colon stands behind which a text of somebody else begins.
fn cue_in(line: &str) -> Option<usize> {
    line.match_indices(':').map(|(at, _)| at).find(|at| {
        let (before, behind) = line.split_at_checked(*at).unwrap_or_default();
        let is_end = behind.chars().nth(1).is_none_or(char::is_whitespace);
        is_end && is_cue(last_sentence(before))
    })
}

/// Returns the text behind the last end of a sentence; a dot within a word ends none.
fn last_sentence(line: &str) -> &str {
    let ends = line.match_indices(['.', '!', '?', ';']).map(|(at, _)| at + 1);
    let end = ends.filter_map(|at| line.get(at..)).rfind(|rest| rest.starts_with(' '));
    end.unwrap_or(line)
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
    let is_added = begins(&["add", "append", "insert", "paste", "put"]);
    (begins(&WORKS) && (has(&TEXTS) || has(&POINTS) && !is_added))
        || (begins(&["here", "here's", "this", "below"]) && has(&TEXTS))
        || says
}

/// Verbs that ask for something to be done with a text.
const WORKS: [&str; 35] = [
    "add",
    "append",
    "insert",
    "paste",
    "put",
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
const TEXTS: [&str; 31] = [
    "draft",
    "line",
    "lines",
    "header",
    "footer",
    "section",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> String {
        own_words(text).into_iter().filter_map(|at| text.get(at)).collect()
    }

    /// Each of these lines could begin something that goes on to the end.
    #[test]
    fn many_beginnings_cost_no_more_than_one() {
        for line in ["hi,\n", "ana 10:32\n", "best\n", "<a> b c\n"] {
            let many = line.repeat(100_000);
            assert!(own_words(&many).iter().all(|at| at.end <= many.len()));
        }
    }

    #[test]
    fn questions_and_single_words_are_no_sentences() {
        let prompt = "No, we use pnpm 9.1. Actually: the port is 9090!\nwhy is it red? ok.";
        assert_eq!(own_sentences(prompt), ["No, we use pnpm 9.1", "Actually: the port is 9090"]);
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
            ("Port: 8080 is free\nHost: staging is up", "Port: 8080 is free\nHost: staging is up"),
            ("See:\n[09:12] marek: never round\n[09:15] lucie: sure thing\nSo?", "See:\nSo?"),
            ("See:\nPri  9:22  we moved it\nMeh Ta (9:25) I see it", "See:\n"),
            ("A mail:\n---\nNever do it.\n---\nUse tabs.", "A mail:\nUse tabs."),
            ("Look. Dear Mo, we moved. Regards, Al", "Look. "),
            ("Hello, my name is Mo.", "Hello, my name is Mo."),
            ("Car tax is due, ask Al.", "Car tax is due, ask Al."),
            ("Web: we use Go\nApp: we use Dart", "Web: we use Go\nApp: we use Dart"),
            ("House rules:\n\nNever push.", "House rules:\n\nNever push."),
            ("Dear Mo,\nI live in Rome.\n", ""),
            ("Rules:\n\n- no floats", "Rules:\n\n- no floats"),
            ("See if it is real:\n\nI am on Arch.", "See if it is real:\n"),
            (
                "Put \"yes\" there. \u{ab}We are the team of Lo in Nantes\u{bb} ok",
                "Put \"yes\" there.  ok",
            ),
            ("He left 'I don't sort it, macro 3 breaks' there", "He left  there"),
            ("tldr pls\n\nHi team,\nI moved to Rome.\nCheers\nKim", "tldr pls\n\n"),
            ("Hi team,\nI moved to Rome.\n\nCheers,\nKim\n\nUse tabs.", "\nUse tabs."),
            ("Hi Claude,\n\nwe use tabs.\nThanks", "Hi Claude,\n\nwe use tabs.\nThanks"),
            ("Subject: tags\nFrom: Kim\nTo: Ana\n\nAlways tag.\n", ""),
            ("See\nkim  10:32 AM\nno, we use yarn\nok\n\nUse tabs.", "See\n\nUse tabs."),
            (
                "Is this any good\n\nA guide\n1. We use X.\n2. Never Y.\nOnly Z.\n\nUse tabs.",
                "Is this any good\n\n\nUse tabs.",
            ),
            (
                "Hi.\n\n- Use tabs.\n- Never push.\n- No.",
                "Hi.\n\n- Use tabs.\n- Never push.\n- No.",
            ),
            (
                "Hi.\n\nOur rules:\nUse tabs.\nNever push.",
                "Hi.\n\nOur rules:\nUse tabs.\nNever push.",
            ),
            ("Good?\n// we use UTC\n/* never local */", "Good?\n"),
            ("<Kim> never push\n<Bo> we use port 1", ""),
            ("Can you review this draft?\n\n# ADR 7\nWe use Kafka", "Can you review this draft?\n"),
            ("Add this line to the docs:\nAll commits are signed", "Add this line to the docs:"),
            (
                "Put the port in the env: 8080. Use tabs.",
                "Put the port in the env: 8080. Use tabs.",
            ),
            ("", ""),
        ] {
            assert_eq!(own(text), expected, "{text:?}");
        }
    }
}

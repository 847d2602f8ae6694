use std::ops::Range;

/// The lines of letters: from a greeting that stands alone to the line of the name below the
/// farewell, or from two headers of a mail to the end.
///
/// A greeting with which the prompt begins is to the one who reads it, unless a farewell follows.
pub(crate) fn letters(texts: &[&str]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Some(headers) = texts.windows(2).position(|pair| pair.iter().all(|line| is_header(line)))
    {
        found.push(headers..texts.len());
    }
    let first = texts.iter().position(|line| !line.is_empty());
    let mut from = 0;
    let next = |from: usize, is: fn(&str) -> bool| {
        texts.iter().skip(from).position(|line| is(line)).map(|at| from + at)
    };
    while let Some(greeting) = next(from, greets) {
        let farewell = next(greeting + 1, is_farewell);
        let signed = farewell.filter(|at| texts.get(at + 1).is_some_and(|line| is_name(line)));
        let end = match signed {
            Some(at) => at + 2,
            None if Some(greeting) != first => texts.len(),
            None => {
                from = greeting + 1;
                continue;
            }
        };
        found.push(greeting..end);
        from = end;
    }
    found
}

/// "From: Kim"
fn is_header(line: &str) -> bool {
    const HEADERS: [&str; 8] = ["from", "to", "cc", "subject", "date", "sent", "reply-to", "re"];
    let header = line.split_once(": ").map(|(name, _)| name.to_lowercase());
    header.is_some_and(|name| HEADERS.contains(&name.as_str()))
}

/// "Hi team,", alone on its line.
fn greets(line: &str) -> bool {
    const WORDS: [&str; 12] = [
        "hi",
        "hello",
        "hey",
        "dear",
        "hallo",
        "hola",
        "bonjour",
        "ciao",
        "salut",
        "moin",
        "good",
        "greetings",
    ];
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    let ends = line.ends_with([',', '!', ':']) || words.clone().count() == 0;
    WORDS.contains(&first.trim_end_matches([',', '!', ':'])) && words.count() < 4 && ends
}

/// "Best regards,", alone on its line.
fn is_farewell(line: &str) -> bool {
    const WORDS: [&str; 14] = [
        "cheers",
        "regards",
        "best",
        "thanks",
        "thank",
        "sincerely",
        "yours",
        "love",
        "kind",
        "warm",
        "gr\u{fc}\u{df}e",
        "viele",
        "saludos",
        "cordialement",
    ];
    let line = line.to_lowercase();
    let mut words = line.split_whitespace().map(|word| word.trim_end_matches([',', '!', '.']));
    words.next().is_some_and(|first| WORDS.contains(&first)) && words.count() < 3
}

/// A name, alone on its line.
fn is_name(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_word = |word: &str| word.chars().next().is_some_and(char::is_alphabetic);
    words.clone().count() < 4
        && words.next().is_some_and(is_word)
        && !line.contains(['.', '?', ':'])
}

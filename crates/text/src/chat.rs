/// The lines of a chat.
pub(crate) fn chat(texts: &[&str]) -> Vec<usize> {
    let mut found = lines_of_names(texts);
    // "NAME 10:32 AM", and the words below it.
    let mut is_said = false;
    for (at, line) in texts.iter().enumerate() {
        is_said = !line.is_empty() && (is_said || is_head(line));
        found.extend(is_said.then_some(at));
    }
    found
}

/// Whether a line has nothing but a name and a time of day.
fn is_head(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name @ .., last] = words.as_slice() else { return false };
    let is_half = ["am", "pm", "a.m.", "p.m."].contains(&last.to_lowercase().as_str());
    let (name, clock) = match (is_half, name) {
        (true, [name @ .., clock]) => (name, *clock),
        _ => (name, *last),
    };
    let is_named = |word: &&str| word.chars().next().is_some_and(char::is_alphabetic);
    is_clock(clock) && (1..4).contains(&name.len()) && name.iter().all(is_named)
}

/// The lines of the form "NAME: words", where they are a chat.
fn lines_of_names(texts: &[&str]) -> Vec<usize> {
    let lines: Vec<(usize, Chat<'_>)> =
        texts.iter().enumerate().filter_map(|(at, line)| Some((at, Chat::of(line)?))).collect();
    let mut names: Vec<&str> = lines.iter().map(|(_, line)| line.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    let speaks = lines.iter().any(|(_, line)| line.is_timed || line.is_of_one || line.is_marked);
    let is_chat = lines.len() > 1 && (names.len() < all || speaks);
    lines.into_iter().filter(|_| is_chat).map(|(at, _)| at).collect()
}

/// A line of the form "NAME: words", maybe behind a time.
struct Chat<'t> {
    name: &'t str,
    is_timed: bool,
    /// Whether its name stands between signs: "<Kim> words".
    is_marked: bool,
    /// Whether it speaks of its speaker, or asks.
    is_of_one: bool,
}

impl<'t> Chat<'t> {
    fn of(line: &'t str) -> Option<Chat<'t>> {
        let is_of_time = |letter: char| {
            letter.is_ascii_digit()
                || matches!(letter, ':' | '.' | '[' | ']' | '(' | ')' | ' ' | '-')
        };
        let rest = line.trim_start_matches(is_of_time);
        let is_behind_time = line.len() - rest.len() >= 4;
        // "NAME: words", or "NAME 09:22 words".
        let clock = rest.split_whitespace().take(4).find(|word| is_clock(word));
        let (name, said) = match clock.and_then(|clock| rest.split_once(clock)) {
            Some(parts) => parts,
            None => marked(rest).or_else(|| rest.split_once(": "))?,
        };
        let is_marked = clock.is_none() && marked(rest).is_some();
        let is_timed = is_behind_time || clock.is_some();
        let name = name.trim().trim_matches(['<', '>', '[', ']', '*', '@', '(', ',']);
        let is_name = (1..4).contains(&name.split_whitespace().count())
            && (is_timed || name.starts_with(char::is_uppercase))
            && !name.contains(['.', '!', '?', ',', '/']);
        let first = ["i", "i'm", "i've", "my", "me"];
        let mut words = said.split_whitespace();
        let is_of_one =
            said.contains('?') || words.any(|word| first.contains(&word.to_lowercase().as_str()));
        let is_said = said.split_whitespace().nth(1).is_some();
        (is_name && is_said).then_some(Chat { name, is_timed, is_marked, is_of_one })
    }
}

/// The name and the words of "<Kim> words".
fn marked(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('<')?.split_once("> ").filter(|(name, _)| !name.contains(['/', '=']))
}

/// Whether a word is a time of day: "9:22", "[09:22]".
fn is_clock(word: &str) -> bool {
    let word = word.trim_matches(['[', ']', '(', ')', ',']);
    let (hours, minutes) = word.split_once(':').unwrap_or_default();
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    (1..3).contains(&hours.len()) && minutes.len() == 2 && is_number(hours) && is_number(minutes)
}

use super::finding::Finding;
use super::tree::Tree;

/// The file that holds the words, the only one that may.
const WORDS: &str = "xtask/tidy/words.txt";

/// A word that no text file may hold, and what to do in its place.
struct Word<'a> {
    text: &'a str,
    advice: &'a str,
}

/// No text file holds a forbidden word; the subject is `PATH WORD`.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let list = tree.text(WORDS).unwrap_or("");
    let mut found = Vec::new();
    let mut words = Vec::new();
    for (line, text) in (1..).zip(list.lines()) {
        match parse(text) {
            Ok(word) => words.extend(word),
            Err(message) => found.push(Finding::new("word", WORDS, line, message)),
        }
    }
    for (path, text) in tree.texts().filter(|(path, _)| *path != WORDS) {
        for (line, text) in (1..).zip(text.lines()) {
            for word in words.iter().filter(|word| holds(text, word.text)) {
                let message = format!("`{}`: {}", word.text, word.advice);
                let finding = Finding::new("word", path, line, message);
                found.push(finding.about(format!("{path} {}", word.text)));
            }
        }
    }
    found
}

fn parse(line: &str) -> Result<Option<Word<'_>>, &'static str> {
    if line.is_empty() || line.starts_with("# ") {
        return Ok(None);
    }
    match line.split_once(" -- ") {
        Some((text, advice)) if !text.is_empty() && !advice.is_empty() => {
            Ok(Some(Word { text, advice }))
        }
        _ => Err("write `WORD -- what to do in its place`"),
    }
}

/// Whether a line holds a word that is not part of a longer one.
fn holds(line: &str, word: &str) -> bool {
    let is_letter = |char: char| char.is_alphanumeric() || char == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|text| text.chars().next());
        let joined = |side: Option<char>, edge: Option<char>| {
            side.is_some_and(is_letter) && edge.is_some_and(is_letter)
        };
        !joined(before, word.chars().next()) && !joined(after, word.chars().next_back())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "# A comment.\n\nLATER -- do it\nlater! -- write it\n/place/ -- no machines\n";

    fn found(path: &str, text: &str) -> Vec<String> {
        let tree = Tree::of(&[(WORDS, LIST), (path, text)]);
        check(&tree).into_iter().map(|finding| finding.subject).collect()
    }

    #[test]
    fn a_forbidden_word_is_found_in_any_text() {
        assert_eq!(found("a.md", "x\n(LATER)\n"), ["a.md LATER"]);
        assert_eq!(found("a.rs", "// fn f() { later!() }"), ["a.rs later!"]);
        assert_eq!(found("a.toml", "p = \"/place/x\""), ["a.toml /place/"]);
    }

    #[test]
    fn a_part_of_a_longer_word_is_none() {
        assert_eq!(found("a.md", "COLLATERAL LATERAL LATER_ later"), [""; 0]);
    }

    #[test]
    fn a_word_without_advice_is_found() {
        let tree = Tree::of(&[(WORDS, "LATER\n")]);
        assert_eq!(check(&tree).len(), 1);
    }

    #[test]
    fn each_word_of_this_project_is_found() {
        let list = std::fs::read_to_string(crate::cargo::root().join(WORDS)).unwrap();
        let words: Vec<Word<'_>> = list.lines().filter_map(|line| parse(line).unwrap()).collect();
        assert!(words.len() >= 7);
        for word in words {
            let planted = format!("x {}] y", word.text);
            let tree = Tree::of(&[(WORDS, &list), ("a.md", &planted)]);
            assert!(!check(&tree).is_empty(), "{}", word.text);
        }
    }
}

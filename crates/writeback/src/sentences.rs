//! The sentences of a turn, word for word.

/// A sentence of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sentence<'t> {
    /// Its words, as they stand in the turn.
    pub(crate) text: &'t str,
    /// Whether it is of a list of two items or more.
    pub(crate) is_item: bool,
}

/// The sentences of `text` that somebody wrote as such, in order: no code, no log, nothing
/// quoted. Each is a part of `text`, without the mark of a list.
pub(crate) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let own = memlith_text::own_words(text).into_iter();
    let lines: Vec<&str> = own.filter_map(|at| text.get(at)).flat_map(str::lines).collect();
    let is_list = lines.iter().filter(|line| item_of(line).is_some()).count() > 1;
    let mut sentences = Vec::new();
    for line in lines {
        let item = item_of(line).filter(|_| is_list);
        let said = item.unwrap_or(line);
        if item.is_some() || !is_pasted(line) {
            let found = memlith_text::sentences(said).into_iter();
            let found = found.filter_map(|at| said.get(at));
            sentences.extend(found.map(|text| Sentence { text, is_item: item.is_some() }));
        }
    }
    sentences
}

/// The words of a line behind the mark of a list: "- ", "* ", "2. ", "3) ".
fn item_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (mark, said) = line.split_once(' ')?;
    let is_number = mark.strip_suffix(['.', ')']).is_some_and(|number| {
        (1..3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
    });
    (is_number || matches!(mark, "-" | "*" | "\u{2022}")).then_some(said)
}

/// Whether a line was not typed: output of a program, a quotation, a part of a diff or a stack.
fn is_pasted(line: &str) -> bool {
    let line = line.trim_start();
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_level = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE", "FATAL", "ERROR:", "FAIL"];
    let is_mark = ["$", ">", "+", "+++", "---", "@@", "at", "|", "#"];
    let is_dated = first.len() >= 8 && first.bytes().filter(u8::is_ascii_digit).count() >= 6;
    // The name of an error, as programs print it before their message.
    let name = first.strip_suffix(':').unwrap_or_default();
    let is_error = name.ends_with("Error") || name.ends_with("Exception");
    is_level.contains(&first) || is_mark.contains(&first) || is_dated || is_error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_parts_of_the_text_and_code_is_none() {
        let text = "Ok great. We use v1.2 of lib.rs, e.g. here!\n```\nlet x = 1. \n```\n\
                    ERROR no. way\npolars.ComputeError: we never sort\n2026-01-02 12:00 we use it\n  Is it? yes";
        let expected = ["Ok great.", "We use v1.2 of lib.rs, e.g. here!", "Is it?", "yes"];
        let found: Vec<&str> = sentences(text).into_iter().map(|one| one.text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn items_are_those_of_a_list() {
        let items = |text| -> Vec<&str> {
            let found = sentences(text).into_iter().filter(|one| one.is_item);
            found.map(|one| one.text).collect()
        };
        assert_eq!(items("Rules:\n- no floats\n2) use tabs"), ["no floats", "use tabs"]);
        assert!(items("- one alone\nand 3 more").is_empty());
    }
}

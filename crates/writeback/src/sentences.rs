//! The sentences of a turn, word for word.

/// The sentences of `text` that somebody wrote as such, in order: no code, no log, nothing
/// quoted. Each is a part of `text`, without its final stop.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let own = memlith_text::own_words(text).into_iter();
    for line in own.filter_map(|at| text.get(at)).flat_map(str::lines) {
        if !is_pasted(line) {
            let found = memlith_text::sentences(line).into_iter();
            sentences.extend(found.filter_map(|at| line.get(at)));
        }
    }
    sentences
}

/// Whether a line was not typed: output of a program, a quotation, a part of a diff or a stack.
fn is_pasted(line: &str) -> bool {
    let line = line.trim_start();
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_level = ["ERROR", "WARN", "INFO", "DEBUG", "TRACE", "FATAL", "ERROR:", "FAIL"];
    let is_mark = ["$", ">", "+", "+++", "---", "@@", "at", "|", "#"];
    let is_dated = first.len() >= 8 && first.bytes().filter(u8::is_ascii_digit).count() >= 6;
    is_level.contains(&first) || is_mark.contains(&first) || is_dated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_parts_of_the_text_and_code_is_none() {
        let text = "Ok great. We use v1.2 of lib.rs, e.g. here!\n```\nlet x = 1. \n```\n\
                    ERROR no. way\n2026-01-02 12:00 we use it\n  Is it? yes";
        let expected = ["Ok great.", "We use v1.2 of lib.rs, e.g. here!", "Is it?", "yes"];
        assert_eq!(sentences(text), expected);
    }
}

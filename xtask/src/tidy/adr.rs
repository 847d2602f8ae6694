use std::collections::BTreeMap;

use super::finding::Finding;
use super::tree::Tree;

/// The list of all decisions; it also reserves numbers whose page is being written.
const INDEX: &str = "ADR/README.md";

/// The sections of a decision, in order.
const SECTIONS: [&str; 7] = [
    "Status",
    "Context",
    "Decision",
    "Alternatives",
    "Consequences",
    "Compatibility",
    "How we will know",
];

const STATES: [&str; 4] = ["Proposed", "Accepted", "Rejected", "Superseded by "];

/// A line of the index: a page with its title, or a reserved number.
struct Entry<'a> {
    line: usize,
    /// The file name and title; none for a reserved number.
    page: Option<(&'a str, &'a str)>,
}

/// Decisions are numbered without gaps, listed in the index, and have every section.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let index = index(tree.text(INDEX).unwrap_or(""), &mut found);
    let mut pages = BTreeMap::new();
    for (path, text) in tree.texts() {
        let Some(name) = path.strip_prefix("ADR/").filter(|_| path != INDEX) else { continue };
        let Some(number) = number(name) else {
            found.push(Finding::new("adr", path, 1, "name it `NNNN-what-is-decided.md`"));
            continue;
        };
        if pages.insert(number, name).is_some() {
            found.push(Finding::new(
                "adr",
                path,
                1,
                format!("{number:04} is taken: take the next"),
            ));
        }
        check_page(path, text, number, &mut found);
        check_entry(path, name, text, index.get(&number), &mut found);
    }
    let last = pages.keys().chain(index.keys()).max().copied().unwrap_or(0);
    for number in 0..=last {
        match (pages.contains_key(&number), index.get(&number)) {
            (false, None) => {
                let message = format!(
                    "there is no {number:04}: number without gaps, or add\n    \
                     - {number:04}: reserved for SUBJECT"
                );
                found.push(Finding::new("adr", INDEX, 1, message));
            }
            (false, Some(Entry { line, page: Some((name, _)) })) => {
                found.push(Finding::new("adr", INDEX, *line, format!("there is no ADR/{name}")));
            }
            (false, Some(Entry { page: None, .. })) | (true, _) => {}
        }
    }
    found
}

fn check_entry(
    path: &str,
    name: &str,
    text: &str,
    entry: Option<&Entry<'_>>,
    found: &mut Vec<Finding>,
) {
    let heading = text.lines().next().unwrap_or("");
    let (number, title) = heading.trim_start_matches("# ").split_once(": ").unwrap_or(("", ""));
    if entry.and_then(|entry| entry.page) != Some((name, title)) {
        let message =
            format!("the index lacks it; put into {INDEX}\n    - [{number}]({name}): {title}");
        found.push(Finding::new("adr", path, 1, message));
    }
}

fn check_page(path: &str, text: &str, number: u32, found: &mut Vec<Finding>) {
    let mut find = |line, message| found.push(Finding::new("adr", path, line, message));
    let start = format!("# {number:04}: ");
    if !text.lines().next().is_some_and(|line| line.starts_with(&start)) {
        find(1, format!("begin with `{start}What is decided`"));
    }
    let sections: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    if sections != SECTIONS {
        find(1, format!("the sections are, in this order: {}", SECTIONS.join(", ")));
    }
    let mut lines = (1..).zip(text.lines()).skip_while(|(_, line)| *line != "## Status");
    let status = lines.by_ref().skip(1).find(|(_, line)| !line.is_empty());
    let (line, status) = status.unwrap_or((1, ""));
    if !STATES.iter().any(|state| status.starts_with(state)) {
        find(line, "the status is Proposed, Accepted, Rejected or Superseded by NNNN".to_owned());
    }
}

fn index<'a>(text: &'a str, found: &mut Vec<Finding>) -> BTreeMap<u32, Entry<'a>> {
    let mut index = BTreeMap::new();
    let list =
        (1..).zip(text.lines()).filter_map(|(line, text)| Some((line, text.strip_prefix("- ")?)));
    for (line, item) in list {
        let entry = entry(item);
        let repeated = match entry {
            Some((number, page)) => index.insert(number, Entry { line, page }).is_some(),
            None => true,
        };
        if repeated {
            let message =
                "write `- [NNNN](NNNN-name.md): Title` or `- NNNN: reserved for ...`, once";
            found.push(Finding::new("adr", INDEX, line, message));
        }
    }
    index
}

/// `[NNNN](NNNN-name.md): Title`, or `NNNN: reserved for ...`.
fn entry(item: &str) -> Option<(u32, Option<(&str, &str)>)> {
    if let Some(link) = item.strip_prefix('[') {
        let (shown, rest) = link.split_once("](")?;
        let (name, title) = rest.split_once("): ")?;
        let number = number(name)?;
        return (shown == format!("{number:04}")).then_some((number, Some((name, title))));
    }
    let (digits, rest) = item.split_once(": ")?;
    let is_reserved = digits.len() == 4 && rest.starts_with("reserved for ");
    is_reserved.then(|| digits.parse().ok()).flatten().map(|number| (number, None))
}

/// The number in `NNNN-what-is-decided.md`.
fn number(name: &str) -> Option<u32> {
    let (digits, title) = name.strip_suffix(".md")?.split_once('-')?;
    let is_kebab = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    let is_named = !title.is_empty() && title.chars().all(is_kebab);
    (digits.len() == 4 && is_named).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u32) -> String {
        let sections: String =
            SECTIONS.iter().map(|name| format!("\n## {name}\nText.\n")).collect();
        format!("# {number:04}: Title\n{}", sections.replacen("Text.", "Accepted, 2026-01-01", 1))
    }

    fn found(index: &str, pages: &[(&str, String)]) -> Vec<String> {
        let mut files = vec![(INDEX, index)];
        files.extend(pages.iter().map(|(path, text)| (*path, text.as_str())));
        check(&Tree::of(&files)).into_iter().map(|finding| finding.message).collect()
    }

    const FIRST: &str = "- [0000](0000-a.md): Title\n";

    #[test]
    fn numbered_pages_in_the_index_are_clean() {
        let index =
            format!("# Index\n\n{FIRST}- 0001: reserved for bytes\n- [0002](0002-b.md): Title\n");
        let pages = [("ADR/0000-a.md", page(0)), ("ADR/0002-b.md", page(2))];
        assert_eq!(found(&index, &pages), [""; 0]);
    }

    #[test]
    fn a_gap_is_found() {
        let index = format!("{FIRST}- [0002](0002-b.md): Title\n");
        let pages = [("ADR/0000-a.md", page(0)), ("ADR/0002-b.md", page(2))];
        let found = found(&index, &pages);
        assert!(found.concat().contains("there is no 0001"), "{found:?}");
    }

    #[test]
    fn the_index_and_the_folder_agree() {
        assert!(!found("", &[("ADR/0000-a.md", page(0))]).is_empty());
        assert!(!found(FIRST, &[]).is_empty());
        assert!(!found("- 0000: reserved for a\n", &[("ADR/0000-a.md", page(0))]).is_empty());
        assert!(!found("- [0000](0000-a.md): Other\n", &[("ADR/0000-a.md", page(0))]).is_empty());
        assert!(!found("- 0: later\n", &[]).is_empty());
        let twice = [("ADR/0000-a.md", page(0)), ("ADR/0000-b.md", page(0))];
        assert!(found(FIRST, &twice).concat().contains("taken"));
    }

    #[test]
    fn a_page_of_another_form_is_found() {
        for (from, to) in [
            ("## Context", "## Background"),
            ("\n## How we will know\nText.\n", ""),
            ("# 0000: Title", "# Title"),
            ("Accepted", "Perhaps"),
        ] {
            let text = page(0).replacen(from, to, 1);
            assert!(!found(FIRST, &[("ADR/0000-a.md", text)]).is_empty(), "{from}");
        }
        assert!(!found("", &[("ADR/note.md", page(0))]).is_empty());
    }
}

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::finding::Finding;
use super::tree::Tree;

/// Every link in a Markdown file that names no other host names a file of this project.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".md")) {
        for (target, line) in targets(text) {
            let Some(file) = file(path, &target) else {
                found.push(Finding::new(
                    "link",
                    path,
                    line,
                    format!("`{target}` leaves the project"),
                ));
                continue;
            };
            if !tree.exists(&file) {
                let message = format!("`{target}` names no file: there is no {file}");
                found.push(Finding::new("link", path, line, message));
            }
        }
    }
    found
}

/// The targets of links and images that are paths, with their lines.
fn targets(text: &str) -> Vec<(String, usize)> {
    let mut targets = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else {
            continue;
        };
        let is_path = !dest_url.starts_with('#')
            && !dest_url.contains("://")
            && !dest_url.starts_with("mailto:");
        if is_path {
            let before = text.get(..range.start).unwrap_or("");
            targets.push((dest_url.to_string(), 1 + before.matches('\n').count()));
        }
    }
    targets
}

/// The path, relative to the root, of a target in the file `from`; none outside of the root.
fn file(from: &str, target: &str) -> Option<String> {
    let target = target.split_once('#').map_or(target, |(path, _)| path);
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if target.starts_with('/') {
        return None;
    }
    for part in target.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_nothing_is_found() {
        let text = "\
# Title
[good](../README.md#here), [folder](../ADR), ![gone](gone.png) and [far](https://a.b/c).
`[code](gone.md)` [top](#title) [away](../../x) [root](/README.md)

| a |
|---|
| [cell](gone.md) |

[by name][name]

[name]: lost.md
";
        let tree = Tree::of(&[("docs/a.md", text), ("README.md", ""), ("ADR/0000-a.md", "")]);
        let found: Vec<(usize, String)> =
            check(&tree).into_iter().map(|finding| (finding.line, finding.message)).collect();
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 3, 7, 9], "{found:?}");
        assert!(found.iter().any(|(_, message)| message.contains("no docs/lost.md")), "{found:?}");
    }
}

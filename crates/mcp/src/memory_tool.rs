//! Anthropic's memory tool, as its SDK's own implementation on a disk has it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use memlith::RecordId;
use memlith_verbs::exit;
use memlith_verbs::graph::Desk;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::file::File;
use crate::host::Answered;
use crate::memory_path::MemoryPath;
use crate::tool::Steps;

/// A command on the files in /memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "command", deny_unknown_fields)]
pub(crate) enum Command {
    /// Show a file with line numbers, or what is in a folder.
    View {
        /// The file or folder.
        path: String,
        /// The first and the last line; -1 for the end.
        view_range: Option<Vec<i64>>,
    },
    /// Make a file.
    Create {
        /// Where.
        path: String,
        /// The content of the file.
        file_text: String,
    },
    /// Replace the one place where a text stands.
    StrReplace {
        /// The file.
        path: String,
        /// The text.
        old_str: String,
        /// The text that replaces it; nothing where absent.
        #[serde(default)]
        new_str: String,
    },
    /// Insert a text behind a line.
    Insert {
        /// The file.
        path: String,
        /// The line; 0 for the beginning.
        insert_line: i64,
        /// The text.
        insert_text: String,
    },
    /// End a file, or all in a folder. Nothing is erased.
    Delete {
        /// The file or folder.
        path: String,
    },
    /// Give a file or a folder another path.
    Rename {
        /// Its path.
        old_path: String,
        /// Its new one.
        new_path: String,
    },
}

/// The files, and how they are reached.
struct Folder<'a> {
    at: Desk<'a>,
    files: BTreeMap<MemoryPath, File>,
}

impl Steps for Command {
    fn run(self, at: Desk<'_>) -> Result<Answered> {
        let folder = Folder { at, files: File::all(at)? };
        let text = match self {
            Command::View { path, view_range } => folder.view(&read(&path)?, view_range),
            Command::Create { path, file_text } => folder.create(&read(&path)?, &file_text),
            Command::StrReplace { path, old_str, new_str } => {
                folder.replace(&read(&path)?, &old_str, &new_str)
            }
            Command::Insert { path, insert_line, insert_text } => {
                folder.insert(&read(&path)?, insert_line, &insert_text)
            }
            Command::Delete { path } => folder.delete(&read(&path)?),
            Command::Rename { old_path, new_path } => {
                folder.rename(&read(&old_path)?, &read(&new_path)?)
            }
        }?;
        Ok(Answered { json: json!({"text": text}), text, ..Answered::default() })
    }
}

fn read(path: &str) -> Result<MemoryPath> {
    path.parse().map_err(|what: String| exit::refused(what))
}

fn refused<T>(what: String) -> Result<T> {
    Err(exit::refused(what))
}

impl Folder<'_> {
    fn view(&self, path: &MemoryPath, range: Option<Vec<i64>>) -> Result<String> {
        if let Some(file) = self.files.get(path) {
            let all: Vec<&str> = file.content.split('\n').collect();
            let (first, last) = lines_of(range, all.len())?;
            let shown = all.iter().enumerate().skip(first).take(last.saturating_sub(first));
            let numbered = numbered(shown);
            return Ok(format!("Here's the content of {path} with line numbers:\n{numbered}"));
        }
        if !path.is_root() && !self.is_folder(path) {
            let what = format!("The path {path} does not exist. Please provide a valid path.");
            return refused(what);
        }
        let mut text = format!(
            "Here're the files and directories up to 2 levels deep in {path}, excluding hidden \
             items:\n0B\t{path}"
        );
        for (name, size) in self.listed(path) {
            // Writing to a string can't fail.
            let _ = write!(text, "\n{}\t{path}/{name}", size_of(size));
        }
        Ok(text)
    }

    /// The files and folders in a folder, two levels deep, with sizes in bytes; folders have none.
    fn listed(&self, folder: &MemoryPath) -> BTreeMap<String, usize> {
        let mut listed = BTreeMap::new();
        for (path, file) in &self.files {
            let Some([first, rest @ ..]) = path.below(folder) else { continue };
            let Some((second, deeper)) = rest.split_first() else {
                listed.insert(first.clone(), file.content.len());
                continue;
            };
            listed.insert(format!("{first}/"), 0);
            match deeper {
                [] => listed.insert(format!("{first}/{second}"), file.content.len()),
                _ => listed.insert(format!("{first}/{second}/"), 0),
            };
        }
        listed.retain(|name, _| !name.split('/').any(|step| step.starts_with('.')));
        listed
    }

    fn create(&self, path: &MemoryPath, content: &str) -> Result<String> {
        self.check_free(path)?;
        if self.files.contains_key(path) {
            return refused(format!("File {path} already exists"));
        }
        File::write(self.at, path, content)?;
        Ok(format!("File created successfully at: {path}"))
    }

    fn replace(&self, path: &MemoryPath, old: &str, new: &str) -> Result<String> {
        let content = &self.file(path)?.content;
        // What a model was shown has some characters by their numbers.
        let shown = unescaped(old);
        let old = if content.contains(old) { old } else { &shown };
        let line = only_line(content, old, path)?;
        let edited = content.replacen(old, new, 1);
        File::write(self.at, path, &edited)?;
        let lines: Vec<&str> = edited.split('\n').collect();
        let near = lines.iter().enumerate().skip(line.saturating_sub(2));
        let near = numbered(near.take_while(|(at, _)| *at < line + 3));
        Ok(format!(
            "The memory file has been edited. Here is the snippet showing the change (with line \
             numbers):\n{near}"
        ))
    }

    fn insert(&self, path: &MemoryPath, line: i64, text: &str) -> Result<String> {
        let content = &self.file(path)?.content;
        let mut lines: Vec<&str> = content.split('\n').collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        let at = usize::try_from(line).ok().filter(|at| *at <= lines.len());
        let Some(at) = at else {
            return refused(format!(
                "Invalid `insert_line` parameter: {line}. It should be within the range [0, {}].",
                lines.len()
            ));
        };
        lines.insert(at, text.trim_end_matches('\n'));
        let mut edited = lines.join("\n");
        if !edited.ends_with('\n') {
            edited.push('\n');
        }
        File::write(self.at, path, &edited)?;
        Ok(format!("The file {path} has been edited."))
    }

    fn delete(&self, path: &MemoryPath) -> Result<String> {
        if path.is_root() {
            return refused("Cannot delete the /memories directory itself".to_owned());
        }
        let ids: Vec<RecordId> = self.within(path).map(|(_, file)| file.id).collect();
        if ids.is_empty() {
            return refused(format!("The path {path} does not exist"));
        }
        self.at.end(&ids, "deleted")?;
        Ok(format!("Successfully deleted {path}"))
    }

    fn rename(&self, old: &MemoryPath, new: &MemoryPath) -> Result<String> {
        if old.is_root() {
            return refused("Cannot rename the /memories directory itself".to_owned());
        }
        if new.is_root() || self.files.contains_key(new) || self.is_folder(new) {
            return refused(format!("The destination {new} already exists"));
        }
        let files: Vec<(&MemoryPath, &File)> = self.within(old).collect();
        if files.is_empty() {
            return refused(format!("The path {old} does not exist"));
        }
        if new.below(old).is_some() {
            return refused(format!("{new} lies in {old}, which can't be moved into itself"));
        }
        self.check_free(new)?;
        for (path, file) in &files {
            if let Some(moved) = path.moved(old, new) {
                File::write(self.at, &moved, &file.content)?;
            }
        }
        // Last, so that what is cut off leaves a file twice and never none.
        let ids: Vec<RecordId> = files.into_iter().map(|(_, file)| file.id).collect();
        self.at.end(&ids, "renamed")?;
        Ok(format!("Successfully renamed {old} to {new}"))
    }

    fn file(&self, path: &MemoryPath) -> Result<&File> {
        if self.is_folder(path) || path.is_root() {
            return refused(format!("The path {path} is not a file."));
        }
        let missing = || format!("The path {path} does not exist. Please provide a valid path.");
        self.files.get(path).ok_or_else(|| exit::refused(missing()))
    }

    /// A file of this path, and all files below it.
    fn within<'a>(
        &'a self,
        path: &'a MemoryPath,
    ) -> impl Iterator<Item = (&'a MemoryPath, &'a File)> {
        self.files.iter().filter(move |(other, _)| other.below(path).is_some())
    }

    fn is_folder(&self, path: &MemoryPath) -> bool {
        self.files.keys().any(|other| other != path && other.below(path).is_some())
    }

    /// Refuses a path that is a folder's, or that goes through a file.
    fn check_free(&self, path: &MemoryPath) -> Result<()> {
        if path.is_root() || self.is_folder(path) {
            return refused(format!("The path {path} is a directory"));
        }
        let through = self.files.keys().find(|other| *other != path && path.below(other).is_some());
        through.map_or(Ok(()), |file| refused(format!("{file} is a file, and no directory")))
    }
}

/// The number of the one line in which `old` begins, from 0 on.
fn only_line(content: &str, old: &str, path: &MemoryPath) -> Result<usize> {
    let places = content.match_indices(old).filter(|_| !old.is_empty());
    let before = |at| content.get(..at).unwrap_or_default();
    let lines: Vec<usize> = places.map(|(at, _)| before(at).matches('\n').count()).collect();
    match lines.as_slice() {
        [line] => Ok(*line),
        [] => refused(format!(
            "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )),
        many => {
            let many: Vec<String> = many.iter().map(|line| (line + 1).to_string()).collect();
            refused(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: \
                 {}. Please ensure it is unique",
                many.join(", ")
            ))
        }
    }
}

/// The lines that a range means, from 0 on, the last one left out.
fn lines_of(range: Option<Vec<i64>>, count: usize) -> Result<(usize, usize)> {
    let Some(range) = range else { return Ok((0, count)) };
    let [first, last] = range.as_slice() else {
        return refused("view_range is two line numbers".to_owned());
    };
    let from = usize::try_from((*first).max(1)).unwrap_or(usize::MAX).saturating_sub(1);
    let until = if *last == -1 { count } else { usize::try_from(*last).unwrap_or(0).min(count) };
    Ok((from, until))
}

/// Lines with their numbers, from 1 on, in a column of six.
fn numbered<'a>(lines: impl Iterator<Item = (usize, &'a &'a str)>) -> String {
    let lines: Vec<String> = lines.map(|(at, line)| format!("{:>6}\t{line}", at + 1)).collect();
    lines.join("\n")
}

/// A size as `ls -h` has it.
fn size_of(bytes: usize) -> String {
    const UNITS: [(&str, usize); 2] = [("M", 1 << 20), ("K", 1 << 10)];
    for (unit, size) in UNITS {
        if bytes >= size {
            let tenths = bytes.saturating_mul(10) / size;
            let (whole, part) = (tenths / 10, tenths % 10);
            let part = if part == 0 { String::new() } else { format!(".{part}") };
            return format!("{whole}{part}{unit}");
        }
    }
    format!("{bytes}B")
}

/// `text` with the characters back that `inert` writes by their numbers.
fn unescaped(text: &str) -> String {
    const MARK: &str = "\\u{";
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(MARK) {
        out.push_str(before);
        let number = behind.split_once('}').and_then(|(digits, behind)| {
            Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, behind))
        });
        rest = match number {
            Some((c, behind)) => {
                out.push(c);
                behind
            }
            None => {
                out.push_str(MARK);
                behind
            }
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use memlith::read::inert;

    use super::*;

    #[test]
    fn what_was_shown_can_be_named() {
        for text in ["a <b> ``` c", "\u{202e}x", "plain", "\\u{zz} \\u{", ""] {
            assert_eq!(unescaped(inert(text).trim_end()), text);
        }
    }

    #[test]
    fn sizes_and_ranges_are_those_of_the_reference() {
        let sizes = [(0, "0B"), (1023, "1023B"), (1024, "1K"), (1536, "1.5K"), (1 << 20, "1M")];
        for (bytes, shown) in sizes {
            assert_eq!(size_of(bytes), shown);
        }
        assert_eq!(lines_of(Some(vec![2, -1]), 5).unwrap(), (1, 5));
        assert_eq!(lines_of(Some(vec![-3, 99]), 5).unwrap(), (0, 5));
        assert!(lines_of(Some(vec![1]), 5).is_err());
    }
}

//! Citations of the folder in an answer.

/// Lines and sessions that an answer cites, and the answer without the blocks that say so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Citations {
    /// The lines that were used.
    pub entries: Vec<CitedLines>,
    /// The sessions that were used, each once.
    pub threads: Vec<String>,
    /// The text that a person is shown.
    pub visible: String,
}

/// Lines of a file that were used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedLines {
    /// The file, within the folder.
    pub path: String,
    /// The first line, from 1.
    pub first: usize,
    /// The last line.
    pub last: usize,
    /// How they were used.
    pub note: String,
}

/// Reads an answer piece by piece, as a stream gives it.
///
/// A block that isn't closed ends with the text; the beginning of a tag at its end is text.
#[derive(Clone, Debug, Default)]
pub struct AnswerReader {
    found: Citations,
    /// The text that isn't decided yet: the beginning of a tag, or the inside of a block.
    held: String,
    is_inside: bool,
}

const OPEN: &str = "<oai-mem-citation>";
const CLOSE: &str = "</oai-mem-citation>";

/// A longer block, in bytes, is read in parts, so that little of it is held.
const BLOCK_BYTES: usize = 1 << 20;

/// Reads the citations of a whole answer.
#[must_use]
pub fn citations(answer: &str) -> Citations {
    let mut reader = AnswerReader::default();
    reader.push(answer);
    reader.finish()
}

impl AnswerReader {
    /// Takes in a piece; returns how much of the answer is visible so far, in bytes.
    pub fn push(&mut self, piece: &str) -> usize {
        self.held.push_str(piece);
        loop {
            let tag = if self.is_inside { CLOSE } else { OPEN };
            let Some(at) = self.held.find(tag) else { break };
            let rest = self.held.split_off(at);
            let before = std::mem::replace(
                &mut self.held,
                rest.get(tag.len()..).unwrap_or_default().to_owned(),
            );
            self.take(&before);
            self.is_inside = !self.is_inside;
        }
        if !self.is_inside {
            // What may be the beginning of a tag stays until it is known.
            let mut keep = OPEN.len().saturating_sub(1).min(self.held.len());
            while !OPEN
                .starts_with(self.held.get(self.held.len().saturating_sub(keep)..).unwrap_or("?"))
            {
                keep = keep.saturating_sub(1);
            }
            let held = self.held.split_off(self.held.len().saturating_sub(keep));
            self.found.visible.push_str(&self.held);
            self.held = held;
        } else if self.held.len() > BLOCK_BYTES {
            let rest = std::mem::take(&mut self.held);
            self.take(&rest);
        }
        self.found.visible.len()
    }

    /// The citations of the answer, and the text to show.
    #[must_use]
    pub fn finish(mut self) -> Citations {
        let rest = std::mem::take(&mut self.held);
        self.take(&rest);
        self.found
    }

    fn take(&mut self, text: &str) {
        if !self.is_inside {
            self.found.visible.push_str(text);
            return;
        }
        let entries = within(text, "citation_entries").unwrap_or_default();
        self.found.entries.extend(entries.lines().filter_map(entry));
        let threads = within(text, "rollout_ids").or_else(|| within(text, "thread_ids"));
        for thread in threads.unwrap_or_default().lines().map(str::trim) {
            if !thread.is_empty() && !self.found.threads.iter().any(|had| had == thread) {
                self.found.threads.push(thread.to_owned());
            }
        }
    }
}

/// The text between the tags of a name.
fn within<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    Some(rest.split_once(&format!("</{name}>")).map_or(rest, |(inside, _)| inside))
}

/// `MEMORY.md:234-236|note=[how it was used]`.
fn entry(line: &str) -> Option<CitedLines> {
    let (place, note) = line.trim().rsplit_once("|note=[")?;
    let note = note.strip_suffix(']')?.to_owned();
    let (path, range) = place.rsplit_once(':')?;
    let (first, last) = range.split_once('-')?;
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    Some(CitedLines { path: path.trim().to_owned(), first, last, note })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "It is 9090.\n<oai-mem-citation>\n<citation_entries>\nMEMORY.md:7-9|note=[port]\nMEMORY.md:1-2|note=[x\nbad line\na:b.md:1-1|note=[]\nMEMORY.md:2|note=[no range]\n\
                          </citation_entries>\n<rollout_ids>\none\n\n two \none\n</rollout_ids>\n\
                          </oai-mem-citation>";

    #[test]
    fn a_block_is_read_and_is_not_visible() {
        let found = citations(ANSWER);
        assert_eq!(found.visible, "It is 9090.\n");
        assert_eq!(found.threads, ["one", "two"]);
        let places: Vec<_> =
            found.entries.iter().map(|one| (one.path.as_str(), one.first, one.last)).collect();
        assert_eq!(places, [("MEMORY.md", 7, 9), ("a:b.md", 1, 1)]);
    }

    #[test]
    fn pieces_give_what_the_whole_gives() {
        let text = format!("{ANSWER} and a < b <oai-mem-citation><thread_ids>three");
        let whole = citations(&text);
        assert_eq!(whole.visible, "It is 9090.\n and a < b ");
        assert_eq!(whole.threads, ["one", "two", "three"]);
        for size in 1..24 {
            let mut reader = AnswerReader::default();
            for piece in text.as_bytes().chunks(size) {
                reader.push(std::str::from_utf8(piece).unwrap());
            }
            assert_eq!(reader.finish(), whole, "pieces of {size}");
        }
        assert_eq!(citations("x <oai-mem").visible, "x <oai-mem");
    }
}

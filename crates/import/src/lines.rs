use std::fmt;
use std::io::{self, BufRead};

/// A place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The offset of its first byte.
    pub offset: u64,
}

/// A line of the input.
pub(crate) struct Line<'a> {
    pub(crate) place: Place,
    pub(crate) content: Content<'a>,
}

/// The content of a line.
pub(crate) enum Content<'a> {
    /// Text, without the line's end.
    Text(&'a str),
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// More than the cap; stepped over, never held.
    TooLong,
}

/// The lines of an input, in order, blank ones left out.
///
/// Holds one line of at most `max` bytes; of a longer one nothing.
pub(crate) struct Lines<R> {
    input: R,
    max: usize,
    next: Place,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R, max: usize) -> Lines<R> {
        Lines::from(Place { line: 1, offset: 0 }, input, max)
    }

    /// The lines of an input that begins at `next` of its file.
    pub(crate) fn from(next: Place, input: R, max: usize) -> Lines<R> {
        Lines { input, max, next, buffer: Vec::new() }
    }

    /// The place of the line that [`Lines::next`] reads next.
    pub(crate) fn place(&self) -> Place {
        self.next
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let place = self.next;
            self.buffer.clear();
            let read = self.read_line()?;
            if read == 0 {
                return Ok(None);
            }
            self.next = Place { line: place.line + 1, offset: place.offset + read };
            let too_long = read > self.max as u64 + 1;
            if too_long || !self.buffer.trim_ascii().is_empty() {
                // A second borrow of the buffer, as the loop ends here.
                let content = match std::str::from_utf8(&self.buffer) {
                    _ if too_long => Content::TooLong,
                    Ok(text) => Content::Text(text.trim_end_matches(['\n', '\r'])),
                    Err(_) => Content::NotUtf8,
                };
                return Ok(Some(Line { place, content }));
            }
        }
    }

    /// Reads to the end of the line; keeps it only while it is within the cap.
    fn read_line(&mut self) -> io::Result<u64> {
        let mut read = 0;
        loop {
            let available = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            let end = available.iter().position(|&byte| byte == b'\n');
            let len = end.map_or(available.len(), |end| end + 1);
            let piece = available.get(..len).unwrap_or_default();
            if read + len as u64 <= self.max as u64 + 1 {
                self.buffer.extend_from_slice(piece);
            } else {
                self.buffer = Vec::new();
            }
            self.input.consume(len);
            read += len as u64;
            if len == 0 || end.is_some() {
                return Ok(read);
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} (byte {})", self.line, self.offset)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read(input: &[u8], max: usize, capacity: usize) -> Vec<String> {
        let mut lines = Lines::new(BufReader::with_capacity(capacity, input), max);
        let mut read = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let content = match line.content {
                Content::Text(text) => text.to_owned(),
                Content::NotUtf8 => "not utf-8".to_owned(),
                Content::TooLong => "too long".to_owned(),
            };
            read.push(format!("{}@{} {content}", line.place.line, line.place.offset));
        }
        read
    }

    #[test]
    fn lines_are_numbered_bounded_and_checked() {
        let input = b"ab\r\n\n  \ncdefgh\nij\xff\nabcde\nk";
        for capacity in [1, 2, 3, 64] {
            assert_eq!(
                read(input, 5, capacity),
                ["1@0 ab", "4@8 too long", "5@15 not utf-8", "6@19 abcde", "7@25 k"],
                "{capacity}"
            );
        }
    }
}

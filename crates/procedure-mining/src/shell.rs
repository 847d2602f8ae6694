//! A line for a shell, taken apart into commands and words.

use shlex::split;

/// Shells that take a script after `-c`.
const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];

/// How many shells within shells are looked into.
const DEPTH_MAX: usize = 3;

/// A command of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) words: Vec<String>,
    pub(crate) before: Separator,
}

/// Separator that stands before a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// `&&`: it runs if what comes before went well.
    And,
    /// `||`: it runs if that didn't.
    Or,
    /// `|`: it reads what that writes.
    Pipe,
    /// A line's beginning or end, `;`, `&`, a parenthesis: it runs whatever that came to.
    Next,
}

/// The commands of a line: what stands between `&&`, `||`, `|`, `;`, `&`, line ends and
/// parentheses. The text of a here-document is left out; what is quoted or within `$(...)`
/// stays together.
pub(crate) fn parts(line: &str) -> Vec<Part> {
    within(line, DEPTH_MAX)
}

/// The line that words given one by one stand for: a shell's script, or the words quoted.
pub(crate) fn script(words: &[&str]) -> String {
    match scripted(words) {
        Some(script) => script.to_owned(),
        // A word with a NUL can't be quoted, and no program can be given one.
        None => shlex::try_join(words.iter().copied()).unwrap_or_default(),
    }
}

fn within(line: &str, depth: usize) -> Vec<Part> {
    let mut all = Vec::new();
    for (before, command) in commands(line) {
        let words = split(command).unwrap_or_else(|| {
            // A quote without its end: what stands there is text, word by word.
            command.split_whitespace().map(str::to_owned).collect()
        });
        let borrowed: Vec<&str> = words.iter().map(String::as_str).collect();
        match scripted(&borrowed).filter(|_| depth > 0) {
            Some(script) => {
                let first = all.len();
                all.extend(within(script, depth - 1));
                if let Some(part) = all.get_mut(first) {
                    part.before = before;
                }
            }
            None if words.is_empty() => {}
            None => all.push(Part { words, before }),
        }
    }
    all
}

/// The script of `bash -lc SCRIPT`.
fn scripted<'a>(words: &[&'a str]) -> Option<&'a str> {
    let [shell, flag, script, ..] = words else { return None };
    let name = shell.rsplit('/').next().unwrap_or(shell);
    let is_script = flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c');
    (SHELLS.contains(&name) && is_script).then_some(script)
}

/// The commands of a line, cut where the shell would, each with what stands before it.
fn commands(line: &str) -> Vec<(Separator, &str)> {
    let mut commands = Vec::new();
    let mut before = Separator::Next;
    let mut scan = Scan::default();
    let mut first = 0;
    let mut skipped_to = 0;
    let bytes = line.as_bytes();
    for (place, byte) in bytes.iter().enumerate() {
        if place < skipped_to {
            continue;
        }
        let after = line.get(place + 1..).unwrap_or("");
        if scan.is_open() && *byte == b'<' && after.starts_with('<') && scan.document.is_none() {
            scan.document = delimiter(after.get(1..).unwrap_or(""));
            skipped_to = place + 2;
            continue;
        }
        let amp_of_redirection = *byte == b'&'
            && (after.starts_with('>')
                || place.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'>'));
        if scan.step(*byte) && !amp_of_redirection {
            let command = line.get(first..place).unwrap_or_default();
            let last = place.checked_sub(1).and_then(|last| bytes.get(last)).copied();
            before = if command.trim().is_empty() {
                joined(before, last, *byte)
            } else {
                commands.push((before, command));
                if *byte == b'|' { Separator::Pipe } else { Separator::Next }
            };
            first = place + 1;
            if *byte == b'\n'
                && let Some(end) = scan.document.take()
            {
                first = place + 1 + document_len(after, end);
                skipped_to = first;
            }
        }
    }
    commands.extend(line.get(first..).map(|command| (before, command)));
    commands
}

/// Joins two separators that stand beside each other, the second a byte behind `last`.
fn joined(before: Separator, last: Option<u8>, byte: u8) -> Separator {
    match (last, byte) {
        (Some(b'&'), b'&') => Separator::And,
        (Some(b'|'), b'|') => Separator::Or,
        (Some(b'|'), b'&') => Separator::Pipe,
        // A line goes on behind an operator, and so does a group.
        (_, b'\n' | b'(') => before,
        (_, _) => Separator::Next,
    }
}

/// State of a scan of a line: the quotes, parentheses and documents that are open.
#[derive(Debug, Default)]
struct Scan<'a> {
    quote: Option<u8>,
    escaped: bool,
    dollar: bool,
    /// Open parentheses of `$(`.
    nested: usize,
    /// The word that ends a here-document that begins with the next line.
    document: Option<&'a str>,
}

impl Scan<'_> {
    /// Whether nothing is open.
    fn is_open(&self) -> bool {
        self.quote.is_none() && !self.escaped && self.nested == 0
    }

    /// Takes a byte; whether it stands between two commands.
    fn step(&mut self, byte: u8) -> bool {
        if std::mem::take(&mut self.escaped) {
            return false;
        }
        let dollar = std::mem::replace(&mut self.dollar, byte == b'$');
        match (self.quote, byte) {
            (Some(b'\''), b'\'')
            | (None, b'\'')
            | (Some(b'"'), b'"')
            | (None, b'"' | b'`')
            | (Some(b'`'), b'`') => {
                self.quote = if self.quote.is_some() { None } else { Some(byte) };
            }
            (Some(b'\''), _) => {}
            (_, b'\\') => self.escaped = true,
            (Some(_), _) => {}
            (None, b'(') if dollar || self.nested > 0 => self.nested += 1,
            (None, b')') if self.nested > 0 => self.nested -= 1,
            (None, b';' | b'|' | b'&' | b'\n' | b'(' | b')') => return self.nested == 0,
            (None, _) => {}
        }
        false
    }
}

/// The word that ends a here-document; none of `<<<`.
fn delimiter(text: &str) -> Option<&str> {
    let text = text.strip_prefix('-').unwrap_or(text).trim_start_matches([' ', '\'', '"', '\\']);
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let end = text.find(|char| !is_word(char)).unwrap_or(text.len());
    text.get(..end).filter(|word| !word.is_empty())
}

/// The length of a here-document up to and with its last line; all, where it has no end.
fn document_len(text: &str, end: &str) -> usize {
    let mut len = 0;
    for line in text.split_inclusive('\n') {
        len += line.len();
        if line.trim() == end {
            return len;
        }
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Vec<String> {
        parts(line).into_iter().map(|part| part.words.join(" ")).collect()
    }

    #[test]
    fn a_line_is_cut_where_a_shell_cuts() {
        let cases: [(&str, &[&str]); 18] = [
            ("ls", &["ls"]),
            ("", &[]),
            ("  ;; && ", &[]),
            ("a && b || c; d | e & f", &["a", "b", "c", "d", "e", "f"]),
            ("a\nb\n", &["a", "b"]),
            ("(a; b)", &["a", "b"]),
            ("echo 'a && b' \"c; d\"", &["echo a && b c; d"]),
            ("echo a\\;b", &["echo a;b"]),
            ("x=$(a | b) c", &["x=$(a | b) c"]),
            ("echo `a; b`", &["echo `a; b`"]),
            ("bash -lc 'a && b'", &["a", "b"]),
            ("sh -c \"bash -c 'a; b'\"", &["a", "b"]),
            ("a 2>&1 | b &> c", &["a 2>&1", "b &> c"]),
            ("cat <<'EOF' > x\na && b\nEOF\nc", &["cat <<EOF > x", "c"]),
            ("cat <<EOF\nnever ended; b", &["cat <<EOF"]),
            ("a <<< b; c", &["a <<< b", "c"]),
            ("it's; b", &["it's; b"]),
            ("a # b", &["a"]),
        ];
        for (line, expected) in cases {
            assert_eq!(told(line), expected, "{line:?}");
        }
    }

    #[test]
    fn what_stands_between_commands_is_known() {
        use Separator::{And, Next, Or, Pipe};
        let cases: [(&str, &[Separator]); 9] = [
            ("a && b || c; d | e & f", &[Next, And, Or, Next, Pipe, Next]),
            ("a &&b||c", &[Next, And, Or]),
            ("a |& b", &[Next, Pipe]),
            ("a &&\n b", &[Next, And]),
            ("a && (b; c)", &[Next, And, Next]),
            ("a 2>&1 | b", &[Next, Pipe]),
            ("x | bash -c 'a && b'", &[Next, Pipe, And]),
            ("a ;; b", &[Next, Next]),
            ("a & b", &[Next, Next]),
        ];
        for (line, expected) in cases {
            let found: Vec<Separator> = parts(line).iter().map(|part| part.before).collect();
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn shells_within_shells_end() {
        let mut line = "a".to_owned();
        for _ in 0..10 {
            line = script(&["bash", "-c", &script(&["bash", "-c", &line])]);
            line = format!("bash -c {}", shlex::try_quote(&line).unwrap());
        }
        assert_eq!(parts(&line).len(), 1);
    }
}

//! Passwords among the arguments of programs: `curl -u user:password`, `mysql -ppassword`.

use std::ops::Range;

use crate::Rule;
use crate::value::{is_placeholder, is_random};
use crate::word::{byte, is_word_byte, skip};

/// How a program takes a password.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    flags: &'static [&'static str],
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Behind a user's name and this byte.
    Pair(u8),
    /// Right behind the flag; alone, the flag asks for it.
    Attached,
    /// Behind the flag, with a blank or without.
    Either,
    /// Behind the flag and a blank.
    Apart,
}

const fn tool(flags: &'static [&'static str], form: Form) -> Tool {
    Tool { flags, form }
}

const CURL: Tool = tool(&["--proxy-user", "--user", "-u", "-U"], Form::Pair(b':'));
const MYSQL: Tool = tool(&["-p"], Form::Attached);
const MONGO: Tool = tool(&["-p"], Form::Either);
const LOGIN: Tool = tool(&["-p"], Form::Apart);
const LDAP: Tool = tool(&["-w"], Form::Apart);

/// The programs, by what leads to them.
pub(crate) const TOOLS: &[(&str, Tool)] = &[
    ("curl", CURL),
    ("mysql", MYSQL),
    ("mysqladmin", MYSQL),
    ("mysqldump", MYSQL),
    ("mysqlimport", MYSQL),
    ("mysqlsh", MYSQL),
    ("mariadb", MYSQL),
    ("mariadb-admin", MYSQL),
    ("mariadb-dump", MYSQL),
    ("mycli", MYSQL),
    ("sshpass", tool(&["-p"], Form::Either)),
    ("mongo", MONGO),
    ("mongodump", MONGO),
    ("mongoexport", MONGO),
    ("mongoimport", MONGO),
    ("mongorestore", MONGO),
    ("mongosh", MONGO),
    ("docker login", LOGIN),
    ("podman login", LOGIN),
    ("buildah login", LOGIN),
    ("nerdctl login", LOGIN),
    ("skopeo login", LOGIN),
    ("registry login", LOGIN),
    ("az login", LOGIN),
    ("oc login", LOGIN),
    ("cf login", LOGIN),
    ("redis-cli", tool(&["-a"], Form::Apart)),
    ("ldapadd", LDAP),
    ("ldapmodify", LDAP),
    ("ldapsearch", LDAP),
    ("ldapwhoami", LDAP),
    ("sqlcmd", tool(&["-P"], Form::Either)),
    ("smbclient", tool(&["-U"], Form::Pair(b'%'))),
    ("unzip", tool(&["-P"], Form::Either)),
    ("7z", tool(&["-p"], Form::Attached)),
];

/// Beginnings of flags, with what stands before each.
pub(crate) const FLAGS: &[&str] = &[
    " -a",
    " -p",
    " -u",
    " -w",
    "\"-a",
    "\"-p",
    "\"-u",
    "\"-w",
    "'-a",
    "'-p",
    "'-u",
    "'-w",
    "--proxy-user",
    "--user",
];

/// The command that is read: its program, and how far it is known to go on.
#[derive(Debug)]
pub(crate) struct Command {
    tool: Tool,
    from: usize,
    known: usize,
}

/// No command is longer.
const COMMAND_MAX: usize = 4 << 10;

impl Command {
    /// The command whose program's name stands at `hit`.
    pub(crate) fn at(text: &str, hit: &Range<usize>, tool: Tool) -> Option<Command> {
        let before = hit.start.checked_sub(1).and_then(|at| byte(text, at));
        let alone = before.is_none_or(|byte| !is_word_byte(byte));
        let after = byte(text, hit.end);
        let ends = after.is_some_and(|byte| byte.is_ascii_whitespace() || b"\"',".contains(&byte));
        (alone && ends).then_some(Command { tool, from: hit.end, known: hit.end })
    }

    /// Whether the command goes on to `at`; no byte is looked at twice.
    pub(crate) fn reaches(&mut self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        if at < self.known || at - self.from > COMMAND_MAX {
            return false;
        }
        let ends = (self.known..at).any(|at| {
            let previous = at.checked_sub(1).and_then(|at| bytes.get(at));
            match bytes.get(at) {
                Some(b'\n') => !matches!(previous, Some(b'\\' | b'\r' | b'`')),
                Some(b'\r') => previous != Some(&b'\\'),
                Some(b'|') => true,
                Some(b'&') => previous == Some(&b'&'),
                Some(b';') => bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace),
                _ => false,
            }
        });
        self.known = at;
        !ends
    }

    /// The password behind the flag that begins in `hit`.
    pub(crate) fn password(&self, text: &str, hit: &Range<usize>) -> Option<Range<usize>> {
        let quoted = matches!(byte(text, hit.start), Some(b'"' | b'\''));
        let start = skip(text, hit.start, |byte| byte != b'-');
        let rest = text.get(start..)?;
        let flag = self.tool.flags.iter().find(|flag| rest.starts_with(**flag))?;
        let value = Value::after(text, start + flag.len(), flag.starts_with("--"), quoted)?;
        let content = text.get(value.span.clone())?;
        match self.tool.form {
            Form::Pair(separator) => pair(content, separator, value.span.start),
            Form::Attached if value.apart && !quoted => None,
            Form::Apart if !value.apart => None,
            Form::Attached | Form::Apart | Form::Either => hides(content).then_some(value.span),
        }
    }
}

/// The argument of a flag.
struct Value {
    span: Range<usize>,
    /// Whether it is an argument of its own.
    apart: bool,
}

impl Value {
    fn after(text: &str, at: usize, long: bool, quoted: bool) -> Option<Value> {
        let mut start = at;
        if quoted && matches!(byte(text, start), Some(b'"' | b'\'')) {
            let next = skip(text, start + 1, |byte| matches!(byte, b',' | b' ' | b'\t' | b'\n'));
            if next == start + 1 {
                return None;
            }
            start = next;
        } else if long && byte(text, start) == Some(b'=') {
            start += 1;
        } else {
            start = skip(text, start, |byte| matches!(byte, b' ' | b'\t'));
        }
        // `--username` is another flag than `--user`.
        if long && start == at {
            return None;
        }
        let apart = start > at;
        let open = skip(text, start, |byte| byte == b'\\');
        let quote = byte(text, open).filter(|byte| matches!(byte, b'"' | b'\''));
        let start = if quote.is_some() { open + 1 } else { start };
        let rest = text.as_bytes().get(start..)?;
        let len = rest.iter().take(VALUE_MAX).take_while(|&&byte| match quote {
            Some(quote) => !matches!(byte, b'\n' | b'\\') && byte != quote,
            None => !byte.is_ascii_whitespace() && !b"\"'`\\|;<>)".contains(&byte),
        });
        let mut end = start + len.count();
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Some(Value { span: start..end, apart })
    }
}

/// No password is longer.
const VALUE_MAX: usize = 256;

/// The secret part of `user:password`: the password, or, where it is empty, a token in the
/// user's place.
fn pair(content: &str, separator: u8, start: usize) -> Option<Range<usize>> {
    // The user may be a token that a mark took the place of.
    let mark = Rule::mark_len(content).unwrap_or(0);
    let (user, password) = content.get(mark..)?.split_once(char::from(separator))?;
    let start = start + mark;
    if password.is_empty() {
        let token = user.len() >= 8 && is_random(user) && hides(user);
        return token.then(|| start..start + user.len());
    }
    let from = start + user.len() + 1;
    // `http://...` is no pair, and `-u 1000:1000` are a user's and a group's numbers.
    let pair = !password.starts_with("//") && hides(password);
    pair.then(|| from..from + password.len())
}

fn hides(value: &str) -> bool {
    let marked = Rule::mark_len(value).is_some();
    !marked && !is_placeholder(value) && !value.starts_with(['-', '`', '(', ',', '/', '\u{2026}'])
}

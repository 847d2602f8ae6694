use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use memlith::write::{REDACTION_RULES, find_secrets};
use serde::Serialize;

use crate::context::Context;
use crate::exit::{self, Exit};
use crate::plain::plain;
use crate::verb::Verb;

/// Report the secrets in files; changes nothing, needs no ledger.
///
/// Each line names the file, the line, the rule, and of the secret its first two
/// characters at most. Exits with 1 where something was found, or a file was too large or
/// couldn't be read, so that a hook can stop on it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith scan notes.md
  memlith scan ~/.claude/projects --json
  history | memlith scan -
  git diff --cached | memlith scan - || exit 1   # in a pre-commit hook")]
pub struct ScanArgs {
    /// Files and folders; `-` for standard input.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
}

/// A longer file is not read: it is held in memory as a whole.
const FILE_BYTES_MAX: u64 = 64 << 20;

#[derive(Debug, Serialize)]
struct Answer {
    rules: &'static str,
    secrets: Vec<SecretJson>,
    counts: BTreeMap<&'static str, u64>,
    files: u64,
    binary: u64,
    others: u64,
    too_large: Vec<String>,
    unreadable: Vec<String>,
}

#[derive(Debug, Serialize)]
struct SecretJson {
    file: String,
    line: u64,
    rule: &'static str,
    name: &'static str,
    masked: String,
}

impl Verb for ScanArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        run(&self, context)
    }
}

fn run(args: &ScanArgs, context: &mut Context) -> Result<Exit> {
    let mut answer = Answer {
        rules: REDACTION_RULES,
        secrets: Vec::new(),
        counts: BTreeMap::new(),
        files: 0,
        binary: 0,
        others: 0,
        too_large: Vec::new(),
        unreadable: Vec::new(),
    };
    for path in &args.paths {
        answer.named(path)?;
    }
    context.answer(&answer, answer.to_text())?;
    let looked = answer.too_large.is_empty() && answer.unreadable.is_empty();
    Ok(Exit::ok_if(answer.secrets.is_empty() && looked))
}

impl Answer {
    /// Looks through what the caller named.
    ///
    /// # Errors
    /// It isn't there, or is neither a file nor a folder.
    fn named(&mut self, path: &Path) -> Result<()> {
        if path.as_os_str() == "-" {
            let read = self.read("-", io::stdin().lock());
            return read.context("read standard input");
        }
        let shown = path.display();
        let kind = fs::metadata(path).with_context(|| format!("look at {shown}"))?.file_type();
        if kind.is_dir() {
            self.folder(path);
        } else if kind.is_file() {
            let file = File::open(path).with_context(|| format!("open {shown}"))?;
            self.read(&shown.to_string(), file).with_context(|| format!("read {shown}"))?;
        } else {
            let what = format!("{shown} is no regular file and no folder; name one, or `-`");
            return Err(exit::refused(what));
        }
        Ok(())
    }

    /// Looks through a folder and all that is below it, in the order of names.
    fn folder(&mut self, root: &Path) {
        let mut left = vec![root.to_owned()];
        while let Some(path) = left.pop() {
            let kind = if path == root { fs::metadata(&path) } else { fs::symlink_metadata(&path) };
            let done = kind.and_then(|metadata| match metadata.file_type() {
                kind if kind.is_dir() => {
                    let entries = fs::read_dir(&path)?.map(|entry| Ok(entry?.path()));
                    let mut entries = entries.collect::<io::Result<Vec<PathBuf>>>()?;
                    entries.sort_by(|a, b| b.cmp(a));
                    left.append(&mut entries);
                    Ok(())
                }
                kind if kind.is_file() => {
                    self.read(&path.display().to_string(), File::open(&path)?)
                }
                _ => {
                    self.others += 1;
                    Ok(())
                }
            });
            if let Err(error) = done {
                self.unreadable.push(format!("{}: {error}", path.display()));
            }
        }
    }

    /// Looks through what `input` holds.
    fn read(&mut self, file: &str, input: impl Read) -> io::Result<()> {
        let mut bytes = Vec::new();
        input.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            self.too_large.push(file.to_owned());
            return Ok(());
        }
        if bytes.contains(&0) {
            self.binary += 1;
            return Ok(());
        }
        self.files += 1;
        for found in find_secrets(&String::from_utf8_lossy(&bytes)) {
            let rule = found.rule.name();
            *self.counts.entry(rule).or_insert(0) += 1;
            self.secrets.push(SecretJson {
                file: file.to_owned(),
                line: found.line,
                rule,
                name: found.name,
                masked: found.masked,
            });
        }
        Ok(())
    }

    fn to_text(&self) -> String {
        let mut out = String::new();
        for SecretJson { file, line, rule, name, masked } in &self.secrets {
            let name = if name == rule { String::new() } else { format!(" ({name})") };
            // Writing to a string can't fail.
            let _ = writeln!(out, "{}:{line}: {rule}{name} {masked}", plain(file, usize::MAX));
        }
        for file in &self.too_large {
            let _ = writeln!(out, "{}: above 64 MiB, not read", plain(file, usize::MAX));
        }
        for file in &self.unreadable {
            let _ = writeln!(out, "{}", plain(file, usize::MAX));
        }
        let counts = self.counts.iter().map(|(rule, count)| format!("{count} {rule}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let found = if counts.is_empty() { "nothing".to_owned() } else { counts };
        let Answer { rules, files, binary, others, .. } = self;
        let _ = write!(
            out,
            "{found} to take out of {files} files, {binary} binary and {others} other ones \
             passed over; rules {rules}"
        );
        out
    }
}

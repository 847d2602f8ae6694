//! One ledger, the processes that work on it and die, and what they had said by then.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, bail, ensure};

use crate::row::Row;
use crate::victim::REFUSED;

/// A program that runs the session on a store: this one, or one that is compared with it.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    path: PathBuf,
}

/// A ledger in a folder, from its first step on.
#[derive(Debug)]
pub(crate) struct Trial {
    program: Program,
    folder: PathBuf,
    /// The step with which the next process goes on.
    pub(crate) next: u64,
}

/// How a process ended, and what it had acknowledged.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    /// The step after the last that was acknowledged.
    pub(crate) acknowledged: u64,
    /// Text that it wrote to standard error.
    pub(crate) complaint: String,
}

impl Program {
    /// This program.
    ///
    /// # Errors
    /// The system does not say where it is.
    pub(crate) fn own() -> anyhow::Result<Program> {
        Ok(Program { path: std::env::current_exe().context("where is this program?")? })
    }

    /// Another program that takes the same words and gives the same answers.
    pub(crate) fn other(path: PathBuf) -> Program {
        Program { path }
    }

    /// A command line of the program, behind the words of `wrapper`.
    pub(crate) fn command(&self, wrapper: &[String], words: &[&str], folder: &Path) -> Command {
        let mut line: Vec<std::ffi::OsString> = wrapper.iter().map(Into::into).collect();
        line.push(self.path.clone().into());
        let mut words_left = line.into_iter();
        let mut command = Command::new(words_left.next().unwrap_or_default());
        command.args(words_left);
        let (verb, rest) = words.split_first().map_or(("", words), |(verb, rest)| (*verb, rest));
        command.arg("victim").arg(verb).arg(folder).args(rest);
        // Cargo names folders for the loader: calls that are no part of the session.
        command.env_remove("LD_LIBRARY_PATH");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl Trial {
    /// Makes an empty ledger in `folder`.
    ///
    /// # Errors
    /// The program can't.
    pub(crate) fn create(program: &Program, folder: &Path) -> anyhow::Result<Trial> {
        let output = program.command(&[], &["create"], folder).output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "no ledger in {}: {}", folder.display(), text.trim());
        Ok(Trial { program: program.clone(), folder: folder.to_path_buf(), next: 0 })
    }

    /// The folder of the ledger.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the trial of this ledger, or of a copy of it, in another folder.
    pub(crate) fn moved(&self, folder: &Path) -> Trial {
        Trial { program: self.program.clone(), folder: folder.to_path_buf(), next: self.next }
    }

    /// Starts a process that does up to `count` steps.
    ///
    /// # Errors
    /// It can't be started.
    pub(crate) fn start(&self, wrapper: &[String], count: u64) -> anyhow::Result<Child> {
        let mut command = self.running(wrapper, count);
        command.spawn().with_context(|| format!("cannot start {command:?}"))
    }

    /// Starts the process, with its lines going to a file.
    ///
    /// # Errors
    /// It can't be started.
    pub(crate) fn start_saying_to(&self, file: File, count: u64) -> anyhow::Result<Child> {
        let mut command = self.running(&[], count);
        command.stdout(file).stderr(Stdio::inherit());
        command.spawn().with_context(|| format!("cannot start {command:?}"))
    }

    fn running(&self, wrapper: &[String], count: u64) -> Command {
        let (first, count) = (self.next.to_string(), count.to_string());
        self.program.command(wrapper, &["run", &first, &count], &self.folder)
    }

    /// Waits until a process has ended, and takes in what it said.
    ///
    /// # Errors
    /// It said something that isn't of this session.
    pub(crate) fn reap(&self, mut child: Child) -> anyhow::Result<End> {
        let mut acknowledged = self.next;
        let out = child.stdout.take().context("no standard output")?;
        for line in BufReader::new(out).lines() {
            acknowledged = next_after(&line?, acknowledged)?;
        }
        let mut complaint = String::new();
        if let Some(mut err) = child.stderr.take() {
            err.read_to_string(&mut complaint)?;
        }
        Ok(End { status: child.wait()?, acknowledged, complaint: complaint.trim().to_owned() })
    }

    /// Judges the ledger after a process ended, and counts the verdict in `row`.
    ///
    /// Whether the ledger can be used further.
    ///
    /// # Errors
    /// The judge can't be started.
    pub(crate) fn judge(
        &mut self,
        row: &mut Row,
        wrapper: &[String],
        acknowledged: u64,
        what: &str,
    ) -> anyhow::Result<bool> {
        let told = acknowledged.to_string();
        let mut command = self.program.command(wrapper, &["survey", &told], &self.folder);
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let said = said.trim();
        if let Some(next) = said.strip_prefix("sound ") {
            self.next = next.parse().with_context(|| format!("the judge said {said:?}"))?;
            return Ok(true);
        }
        let story = format!("{what}: {said} {}", String::from_utf8_lossy(&output.stderr).trim());
        match said.split(' ').next() {
            Some("lost:") => row.lost += 1,
            Some("refused:") => row.unopened += 1,
            _ => row.wrong += 1,
        }
        row.tell(story);
        Ok(false)
    }

    /// Counts how a process took a fault: it may end well or refuse, and nothing else.
    pub(crate) fn count_end(row: &mut Row, end: &End, what: &str) {
        match end.status.code() {
            Some(0) => {}
            Some(code) if code == i32::from(REFUSED) => row.refused += 1,
            _ => {
                row.wrong += 1;
                row.tell(format!("{what}: ended with {}: {}", end.status, end.complaint));
            }
        }
    }
}

/// The step after the one that `line` acknowledges.
///
/// # Errors
/// The line is none of a session that had come to `expected`.
pub(crate) fn next_after(line: &str, expected: u64) -> anyhow::Result<u64> {
    match line.strip_prefix("ack ").map(str::parse::<u64>) {
        Some(Ok(step)) if step == expected => Ok(step + 1),
        _ => bail!("a victim said {line:?} where step {expected} was due"),
    }
}

//! The session of the reliability campaigns on another store.
//!
//! A text of the session is a row under the number of its step. An invalidation writes a
//! mark beside it, an erasure deletes it. What only Memlith has, a checkout and a
//! checkpoint, is a read. `torture --program FILE` drives the programs of this package.

#[path = "../../../crates/torture/src/session.rs"]
mod session;

use std::error::Error;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use session::{Step, step_of, text_of, texts_before};

/// What a campaign needs of a store; every write is durable when it returns.
pub trait Store: Sized {
    /// What goes wrong.
    type Error: Error;

    /// Opens or makes the store in a folder that exists.
    fn open(folder: &Path) -> Result<Self, Self::Error>;
    /// Writes a text and its mark.
    fn put(&mut self, step: u64, text: &str, is_valid: bool) -> Result<(), Self::Error>;
    /// Deletes a text.
    fn delete(&mut self, step: u64) -> Result<(), Self::Error>;
    /// Reads a text and its mark.
    fn get(&self, step: u64) -> Result<Option<(String, bool)>, Self::Error>;
    /// The greatest step that was ever written and not deleted.
    fn last(&self) -> Result<Option<u64>, Self::Error>;
    /// What the store says of itself, if it finds anything wrong.
    fn check(&mut self) -> Result<Option<String>, Self::Error>;
}

/// Does what the words of the command line say.
pub fn serve<S: Store>() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["victim", "create", folder] => std::fs::create_dir_all(folder)
            .map_err(|error| error.to_string())
            .and_then(|()| S::open(Path::new(folder)).map(drop).map_err(told)),
        ["victim", "run", folder, first, count] => {
            run::<S>(Path::new(folder), number(first), number(count)).map_err(told)
        }
        ["victim", "survey", folder, acknowledged] => {
            say(&survey::<S>(Path::new(folder), number(acknowledged)));
            return ExitCode::SUCCESS;
        }
        _ => Err("usage: victim create|run|survey".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(5)
        }
    }
}

fn number(word: &str) -> u64 {
    word.parse().unwrap_or_default()
}

fn told(error: impl fmt::Display) -> String {
    error.to_string()
}

fn run<S: Store>(folder: &Path, first: u64, count: u64) -> Result<(), S::Error> {
    let mut store = S::open(folder)?;
    for step in first..first + count {
        match Step::of(step) {
            Step::Remember => store.put(step, &text_of(step), true)?,
            Step::Invalidate { target } => store.put(target, &text_of(target), false)?,
            Step::Erase { target } => store.delete(target)?,
            Step::Checkout | Step::Checkpoint => drop(store.last()?),
        }
        say(&format!("ack {step}"));
    }
    Ok(())
}

fn survey<S: Store>(folder: &Path, acknowledged: u64) -> String {
    look::<S>(folder, acknowledged).unwrap_or_else(|error| format!("refused: {error}"))
}

fn look<S: Store>(folder: &Path, acknowledged: u64) -> Result<String, S::Error> {
    let mut store = S::open(folder)?;
    let found = store.last()?.map_or(0, |last| texts_before(last) + 1);
    let erased =
        |step: u64| (0..=acknowledged).any(|by| Step::of(by) == Step::Erase { target: step });
    for text in 0..found {
        let step = step_of(text);
        match store.get(step)? {
            Some((words, _)) if words == text_of(step) => {}
            Some(_) => return Ok(format!("wrong: step {step} has other words")),
            None if erased(step) => {}
            None => return Ok(format!("lost: step {step} is not there, a later one is")),
        }
    }
    if found < texts_before(acknowledged) {
        return Ok(format!("lost: {acknowledged} steps acknowledged, {found} texts found"));
    }
    if found > texts_before(acknowledged + 1) {
        return Ok(format!("wrong: {acknowledged} steps acknowledged, {found} texts found"));
    }
    for step in 0..acknowledged {
        match Step::of(step) {
            Step::Invalidate { target } if store.get(target)?.is_none_or(|(_, valid)| valid) => {
                return Ok(format!("lost: step {step} did not reach step {target}"));
            }
            Step::Erase { target } if store.get(target)?.is_some() => {
                return Ok(format!("lost: step {step} left step {target}"));
            }
            _ => {}
        }
    }
    if let Some(finding) = store.check()? {
        return Ok(format!("wrong: {finding}"));
    }
    Ok(format!("sound {}", acknowledged + u64::from(found > texts_before(acknowledged))))
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

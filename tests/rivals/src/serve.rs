use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use crate::session::{Step, step_of, text_of, texts_before};
use crate::store::Store;

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

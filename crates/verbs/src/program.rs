use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use memlith_models::Program;

use crate::exit;

/// Time that a program of the person's settings may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Maximum length of its answer in bytes.
const ANSWER_MAX: usize = 64 << 10;

/// Runs a program of the person's settings, with their environment and `input`; returns its output.
/// It is stopped behind 60 s.
///
/// # Errors
/// It can't be started, fails, or takes too long.
pub(crate) fn run(words: &[String], input: &str, folder: Option<&Path>) -> Result<String> {
    let environment = crate::environment::of_person();
    let program = Program { words, environment: &environment, folder, answer_max: ANSWER_MAX };
    let said = program.ask(input.as_bytes().to_vec(), PATIENCE);
    let said = said.map_err(|error| exit::unusable(format!("`{}` {error}", words.join(" "))))?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

//! The right to review: the token, or a person at a terminal.
//!
//! It keeps out what acts through this command line alone. One that reads the user's files
//! and types for the user has the user's right.

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context as _, Result};

use crate::environment;
use crate::exit::refused;
use crate::review::token;
use crate::secret::is_same;

/// Makes sure that a person stands behind what is about to be done.
///
/// # Errors
/// The token is wrong, the person says no, or there is neither.
pub(super) fn prove(question: &str) -> Result<()> {
    if let Some(given) = environment::review_token() {
        let kept = token::read()?;
        return match is_same(given.trim().as_bytes(), kept.trim().as_bytes()) {
            true => Ok(()),
            false => Err(refused(
                "MEMLITH_REVIEW_TOKEN is not the review token; \
                 `memlith review token --renew` makes another",
            )),
        };
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(refused(
            "a review needs a person: set MEMLITH_REVIEW_TOKEN to what `memlith review token` \
             made, or run this in a terminal and answer",
        ));
    }
    anstream::eprint!("{question}");
    std::io::stderr().flush().context("ask")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("read the answer")?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(refused("it was not answered with y: nothing was done")),
    }
}

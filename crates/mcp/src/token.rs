//! Token that a client of the HTTP server shows.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};

/// Bytes of chance in a token.
const BYTES: usize = 32;

/// A token that nobody guesses, in hexadecimal digits.
///
/// # Errors
/// The system has no randomness.
pub(crate) fn token() -> Result<String> {
    if let Some(token) = memlith_verbs::environment::mcp_token() {
        anyhow::ensure!(
            token.len() >= BYTES && token.bytes().all(|byte| byte.is_ascii_graphic()),
            "MEMLITH_MCP_TOKEN is shorter than {BYTES} characters, or has others than printable \
             ones: `openssl rand -hex 32` makes one, or leave it out"
        );
        return Ok(token);
    }
    let mut chance = [0; BYTES];
    getrandom::fill(&mut chance).context("ask the system for randomness")?;
    let digits = chance.iter().fold(String::new(), |mut digits, byte| {
        // Writing to a string can't fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    });
    Ok(digits)
}

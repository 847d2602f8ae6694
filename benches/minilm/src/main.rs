//! `memlith-minilm FOLDER`: of each line of standard input, a text as a JSON string, the
//! vector as a JSON array on a line of standard output; `null` for a text without a word.

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use memlith_minilm::MiniLm;

/// A longer line is refused, in bytes.
const LINE_BYTES_MAX: u64 = 8 << 20;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("memlith-minilm: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).context("memlith-minilm FOLDER")?;
    let model = MiniLm::open(Path::new(&folder))?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for number in 1_u64.. {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        ensure!(read as u64 <= LINE_BYTES_MAX, "line {number} is too long");
        let text: String =
            serde_json::from_slice(&line).with_context(|| format!("line {number} is no text"))?;
        serde_json::to_writer(&mut output, &model.floats(&text)?)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

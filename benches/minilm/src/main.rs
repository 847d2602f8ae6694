//! `memlith-minilm FOLDER`: of each line of standard input, a text as a JSON string, the
//! vector as a JSON array on a line of standard output; `null` for a text without a word.
//!
//! `memlith-minilm FOLDER --pairs`: of each line `{"a", "b", ...}` the same with `"cosine"`,
//! how near the two texts are, where both have a word. At the end what one text takes.

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use memlith_minilm::MiniLm;
use serde_json::{Value, from_slice, json, to_writer};

/// A longer line is refused, in bytes.
const LINE_BYTES_MAX: u64 = 8 << 20;

/// A cosine is written in so many parts of one, as the door counts them.
const COSINE_PARTS: f64 = 1e7;

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
    let folder = std::env::args_os().nth(1).context("memlith-minilm FOLDER [--pairs]")?;
    let pairs = std::env::args_os().nth(2).is_some_and(|word| word == "--pairs");
    let mut timed = Timed { model: MiniLm::open(Path::new(&folder))?, walls: Vec::new() };
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for number in 1_u64.. {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        ensure!(read as u64 <= LINE_BYTES_MAX, "line {number} is too long");
        let no_text = || format!("line {number} is no text");
        if pairs {
            let pair: Value = from_slice(&line).with_context(no_text)?;
            to_writer(&mut output, &timed.compared(pair).with_context(no_text)?)?;
        } else {
            let text: String = from_slice(&line).with_context(no_text)?;
            to_writer(&mut output, &timed.floats(&text)?)?;
        }
        output.write_all(b"\n")?;
        output.flush()?;
    }
    timed.report();
    Ok(())
}

/// The model, and what each text took.
struct Timed {
    model: MiniLm,
    walls: Vec<Duration>,
}

impl Timed {
    #[expect(clippy::disallowed_methods, reason = "a measurement")]
    fn floats(&mut self, text: &str) -> anyhow::Result<Option<Vec<f32>>> {
        let start = Instant::now();
        let floats = self.model.floats(text)?;
        self.walls.push(start.elapsed());
        Ok(floats)
    }

    /// The pair with its cosine.
    fn compared(&mut self, mut pair: Value) -> anyhow::Result<Value> {
        let text = |name: &str| pair.get(name).and_then(Value::as_str).map(str::to_owned);
        let (a, b) = text("a").zip(text("b")).context("it has no `a` and `b`")?;
        let (a, b) = (self.floats(&a)?, self.floats(&b)?);
        if let (Some(a), Some(b), Some(fields)) = (a, b, pair.as_object_mut()) {
            let products = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b));
            let cosine = products.sum::<f64>().clamp(-1.0, 1.0);
            let written = (cosine * COSINE_PARTS).round() / COSINE_PARTS;
            fields.insert("cosine".to_owned(), json!(written));
        }
        Ok(pair)
    }

    fn report(&mut self) {
        self.walls.sort_unstable();
        let at =
            |percent: usize| self.walls.get(self.walls.len().saturating_sub(1) * percent / 100);
        if let (Some(middle), Some(late)) = (at(50), at(99)) {
            let count = self.walls.len();
            eprintln!("{count} texts; one takes {middle:.1?} p50, {late:.1?} p99");
        }
    }
}

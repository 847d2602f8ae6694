//! `memlith-embed FOLDER`: of each line of standard input, `{"id", "text"}`, a line `{"id",
//! "vector"}` on standard output, as `memlith maintain vectors --command` speaks; `"vector"` is null for a text
//! without a word. A line that is a JSON string is answered by its vector alone.
//!
//! `memlith-embed FOLDER --pairs`: of each line `{"a", "b", ...}` the same with `"cosine"`, for
//! fitting thresholds of likeness.

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use memlith_embed::Model;
use serde_json::{Value, json};

/// A longer line is refused, in bytes.
const LINE_BYTES_MAX: u64 = 8 << 20;

/// A cosine is written in so many parts of one, as the door counts them.
const COSINE_PARTS: f64 = 1e7;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("memlith-embed: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let folder = std::env::args_os().nth(1).context("usage: memlith-embed FOLDER [--pairs]")?;
    let pairs = std::env::args_os().nth(2).is_some_and(|word| word == "--pairs");
    let model = Model::open(Path::new(&folder))?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for number in 1_u64.. {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        ensure!(read as u64 <= LINE_BYTES_MAX, "line {number} is too long");
        let asked: Value =
            serde_json::from_slice(&line).with_context(|| format!("line {number} is no JSON"))?;
        let answer = if pairs { compared(&model, asked) } else { answered(&model, &asked) };
        writeln!(output, "{}", answer.with_context(|| format!("line {number}"))?)?;
        output.flush()?;
    }
    Ok(())
}

fn answered(model: &Model, asked: &Value) -> Result<Value> {
    if let Some(text) = asked.as_str() {
        return Ok(json!(model.vector(text)?));
    }
    let text = asked.get("text").and_then(Value::as_str).context("it has no `text`")?;
    Ok(json!({ "id": asked.get("id"), "vector": model.vector(text)? }))
}

/// The pair with its cosine, where both texts have a word.
fn compared(model: &Model, mut pair: Value) -> Result<Value> {
    let text = |name: &str| pair.get(name).and_then(Value::as_str).map(str::to_owned);
    let (a, b) = text("a").zip(text("b")).context("it has no `a` and `b`")?;
    let both = model.vector(&a)?.zip(model.vector(&b)?);
    if let (Some((a, b)), Some(fields)) = (both, pair.as_object_mut()) {
        let products = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b));
        let cosine = products.sum::<f64>().clamp(-1.0, 1.0);
        let written = (cosine * COSINE_PARTS).round() / COSINE_PARTS;
        fields.insert("cosine".to_owned(), json!(written));
    }
    Ok(pair)
}

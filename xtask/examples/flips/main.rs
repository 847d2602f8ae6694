//! Flips every bit of every byte of every file of a ledger, one at a time.
//!
//! After each, the ledger is verified, read, and written; `cargo xtask flips` runs it. A
//! program of its own, so that the other chores need no engine.

mod flip;
mod ledger;
mod tally;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use memlith::storage::MemoryDisk;
use rayon::prelude::*;

use crate::flip::Sound;
use crate::ledger::Size;
use crate::tally::{Byte, FileTally, Tally};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("flips: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the campaign for the arguments `SEGMENT_BYTES small|full text|json [EVERY [PREFIX]]`;
/// whether all was as promised. With `EVERY` only one bit in so many is flipped, with `PREFIX`
/// only those of files whose names begin with it.
fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let [segment_len, size, form, rest @ ..] = arguments else {
        bail!("flips SEGMENT_BYTES small|full text|json [EVERY [PREFIX]]")
    };
    let every = rest.first().map_or(Ok(1), |every| every.parse());
    let every = every.context("EVERY is not a number")?;
    let prefix = rest.get(1).map_or("", String::as_str);
    let size = if size == "small" { Size::Small } else { Size::Full };
    let segment_len = segment_len.parse().context("SEGMENT_BYTES is not a number")?;
    let start = started();
    let disk = ledger::sample(segment_len, size).context("the ledger can't be made")?;
    let sound = Sound::of(&disk, ledger::options(segment_len))?;
    // A panic is an outcome, and is told as one.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let names = disk.names().into_iter().filter(|name| name.starts_with(prefix));
    let files = names.map(|name| flip_all(&sound, &disk, &name, every)).collect();
    std::panic::set_hook(hook);
    let records = sound.records().len();
    let tally = Tally { records, files, wall_seconds: start.elapsed().as_secs_f64() };
    match form.as_str() {
        "json" => println!("{}", tally.to_json()),
        _ => println!("{tally}"),
    }
    Ok(tally.violations().is_empty())
}

/// Flips each bit, or one in `every`, of the file `name` in a copy of `disk` of its own.
fn flip_all(sound: &Sound, disk: &MemoryDisk, name: &str, every: usize) -> FileTally {
    let bytes = disk.bytes(name).unwrap_or_default();
    eprintln!("flipping {name}, {} bytes", bytes.len());
    let flip = |(at, value): (usize, &u8)| {
        let outcome = |bit: usize| {
            let mut flipped = bytes.clone();
            flipped.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << bit);
            let damaged = disk.after_kill();
            damaged.set_bytes(name, flipped);
            (bit, sound.judge(&damaged))
        };
        let bits = (0..8).filter(|bit| (at * 8 + bit).is_multiple_of(every.max(1)));
        Byte { at, value: *value, outcomes: bits.map(outcome).collect() }
    };
    let flipped: Vec<Byte> = bytes.par_iter().enumerate().map(flip).collect();
    FileTally::of(name, &flipped)
}

#[expect(clippy::disallowed_methods, reason = "the wall time of the campaign is reported")]
fn started() -> Instant {
    Instant::now()
}

//! Reads a file and counts what it becomes: `cargo run --example read -- FORMAT FILE`.
//!
//! `-` is standard input; `--show` prints every event.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

use memlith_import::{Imported, Options, Reader};

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, rest): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let [format, path] = rest.as_slice() else { return Err("usage: read FORMAT FILE".into()) };
    let input: Box<dyn BufRead> = match path.as_str() {
        "-" => Box::new(BufReader::new(std::io::stdin())),
        path => Box::new(BufReader::new(File::open(path)?)),
    };
    let mut reader = Reader::new(format.parse()?, input, Options::default());
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for imported in reader.by_ref() {
        let imported = imported?;
        if !flags.is_empty() {
            println!("{imported:?}");
        }
        let name = match &imported {
            Imported::Event(body) => body.event.kind().name().to_owned(),
            Imported::Reinforced(reinforced) => format!("{:?}", reinforced.kind),
            Imported::Skipped { reason, .. } => format!("skipped {reason}"),
        };
        *counts.entry(name).or_insert(0) += 1;
    }
    println!("{counts:#?} {:?}", reader.dialects());
    Ok(())
}

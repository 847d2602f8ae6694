//! A usual log of an agent: a line of JSON an event, chained by SHA-256, appended.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use sha2::{Digest, Sha256};

use crate::store::{Store, Sync};

struct Jsonl {
    file: File,
    path: PathBuf,
    previous: String,
}

pub(crate) fn open(folder: &Path) -> Result<Box<dyn Store>> {
    let path = folder.join("log.jsonl");
    let file = File::options().append(true).create(true).open(&path)?;
    Ok(Box::new(Jsonl { file, path, previous: "0".repeat(64) }))
}

impl Store for Jsonl {
    fn append(&mut self, first: u64, payloads: &[Vec<u8>], sync: Sync) -> Result<()> {
        let mut lines = Vec::new();
        for (seq, payload) in (first..).zip(payloads) {
            let event = serde_json::json!({
                "seq": seq, "payload": std::str::from_utf8(payload)?, "previousHash": self.previous,
            });
            let hash = Sha256::digest(event.to_string().as_bytes());
            self.previous = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(lines, "{{\"event\":{event},\"hash\":\"{}\"}}", self.previous)?;
        }
        self.file.write_all(&lines)?;
        if sync == Sync::Yes {
            self.file.sync_data()?;
        }
        Ok(())
    }

    fn count(&self) -> Result<u64> {
        Ok(BufReader::new(File::open(&self.path)?).lines().count() as u64)
    }
}

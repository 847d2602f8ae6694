//! The control: a line appended to a file for each write, and a sync.
//!
//! It keeps nothing but what the system promises of `write` and `fdatasync`. What it loses,
//! the cut took from every store.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Error, Write};
use std::path::Path;
use std::process::ExitCode;

use memlith_rivals::{Store, serve};

struct Append {
    file: File,
    texts: BTreeMap<u64, (String, bool)>,
    last: Option<u64>,
}

impl Append {
    /// A line begins with a newline of its own, so that one that was torn stands alone.
    fn write(&mut self, line: &str) -> Result<(), Error> {
        self.take(line);
        self.file.write_all(format!("\n{line};").as_bytes())?;
        self.file.sync_data()
    }

    fn take(&mut self, line: &str) {
        let mut words = line.splitn(3, ' ');
        let (verb, step, text) = (words.next(), words.next(), words.next().unwrap_or_default());
        let Some(step) = step.and_then(|step| step.parse().ok()) else { return };
        self.last = self.last.max(Some(step));
        match verb {
            Some("valid") => drop(self.texts.insert(step, (text.to_owned(), true))),
            Some("invalid") => drop(self.texts.insert(step, (text.to_owned(), false))),
            _ => drop(self.texts.remove(&step)),
        }
    }
}

impl Store for Append {
    type Error = Error;

    fn open(folder: &Path) -> Result<Append, Error> {
        let path = folder.join("store.txt");
        let text = std::fs::read(&path).unwrap_or_default();
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        // What was read may be in memory alone; the name, too.
        file.sync_all()?;
        File::open(folder)?.sync_all()?;
        let mut store = Append { file, texts: BTreeMap::new(), last: None };
        for line in String::from_utf8_lossy(&text).lines() {
            line.strip_suffix(';').into_iter().for_each(|line| store.take(line));
        }
        Ok(store)
    }

    fn put(&mut self, step: u64, text: &str, is_valid: bool) -> Result<(), Error> {
        let verb = if is_valid { "valid" } else { "invalid" };
        self.write(&format!("{verb} {step} {text}"))
    }

    fn delete(&mut self, step: u64) -> Result<(), Error> {
        self.write(&format!("delete {step} "))
    }

    fn get(&self, step: u64) -> Result<Option<(String, bool)>, Error> {
        Ok(self.texts.get(&step).cloned())
    }

    fn last(&self) -> Result<Option<u64>, Error> {
        Ok(self.last)
    }

    fn check(&mut self) -> Result<Option<String>, Error> {
        Ok(None)
    }
}

fn main() -> ExitCode {
    serve::<Append>()
}

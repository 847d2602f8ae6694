use std::io::Write;
use std::path::Path;

use memlith::{
    Caller, CheckoutRequest, Ledger, Options, Rank, RecordId, Remember,
    prove::{Checkpointed, Level},
    storage::{Rng, SystemRng},
    verify,
};

use crate::Outcome;
use crate::told::Told;

/// The length of a marker in bytes.
pub(crate) const MARKER_LEN: usize = 17;

/// One of the processes, in one of its lives.
struct Worker<'a> {
    folder: &'a Path,
    ledger: Ledger,
    name: &'a str,
    run: &'a str,
    /// Records that this life wrote and did not erase.
    own: Vec<RecordId>,
    written: u64,
}

/// Does `count` random things, and tells of each.
pub(crate) fn work(folder: &Path, name: &str, run: &str, count: &str) -> Outcome<()> {
    let ledger = Ledger::open(folder, options())?;
    let mut worker = Worker { folder, ledger, name, run, own: Vec::new(), written: 0 };
    for _ in 0..count.parse::<u64>()? {
        match random_below(100)? {
            0..50 => worker.write()?,
            50..72 => worker.ask()?,
            72..80 => worker.checkpoint()?,
            80..87 => worker.erase()?,
            87..95 => worker.verify()?,
            _ => worker = worker.reopen()?,
        }
    }
    worker.ledger.close()?;
    tell(&Told::Ended)
}

/// Segments so small that there are rotations.
fn options() -> Options {
    Options { segment_lens: [64 << 10, 64 << 10, 256 << 10, 256 << 10], ..Options::default() }
}

impl Worker<'_> {
    fn write(&mut self) -> Outcome<()> {
        let marker = marker(self.name, self.run, self.written)?;
        self.written += 1;
        tell(&Told::Writing(marker.clone()))?;
        let text = format!("The note {marker} was written by one of the crowd.");
        let caller = Caller::user("default", self.name);
        let id = self.ledger.remember(&caller, Remember { text, ..Remember::default() })?.id;
        self.own.push(id);
        tell(&Told::Wrote(marker, id))
    }

    fn ask(&self) -> Outcome<()> {
        let caller = Caller::user("default", self.name);
        let request = CheckoutRequest::new("which note was written by the crowd");
        let checkout = self.ledger.checkout(&caller, &request)?;
        tell(&match checkout.observed {
            Ok(observed) => {
                let items = checkout.pack.items.iter().map(|item| item.id).collect();
                Told::Asked(checkout.pack.receipt.view, observed, items)
            }
            Err(why) => Told::Unobserved(why),
        })
    }

    fn checkpoint(&self) -> Outcome<()> {
        let how = match self.ledger.checkpoints().write()? {
            Checkpointed::Sealed { .. } => "sealed",
            Checkpointed::Unchanged { .. } => "unchanged",
            Checkpointed::Busy => "busy",
        };
        tell(&Told::Checkpointed(how.to_owned()))
    }

    fn erase(&mut self) -> Outcome<()> {
        let Some(id) = self.own.pop() else { return self.write() };
        tell(&Told::Erasing(id))?;
        let owner = Caller::new("default", self.name, Rank::Owner);
        self.ledger.erasure().erase(&owner, &[id])?;
        tell(&Told::Erased(id))
    }

    fn verify(&self) -> Outcome<()> {
        let level = if random_below(4)? == 0 { Level::Full } else { Level::Sealed };
        for finding in verify(self.folder, level)?.findings {
            tell(&Told::Found(format!("{}: {}", finding.file, finding.what)))?;
        }
        tell(&Told::Verified)
    }

    fn reopen(self) -> Outcome<Self> {
        self.ledger.close()?;
        let ledger = Ledger::open(self.folder, options())?;
        tell(&Told::Reopened)?;
        Ok(Worker { ledger, ..self })
    }
}

/// A word that stands in one text alone, of a fixed length so that no marker holds another.
fn marker(name: &str, run: &str, number: u64) -> Outcome<String> {
    let (name, run): (u8, u16) = (name.parse()?, run.parse()?);
    let marker = format!("zq{name:02}x{run:04}x{number:06}q");
    assert_eq!(marker.len(), MARKER_LEN, "a marker of a fixed length");
    Ok(marker)
}

/// One line in one write: a kill leaves it out or whole.
fn tell(told: &Told) -> Outcome<()> {
    let line = format!("{told}\n");
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes())?;
    Ok(out.flush()?)
}

/// A random number below `limit`, at most 256.
pub(crate) fn random_below(limit: u16) -> Outcome<u16> {
    let mut bytes = [0; 2];
    SystemRng.fill(&mut bytes)?;
    Ok(u16::from_le_bytes(bytes) % limit)
}

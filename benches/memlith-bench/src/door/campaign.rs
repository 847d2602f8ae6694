use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use memlith::{
    Authority, Caller, Ledger, Options, Question, Remember, Scope, WriteOutcome,
    write::{Comparer, Cosine, Outcome, Reconciler},
};
use serde_json::{Value, json};

use crate::door::{DoorArgs, Fresh};
use crate::words::{Random, Vocabulary};
use memlith_verbs::wall::{Stopwatch, Walls};

/// The name of the model that measures likeness.
const MODEL: &str = "first word";

/// Number of threads that write one fact.
const THREADS: u64 = 64;

/// A fact changes so often.
const CHANGES: u64 = 5;

/// Number of questions asked of facts that changed.
const QUERIES: u64 = 1_000;

/// Reconciles notes that say again, with other words among them, what one of many rows says.
pub(crate) fn notes(fresh: &Fresh, args: &DoorArgs) -> Result<(Walls, &'static str)> {
    let mut random = Random::new(args.seed);
    let vocabulary = Vocabulary::new(&mut random);
    let ledger = fresh.make(Options::default())?;
    let (mut kept, every) = (Vec::new(), (args.rows / args.notes).max(1));
    for row in 0..args.rows {
        let text = vocabulary.text(&mut random, 12);
        let _ = remember(&ledger, &bench(), &text)?;
        if row % every == 0 {
            kept.push(text);
        }
    }
    ledger.checkpoints().write()?;
    ledger.close()?;
    let ledger = fresh.open(near(9_000_000))?;
    let mut walls = Walls::default();
    for at in 0..args.notes {
        let place = usize::try_from(at % kept.len().max(1) as u64)?;
        let said = kept.get(place).context("a row")?;
        let (first, rest) = said.split_once(' ').context("two words")?;
        let text = format!("{rest} {first} {}", vocabulary.word(&mut random));
        let watch = Stopwatch::start();
        let _ = remember(&ledger, &bench(), &text)?;
        walls.push(watch.elapsed());
    }
    Ok((walls, MODEL))
}

pub(crate) fn writers(fresh: &Fresh, args: &DoorArgs) -> Result<Value> {
    let ledger = fresh.make(near(9_700_000))?;
    let said = ["tea is what she drinks", "tea is the drink she takes", "Tea is what she drinks."];
    let results: Vec<Result<()>> = std::thread::scope(|scope| {
        let write = |thread: u64| {
            let ledger = &ledger;
            move || -> Result<()> {
                for at in 0..args.writes {
                    let place = usize::try_from((thread + at) % said.len() as u64)?;
                    let text = said.get(place).context("a text")?.to_lowercase();
                    let _ = remember(ledger, &bench(), &text)?;
                }
                Ok(())
            }
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(write(thread))).collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.map(|one| one.unwrap_or_else(|_| Err(anyhow::anyhow!("a writer")))).collect()
    });
    results.into_iter().collect::<Result<()>>()?;
    let live = count(&ledger, Authority::is_shown)?;
    Ok(json!({ "threads": THREADS, "writes": THREADS * args.writes, "live": live }))
}

pub(crate) fn facts(fresh: &Fresh, args: &DoorArgs) -> Result<Value> {
    let ledger = fresh.make(near(9_000_000))?;
    let mut random = Random::new(args.seed);
    let vocabulary = Vocabulary::new(&mut random);
    for _ in 0..=CHANGES {
        for fact in 0..args.facts {
            let text = format!("{} lives in {}", name(fact), apart(&vocabulary, &mut random));
            let _ = remember(&ledger, &bench(), &text)?;
        }
    }
    let mut stale_hits = 0;
    for _ in 0..QUERIES {
        let query = format!("where does {} live", name(random.below(args.facts)));
        let found = ledger.recall(&bench(), &Question { query, as_of: None }, 10)?;
        let stale = found.iter().filter(|cited| cited.why.authority == Authority::Superseded);
        stale_hits += stale.count() as u64;
    }
    Ok(json!({
        "facts": args.facts,
        "live": count(&ledger, Authority::is_shown)?,
        "superseded": count(&ledger, |authority| authority == Authority::Superseded)?,
        "queries": QUERIES,
        "stale_hits": stale_hits,
    }))
}

/// Writes one fact into scopes at random: each has to meet its own scope's row, and no other.
pub(crate) fn scopes(fresh: &Fresh, args: &DoorArgs) -> Result<Value> {
    let ledger = fresh.make(near(9_000_000))?;
    let mut random = Random::new(args.seed);
    let vocabulary = Vocabulary::new(&mut random);
    let (mut last, mut crossed) = (BTreeMap::new(), 0);
    for _ in 0..args.scoped {
        let place = [6, 5, 5, 4].map(|bound| random.below(bound));
        let [tenant, agent, subject, session] = place;
        let named = |kind: &str, number: u64| format!("{kind}{number}").into();
        let of = |kind: &str, number: u64| (number > 0).then(|| named(kind, number));
        let scope = Scope {
            agent: of("agent", agent),
            subject: of("subject", subject),
            session: (session > 1).then(|| named("session", session)),
            session_only: session > 1,
            ..Scope::tenant(format!("tenant{tenant}"))
        };
        // What is no session's alone is one room.
        let room = [tenant, agent, subject, session.max(1)];
        let text = format!("home near {}", apart(&vocabulary, &mut random));
        let written = remember(&ledger, &Caller { scope, ..bench() }, &text)?;
        let WriteOutcome::Decided { outcome, .. } = written.outcome else { continue };
        let own = last.insert(room, written.id);
        crossed += u64::from(match (outcome, own) {
            (Outcome::Added, None) => false,
            (Outcome::Superseded(rows), Some(own)) => rows != [own],
            (Outcome::Restated(row), Some(own)) => row != own,
            (_, _) => true,
        });
    }
    Ok(json!({ "writes": args.scoped, "crossed": crossed }))
}

/// Options with the model to which texts of one first word are this near.
fn near(cosine: i32) -> Options {
    let reconciler = Reconciler::with(Arc::new(FirstWord(Cosine(cosine))));
    Options { reconciler: Some(Arc::new(reconciler)), ..Options::default() }
}

/// A model to which texts of one first word are this near, and all others are not: it costs
/// nothing, and what must come of it is known.
#[derive(Debug)]
struct FirstWord(Cosine);

impl Comparer for FirstWord {
    fn model(&self) -> &'static str {
        MODEL
    }

    fn cosines(&self, text: &str, others: &[&str]) -> Vec<Option<Cosine>> {
        let first = |text: &str| text.split(' ').next().map(str::to_owned);
        let own = first(text);
        let near = |other: &&str| if first(other) == own { self.0 } else { Cosine(0) };
        others.iter().map(|other| Some(near(other))).collect()
    }
}

fn bench() -> Caller {
    Caller::user("default", "bench")
}

fn remember(ledger: &Ledger, caller: &Caller, text: &str) -> Result<memlith::Written> {
    let remember = Remember { text: text.to_owned(), ..Remember::default() };
    Ok(ledger.remember(caller, remember)?)
}

fn count(ledger: &Ledger, which: impl Fn(Authority) -> bool) -> Result<u64> {
    let standing = ledger.audit().stat(ledger.now())?.memories;
    Ok(standing.iter().filter(|(authority, _)| which(*authority)).map(|(_, count)| count).sum())
}

/// Two words that no other text has the other way round: that would be another matter.
fn apart(vocabulary: &Vocabulary, random: &mut Random) -> String {
    format!("{} zq{}", vocabulary.text(random, 1), vocabulary.text(random, 1))
}

/// A word of its own for each number, without a digit that a guard would look at.
fn name(mut number: u64) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu"];
    let mut name = "q".to_owned();
    for _ in 0..5 {
        let place = usize::try_from(number % 10).unwrap_or_default();
        name.push_str(SYLLABLES.get(place).copied().unwrap_or_default());
        number /= 10;
    }
    name
}

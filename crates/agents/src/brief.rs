//! What a session is told at its beginning.

use memlith::item::{ListOf, ListedSession, Listing};
use memlith::log::{Event, MemoryEvent, TurnEvent, decode};
use memlith::query::{Prompt, PromptLine};
use memlith::{Authority, Caller, Error, Ledger, Origin, RecordId, Seq, Timestamp};

/// A brief, and what it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brief {
    /// The text for the model; empty where nothing is known.
    pub text: String,
    /// The items in it.
    pub shown: Vec<RecordId>,
}

/// The most tokens of a brief, as it is rendered.
pub const BRIEF_TOKENS: u32 = 1_500;

/// The number of memories that a brief is chosen from: the newest.
const MEMORIES: usize = 120;

/// The number of earlier sessions that a brief tells of.
const SESSIONS: usize = 3;

/// The most prompts that are told of a session that is gone on with.
const TURNS: usize = 40;

/// The most bytes that are told of a turn.
const TURN_BYTES: usize = 240;

/// An item of a brief.
struct Entry {
    id: RecordId,
    text: String,
    speaker: String,
    origin: Origin,
    trust: u8,
    occurred_at: Timestamp,
    authority: Authority,
}

/// Writes the brief of a new session in the scope of `caller`: what is pinned, what stands,
/// newest first, and what earlier sessions were asked and came to. A `session` that was
/// compacted, or is gone on with, is told first what it was asked itself.
///
/// The same state gives the same bytes. Nothing is written.
///
/// # Errors
/// The ledger's.
pub fn brief(
    ledger: &Ledger,
    caller: &Caller,
    session: Option<&str>,
    budget_tokens: u32,
) -> Result<Brief, Error> {
    let mut text = Prompt::new(budget_tokens);
    let mut shown = Vec::new();
    let mut tell = |heading: &str, entries: Vec<Entry>| {
        if entries.is_empty() || !text.say(heading) {
            return;
        }
        for entry in entries {
            let is_told = text.push(PromptLine {
                id: entry.id,
                text: &entry.text,
                speaker: &entry.speaker,
                origin: entry.origin,
                trust: entry.trust,
                occurred_at: entry.occurred_at,
                authority: entry.authority,
            });
            if is_told {
                shown.push(entry.id);
            }
        }
    };
    let (pinned, standing) = memories(ledger, caller)?;
    tell("Pinned:", pinned);
    if let Some(session) = session {
        tell("This session was asked:", asked(ledger, caller, session)?);
    }
    tell("What stands, newest first:", standing);
    for earlier in sessions(ledger, caller, session)? {
        tell("An earlier session:", earlier);
    }
    let waiting = ledger.waiting(caller)?.len();
    if waiting > 0 {
        let _ = text.say(&format!(
            "{waiting} proposals wait: a person looks at them with `memlith review`."
        ));
    }
    Ok(Brief { text: text.finish(), shown })
}

/// The memories that stand: those that are pinned, and the others.
fn memories(ledger: &Ledger, caller: &Caller) -> Result<(Vec<Entry>, Vec<Entry>), Error> {
    let listing = Listing { what: ListOf::Memories, limit: MEMORIES, ..Listing::default() };
    let mut caller = caller.clone();
    caller.scope.session = None;
    let listed = ledger.list(&caller, &listing)?.items;
    let is_told =
        |authority: Authority| matches!(authority, Authority::Active | Authority::Contested);
    let told = listed.into_iter().filter(|one| is_told(one.authority));
    let (mut pinned, mut standing) = (Vec::new(), Vec::new());
    for one in told {
        let Some(body) = decode(&one.record)? else { continue };
        let Some(words) = words_of(&body.event) else { continue };
        let entry = Entry {
            id: one.item.id,
            text: words,
            speaker: body.envelope.actor.name.to_string(),
            origin: one.item.origin,
            trust: one.item.tier.0,
            occurred_at: one.item.occurred_at,
            authority: one.authority,
        };
        if one.item.is_pinned() { pinned.push(entry) } else { standing.push(entry) }
    }
    Ok((pinned, standing))
}

fn words_of(event: &Event<'_>) -> Option<String> {
    if let Event::Memory(MemoryEvent::Remembered(remembered)) = event {
        return Some(remembered.text.to_string());
    }
    None
}

/// The last sessions before this one, each by what it was asked first and how it ended.
fn sessions(
    ledger: &Ledger,
    caller: &Caller,
    session: Option<&str>,
) -> Result<Vec<Vec<Entry>>, Error> {
    let mut told = Vec::new();
    for one in listed(ledger, caller)? {
        let Some(name) = &one.name else { continue };
        let own = caller.scope.session.as_deref();
        let is_own = own == Some(name.as_str()) || session == Some(name.as_str());
        // A sub-agent's session is a part of another.
        if is_own || name.contains('/') || told.len() >= SESSIONS {
            continue;
        }
        let mut entries = prompts(ledger, caller, &one, 2)?;
        entries.extend(last_word(ledger, caller, &one)?);
        if !entries.is_empty() {
            told.push(entries);
        }
    }
    Ok(told)
}

fn listed(ledger: &Ledger, caller: &Caller) -> Result<Vec<ListedSession>, Error> {
    let mut caller = caller.clone();
    caller.scope.session = None;
    let listing = Listing { limit: SESSIONS * 4, ..Listing::default() };
    Ok(ledger.list_sessions(&caller, &listing)?.sessions)
}

/// What the session of this name was asked, the first prompts.
fn asked(ledger: &Ledger, caller: &Caller, session: &str) -> Result<Vec<Entry>, Error> {
    let listed = listed(ledger, caller)?;
    let found = listed.iter().find(|one| one.name.as_deref() == Some(session));
    found.map_or(Ok(Vec::new()), |one| prompts(ledger, caller, one, TURNS))
}

/// What a session was asked, the first `limit` prompts.
fn prompts(
    ledger: &Ledger,
    caller: &Caller,
    session: &ListedSession,
    limit: usize,
) -> Result<Vec<Entry>, Error> {
    let mut entries = said(ledger, caller, (session, session.first.seq), Origin::User)?;
    entries.truncate(limit);
    Ok(entries)
}

/// What the assistant said last in a session, if that says anything.
fn last_word(
    ledger: &Ledger,
    caller: &Caller,
    session: &ListedSession,
) -> Result<Option<Entry>, Error> {
    let from = Seq(session.last.seq.0.saturating_sub(LOOKED_AT).max(session.first.seq.0));
    let said = said(ledger, caller, (session, from), Origin::Assistant)?;
    Ok(said.into_iter().rev().find(|entry| is_worth_telling(&entry.text)))
}

/// Whether a text says more than that something was heard or done.
pub(crate) fn is_worth_telling(text: &str) -> bool {
    text.split_whitespace().nth(2).is_some() || !text.is_ascii()
}

/// The number of records that are read where a session begins, and where it ends.
const LOOKED_AT: u64 = 64;

/// The turns of `origin` in a session, among the records from `from` on, oldest first.
fn said(
    ledger: &Ledger,
    caller: &Caller,
    (session, from): (&ListedSession, Seq),
    origin: Origin,
) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for record in ledger.records(from, Some(LOOKED_AT))? {
        let record = record?;
        let Some(body) = decode(&record)? else { continue };
        let envelope = &body.envelope;
        let Event::Turn(TurnEvent::Said(said)) = &body.event else { continue };
        let is_of_it = envelope.origin == origin
            && envelope.scope.session.as_deref() == session.name.as_deref();
        if said.context || !is_of_it {
            continue;
        }
        // Another scope's, or taken out since: it is not told.
        let Ok(shown) = ledger.show(caller, record.id()) else { continue };
        if shown.authority.is_shown() {
            let told = (envelope.occurred_at, origin, shown.item.tier.0);
            entries.push(entry(record.id(), &said.text, told));
        }
    }
    Ok(entries)
}

fn entry(id: RecordId, text: &str, (occurred_at, origin, trust): (Timestamp, Origin, u8)) -> Entry {
    let text = text.trim();
    let cut = text.floor_char_boundary(TURN_BYTES.min(text.len()));
    let mut words = text.get(..cut).unwrap_or_default().to_owned();
    if cut < text.len() {
        words.push('\u{2026}');
    }
    // A transcript names nobody.
    let speaker = String::new();
    Entry { id, text: words, speaker, origin, trust, occurred_at, authority: Authority::Active }
}

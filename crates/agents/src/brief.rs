//! The brief that a session is told at its beginning.

use std::collections::BTreeSet;

use memlith::log::{Event, MemoryEvent, TurnEvent, decode};
use memlith::read::{
    Item, ListOf, ListedItem, Listing, Prompt, PromptLine, RecentSession, Statement, newer_of,
};
use memlith::{Authority, Caller, Error, Ledger, Origin, RecordId, Scope, Timestamp};

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

/// The most lines that tell of the person, and their tokens.
const PROFILE: usize = 12;
const PROFILE_TOKENS: u32 = 240;

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
    /// The rank that it is guarded by.
    guard: u8,
    newer: Option<RecordId>,
}

impl Entry {
    /// Its words, to be compared with the rest of the brief.
    fn statement(&self) -> Statement {
        let when = (self.occurred_at, self.id.seq);
        // A transcript names nobody: its person is the one who writes by hooks.
        let named = (!self.speaker.is_empty()).then(|| self.speaker.clone());
        let speaker = named.unwrap_or_else(|| self.origin.name().to_owned());
        let text = self.text.clone();
        Statement { id: self.id, text, speaker, when, guard: self.guard }
    }

    fn is_memory(&self) -> bool {
        // A transcript names nobody.
        !self.speaker.is_empty()
    }

    /// Whether it is a turn of which each sentence is the words of a memory that is told.
    fn is_told_by(&self, told: &BTreeSet<String>) -> bool {
        let sentences = memlith_text::sentences(&self.text).into_iter();
        let mut sentences = sentences.filter_map(|at| self.text.get(at));
        !self.is_memory()
            && sentences.all(|sentence| {
                let words = sentence.trim_end_matches(['.', '!']);
                told.contains(&memlith_text::normalised(words))
            })
    }

    fn line(&self) -> PromptLine<'_> {
        PromptLine {
            id: self.id,
            text: &self.text,
            speaker: &self.speaker,
            origin: self.origin,
            trust: self.trust,
            occurred_at: self.occurred_at,
            authority: self.authority,
            newer: self.newer,
        }
    }
}

/// A heading of a brief, and what stands under it.
type Section = (&'static str, Vec<Entry>);

/// Writes the brief of a new session in the scope of `caller`: what is pinned, what is known of
/// the person, what stands, newest first, and what earlier sessions were asked and came to. A
/// `session` that was compacted, or is gone on with, is told first what it was asked itself.
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
    let mut shown: Vec<RecordId> = Vec::new();
    for (heading, entries) in newest_first(sections(ledger, caller, session)?) {
        if entries.is_empty() || !text.say(heading) {
            continue;
        }
        for entry in entries {
            if text.push(entry.line()) {
                shown.push(entry.id);
            }
        }
    }
    let waiting = ledger.review().waiting(caller)?.len();
    if waiting > 0 {
        let _ = text.say(&format!(
            "{waiting} proposals wait: a person looks at them with `memlith review`."
        ));
    }
    Ok(Brief { text: text.finish(), shown })
}

/// The sections that a brief may tell, the most important first.
fn sections(
    ledger: &Ledger,
    caller: &Caller,
    session: Option<&str>,
) -> Result<Vec<Section>, Error> {
    let own = Caller { scope: Scope { session: None, ..caller.scope.clone() }, ..caller.clone() };
    let mut sections = vec![("Pinned:", entries(ledger.pinned(&own)?)?)];
    sections.push(("About the person:", profile(ledger, &own)?));
    if let Some(session) = session {
        sections.push(("This session was asked:", asked(ledger, caller, session)?));
    }
    sections.push(("What stands, newest first:", standing(ledger, &own)?));
    let earlier = earlier(ledger, caller, session)?;
    sections.extend(earlier.into_iter().map(|entries| ("An earlier session:", entries)));
    Ok(sections)
}

/// Marks what a later item says otherwise, and puts that one directly before it, whatever its
/// heading.
fn newest_first(mut sections: Vec<Section>) -> Vec<Section> {
    let mut seen = BTreeSet::new();
    let memories = sections.iter().flat_map(|(_, entries)| entries).filter(|one| one.is_memory());
    let told: BTreeSet<String> = memories.map(|one| memlith_text::normalised(&one.text)).collect();
    for (_, entries) in &mut sections {
        entries.retain(|entry| seen.insert(entry.id) && !entry.is_told_by(&told));
    }
    let all = || sections.iter().flat_map(|(_, entries)| entries);
    let statements: Vec<Statement> = all().map(Entry::statement).collect();
    let newer = newer_of(&statements).into_iter();
    let newer: Vec<Option<RecordId>> =
        newer.map(|at| statements.get(at?).map(|newer| newer.id)).collect();
    let mut all: Vec<(usize, Entry)> = Vec::new();
    let mut headings = Vec::new();
    for (at, (heading, entries)) in sections.into_iter().enumerate() {
        headings.push((heading, Vec::new()));
        all.extend(entries.into_iter().map(|entry| (at, entry)));
    }
    for ((_, entry), newer) in all.iter_mut().zip(newer) {
        entry.newer = newer;
    }
    let mut at = 0;
    while let Some((section, entry)) = all.get(at) {
        let section = *section;
        let behind = entry
            .newer
            .and_then(|newer| all.iter().skip(at + 1).position(|(_, entry)| entry.id == newer));
        // The newer one is looked at next: it may be older than a third.
        if let Some(behind) = behind {
            let (_, newer) = all.remove(at + 1 + behind);
            all.insert(at, (section, newer));
        } else {
            at += 1;
        }
    }
    for (section, entry) in all {
        if let Some((_, entries)) = headings.get_mut(section) {
            entries.push(entry);
        }
    }
    headings
}

/// Entries about the person, as many as there is room for.
fn profile(ledger: &Ledger, caller: &Caller) -> Result<Vec<Entry>, Error> {
    let mut told = entries(ledger.profile(caller, PROFILE)?)?;
    let mut left = PROFILE_TOKENS;
    told.retain(|entry| {
        let rest = left.checked_sub(entry.line().tokens());
        left = rest.unwrap_or(left);
        rest.is_some()
    });
    Ok(told)
}

/// The memories that stand, newest first.
fn standing(ledger: &Ledger, caller: &Caller) -> Result<Vec<Entry>, Error> {
    let listing = Listing { what: ListOf::Memories, limit: MEMORIES, ..Listing::default() };
    let mut listed = ledger.list(caller, &listing)?.items;
    listed.retain(|one| matches!(one.authority, Authority::Active | Authority::Contested));
    entries(listed)
}

fn entries(listed: Vec<ListedItem>) -> Result<Vec<Entry>, Error> {
    let mut told = Vec::with_capacity(listed.len());
    for one in listed {
        let Some(body) = decode(&one.record)? else { continue };
        let Some(text) = words_of(&body.event) else { continue };
        told.push(Entry {
            id: one.item.id,
            text,
            speaker: body.envelope.actor.name.to_string(),
            origin: one.item.origin,
            trust: one.item.tier.0,
            occurred_at: one.item.occurred_at,
            authority: one.authority,
            guard: one.item.guard,
            newer: None,
        });
    }
    Ok(told)
}

fn words_of(event: &Event<'_>) -> Option<String> {
    if let Event::Memory(MemoryEvent::Remembered(remembered)) = event {
        return Some(remembered.text.to_string());
    }
    None
}

/// The last sessions before this one, each by what it was asked first and how it ended.
fn earlier(
    ledger: &Ledger,
    caller: &Caller,
    session: Option<&str>,
) -> Result<Vec<Vec<Entry>>, Error> {
    let mut told = Vec::new();
    for one in recent(ledger, caller)? {
        let own = caller.scope.session.as_deref();
        let is_own = own == Some(one.name.as_str()) || session == Some(one.name.as_str());
        // A sub-agent's session is a part of another.
        if is_own || one.name.contains('/') || told.len() >= SESSIONS {
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

fn recent(ledger: &Ledger, caller: &Caller) -> Result<Vec<RecentSession>, Error> {
    let mut caller = caller.clone();
    caller.scope.session = None;
    ledger.recent_sessions(&caller, SESSIONS * 4, LOOKED_AT)
}

/// The first prompts of the session of this name.
fn asked(ledger: &Ledger, caller: &Caller, session: &str) -> Result<Vec<Entry>, Error> {
    let recent = recent(ledger, caller)?;
    let found = recent.iter().find(|one| one.name == session);
    found.map_or(Ok(Vec::new()), |one| prompts(ledger, caller, one, TURNS))
}

/// The first `limit` prompts of a session.
fn prompts(
    ledger: &Ledger,
    caller: &Caller,
    session: &RecentSession,
    limit: usize,
) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for item in session.items.iter().filter(|item| item.origin == Origin::User) {
        if entries.len() >= limit {
            break;
        }
        entries.extend(said(ledger, caller, item)?);
    }
    Ok(entries)
}

/// The assistant's last word in a session, if it says anything.
fn last_word(
    ledger: &Ledger,
    caller: &Caller,
    session: &RecentSession,
) -> Result<Option<Entry>, Error> {
    for item in session.items.iter().rev().filter(|item| item.origin == Origin::Assistant) {
        let said = said(ledger, caller, item)?;
        if said.as_ref().is_some_and(|entry| is_worth_telling(&entry.text)) {
            return Ok(said);
        }
    }
    Ok(None)
}

/// Whether a text says more than that something was heard or done.
pub(crate) fn is_worth_telling(text: &str) -> bool {
    text.split_whitespace().nth(2).is_some() || !text.is_ascii()
}

/// The number of a session's last items that are looked at.
const LOOKED_AT: usize = 512;

/// The words of an item, where it is a turn that somebody typed or the assistant said.
fn said(ledger: &Ledger, caller: &Caller, item: &Item) -> Result<Option<Entry>, Error> {
    if !item.is_record() {
        return Ok(None);
    }
    let record = ledger.show(caller, item.id)?.record;
    let Some(body) = decode(&record)? else { return Ok(None) };
    let Event::Turn(TurnEvent::Said(said)) = &body.event else { return Ok(None) };
    Ok((!said.context).then(|| entry(item, &said.text, body.envelope.occurred_at)))
}

fn entry(item: &Item, text: &str, occurred_at: Timestamp) -> Entry {
    let text = text.trim();
    let cut = text.floor_char_boundary(TURN_BYTES.min(text.len()));
    let mut words = text.get(..cut).unwrap_or_default().to_owned();
    if cut < text.len() {
        words.push('\u{2026}');
    }
    // A transcript names nobody.
    let speaker = String::new();
    Entry {
        id: item.id,
        text: words,
        speaker,
        origin: item.origin,
        trust: item.tier.0,
        occurred_at,
        authority: Authority::Active,
        guard: item.guard,
        newer: None,
    }
}

#[cfg(test)]
mod tests;

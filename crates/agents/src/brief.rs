//! The brief that a session is told at its beginning.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use memlith::log::{Event, MemoryEvent, TurnEvent, decode};
use memlith::read::{
    Item, ListOf, ListedItem, Listing, Prompt, PromptLine, RecentSession, Statement, newer_of,
};
use memlith::{Authority, Caller, Error, Ledger, LedgerId, Origin, RecordId, Scope, Timestamp};
use memlith_text::{is_first_person, normalised, own_sentences};
use memlith_writeback::is_rule;

use crate::given::Given;
use crate::taught::taught;
use crate::tree::Tree;

/// The most tokens of a brief, as it is rendered.
pub const BRIEF_TOKENS: u32 = 1_500;

/// The number of memories that a brief is chosen from: the newest.
const MEMORIES: usize = 400;

/// The tokens that are kept for the line that says how many are left out.
const REST_TOKENS: u32 = 24;

/// The most lines that tell of the person, the memories they are chosen from, and their tokens.
const PROFILE: usize = 12;
const PROFILE_OF: usize = 64;
const PROFILE_TOKENS: u32 = 240;

/// The number of earlier sessions that a brief tells of; of each so many prompts of its
/// beginning, and so many that hold beyond it.
const SESSIONS: usize = 3;
const OPENING: usize = 2;
const OPENING_WORDS: usize = 8;
const RULES: usize = 6;

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
    /// The turns that it is told in the place of.
    tells: Vec<RecordId>,
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

const PINNED: &str = "Pinned:";
const PERSON: &str = "About the person:";
const ASKED: &str = "This session was asked:";

/// A heading of a brief, and what stands under it.
type Section = (&'static str, Vec<Entry>);

/// Writes the brief of a new session in the scope of `caller`: what is pinned, what is known of
/// the person, what stands, rules before news, and what earlier sessions came to. A `session`
/// that was compacted, or is gone on with, is told first what it was asked itself.
///
/// The same state gives the same bytes; nothing is written. The last lines name the files of `tree`
/// that changed since a memory named them.
///
/// # Errors
/// The ledger's.
pub fn brief(
    ledger: &Ledger,
    caller: &Caller,
    session: Option<&str>,
    (budget_tokens, tree): (u32, &Tree),
) -> Result<Given, Error> {
    let tell = |tokens| told(ledger, caller, session, tokens);
    Given::with_files((ledger, caller), tree, budget_tokens, &tell)
}

fn told(
    ledger: &Ledger,
    caller: &Caller,
    session: Option<&str>,
    budget_tokens: u32,
) -> Result<Given, Error> {
    let rest = REST_TOKENS.min(budget_tokens);
    let mut text = Prompt::new(budget_tokens - rest);
    let (mut shown, mut left_out): (Vec<RecordId>, usize) = (Vec::new(), 0);
    let sections = arranged(sections(ledger, caller, session)?);
    for (heading, entries) in sections {
        let is_said = !entries.is_empty() && text.say(heading);
        for entry in entries {
            if is_said && text.push(entry.line()) {
                shown.push(entry.id);
                shown.extend(entry.tells);
            } else {
                left_out += 1;
            }
        }
    }
    text.widen(rest);
    if left_out > 0 {
        let _ = text.say(&format!("{left_out} more are known: `memlith search` finds them."));
    }
    let waiting = ledger.review().waiting(caller)?.len();
    if waiting > 0 {
        let _ = text.say(&format!(
            "{waiting} proposals wait: a person looks at them with `memlith review list`."
        ));
    }
    Ok(Given { text: text.finish(), shown })
}

/// The sections that a brief may tell, the most important first.
fn sections(
    ledger: &Ledger,
    caller: &Caller,
    session: Option<&str>,
) -> Result<Vec<Section>, Error> {
    let own = Caller { scope: Scope { session: None, ..caller.scope.clone() }, ..caller.clone() };
    let ledgers = with_beside(ledger);
    let (mut pinned, mut person, mut stand) = (Vec::new(), Vec::new(), Vec::new());
    let mut said = Vec::new();
    let now = caller.now.unwrap_or_else(|| ledger.now());
    for one in &ledgers {
        let in_sight = |told: Vec<Entry>| in_sight(told, (ledger, one), &ledgers, now);
        pinned.extend(in_sight(entries(one.pinned(&own)?)?));
        person.extend(in_sight(profile(one, &own)?));
        stand.extend(in_sight(standing(one, &own)?));
        said.extend(in_sight(earlier(one, caller, session)?));
    }
    if ledgers.len() > 1 {
        each_once([&mut pinned, &mut person, &mut stand]);
        shorten(&mut person);
        for newest_first in [&mut stand, &mut said] {
            newest_first.sort_by_key(|entry| Reverse(entry.occurred_at));
        }
        said.truncate(SESSIONS * (OPENING + RULES));
    }
    let mut sections = vec![(PINNED, pinned), (PERSON, person)];
    if let Some(session) = session {
        sections.push((ASKED, asked(ledger, caller, session)?));
    }
    let (rules, news): (Vec<Entry>, Vec<Entry>) =
        stand.into_iter().partition(|entry| is_rule(&entry.text));
    sections.push(("Rules that stand, newest first:", rules));
    sections.push(("What else stands, newest first:", news));
    sections.push(("Said in the last sessions:", said));
    Ok(sections)
}

/// The ledger and the copies beside it, by id: every machine of a person tells the same.
fn with_beside(ledger: &Ledger) -> Vec<Ledger> {
    let mut ledgers = ledger.beside();
    ledgers.push(ledger.clone());
    ledgers.sort_by_key(Ledger::id);
    ledgers
}

/// Takes out what another machine put out of sight.
fn in_sight(
    mut told: Vec<Entry>,
    (own, of): (&Ledger, &Ledger),
    ledgers: &[Ledger],
    now: Timestamp,
) -> Vec<Entry> {
    if ledgers.len() > 1 {
        let named = told.iter().map(|entry| (of.id(), entry.id, entry.guard));
        let named: Vec<(LedgerId, RecordId, u8)> = named.collect();
        let mut hidden = own.hidden_elsewhere(ledgers, &named, now).into_iter();
        told.retain(|_| !hidden.next().unwrap_or(false));
    }
    told
}

/// Takes out of each list what an earlier entry says in the same words: machines learn the same.
fn each_once(lists: [&mut Vec<Entry>; 3]) {
    for list in lists {
        let mut said = BTreeSet::new();
        list.retain(|entry| said.insert(normalised(&entry.text)));
    }
}

/// The entries of all sections in order, each with the number of its heading.
type Line = (usize, Entry);

/// The sections with each item once, memories in the place of turns, newer before older.
fn arranged(sections: Vec<Section>) -> Vec<Section> {
    let (mut told, mut seen, mut lines): (Vec<Section>, _, Vec<Line>) =
        (Vec::new(), BTreeSet::new(), Vec::new());
    for (at, (heading, entries)) in sections.into_iter().enumerate() {
        told.push((heading, Vec::new()));
        let new = entries.into_iter().filter(|entry| seen.insert(entry.id));
        lines.extend(new.map(|entry| (at, entry)));
    }
    let asked = told.iter().position(|(heading, _)| *heading == ASKED);
    memories_for_turns(&mut lines, asked);
    newer_first(&mut lines);
    for (section, entry) in lines {
        if let Some((_, entries)) = told.get_mut(section) {
            entries.push(entry);
        }
    }
    told
}

/// Takes out the turns whose words contain those of a memory: the rest of such a turn was an
/// errand or talk, of which nothing was learned. Those under `asked` stay: they are the errand.
fn memories_for_turns(lines: &mut Vec<Line>, asked: Option<usize>) {
    let is_memory = |(_, entry): &&mut Line| entry.is_memory();
    let memories = lines.iter_mut().filter(is_memory);
    let mut tells: Vec<(String, Vec<RecordId>)> =
        memories.map(|(_, memory)| (normalised(&memory.text), Vec::new())).collect();
    lines.retain(|(section, entry)| {
        if entry.is_memory() || Some(*section) == asked {
            return true;
        }
        let words = normalised(&entry.text);
        let mut is_told = false;
        for (memory, turns) in &mut tells {
            if !memory.is_empty() && words.contains(memory.as_str()) {
                turns.push(entry.id);
                is_told = true;
            }
        }
        !is_told
    });
    for ((_, memory), (_, turns)) in lines.iter_mut().filter(is_memory).zip(tells) {
        memory.tells = turns;
    }
}

/// Marks an entry that a later one says otherwise, and puts that one directly before it, whatever
/// its heading.
fn newer_first(lines: &mut Vec<Line>) {
    let statements: Vec<Statement> = lines.iter().map(|(_, entry)| entry.statement()).collect();
    let newer = newer_of(&statements).into_iter();
    let newer: Vec<Option<RecordId>> =
        newer.map(|at| statements.get(at?).map(|newer| newer.id)).collect();
    for ((_, entry), newer) in lines.iter_mut().zip(newer) {
        entry.newer = newer;
    }
    let mut at = 0;
    while let Some((section, entry)) = lines.get(at) {
        let section = *section;
        let behind = entry
            .newer
            .and_then(|newer| lines.iter().skip(at + 1).position(|(_, entry)| entry.id == newer));
        // The newer one is looked at next: it may be older than a third.
        if let Some(behind) = behind {
            let (_, newer) = lines.remove(at + 1 + behind);
            lines.insert(at, (section, newer));
        } else {
            at += 1;
        }
    }
}

/// Entries about the person, as many as there is room for. A memory of every project is about the
/// person only if it speaks of its speaker or names them.
fn profile(ledger: &Ledger, caller: &Caller) -> Result<Vec<Entry>, Error> {
    let mut told = entries(ledger.profile(caller, PROFILE_OF)?)?;
    let name = normalised(&caller.name);
    let is_named = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        !name.is_empty() && words.any(|word| normalised(word) == name)
    };
    told.retain(|entry| is_first_person(&entry.text) || is_named(&entry.text));
    shorten(&mut told);
    Ok(told)
}

/// Leaves as many entries about the person as there is room for.
fn shorten(told: &mut Vec<Entry>) {
    told.truncate(PROFILE);
    let mut left = PROFILE_TOKENS;
    told.retain(|entry| {
        let rest = left.checked_sub(entry.line().tokens());
        left = rest.unwrap_or(left);
        rest.is_some()
    });
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
            tells: Vec::new(),
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

/// The person's prompts of the last sessions before this one: how each began, and what holds
/// beyond it.
fn earlier(ledger: &Ledger, caller: &Caller, session: Option<&str>) -> Result<Vec<Entry>, Error> {
    let (mut told, mut sessions) = (Vec::new(), 0);
    for one in recent(ledger, caller)? {
        let own = caller.scope.session.as_deref();
        let is_own = own == Some(one.name.as_str()) || session == Some(one.name.as_str());
        // A sub-agent's session is a part of another.
        if is_own || one.name.contains('/') || sessions >= SESSIONS {
            continue;
        }
        sessions += 1;
        let (mut opening, mut rules) = (0, 0);
        for entry in prompts(ledger, caller, &one, TURNS)? {
            let holds = own_sentences(&entry.text).iter().any(|said| is_rule(said));
            let opens = entry.text.split_whitespace().count() >= OPENING_WORDS;
            let is_told = holds && rules < RULES || opens && opening < OPENING;
            if is_told && taught(ledger, caller, entry.id)?.is_some() {
                told.push(entry);
            }
            rules += usize::from(holds);
            opening += usize::from(opens);
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
        tells: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
